"""Clustering by a classifier of pairs, the common baseline."""

from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from math import inf
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.svm import LinearSVC

from coterie._core.arguments import as_positive, as_real, as_whole
from coterie._core.arrays import Bools, Floats, refuse_too_large
from coterie._types import Blocker, Clusterer, Featurizer, Similarity
from coterie.clusterers import Greedy
from coterie.exceptions import FeatureError, InputError, located
from coterie.features.given import GivenFeatures, Scaled
from coterie.features.operators import to_matrix
from coterie.learners.base import Examples, Learner
from coterie.learners.classifiers.logistic import ConvergedLogistic
from coterie.learners.extremes import LARGEST_FEATURE
from coterie.similarities import ClassifierSimilarity, LinearSimilarity

GREEDY = Greedy()
DEFAULT_C = 1.0


class PairwiseClustering(Learner):
    """Train a classifier to tell pairs together from pairs apart, and cluster by its scores.

    PCC of Finley & Joachims 2005, section 3, and Pair of Finley & Joachims 2008, section 6.2: the
    pairs of all item sets are training examples, treated as if they were independent. The score of
    a pair is the classifier's decision value minus the threshold. If all training pairs are in one
    class, no classifier is trained: all scores are 1 if the pairs are together, or −1 if they are
    apart, whatever the threshold.

    Parameters
    ----------
    clusterer
        Partitions the items by the scores; any clusterer.
    classifier
        Any scikit-learn classifier; None means `LinearSVC`.
    C
        The parameter C of the classifier: the weight of its training loss.
    balanced
        Whether the pairs together have the same total weight in training as the pairs apart, as
        with `class_weight="balanced"` of the classifier.
    threshold
        The decision value above which a pair counts as together.
    featurizer
        Computes the features of pairs. None means the pair features of the item sets, or products
        of their item vectors, without a constant, since the classifier has an intercept. Features
        of training pairs above 1e50 are refused, as the classifier might never end.
    blocker
        Chooses the candidate pairs; None means all pairs.
    random_state
        The seed of the classifier, if its `random_state` is None.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs, minus the threshold.
    classifier_
        The fitted classifier; None if all training pairs were in one class.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> train, test = make_item_sets(random_state=0), make_item_sets(random_state=1)
    >>> learner = PairwiseClustering(C=0.01, balanced=True).fit(*train)
    >>> len(learner.similarity_.coef)
    8
    >>> round(learner.score(*test), 2)
    0.72
    """

    _prediction_params = ("clusterer", "threshold")
    _adds_constant = False

    classifier_: Any
    _learned: LinearSimilarity | ClassifierSimilarity

    def __init__(
        self,
        clusterer: Clusterer = GREEDY,
        classifier: Any = None,
        C: float = DEFAULT_C,
        balanced: bool = False,
        threshold: float = 0.0,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        random_state: int = 0,
    ) -> None:
        self.clusterer = clusterer
        self.classifier = classifier
        self.C = C
        self.balanced = balanced
        self.threshold = threshold
        self.featurizer = featurizer
        self.blocker = blocker
        self.random_state = random_state

    @property
    def similarity_(self) -> Similarity:  # type: ignore[override]
        """The learned similarity minus the current threshold, which may change after the fit."""
        learned = self._learned
        threshold = as_real("threshold", self.threshold, low=-inf)
        if self.classifier_ is None:
            return learned
        if isinstance(learned, LinearSimilarity):
            return replace(learned, bias=learned.bias - threshold)
        return replace(learned, threshold=threshold)

    def _fit(self, examples: Examples) -> None:
        as_real("threshold", self.threshold, low=-inf)
        classifier = self._unfitted_classifier()
        featurizer = self._featurizer.fit(examples.item_sets)
        matrix, together = self._pairs(examples, featurizer)
        if together.all() or not together.any():
            self.classifier_ = None
            score = 1.0 if together.any() else -1.0
            self._learned = LinearSimilarity(featurizer, np.zeros(len(featurizer.names)), score)
            return
        _refuse_extreme(matrix, featurizer.names)
        self.classifier_ = _fit_classifier(classifier, matrix, together)
        coef_and_intercept = _as_linear(self.classifier_, matrix.shape[1])
        if coef_and_intercept is None:
            self._learned = ClassifierSimilarity(featurizer, self.classifier_)
        else:
            self._learned = LinearSimilarity(featurizer, *coef_and_intercept)

    def _pairs(self, examples: Examples, featurizer: Featurizer) -> tuple[Any, Bools]:
        """Return the features of all pairs of all item sets, and whether each is together."""
        matrices, together = [], [np.empty(0, dtype=np.bool_)]
        for index, item_set in enumerate(examples.item_sets):
            if len(item_set) < 2:  # featurizers may refuse an item set without pairs
                continue
            with located(f"item set {index}"):
                pairs = self._blocker(item_set)
                matrices.append(to_matrix(featurizer(item_set, pairs)))
                together.append(examples.truths[index].together(pairs))
        return _stack_rows(matrices), np.concatenate(together)

    def _unfitted_classifier(self) -> Any:
        """Return a copy of the classifier, with C, class weights and seed of this learner."""
        classifier = LinearSVC() if self.classifier is None else _clone_classifier(self.classifier)
        _set_c_param(classifier, as_positive("C", self.C))
        if self.balanced:
            _set_balanced(classifier)
        seed = as_whole("random_state", self.random_state)
        unset = [name for name, value in classifier.get_params().items() if value is None]
        # A nested classifier has names such as `estimator__random_state`.
        seed_names = [name for name in unset if name.rpartition("__")[2] == "random_state"]
        return classifier.set_params(**dict.fromkeys(seed_names, seed))

    @property
    def _predictor(self) -> Clusterer:
        return self.clusterer


