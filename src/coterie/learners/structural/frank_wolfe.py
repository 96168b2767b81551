"""Structural SVMs by block-coordinate Frank-Wolfe."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats
from coterie.learners.structural.problem import Cut, Problem
from coterie.learners.structural.solvers import SolverBase, SolverRun

EVERY = 10
"""The gap is measured after so many passes at the latest."""


@dataclass(frozen=True)
class FrankWolfe(SolverBase):
    """Solve a structural SVM by block-coordinate Frank-Wolfe steps, with averaging.

    Lacoste-Julien, Jaggi, Schmidt & Pletscher 2013: an item set's part of coef moves towards its
    worst partition, by the step that raises the dual most. The average of the iterates, weighted by
    their number, often has a smaller objective than the last; the better of the two is kept. The
    gap takes a look at all item sets, and is measured when a pass suggests that it is closed.

    It keeps one vector an item set and no planes, so it suits many features; with few item sets and
    a large C the cutting planes of `OneSlack` need fewer searches.

    Parameters
    ----------
    tol
        The gap between objective and lower bound at which to stop, as a share of the objective (or
        of C/1000, the objective at slacks of 0.001, where that is more).
    max_iter
        After how many passes over the item sets to stop.
    nonnegative
        Whether to keep all weights at 0 or above (Finley & Joachims 2008, section 3.1).
    n_jobs
        Number of threads that measure the gap; the steps are one after another.

    Examples
    --------
    >>> FrankWolfe(tol=0.01)
    FrankWolfe(tol=0.01, max_iter=1000, nonnegative=False, n_jobs=1)
    """

    tol: float = 1e-3
    max_iter: int = 1000

    def start(self, problem: Problem, random_state: int) -> "FrankWolfeRun":
        """Begin to work on a problem; item sets are visited in an order drawn for each pass."""
        return FrankWolfeRun(problem, self, as_whole("random_state", random_state))


class FrankWolfeRun(SolverRun):
    """Block-coordinate Frank-Wolfe at work.

    `sums[i]` is (C/n) times a mixture of the gradients of item set i, `losses[i]` of its losses.
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
        """One mixture of planes an item set."""
        return len(self.problem)

    def _rescale(self, factor: float) -> None:
        self._sums *= factor
        self._losses *= factor
        self._total *= factor
        self.coef = self._made(self._total)

    def _iterate(self) -> Iterator[bool]:
        self._average, self._average_loss = self._total.copy(), float(self._losses.sum())
        self._n_steps = 0
        since = 0
        for _ in range(self.max_iter):
            gap = sum(self._visit(int(i)) for i in self._rng.permutation(len(self.problem)))
            dual = self._dual_of(self._total, float(self._losses.sum()))
            self._dual = max(self._dual, dual)
            since += 1
            if gap <= self.tol * (dual + gap) or since == EVERY:
                since = 0
                self._measure()
            yield self._closed
            if self._closed:
                return
        self._measure()
        yield self._closed

    def _visit(self, number: int) -> float:
        """Move an item set's mixture towards its worst partition; return what its gap was."""
        start = perf_counter()
        cut = self.problem.oracles[number](self.coef)
        middle = perf_counter()
        gap = self._move(number, cut)
        self._n_steps += 1
        share = 2.0 / (self._n_steps + 2)
        self._average += share * (self._total - self._average)
        self._average_loss += share * (float(self._losses.sum()) - self._average_loss)
        self._oracle_seconds += middle - start
        self._program_seconds += perf_counter() - middle
        self._n_calls += 1
        return gap

    def _move(self, number: int, cut: Cut) -> float:
        weight = self._C / len(self.problem)
        direction = weight * cut.gradient - self._sums[number]
        rise = weight * cut.loss - self._losses[number]
        gap = float(rise - direction @ self.coef)
        step = self._step(direction, rise)
        self._sums[number] += step * direction
        self._losses[number] += step * rise
        self._total += step * direction
        self.coef = self._made(self._total)
        return max(gap, 0.0)

    def _step(self, direction: Floats, rise: float) -> float:
        """Return the step from 0 to 1 along which the dual rises most."""
        length = float(direction @ direction)
        if length == 0.0:
            return float(rise > 0)
        if not self._nonnegative:
            return float(np.clip((rise - direction @ self._total) / length, 0.0, 1.0))
        low, high = 0.0, 1.0
        for _ in range(50):  # the slope falls along the way: halve until it is 0
            middle = 0.5 * (low + high)
            slope = rise - direction @ self._made(self._total + middle * direction)
            low, high = (middle, high) if slope > 0 else (low, middle)
        return high if high == 1.0 else low

    def _made(self, total: Floats) -> Floats:
        return np.maximum(total, 0.0) if self._nonnegative else total.copy()

    def _dual_of(self, total: Floats, loss: float) -> float:
        coef = self._made(total)
        return float(loss - 0.5 * coef @ coef)

    def _measure(self) -> None:
        """Look at all item sets with the last coef and with the average."""
        self._dual = max(self._dual, self._dual_of(self._average, self._average_loss))
        for coef in (self._made(self._average), self.coef):
            self._consider(coef, self._cuts(coef))
