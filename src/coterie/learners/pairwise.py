"""Classify the pairs of items, then cluster by what the classifier says: the common baseline."""

from dataclasses import replace
from inspect import signature
from math import inf
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from coterie._core.arguments import as_positive, as_real, as_whole
from coterie._core.arrays import Bools, Floats, refuse_too_large
from coterie._types import Blocker, Clusterer, Featurizer, Similarity
from coterie.clusterers import Greedy
from coterie.exceptions import InputError, located
from coterie.features.given import GivenFeatures, Scaled
from coterie.features.operators import written
from coterie.learners.base import Examples, Learner
from coterie.similarities import ClassifierSimilarity, LinearSimilarity

GREEDY = Greedy()
DEFAULT_C = 1.0


class PairwiseClustering(Learner):
    """Train a classifier to tell pairs that are together, and cluster by what it says of pairs.

    PCC of Finley & Joachims 2005, section 3, and Pair of Finley & Joachims 2008, section 6.2: all
    pairs of all item sets are examples, together or apart, as if they were independent. A pair
    scores the classifier's decision value less the threshold. Where all pairs of the training sets
    are apart, none is ever joined, and where all are together, all are, whatever the threshold.

    Parameters
    ----------
    clusterer
        Partitions the items by the scores: any clusterer.
    classifier
        Any scikit-learn classifier; None stands for `LinearSVC`.
    C
        The parameter C of the classifier, the weight of its training loss.
    balanced
        Whether pairs together and pairs apart weigh the same in training, however few there are:
        the classifier's `class_weight="balanced"`.
    threshold
        The decision value above which a pair counts as together.
    featurizer
        Computes the features of pairs. None takes those of the item sets (of pairs, or products of
        item vectors), without a constant, because the classifier has its intercept.
    blocker
        Says which pairs are looked at; None stands for all.
    random_state
        Seed of the classifier, where it has one and none is set.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs, less the threshold.
    classifier_
        The fitted classifier; None where all pairs were apart, or all together.

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
        """The learned similarity, less the threshold as it is now: no new fit is needed."""
        learned = self._learned
        threshold = as_real("threshold", self.threshold, low=-inf)
        if self.classifier_ is None:
            return learned
        if isinstance(learned, LinearSimilarity):
            return replace(learned, bias=learned.bias - threshold)
        return replace(learned, threshold=threshold)

    def _fit(self, examples: Examples) -> None:
        as_real("threshold", self.threshold, low=-inf)
        classifier = self._unfitted()
        featurizer = self._featurizer.fit(examples.item_sets)
        matrix, together = self._pairs(examples, featurizer)
        if together.all() or not together.any():
            self.classifier_ = None
            side = 1.0 if together.any() else -1.0
            self._learned = LinearSimilarity(featurizer, np.zeros(len(featurizer.names)), side)
            return
        self.classifier_ = _fitted(classifier, matrix, together)
        linear = _linear(self.classifier_, matrix.shape[1])
        if linear is None:
            self._learned = ClassifierSimilarity(featurizer, self.classifier_)
        else:
            self._learned = LinearSimilarity(featurizer, *linear)

    def _pairs(self, examples: Examples, featurizer: Featurizer) -> tuple[Any, Bools]:
        """Return the features of all pairs of all item sets, and whether each is together."""
        matrices, together = [], [np.empty(0, dtype=np.bool_)]
        for number, item_set in enumerate(examples.item_sets):
            if len(item_set) < 2:  # it has no pairs, and perhaps nothing to compute features of
                continue
            with located(f"item set {number}"):
                pairs = self._blocker(item_set)
                matrices.append(written(featurizer(item_set, pairs)))
                together.append(examples.truths[number].together(pairs))
        return _stacked(matrices), np.concatenate(together)

    def _unfitted(self) -> Any:
        """Return the classifier with the parameters that are given here."""
        classifier = LinearSVC() if self.classifier is None else _cloned(self.classifier)
        _give_weight(classifier, as_positive("C", self.C))
        if self.balanced:
            _give_balance(classifier)
        seed = as_whole("random_state", self.random_state)
        free = [name for name, value in classifier.get_params().items() if value is None]
        seeds = [name for name in free if name.rpartition("__")[2] == "random_state"]
        return classifier.set_params(**dict.fromkeys(seeds, seed))

    @property
    def _predictor(self) -> Clusterer:
        return self.clusterer


def _stacked(matrices: list[Any]) -> Any:
    """Put matrices below each other, sparse where one of them is."""
    if any(sp.issparse(matrix) for matrix in matrices):
        return _with_short_indices(sp.csr_array(sp.vstack(matrices, format="csr")))
    if not matrices:
        return np.empty((0, 0))
    n_pairs, n_columns = sum(map(len, matrices)), matrices[0].shape[1]
    refuse_too_large(n_pairs * n_columns, f"a matrix of {n_pairs:,} pairs × {n_columns:,} features")
    return np.vstack(matrices)


def _with_short_indices(matrix: Any) -> Any:
    """Store indices in 32 bits where they fit: some classifiers take no others."""
    if max(matrix.nnz, *matrix.shape) > np.iinfo(np.int32).max:
        return matrix
    indices, starts = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return sp.csr_array((matrix.data, indices, starts), shape=matrix.shape)


def _cloned(classifier: Any) -> Any:
    needed = all(hasattr(classifier, name) for name in ("fit", "get_params", "set_params"))
    scores = hasattr(classifier, "decision_function") or hasattr(classifier, "predict_proba")
    if isinstance(classifier, type) or not (needed and scores):
        raise InputError(
            f"the classifier is {classifier!r}; give a scikit-learn classifier with "
            "decision_function or predict_proba, such as LogisticRegression()"
        )
    return clone(classifier)


def _give_weight(classifier: Any, C: float) -> None:
    """Set C where there is such a parameter; nobody's choice of it is overruled in silence."""
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
            f"C is {C:g}, but that of the classifier is {params['C']}; give C to the learner, not "
            f"to {name}"
        )
    classifier.set_params(C=C)


