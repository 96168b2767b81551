"""Similarities that subtract a distance from a threshold."""

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
    """Score a pair by a threshold minus the distance of its items: `threshold − d`.

    If the threshold is None, the largest distance D of the scored pairs replaces it, so that no
    score is below 0 (Li & Roth 2005, section 3.1: D − d). The score of a pair then depends on the
    other pairs, and clusterers need to know the number of clusters.

    Parameters
    ----------
    featurizer
        A fitted featurizer, which computes the features of pairs. They grow with the distance.
    coef
        One finite number per column of the features.
    threshold
        The distance that has score 0.
    distance
        The distance: `Manhattan` or `Euclidean`.

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
        self._store_coef()
        if self.threshold is not None:
            threshold = as_real("threshold", self.threshold, low=-inf)
            object.__setattr__(self, "threshold", threshold)
        as_distance(self.distance)
        if not self.distance.signed and self.coef.min(initial=0.0) < 0.0:
            raise FeatureError(
                f"coef {np.argmin(self.coef)} is {self.coef.min()}, but {self.distance!r} takes "
                "no weights below 0; give weights of at least 0, or use Manhattan()"
            )

    @property
    def needs_context(self) -> bool:
        """True if the score of a pair depends on the other pairs."""
        return self.threshold is None

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Any]:
        """Return the score of a pair at distance 0, and what each feature subtracts from it.

        The shape is as for `LinearSimilarity`. A Euclidean distance is refused, because it is not a
        sum of parts.
        """
        if not self.distance.additive:
            raise InputError(
                f"{self.distance!r} is not a sum over features, so a score cannot be split "
                "into their contributions; use Manhattan()"
            )
        items = as_item_set(item_set)
        features = self._features(items, resolve_pairs(items, pairs))
        return self._top(self.distance(features, self.coef)), -self._weighted(features)

    def __repr__(self) -> str:
        threshold = "" if self.threshold is None else f", threshold {self.threshold:g}"
        return f"DistanceSimilarity({len(self.coef)} features{threshold}, {self.distance!r})"

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Return the scores of pairs as `PairScores`, for clusterers.

        Items are at distance 0 from themselves.
        """
        items = as_item_set(item_set)
        pairs = resolve_pairs(items, pairs)
        distances = self.distance(self._features(items, pairs), self.coef)
        top = self._top(distances)
        diagonal = np.full(len(items), top)
        return PairScores(len(items), pairs, top - distances, diagonal, items.n_clusters)

    @property
    def one_by_one(self) -> bool:
        """True if the score of a pair does not depend on the other pairs that are scored."""
        return self.threshold is not None

    def _scores(self, features: Features) -> Floats:
        distances = self.distance(features, self.coef)
        return self._top(distances) - distances

    def _top(self, distances: Floats) -> float:
        """Return the distance that has score 0, which is also the highest possible score."""
        return largest_distance(distances) if self.threshold is None else self.threshold


def largest_distance(distances: Floats) -> float:
    """Return the largest of some distances, or 0 if there are none."""
    return float(distances.max()) if len(distances) else 0.0
