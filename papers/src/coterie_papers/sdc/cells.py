"""The cells of the tables of SDC: approaches trained and tested on the two halves of some names.

A cell has two results, one per fold: each half is once the training set and once the test set. A
result has precision, recall and F1 of pairs on the test half, for each row of the table.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from coterie.learners.discriminative.clustering import DiscriminativeClustering
from coterie.metrics import pair_scores
from coterie.metrics.metric import Scores
from coterie.model import Model
from coterie_papers.engine.cells import Key, Values
from coterie_papers.sdc.approaches import (
    BY_F1,
    CLUSTERERS,
    EQUAL,
    LMR,
    OVER_SOFT,
    SDC,
    SINGLE,
    SOFT,
    SOFT_BEST,
    UNIFORM,
    VARIANTS,
    WARM,
    best_by_f1,
    best_threshold,
    pairwise_model,
    score_clusters,
    score_decisions,
    score_tuned_linkage,
    shift_to_zero,
    train_sdc,
    uniform_model,
)
from coterie_papers.sdc.data import NameSet, draw_clusters, halves_of, soft_tfidf_scores

VERSION = 2
"""The version of the computation; raise it when cells are computed in another way."""

SHARES = tuple(range(10, 101, 10))
"""The shares of the training names in Figure 5, in percent."""

RATES = (1.0, 10.0, 100.0, 1000.0)
"""The learning rates in Figure 7."""

ScoresByRow: TypeAlias = dict[str, Scores]
"""The scores of one fold, by row."""


def compute_approaches(key: Key, folder: Path | None) -> Values:
    """Test all approaches of Figure 4, with the number of entities known."""
    return compute_folds(key, folder, _score_approaches)


def compute_stopping(key: Key, folder: Path | None) -> Values:
    """Test the approaches that cluster, with the number of entities unknown."""
    return compute_folds(key, folder, _score_stopping)


def compute_sizes(key: Key, folder: Path | None) -> Values:
    """Test the approaches that learn, on parts of the training names (Figure 5)."""
    return compute_folds(key, folder, _score_sizes)


def compute_clusterers(key: Key, folder: Path | None) -> Values:
    """Test clusterers with SDC, uniform weights and pair classifiers (Figure 6)."""
    return compute_folds(key, folder, _score_clusterers)


def compute_rates(key: Key, folder: Path | None) -> Values:
    """Test the learning rates of SDC (Figure 7)."""
    return compute_folds(key, folder, _score_rates)


def row_at_share(row: str, share: int) -> str:
    """Return the row of an approach that was trained on a share of the names."""
    return f"{row}, {share} %"


def row_under(clusterer: str, row: str) -> str:
    """Return the row of an approach with a clusterer."""
    return f"{clusterer}: {row}"


def row_at_rate(row: str, rate: float) -> str:
    """Return the row of an approach with a learning rate."""
    return f"{row}, α = {rate:g}"


def tuned_row(row: str) -> str:
    """Return the row of an approach whose threshold is tuned on the training names."""
    return f"{row}, tuned on training"


def compute_folds(
    key: Key, folder: Path | None, score: Callable[[NameSet, NameSet, int], ScoresByRow]
) -> Values:
    """Train on each half and test on the other; the number of the run is the random seed."""
    kind: Any = key["kind"]
    run = int(key["run"] or 0)
    first, second = halves_of(folder, kind, int(key["pair"] or 0), run)
    # Threads of BLAS would wait for each other where other processes keep the cores busy.
    with threadpool_limits(1, "blas"):
        return {"folds": [score(first, second, run), score(second, first, run)]}


def _score_approaches(train: NameSet, test: NameSet, seed: int) -> ScoresByRow:
    train_scores, test_scores = soft_tfidf_scores(train, train, test)
    best_on_test = best_threshold(test_scores, test.together)
    best_on_training = best_threshold(train_scores, train.together)
    return {
        SOFT_BEST: score_decisions(test_scores > best_on_test, test),
        tuned_row(SOFT): score_decisions(test_scores > best_on_training, test),
        OVER_SOFT: score_clusters(SINGLE, test.to_pair_scores(test_scores), test),
        UNIFORM: score_clusters(SINGLE, uniform_model(train).scores(test.with_count), test),
        **_score_classifiers(train, test, seed),
        **{row: _score_prediction(train_sdc(row, train, seed), test) for row in VARIANTS},
    }


def _score_classifiers(train: NameSet, test: NameSet, seed: int) -> ScoresByRow:
    """Test the LMR classifiers alone, and clustering with their scores."""
    scores_by_row: ScoresByRow = {}
    for classifier, (alone, over) in LMR.items():
        model = pairwise_model(classifier, train, seed)
        train_scores, scores = (model.scores(names.with_count) for names in (train, test))
        threshold = best_threshold(train_scores.scores, train.together)
        scores_by_row[alone] = score_decisions(scores.scores > 0, test)
        scores_by_row[tuned_row(alone)] = score_decisions(scores.scores > threshold, test)
        scores_by_row[over] = score_clusters(SINGLE, scores, test)
    return scores_by_row


def _score_prediction(model: Model | DiscriminativeClustering, test: NameSet) -> Scores:
    return pair_scores(test.truth, model.predict([test.with_count])[0])


def _score_stopping(train: NameSet, test: NameSet, seed: int) -> ScoresByRow:
    train_scores, scores = map(
        NameSet.to_pair_scores, (train, test), soft_tfidf_scores(train, train, test)
    )
    scores_by_row = {
        tuned_row(OVER_SOFT): score_tuned_linkage(train_scores, train.truth, scores, test)
    }
    classifiers = {
        over: pairwise_model(classifier, train, seed) for classifier, (_, over) in LMR.items()
    }
    for row, model in {UNIFORM: uniform_model(train, threshold=0.0), **classifiers}.items():
        train_scores, scores = (model.scores(names.without_count) for names in (train, test))
        scores_by_row[tuned_row(row)] = score_tuned_linkage(train_scores, train.truth, scores, test)
        if row in classifiers:
            scores_by_row[row] = score_clusters(SINGLE, scores, test)
    for row in (SDC, BY_F1, EQUAL, WARM):
        learner = train_sdc(row, train, seed, known_count=False)
        predicted = learner.predict([test.without_count])[0]
        scores_by_row[tuned_row(row)] = pair_scores(test.truth, predicted)
    return scores_by_row


def _score_sizes(train: NameSet, test: NameSet, seed: int) -> ScoresByRow:
    scores_by_row: ScoresByRow = {}
    for share in SHARES:
        # With the same seed for all shares, each larger part contains the smaller ones.
        items = draw_clusters(train.truth, share / 100, np.random.default_rng(seed))
        part = train.subset(items)
        scores_of_part = _score_classifiers(part, test, seed)
        for row in (SDC, BY_F1, WARM):
            scores_of_part[row] = _score_prediction(train_sdc(row, part, seed), test)
        scores_by_row |= {
            row_at_share(row, share): scores for row, scores in scores_of_part.items()
        }
    return scores_by_row


def _score_clusterers(train: NameSet, test: NameSet, seed: int) -> ScoresByRow:
    scores_by_row: ScoresByRow = {}
    # The scores of these rows do not depend on the clusterer.
    pair_scores_by_row = {
        UNIFORM: uniform_model(train).scores(test.with_count),
        **{
            over: shift_to_zero(pairwise_model(classifier, train, seed).scores(test.with_count))
            for classifier, (_, over) in LMR.items()
        },
    }
    for name, clusterer in CLUSTERERS.items():
        learner = train_sdc(SDC, train, seed, clusterer=clusterer)
        warm_learner = train_sdc(WARM, train, seed, clusterer=clusterer)
        scores_by_row[row_under(name, SDC)] = _score_prediction(learner, test)
        scores_by_row[row_under(name, BY_F1)] = _score_prediction(best_by_f1(learner), test)
        scores_by_row[row_under(name, WARM)] = _score_prediction(warm_learner, test)
        for row, scores in pair_scores_by_row.items():
            scores_by_row[row_under(name, row)] = score_clusters(clusterer, scores, test)
    return scores_by_row


def _score_rates(train: NameSet, test: NameSet, seed: int) -> ScoresByRow:
    return {
        row_at_rate(row, rate): _score_prediction(
            train_sdc(row, train, seed, learning_rate=rate), test
        )
        for rate in RATES
        for row in (SDC, BY_F1)
    }
