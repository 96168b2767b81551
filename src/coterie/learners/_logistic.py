"""The plain pair classifier that the other learners are held against and begin from."""

from typing import Any, Self

from sklearn.linear_model import LogisticRegression

from coterie._types import Featurizer
from coterie.features.given import GivenFeatures, Scaled
from coterie.learners.pairwise import PairwiseClustering

MAX_ITER = 1000

FEW_COLUMNS = 300
"""Up to how many columns Newton's steps cost less than the many more of L-BFGS."""


class QuickLogistic(LogisticRegression):  # type: ignore[misc]
    """Logistic regression by Newton's method where there are few columns, else by L-BFGS.

    Comparisons of the same two values are much alike, and L-BFGS takes hundreds of steps to tell
    them apart, or stops before.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit, by the solver that suits the number of columns."""
        self.solver = "newton-cholesky" if X.shape[1] <= FEW_COLUMNS else "lbfgs"
        super().fit(X, y, sample_weight)
        return self


def scaled_logistic(featurizer: Featurizer | None = None, **params: Any) -> PairwiseClustering:
    """Return logistic regression of the scaled features of pairs; None takes the given ones."""
    base = GivenFeatures() if featurizer is None else featurizer
    return PairwiseClustering(
        classifier=QuickLogistic(max_iter=MAX_ITER), featurizer=Scaled(base), **params
    )
