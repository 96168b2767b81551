"""Structural SVMs by cutting planes, with one slack per item set or one slack for all."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from time import perf_counter

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats
from coterie._solvers.working_set import WorkingSet
from coterie.learners.structural.problem import Cuts, Problem
from coterie.learners.structural.solvers import SolverBase, SolverRun

MAX_CHEAP_PLANES = 50
"""The largest number of consecutive planes from cached cuts or cheap oracles."""

MAX_IDLE = 50
"""The number of solutions without weight after which a plane is dropped."""


class PlaneRun(SolverRun):
    """A run that keeps its planes in a working set."""

    planes: WorkingSet

    def _solve_planes(self, tol: float) -> None:
        start = perf_counter()
        self.planes.solve(tol)
        self.coef = self.planes.coef
        self._dual = max(self._dual, self.planes.dual)
        self._program_seconds += perf_counter() - start
        self._n_programs += 1

    def _rescale(self, factor: float) -> None:
        self.planes.rescale(factor)

    def _risk_bound(self, coef: Floats) -> float:
        return float(self.planes.slacks(coef).mean())

    @property
    def n_planes(self) -> int:
        """The number of planes in the working set."""
        return len(self.planes)


@dataclass(frozen=True)
class NSlack(SolverBase):
    """Solve a structural SVM by cutting planes with one slack for each item set.

    Exactly algorithm 1 of Finley & Joachims 2005 and 2008: for each item set in turn, find the
    worst partition ŷ; if H(ŷ) > ξᵢ + ε, add it to the planes of its set and optimise over all
    planes. Stop after a pass that adds none. All constraints that the oracle finds then hold within
    ε, after at most max(2 n Δ̄/ε, 8 C Δ̄ R̄²/ε²) planes (Theorem 1, whose C is C/n here). With tens
    of item sets this needs far fewer searches than `OneSlack`; with thousands, its quadratic
    program gets large.

    Parameters
    ----------
    tol
        The ε of the papers, in units of the loss; choose it well below typical losses.
    max_iter
        The largest number of passes over the item sets.
    nonnegative
        Whether to keep all weights at 0 or above (Finley & Joachims 2008, section 3.1).
    n_jobs
        The number of threads. The algorithm treats one item set at a time, so that only the last
        pass, which measures the objective, uses them.

    Examples
    --------
    >>> NSlack(tol=0.01)
    NSlack(tol=0.01, max_iter=1000, nonnegative=False, n_jobs=1)
    """

    tol: float = 0.1
    max_iter: int = 1000

    def start(self, problem: Problem, random_state: int) -> "NSlackRun":  # noqa: ARG002
        """Start a run on a problem."""
        return NSlackRun(problem, self)


class NSlackRun(PlaneRun):
    """A run of algorithm 1."""

    def __init__(self, problem: Problem, solver: NSlack) -> None:
        super().__init__(problem, solver.tol, solver.max_iter, solver.n_jobs)
        caps = np.ones(len(problem))
        self.planes = WorkingSet(problem.n_columns, caps, solver.nonnegative)
        self._C = float(len(problem))
        self.n_added = 0

    def _iterate(self) -> Iterator[bool]:
        precision = 1e-3 * self.tol * self._C / len(self.problem)
        if len(self.planes):
            self._solve_planes(precision)
        for _ in range(self.max_iter):
            changed = [self._add_plane_of(index, precision) for index in range(len(self.problem))]
            if not any(changed):
                break
            yield False
        self._update_best(self.coef, self._find_cuts(self.coef))
        # Each constraint may be violated by ε; a larger gap means that rounding spoilt the program.
        allowed = 1.01 * self._C * self.tol
        yield not any(changed) and self._primal - self._dual <= allowed

    def _add_plane_of(self, index: int, precision: float) -> bool:
        """Add the worst partition of an item set if its violation exceeds the slack by ε."""
        start = perf_counter()
        cut = self.problem.oracles[index](self.coef)
        self._oracle_seconds += perf_counter() - start
        self._n_calls += 1
        if cut.violation(self.coef) <= self.planes.slacks(self.coef)[index] + self.tol:
            return False
        self.planes.add(index, cut.gradient, cut.loss)
        self.n_added += 1
        self._solve_planes(precision)
        return True


@dataclass(frozen=True)
class OneSlack(SolverBase):
    """Solve a structural SVM by cutting planes with one slack for all item sets.

    Joachims, Finley & Yu 2009: the worst partitions of all item sets together make one plane, so
    that few planes are needed, however many item sets there are. Earlier cuts of each item set are
    cached, and no search is made while a plane of cached cuts is violated by more than half of the
    gap. Where the search is slow (`Relaxation`, `Exact`), partitions found by `Greedy` are tried in
    the same way before it. Planes that have no weight in 50 successive solutions are dropped.

    Parameters
    ----------
    tol
        The gap between objective and lower bound at which to stop, relative to the objective (or
        to C/1000, the objective at slacks of 0.001, if that is more).
    max_iter
        The largest number of planes.
    nonnegative
        Whether to keep all weights at 0 or above (Finley & Joachims 2008, section 3.1).
    n_jobs
        The number of threads that search for the worst partitions.
    n_cached
        The number of earlier cuts to cache per item set.

    Examples
    --------
    >>> OneSlack(tol=0.01)
    OneSlack(tol=0.01, max_iter=1000, nonnegative=False, n_jobs=1, n_cached=10)
    """

    tol: float = 1e-3
    max_iter: int = 1000
    n_cached: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        as_whole("n_cached", self.n_cached)

    def start(self, problem: Problem, random_state: int) -> "OneSlackRun":  # noqa: ARG002
        """Start a run on a problem."""
        return OneSlackRun(problem, self)


class OneSlackRun(PlaneRun):
    """A run of the 1-slack algorithm."""

    def __init__(self, problem: Problem, solver: OneSlack) -> None:
        super().__init__(problem, solver.tol, solver.max_iter, solver.n_jobs)
        self.planes = WorkingSet(problem.n_columns, np.ones(1), solver.nonnegative)
        self._C = 1.0
        self._cache: deque[Cuts] = deque(maxlen=solver.n_cached)

    def _iterate(self) -> Iterator[bool]:
        if len(self.planes):
            self._solve_planes(self._precision)
        n_cheap = 0
        for _ in range(self.max_iter):
            n_cheap += 1
            if n_cheap > MAX_CHEAP_PLANES or not (self._add_cached() or self._add_cheap()):
                n_cheap = 0
                cuts = self._find_cuts(self.coef)
                self._update_best(self.coef, cuts)
                self._cache.append(cuts)
                if not self._is_closed:
                    self._add(cuts.gradients, cuts.losses)
            if not self._is_closed:
                self._solve_planes(self._precision)
                self._raise_primal()
                self.planes.purge(MAX_IDLE)
            yield self._is_closed
            if self._is_closed:
                return

    @property
    def _precision(self) -> float:
        """The precision of the quadratic program: a tenth of the gap at which to stop."""
        return 0.1 * self.tol * max(self._dual, 1e-3 * self._C)

    def _add(self, gradients: Floats, losses: Floats) -> None:
        self.planes.add(0, gradients.mean(axis=0), float(losses.mean()))

    def _add_cached(self) -> bool:
        """Add the plane of the worst cached cuts if it helps enough; return whether it does."""
        if not self._cache:
            return False
        violations = [cuts.losses - cuts.gradients @ self.coef for cuts in self._cache]
        worst = [self._cache[index] for index in np.argmax(violations, axis=0)]
        gradients = np.array([cuts.gradients[index] for index, cuts in enumerate(worst)])
        losses = np.array([cuts.losses[index] for index, cuts in enumerate(worst)])
        return self._add_if_useful(gradients, losses)

    def _add_cheap(self) -> bool:
        """Add the plane of the cheap oracles if it helps enough; return whether it does."""
        if not self.problem.cheap_oracles:
            return False
        start = perf_counter()
        cuts = self._call_oracles(self.problem.cheap_oracles, self.coef)
        self._oracle_seconds += perf_counter() - start
        return self._add_if_useful(cuts.gradients, cuts.losses)

    def _add_if_useful(self, gradients: Floats, losses: Floats) -> bool:
        """Add a plane if its objective at coef is above the dual by more than half of the gap.

        Before any objective is known, the plane's own takes its place in the gap.
        """
        violations = losses - gradients @ self.coef
        is_violated = violations > 0
        objective = self._objective(self.coef, float(np.maximum(violations, 0.0).mean()))
        primal = objective if self._primal == inf else self._primal
        min_rise = max(0.5 * (primal - self._dual), self.tol * primal)
        if objective - self._dual <= min_rise:
            return False
        self._add(gradients * is_violated[:, None], losses * is_violated)
        return True
