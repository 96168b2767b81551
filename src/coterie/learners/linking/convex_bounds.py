"""The convex problems that the concave-convex procedure solves, one after another."""

from collections import deque
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from coterie._core.arrays import Floats
from coterie._solvers.working_set import WorkingSet
from coterie.exceptions import FeatureError

MIN_SCALE = 1e-3
"""The least value that tolerances are relative to; smaller objectives count as this."""

MAX_PLANES = 200
"""The largest number of planes kept from one bound to the next."""

MAX_IDLE = 50
"""The number of solutions without weight after which a plane is dropped from the program."""

STEP = 0.3
"""The share of the way from the best point to the program's solution where a plane is taken."""


class LatentRisk(Protocol):
    """A difference of two convex functions of coef, each a mean over item sets.

    `worst` is the value of the best links with the loss of wrong ones added to their scores, `best`
    the value of the best correct links. `worst` is at least `best` everywhere; their difference is
    the mean slack.
    """

    @property
    def n_columns(self) -> int:
        """The length of coef."""
        ...

    @property
    def smooth(self) -> bool:
        """Return whether `worst` has a gradient everywhere, unlike a maximum over links."""
        ...

    def worst(self, coef: Floats, /) -> tuple[float, Floats]:
        """Return value and (sub)gradient of the loss-augmented part."""
        ...

    def best(self, coef: Floats, /) -> tuple[float, Floats]:
        """Return value and (sub)gradient of the part of the correct links."""
        ...


class RiskPoint(NamedTuple):
    """A coef, with the value and the gradient of a risk's `worst` at it."""

    coef: Floats
    worst: float
    gradient: Floats


def point_at(risk: LatentRisk, coef: Floats) -> RiskPoint:
    """Evaluate a risk's `worst` at a coef."""
    with np.errstate(over="ignore", invalid="ignore"):
        point = RiskPoint(coef.copy(), *risk.worst(coef))
    if not np.isfinite(point.worst) or not np.isfinite(point.gradient).all():
        raise FeatureError(
            "the scores of pairs are too large for a float; scale the features with "
            "Scaled(featurizer)"
        )
    return point


class BoundResult(NamedTuple):
    """The result of minimising a bound.

    The value of `Bound.best_point` is at most `gap` above the minimum. If `ended`, more iterations
    would not lower it.
    """

    gap: float
    ended: bool


class Bound:
    """The convex upper bound λ/2 ‖w‖² + worst(w) − best(w₀) − best′(w₀)·(w − w₀) of the objective.

    Because `best` is convex, its tangent at w₀ is at most `best` everywhere, and equals it at w₀.
    So if the bound is lower at w than at w₀, the objective is lower too. The bound is never
    negative, since `worst` is at least `best`. `best_point` is the evaluated point of the least
    value.
    """

    def __init__(
        self, risk: LatentRisk, lam: float, point: RiskPoint, best: float, tangent: Floats
    ):
        self._risk, self.lam, self.tangent = risk, lam, tangent
        self.offset = float(tangent @ point.coef) - best
        self.best_point, self.value = point, self.value_of(point)
        self.n_evaluated = 0

    def evaluate(self, coef: Floats) -> RiskPoint:
        """Evaluate `worst` at a coef, and keep the point if its value is the least so far."""
        if np.array_equal(coef, self.best_point.coef):
            return self.best_point
        self.n_evaluated += 1
        point = point_at(self._risk, coef)
        if self.value_of(point) < self.value:
            self.best_point, self.value = point, self.value_of(point)
        return point

    def value_of(self, point: RiskPoint) -> float:
        """Return the value of the bound at a point."""
        coef = point.coef
        linear = self.offset - float(self.tangent @ coef)
        return 0.5 * self.lam * float(coef @ coef) + point.worst + linear

    def gradient_of(self, point: RiskPoint) -> Floats:
        """Return the gradient of the bound at a point."""
        return self.lam * point.coef + point.gradient - self.tangent

    def max_gap(self, tol: float) -> float:
        """Return the gap at which to stop, for a tolerance relative to the value."""
        return tol * max(self.value, MIN_SCALE)


