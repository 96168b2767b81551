"""A metric on one held-out item set, and how far it may be off."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from coterie._arrays import Ints
from coterie.learners._held_out import as_number
from coterie.learners._parts import part_of_each
from coterie.partition import Partition

N_GROUPS = 10
"""Of how many groups of clusters one is left out at a time."""


@dataclass(frozen=True, eq=False)
class Measure:
    """Measure predictions of one item set.

    Parameters
    ----------
    metric
        A metric of `coterie.metrics`.
    truth
        The correct partition.
    alone
        Whether there is no other item set to tell the error by. Then the jackknife does: with the
        true clusters in ten groups, J θ − (J − 1) θ₋ₖ are values whose mean is that of the metric,
        but for a bias that it takes off, and whose standard error is its own.

    Examples
    --------
    >>> from coterie.metrics import b_cubed
    >>> Measure(b_cubed, Partition([0, 0, 1, 1]), alone=False)(Partition([0, 0, 1, 1]))
    [1.0, 1.0]
    """

    metric: Callable[..., Any]
    truth: Partition
    alone: bool

    def __call__(self, predicted: Partition) -> list[float]:
        """Return the metric, and the values that tell its error."""
        whole = as_number(self.metric(self.truth, predicted))
        if not self.alone:
            return [whole, whole]
        less = [self._without(group, predicted) for group in range(N_GROUPS)]
        return [whole, *(N_GROUPS * whole - (N_GROUPS - 1) * each for each in less)]

    def _without(self, group: int, predicted: Partition) -> float:
        kept = self._groups != group
        left = Partition(self.truth.labels[kept])
        return as_number(self.metric(left, Partition(predicted.labels[kept])))

    @cached_property
    def _groups(self) -> Ints:
        return part_of_each(self.truth, N_GROUPS, random_state=0)
