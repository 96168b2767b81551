"""The concave-convex procedure: what solves latent structural SVMs and left-linking in batch."""

import warnings
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import NamedTuple

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from coterie._core.arguments import as_floats, as_positive, as_real, as_whole
from coterie._core.arrays import Floats
from coterie._core.progress import report
from coterie._core.values import Value
from coterie.exceptions import InputError
from coterie.learners.base import warn_of_interrupt
from coterie.learners.linking.convex_bounds import (
    SMALL,
    Bound,
    LatentRisk,
    Planes,
    RiskPoint,
    lower_smooth,
    point_at,
)


class LatentStep(NamedTuple):
    """What one iteration of the concave-convex procedure did.

    `objective` is what it reached, after `n_inner` evaluations of the risk and `seconds`; `gap` is
    at least how far its convex bound was still from the least.
    """

    objective: float
    n_inner: int
    gap: float
    seconds: float


class LatentOptimum(NamedTuple):
    """What the concave-convex procedure found."""

    coef: Floats
    objective: float
    converged: bool
    interrupted: bool
    history: list[LatentStep]


@dataclass(frozen=True)
class CCCP(Value):
    """Minimise λ/2 ‖w‖² + worst(w) − best(w) by the concave-convex procedure.

    Yuille & Rangarajan 2003, Yu & Joachims 2009: the convex part of the correct links, `best`, is
    replaced by its tangent at the last w, and what is then convex is minimised; and so on. The
    objective never rises, and ends near a local minimum. The inner problem is solved by L-BFGS
    where it is smooth (left-linking with γ > 0), else by cutting planes, which are kept from one
    iteration to the next.

    Parameters
    ----------
    tol
        By what share of the objective (or of 0.001, where that is more) an iteration must lower it;
        the first that does not is the last.
    max_iter
        After how many iterations to stop.
    inner_tol
        The gap at which an inner problem counts as solved, as a share of its value.
    inner_max_iter
        After how many iterations an inner problem is left; the next iteration goes on from there.
    start
        Standard deviation of the normal distribution that the first weights are drawn from, by the
        `random_state` of the learner; 0 starts from zeros.

    Examples
    --------
    >>> CCCP(tol=0.01)
    CCCP(tol=0.01, max_iter=100, inner_tol=0.001, inner_max_iter=100, start=0.0)
    """

    tol: float = 1e-3
    max_iter: int = 100
    inner_tol: float = 1e-3
    inner_max_iter: int = 100
    start: float = 0.0

    def __post_init__(self) -> None:
        for name in ("tol", "inner_tol", "start"):
            as_real(name, getattr(self, name))
        for name in ("max_iter", "inner_max_iter"):
            as_whole(name, getattr(self, name), 1)

    def minimise(self, risk: LatentRisk, lam: float, start: Floats) -> LatentOptimum:
        """Minimise from `start`. An interrupt (Ctrl-C) ends it with the best coef so far."""
        start = as_floats("start", start)
        if start.shape != (risk.n_columns,):
            raise InputError(
                f"start has shape {start.shape}; give {risk.n_columns} numbers, one a column"
            )
        run = _Run(self, risk, as_positive("lam", lam), start)
        converged = interrupted = False
        # Threads of BLAS would wait for each other: the products are small.
        with threadpool_limits(1, "blas"):
            try:
                converged = run.descend()
            except KeyboardInterrupt:
                interrupted = True
                run.settle()
        return LatentOptimum(run.coef, run.objective, converged, interrupted, run.history)


class _Run:
    """The procedure at work, at `coef` of some `objective`."""

    def __init__(self, solver: CCCP, risk: LatentRisk, lam: float, start: Floats) -> None:
        self._solver, self._risk, self._lam = solver, risk, lam
        self._planes = Planes()
        self._bound: Bound | None = None
        self._gap = inf
        self.coef, self.objective = start, inf
        self.history: list[LatentStep] = []

    def descend(self) -> bool:
        """Iterate; tell whether no more is to be gained."""
        self._move(point_at(self._risk, self.coef))
        for _ in range(self._solver.max_iter):
            before, gap_before = self.objective, self._gap
            ended = self._iterate()
            gained = before - self.objective
            if ended and gained <= self._solver.tol * max(before, SMALL):
                return True
            if not gained and self._gap >= gap_before:
                # Neither did the inner problem come any closer to its end: rounding is in the way.
                return False
        return False

    def settle(self) -> None:
        """Move to the best coef of an iteration that was broken off."""
        if self._bound is not None:
            self._move(self._bound.found)

    def _iterate(self) -> bool:
        """Solve the inner problem, or go on with it; tell whether it ended."""
        since = perf_counter()
        if self._bound is None:
            self._bound = Bound(self._risk, self._lam, self._point, self._best, self._tangent)
        bound, n_before = self._bound, self._bound.n_evaluated
        lower = lower_smooth if self._risk.smooth else self._planes.lower
        self._gap, ended = lower(bound, self._solver.inner_tol, self._solver.inner_max_iter)
        gap, n_inner = self._gap, bound.n_evaluated - n_before
        self._move(bound.found)
        seconds = perf_counter() - since
        self.history.append(LatentStep(self.objective, n_inner, gap, seconds))
        report("fit", len(self.history), None, f"objective {self.objective:.4g}")
        return ended

    def _move(self, point: RiskPoint) -> None:
        """Go to a point, unless its objective is no lower; what bounds it there is another."""
        best, tangent = self._risk.best(point.coef)
        objective = 0.5 * self._lam * float(point.coef @ point.coef) + point.worst - best
        if objective < self.objective:
            self.coef, self.objective = point.coef, objective
            self._point, self._best, self._tangent = point, best, tangent
            self._bound, self._gap = None, inf


def warn_of_end(optimum: LatentOptimum) -> None:
    """Warn of a run that was cut short; called by the `_fit` of a learner."""
    if optimum.interrupted:
        warn_of_interrupt(stacklevel=4)
    elif not optimum.converged:
        warnings.warn(
            "the concave-convex procedure stopped before it converged, with a gap of "
            f"{optimum.history[-1].gap:.3g} on an objective of {optimum.objective:.3g}; raise "
            "max_iter, inner_max_iter or tol of the solver, regularise more, or bring the "
            "features to one scale (features.Scaled)",
            ConvergenceWarning,
            stacklevel=4,
        )
