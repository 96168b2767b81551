"""What approaches reached on the halves of names, collected from cells, shown and compared."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coterie._arrays import Floats
from coterie.experiments._sdc_cells import VERSION
from coterie.experiments.cells import Context, Key, Values
from coterie.experiments.tables import Entry, Table, p_text
from coterie.metrics.significance import compare_all

KINDS = {"People": "person", "Locations": "location", "Organizations": "organization"}
PAIRS = (1, 2, 3)
N_RUNS = 10

PRECISION, RECALL, F1 = range(3)


@dataclass(frozen=True, eq=False)
class Results:
    """Precision, recall and F1 of each row on each kind of names, in percent.

    Of shape (pairs, results of a pair, 3): two results a run, one a fold.
    """

    of: Mapping[str, Mapping[str, Floats]]

    @property
    def rows(self) -> list[str]:
        """The names of the rows."""
        return list(self.of)

    def mean(self, row: str, kind: str, measure: int = F1) -> float:
        """Return the mean of a measure over all results."""
        return float(self.of[row][kind][..., measure].mean())

    def means(self, row: str) -> dict[str, float]:
        """Return the mean F1 on each kind."""
        return {kind: self.mean(row, kind) for kind in self.of[row]}

    def f1(self, row: str, kind: str) -> Floats:
        """Return the F1 of all results of a pair, for each pair."""
        return self.of[row][kind][..., F1]

    def only(self, rows: Iterable[str]) -> "Results":
        """Take some of the rows."""
        return Results({row: self.of[row] for row in rows})


def results_of(
    context: Context, table: str, compute: Callable[[Key, Path | None], Values]
) -> Results:
    """Return what stands behind a table; missing cells are computed, one for each run."""
    keys: list[Key] = [
        {"table": table, "kind": kind, "pair": pair, "run": run, "version": VERSION}
        for kind in KINDS.values()
        for pair in PAIRS
        for run in range(1, N_RUNS + 1)
    ]
    folds = [values["folds"] for values in context.run(keys, compute)]
    shape = (len(KINDS), len(PAIRS), -1, 3)
    found = {
        row: 100 * np.reshape([fold[row] for run in folds for fold in run], shape)
        for row in folds[0][0]
    }
    return Results({row: dict(zip(KINDS, values, strict=True)) for row, values in found.items()})


def against(title: str, ours: str, results: Results, notes: Sequence[str]) -> Table:
    """Show by how much one row is better than each other, and whether that is by chance."""
    others = [row for row in results.rows if row != ours]
    shown: dict[str, dict[str, Entry]] = {row: {} for row in others}
    for kind in KINDS:
        words = p_words(results, ours, others, kind)
        for row in others:
            apart = results.mean(ours, kind) - results.mean(row, kind)
            shown[row][kind] = Entry(apart, note=words[row])
    return Table.beside(title, shown, notes=notes)


def p_words(results: Results, ours: str, others: Sequence[str], kind: str) -> dict[str, str]:
    """Say how one row compares with others: Wilcoxon's p after Holm, and on how many pairs it wins.

    Its mean F1 is the higher one on so many of the pairs.
    """
    own = results.f1(ours, kind)
    found = compare_all(-own.ravel(), {row: -results.f1(row, kind).ravel() for row in others})
    means = {row: results.f1(row, kind).mean(axis=1) for row in others}
    return {
        row: f"{p_text(found[row].p_value)}, "
        f"{int(np.sum(own.mean(axis=1) > means[row]))} of {len(means[row])}"
        for row in others
    }
