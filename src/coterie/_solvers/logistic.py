"""Logistic regression with weights and an L2 penalty, by Newton's method."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from coterie._core.arrays import Bools, Floats

MAX_STEPS, MAX_HALVINGS = 100, 30
"""The largest number of Newton steps, and of halvings of one step."""

ENOUGH = 1e-4
"""The share of the expected decrease of the loss that a step must reach (Armijo's rule)."""

FLAT = 1e-5
"""Rows with less than this share of the largest curvature are left out of the Hessian."""


class LogisticFit(NamedTuple):
    """The coef of each column, the intercept, and the number of Newton steps."""

    coef: Floats
    intercept: float
    n_steps: int


def fit_logistic(
    matrix: NDArray[np.float32],
    targets: Bools,
    weights: Floats,
    C: float,
    start: LogisticFit | None = None,
    tol: float = 1e-6,
) -> LogisticFit:
    """Minimise Σ weight · log loss + ‖coef‖² / (2 C) to a relative gap of about `tol`.

    Products with the matrix use 32 bits, and all else 64. Most pairs of a table are so surely apart
    that their curvature is nearly 0; without them, a Hessian takes a fraction of the time. The
    gradient has all rows, so that the minimum is the same. Each step is halved until the loss
    decreases enough; the step is a descent direction for any positive definite Hessian.
    """
    coef = np.zeros(matrix.shape[1] + 1)
    if start is not None:
        coef = np.append(start.coef, start.intercept)
    descent = _Descent(matrix, targets, weights, np.append(np.full(len(coef) - 1, 1.0 / C), 0.0))
    descent.move(coef, _products(matrix, coef))
    while descent.n_steps < MAX_STEPS and descent.step(tol):
        pass
    return LogisticFit(descent.coef[:-1], float(descent.coef[-1]), descent.n_steps)


class _Descent:
    """A run of Newton's method; `coef` has the intercept last."""

    coef: Floats
    log_odds: Floats
    loss: float

    def __init__(
        self, matrix: NDArray[np.float32], targets: Bools, weights: Floats, penalty: Floats
    ) -> None:
        self._matrix, self._targets = matrix, targets
        self._weights, self._penalty = weights, penalty
        self.n_steps = 0

    def move(self, coef: Floats, log_odds: Floats) -> None:
        self.coef, self.log_odds, self.loss = coef, log_odds, self._loss(coef, log_odds)

    def step(self, tol: float) -> bool:
        """Take a step; return False if there is hardly anything to gain."""
        probabilities = expit(self.log_odds)
        residuals = self._weights * (probabilities - self._targets)
        gradient = np.append(residuals.astype(np.float32) @ self._matrix, residuals.sum())
        gradient += self._penalty * self.coef
        curvature = self._weights * probabilities * (1.0 - probabilities)
        hessian = _hessian(self._matrix, curvature, self._penalty)
        direction = cho_solve(cho_factor(hessian), gradient)
        decrement = float(gradient @ direction)
        if decrement <= tol * max(self.loss, tol):
            return False
        self.n_steps += 1
        return self._search(direction, decrement)

    def _search(self, direction: Floats, decrement: float) -> bool:
        """Halve a step until the loss decreases enough; return False if it never does."""
        change = _products(self._matrix, direction)
        for size in 0.5 ** np.arange(MAX_HALVINGS):
            coef, log_odds = self.coef - size * direction, self.log_odds - size * change
            if self._loss(coef, log_odds) <= self.loss - ENOUGH * size * decrement:
                self.move(coef, log_odds)
                return True
        return False  # rounding keeps the loss from any further decrease

    def _loss(self, coef: Floats, log_odds: Floats) -> float:
        losses = np.logaddexp(0.0, np.where(self._targets, -log_odds, log_odds))
        return float(self._weights @ losses + 0.5 * self._penalty @ (coef * coef))


def _products(matrix: NDArray[np.float32], coef: Floats) -> Floats:
    products: Floats = (matrix @ coef[:-1].astype(np.float32)).astype(np.float64) + coef[-1]
    return products


def _hessian(matrix: NDArray[np.float32], curvature: Floats, penalty: Floats) -> Floats:
    """Return the second derivatives, with an intercept as the last column."""
    rows = np.flatnonzero(curvature > FLAT * curvature.max(initial=0.0))
    roots = np.sqrt(curvature[rows]).astype(np.float32)
    scaled = np.empty((len(rows), matrix.shape[1] + 1), dtype=np.float32)
    np.multiply(matrix[rows], roots[:, None], out=scaled[:, :-1])
    scaled[:, -1] = roots
    hessian: Floats = (scaled.T @ scaled).astype(np.float64)
    # A little more than rounding errors of 32 bits, so that the matrix is positive definite.
    ridge = np.finfo(np.float32).eps * hessian.trace() + np.finfo(np.float64).tiny
    hessian[np.diag_indices_from(hessian)] += penalty + ridge
    return hessian
