"""A metric on one held-out item set, with an estimate of its standard error."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from coterie._core.arrays import Bools, Ints
from coterie.learners.parts import as_metric_value, assign_parts
from coterie.metrics.contingency import contingency
from coterie.partition import Partition

N_GROUPS = 10
"""Number of groups of true clusters that the jackknife leaves out in turn."""


@dataclass(frozen=True, eq=False)
class Measure:
    """A function that measures predictions of one item set.

    Parameters
    ----------
    metric
        A metric of `coterie.metrics`.
    truth
        The correct partition.
    is_single
        Whether this is the only item set, so that there is no spread over item sets. Then the
        jackknife estimates the standard error: true clusters are divided into J = 10 groups, θ₋ₖ
        is the metric without group k, and the pseudo-values J θ − (J − 1) θ₋ₖ are treated as J
        independent measurements of the metric θ (Tukey 1958).

    Examples
    --------
    >>> from coterie.metrics import b_cubed
    >>> Measure(b_cubed, Partition([0, 0, 1, 1]), is_single=False)(Partition([0, 0, 1, 1]))
    [1.0, 1.0]
    """

    metric: Callable[..., Any]
    truth: Partition
    is_single: bool

    def __call__(self, predicted: Partition) -> list[float]:
        """Return the metric, then the values whose spread gives its standard error."""
        value = as_metric_value(self.metric(self.truth, predicted))
        if not self.is_single:
            return [value, value]
        if hasattr(self.metric, "from_table"):
            partial_values = self._leave_out_of_table(predicted)
        else:
            partial_values = self._leave_out_items(predicted)
        return [value, *(N_GROUPS * value - (N_GROUPS - 1) * part for part in partial_values)]

    def _leave_out_of_table(self, predicted: Partition) -> list[float]:
        """Return the metric without each group, computed from rows of the contingency table."""
        table, groups = contingency(self.truth, predicted), self._cluster_groups
        from_table = cast("Any", self.metric).from_table
        return [
            as_metric_value(from_table(table.of_truths(groups != group)))
            for group in range(N_GROUPS)
        ]

    def _leave_out_items(self, predicted: Partition) -> list[float]:
        """Return the metric without each group, computed from the other items."""
        return [
            self._measure_without(self._groups == group, predicted) for group in range(N_GROUPS)
        ]

    def _measure_without(self, left_out: Bools, predicted: Partition) -> float:
        truth = Partition(self.truth.labels[~left_out])
        return as_metric_value(self.metric(truth, Partition(predicted.labels[~left_out])))

    @cached_property
    def _groups(self) -> Ints:
        """The group of each item."""
        return assign_parts(self.truth, N_GROUPS, random_state=0)

    @cached_property
    def _cluster_groups(self) -> Ints:
        return self._groups[[members[0] for members in self.truth.clusters]]
