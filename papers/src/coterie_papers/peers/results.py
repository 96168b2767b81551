"""What stands behind the rows of the comparison with other tools: means over splits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coterie.metrics import adjusted_rand_score, b_cubed, pair_scores
from coterie_papers.corpora.linkage import PEER_TABLES
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.partitions import partitions_of
from coterie_papers.engine.tables import Entry, Value
from coterie_papers.peers.cells import VERSION, tested
from coterie_papers.peers.data import SEEDS
from coterie_papers.peers.measured import Measured
from coterie_papers.peers.methods import LOGISTIC, METHODS

PAIR_F1, B3, RAND, CLUSTERS, FIT, PREDICT = (
    "pair F1", "B³", "adjusted Rand", "clusters, true", "fit, s", "predict, s",
)  # fmt: skip
QUICK_TABLE = "restaurant"
"""What a quick run takes: one split of it, and logistic regression."""


class Split(NamedTuple):
    """A learner on one split of a table."""

    pair_f1: float
    b_cubed: float
    rand: float
    n_clusters: int
    n_true: int
    fit: float
    predict: float
    chosen: str

    @classmethod
    def of(cls, cell: Values) -> "Split":
        """Measure what a cell predicted."""
        truth, found = partitions_of([cell["truth"], cell["predicted"]])
        return cls(
            pair_scores(truth, found).f1,
            b_cubed(truth, found).f1,
            adjusted_rand_score(truth, found),
            found.n_clusters,
            truth.n_clusters,
            cell["fit"],
            cell["predict"],
            cell["chosen"],
        )


@dataclass(frozen=True)
class Result:
    """A learner on a table: all its splits."""

    splits: Sequence[Split]

    def mean(self, name: str) -> float:
        """Return the mean over splits of a number by its name in `Split`."""
        return float(np.mean([getattr(each, name) for each in self.splits]))

    def row(self) -> dict[str, Value]:
        """Return what a table shows: means over splits."""
        return {
            PAIR_F1: self.mean("pair_f1"),
            B3: self.mean("b_cubed"),
            RAND: self.mean("rand"),
            CLUSTERS: f"{self.mean('n_clusters'):.0f}, {self.mean('n_true'):.0f}",
            FIT: f"{self.mean('fit'):.1f}",
            PREDICT: f"{self.mean('predict'):.1f}",
        }


def results_of(context: Context) -> dict[str, dict[str, Result]]:
    """Return what each learner reached on each table; missing cells are computed."""
    tables, methods, seeds = asked(context)
    # The learners on one split follow each other: a process compares its pairs once.
    keys: list[Key] = [
        {"data": data, "seed": seed, "method": method, "version": VERSION}
        for data in tables
        for seed in seeds
        for method in methods
    ]
    cells: dict[tuple[str, str], list[Split]] = {}
    for key, values in zip(keys, context.run(keys, tested), strict=True):
        cells.setdefault((str(key["data"]), str(key["method"])), []).append(Split.of(values))
    return {data: {method: Result(cells[data, method]) for method in methods} for data in tables}


def asked(context: Context) -> tuple[Sequence[str], Sequence[str], Sequence[int]]:
    """Return the tables, the learners and the seeds of a run."""
    if context.quick:
        return (QUICK_TABLE,), (LOGISTIC,), SEEDS[:1]
    return PEER_TABLES, METHODS, SEEDS


def ours(method: str) -> str:
    """Return what a learner of ours is called in a row.

    >>> ours("auto")
    'coterie, auto'
    """
    return f"coterie, {method}"


def tool_row(tool: Measured, n_true: int) -> dict[str, Value | Entry]:
    """Return what a table shows of another tool."""
    return {
        PAIR_F1: tool_entry(tool),
        B3: tool.b_cubed,
        RAND: tool.rand,
        CLUSTERS: f"{tool.n_clusters}, {n_true}",
        FIT: _seconds(tool.fit),
        PREDICT: _seconds(tool.predict),
    }


def tool_entry(tool: Measured) -> Entry:
    """Show the mean F1 of a tool, and of how many splits where these are not all."""
    return Entry(tool.pair_f1, note=f"n = {tool.n_splits}" * (tool.n_splits < len(SEEDS)))


def _seconds(value: float | None) -> str | None:
    return None if value is None else f"{value:.1f}"


def chosen_rows(results: Mapping[str, Result]) -> dict[str, dict[str, str]]:
    """Return what each learner chose in each split."""
    return {
        ours(method): {f"split {number}": each.chosen for number, each in enumerate(result.splits)}
        for method, result in results.items()
    }
