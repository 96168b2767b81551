"""Base classes of clusterers, and the solutions that they return."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, nan
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from coterie._core.arrays import Floats, Ints, rounding_tolerance
from coterie._core.values import Value
from coterie._types import Objective, Relaxed
from coterie.clusterers.family import clusterer_names
from coterie.clusterers.thresholds import partition_one_by_one
from coterie.exceptions import InputError, ItemSetError, PairError
from coterie.pairs import PairScores, as_n_clusters
from coterie.partition import Partition

Status: TypeAlias = Literal["exact", "bounded", "local"]


@dataclass(frozen=True, eq=False)
class Solution:
    """The partition that a clusterer found, and the bound that it proved.

    Parameters
    ----------
    partition
        The partition.
    value
        The value of the partition under the objective of the clusterer, or NaN without one.
    bound
        A proven upper bound on the value of any partition (with a fixed number of clusters: of any
        partition into this number of clusters), or infinity.
    status
        `exact`: no partition has a higher value; `bounded`: no partition has a higher value than
        `bound`; `local`: nothing is proved.
    relaxed
        The n × n matrix of a relaxed solution, before it was rounded to the partition.
    """

    partition: Partition
    value: float
    bound: float = inf
    status: Status = "local"
    relaxed: Relaxed | None = field(default=None, repr=False)
    objective: Objective | None = field(default=None, repr=False, kw_only=True)
    scores: PairScores | None = field(default=None, repr=False, kw_only=True)

    @property
    def gap(self) -> float:
        """The largest possible distance of the value from the optimum: `bound - value`."""
        return self.bound - self.value

    @cached_property
    def weights(self) -> Floats:
        """The weight of each pair in the relaxed matrix if there is one, else in the partition."""
        objective, scores = self._objective_and_scores
        return objective.weights(self._clustering, scores)

    @cached_property
    def self_weights(self) -> Floats:
        """The weight of each item with itself, in the relaxed matrix or else in the partition."""
        objective, scores = self._objective_and_scores
        return objective.self_weights(self._clustering, scores)

    @property
    def _clustering(self) -> Partition | Relaxed:
        return self.partition if self.relaxed is None else self.relaxed

    @property
    def _objective_and_scores(self) -> tuple[Objective, PairScores]:
        if self.objective is None or self.scores is None:
            raise InputError(
                "the solution has no weights, because its clusterer maximises no objective; "
                "use a clusterer whose .objective is not None, such as Greedy"
            )
        return self.objective, self.scores


class PairClusterer(Value, ABC):
    """A frozen callable from `PairScores` to `Partition`."""

    maximises: ClassVar[type[Objective] | None] = None
    """The class of its objective, or None if it maximises no objective."""
    keeps_apart: ClassVar[bool] = False
    """True if it supports cannot-link pairs (`PairScores.apart`); otherwise it refuses them."""
    relaxed: ClassVar[bool] = False
    """True if its solutions are relaxed; training then uses the weights of the relaxed matrix."""
    costly: ClassVar[bool] = False
    """True if `Greedy` is much cheaper, and good enough for most steps of training."""

    @property
    def objective(self) -> Objective | None:
        """The objective that the clusterer maximises, or None."""
        return None if self.maximises is None else self.maximises()

    def __call__(self, scores: PairScores) -> Partition:
        """Partition the items."""
        self._refuse(scores)
        return self._partition(scores) if scores.n_items else Partition([])

    def solve(self, scores: PairScores) -> Solution:
        """Partition the items, and return the partition with its value and a bound."""
        self._refuse(scores)
        if not scores.n_items:
            return self._solution(scores, Partition([]), inf if self.objective is None else 0.0)
        return self._solve(scores)

    def partitions_at(self, scores: PairScores, thresholds: Floats) -> list[Partition]:
        """Return one partition per threshold, each by the scores minus the threshold."""
        return partition_one_by_one(self, scores, thresholds)

    @abstractmethod
    def _solve(self, scores: PairScores) -> Solution:
        """Return the solution for scores of at least one item."""

    def _partition(self, scores: PairScores) -> Partition:
        """Return the partition for scores of at least one item."""
        return self._solve(scores).partition

    def _solution(
        self,
        scores: PairScores,
        partition: Partition,
        bound: float = inf,
        relaxed: Relaxed | None = None,
    ) -> Solution:
        """Return a partition as a solution, with its value and its status."""
        objective = self.objective
        value = nan if objective is None else objective.value(partition, scores)
        self_scores = np.empty(0) if scores.diagonal is None else scores.diagonal
        all_scores = np.concatenate([scores.scores, self_scores])
        # A value that reaches the bound up to rounding errors is optimal.
        if bound - value <= rounding_tolerance(all_scores, value):
            bound = max(bound, value)
            status: Status = "exact"
        else:
            status = "local" if bound == inf else "bounded"
        return Solution(
            partition, value, bound, status, relaxed, objective=objective, scores=scores
        )

    def _refuse(self, scores: PairScores) -> None:
        if not isinstance(scores, PairScores):
            raise InputError(
                f"scores are of type {type(scores).__name__}; give PairScores, such as "
                "PairScores.from_matrix(S) for a matrix S"
            )
        if scores.apart is not None and not self.keeps_apart:
            names = clusterer_names(lambda member: member.keeps_apart)
            raise PairError(
                f"{type(self).__name__} does not support cannot-link pairs; use {names}"
            )


class HeuristicClusterer(PairClusterer):
    """A clusterer that proves nothing about the value of its partition."""

    @abstractmethod
    def _labels(self, scores: PairScores) -> Ints:
        """Return one label per item, for scores of at least one item."""

    def _partition(self, scores: PairScores) -> Partition:
        return Partition(self._labels(scores))

    def _solve(self, scores: PairScores) -> Solution:
        return self._solution(scores, self._partition(scores))


def require_n_clusters(n_clusters: int | None, scores: PairScores) -> int:
    """Return `n_clusters`, or if it is None that of the scores; raise an error if both are None."""
    requested = scores.n_clusters if n_clusters is None else n_clusters
    count = as_n_clusters(requested, scores.n_items)
    if count is None:
        raise ItemSetError(
            "the number of clusters is not known; give n_clusters to the clusterer, or to the item "
            "set: ItemSet(items, n_clusters=k)"
        )
    return count
