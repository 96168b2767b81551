"""The softmax over the outputs of a classifier, which makes them probabilities."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from coterie._core.arrays import Floats
from coterie.exceptions import InputError


class Softmax(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Turn the outputs of a classifier of two classes into probabilities, by the softmax.

    The distance 1 − p of Li & Roth 2005, section 2.2. A classifier with two outputs, one for each
    class, has p = exp f₁ / (exp f₀ + exp f₁) = σ(f₁ − f₀). For a classifier with a single decision
    value f, the outputs are −f/2 and f/2, so that p = σ(f). In `PairwiseClustering`, the score of a
    pair is p − ½.

    The softmax does not change the order of pairs. So single and complete linkage with a given
    number of clusters find the same clusters as without it; other clusterers may find different
    ones. Pairs tie if their p round to the same number: above |f| = 37 or so, all scores are ½ or
    −½. If there are many ties, use a classifier with smaller outputs, such as `Winnow` with a
    smaller threshold.

    Parameters
    ----------
    classifier
        Any scikit-learn classifier that has `decision_function`; a copy of it is fitted.

    Attributes
    ----------
    classifier_
        The fitted classifier.
    classes_
        Its two classes, in order.

    Examples
    --------
    >>> from sklearn.linear_model import Perceptron
    >>> softmax = Softmax(Perceptron()).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> softmax.classifier_.decision_function([[1.0], [2.0]])
    array([-1.,  1.])
    >>> softmax.predict_proba([[1.0], [2.0]]).round(2)
    array([[0.73, 0.27],
           [0.27, 0.73]])
    """

    classifier_: Any

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier to examples, with one row per example, and their classes."""
        fitted = _clone_classifier(self.classifier).fit(X, y)
        if len(fitted.classes_) != 2:
            # The checks of scikit-learn require the first words of this error.
            raise InputError(
                f"Only binary classification is supported, but y has {len(fitted.classes_)} "
                "classes; give examples of two classes"
            )
        self.classifier_ = fitted
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities 1 − p and p of the two classes, one row per example."""
        decisions = self._decisions(X)
        return np.column_stack([expit(-decisions), expit(decisions)])

    def decision_function(self, X: Any) -> Floats:
        """Return p − ½: positive where the second class is more probable."""
        # σ(f) − ½ = ½ tanh(f/2), which does not lose the sign of a small f.
        halves: Floats = 0.5 * np.tanh(0.5 * self._decisions(X))
        return halves

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the more probable class; the first one if both have the same probability."""
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.intp)]

    @property
    def classes_(self) -> NDArray[Any]:
        """The two classes, in order."""
        classes: NDArray[Any] = self.classifier_.classes_
        return classes

    @property
    def n_features_in_(self) -> int:
        """The number of columns that the classifier was fitted to."""
        count: int = self.classifier_.n_features_in_
        return count

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.classifier).input_tags
        tags.classifier_tags.multi_class = False
        return tags

    def _decisions(self, X: Any) -> Floats:
        """Return the output for the second class minus the output for the first."""
        check_is_fitted(self, "classifier_")
        outputs = np.asarray(self.classifier_.decision_function(X), dtype=np.float64)
        return outputs[:, 1] - outputs[:, 0] if outputs.ndim == 2 else outputs


def _clone_classifier(classifier: Any) -> Any:
    methods = ("fit", "get_params", "decision_function")
    if isinstance(classifier, type) or not all(hasattr(classifier, name) for name in methods):
        raise InputError(
            f"the classifier is {classifier!r}; give a scikit-learn classifier with "
            "decision_function, such as Perceptron()"
        )
    return clone(classifier)
