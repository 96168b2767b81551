"""Distances turned round: the nearer, the higher."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from coterie._core.arguments import as_real
from coterie._core.arrays import Floats, Pairs
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError, InputError
from coterie.features.distances import Distance, Manhattan, as_distance
from coterie.items import as_item_set
from coterie.pairs import PairScores
from coterie.similarities.base import WeightedSimilarity, resolve_pairs

MANHATTAN = Manhattan()


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
    >>> from coterie import ItemSet
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
        features = self._features(items, resolve_pairs(items, pairs))
        return self._top(self.distance(features, self.coef)), -self._weighted(features)

    def __repr__(self) -> str:
        at = "" if self.threshold is None else f", threshold {self.threshold:g}"
        return f"DistanceSimilarity({len(self.coef)} features{at}, {self.distance!r})"

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Score the pairs as a clusterer takes them; items are at no distance from themselves."""
        items = as_item_set(item_set)
        listed = resolve_pairs(items, pairs)
        distances = self.distance(self._features(items, listed), self.coef)
        top = self._top(distances)
        own = np.full(len(items), top)
        return PairScores(len(items), listed, top - distances, own, items.n_clusters)

    def _scores(self, features: Features) -> Floats:
        distances = self.distance(features, self.coef)
        return self._top(distances) - distances

    def _top(self, distances: Floats) -> float:
        """Return the distance that scores 0."""
        return largest_distance(distances) if self.threshold is None else self.threshold


def largest_distance(distances: Floats) -> float:
    """Return D, the largest distance of an item set; 0 without pairs."""
    return float(distances.max()) if len(distances) else 0.0
