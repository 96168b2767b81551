"""What a classifier says of pairs."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from scipy.special import logit

from coterie._core.arguments import as_real
from coterie._core.arrays import Floats
from coterie._types import Features, Featurizer
from coterie.exceptions import InputError
from coterie.features.featurizer import as_featurizer
from coterie.features.operators import taken, written
from coterie.features.operators.blocks import row_blocks
from coterie.similarities.base import FeatureSimilarity

_CERTAIN = 36.0
"""The log-odds that stand for certainty: beyond them a probability is rounded to 1."""


@dataclass(frozen=True, eq=False, repr=False)
class ClassifierSimilarity(FeatureSimilarity):
    """Score a pair by a classifier of its features: apart or together.

    The score is the classifier's `decision_function`, else the log-odds log p/(1 − p) of its
    `predict_proba`, from −36 to 36; less a threshold. Pairs are written out, some at a time.

    Parameters
    ----------
    featurizer
        Computes the features of pairs; a fitted one.
    classifier
        A fitted scikit-learn classifier of two classes, of which the second is together.
    threshold
        What is subtracted from its scores.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> from coterie.features import GivenFeatures
    >>> class Half:
    ...     classes_ = (False, True)
    ...     def predict_proba(self, features):
    ...         return np.full((len(features), 2), 0.5)
    >>> similarity = ClassifierSimilarity(GivenFeatures(), Half())
    >>> similarity
    ClassifierSimilarity(Half)
    >>> similarity(ItemSet([[1.0], [3.0], [5.0]]))
    array([0., 0., 0.])
    """

    featurizer: Featurizer
    classifier: Any
    threshold: float = 0.0

    def __post_init__(self) -> None:
        as_featurizer(self.featurizer)
        object.__setattr__(self, "threshold", as_real("threshold", self.threshold, low=-inf))
        known = [hasattr(self.classifier, name) for name in ("decision_function", "predict_proba")]
        if isinstance(self.classifier, type) or not any(known):
            raise InputError(
                f"the classifier is {self.classifier!r}; give a fitted one, with decision_function "
                "or predict_proba"
            )

    def __repr__(self) -> str:
        return f"ClassifierSimilarity({type(self.classifier).__name__})"

    def _scores(self, features: Features) -> Floats:
        scores = np.zeros(features.shape[0])
        for rows in row_blocks(*features.shape):
            block = written(taken(features, np.arange(rows.start, rows.stop)))
            scores[rows] = self._classified(block) - self.threshold
        return scores

    def _classified(self, matrix: Any) -> Floats:
        if not hasattr(self.classifier, "decision_function"):
            odds = logit(self._together(np.asarray(self.classifier.predict_proba(matrix))))
            return np.asarray(np.clip(odds, -_CERTAIN, _CERTAIN))
        scores = np.asarray(self.classifier.decision_function(matrix))
        if scores.shape != (matrix.shape[0],):
            raise InputError(
                f"decision_function has shape {scores.shape} for {matrix.shape[0]} pairs; give a "
                "classifier of two classes, apart and together"
            )
        return scores

    def _together(self, probabilities: Floats) -> Floats:
        """Take the column of the second class, or what one class alone tells of it."""
        if probabilities.ndim == 2 and probabilities.shape[1] == 2:
            return probabilities[:, 1]
        if probabilities.ndim == 2 and probabilities.shape[1] == 1:
            only = probabilities[:, 0]
            return only if self.classifier.classes_[0] else 1.0 - only
        raise InputError(
            f"predict_proba has shape {probabilities.shape}; give a classifier of two classes, "
            "apart and together"
        )