def _stack_rows(matrices: list[Any]) -> Any:
    """Stack matrices below each other; the result is sparse if one of them is."""
    if any(sp.issparse(matrix) for matrix in matrices):
        return _with_32_bit_indices(sp.csr_array(sp.vstack(matrices, format="csr")))
    if not matrices:
        return np.empty((0, 0))
    n_pairs, n_columns = sum(map(len, matrices)), matrices[0].shape[1]
    refuse_too_large(n_pairs * n_columns, f"a matrix of {n_pairs:,} pairs × {n_columns:,} features")
    return np.vstack(matrices)


def _with_32_bit_indices(matrix: Any) -> Any:
    """Store the indices in 32 bits if they fit, as some classifiers require."""
    if max(matrix.nnz, *matrix.shape) > np.iinfo(np.int32).max:
        return matrix
    indices, starts = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return sp.csr_array((matrix.data, indices, starts), shape=matrix.shape)


def _clone_classifier(classifier: Any) -> Any:
    is_estimator = all(hasattr(classifier, name) for name in ("fit", "get_params", "set_params"))
    has_scores = hasattr(classifier, "decision_function") or hasattr(classifier, "predict_proba")
    if isinstance(classifier, type) or not (is_estimator and has_scores):
        raise InputError(
            f"the classifier is {classifier!r}; give a scikit-learn classifier with "
            "decision_function or predict_proba, such as LogisticRegression()"
        )
    return clone(classifier)


def _set_c_param(classifier: Any, C: float) -> None:
    """Set the parameter C of a classifier, unless the user has set it to another value there."""
    name, params = type(classifier).__name__, classifier.get_params(deep=False)
    if "C" not in params:
        if C != DEFAULT_C:
            raise InputError(
                f"C is {C:g}, but {name} has no parameter C; leave C at {DEFAULT_C:g}, and set the "
                "parameters of the classifier"
            )
        return
    if params["C"] not in (signature(type(classifier)).parameters["C"].default, C):
        raise InputError(
            f"C is {C:g}, but C of the classifier is {params['C']}; set C on the learner, not "
            f"on {name}"
        )
    classifier.set_params(C=C)


def _set_balanced(classifier: Any) -> None:
    name, params = type(classifier).__name__, classifier.get_params(deep=False)
    if params.get("class_weight", "none") not in (None, "balanced"):
        has_weight = "class_weight" in params
        setting = f"class_weight={params['class_weight']!r}" if has_weight else "no class_weight"
        raise InputError(
            f"balanced is True, but {name} has {setting}; use balanced=False, and weight the "
            f"classes with the parameters of {name}"
        )
    classifier.set_params(class_weight="balanced")


def _refuse_extreme(matrix: Any, names: Sequence[str]) -> None:
    """Raise an error for features with which the solver of a classifier may never end."""
    values = matrix.data if sp.issparse(matrix) else matrix
    if max(values.max(initial=0.0), -values.min(initial=0.0)) <= LARGEST_FEATURE:
        return
    rows, columns = (abs(matrix) > LARGEST_FEATURE).nonzero()
    row, column = rows[0], columns[0]
    raise FeatureError(
        f"{names[column]!r} is {matrix[row, column]:.3g} for a pair, but classifiers need features "
        f"of at most {LARGEST_FEATURE:g}; correct the items, or use featurizer=Scaled(…), which "
        "divides each column by its standard deviation"
    )


def _fit_classifier(classifier: Any, matrix: Any, together: Bools) -> Any:
    try:
        return classifier.fit(matrix, together.astype(np.intp))
    except ValueError as error:
        raise InputError(
            f"{type(classifier).__name__} cannot be fitted to the features of the pairs: {error}; "
            "use features that it accepts, or another classifier"
        ) from error


def _as_linear(classifier: Any, n_columns: int) -> tuple[Floats, float] | None:
    """Return coef and intercept of a linear classifier; None for any other classifier."""
    coef, intercept = (getattr(classifier, name, None) for name in ("coef_", "intercept_"))
    if coef is None or intercept is None or not hasattr(classifier, "decision_function"):
        return None
    dense = coef.toarray() if sp.issparse(coef) else np.asarray(coef, dtype=np.float64)
    if dense.shape != (1, n_columns):
        return None
    return dense[0], float(np.ravel(intercept)[0])


def scaled_logistic(featurizer: Featurizer | None = None, **params: Any) -> PairwiseClustering:
    """Return logistic regression of scaled pair features; None means those of the item sets."""
    base = GivenFeatures() if featurizer is None else featurizer
    return PairwiseClustering(classifier=ConvergedLogistic(), featurizer=Scaled(base), **params)
