"""The cutting planes of a structural SVM, and the quadratic program over them."""

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Floats, Ints
from coterie._kernels.linear.dual_ascent import ascend
from coterie._solvers.newton import newton_ascend

STEPS_PER_PLANE = 5
"""The number of pair steps per plane between two series of Newton steps."""

MAX_ROUNDS = 1000
"""The largest number of rounds of an ascent. If it ends early, the dual is still a lower bound."""


class WorkingSet:
    """Planes that bound the slacks from below, and the best coef w for these planes.

    The problem is min ½‖w‖² + Σ_b cap_b ξ_b over w and ξ ≥ 0, where each plane of block b requires
    ξ_b ≥ loss − gradient·w. It is solved in the dual: max lossesᵀα − ½‖Σ α gradient‖² with α ≥ 0
    and Σ α ≤ cap in each block. A new plane only adds a row to the Gram matrix, and every solution
    starts from the last one.

    With `nonnegative`, w ≥ 0 is required too. A coordinate that would be negative gets a unit
    plane: its gradient is a unit vector, its loss is 0, and its cap is as large as needed.

    Parameters
    ----------
    n_columns
        The length of w.
    caps
        The cost of one unit of slack, per block.
    nonnegative
        Whether no coordinate of w may be negative.
    """

    def __init__(self, n_columns: int, caps: Floats, nonnegative: bool = False) -> None:
        self._caps = np.array(caps, dtype=np.float64)
        self._nonnegative = nonnegative
        self._n_blocks = len(caps)
        # Arrays with room for more planes; only the first `_n_planes` entries are in use.
        self._gradients = np.zeros((8, n_columns))
        self._gram = np.zeros((8, 8))
        self._losses = np.zeros(8)
        self._alpha = np.zeros(8)
        self._block = np.zeros(8, dtype=np.intp)
        self._idle = np.zeros(8, dtype=np.intp)
        self._n_planes = 0
        self._units: Ints = np.zeros(0, dtype=np.intp)
        """The coordinates that have unit planes."""
        self._unit_alpha = np.zeros(0)
        self._primal = np.zeros(n_columns)
        """Σ α gradient, which may be slightly negative."""

    def __len__(self) -> int:
        return self._n_planes

    @property
    def coef(self) -> Floats:
        """A copy of the best w for the planes."""
        return np.maximum(self._primal, 0.0) if self._nonnegative else self._primal.copy()

    @property
    def dual(self) -> float:
        """The value of the dual; further planes cannot lower the objective below it."""
        n = self._n_planes
        return float(self._losses[:n] @ self._alpha[:n] - 0.5 * self._primal @ self._primal)

    def slacks(self, coef: Floats) -> Floats:
        """Return the slack that the planes of each block require at a coef."""
        n = self._n_planes
        violations = self._losses[:n] - self._gradients[:n] @ coef
        slacks = np.zeros(self._n_blocks)
        np.maximum.at(slacks, self._block[:n], violations)
        return slacks

    def add(self, block: int, gradient: Floats, loss: float) -> None:
        """Add a plane, with weight 0 until the next `solve`."""
        n = self._n_planes
        if n == len(self._losses):
            self._grow()
        self._gradients[n] = gradient
        self._gram[n, : n + 1] = self._gram[: n + 1, n] = self._gradients[: n + 1] @ gradient
        self._losses[n], self._block[n] = loss, block
        self._alpha[n], self._idle[n] = 0.0, 0
        self._n_planes += 1

    def solve(self, tol: float) -> bool:
        """Find the best w up to a duality gap of `tol`; return whether the gap was closed.

        Rounding errors can keep it open.
        """
        is_closed = self._ascend(tol)
        while self._nonnegative and self._add_units(tol):
            is_closed = self._ascend(tol)
        n = self._n_planes
        self._idle[:n] = np.where(self._alpha[:n] > 0, 0, self._idle[:n] + 1)
        return is_closed

    def rescale(self, factor: float) -> None:
        """Multiply all caps, and the last solution with them, so that it stays feasible."""
        for values in (self._caps, self._alpha, self._unit_alpha, self._primal):
            np.multiply(values, factor, out=values)

    def purge(self, idle: int) -> None:
        """Drop the planes that had no weight in the last `idle` solutions."""
        n = self._n_planes
        active = np.flatnonzero(self._idle[:n] < idle)
        if len(active) == n:
            return
        m = self._n_planes = len(active)
        self._gradients[:m] = self._gradients[active]
        self._gram[:m, :m] = self._gram[np.ix_(active, active)]
        for values in (self._losses, self._alpha, self._block, self._idle):
            values[:m] = values[active]

    def _ascend(self, tol: float) -> bool:
        """Raise the dual over planes and unit planes together; return whether the gap is closed."""
        n, units = self._n_planes, self._units
        gram, losses, blocks = self._gram, self._losses[:n], self._block[:n]
        caps, alpha = self._caps, self._alpha[:n]
        if len(units):
            # The product of a plane and a unit plane is a single entry of the plane's gradient.
            products = self._gradients[:n, units]
            gram = np.block([[gram[:n, :n], products], [products.T, np.eye(len(units))]])
            losses = np.append(losses, np.zeros(len(units)))
            blocks = np.append(blocks, self._n_blocks + np.arange(len(units)))
            # A unit plane never needs more weight than the planes can lower its coordinate by.
            caps = np.append(caps, caps.sum() * np.abs(products).max(axis=0, initial=0.0))
            alpha = np.append(alpha, self._unit_alpha)
        n_steps, previous_dual = STEPS_PER_PLANE * len(losses) + 100, -inf
        for _ in range(MAX_ROUNDS):
            self._store(alpha)
            gradient = self._dual_gradient(losses)
            is_closed = bool(ascend(gram, gradient, blocks, caps, alpha, tol, n_steps))
            if not is_closed:
                newton_ascend(gram, losses, blocks, caps, alpha)
            self._store(alpha)
            if is_closed or self.dual <= previous_dual + 0.01 * tol:
                break
            previous_dual = self.dual
        return is_closed

    def _store(self, alpha: Floats) -> None:
        """Store the weights of planes and unit planes, and compute w from them."""
        n = self._n_planes
        self._alpha[:n], self._unit_alpha = alpha[:n], alpha[n:].copy()
        self._primal = self._alpha[:n] @ self._gradients[:n]
        self._primal[self._units] += self._unit_alpha

    def _dual_gradient(self, losses: Floats) -> Floats:
        """Return losses − Gα, computed from w, because sums over the Gram matrix are less exact."""
        products = self._gradients[: self._n_planes] @ self._primal
        gradient: Floats = losses - np.append(products, self._primal[self._units])
        return gradient

    def _add_units(self, tol: float) -> bool:
        """Add unit planes for negative coordinates without one; return whether there were any."""
        largest_push = self._caps.sum() * np.abs(self._gradients[: self._n_planes]).max(
            axis=0, initial=0.0
        )
        # Coordinates so close to 0 that `coef` can clip them: together this costs less than `tol`.
        is_negative = -self._primal * largest_push > 0.5 * tol / max(len(self._primal), 1)
        is_negative[self._units] = False
        new_units = np.flatnonzero(is_negative)
        self._units = np.append(self._units, new_units)
        self._unit_alpha = np.append(self._unit_alpha, np.zeros(len(new_units)))
        return len(new_units) > 0

    def _grow(self) -> None:
        """Make room for more planes."""
        size = len(self._losses) + max(8, len(self._losses) // 2)
        n = self._n_planes
        gradients, gram = np.zeros((size, self._gradients.shape[1])), np.zeros((size, size))
        gradients[:n], gram[:n, :n] = self._gradients, self._gram
        self._gradients, self._gram = gradients, gram
        self._losses, self._alpha = _extend(self._losses, size), _extend(self._alpha, size)
        self._block, self._idle = _extend(self._block, size), _extend(self._idle, size)


def _extend(values: NDArray[Any], size: int) -> NDArray[Any]:
    extended = np.zeros(size, dtype=values.dtype)
    extended[: len(values)] = values
    return extended
