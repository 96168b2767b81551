"""Winnow, the linear classifier whose weights are learned by multiplication."""

from math import log
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie._core.arguments import as_positive, as_real, as_whole
from coterie._core.arrays import Floats, Ints
from coterie._kernels.linear.winnow import SparseRows, mean_weights, start_nodes, winnow_pass
from coterie.exceptions import InputError

_START = 3.0
"""The mean activation of a node at the start, in thresholds: SNoW's, found by experience."""


class Winnow(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Tell two classes by one linear function each, learned by multiplicative updates.

    The LMR (W) classifier of Li & Roth 2005, section 5: two nodes of SNoW (Roth 1998), each a
    Winnow (Littlestone 1988) that learns from all examples, independently of the other. The
    activation of a node is the sum of w x over the features, a constant 1 among them. Where the
    node of an example's class is at most at threshold + margin, it is promoted: w ← w promotionˣ.
    Where the other node is above threshold − margin, it is demoted: w ← w demotionˣ. So irrelevant
    features, however many, cost a node few mistakes. The decision value is the difference of the
    two activations, and the softmax over both is its sigmoid: see `Softmax`.

    Features are at least 0, and best at most 1: what is active, and how strongly. Weights are
    positive: what speaks against a class must be a feature that speaks for the other. At the start,
    all are 3 threshold / (mean sum of an example's features), as in SNoW; they stay between 1e-100
    and 1e100.

    Parameters
    ----------
    promotion
        What the weights of active features are multiplied by where a node should be above the
        threshold: above 1.
    demotion
        What they are multiplied by where it should not: between 0 and 1.
    threshold
        The activation that a node should exceed for examples of its class, and for no others. Two
        thresholds and margins in proportion learn decision values in proportion.
    margin
        How far on the right side of the threshold an activation must be to change nothing, less
        than the threshold: SNoW's thick separator.
    n_passes
        How often each example is seen.
    average
        Whether the weights learned are the mean of those after each example, which is steadier, or
        the last ones.
    random_state
        Seed of the order of the examples, which is another one in each pass.

    Attributes
    ----------
    nodes_
        The weights of the two nodes, shape (2, d + 1); the last ones are of the constant.
    coef_, intercept_
        The second node less the first, shapes (1, d) and (1,).
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
        """Learn from examples, one row each, and their classes."""
        log_rates, bounds = self._log_rates(), self._bounds()
        n_passes = as_whole("n_passes", self.n_passes, 1)
        rng = np.random.default_rng(as_whole("random_state", self.random_state))
        X, y = self._validated(X=X, y=y)
        self.classes_, classes = _two_classes(y)
        rows = _rows(X)
        total = rows.values.sum() / len(classes) + 1.0
        nodes = start_nodes(_START * float(self.threshold) / total, X.shape[1])
        for n_before in range(0, n_passes * len(classes), len(classes)):
            order = rng.permutation(len(classes))
            winnow_pass(rows, classes, order, n_before, log_rates, bounds, nodes)
        self._keep(mean_weights(nodes, n_passes * len(classes)) if self.average else nodes.weights)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the activation of the second class's node less that of the first's."""
        check_is_fitted(self)
        decisions: Floats = self._validated(X=X, reset=False) @ self.coef_[0] + self.intercept_[0]
        return decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class whose node is more active; the first where both are equally so."""
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
            raise InputError(f"margin is {margin:g}; give less than the threshold, {threshold:g}")
        return np.array([threshold - margin, threshold + margin])

    def _validated(self, **given: Any) -> Any:
        """Let scikit-learn check examples, and remember or compare their number of columns."""
        try:
            checked = validate_data(self, accept_sparse="csr", dtype=np.float64, **given)
            if "y" in given:
                check_classification_targets(given["y"])
        except ValueError as error:
            raise InputError(
                "Winnow takes finite numbers, one row an example and one column a feature, the "
                f"same columns always, and one class an example; give such: {error}"
            ) from error
        return checked

    def _keep(self, nodes: Floats) -> None:
        difference = nodes[1] - nodes[0]
        self.nodes_ = nodes
        self.coef_, self.intercept_ = difference[None, :-1].copy(), difference[-1:].copy()


def _two_classes(y: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the two classes, and the number of each example's."""
    classes, numbers = np.unique(y, return_inverse=True)
    if len(classes) != 2:
        found = "1 class" if len(classes) == 1 else f"{len(classes)} classes"
        raise InputError(
            f"Only binary classification is supported, but y has {found}; give examples of two "
            "classes"
        )
    return classes, numbers.astype(np.intp, copy=False)


def _rows(X: Any) -> SparseRows:
    """Write features as sparse rows: the same for dense and sparse ones, to the last digit."""
    matrix = X.copy() if sp.issparse(X) else sp.csr_array(X)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    columns, values = matrix.indices.astype(np.intp, copy=False), matrix.data
    bad = np.flatnonzero(values < 0)
    if bad.size:
        raise InputError(
            f"Negative values in data passed to Winnow: column {columns[bad[0]]} has "
            f"{values[bad[0]]:g}; give features of at least 0, such as max(x, 0) and max(-x, 0) in "
            "place of x, or another classifier"
        )
    return SparseRows(matrix.indptr.astype(np.intp, copy=False), columns, values)