def _give_balance(classifier: Any) -> None:
    name, params = type(classifier).__name__, classifier.get_params(deep=False)
    if params.get("class_weight", "none") not in (None, "balanced"):
        lack = "has its own" if "class_weight" in params else "has no parameter"
        raise InputError(
            f"balanced is set, but {name} {lack} class_weight; give balanced=False, and set the "
            "parameters of the classifier"
        )
    classifier.set_params(class_weight="balanced")


def _fitted(classifier: Any, matrix: Any, together: Bools) -> Any:
    try:
        return classifier.fit(matrix, together.astype(np.intp))
    except ValueError as error:
        raise InputError(
            f"{type(classifier).__name__} refuses the pairs: {error}; give features that it takes, "
            "or another classifier"
        ) from error


def _linear(classifier: Any, n_columns: int) -> tuple[Floats, float] | None:
    """Return coef and intercept of a linear classifier, None of any other."""
    coef, intercept = (getattr(classifier, name, None) for name in ("coef_", "intercept_"))
    if coef is None or intercept is None or not hasattr(classifier, "decision_function"):
        return None
    dense = coef.toarray() if sp.issparse(coef) else np.asarray(coef, dtype=np.float64)
    if dense.shape != (1, n_columns):
        return None
    return dense[0], float(np.ravel(intercept)[0])


MAX_ITER = 1000


def scaled_logistic(featurizer: Featurizer | None = None, **params: Any) -> PairwiseClustering:
    """Return logistic regression of the scaled features of pairs; None takes the given ones."""
    base = GivenFeatures() if featurizer is None else featurizer
    return PairwiseClustering(
        classifier=LogisticRegression(max_iter=MAX_ITER), featurizer=Scaled(base), **params
    )
