"""Fit a classifier that is slow on many rows to some of them."""

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


def _if_offered(method: Any) -> Any:
    """Offer a method only where the classifier does, which is what scikit-learn asks."""
    name = method.__name__
    offered = available_if(lambda own: hasattr(getattr(own, "classifier_", own.classifier), name))
    return offered(method)


class Sampled(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a classifier to at most so many rows, drawn at random, each at most once.

    Each class keeps its share of the rows, and at least one. For classifiers whose time grows
    faster than the number of rows, such as `SVC` on the pairs of item sets; see
    `PairwiseClustering`. A search over parameters may be around it, which then draws in each fold,
    or inside, which then searches over the rows drawn.

    Parameters
    ----------
    classifier
        Any scikit-learn classifier.
    n_rows
        How many rows it is fitted to at most.
    random_state
        Seed of the draw.

    Attributes
    ----------
    classifier_
        The fitted classifier.
    classes_
        The classes.
    n_rows_
        How many rows it was fitted to.

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
        """Draw rows, and fit the classifier to them."""
        matrix, labels = indexable(X, column_or_1d(y, warn=True))
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        seed = as_whole("random_state", self.random_state)
        rows = _drawn(labels, as_whole("n_rows", self.n_rows, 1), np.random.default_rng(seed))
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

    @_if_offered
    def decision_function(self, X: Any) -> Any:
        """Return the decision values of rows."""
        check_is_fitted(self, "classifier_")
        return self.classifier_.decision_function(X)

    @_if_offered
    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classes of rows."""
        check_is_fitted(self, "classifier_")
        return self.classifier_.predict_proba(X)


def _drawn(labels: Any, n_rows: int, rng: np.random.Generator) -> Ints:
    """Return the numbers of the rows drawn, in order."""
    if len(labels) <= n_rows:
        return np.arange(len(labels))
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if n_rows < len(counts):
        raise InputError(f"n_rows is {n_rows}, but there are {len(counts)} classes; give more rows")
    quotas = _quotas(counts, n_rows)
    chosen = [
        rng.choice(np.flatnonzero(codes == code), quota, replace=False)
        for code, quota in enumerate(quotas)
    ]
    return np.sort(np.concatenate(chosen))


def _quotas(counts: Ints, n_rows: int) -> Ints:
    """Divide the rows by the shares of the classes: by largest remainders, at least one each."""
    # One is set aside for each class, the rest goes by the shares of what is left.
    rest = counts - 1
    exact = rest * ((n_rows - len(counts)) / max(rest.sum(), 1))
    quotas: Ints = np.floor(exact).astype(np.intp)
    missing = n_rows - len(counts) - int(quotas.sum())
    quotas[np.argsort(quotas - exact, kind="stable")[:missing]] += 1
    quotas += 1
    return quotas
