"""Functions from features to scores, which are learned from a sample of pairs."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._core.arrays import Floats
from coterie._solvers.logistic import fit_logistic
from coterie._types import Featurizer
from coterie.learners.sampled.pools import PairSample
from coterie.similarities import LinearSimilarity
from coterie.similarities.trees import Trees, TreeSimilarity

LARGE_C = 1e6
"""The weight of the loss against the penalty of a curve of one variable: hardly any penalty."""

BLOCK = 4096
"""The number of rows whose sums are computed at once."""

MIN_VARIANCE = 1e-12
"""The least variance of a column, relative to its squared mean; columns below it are constant."""


class PairScorer(ABC):
    """Scores the rows of a matrix of features."""

    @abstractmethod
    def __call__(self, matrix: Any) -> Floats:
        """Return one score per row."""

    @abstractmethod
    def similarity(self, featurizer: Featurizer) -> Any:
        """Return the similarity with these scores, whose features a featurizer computes."""


@dataclass(frozen=True, eq=False)
class LinearScorer(PairScorer):
    """Score by a weighted sum of the features."""

    coef: Floats
    bias: float

    def __call__(self, matrix: Any) -> Floats:
        """Return one score per row."""
        scores = matrix @ self.coef.astype(matrix.dtype)
        return np.asarray(scores, dtype=np.float64) + self.bias

    def similarity(self, featurizer: Featurizer) -> LinearSimilarity:
        """Return the similarity with these scores, whose features a featurizer computes."""
        return LinearSimilarity(featurizer, self.coef, self.bias)


@dataclass(frozen=True, eq=False)
class TreeScorer(PairScorer):
    """Score by a sum of trees."""

    trees: Trees
    bias: float

    def __call__(self, matrix: Any) -> Floats:
        """Return one score per row."""
        return self.trees(matrix) + self.bias

    def similarity(self, featurizer: Featurizer) -> TreeSimilarity:
        """Return the similarity with these scores, whose features a featurizer computes."""
        return TreeSimilarity(featurizer, self.trees, self.bias)


def deviations(sample: PairSample) -> Floats:
    """Return the standard deviation of each column over all pairs; 1 for constant columns."""
    shares = sample.weights / sample.weights.sum()
    # Block by block, since sums need 64 bits, and the whole matrix in 64 bits is large.
    blocks = [slice(start, start + BLOCK) for start in range(0, len(shares), BLOCK)]
    mean = sum(shares[rows] @ sample.matrix[rows].astype(np.float64) for rows in blocks)
    variance = sum(shares[rows] @ np.square(sample.matrix[rows] - mean) for rows in blocks)
    return np.where(variance > MIN_VARIANCE * mean**2, np.sqrt(variance), 1.0)


def log_loss(scores: Floats, sample: PairSample) -> float:
    """Return the mean log loss of scores over all pairs, after the best logistic curve.

    The curve makes learners comparable whose scores are not log-odds.
    """
    column = (scores / max(float(np.abs(scores).max(initial=0.0)), 1.0)).astype(np.float32)[:, None]
    curve = fit_logistic(column, sample.together, sample.weights, LARGE_C)
    log_odds = column[:, 0] * curve.coef[0] + curve.intercept
    losses = np.logaddexp(0.0, np.where(sample.together, -log_odds, log_odds))
    return float(np.average(losses, weights=sample.weights))
