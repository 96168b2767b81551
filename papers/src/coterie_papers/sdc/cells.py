"""The cells of the tables of SDC: all approaches on the two halves of some names.

A cell holds two results: each half is once to train on and once to test on. A result is precision,
recall and F1 of pairs on the test half, for each row of the table.
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
    above_lowest,
    best_threshold,
    clustered,
    cut,
    kept_by_f1,
    pairwise,
    raw,
    sdc,
    uniform,
)
from coterie_papers.sdc.data import Names, drawn, halves_of, soft_tfidf

VERSION = 2
"""To be raised when cells are computed in another way."""

SHARES = tuple(range(10, 101, 10))
RATES = (1.0, 10.0, 100.0, 1000.0)

Fold: TypeAlias = dict[str, Scores]


def approaches(key: Key, folder: Path | None) -> Values:
    """Test all approaches of Figure 4, the number of entities known."""
    return tested(key, folder, _approaches)


def stopping(key: Key, folder: Path | None) -> Values:
    """Test the approaches that cluster, the number of entities not known."""
    return tested(key, folder, _stopping)


def sizes(key: Key, folder: Path | None) -> Values:
    """Test the approaches that learn on parts of the training names (Figure 5)."""
    return tested(key, folder, _sizes)


def algorithms(key: Key, folder: Path | None) -> Values:
    """Test clusterers with SDC, uniform weights and a pair classifier (Figure 6)."""
    return tested(key, folder, _algorithms)


def rates(key: Key, folder: Path | None) -> Values:
    """Test the learning rates of SDC (Figure 7)."""
    return tested(key, folder, _rates)


def at_share(row: str, share: int) -> str:
    """Name an approach that was trained on a share of the names."""
    return f"{row}, {share} %"


def under(clusterer: str, row: str) -> str:
    """Name an approach with a clusterer."""
    return f"{clusterer}: {row}"


def at_rate(row: str, rate: float) -> str:
    """Name an approach with a learning rate."""
    return f"{row}, α = {rate:g}"


def tuned(row: str) -> str:
    """Name an approach whose threshold is tuned on the training names."""
    return f"{row}, tuned on training"


def tested(key: Key, folder: Path | None, test: Callable[[Names, Names, int], Fold]) -> Values:
    """Test on each half what was trained on the other; seeds are those of the run."""
    kind: Any = key["kind"]
    run = int(key["run"] or 0)
    first, second = halves_of(folder, kind, int(key["pair"] or 0), run)
    # Threads of BLAS would wait for each other where other processes keep the cores busy.
    with threadpool_limits(1, "blas"):
        return {"folds": [test(first, second, run), test(second, first, run)]}


def _approaches(train: Names, test: Names, seed: int) -> Fold:
    known, similarities = soft_tfidf(train, train, test)
    best = best_threshold(similarities, test.together)
    return {
        SOFT_BEST: raw(similarities > best, test),
        tuned(SOFT): raw(similarities > best_threshold(known, train.together), test),
        OVER_SOFT: clustered(SINGLE, test.scored(similarities), test),
        UNIFORM: clustered(SINGLE, uniform(train).scores(test.counted), test),
        **_pairwise(train, test, seed),
        **{row: _predicted(sdc(row, train, seed), test) for row in VARIANTS},
    }


def _pairwise(train: Names, test: Names, seed: int) -> Fold:
    """Test the LMR classifiers alone, and under clustering."""
    found: Fold = {}
    for name, (alone, over) in LMR.items():
        model = pairwise(name, train, seed)
        known, scores = (model.scores(names.counted) for names in (train, test))
        threshold = best_threshold(known.scores, train.together)
        found[alone] = raw(scores.scores > 0, test)
        found[tuned(alone)] = raw(scores.scores > threshold, test)
        found[over] = clustered(SINGLE, scores, test)
    return found


def _predicted(model: Model | DiscriminativeClustering, test: Names) -> Scores:
    return pair_scores(test.truth, model.predict([test.counted])[0])


def _stopping(train: Names, test: Names, seed: int) -> Fold:
    known, similarities = map(Names.scored, (train, test), soft_tfidf(train, train, test))
    found = {tuned(OVER_SOFT): cut(known, train.truth, similarities, test)}
    models = {over: pairwise(name, train, seed) for name, (_, over) in LMR.items()}
    for row, model in {UNIFORM: uniform(train, threshold=0.0), **models}.items():
        known, scores = (model.scores(names.uncounted) for names in (train, test))
        found[tuned(row)] = cut(known, train.truth, scores, test)
        if row in models:
            found[row] = clustered(SINGLE, scores, test)
    for row in (SDC, BY_F1, EQUAL, WARM):
        predicted = sdc(row, train, seed, known=False).predict([test.uncounted])[0]
        found[tuned(row)] = pair_scores(test.truth, predicted)
    return found


def _sizes(train: Names, test: Names, seed: int) -> Fold:
    found: Fold = {}
    for share in SHARES:
        # The same seed for all, so that what is in a part is in all larger ones.
        part = train.part(drawn(train.truth, share / 100, np.random.default_rng(seed)))
        reached = _pairwise(part, test, seed)
        for row in (SDC, BY_F1, WARM):
            reached[row] = _predicted(sdc(row, part, seed), test)
        found |= {at_share(row, share): scores for row, scores in reached.items()}
    return found


def _algorithms(train: Names, test: Names, seed: int) -> Fold:
    found: Fold = {}
    others = {
        UNIFORM: uniform(train).scores(test.counted),
        **{
            over: above_lowest(pairwise(name, train, seed).scores(test.counted))
            for name, (_, over) in LMR.items()
        },
    }
    for name, clusterer in CLUSTERERS.items():
        learner = sdc(SDC, train, seed, clusterer=clusterer)
        found[under(name, SDC)] = _predicted(learner, test)
        found[under(name, BY_F1)] = _predicted(kept_by_f1(learner), test)
        found[under(name, WARM)] = _predicted(sdc(WARM, train, seed, clusterer=clusterer), test)
        for row, scores in others.items():
            found[under(name, row)] = clustered(clusterer, scores, test)
    return found


def _rates(train: Names, test: Names, seed: int) -> Fold:
    return {
        at_rate(row, rate): _predicted(sdc(row, train, seed, learning_rate=rate), test)
        for rate in RATES
        for row in (SDC, BY_F1)
    }
