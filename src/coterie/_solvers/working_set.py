"""The cutting planes of a structural SVM, and the quadratic program over them."""

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Floats, Ints
from coterie._kernels.linear.dual_ascent import ascend
from coterie._solvers.leap import leap

STEPS_PER_PLANE = 5
MOST_ROUNDS = 1000
"""After how many rounds an ascent ends, whatever its gap: the dual is a bound all the same."""


class WorkingSet:
    """Planes that bound slacks from below, and the coef of least objective under them.

    min ½‖w‖² + Σ_b cap_b ξ_b over w and ξ ≥ 0, where each plane of block b asks for
    ξ_b ≥ loss − gradient·w. Solved in the dual: max lossesᵀα − ½‖Σ α gradient‖² with Σ α ≤ cap in
    each block. The Gram matrix of the planes only grows by rows, and every solution starts from
    the last.

    With `nonnegative`, w ≥ 0 too. A coordinate that would fall below 0 gets a plane of its own,
    whose gradient is a unit vector, whose loss is 0, and whose slack is as costly as needed.

    Parameters
    ----------
    n_columns
        Length of w.
    caps
        What one unit of each block's slack costs.
    nonnegative
        Whether no coordinate of w may be negative.
    """

    def __init__(self, n_columns: int, caps: Floats, nonnegative: bool = False) -> None:
        self._caps = np.array(caps, dtype=np.float64)
        self._nonnegative = nonnegative
        self._n_blocks = len(caps)
        self._gradients = np.zeros((8, n_columns))
        self._gram = np.zeros((8, 8))
        self._losses = np.zeros(8)
        self._alpha = np.zeros(8)
        self._block = np.zeros(8, dtype=np.intp)
        self._idle = np.zeros(8, dtype=np.intp)
        self._n_planes = 0
        self._units: Ints = np.zeros(0, dtype=np.intp)
        self._unit_alpha = np.zeros(0)
        self._free = np.zeros(n_columns)

    def __len__(self) -> int:
        return self._n_planes

    @property
    def coef(self) -> Floats:
        """The best w for the planes; a copy."""
        return np.maximum(self._free, 0.0) if self._nonnegative else self._free.copy()

    @property
    def dual(self) -> float:
        """The value of the dual: a lower bound on the objective, whatever planes are missing."""
        n = self._n_planes
        return float(self._losses[:n] @ self._alpha[:n] - 0.5 * self._free @ self._free)

    def slacks(self, coef: Floats) -> Floats:
        """Return the slack of each block that the planes ask for at some coef."""
        n = self._n_planes
        asked = self._losses[:n] - self._gradients[:n] @ coef
        slacks = np.zeros(self._n_blocks)
        np.maximum.at(slacks, self._block[:n], asked)
        return slacks

    def add(self, block: int, gradient: Floats, loss: float) -> None:
        """Add a plane; the next `solve` heeds it."""
        n = self._n_planes
        if n == len(self._losses):
            self._grow()
        self._gradients[n] = gradient
        self._gram[n, : n + 1] = self._gram[: n + 1, n] = self._gradients[: n + 1] @ gradient
        self._losses[n], self._block[n] = loss, block
        self._alpha[n], self._idle[n] = 0.0, 0
        self._n_planes += 1

    def solve(self, tol: float) -> bool:
        """Find the best w up to a duality gap of `tol`; tell whether rounding let that happen."""
        closed = self._ascend(tol)
        while self._nonnegative and self._add_units(tol):
            closed = self._ascend(tol)
        n = self._n_planes
        self._idle[:n] = np.where(self._alpha[:n] > 0, 0, self._idle[:n] + 1)
        return closed

    def rescale(self, factor: float) -> None:
        """Multiply all caps; the last solution is scaled with them, and stays feasible."""
        for values in (self._caps, self._alpha, self._unit_alpha, self._free):
            np.multiply(values, factor, out=values)

    def purge(self, idle: int) -> None:
        """Drop the planes that have carried no weight in the last `idle` solutions."""
        n = self._n_planes
        kept = np.flatnonzero(self._idle[:n] < idle)
        if len(kept) == n:
            return
        m = self._n_planes = len(kept)
        self._gradients[:m] = self._gradients[kept]
        self._gram[:m, :m] = self._gram[np.ix_(kept, kept)]
        for values in (self._losses, self._alpha, self._block, self._idle):
            values[:m] = values[kept]

    def _ascend(self, tol: float) -> bool:
        """Raise the dual over planes and units together; tell whether the gap is closed."""
        n, units = self._n_planes, self._units
        gram, losses, blocks = self._gram, self._losses[:n], self._block[:n]
        caps, alpha = self._caps, self._alpha[:n]
        if len(units):
            across = self._gradients[:n, units]
            gram = np.block([[gram[:n, :n], across], [across.T, np.eye(len(units))]])
            losses = np.append(losses, np.zeros(len(units)))
            blocks = np.append(blocks, self._n_blocks + np.arange(len(units)))
            # No unit needs more than the planes can push its coordinate down.
            caps = np.append(caps, caps.sum() * np.abs(across).max(axis=0, initial=0.0))
            alpha = np.append(alpha, self._unit_alpha)
        n_steps, reached = STEPS_PER_PLANE * len(losses) + 100, -inf
        for _ in range(MOST_ROUNDS):
            self._keep(alpha)
            closed = bool(ascend(gram, self._slopes(losses), blocks, caps, alpha, tol, n_steps))
            if not closed:
                leap(gram, losses, blocks, caps, alpha)
            self._keep(alpha)
            if closed or self.dual <= reached + 0.01 * tol:
                break
            reached = self.dual
        return closed

    def _keep(self, alpha: Floats) -> None:
        n = self._n_planes
        self._alpha[:n], self._unit_alpha = alpha[:n], alpha[n:].copy()
        self._free = self._alpha[:n] @ self._gradients[:n]
        self._free[self._units] += self._unit_alpha

    def _slopes(self, losses: Floats) -> Floats:
        """Return the gradient of the dual, by w: sums over the Gram matrix are less exact."""
        pushed = self._gradients[: self._n_planes] @ self._free
        slopes: Floats = losses - np.append(pushed, self._free[self._units])
        return slopes

    def _add_units(self, tol: float) -> bool:
        """Give every negative coordinate without one a unit plane; tell whether there was any."""
        pushed = self._caps.sum() * np.abs(self._gradients[: self._n_planes]).max(
            axis=0, initial=0.0
        )
        # What clipping the others costs adds up to less than the tolerance.
        negative = -self._free * pushed > 0.5 * tol / max(len(self._free), 1)
        negative[self._units] = False
        found = np.flatnonzero(negative)
        self._units = np.append(self._units, found)
        self._unit_alpha = np.append(self._unit_alpha, np.zeros(len(found)))
        return len(found) > 0

    def _grow(self) -> None:
        size = len(self._losses) + max(8, len(self._losses) // 2)
        n = self._n_planes
        gradients, gram = np.zeros((size, self._gradients.shape[1])), np.zeros((size, size))
        gradients[:n], gram[:n, :n] = self._gradients, self._gram
        self._gradients, self._gram = gradients, gram
        self._losses, self._alpha = _longer(self._losses, size), _longer(self._alpha, size)
        self._block, self._idle = _longer(self._block, size), _longer(self._idle, size)


def _longer(values: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.zeros(size, dtype=values.dtype)
    longer[: len(values)] = values
    return longer
