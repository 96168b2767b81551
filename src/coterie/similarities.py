"""Similarities: what learning leaves behind, frozen callables that score pairs of items."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import logit

from coterie._arguments import as_floats, as_real
from coterie._arrays import Floats, Pairs
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError, InputError
from coterie.features._blocks import row_blocks
from coterie.features._featurizer import as_featurizer
from coterie.features.distances import Distance, Manhattan, as_distance
from coterie.features.operators import taken, written
from coterie.items import ItemSet, PairFeatures, as_item_set
from coterie.pairs import PairScores, all_pairs, as_pairs, count_pairs

__all__ = ["ClassifierSimilarity", "ConstantSimilarity", "DistanceSimilarity", "LinearSimilarity"]

MANHATTAN = Manhattan()

_CERTAIN = 36.0
"""The log-odds that stand for certainty: beyond them a probability is rounded to 1."""


class FeatureSimilarity(ABC):
    """A similarity that sees two items by the features of their pair alone."""

    featurizer: Featurizer

    def __call__(self, item_set: Any, pairs: Pairs | None = None) -> Floats:
        """Score some pairs of an item set; None stands for all (that are given features of)."""
        items = as_item_set(item_set)
        return self._scores(self._features(items, asked(items, pairs)))

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Score the pairs as a clusterer takes them; the items are encoded once."""
        items = as_item_set(item_set)
        listed = asked(items, pairs)
        features = self._features(items, listed)
        own = self._diagonal(features)
        return PairScores(len(items), listed, self._scores(features), own, items.n_clusters)

    def _features(self, item_set: ItemSet, pairs: Pairs | None) -> Features:
        return self.featurizer(item_set, pairs)

    def _diagonal(self, features: Features) -> Floats | None:  # noqa: ARG002
        """Score items with themselves; None stands for zeros."""
        return None

    @abstractmethod
    def _scores(self, features: Features) -> Floats: ...


class WeightedSimilarity(FeatureSimilarity):
    """A similarity with one weight a feature."""

    coef: Floats

    def named_coef(self) -> dict[str, float]:
        """Return the coef of each feature by its name."""
        names = self.featurizer.names
        self._refuse_other_columns(len(names))
        named = dict(zip(names, self.coef.tolist(), strict=True))
        if len(named) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise FeatureError(f"two features are called {twice!r}; give featurizers unlike names")
        return named

    def _keep_coef(self) -> None:
        """Check the featurizer and the coef."""
        as_featurizer(self.featurizer)
        coef = as_floats("coef", self.coef, FeatureError)
        if coef.ndim != 1:
            raise FeatureError(f"coef has shape {coef.shape}; give one number a feature")
        bad = np.flatnonzero(~np.isfinite(coef))
        if bad.size:
            raise FeatureError(f"coef {bad[0]} is {coef[bad[0]]}; give finite numbers")
        object.__setattr__(self, "coef", coef)

    def _features(self, item_set: ItemSet, pairs: Pairs | None) -> Features:
        features = super()._features(item_set, pairs)
        self._refuse_other_columns(features.shape[1])
        return features

    def _weighted(self, features: Features) -> Any:
        """Return what each feature of each pair counts: φ · coef, sparse where they are."""
        matrix = written(features)
        parts = matrix @ sp.diags_array(self.coef) if sp.issparse(matrix) else matrix * self.coef
        return sp.csr_array(parts) if sp.issparse(parts) else parts

    def _refuse_other_columns(self, n_columns: int) -> None:
        if n_columns != len(self.coef):
            raise FeatureError(
                f"the features have {n_columns} columns, but there are {len(self.coef)} coef; give "
                "the featurizer that they were learned with, and item sets of that kind"
            )


@dataclass(frozen=True, eq=False, repr=False)
class LinearSimilarity(WeightedSimilarity):
    """Score a pair by the weighted sum of its features: `features @ coef + bias`.

    What an item scores with itself is `features.diagonal @ coef`, without the bias.

    Parameters
    ----------
    featurizer
        Computes the features of pairs; a fitted one.
    coef
        One finite number a column of the features.
    bias
        What every pair scores beside.

    Examples
    --------
    >>> from coterie.features import GivenFeatures
    >>> similarity = LinearSimilarity(GivenFeatures(), coef=[1.0, -2.0], bias=0.5)
    >>> similarity
    LinearSimilarity(2 features, bias 0.5)
    >>> items = ItemSet([[1.0, 0.0], [3.0, 1.0], [1.0, 1.0]])
    >>> similarity(items)
    array([3.5, 1.5, 1.5])
    >>> bias, parts = similarity.contributions(items, [(1, 2)])
    >>> bias, parts.tolist()
    (0.5, [[3.0, -2.0]])
    """

    featurizer: Featurizer
    coef: Floats
    bias: float = 0.0

    def __post_init__(self) -> None:
        self._keep_coef()
        object.__setattr__(self, "bias", as_real("bias", self.bias, low=-inf))

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Any]:
        """Return the bias, and what each feature adds to the score of each pair.

        They have shape (m, d), as a `csr_array` where the features are sparse; a row and the bias
        sum to the score of the pair.
        """
        items = as_item_set(item_set)
        return self.bias, self._weighted(self._features(items, asked(items, pairs)))

    def __repr__(self) -> str:
        bias = f", bias {self.bias:g}" if self.bias else ""
        return f"LinearSimilarity({len(self.coef)} features{bias})"

    def _scores(self, features: Features) -> Floats:
        return features @ self.coef + self.bias

    def _diagonal(self, features: Features) -> Floats | None:
        own = features.diagonal @ self.coef
        return own if np.ndim(own) or own else None


