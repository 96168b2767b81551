"""The plain pair classifier that the other learners are held against and begin from."""

from typing import Any

from sklearn.linear_model import LogisticRegression

from coterie._types import Featurizer
from coterie.features.given import GivenFeatures, Scaled
from coterie.learners.pairwise import PairwiseClustering

MAX_ITER = 1000


def scaled_logistic(featurizer: Featurizer | None = None, **params: Any) -> PairwiseClustering:
    """Return logistic regression of the scaled features of pairs; None takes the given ones."""
    base = GivenFeatures() if featurizer is None else featurizer
    return PairwiseClustering(
        classifier=LogisticRegression(max_iter=MAX_ITER), featurizer=Scaled(base), **params
    )
