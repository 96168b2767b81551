"""Structural SVMs by cutting planes: one slack for each item set, or one for all."""

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

MOST_KNOWN = 50
"""How many planes of known or scouted cuts may follow each other before a search is made."""

IDLE = 50
"""A plane without weight in so many solutions is dropped."""


class PlaneRun(SolverRun):
    """A run that keeps planes in a working set."""

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

    def _known_risk(self, coef: Floats) -> float:
        return float(self.planes.slacks(coef).mean())

    @property
    def n_planes(self) -> int:
        """How many planes are kept."""
        return len(self.planes)


@dataclass(frozen=True)
class NSlack(SolverBase):
    """Solve a structural SVM by cutting planes with one slack for each item set.

    Algorithm 1 of Finley & Joachims 2005 and 2008, literally: item set by item set, find the worst
    partition ŷ; where H(ŷ) > ξᵢ + ε, add it to the planes of its set and optimise over all planes;
    stop after a pass that adds none. All constraints that the oracle finds then hold within ε,
    after at most max(2 n Δ̄/ε, 8 C Δ̄ R̄²/ε²) planes (Theorem 1, whose C is C/n here). With tens of
    item sets it needs far fewer searches than `OneSlack`; with thousands its program gets large.

    Parameters
    ----------
    tol
        The ε of the papers, in units of the loss; choose it well below the losses at stake.
    max_iter
        After how many passes to stop.
    nonnegative
        Whether to keep all weights at 0 or above (Finley & Joachims 2008, section 3.1).
    n_jobs
        Number of threads; the algorithm looks at one item set at a time, so only the last
        pass that measures the objective uses them.

    Examples
    --------
    >>> NSlack(tol=0.01)
    NSlack(tol=0.01, max_iter=1000, nonnegative=False, n_jobs=1)
    """

    tol: float = 0.1
    max_iter: int = 1000

    def start(self, problem: Problem, random_state: int) -> "NSlackRun":  # noqa: ARG002
        """Begin to work on a problem."""
        return NSlackRun(problem, self)


class NSlackRun(PlaneRun):
    """Algorithm 1 at work."""

    def __init__(self, problem: Problem, solver: NSlack) -> None:
        super().__init__(problem, solver.tol, solver.max_iter, solver.n_jobs)
        caps = np.ones(len(problem))
        self.planes = WorkingSet(problem.n_columns, caps, solver.nonnegative)
        self._C = float(len(problem))
        self.n_added = 0

    def _iterate(self) -> Iterator[bool]:
        precise = 1e-3 * self.tol * self._C / len(self.problem)
        if len(self.planes):
            self._solve_planes(precise)
        for _ in range(self.max_iter):
            changed = [self._look_at(number, precise) for number in range(len(self.problem))]
            if not any(changed):
                break
            yield False
        self._consider(self.coef, self._cuts(self.coef))
        # So much the constraints may be violated; more is left where rounding spoils the program.
        allowed = 1.01 * self._C * self.tol
        yield not any(changed) and self._primal - self._dual <= allowed

    def _look_at(self, number: int, precise: float) -> bool:
        """Add the worst partition of an item set if it violates more than its slack and ε."""
        start = perf_counter()
        cut = self.problem.oracles[number](self.coef)
        self._oracle_seconds += perf_counter() - start
        self._n_calls += 1
        if cut.violation(self.coef) <= self.planes.slacks(self.coef)[number] + self.tol:
            return False
        self.planes.add(number, cut.gradient, cut.loss)
        self.n_added += 1
        self._solve_planes(precise)
        return True


@dataclass(frozen=True)
class OneSlack(SolverBase):
    """Solve a structural SVM by cutting planes with one slack for all item sets.

    Joachims, Finley & Yu 2009: the worst partitions of all item sets make one plane, so that few
    are needed, however many sets there are. Cuts found earlier are kept for each item set, and as
    long as a plane of them is violated by more than half of the gap, no search is made. Where the
    search is costly (`Relaxation`, `Exact`), what `Greedy` finds is used in the same way before it.
    Planes that carry no weight for 50 solutions are dropped.

    Parameters
    ----------
    tol
        The gap between objective and lower bound at which to stop, as a share of the objective (or
        of C/1000, the objective at slacks of 0.001, where that is more).
    max_iter
        After how many planes to stop.
    nonnegative
        Whether to keep all weights at 0 or above (Finley & Joachims 2008, section 3.1).
    n_jobs
        Number of threads that look for the worst partitions.
    n_cached
        How many cuts to keep for each item set.

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
        """Begin to work on a problem."""
        return OneSlackRun(problem, self)


class OneSlackRun(PlaneRun):
    """The 1-slack algorithm at work."""

    def __init__(self, problem: Problem, solver: OneSlack) -> None:
        super().__init__(problem, solver.tol, solver.max_iter, solver.n_jobs)
        self.planes = WorkingSet(problem.n_columns, np.ones(1), solver.nonnegative)
        self._C = 1.0
        self._cache: deque[Cuts] = deque(maxlen=solver.n_cached)

    def _iterate(self) -> Iterator[bool]:
        if len(self.planes):
            self._solve_planes(self._precision)
        n_known = 0
        for _ in range(self.max_iter):
            n_known += 1
            known = n_known <= MOST_KNOWN and (self._add_known() or self._add_scouted())
            if not known:
                n_known = 0
                cuts = self._cuts(self.coef)
                self._consider(self.coef, cuts)
                self._cache.append(cuts)
                if not self._closed:
                    self._add(cuts.gradients, cuts.losses)
            if not self._closed:
                self._solve_planes(self._precision)
                self._reconsider()
                self.planes.purge(IDLE)
            yield self._closed
            if self._closed:
                return

    @property
    def _precision(self) -> float:
        """How exact the program is solved: a tenth of the gap that is asked for."""
        return 0.1 * self.tol * max(self._dual, 1e-3 * self._C)

    def _add(self, gradients: Floats, losses: Floats) -> None:
        self.planes.add(0, gradients.mean(axis=0), float(losses.mean()))

    def _add_known(self) -> bool:
        """Add the plane of the worst cached cuts, if that is worth it."""
        if not self._cache:
            return False
        violated = [cuts.losses - cuts.gradients @ self.coef for cuts in self._cache]
        worst = [self._cache[at] for at in np.argmax(violated, axis=0)]
        gradients = np.array([cuts.gradients[number] for number, cuts in enumerate(worst)])
        losses = np.array([cuts.losses[number] for number, cuts in enumerate(worst)])
        return self._add_if_worth(gradients, losses)

    def _add_scouted(self) -> bool:
        """Add the plane of what the scouts find, if that is worth it."""
        if not self.problem.scouts:
            return False
        start = perf_counter()
        cuts = self._ask(self.problem.scouts, self.coef)
        self._oracle_seconds += perf_counter() - start
        return self._add_if_worth(cuts.gradients, cuts.losses)

    def _add_if_worth(self, gradients: Floats, losses: Floats) -> bool:
        """Add a plane if it shows more than half of the gap, or before there is one, its own."""
        violated = losses - gradients @ self.coef
        used = violated > 0
        objective = self._objective(self.coef, float(np.maximum(violated, 0.0).mean()))
        known = objective if self._primal == inf else self._primal
        gap = max(0.5 * (known - self._dual), self.tol * known)
        if objective - self._dual <= gap:
            return False
        self._add(gradients * used[:, None], losses * used)
        return True
