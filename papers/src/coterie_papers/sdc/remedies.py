"""What SDC reaches on the names that it is trained on and on others, and what helps it."""

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
    pairwise,
    sdc,
    uniform,
)
from coterie_papers.sdc.cells import Fold, tested
from coterie_papers.sdc.data import Names, more_names, with_soft_tfidf
from coterie_papers.sdc.results import DATA, KINDS, Results, p_words, results_of

COMPLETE = CompleteLinkage()
MORE = {EQUAL: f"{EQUAL}, more names", WARM: f"{WARM}, more names"}
CLUSTERERS = {"Single linkage": SINGLE, "Complete linkage": COMPLETE}
SOFT = {row: f"{row}, with SoftTFIDF" for row in (UNIFORM, OVER_L, WARM)}
VARIANTS = (SDC, BY_F1, STARTS, EQUAL, WARM)
ROWS = [UNIFORM, *(over for _, over in LMR.values()), *VARIANTS, *MORE.values(), *SOFT.values()]

NOTE = (
    "In each place the F1 of the training names, then of the test names, and how the latter "
    "compares with that of uniform weights: p as in Figure 4, and on how many of the pairs of "
    "sets uniform weights are better. What SDC gains on the names that it is trained on, "
    "it hardly keeps on others: the number of entities, which is given, asks for more joins than "
    "names that look alike can serve, and what is joined beyond is chance. More names: with up to "
    "three more training sets of about 300 names of other entities, from the same sources; "
    "training F1 is the mean over sets. With SoftTFIDF: as one more feature."
)


def remedies(context: Context) -> list[Table]:
    """Show what SDC and its variants reach on training and on test names."""
    results = results_of(context, "remedies", cell)
    return [
        Table.from_rows(
            f"Not in the paper: what helps SDC, under {name.lower()}",
            _shown(results, name),
            notes=[NOTE],
            data=DATA,
        )
        for name in CLUSTERERS
    ]


def _shown(results: Results, name: str) -> Mapping[str, Mapping[str, Entry | Value]]:
    shown: dict[str, dict[str, Entry | Value]] = {row: {} for row in ROWS}
    ours = _at(name, UNIFORM)
    for kind in KINDS:
        words = p_words(results, ours, [_at(name, row) for row in ROWS if row != UNIFORM], kind)
        for row in ROWS:
            own = _at(name, row)
            both = (results.mean(each, kind) for each in (_on_training(own), own))
            shown[row][kind] = Entry(
                " → ".join(f"{f1:.1f}" for f1 in both), note=words.get(own, "")
            )
    return shown


def cell(key: Key, folder: Path | None) -> Values:
    """Test uniform weights, LMR and SDC with its remedies on training and test names."""

    def compute(train: Names, test: Names, seed: int) -> Fold:
        rng = np.random.default_rng([seed, int(key["pair"] or 0)])
        more = more_names(folder, key["kind"], (train, test), rng)  # type: ignore[arg-type]
        found: Fold = {}
        for name, clusterer in CLUSTERERS.items():
            reached = _reached(train, test, more, seed, clusterer)
            found |= {_at(name, row): scores for row, scores in reached.items()}
        return found

    return tested(key, folder, compute)


def _reached(
    train: Names, test: Names, more: Sequence[Names], seed: int, clusterer: Clusterer
) -> Fold:
    """Score all rows under one clusterer."""
    found: Fold = {}
    for row, model in trained(train, seed, clusterer).items():
        found |= _both(row, model, [train], test)
    for row, wider in MORE.items():
        wide = sdc(row, [train, *more], seed, clusterer=clusterer).to_model()
        found |= _both(wider, wide, [train, *more], test)
    known, unknown = with_soft_tfidf(train, train, test)
    richer = (
        uniform(known, clusterer=clusterer),
        pairwise("L", known, seed, clusterer),
        sdc(WARM, known, seed, clusterer=clusterer).to_model(),
    )
    for row, model in zip(SOFT.values(), richer, strict=True):
        found |= _both(row, model, [known], unknown)
    return found


def trained(train: Names, seed: int, clusterer: Clusterer) -> dict[str, Model]:
    """Return uniform weights, and what LMR and SDC learn from some names, by row."""
    return {
        UNIFORM: uniform(train, clusterer=clusterer),
        **{over: pairwise(each, train, seed, clusterer) for each, (_, over) in LMR.items()},
        **{row: sdc(row, train, seed, clusterer=clusterer).to_model() for row in VARIANTS},
    }


def _both(row: str, model: Model, train: Sequence[Names], test: Names) -> Fold:
    """Score a model on the names that it was trained on, and on the others."""
    return {_on_training(row): _scored(model, train), row: _scored(model, [test])}


def _scored(model: Model, sets: Sequence[Names]) -> Scores:
    found: Scores = macro(
        pair_scores,
        [names.truth for names in sets],
        model.predict([names.counted for names in sets]),
    )
    return found


def _at(clusterer: str, row: str) -> str:
    return f"{clusterer}: {row}"


def _on_training(row: str) -> str:
    return f"{row}, on training"
