"""Correlation clustering with a proof of optimality, by subsets or branch and bound."""

from dataclasses import dataclass
from functools import partial
from math import inf
from time import perf_counter
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.correlation.subsets import best_labels
from coterie._solvers.branching import Branching
from coterie._solvers.triangle_lp import TriangleLP
from coterie.clusterers._base import PairClusterer, Solution
from coterie.clusterers._pieces import combine_labels, pieces
from coterie.clusterers.local_search import LocalSearch
from coterie.clusterers.relaxation import (
    MAX_PROGRAM_ITEMS,
    condensed_apart,
    deadline_after,
    refuse_time_limit,
)
from coterie.clusterers.rounding import BallRounding
from coterie.objectives import Correlation
from coterie.pairs import PairScores
from coterie.partition import Partition

MAX_SUBSET_ITEMS = 15
"""Components of up to this size are solved over all subsets, which is faster than a program."""


@dataclass(frozen=True)
class Exact(PairClusterer):
    """Find the best partition for the correlation objective, and prove that none is better.

    Every connected component of the positive pairs is solved on its own; absent pairs inside it
    score 0. Components of up to 15 items are solved by dynamic programming over their subsets.
    Larger ones are solved by branch and bound over the linear relaxation with triangle and
    2-partition inequalities (Grötschel & Wakabayashi 1990), starting from the partition of
    `LocalSearch`.

    At the time limit, the solution is the best partition so far with the bound proved so far, and
    its status is `bounded`. The problem is NP-hard: with scores that separate clusters well, some
    hundreds of items are solved in seconds, but with scores that are pure noise only about 30. Of
    several optimal partitions any one may be returned. For a component of more than 2,000 items the
    bound is only the sum of the positive scores.

    Parameters
    ----------
    time_limit
        Seconds for all components together. Small components come first, and the time is shared in
        proportion to the number of pairs. The local search does not count. None means no limit.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, 2], [3, 0, -4], [2, -4, 0]])
    >>> Exact().solve(scores)
    Solution(partition=Partition([0, 0, 1]), value=3.0, bound=3.0, status='exact')
    """

    time_limit: float | None = 60.0

    maximises = Correlation
    costly = True
    keeps_apart: ClassVar[bool] = True

    def __post_init__(self) -> None:
        refuse_time_limit(self.time_limit)

    def _solve(self, scores: PairScores) -> Solution:
        parts = sorted(pieces(scores), key=lambda part: len(part.items))
        workloads = [float(len(part.items)) ** 2 for part in parts]
        deadline = deadline_after(self.time_limit)
        labelled, bound = [], 0.0
        for index, part in enumerate(parts):
            share = workloads[index] / sum(workloads[index:])
            labels, part_bound = _solve_component(part.scores, _share_of_time(deadline, share))
            labelled.append((part.items, labels))
            bound += part_bound
        return self._solution(scores, Partition(combine_labels(labelled, scores.n_items)), bound)


def _share_of_time(deadline: float, share: float) -> float:
    """Return an earlier deadline, after a share of the time that remains."""
    if deadline == inf:
        return inf
    now = perf_counter()
    return now + share * (deadline - now)


def _solve_component(scores: PairScores, deadline: float) -> tuple[Ints, float]:
    """Return the best labels of one component, and an upper bound on the value of any others."""
    if scores.n_items <= MAX_SUBSET_ITEMS:
        labels = _best_by_subsets(scores)
        return labels, Correlation().value(Partition(labels), scores)
    start = LocalSearch()(scores).labels
    if scores.n_items > MAX_PROGRAM_ITEMS:
        return start, float(scores.scores[scores.scores > 0.0].sum())
    lp = TriangleLP(scores.n_items, condensed_apart(scores))
    result = Branching(lp, scores.to_condensed(), partial(_round, scores)).run(start, deadline)
    return result.labels, result.bound


def _best_by_subsets(scores: PairScores) -> Ints:
    matrix = scores.to_matrix()
    if scores.apart is not None:
        first, second = scores.apart.T
        matrix[first, second] = matrix[second, first] = -np.inf
    labels: Ints = best_labels(matrix)
    return labels


def _round(scores: PairScores, relaxed: Floats) -> Ints:
    """Round a relaxed solution to a partition, and move items until no move raises the value."""
    start = BallRounding(0.5)(relaxed, scores)
    return LocalSearch(start, sweeps=0)(scores).labels
