"""What approaches reached on the halves of names, collected from cells, shown and compared."""

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
PRECISION, RECALL, F1 = range(3)

DATA = (
    "near the paper's, whose names from the New York Times were never released: names of GUM and "
    "ECB+, in sets of about 300 of 131 to 214 entities."
)


class Protocol(NamedTuple):
    """Which pairs of sets there are, how often each is divided, and names of other sources are."""

    pairs: tuple[int, ...]
    n_runs: int
    n_fresh: int


FULL = Protocol(pairs=(1, 2, 3), n_runs=10, n_fresh=5)
QUICK = Protocol(pairs=(1,), n_runs=1, n_fresh=1)


def protocol_of(context: Context) -> Protocol:
    """Return how much is to be run."""
    return QUICK if context.quick else FULL


def described(protocol: Protocol) -> str:
    """Say what stands behind a figure."""
    n_pairs, n_runs = len(protocol.pairs), protocol.n_runs
    return (
        f"F1 of pairs in percent, mean over {2 * n_pairs * n_runs} results (pairs of sets: "
        f"{n_pairs}; runs of two-fold cross-validation with each: {n_runs}). Run 1 takes the two "
        "sets as they are, others divide their names anew by entity. Items are in a random order, "
        "as they would else lie beside others of their entity."
    )


P_NOTE = (
    "p: Wilcoxon's signed-rank test over the results, corrected after Holm over the rows; the "
    "runs share their names, so that the results are not independent and p is too small. After it "
    "stands on how many of the pairs of sets the mean is better."
)


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
    protocol = protocol_of(context)
    keys: list[Key] = [
        {"table": table, "kind": kind, "pair": pair, "run": run, "version": VERSION}
        for kind in KINDS.values()
        for pair in protocol.pairs
        for run in range(1, protocol.n_runs + 1)
    ]
    folds = [values["folds"] for values in context.run(keys, compute)]
    shape = (len(KINDS), len(protocol.pairs), -1, 3)
    found = {
        row: 100 * np.reshape([fold[row] for run in folds for fold in run], shape)
        for row in folds[0][0]
    }
    return Results({row: dict(zip(KINDS, values, strict=True)) for row, values in found.items()})


def against(title: str, ours: str, results: Results) -> Table:
    """Show by how much one row is better than each other, and whether that is by chance."""
    others = [row for row in results.rows if row != ours]
    shown: dict[str, dict[str, Entry]] = {row: {} for row in others}
    for kind in KINDS:
        words = p_words(results, ours, others, kind)
        for row in others:
            apart = results.mean(ours, kind) - results.mean(row, kind)
            shown[row][kind] = Entry(apart, note=words[row])
    return Table.from_rows(title, shown, notes=[P_NOTE], data=DATA)


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
