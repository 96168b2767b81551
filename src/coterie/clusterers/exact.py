"""Correlation clustering with proof: subsets, linear programs, branch and bound."""

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
"""Up to how many items all subsets are gone through, which is then faster than a program."""


@dataclass(frozen=True)
class Exact(PairClusterer):
    """Find the best partition for the correlation objective, and prove that none is better.

    Every component of positive pairs is solved on its own; absent pairs inside it score 0. A few
    items are solved by dynamic programming over their subsets, more by the linear relaxation with
    triangle and 2-partition inequalities (Grötschel & Wakabayashi 1990) and by branch and bound,
    with the partitions of `LocalSearch` to begin with.

    At the time limit, it returns the best partition found with the bound proved so far, as
    `bounded`. The problem is NP-hard: some hundreds of items are solved in seconds where the scores
    tell clusters well, but of pure noise only about 30. Among partitions of equal value, any one
    may be returned. Of a component of more than 2,000 items, the bound is only the sum of the
    positive scores.

    Parameters
    ----------
    time_limit
        Seconds for all components together, which share them by their numbers of pairs, small
        ones first; the local search is not counted. None stands for no limit.

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
        works = [float(len(part.items)) ** 2 for part in parts]
        deadline = deadline_after(self.time_limit)
        labelled, bound = [], 0.0
        for number, part in enumerate(parts):
            share = works[number] / sum(works[number:])
            labels, own = _best(part.scores, _earlier(deadline, share))
            labelled.append((part.items, labels))
            bound += own
        return self._solution(scores, Partition(combine_labels(labelled, scores.n_items)), bound)


def _earlier(deadline: float, share: float) -> float:
    """Return the time at which a share of what is left until the deadline has passed."""
    if deadline == inf:
        return inf
    now = perf_counter()
    return now + share * (deadline - now)


def _best(scores: PairScores, deadline: float) -> tuple[Ints, float]:
    """Find the best labels of one component, and a bound on their value."""
    if scores.n_items <= MAX_SUBSET_ITEMS:
        labels = _best_by_subsets(scores)
        return labels, Correlation().value(Partition(labels), scores)
    start = LocalSearch()(scores).labels
    if scores.n_items > MAX_PROGRAM_ITEMS:
        return start, float(scores.scores[scores.scores > 0.0].sum())
    lp = TriangleLP(scores.n_items, condensed_apart(scores))
    found = Branching(lp, scores.to_condensed(), partial(_rounded, scores)).run(start, deadline)
    return found.labels, found.bound


def _best_by_subsets(scores: PairScores) -> Ints:
    matrix = scores.to_matrix()
    if scores.apart is not None:
        first, second = scores.apart.T
        matrix[first, second] = matrix[second, first] = -np.inf
    labels: Ints = best_labels(matrix)
    return labels


def _rounded(scores: PairScores, relaxed: Floats) -> Ints:
    """Make a partition of a relaxed one, and move its items until none gains."""
    start = BallRounding(0.5)(relaxed, scores)
    return LocalSearch(start, sweeps=0)(scores).labels
