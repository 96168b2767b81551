"""The linear relaxation C_R of correlation clustering, and a solver with warm starts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from time import perf_counter
from typing import ClassVar

import numpy as np

from coterie._core.arguments import as_real, refuse_uncallable
from coterie._core.arrays import Bools, Pairs, refuse_too_large
from coterie._solvers.triangle_lp import TriangleLP
from coterie.clusterers._base import PairClusterer, Solution
from coterie.clusterers._pieces import Piece, pieces
from coterie.clusterers.greedy import Greedy
from coterie.clusterers.rounding import BallRounding, Rounding
from coterie.exceptions import ItemSetError, PairError
from coterie.objectives import Correlation
from coterie.pairs import PairScores, condensed_positions, count_pairs


@dataclass(frozen=True)
class Relaxation(PairClusterer):
    """Solve the linear relaxation of correlation clustering, and round it to a partition.

    This is C_R of Finley & Joachims 2005, eq. 9 and 10: maximise Σ_{i<j} s_ij e_ij subject to
    0 ≤ e ≤ 1 and e_ab + e_bc − 1 ≤ e_ac, for any three items in all three roles (the paper prints
    the triangle inequality of distances). Every connected component of the positive pairs is a
    linear program of its own, with at most 2,000 items. Absent pairs inside it are variables of
    score 0. Pairs across components, and cannot-link pairs, are fixed to 0.

    The solution contains the relaxed matrix, with 1 on its diagonal, and the bound that the
    multipliers of the triangle inequalities prove. If several relaxed matrices are optimal, it is
    one of them, and a partition if the solver finds one.

    Parameters
    ----------
    rounding
        Turns the relaxed matrix into a partition: `BallRounding` is the paper's C_R*, and
        `SearchRounding` is never worse.
    time_limit
        Seconds after which to stop. The bound is then still valid, but the relaxed matrix may
        violate triangle inequalities. None means no limit.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, 2], [3, 0, -4], [2, -4, 0]])
    >>> Relaxation().solve(scores)
    Solution(partition=Partition([0, 0, 1]), value=3.0, bound=3.0, status='exact')
    """

    rounding: Rounding = field(default_factory=BallRounding)
    time_limit: float | None = None

    maximises = Correlation
    relaxed = costly = True
    keeps_apart: ClassVar[bool] = True

    def __post_init__(self) -> None:
        refuse_uncallable("rounding", self.rounding, 2, "BallRounding()")
        refuse_time_limit(self.time_limit)

    def warm(self) -> "WarmRelaxation":
        """Return a solver for repeated use on one item set, while only its scores change."""
        return WarmRelaxation(self)

    def _solve(self, scores: PairScores) -> Solution:
        parts = pieces(scores)
        return self._solve_and_round(scores, parts, map(_program, parts))

    def _solve_and_round(
        self, scores: PairScores, parts: list[Piece], programs: Iterable[TriangleLP]
    ) -> Solution:
        """Solve the program of each piece, and round the relaxed matrix of all items."""
        deadline = deadline_after(self.time_limit)
        refuse_too_large(scores.n_items**2, f"the relaxed matrix of {scores.n_items:,} items")
        relaxed = np.eye(scores.n_items)
        bound = 0.0
        for part, program in zip(parts, programs, strict=True):
            start = Greedy()(part.scores).labels
            part_solution = program.solve(part.scores.to_condensed(), start, deadline)
            relaxed[np.ix_(part.items, part.items)] = part_solution.matrix
            bound += part_solution.bound
        return self._solution(scores, self.rounding(relaxed, scores), bound, relaxed)


@dataclass(eq=False)
class WarmRelaxation(PairClusterer):
    """Solve the relaxation of one item set repeatedly, while only its scores change.

    The violated triangles found so far, and the basis of the program, are kept between calls, so
    that each round of cutting-plane training is fast. The solutions are as good as those of
    `Relaxation`. Unlike other clusterers it has a state: it remembers the item set of its first
    call, and refuses any other. Its programs are the components of all scored pairs, because the
    positive pairs change between calls.

    Parameters
    ----------
    relaxation
        The relaxation to solve; `Relaxation().warm()` fills it in.

    Examples
    --------
    >>> solver = Relaxation().warm()
    >>> scores = PairScores.from_matrix([[0, 3, 2], [3, 0, -4], [2, -4, 0]])
    >>> solver.solve(scores).value, solver.solve(scores.plus([0, 2, 0])).value
    (3.0, 4.0)
    """

    relaxation: Relaxation

    maximises = Correlation
    keeps_apart: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._first_scores: PairScores | None = None
        self._programs: list[TriangleLP] = []

    def _solve(self, scores: PairScores) -> Solution:
        parts = pieces(scores, above=-inf)
        if self._first_scores is None:
            self._first_scores = scores
            self._programs = [_program(part) for part in parts]
        _refuse_other_set(self._first_scores, scores)
        return self.relaxation._solve_and_round(scores, parts, self._programs)  # noqa: SLF001


def _program(part: Piece) -> TriangleLP:
    if part.scores.n_items > MAX_PROGRAM_ITEMS:
        raise ItemSetError(
            f"{part.scores.n_items:,} items are connected by positive pairs, but a linear program "
            f"takes at most {MAX_PROGRAM_ITEMS:,}; use LocalSearch, or fewer candidate pairs"
        )
    return TriangleLP(part.scores.n_items, condensed_apart(part.scores))


def _refuse_other_set(first: PairScores, scores: PairScores) -> None:
    is_same_set = (
        scores.n_items == first.n_items
        and _are_equal(scores.listed, first.listed)
        and _are_equal(scores.apart, first.apart)
    )
    if not is_same_set:
        raise PairError(
            f"the solver was first called with {first}, but now with {scores}, which has other "
            "items or pairs; create a solver with Relaxation().warm() for each item set"
        )


def _are_equal(first: Pairs | None, second: Pairs | None) -> bool:
    if first is None or second is None:
        return first is second
    return first is second or np.array_equal(first, second)


MAX_PROGRAM_ITEMS = 2000
"""The largest number of items in a component that is solved as a linear program."""


def condensed_apart(scores: PairScores) -> Bools:
    """Mark the cannot-link pairs among all pairs in condensed order."""
    apart = np.zeros(count_pairs(scores.n_items), np.bool_)
    if scores.apart is not None:
        apart[condensed_positions(scores.apart, scores.n_items)] = True
    return apart


def refuse_time_limit(time_limit: float | None) -> None:
    """Refuse a time limit that is not a number of seconds or None."""
    if time_limit is not None:
        as_real("time_limit", time_limit)


def deadline_after(seconds: float | None) -> float:
    """Return the time of `perf_counter` at which a time limit is reached."""
    return inf if seconds is None else perf_counter() + seconds
