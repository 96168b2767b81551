"""What all clusterers share: the call, the solution and the refusals."""

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
    """What a clusterer found, and what is proved about it.

    Parameters
    ----------
    partition
        The clusters.
    value
        The objective's value of the partition; NaN where the clusterer has no objective.
    bound
        A proven upper bound on the value of any partition (into as many clusters, where their
        number is asked for), or infinity.
    status
        `exact`: no partition is better; `bounded`: none is better than `bound`; `local`: nothing
        is proved.
    relaxed
        The n × n matrix that a relaxed solver found, before it was rounded to the partition.
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
        """How far the value may be from the best: `bound - value`."""
        return self.bound - self.value

    @cached_property
    def weights(self) -> Floats:
        """The weight of each pair in the relaxed matrix where there is one, else the partition."""
        objective, scores = self._maximised
        return objective.weights(self._clustering, scores)

    @cached_property
    def self_weights(self) -> Floats:
        """The weight of each item with itself, of the same."""
        objective, scores = self._maximised
        return objective.self_weights(self._clustering, scores)

    @property
    def _clustering(self) -> Partition | Relaxed:
        return self.partition if self.relaxed is None else self.relaxed

    @property
    def _maximised(self) -> tuple[Objective, PairScores]:
        if self.objective is None or self.scores is None:
            raise InputError(
                "the solution has no weights, because its clusterer maximises no objective; "
                "use one whose .objective is not None, such as Greedy"
            )
        return self.objective, self.scores


class PairClusterer(Value, ABC):
    """A frozen callable from `PairScores` to `Partition`."""

    maximises: ClassVar[type[Objective] | None] = None
    """The kind of its objective, if it has one."""
    keeps_apart: ClassVar[bool] = False
    """Whether the pairs of `PairScores.apart` are never joined; if not, they are refused."""
    relaxed: ClassVar[bool] = False
    """Whether solutions are relaxed, and training takes the weights of these."""
    costly: ClassVar[bool] = False
    """Whether `Greedy` is much cheaper, and finds as well what training can learn from."""

    @property
    def objective(self) -> Objective | None:
        """What the clusterer maximises, if anything."""
        return None if self.maximises is None else self.maximises()

    def __call__(self, scores: PairScores) -> Partition:
        """Partition the items."""
        self._refuse(scores)
        return self._partition(scores) if scores.n_items else Partition([])

    def solve(self, scores: PairScores) -> Solution:
        """Partition the items, and say how good that is."""
        self._refuse(scores)
        if not scores.n_items:
            return self._solution(scores, Partition([]), inf if self.objective is None else 0.0)
        return self._solve(scores)

    def partitions_at(self, scores: PairScores, thresholds: Floats) -> list[Partition]:
        """Partition the items by their scores less each of some thresholds."""
        return partition_one_by_one(self, scores, thresholds)

    @abstractmethod
    def _solve(self, scores: PairScores) -> Solution:
        """Solve for at least one item."""

    def _partition(self, scores: PairScores) -> Partition:
        """Partition at least one item."""
        return self._solve(scores).partition

    def _solution(
        self,
        scores: PairScores,
        partition: Partition,
        bound: float = inf,
        relaxed: Relaxed | None = None,
    ) -> Solution:
        """Value a partition: exact where it reaches the bound, up to rounding."""
        objective = self.objective
        value = nan if objective is None else objective.value(partition, scores)
        own = np.empty(0) if scores.diagonal is None else scores.diagonal
        stakes = np.concatenate([scores.scores, own])
        if bound - value <= rounding_tolerance(stakes, value):
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
                f"scores are of type {type(scores).__name__}; give PairScores, for a matrix S "
                "PairScores.from_matrix(S)"
            )
        if scores.apart is not None and not self.keeps_apart:
            names = clusterer_names(lambda member: member.keeps_apart)
            raise PairError(f"{type(self).__name__} cannot keep pairs apart; use {names}")


class HeuristicClusterer(PairClusterer):
    """A clusterer that proves nothing about its partition."""

    @abstractmethod
    def _labels(self, scores: PairScores) -> Ints:
        """Label at least one item."""

    def _partition(self, scores: PairScores) -> Partition:
        return Partition(self._labels(scores))

    def _solve(self, scores: PairScores) -> Solution:
        return self._solution(scores, self._partition(scores))


def require_n_clusters(n_clusters: int | None, scores: PairScores) -> int:
    """Take the number of clusters of the constructor, else of the item set; one must be given."""
    known = scores.n_clusters if n_clusters is None else n_clusters
    count = as_n_clusters(known, scores.n_items)
    if count is None:
        raise ItemSetError(
            "the number of clusters is not known; give n_clusters to the clusterer or the item "
            "set, as by ItemSet(items, n_clusters=k)"
        )
    return count
