"""What fits the curve of a calibration: Platt's logistic one, or any that never falls."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats
from coterie._core.values import Value
from coterie.calibrations import Calibration, Isotonic, Logistic
from coterie.exceptions import InputError

MOST_STEPS = 100
LEAST_GAIN = 1e-14
"""Of the log loss a point: steps that promise less are not made."""


class CurveFit(Protocol):
    """Finds the curve from scores to what they turned out to be worth."""

    def fit(self, scores: ArrayLike, targets: ArrayLike, /) -> Calibration:
        """Fit the curve to scores and to what they turned out to be: 0, 1 or a share."""


@dataclass(frozen=True)
class Platt(Value):
    """Fit a logistic curve, 1 / (1 + exp(−(slope · score + intercept))), by maximum likelihood.

    As Platt 1999 does, the targets are (N₊ + 1) / (N₊ + 2) for the N₊ scores of 1 and 1 / (N₋ + 2)
    for the N₋ of 0, so that nothing is ever certain, and in between for shares. A slope below 0
    would say that scores mislead: then it is 0, the best of the others.

    Examples
    --------
    >>> curve = Platt().fit([-1.0, 0.0, 1.0, 2.0], [0, 1, 0, 1])
    >>> curve([-1.0, 2.0]).round(2)
    array([0.35, 0.65])
    """

    def fit(self, scores: ArrayLike, targets: ArrayLike) -> Logistic:
        """Fit the curve to scores and to what they turned out to be: 0, 1 or a share."""
        values, shares = _as_points(scores, targets)
        smoothed = _smoothed(shares)
        level = float(logit(smoothed.mean())) if len(values) else 0.0
        centre, spread = (values.mean(), values.std()) if len(values) else (0.0, 0.0)
        if spread <= 1e-12 * abs(centre):  # all scores are the same
            return Logistic(0.0, level)
        intercept, slope = _most_likely((values - centre) / spread, smoothed, level)
        if slope <= 0.0:
            return Logistic(0.0, level)
        return Logistic(slope / spread, intercept - slope * centre / spread)


@dataclass(frozen=True)
class PAV(Value):
    """Fit a curve that never falls by least squares: isotonic regression, by pooling neighbours.

    Its levels are shares of the points in blocks (Ayer et al. 1955; Zadrozny & Elkan 2002). Of the
    first and the last block, with n points, the level is kept from 1 / (n + 2) to (n + 1) / (n + 2)
    as far as their neighbours allow, so that nothing is ever certain. It follows any shape, and
    needs more points than `Platt`: some thousand.

    Examples
    --------
    >>> curve = PAV().fit([-1.0, 0.0, 1.0, 2.0], [0, 1, 0, 1])
    >>> curve([-1.0, 0.0, 1.0, 2.0]).round(2)
    array([0.33, 0.5 , 0.5 , 0.67])
    """

    def fit(self, scores: ArrayLike, targets: ArrayLike) -> Isotonic:
        """Fit the curve to scores and to what they turned out to be: 0, 1 or a share."""
        values, shares = _as_points(scores, targets)
        if not len(values):
            return Isotonic([0.0], [0.5])  # type: ignore[arg-type]
        ordered, ranks = np.unique(values, return_inverse=True)
        # By ranks, since scikit-learn takes scores that differ by less than 1e-15 for equal.
        fitted = IsotonicRegression(y_min=0.0, y_max=1.0).fit(ranks.astype(np.float64), shares)
        knots, levels = ordered[fitted.X_thresholds_.astype(np.intp)], fitted.y_thresholds_.copy()
        first, last = levels == levels[0], levels == levels[-1]
        n_first = np.count_nonzero(values <= knots[first][-1])
        n_last = np.count_nonzero(values >= knots[last][0])
        least, most = 1.0 / (n_first + 2), (n_last + 1) / (n_last + 2)
        if first.all():
            return Isotonic(knots, levels.clip(least, most))
        levels[first] = min(max(levels[0], least), levels[~first][0])
        levels[last] = max(min(levels[-1], most), levels[~last][-1])
        return Isotonic(knots, levels)


def _smoothed(shares: Floats) -> Floats:
    """Move 0 and 1 inwards as Platt 1999 does, and what is between in proportion."""
    ones = float(shares.sum())
    high, low = (ones + 1.0) / (ones + 2.0), 1.0 / (len(shares) - ones + 2.0)
    return low + (high - low) * shares


def _most_likely(scores: Floats, targets: Floats, level: float) -> tuple[float, float]:
    """Return the intercept and the slope of least log loss, by Newton's steps.

    The targets are above 0 and below 1, so that the least loss is reached.
    """
    rows = np.vstack([np.ones(len(scores)), scores])

    def loss(weights: Floats) -> float:
        odds = weights @ rows
        return float(np.sum(np.logaddexp(0.0, odds) - targets * odds))

    weights = np.array([level, 0.0])
    value = loss(weights)
    for _ in range(MOST_STEPS):
        expected = expit(weights @ rows)
        gradient = rows @ (expected - targets)
        curvature = (rows * (expected * (1.0 - expected))) @ rows.T
        step = np.linalg.lstsq(curvature, gradient)[0]
        while gradient @ step > LEAST_GAIN * len(targets):
            lower = loss(weights - step)
            if lower <= value - 1e-4 * float(gradient @ step):
                break
            step = step / 2.0
        else:
            break
        weights, value = weights - step, lower
    return float(weights[0]), float(weights[1])


def _as_points(scores: ArrayLike, targets: ArrayLike) -> tuple[Floats, Floats]:
    values, shares = as_floats("scores", scores), as_floats("targets", targets)
    if values.ndim != 1 or values.shape != shares.shape:
        raise InputError(
            f"scores have shape {values.shape} and targets {shares.shape}; give one target a score"
        )
    if not np.isfinite(values).all():
        raise InputError("scores have a NaN or an infinite number; give finite ones")
    if not (np.all(shares >= 0) and np.all(shares <= 1)):
        raise InputError("targets must be 0, 1 or a share in between; give such ones")
    return values, shares
