"""The scores of SDC on its training names and on other names, and variants that may help it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from coterie.clusterers import CompleteLinkage
from coterie.metrics import macro, pair_scores
from coterie.metrics.metric import Scores
from coterie.model import Model
from coterie.toolkit import Clusterer
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Entry, Table, Value
from coterie_papers.sdc.approaches import (
    BY_F1,
    EQUAL,
    LMR,
    OVER_L,
    SDC,
    SINGLE,
    STARTS,
    UNIFORM,
    WARM,
    pairwise_model,
    train_sdc,
    uniform_model,
)
from coterie_papers.sdc.cells import ScoresByRow, compute_folds, row_under
from coterie_papers.sdc.data import NameSet, more_names, with_soft_tfidf
from coterie_papers.sdc.results import DATA, KINDS, FoldScores, comparison_notes, fold_scores

COMPLETE = CompleteLinkage()
CLUSTERERS = {"Single linkage": SINGLE, "Complete linkage": COMPLETE}
VARIANTS = (SDC, BY_F1, STARTS, EQUAL, WARM)

# The rows of the remedies, by the rows without them.
MORE = {EQUAL: f"{EQUAL}, more names", WARM: f"{WARM}, more names"}
SOFT = {row: f"{row}, with SoftTFIDF" for row in (UNIFORM, OVER_L, WARM)}

ROWS = [UNIFORM, *(over for _, over in LMR.values()), *VARIANTS, *MORE.values(), *SOFT.values()]

NOTE = (
    "Each entry has the F1 on the training names, then the F1 on the test names, and a comparison "
    "of the latter with uniform weights: p as in Figure 4, and on how many of the pairs of sets "
    "uniform weights are better. SDC keeps hardly any of its gain on the training names when it is "
    "applied to other names. The reason is the number of entities, which is given: it requires "
    "more joins than there are names that look alike, and the remaining joins are made by chance. "
    "More names: with up to three more training sets of about 300 names of other entities from the "
    "same sources; the training F1 is the mean over the sets. With SoftTFIDF: as one more feature."
)


def remedies(context: Context) -> list[Table]:
    """Show the scores of SDC and its variants on training names and on test names."""
    scores = fold_scores(context, "remedies", compute_remedies)
    return [
        Table.from_rows(
            f"Not in the paper: what helps SDC, under {clusterer.lower()}",
            _table_rows(scores, clusterer),
            notes=[NOTE],
            data=DATA,
        )
        for clusterer in CLUSTERERS
    ]


def _table_rows(scores: FoldScores, clusterer: str) -> Mapping[str, Mapping[str, Entry | Value]]:
    entries: dict[str, dict[str, Entry | Value]] = {row: {} for row in ROWS}
    reference = row_under(clusterer, UNIFORM)
    others = [row_under(clusterer, row) for row in ROWS if row != UNIFORM]
    for kind in KINDS:
        notes = comparison_notes(scores, reference, others, kind)
        for row in ROWS:
            test_row = row_under(clusterer, row)
            train_f1 = scores.mean(_training_row(test_row), kind)
            text = f"{train_f1:.1f} → {scores.mean(test_row, kind):.1f}"
            entries[row][kind] = Entry(text, note=notes.get(test_row, ""))
    return entries


def compute_remedies(key: Key, folder: Path | None) -> Values:
    """Test uniform weights, LMR and SDC with its remedies on training names and test names."""

    def score(train: NameSet, test: NameSet, seed: int) -> ScoresByRow:
        rng = np.random.default_rng([seed, int(key["pair"] or 0)])
        more_sets = more_names(folder, key["kind"], (train, test), rng)  # type: ignore[arg-type]
        return {
            row_under(name, row): scores
            for name, clusterer in CLUSTERERS.items()
            for row, scores in _score_rows(train, test, more_sets, seed, clusterer).items()
        }

    return compute_folds(key, folder, score)


def _score_rows(
    train: NameSet, test: NameSet, more_sets: Sequence[NameSet], seed: int, clusterer: Clusterer
) -> ScoresByRow:
    """Score all rows under one clusterer."""
    scores_by_row: ScoresByRow = {}
    for row, model in train_models(train, seed, clusterer).items():
        scores_by_row |= _score_on_both(row, model, [train], test)
    train_sets = [train, *more_sets]
    for row, more_row in MORE.items():
        model = train_sdc(row, train_sets, seed, clusterer=clusterer).to_model()
        scores_by_row |= _score_on_both(more_row, model, train_sets, test)
    soft_train, soft_test = with_soft_tfidf(train, train, test)
    soft_models = (
        uniform_model(soft_train, clusterer=clusterer),
        pairwise_model("L", soft_train, seed, clusterer),
        train_sdc(WARM, soft_train, seed, clusterer=clusterer).to_model(),
    )
    for row, model in zip(SOFT.values(), soft_models, strict=True):
        scores_by_row |= _score_on_both(row, model, [soft_train], soft_test)
    return scores_by_row


def train_models(train: NameSet, seed: int, clusterer: Clusterer) -> dict[str, Model]:
    """Return the models of uniform weights, LMR and the variants of SDC, by row."""
    return {
        UNIFORM: uniform_model(train, clusterer=clusterer),
        **{
            over: pairwise_model(classifier, train, seed, clusterer)
            for classifier, (_, over) in LMR.items()
        },
        **{row: train_sdc(row, train, seed, clusterer=clusterer).to_model() for row in VARIANTS},
    }


def _score_on_both(
    row: str, model: Model, train_sets: Sequence[NameSet], test: NameSet
) -> ScoresByRow:
    """Score a model on its training names and on the test names."""
    return {_training_row(row): _score(model, train_sets), row: _score(model, [test])}


def _score(model: Model, name_sets: Sequence[NameSet]) -> Scores:
    scores: Scores = macro(
        pair_scores,
        [name_set.truth for name_set in name_sets],
        model.predict([name_set.with_count for name_set in name_sets]),
    )
    return scores


def _training_row(row: str) -> str:
    return f"{row}, on training"
