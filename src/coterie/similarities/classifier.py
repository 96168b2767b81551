"""Scores of pairs by a scikit-learn classifier."""

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
from coterie.features.operators import select_rows, to_matrix
from coterie.features.operators.blocks import row_blocks
from coterie.similarities.base import FeatureSimilarity

MAX_LOG_ODDS = 36.0
"""The log-odds of certainty: the probability of higher log-odds is rounded to 1."""


@dataclass(frozen=True, eq=False, repr=False)
class ClassifierSimilarity(FeatureSimilarity):
    """Score a pair by a classifier of pairs, with the classes apart and together.

    The score is the value of the classifier's `decision_function` minus a threshold. Without a
    `decision_function`, the log-odds log(p / (1 − p)) of its `predict_proba` are used instead,
    limited to −36 to 36. Features are written out as matrices, some pairs at a time.

    Parameters
    ----------
    featurizer
        A fitted featurizer, which computes the features of pairs.
    classifier
        A fitted scikit-learn classifier of two classes; the second class is together.
    threshold
        The number subtracted from its scores.

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
        methods = ("decision_function", "predict_proba")
        has_method = any(hasattr(self.classifier, method) for method in methods)
        if isinstance(self.classifier, type) or not has_method:
            raise InputError(
                f"the classifier is {self.classifier!r}; give a fitted classifier with "
                "decision_function or predict_proba"
            )

    def __repr__(self) -> str:
        return f"ClassifierSimilarity({type(self.classifier).__name__})"

    def _scores(self, features: Features) -> Floats:
        scores = np.zeros(features.shape[0])
        for rows in row_blocks(*features.shape):
            block = to_matrix(select_rows(features, np.arange(rows.start, rows.stop)))
            scores[rows] = self._classifier_scores(block) - self.threshold
        return scores

    def _classifier_scores(self, matrix: Any) -> Floats:
        if not hasattr(self.classifier, "decision_function"):
            probabilities = np.asarray(self.classifier.predict_proba(matrix))
            log_odds = logit(self._probability_together(probabilities))
            return np.asarray(np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS))
        scores = np.asarray(self.classifier.decision_function(matrix))
        if scores.shape != (matrix.shape[0],):
            raise InputError(
                f"decision_function returned shape {scores.shape} for {matrix.shape[0]} "
                "pairs; give a classifier with two classes: pairs that belong together, and "
                "other pairs"
            )
        return scores

    def _probability_together(self, probabilities: Floats) -> Floats:
        """Return the probability of the class together.

        A classifier that was fitted to one class has one column, for apart or for together.
        """
        if probabilities.ndim == 2 and probabilities.shape[1] == 2:
            return probabilities[:, 1]
        if probabilities.ndim == 2 and probabilities.shape[1] == 1:
            column = probabilities[:, 0]
            return column if self.classifier.classes_[0] else 1.0 - column
        raise InputError(
            f"predict_proba returned shape {probabilities.shape}; give a classifier with two "
            "classes: pairs that belong together, and other pairs"
        )
