"""A metric on one held-out item set, and how far it may be off."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from coterie._core.arrays import Bools, Ints
from coterie.learners.parts import as_metric_value, assign_parts
from coterie.metrics.contingency import contingency
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
        whole = as_metric_value(self.metric(self.truth, predicted))
        if not self.alone:
            return [whole, whole]
        less = self._by_tables if hasattr(self.metric, "from_table") else self._by_items
        return [whole, *(N_GROUPS * whole - (N_GROUPS - 1) * each for each in less(predicted))]

    def _by_tables(self, predicted: Partition) -> list[float]:
        """Leave true clusters out of the one table that a metric is computed from."""
        table, groups = contingency(self.truth, predicted), self._groups_of_clusters
        from_table = cast("Any", self.metric).from_table
        return [
            as_metric_value(from_table(table.of_truths(groups != own))) for own in range(N_GROUPS)
        ]

    def _by_items(self, predicted: Partition) -> list[float]:
        """Leave items out, for any other metric."""
        return [self._without(self._groups == own, predicted) for own in range(N_GROUPS)]

    def _without(self, left_out: Bools, predicted: Partition) -> float:
        left = [Partition(each.labels[~left_out]) for each in (self.truth, predicted)]
        return as_metric_value(self.metric(*left))

    @cached_property
    def _groups(self) -> Ints:
        """The group of each item."""
        return assign_parts(self.truth, N_GROUPS, random_state=0)

    @cached_property
    def _groups_of_clusters(self) -> Ints:
        return self._groups[[members[0] for members in self.truth.clusters]]
