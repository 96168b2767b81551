"""Logistic regression of a sample of pairs, for several penalties."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Ints
from coterie._solvers.logistic import LogisticFit, fit_logistic
from coterie.learners.sampled.pools import PairSample
from coterie.learners.sampled.scorers import LinearScorer, PairScorer, deviations

PATHS = {"quick": (0.003, 0.1), "normal": (0.001, 0.01, 0.1, 1.0)}
"""The values of C of each effort: the weight of the loss of a pair against ½‖w‖²."""


def fit(
    sample: PairSample,
    labels: Ints,  # noqa: ARG001
    path: Sequence[float],
    random_state: int,  # noqa: ARG001
) -> list[PairScorer]:
    """Fit to columns of standard deviation 1, for each C from the one before, until it converges.

    Newton's method needs a few steps where L-BFGS needs hundreds, because columns are correlated.
    """
    scale = deviations(sample)
    scaled: NDArray[np.float32] = np.divide(sample.matrix, scale, dtype=np.float32)
    fitted: LogisticFit | None = None
    scorers: list[PairScorer] = []
    for C in path:
        fitted = fit_logistic(scaled, sample.together, sample.weights, C, fitted)
        scorers.append(LinearScorer(fitted.coef / scale, fitted.intercept))
    return scorers
