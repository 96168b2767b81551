"""Structural SVMs by block-coordinate Frank-Wolfe."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats
from coterie.learners.structural.problem import Cut, Problem
from coterie.learners.structural.solvers import SolverBase, SolverRun

MAX_PASSES_WITHOUT_GAP = 10
"""The gap is measured after this number of passes at the latest."""


@dataclass(frozen=True)
class FrankWolfe(SolverBase):
    """Solve a structural SVM by block-coordinate Frank-Wolfe steps, with averaging.

    Lacoste-Julien, Jaggi, Schmidt & Pletscher 2013: each step moves one item set's part of coef
    towards the item set's worst partition, by the step size that raises the dual most. The average
    of the iterates, in which later ones weigh more, often has a smaller objective than the last
    one; the better of the two is kept. Measuring the gap takes a search in every item set, so it is
    measured only when a pass suggests that it is closed, and at least every ten passes.

    The solver keeps one vector per item set and no planes, so it suits many features; with few item
    sets and a large C the cutting planes of `OneSlack` need fewer searches.

    Parameters
    ----------
    tol
        The gap between objective and lower bound at which to stop, relative to the objective (or
        to C/1000, the objective at slacks of 0.001, if that is more).
    max_iter
        The largest number of passes over the item sets.
    nonnegative
        Whether to keep all weights at 0 or above (Finley & Joachims 2008, section 3.1).
    n_jobs
        The number of threads that measure the gap; the steps themselves are sequential.

    Examples
    --------
    >>> FrankWolfe(tol=0.01)
    FrankWolfe(tol=0.01, max_iter=1000, nonnegative=False, n_jobs=1)
    """

    tol: float = 1e-3
    max_iter: int = 1000

    def start(self, problem: Problem, random_state: int) -> "FrankWolfeRun":
        """Start a run on a problem; each pass visits the item sets in a random order."""
        return FrankWolfeRun(problem, self, as_whole("random_state", random_state))


class FrankWolfeRun(SolverRun):
    """A run of block-coordinate Frank-Wolfe.

    `_sums[i]` is (C/n) times a convex combination of gradients of item set i, `_losses[i]` is the
    same combination of their losses. `_total` is the sum of `_sums` over the item sets.
    """

    def __init__(self, problem: Problem, solver: FrankWolfe, random_state: int) -> None:
        super().__init__(problem, solver.tol, solver.max_iter, solver.n_jobs)
        self._rng = np.random.default_rng(random_state)
        self._nonnegative = solver.nonnegative
        self._sums = np.zeros((len(problem), problem.n_columns))
        self._losses = np.zeros(len(problem))
        self._total = np.zeros(problem.n_columns)
        self._average, self._average_loss = np.zeros(problem.n_columns), 0.0

    @property
    def n_planes(self) -> int:
        """One per item set: a convex combination of planes."""
        return len(self.problem)

    def _rescale(self, factor: float) -> None:
        self._sums *= factor
        self._losses *= factor
        self._total *= factor
        self.coef = self._as_coef(self._total)

    def _iterate(self) -> Iterator[bool]:
        self._average, self._average_loss = self._total.copy(), float(self._losses.sum())
        self._n_steps = 0
        passes_since_gap = 0
        for _ in range(self.max_iter):
            gap = sum(self._visit(int(i)) for i in self._rng.permutation(len(self.problem)))
            dual = self._dual_of(self._total, float(self._losses.sum()))
            self._dual = max(self._dual, dual)
            passes_since_gap += 1
            if gap <= self.tol * (dual + gap) or passes_since_gap == MAX_PASSES_WITHOUT_GAP:
                passes_since_gap = 0
                self._measure_gap()
            yield self._is_closed
            if self._is_closed:
                return
        self._measure_gap()
        yield self._is_closed

    def _visit(self, index: int) -> float:
        """Move an item set's part towards its worst partition; return its gap before the step."""
        start = perf_counter()
        cut = self.problem.oracles[index](self.coef)
        oracle_end = perf_counter()
        gap = self._move(index, cut)
        self._n_steps += 1
        share = 2.0 / (self._n_steps + 2)
        self._average += share * (self._total - self._average)
        self._average_loss += share * (float(self._losses.sum()) - self._average_loss)
        self._oracle_seconds += oracle_end - start
        self._program_seconds += perf_counter() - oracle_end
        self._n_calls += 1
        return gap

    def _move(self, index: int, cut: Cut) -> float:
        """Move an item set's part towards a cut by the best step; return the gap before the step.

        The dual is Σ losses − ½‖coef‖². Towards the cut its derivative is rise − direction·coef,
        which is the gap of the item set.
        """
        weight = self._C / len(self.problem)
        direction = weight * cut.gradient - self._sums[index]
        rise = weight * cut.loss - self._losses[index]
        gap = float(rise - direction @ self.coef)
        step = self._step(direction, rise)
        self._sums[index] += step * direction
        self._losses[index] += step * rise
        self._total += step * direction
        self.coef = self._as_coef(self._total)
        return max(gap, 0.0)

    def _step(self, direction: Floats, rise: float) -> float:
        """Return the step size between 0 and 1 that raises the dual most."""
        length = float(direction @ direction)
        if length == 0.0:
            return float(rise > 0)
        if not self._nonnegative:
            return float(np.clip((rise - direction @ self._total) / length, 0.0, 1.0))
        low, high = 0.0, 1.0
        for _ in range(50):  # the dual is concave, so bisection finds where its derivative is 0
            middle = 0.5 * (low + high)
            derivative = rise - direction @ self._as_coef(self._total + middle * direction)
            low, high = (middle, high) if derivative > 0 else (low, middle)
        return high if high == 1.0 else low

    def _as_coef(self, total: Floats) -> Floats:
        return np.maximum(total, 0.0) if self._nonnegative else total.copy()

    def _dual_of(self, total: Floats, loss: float) -> float:
        coef = self._as_coef(total)
        return float(loss - 0.5 * coef @ coef)

    def _measure_gap(self) -> None:
        """Call the oracles of all item sets at the last coef and at the average."""
        self._dual = max(self._dual, self._dual_of(self._average, self._average_loss))
        for coef in (self._as_coef(self._average), self.coef):
            self._update_best(coef, self._find_cuts(coef))
