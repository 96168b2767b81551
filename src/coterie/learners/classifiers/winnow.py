"""Winnow, a linear classifier whose weights are updated by multiplication."""

from math import log
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie._core.arguments import as_flag, as_positive, as_real, as_whole
from coterie._core.arrays import Floats, Ints
from coterie._kernels.linear.winnow import SparseRows, mean_weights, start_nodes, winnow_pass
from coterie.exceptions import InputError

_START = 3.0
"""The mean activation of a node at the start, divided by the threshold; the value is SNoW's."""


class Winnow(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify into two classes by one linear function per class, with multiplicative updates.

    The LMR (W) classifier of Li & Roth 2005, section 5. It has two nodes of SNoW (Roth 1998), one
    per class. Each node is a Winnow (Littlestone 1988) that learns from all examples, independently
    of the other node. The activation of a node is Σ w x over the features and a constant 1. If the
    activation is at most threshold + margin for an example of the node's class, the node is
    promoted: w ← w promotionˣ. If it is above threshold − margin for an example of the other class,
    the node is demoted: w ← w demotionˣ. With these updates, the number of mistakes grows only
    slowly with the number of irrelevant features. The decision value is the activation of the
    second class minus that of the first; `Softmax` turns it into a probability.

    Features must be at least 0, and should be at most 1; the value says how strongly a feature is
    active. Weights are always positive, so evidence against one class has to be a feature that is
    evidence for the other. All weights start at 3 threshold / (mean sum of an example's features),
    as in SNoW, and stay between 1e-100 and 1e100.

    Parameters
    ----------
    promotion
        The factor of promotion, above 1.
    demotion
        The factor of demotion, between 0 and 1.
    threshold
        The activation that a node should exceed for examples of its class only. If threshold and
        margin are multiplied by a number, so are the decision values.
    margin
        The distance from the threshold within which examples on the right side still cause updates
        (SNoW's thick separator); it must be less than the threshold.
    n_passes
        The number of passes over the examples.
    average
        Whether the learned weights are the mean of the weights after each example, which varies
        less, or the weights after the last example.
    random_state
        The seed of the order of the examples, which is different in each pass.

    Attributes
    ----------
    nodes_
        The weights of the two nodes, of shape (2, d + 1); the last column is for the constant.
    coef_, intercept_
        The weights of the second node minus those of the first, of shapes (1, d) and (1,).
    classes_
        The two classes, in order.

    Examples
    --------
    >>> features = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    >>> winnow = Winnow().fit(features, ["together", "together", "apart", "apart"])
    >>> winnow.predict([[1, 0, 0], [0, 1, 0]]).tolist()
    ['together', 'apart']
    """

    nodes_: Floats
    coef_: Floats
    intercept_: Floats
    classes_: NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        promotion: float = 1.35,
        demotion: float = 0.8,
        threshold: float = 4.0,
        margin: float = 0.0,
        n_passes: int = 5,
        average: bool = True,
        random_state: int = 0,
    ) -> None:
        self.promotion = promotion
        self.demotion = demotion
        self.threshold = threshold
        self.margin = margin
        self.n_passes = n_passes
        self.average = average
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from examples, with one row per example, and their classes."""
        log_rates, bounds = self._log_rates(), self._bounds()
        n_passes = as_whole("n_passes", self.n_passes, 1)
        average = as_flag("average", self.average)
        rng = np.random.default_rng(as_whole("random_state", self.random_state))
        X, y = self._validate(X=X, y=y)
        self.classes_, classes = _two_classes(y)
        rows = _as_sparse_rows(X)
        mean_sum = rows.values.sum() / len(classes) + 1.0  # the constant adds 1
        nodes = start_nodes(_START * float(self.threshold) / mean_sum, X.shape[1])
        for n_before in range(0, n_passes * len(classes), len(classes)):
            order = rng.permutation(len(classes))
            winnow_pass(rows, classes, order, n_before, log_rates, bounds, nodes)
        n_steps = n_passes * len(classes)
        weights = mean_weights(nodes, n_steps) if average else nodes.weights
        self._set_weights(weights)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the activation of the second class's node minus that of the first class's."""
        check_is_fitted(self)
        decisions: Floats = self._validate(X=X, reset=False) @ self.coef_[0] + self.intercept_[0]
        return decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class whose node has the higher activation; the first one if they tie."""
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.multi_class = False
        return tags

    def _log_rates(self) -> Floats:
        """Return the logarithms of demotion and promotion."""
        promotion = as_real("promotion", self.promotion)
        demotion = as_real("demotion", self.demotion)
        if promotion <= 1.0:
            raise InputError(f"promotion is {self.promotion!r}; give a finite number above 1")
        if not 0.0 < demotion < 1.0:
            raise InputError(f"demotion is {self.demotion!r}; give a number between 0 and 1")
        return np.array([log(demotion), log(promotion)])

    def _bounds(self) -> Floats:
        """Return the activations above which to demote, and up to which to promote."""
        threshold = as_positive("threshold", self.threshold)
        margin = as_real("margin", self.margin)
        if margin >= threshold:
            raise InputError(
                f"margin is {margin:g}; give a margin below the threshold, which is {threshold:g}"
            )
        return np.array([threshold - margin, threshold + margin])

    def _validate(self, **data: Any) -> Any:
        """Return validated examples, whose number of columns is compared with that of the fit.

        `data` are arguments of scikit-learn's `validate_data`.
        """
        try:
            validated = validate_data(self, accept_sparse="csr", dtype=np.float64, **data)
            if "y" in data:
                check_classification_targets(data["y"])
        except ValueError as error:
            raise InputError(
                "Winnow cannot take these examples; give finite numbers, one row per "
                "example, the same columns in fit and predict, and one class per example. "
                f"scikit-learn says: {error}"
            ) from error
        return validated

    def _set_weights(self, nodes: Floats) -> None:
        difference = nodes[1] - nodes[0]
        self.nodes_ = nodes
        self.coef_, self.intercept_ = difference[None, :-1].copy(), difference[-1:].copy()


def _two_classes(y: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the two classes, and for each example the index of its class."""
    classes, indices = np.unique(y, return_inverse=True)
    if len(classes) != 2:
        count = "1 class" if len(classes) == 1 else f"{len(classes)} classes"
        raise InputError(
            f"Only binary classification is supported, but y has {count}; give examples of two "
            "classes"
        )
    return classes, indices.astype(np.intp, copy=False)


def _as_sparse_rows(X: Any) -> SparseRows:
    """Convert features to sparse rows, which are bit for bit the same for dense and sparse X."""
    matrix = X.copy() if sp.issparse(X) else sp.csr_array(X)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    columns, values = matrix.indices.astype(np.intp, copy=False), matrix.data
    negative = np.flatnonzero(values < 0)
    if negative.size:
        first = negative[0]
        raise InputError(
            f"Negative values in data passed to Winnow: column {columns[first]} has "
            f"{values[first]:g}; replace the feature x by the two features max(x, 0) and "
            "max(-x, 0), or use another classifier"
        )
    return SparseRows(matrix.indptr.astype(np.intp, copy=False), columns, values)
