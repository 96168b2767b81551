"""The results of learners in the comparison with other tools: means over splits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coterie.metrics import adjusted_rand_score, b_cubed, pair_scores
from coterie_papers.corpora.linkage import PEER_TABLES
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.partitions import partitions_of
from coterie_papers.engine.tables import Entry, Value
from coterie_papers.peers.cells import VERSION, compute_learner
from coterie_papers.peers.data import SEEDS
from coterie_papers.peers.methods import LOGISTIC, METHODS
from coterie_papers.peers.tools import ToolRun

PAIR_F1, B3, RAND, CLUSTERS, FIT, PREDICT = (
    "pair F1", "B³", "adjusted Rand", "clusters, true", "fit, s", "predict, s",
)  # fmt: skip
QUICK_TABLE = "restaurant"
"""The table of a quick run."""


class SplitResult(NamedTuple):
    """The result of one learner for one split."""

    pair_f1: float
    b_cubed: float
    rand: float
    n_clusters: int
    n_true: int
    fit_seconds: float
    predict_seconds: float
    choice: str

    @classmethod
    def of(cls, cell: Values) -> "SplitResult":
        """Measure the prediction in a cell."""
        truth, predicted = partitions_of([cell["truth"], cell["predicted"]])
        return cls(
            pair_scores(truth, predicted).f1,
            b_cubed(truth, predicted).f1,
            adjusted_rand_score(truth, predicted),
            predicted.n_clusters,
            truth.n_clusters,
            cell["fit"],
            cell["predict"],
            cell["chosen"],
        )


@dataclass(frozen=True)
class LearnerResult:
    """The results of one learner for all splits of one table."""

    splits: Sequence[SplitResult]

    def mean(self, name: str) -> float:
        """Return the mean over splits of a field of `SplitResult`."""
        return float(np.mean([getattr(split, name) for split in self.splits]))

    def row(self) -> dict[str, Value]:
        """Return the row of the learner in a table: means over splits."""
        return {
            PAIR_F1: self.mean("pair_f1"),
            B3: self.mean("b_cubed"),
            RAND: self.mean("rand"),
            CLUSTERS: f"{self.mean('n_clusters'):.0f}, {self.mean('n_true'):.0f}",
            FIT: f"{self.mean('fit_seconds'):.1f}",
            PREDICT: f"{self.mean('predict_seconds'):.1f}",
        }


def learner_results(context: Context) -> dict[str, dict[str, LearnerResult]]:
    """Return the result of each learner on each table; compute the missing cells."""
    tables, methods, seeds = requested_runs(context)
    # The learners on one split follow each other, so that a process compares its pairs once.
    keys: list[Key] = [
        {"data": data, "seed": seed, "method": method, "version": VERSION}
        for data in tables
        for seed in seeds
        for method in methods
    ]
    splits: dict[tuple[str, str], list[SplitResult]] = {}
    for key, values in zip(keys, context.run(keys, compute_learner), strict=True):
        data_and_method = str(key["data"]), str(key["method"])
        splits.setdefault(data_and_method, []).append(SplitResult.of(values))
    return {
        data: {method: LearnerResult(splits[data, method]) for method in methods} for data in tables
    }


def requested_runs(context: Context) -> tuple[Sequence[str], Sequence[str], Sequence[int]]:
    """Return the tables, the learners and the seeds of a quick or a full reproduction."""
    if context.quick:
        return (QUICK_TABLE,), (LOGISTIC,), SEEDS[:1]
    return PEER_TABLES, METHODS, SEEDS


def learner_row(method: str) -> str:
    """Return the name of the row of a learner.

    >>> learner_row("auto")
    'coterie, auto'
    """
    return f"coterie, {method}"


def tool_row(run: ToolRun, n_true: int) -> dict[str, Value | Entry]:
    """Return the row of another tool in a table."""
    return {
        PAIR_F1: tool_entry(run),
        B3: run.b_cubed,
        RAND: run.rand,
        CLUSTERS: f"{run.n_clusters}, {n_true}",
        FIT: _seconds_text(run.fit_seconds),
        PREDICT: _seconds_text(run.predict_seconds),
    }


def tool_entry(run: ToolRun) -> Entry:
    """Return the mean F1 of a tool, with the number of splits if it was not run on all."""
    return Entry(run.pair_f1, note=f"n = {run.n_splits}" if run.n_splits < len(SEEDS) else "")


def _seconds_text(value: float | None) -> str | None:
    return None if value is None else f"{value:.1f}"


def choice_rows(results: Mapping[str, LearnerResult]) -> dict[str, dict[str, str]]:
    """Return the choice of each learner in each split."""
    return {
        learner_row(method): {
            f"split {index}": split.choice for index, split in enumerate(result.splits)
        }
        for method, result in results.items()
    }
