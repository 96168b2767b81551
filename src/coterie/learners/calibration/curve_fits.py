"""Methods that fit the curve of a calibration: Platt's logistic curve, and isotonic regression."""

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

MAX_STEPS = 100
"""The largest number of Newton steps."""

MIN_GAIN = 1e-14
"""The smallest decrease of the mean log loss, to first order, for which a step is taken."""


class CurveFit(Protocol):
    """A method that finds the curve from scores to probabilities."""

    def fit(self, scores: ArrayLike, targets: ArrayLike, /) -> Calibration:
        """Fit the curve to scores and their targets, which are numbers from 0 to 1."""


@dataclass(frozen=True)
class Platt(Value):
    """Fit a logistic curve, 1 / (1 + exp(−(slope · score + intercept))), by maximum likelihood.

    As in Platt 1999, targets are smoothed, so that no probability is 0 or 1: the N₊ targets 1
    become (N₊ + 1) / (N₊ + 2), the N₋ targets 0 become 1 / (N₋ + 2), and targets in between are
    moved in proportion. The slope is at least 0: if the likelihood is highest at a negative slope,
    the curve is constant.

    Examples
    --------
    >>> curve = Platt().fit([-1.0, 0.0, 1.0, 2.0], [0, 1, 0, 1])
    >>> curve([-1.0, 2.0]).round(2)
    array([0.35, 0.65])
    """

    def fit(self, scores: ArrayLike, targets: ArrayLike) -> Logistic:
        """Fit the curve to scores and their targets, which are numbers from 0 to 1."""
        values, shares = _as_points(scores, targets)
        smoothed = _smooth(shares)
        base_log_odds = float(logit(smoothed.mean())) if len(values) else 0.0
        centre, spread = (values.mean(), values.std()) if len(values) else (0.0, 0.0)
        if spread <= 1e-12 * abs(centre):  # all scores are the same
            return Logistic(0.0, base_log_odds)
        # Newton's method works on standardised scores; the curve is converted back at the end.
        intercept, slope = _maximise_likelihood((values - centre) / spread, smoothed, base_log_odds)
        if slope <= 0.0:
            return Logistic(0.0, base_log_odds)
        return Logistic(slope / spread, intercept - slope * centre / spread)


@dataclass(frozen=True)
class PAV(Value):
    """Fit a curve that never falls by least squares (isotonic regression).

    The pool-adjacent-violators algorithm divides the points into blocks of successive scores; the
    level of the curve in a block is the mean of its targets (Ayer et al. 1955; Zadrozny & Elkan
    2002). The level of the first block, with n points, is raised to 1 / (n + 2) if it is lower, and
    that of the last block is reduced to (n + 1) / (n + 2) if it is higher, but neither beyond the
    level of the next block. So no probability is 0 or 1. The curve can have any rising shape, but
    needs more points than `Platt`, about a thousand or more.

    Examples
    --------
    >>> curve = PAV().fit([-1.0, 0.0, 1.0, 2.0], [0, 1, 0, 1])
    >>> curve([-1.0, 0.0, 1.0, 2.0]).round(2)
    array([0.33, 0.5 , 0.5 , 0.67])
    """

    def fit(self, scores: ArrayLike, targets: ArrayLike) -> Isotonic:
        """Fit the curve to scores and their targets, which are numbers from 0 to 1."""
        values, shares = _as_points(scores, targets)
        if not len(values):
            return Isotonic([0.0], [0.5])  # type: ignore[arg-type]
        distinct, ranks = np.unique(values, return_inverse=True)
        # Fitted to ranks, because scikit-learn treats scores that differ by less than 1e-15 as
        # equal.
        fitted = IsotonicRegression(y_min=0.0, y_max=1.0).fit(ranks.astype(np.float64), shares)
        knots, levels = distinct[fitted.X_thresholds_.astype(np.intp)], fitted.y_thresholds_.copy()
        is_first, is_last = levels == levels[0], levels == levels[-1]
        n_first = np.count_nonzero(values <= knots[is_first][-1])
        n_last = np.count_nonzero(values >= knots[is_last][0])
        min_level, max_level = 1.0 / (n_first + 2), (n_last + 1) / (n_last + 2)
        if is_first.all():
            return Isotonic(knots, levels.clip(min_level, max_level))
        levels[is_first] = min(max(levels[0], min_level), levels[~is_first][0])
        levels[is_last] = max(min(levels[-1], max_level), levels[~is_last][-1])
        return Isotonic(knots, levels)


def _smooth(shares: Floats) -> Floats:
    """Move targets away from 0 and 1 as in Platt 1999, and those in between in proportion."""
    n_ones = float(shares.sum())
    high, low = (n_ones + 1.0) / (n_ones + 2.0), 1.0 / (len(shares) - n_ones + 2.0)
    return low + (high - low) * shares


def _maximise_likelihood(
    scores: Floats, targets: Floats, base_log_odds: float
) -> tuple[float, float]:
    """Return the intercept and the slope of the smallest log loss, by Newton's method.

    The minimum exists, because all targets are above 0 and below 1.
    """
    design = np.vstack([np.ones(len(scores)), scores])

    def loss_of(weights: Floats) -> float:
        log_odds = weights @ design
        return float(np.sum(np.logaddexp(0.0, log_odds) - targets * log_odds))

    weights = np.array([base_log_odds, 0.0])
    loss = loss_of(weights)
    for _ in range(MAX_STEPS):
        probabilities = expit(weights @ design)
        gradient = design @ (probabilities - targets)
        curvature = (design * (probabilities * (1.0 - probabilities))) @ design.T
        try:
            step = np.linalg.lstsq(curvature, gradient)[0]
        except np.linalg.LinAlgError as error:
            raise InputError(
                f"the scores, up to {np.abs(scores).max():.3g}, are too large for a curve; use "
                "features of a smaller scale, as Scaled(…) makes them"
            ) from error
        # The step is halved until the loss decreases by a minimal share of the linear prediction.
        while gradient @ step > MIN_GAIN * len(targets):
            new_loss = loss_of(weights - step)
            if new_loss <= loss - 1e-4 * float(gradient @ step):
                break
            step = step / 2.0
        else:
            break
        weights, loss = weights - step, new_loss
    return float(weights[0]), float(weights[1])


def _as_points(scores: ArrayLike, targets: ArrayLike) -> tuple[Floats, Floats]:
    values, shares = as_floats("scores", scores), as_floats("targets", targets)
    if values.ndim != 1 or values.shape != shares.shape:
        raise InputError(
            f"scores have shape {values.shape} and targets {shares.shape}; give one target per "
            "score"
        )
    if not np.isfinite(values).all():
        raise InputError("some scores are NaN or infinite; give finite numbers")
    if not (np.all(shares >= 0) and np.all(shares <= 1)):
        raise InputError("some targets are not numbers from 0 to 1; give numbers from 0 to 1")
    return values, shares
