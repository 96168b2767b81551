"""The concave-convex procedure, which solves latent structural SVMs and batch left-linking."""

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
    MIN_SCALE,
    Bound,
    LatentRisk,
    Planes,
    RiskPoint,
    minimise_smooth,
    point_at,
)


class LatentStep(NamedTuple):
    """The result of one iteration of the concave-convex procedure.

    `objective` is the value reached, after `n_inner` evaluations of the risk in `seconds`. The
    convex bound of the iteration was then at most `gap` above its minimum.
    """

    objective: float
    n_inner: int
    gap: float
    seconds: float


class LatentOptimum(NamedTuple):
    """The result of the concave-convex procedure."""

    coef: Floats
    objective: float
    converged: bool
    interrupted: bool
    history: list[LatentStep]


@dataclass(frozen=True)
class CCCP(Value):
    """Minimise λ/2 ‖w‖² + worst(w) − best(w) by the concave-convex procedure.

    Yuille & Rangarajan 2003, Yu & Joachims 2009: each iteration replaces the part of the correct
    links, `best`, by its tangent at the last w, which makes the objective convex, and minimises the
    result. The objective never rises, and ends near a local minimum. The inner problem is solved by
    L-BFGS if it is smooth (left-linking with γ > 0), else by cutting planes, which are kept from
    one iteration to the next.

    Parameters
    ----------
    tol
        The least decrease of the objective per iteration, relative to the objective (or to 0.001,
        if that is more). The solver stops after the first iteration that gains less.
    max_iter
        The largest number of iterations.
    inner_tol
        The gap at which an inner problem counts as solved, relative to its value.
    inner_max_iter
        The largest number of iterations on an inner problem; the next outer iteration continues
        with it.
    start
        The standard deviation of the normal distribution from which the initial weights are drawn,
        with the `random_state` of the learner; 0 starts from zeros.

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
        """Minimise from `start`. An interrupt (Ctrl-C) returns the best coef so far."""
        start = as_floats("start", start)
        if start.shape != (risk.n_columns,):
            raise InputError(
                f"start has shape {start.shape}; give {risk.n_columns} numbers, one per feature"
            )
        run = _ProcedureRun(self, risk, as_positive("lam", lam), start)
        converged = interrupted = False
        # The matrix products are so small that BLAS threads would mostly wait for each other.
        with threadpool_limits(1, "blas"):
            try:
                converged = run.descend()
            except KeyboardInterrupt:
                interrupted = True
                run.keep_best()
        return LatentOptimum(run.coef, run.objective, converged, interrupted, run.history)


class _ProcedureRun:
    """A run of the procedure, which has reached `coef` with `objective`."""

    def __init__(self, solver: CCCP, risk: LatentRisk, lam: float, start: Floats) -> None:
        self._solver, self._risk, self._lam = solver, risk, lam
        self._planes = Planes()
        self._bound: Bound | None = None
        self._gap = inf
        self.coef, self.objective = start, inf
        self.history: list[LatentStep] = []

    def descend(self) -> bool:
        """Iterate; return whether the procedure has converged."""
        self._move(point_at(self._risk, self.coef))
        for _ in range(self._solver.max_iter):
            old_objective, old_gap = self.objective, self._gap
            ended = self._iterate()
            gain = old_objective - self.objective
            if ended and gain <= self._solver.tol * max(old_objective, MIN_SCALE):
                return True
            if not gain and self._gap >= old_gap:
                # The inner problem made no progress either: rounding prevents any further descent.
                return False
        return False

    def keep_best(self) -> None:
        """Move to the best coef of an interrupted iteration."""
        if self._bound is not None:
            self._move(self._bound.best_point)

    def _iterate(self) -> bool:
        """Solve the inner problem, or continue with it; return whether it is solved."""
        start = perf_counter()
        if self._bound is None:
            self._bound = Bound(self._risk, self._lam, self._point, self._best, self._tangent)
        bound, n_before = self._bound, self._bound.n_evaluated
        minimise = minimise_smooth if self._risk.smooth else self._planes.minimise
        self._gap, ended = minimise(bound, self._solver.inner_tol, self._solver.inner_max_iter)
        gap, n_inner = self._gap, bound.n_evaluated - n_before
        self._move(bound.best_point)
        seconds = perf_counter() - start
        self.history.append(LatentStep(self.objective, n_inner, gap, seconds))
        report("fit", len(self.history), None, f"objective {self.objective:.4g}")
        return ended

    def _move(self, point: RiskPoint) -> None:
        """Move to a point if its objective is lower; the next iteration then needs a new bound."""
        best, tangent = self._risk.best(point.coef)
        objective = 0.5 * self._lam * float(point.coef @ point.coef) + point.worst - best
        if objective < self.objective:
            self.coef, self.objective = point.coef, objective
            self._point, self._best, self._tangent = point, best, tangent
            self._bound, self._gap = None, inf


def warn_if_unfinished(optimum: LatentOptimum) -> None:
    """Warn if a run was interrupted or did not converge; called by the `_fit` of a learner."""
    if optimum.interrupted:
        warn_of_interrupt(stacklevel=4)
    elif not optimum.converged:
        warnings.warn(
            "the concave-convex procedure stopped before it converged: the gap is "
            f"{optimum.history[-1].gap:.3g}, the objective {optimum.objective:.3g}; raise "
            "max_iter, inner_max_iter or tol of the solver, regularise more strongly, or scale "
            "the features with Scaled(featurizer)",
            ConvergenceWarning,
            stacklevel=4,
        )