def minimise_smooth(bound: Bound, tol: float, max_iter: int) -> BoundResult:
    """Minimise a bound that has a gradient everywhere, by L-BFGS.

    The curvature of the bound is at least λ, so the minimum is at most ‖gradient‖² / (2 λ) below
    the value of any point.
    """

    def gap() -> float:
        gradient = bound.gradient_of(bound.best_point)
        return min(bound.value, float(gradient @ gradient) / (2 * bound.lam))

    def evaluate(coef: Floats) -> tuple[float, Floats]:
        point = bound.evaluate(coef)
        return bound.value_of(point), bound.gradient_of(point)

    def stop_if_closed(intermediate_result: OptimizeResult) -> None:  # noqa: ARG001
        if gap() <= bound.max_gap(tol):
            raise StopIteration

    if gap() <= bound.max_gap(tol):
        return BoundResult(gap(), True)
    options = {"maxiter": max_iter, "maxfun": np.inf, "ftol": 0.0, "gtol": 0.0}
    result = minimize(
        evaluate,
        bound.best_point.coef,
        method="L-BFGS-B",
        jac=True,
        callback=stop_if_closed,
        options=options,
    )
    # L-BFGS ends early if the gap is closed, or if rounding keeps it from any further descent.
    return BoundResult(gap(), result.nit < max_iter or gap() <= bound.max_gap(tol))


class Planes:
    """Minimises bounds by cutting planes, also where they have no gradient.

    Each evaluation gives a plane that is at most `worst` everywhere, whatever the tangent of
    `best`, so planes remain valid for the next bound. The program over them is that of a structural
    SVM with one slack, divided by λ: min ½‖w‖² + ξ/λ, where ξ ≥ 0 and, for each plane, ξ ≥ its
    height above the tangent at w (Joachims, Finley & Yu 2009; Teo et al. 2010). Successive
    solutions can be far apart, so the next plane is taken between the best point and the solution.
    """

    _working: WorkingSet
    _lower_bound: float

    def __init__(self) -> None:
        self._points: deque[RiskPoint] = deque(maxlen=MAX_PLANES)
        self._bound: Bound | None = None

    def minimise(self, bound: Bound, tol: float, max_iter: int) -> BoundResult:
        """Minimise a bound up to a duality gap; a second call for the same bound continues."""
        if bound is not self._bound:
            self._change_bound(bound)
        working = self._working
        for _ in range(max_iter):
            working.solve(0.1 * bound.max_gap(tol) / bound.lam)
            self._lower_bound = max(self._lower_bound, bound.lam * working.dual)
            if self._gap(bound) <= bound.max_gap(tol):
                return BoundResult(self._gap(bound), True)
            self._add_cut(bound)
            working.purge(MAX_IDLE)
        return BoundResult(self._gap(bound), False)

    def _gap(self, bound: Bound) -> float:
        # Rounding may make the lower bound exceed the value.
        return max(bound.value - self._lower_bound, 0.0)

    def _change_bound(self, bound: Bound) -> None:
        self._bound, self._lower_bound = bound, 0.0
        self._working = WorkingSet(len(bound.tangent), np.array([1.0 / bound.lam]))
        for point in (*self._points, bound.best_point):
            self._add(bound, point)

    def _add_cut(self, bound: Bound) -> None:
        """Add a plane that raises the slack at the solution of the program."""
        solution, centre = self._working.coef, bound.best_point.coef
        old_slack = self._working.slacks(solution)
        for coef in (centre + STEP * (solution - centre), solution):
            self._points.append(bound.evaluate(coef))
            self._add(bound, self._points[-1])
            if self._working.slacks(solution) > old_slack:
                return

    def _add(self, bound: Bound, point: RiskPoint) -> None:
        height = point.worst - float(point.gradient @ point.coef)
        self._working.add(0, bound.tangent - point.gradient, height + bound.offset)
