"""A classifier that is fitted to a random sample of the rows."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, assert_all_finite, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.exceptions import InputError


def _if_classifier_has(method: Any) -> Any:
    """Make a method available only if the inner classifier has it, as scikit-learn requires."""

    def has_method(sampled: Any) -> bool:
        return hasattr(getattr(sampled, "classifier_", sampled.classifier), method.__name__)

    return available_if(has_method)(method)


class Sampled(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a classifier to a random sample of at most `n_rows` rows, without replacement.

    Each class keeps its share of the rows, and at least one row. This is for classifiers whose time
    grows faster than the number of rows, such as `SVC` on the pairs of item sets; see
    `PairwiseClustering`. Parameters can be searched outside or inside: `GridSearchCV(Sampled(…))`
    draws a sample in each fold, and `Sampled(GridSearchCV(…))` searches on one sample.

    Parameters
    ----------
    classifier
        Any scikit-learn classifier.
    n_rows
        The largest number of rows in the sample.
    random_state
        The seed of the sample.

    Attributes
    ----------
    classifier_
        The fitted classifier.
    classes_
        The classes.
    n_rows_
        The number of rows in the sample.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> rows = np.arange(1000.0)[:, None]
    >>> sampled = Sampled(SVC(), n_rows=100).fit(rows, rows[:, 0] > 700)
    >>> sampled.n_rows_, sampled.predict([[10.0], [900.0]])
    (100, array([False,  True]))
    """

    classifier_: Any
    n_rows_: int

    def __init__(self, classifier: Any, n_rows: int = 20_000, random_state: int = 0) -> None:
        self.classifier = classifier
        self.n_rows = n_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Draw a sample of the rows, and fit the classifier to it."""
        matrix, labels = indexable(X, column_or_1d(y, warn=True))
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        seed = as_whole("random_state", self.random_state)
        rows = _draw_rows(labels, as_whole("n_rows", self.n_rows, 1), np.random.default_rng(seed))
        self.n_rows_ = len(rows)
        self.classifier_ = clone(self.classifier).fit(_safe_indexing(matrix, rows), labels[rows])
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.classifier).input_tags.sparse
        return tags

    @property
    def classes_(self) -> Any:
        """The classes, in the order of the columns of `predict_proba`."""
        return self.classifier_.classes_

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        return int(self.classifier_.n_features_in_)

    def predict(self, X: Any) -> Any:
        """Return the class of each row."""
        check_is_fitted(self, "classifier_")
        return self.classifier_.predict(X)

    @_if_classifier_has
    def decision_function(self, X: Any) -> Any:
        """Return the decision values of each row."""
        check_is_fitted(self, "classifier_")
        return self.classifier_.decision_function(X)

    @_if_classifier_has
    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class for each row."""
        check_is_fitted(self, "classifier_")
        return self.classifier_.predict_proba(X)


def _draw_rows(labels: Any, n_rows: int, rng: np.random.Generator) -> Ints:
    """Return the indices of the sampled rows, ascending."""
    if len(labels) <= n_rows:
        return np.arange(len(labels))
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if n_rows < len(counts):
        raise InputError(
            f"n_rows is {n_rows}, but there are {len(counts)} classes; use at least one row per "
            "class"
        )
    sample_sizes = _sample_sizes(counts, n_rows)
    rows_of_classes = [
        rng.choice(np.flatnonzero(codes == code), size, replace=False)
        for code, size in enumerate(sample_sizes)
    ]
    return np.sort(np.concatenate(rows_of_classes))


def _sample_sizes(counts: Ints, n_rows: int) -> Ints:
    """Return the number of rows to sample from each class, given its number of all rows.

    Each class gets one row. The other rows are divided in proportion to the remaining counts, by
    the method of largest remainders.
    """
    remaining = counts - 1
    exact = remaining * ((n_rows - len(counts)) / max(remaining.sum(), 1))
    sizes: Ints = np.floor(exact).astype(np.intp)
    n_missing = n_rows - len(counts) - int(sizes.sum())
    sizes[np.argsort(sizes - exact, kind="stable")[:n_missing]] += 1
    sizes += 1
    return sizes