@dataclass(frozen=True, eq=False, repr=False)
class DistanceSimilarity(WeightedSimilarity):
    """Score a pair by how much nearer it is than a threshold: `threshold − d`.

    Without a threshold, the largest distance of the pairs asked for stands in its place, so that
    scores are at least 0 (Li & Roth 2005, section 3.1: D − d); what a pair scores then depends on
    the other pairs, and clusterers need to know the number of clusters.

    Parameters
    ----------
    featurizer
        Computes the features of pairs, which grow with distance; a fitted one.
    coef
        One finite number a column of the features.
    threshold
        The distance that scores 0.
    distance
        `Manhattan` or `Euclidean`.

    Examples
    --------
    >>> from coterie.features import AbsoluteDifferences
    >>> items = ItemSet([[1.0, 0.0], [3.0, 1.0], [1.0, 1.0]])
    >>> DistanceSimilarity(AbsoluteDifferences(), coef=[0.25, 0.5])(items)
    array([0. , 0.5, 0.5])
    >>> DistanceSimilarity(AbsoluteDifferences(), coef=[0.25, 0.5], threshold=0.75)(items)
    array([-0.25,  0.25,  0.25])
    """

    featurizer: Featurizer
    coef: Floats
    threshold: float | None = None
    distance: Distance = MANHATTAN

    def __post_init__(self) -> None:
        self._keep_coef()
        if self.threshold is not None:
            threshold = as_real("threshold", self.threshold, low=-inf)
            object.__setattr__(self, "threshold", threshold)
        as_distance(self.distance)
        if not self.distance.signed and self.coef.min(initial=0.0) < 0.0:
            raise FeatureError(
                f"coef {np.argmin(self.coef)} is {self.coef.min()}, but {self.distance!r} takes "
                "no weights below 0; give others, or Manhattan()"
            )

    @property
    def needs_context(self) -> bool:
        """Whether what a pair scores depends on the other pairs."""
        return self.threshold is None

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Any]:
        """Return what a pair without distance scores, and what each feature takes from it.

        As those of `LinearSimilarity`. A Euclidean distance is not added up of parts.
        """
        if not self.distance.additive:
            raise InputError(
                f"{self.distance!r} is no sum of what each feature adds; use Manhattan() to "
                "explain scores"
            )
        items = as_item_set(item_set)
        features = self._features(items, asked(items, pairs))
        return self._top(self.distance(features, self.coef)), -self._weighted(features)

    def __repr__(self) -> str:
        at = "" if self.threshold is None else f", threshold {self.threshold:g}"
        return f"DistanceSimilarity({len(self.coef)} features{at}, {self.distance!r})"

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Score the pairs as a clusterer takes them; items are at no distance from themselves."""
        items = as_item_set(item_set)
        listed = asked(items, pairs)
        distances = self.distance(self._features(items, listed), self.coef)
        top = self._top(distances)
        own = np.full(len(items), top)
        return PairScores(len(items), listed, top - distances, own, items.n_clusters)

    def _scores(self, features: Features) -> Floats:
        distances = self.distance(features, self.coef)
        return self._top(distances) - distances

    def _top(self, distances: Floats) -> float:
        """Return the distance that scores 0."""
        return largest(distances) if self.threshold is None else self.threshold


def largest(distances: Floats) -> float:
    """Return D, the largest distance of an item set; 0 without pairs."""
    return float(distances.max()) if len(distances) else 0.0


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


@dataclass(frozen=True)
class ConstantSimilarity:
    """Score every pair the same, whatever the items are.

    Parameters
    ----------
    value
        The score.

    Examples
    --------
    >>> ConstantSimilarity(-1.0)(ItemSet(["a", "b", "c"]))
    array([-1., -1., -1.])
    """

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_real("value", self.value, low=-inf))

    def __call__(self, item_set: Any, pairs: Pairs | None = None) -> Floats:
        """Score some pairs of an item set; None stands for all (that are given features of)."""
        return self.pair_scores(item_set, pairs).scores

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Score the pairs as a clusterer takes them."""
        items = as_item_set(item_set)
        listed = asked(items, pairs)
        scores = np.full(count_pairs(len(items), listed), self.value)
        return PairScores(len(items), listed, scores, n_clusters=items.n_clusters)

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Floats]:
        """Return the value as the bias; there are no features that could add to it."""
        return self.value, np.empty((len(self(item_set, pairs)), 0))


def asked(item_set: ItemSet, pairs: Pairs | None) -> Pairs | None:
    """Settle the pairs; where features of listed pairs are given, no others can be meant."""
    own = item_set.items.pairs if isinstance(item_set.items, PairFeatures) else None
    if pairs is None:
        return own
    listed = as_pairs(pairs, len(item_set))
    # Listed pairs may be all of them, in an order of their own.
    return all_pairs(len(item_set)) if listed is None and own is not None else listed
