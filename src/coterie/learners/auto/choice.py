"""The choice among candidates: the simplest of those that are as good as the best."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

from coterie._core.arrays import Floats
from coterie._types import Clusterer, Similarity
from coterie.learners.auto.text import format_table
from coterie.pairs import PairScores
from coterie.partition import Partition

MARGIN = 0.001
"""Differences of the metric up to this one count as ties."""

TIE = f"within {MARGIN:g} or one standard error of the best"
"""The rule of the choice in words."""


class Tried(NamedTuple):
    """A candidate and its results: a row of `AutoLearner.table_`.

    `clusterer`, `threshold` and `n_rounds` (rounds or passes) are those that were selected for this
    candidate on held-out item sets, and `mean` is the mean of the metric that they reached. With a
    single item set, `mean` is also an average over neighbouring thresholds. `standard_error` is
    that of the paired differences to the best candidate, over item sets (by the jackknife over
    clusters if there is a single item set); it is 0 for the best candidate.
    """

    name: str
    context: bool
    clusterer: Clusterer | None = None
    threshold: float | None = None
    n_rounds: int | None = None
    gamma: float | None = None
    mean: float | None = None
    standard_error: float | None = None
    seconds: float = 0.0
    status: str = "tried"


class HeldOutScores(NamedTuple):
    """Held-out scores of an item set; `set_index` is its index among all examples."""

    set_index: int
    truth: Partition
    scores: PairScores


class Result(NamedTuple):
    """The results of a candidate: the mean of the metric, and values that show its spread."""

    name: str
    mean: float
    values: Floats


@dataclass(frozen=True, eq=False, repr=False)
class ChosenLearner:
    """A learner that was chosen and fitted, with the comparison by which it was chosen.

    Parameters
    ----------
    similarity, clusterer
        The chosen similarity of given pair features, minus the threshold, and its clusterer.
    table
        The candidates, the simplest first.
    chosen
        The row of the chosen candidate.
    reason
        Why it was chosen.
    held_out
        The scores that the chosen candidate gave to the pairs of held-out entities, minus its
        threshold; empty if nothing was held out.
    seconds
        The seconds that learning took.
    """

    similarity: Similarity
    clusterer: Clusterer
    table: Sequence[Tried]
    chosen: Tried
    reason: str
    held_out: Sequence[HeldOutScores]
    seconds: float

    def __repr__(self) -> str:
        return f"ChosenLearner({self.chosen.name})"

    @property
    def name(self) -> str:
        """The name of the chosen candidate."""
        return self.chosen.name + (" with context" if self.chosen.context else "")

    def report(self) -> str:
        """Return the table of candidates, the choice and its reason as plain text."""
        return format_table(self.table, self.chosen, self.reason, self.seconds)


def choose_simplest(results: Sequence[Result], sign: float) -> tuple[int, str]:
    """Return the index of the simplest result that ties with the best one, and the reason.

    `results` are in the order of simplicity. `sign` is 1 if a higher metric is better, else −1.

    >>> import numpy as np
    >>> simple = Result("a", 0.90, np.array([0.89, 0.91]))
    >>> choose_simplest([simple, Result("b", 0.98, np.array([0.97, 0.99]))], 1.0)
    (1, 'it is the best, and no simpler one is within 0.001 or one standard error of it')
    """
    best = max(range(len(results)), key=lambda index: sign * results[index].mean)
    if best == 0:
        return 0, "it is the simplest, and no other is better"
    index = next(
        index for index, result in enumerate(results) if _ties(result, results[best], sign)
    )
    if index == best:
        return best, f"it is the best, and no simpler one is {TIE.removesuffix('the best')}it"
    return index, f"it is the simplest {TIE}, {results[best].name}"


def _ties(result: Result, best: Result, sign: float) -> bool:
    return is_tie(sign * (best.mean - result.mean), best.values - result.values)


def is_tie(gap: float, differences: Floats) -> bool:
    """Return whether a mean gap to the best is within one standard error, or within `MARGIN`.

    The standard error is that of the paired differences, because some item sets are harder than
    others for every candidate. A gap within `MARGIN` never justifies a less simple candidate,
    however small its standard error is.
    """
    return gap <= max(standard_error(differences), MARGIN)


def standard_error(values: Floats) -> float:
    """Return the standard error of a mean; 0 for a single value."""
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0


def sign_of(metric: Any) -> float:
    """Return 1 if a higher value of a metric is better, else −1."""
    return 1.0 if getattr(metric, "greater_is_better", True) else -1.0
