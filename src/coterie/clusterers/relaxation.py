"""The linear relaxation C_R of correlation clustering, and its solver that stays warm."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from time import perf_counter
from typing import ClassVar

import numpy as np

from coterie._core.arguments import as_real
from coterie._core.arrays import Bools, Pairs, refuse_too_large
from coterie._solvers.triangle_lp import TriangleLP
from coterie.clusterers._base import PairClusterer, Solution
from coterie.clusterers._pieces import Piece, pieces
from coterie.clusterers.greedy import Greedy
from coterie.clusterers.rounding import BallRounding, Rounding
from coterie.exceptions import InputError, ItemSetError, PairError
from coterie.objectives import Correlation
from coterie.pairs import PairScores, condensed_positions, count_pairs


@dataclass(frozen=True)
class Relaxation(PairClusterer):
    """Solve the linear relaxation of correlation clustering, and round it.

    C_R of Finley & Joachims 2005, eq. 9 and 10: maximise Σ_{i<j} s_ij e_ij with 0 ≤ e ≤ 1 and
    e_ab + e_bc − 1 ≤ e_ac for each three items in all three roles (the paper prints the inequality
    of distances). Every component of positive pairs is a linear program of its own, in which
    absent pairs are variables of score 0; pairs across components are 0, apart pairs too. A
    component may have 2,000 items at most.

    The solution has the relaxed matrix, with 1 on the diagonal, and the bound that the multipliers
    of the triangles prove. Where several relaxed partitions are best, it is one of them: a true
    partition if one is found.

    Parameters
    ----------
    rounding
        Makes the partition of the relaxed matrix: `BallRounding` is the paper's C_R*,
        `SearchRounding` is never worse.
    time_limit
        Seconds after which to stop; the bound holds all the same, but the relaxed matrix may then
        violate triangles. None stands for no limit.

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
        if not callable(self.rounding):
            raise InputError(
                f"rounding is of type {type(self.rounding).__name__}; give one such as "
                "BallRounding()"
            )
        refuse_time_limit(self.time_limit)

    def warm(self) -> "WarmRelaxation":
        """Return a solver for one item set whose scores change."""
        return WarmRelaxation(self)

    def _solve(self, scores: PairScores) -> Solution:
        parts = pieces(scores)
        return self._rounded(scores, parts, map(_program, parts))

    def _rounded(
        self, scores: PairScores, parts: list[Piece], programs: Iterable[TriangleLP]
    ) -> Solution:
        """Solve each piece by its program, and round the whole."""
        deadline = deadline_after(self.time_limit)
        refuse_too_large(scores.n_items**2, f"the relaxed matrix of {scores.n_items:,} items")
        relaxed = np.eye(scores.n_items)
        bound = 0.0
        for part, program in zip(parts, programs, strict=True):
            start = Greedy()(part.scores).labels
            found = program.solve(part.scores.to_condensed(), start, deadline)
            relaxed[np.ix_(part.items, part.items)] = found.matrix
            bound += found.bound
        return self._solution(scores, self.rounding(relaxed, scores), bound, relaxed)


@dataclass(eq=False)
class WarmRelaxation(PairClusterer):
    """Solve the relaxation of one item set again and again, while only its scores change.

    Separated triangles and the basis stay from call to call, so that a cutting-plane training
    pays for little more than what has changed; the bound is that of `Relaxation`, the relaxed
    matrix one of the best, and the partition its rounding. It is no value: it remembers the set of
    its first call, and refuses any other. Since positive pairs come and go, its programs are the
    components of all listed pairs.

    Parameters
    ----------
    relaxation
        What to solve; `Relaxation().warm()` fills it in.

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
        self._known: PairScores | None = None
        self._programs: list[TriangleLP] = []

    def _solve(self, scores: PairScores) -> Solution:
        parts = pieces(scores, above=-inf)
        if self._known is None:
            self._known = scores
            self._programs = [_program(part) for part in parts]
        _refuse_other_set(self._known, scores)
        return self.relaxation._rounded(scores, parts, self._programs)  # noqa: SLF001


def _program(part: Piece) -> TriangleLP:
    if part.scores.n_items > MAX_PROGRAM_ITEMS:
        raise ItemSetError(
            f"{part.scores.n_items:,} items are connected, and a linear program of all their pairs "
            f"takes at most {MAX_PROGRAM_ITEMS:,}; use LocalSearch, or list fewer pairs"
        )
    return TriangleLP(part.scores.n_items, condensed_apart(part.scores))


def _refuse_other_set(known: PairScores, scores: PairScores) -> None:
    same = (
        scores.n_items == known.n_items
        and _alike(scores.listed, known.listed)
        and _alike(scores.apart, known.apart)
    )
    if not same:
        raise PairError(
            f"the first call was for {known}, this one is for {scores} of other pairs or items; "
            "take a new solver, by Relaxation().warm(), for each item set"
        )


def _alike(one: Pairs | None, other: Pairs | None) -> bool:
    if one is None or other is None:
        return one is other
    return one is other or np.array_equal(one, other)


MAX_PROGRAM_ITEMS = 2000
"""Up to how many items a component fits in a linear program of all its pairs."""


def condensed_apart(scores: PairScores) -> Bools:
    """Say of all pairs in condensed order which must be apart."""
    apart = np.zeros(count_pairs(scores.n_items), np.bool_)
    if scores.apart is not None:
        apart[condensed_positions(scores.apart, scores.n_items)] = True
    return apart


def refuse_time_limit(time_limit: float | None) -> None:
    """Check a number of seconds; None stands for no limit."""
    if time_limit is not None:
        as_real("time_limit", time_limit)


def deadline_after(seconds: float | None) -> float:
    """Return the time of `perf_counter` at which a limit ends."""
    return inf if seconds is None else perf_counter() + seconds
