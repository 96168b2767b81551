"""The scores of approaches on the halves of names: collected from cells, and compared."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coterie.metrics.significance import compare_all
from coterie.toolkit import Floats
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Entry, Table, p_text
from coterie_papers.sdc.cells import VERSION

KINDS = {"People": "person", "Locations": "location", "Organizations": "organization"}
"""The kinds of names: column → kind as cells have it."""

PRECISION, RECALL, F1 = range(3)

DATA = (
    "similar to the paper's. Its names from the New York Times were never released; these names "
    "are from GUM and ECB+, in sets of about 300 names of 131 to 214 entities."
)


class RunPlan(NamedTuple):
    """The runs of the tables.

    Parameters
    ----------
    pairs
        The pairs of sets that are used.
    n_runs
        The number of divisions of each pair of sets.
    n_fresh
        The number of divisions of the names of each other source.
    """

    pairs: tuple[int, ...]
    n_runs: int
    n_fresh: int


FULL = RunPlan(pairs=(1, 2, 3), n_runs=10, n_fresh=5)
QUICK = RunPlan(pairs=(1,), n_runs=1, n_fresh=1)


def plan_of(context: Context) -> RunPlan:
    """Return the runs of a quick or a full reproduction."""
    return QUICK if context.quick else FULL


def describe_results(plan: RunPlan) -> str:
    """Return a note on the results of which a figure is the mean."""
    n_pairs, n_runs = len(plan.pairs), plan.n_runs
    return (
        f"F1 of pairs in percent, mean over {2 * n_pairs * n_runs} results (pairs of sets: "
        f"{n_pairs}; runs of two-fold cross-validation per pair of sets: {n_runs}). Run 1 uses the "
        "two sets as they are. Each other run divides their names again, by entity. Items are in a "
        "random order, because names of one entity are often next to each other in the files."
    )


def p_note(reference: str) -> str:
    """Return a note on the p-values of a table that compares a reference row with other rows."""
    return (
        f"p: Wilcoxon's signed-rank test of “{reference}” against the row, over the results, with "
        "Holm's correction over the rows. The runs share their names, so the results are not "
        "independent and p is too small. The count after p: on how many of the pairs of sets "
        f"“{reference}” has the higher mean."
    )


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Precision, recall and F1 in percent, by row and kind of names.

    Each array has the shape (pairs of sets, results of a pair, 3), with two results per run, one
    per fold.
    """

    by_row: Mapping[str, Mapping[str, Floats]]

    @property
    def rows(self) -> list[str]:
        """The names of the rows."""
        return list(self.by_row)

    def mean(self, row: str, kind: str, measure: int = F1) -> float:
        """Return the mean of a measure over all results."""
        return float(self.by_row[row][kind][..., measure].mean())

    def means(self, row: str) -> dict[str, float]:
        """Return the mean F1 on each kind of names."""
        return {kind: self.mean(row, kind) for kind in self.by_row[row]}

    def f1(self, row: str, kind: str) -> Floats:
        """Return the F1 of all results, with one row per pair of sets."""
        return self.by_row[row][kind][..., F1]

    def select(self, rows: Iterable[str]) -> "FoldScores":
        """Return the scores of some rows."""
        return FoldScores({row: self.by_row[row] for row in rows})


def fold_scores(
    context: Context, table: str, compute: Callable[[Key, Path | None], Values]
) -> FoldScores:
    """Return the scores behind a table, from one cell per run; compute the missing cells."""
    plan = plan_of(context)
    keys: list[Key] = [
        {"table": table, "kind": kind, "pair": pair, "run": run, "version": VERSION}
        for kind in KINDS.values()
        for pair in plan.pairs
        for run in range(1, plan.n_runs + 1)
    ]
    folds_of_runs = [values["folds"] for values in context.run(keys, compute)]
    shape = (len(KINDS), len(plan.pairs), -1, 3)
    scores_by_row = {
        row: 100 * np.reshape([fold[row] for folds in folds_of_runs for fold in folds], shape)
        for row in folds_of_runs[0][0]
    }
    return FoldScores(
        {row: dict(zip(KINDS, scores, strict=True)) for row, scores in scores_by_row.items()}
    )


def comparison_table(title: str, reference: str, scores: FoldScores) -> Table:
    """Show by how much a reference row is better than each other row, and whether by chance."""
    others = [row for row in scores.rows if row != reference]
    entries: dict[str, dict[str, Entry]] = {row: {} for row in others}
    for kind in KINDS:
        notes = comparison_notes(scores, reference, others, kind)
        for row in others:
            difference = scores.mean(reference, kind) - scores.mean(row, kind)
            entries[row][kind] = Entry(difference, note=notes[row])
    return Table.from_rows(title, entries, notes=[p_note(reference)], data=DATA)


def comparison_notes(
    scores: FoldScores, reference: str, others: Sequence[str], kind: str
) -> dict[str, str]:
    """Return how a reference row compares with other rows, by F1.

    A note has Wilcoxon's p-value with Holm's correction, and the number of pairs of sets on which
    the reference has the higher mean.
    """
    f1 = scores.f1(reference, kind)
    comparisons = compare_all(-f1.ravel(), {row: -scores.f1(row, kind).ravel() for row in others})
    means = {row: scores.f1(row, kind).mean(axis=1) for row in others}
    return {
        row: f"{p_text(comparisons[row].p_value)}, "
        f"{int(np.sum(f1.mean(axis=1) > means[row]))} of {len(means[row])}"
        for row in others
    }
