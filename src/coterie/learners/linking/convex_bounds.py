"""The convex problems that the concave-convex procedure solves, one after another."""

from collections import deque
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from coterie._core.arrays import Floats
from coterie._solvers.working_set import WorkingSet
from coterie.exceptions import FeatureError

SMALL = 1e-3
"""An objective below it is taken for so much where a share of it is asked for."""

MOST_PLANES = 200
"""How many planes are kept from one bound to the next."""

IDLE = 50
"""A plane without weight in so many solutions is dropped from the program."""

STEP = 0.3
"""How far from the best point so far to the solution of the program a plane is taken."""


class LatentRisk(Protocol):
    """A difference of two convex functions of coef, each a mean over item sets.

    `worst` is the value of the best links when every wrong one is favoured by its loss, `best` that
    of the best correct links. `worst` is nowhere below `best`: their difference is a mean slack.
    """

    @property
    def n_columns(self) -> int:
        """The length of coef."""
        ...

    @property
    def smooth(self) -> bool:
        """Whether `worst` has a gradient everywhere; if not, it is a maximum over links."""
        ...

    def worst(self, coef: Floats, /) -> tuple[float, Floats]:
        """Return value and (sub)gradient of the loss-augmented part."""
        ...

    def best(self, coef: Floats, /) -> tuple[float, Floats]:
        """Return value and (sub)gradient of the part of the correct links."""
        ...


class RiskPoint(NamedTuple):
    """A coef, and what `worst` of a risk is there."""

    coef: Floats
    worst: float
    gradient: Floats


def point_at(risk: LatentRisk, coef: Floats) -> RiskPoint:
    """Ask a risk for `worst` at a coef."""
    with np.errstate(over="ignore", invalid="ignore"):
        point = RiskPoint(coef.copy(), *risk.worst(coef))
    if not np.isfinite(point.worst) or not np.isfinite(point.gradient).all():
        raise FeatureError(
            "the scores of pairs are too large for a float; bring the features to one scale "
            "(features.Scaled)"
        )
    return point


class Lowered(NamedTuple):
    """How a search for the least value of a bound ended.

    `gap` is at least how far the value of `Bound.found` is from the least; `ended` tells whether
    more iterations would be of no use.
    """

    gap: float
    ended: bool


class Bound:
    """λ/2 ‖w‖² + worst(w) − best(w₀) − best′(w₀)·(w − w₀): convex, never below the objective.

    As `best` is convex, its tangent at w₀ is nowhere above it, and touches it at w₀. So a w of a
    lower value than w₀ has a lower objective too. No value is below 0, since `worst` is nowhere
    below `best`. `found` is the point of the least value that was evaluated.
    """

    def __init__(self, risk: LatentRisk, lam: float, at: RiskPoint, best: float, tangent: Floats):
        self._risk, self.lam, self.tangent = risk, lam, tangent
        self.offset = float(tangent @ at.coef) - best
        self.found, self.value = at, self.value_of(at)
        self.n_evaluated = 0

    def evaluate(self, coef: Floats) -> RiskPoint:
        """Ask the risk for `worst` at a coef, and keep the point if its value is the least."""
        if np.array_equal(coef, self.found.coef):
            return self.found
        self.n_evaluated += 1
        point = point_at(self._risk, coef)
        if self.value_of(point) < self.value:
            self.found, self.value = point, self.value_of(point)
        return point

    def value_of(self, point: RiskPoint) -> float:
        """Return the value of the bound at a point."""
        coef = point.coef
        linear = self.offset - float(self.tangent @ coef)
        return 0.5 * self.lam * float(coef @ coef) + point.worst + linear

    def gradient_of(self, point: RiskPoint) -> Floats:
        """Return the gradient of the bound at a point."""
        return self.lam * point.coef + point.gradient - self.tangent

    def allowed(self, tol: float) -> float:
        """Return the gap that is a share `tol` of the value."""
        return tol * max(self.value, SMALL)


def lower_smooth(bound: Bound, tol: float, max_iter: int) -> Lowered:
    """Minimise a bound by L-BFGS, if it has a gradient everywhere.

    Its curvature is at least λ, so that no value is lower than that of a point by more than
    ‖gradient‖² / (2 λ).
    """

    def gap() -> float:
        slope = bound.gradient_of(bound.found)
        return min(bound.value, float(slope @ slope) / (2 * bound.lam))

    def evaluated(coef: Floats) -> tuple[float, Floats]:
        point = bound.evaluate(coef)
        return bound.value_of(point), bound.gradient_of(point)

    def stop_where_closed(intermediate_result: OptimizeResult) -> None:  # noqa: ARG001
        if gap() <= bound.allowed(tol):
            raise StopIteration

    if gap() <= bound.allowed(tol):
        return Lowered(gap(), True)
    options = {"maxiter": max_iter, "maxfun": np.inf, "ftol": 0.0, "gtol": 0.0}
    run = minimize(
        evaluated,
        bound.found.coef,
        method="L-BFGS-B",
        jac=True,
        callback=stop_where_closed,
        options=options,
    )
    # Before its last iteration it ends where the gap is closed, or where rounding hides descent.
    return Lowered(gap(), run.nit < max_iter or gap() <= bound.allowed(tol))


class Planes:
    """Minimises bounds by cutting planes, whether they have a gradient everywhere or not.

    Each evaluation gives a plane that `worst` is nowhere below, whatever the tangent of `best`: so
    planes serve the next bound too. The program over them is that of a structural SVM with one
    slack, divided by λ: min ½‖w‖² + ξ/λ, where ξ ≥ 0 and, for each plane, ξ ≥ its height above the
    tangent at w (Joachims, Finley & Yu 2009; Teo et al. 2010). As its solutions jump about, the
    plane is taken at a point between the best one so far and the solution.
    """

    _working: WorkingSet
    _least: float

    def __init__(self) -> None:
        self._kept: deque[RiskPoint] = deque(maxlen=MOST_PLANES)
        self._bound: Bound | None = None

    def lower(self, bound: Bound, tol: float, max_iter: int) -> Lowered:
        """Minimise a bound, up to a duality gap; go on where the last search of it was left."""
        if bound is not self._bound:
            self._turn_to(bound)
        working = self._working
        for _ in range(max_iter):
            working.solve(0.1 * bound.allowed(tol) / bound.lam)
            self._least = max(self._least, bound.lam * working.dual)
            if self._gap(bound) <= bound.allowed(tol):
                return Lowered(self._gap(bound), True)
            self._cut(bound)
            working.purge(IDLE)
        return Lowered(self._gap(bound), False)

    def _gap(self, bound: Bound) -> float:
        # Rounding may put the two in the wrong order.
        return max(bound.value - self._least, 0.0)

    def _turn_to(self, bound: Bound) -> None:
        self._bound, self._least = bound, 0.0
        self._working = WorkingSet(len(bound.tangent), np.array([1.0 / bound.lam]))
        for point in (*self._kept, bound.found):
            self._add(bound, point)

    def _cut(self, bound: Bound) -> None:
        """Add a plane that asks for more slack at the solution of the program."""
        solution, centre = self._working.coef, bound.found.coef
        asked = self._working.slacks(solution)
        for coef in (centre + STEP * (solution - centre), solution):
            self._kept.append(bound.evaluate(coef))
            self._add(bound, self._kept[-1])
            if self._working.slacks(solution) > asked:
                return

    def _add(self, bound: Bound, point: RiskPoint) -> None:
        height = point.worst - float(point.gradient @ point.coef)
        self._working.add(0, bound.tangent - point.gradient, height + bound.offset)
