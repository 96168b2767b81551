"""Similarities that are weighted sums of features."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from coterie._core.arguments import as_real
from coterie._core.arrays import Floats, Pairs
from coterie._types import Features, Featurizer
from coterie.items import as_item_set
from coterie.similarities.base import WeightedSimilarity, resolve_pairs


@dataclass(frozen=True, eq=False, repr=False)
class LinearSimilarity(WeightedSimilarity):
    """Score a pair by the weighted sum of its features: `features @ coef + bias`.

    The score of an item with itself is `features.diagonal @ coef`, without the bias.

    Parameters
    ----------
    featurizer
        A fitted featurizer, which computes the features of pairs.
    coef
        One finite number per column of the features.
    bias
        The number added to the score of every pair.

    Examples
    --------
    >>> from coterie import ItemSet
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
        self._store_coef()
        object.__setattr__(self, "bias", as_real("bias", self.bias, low=-inf))

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Any]:
        """Return the bias, and what each feature adds to the score of each pair.

        The contributions have shape (m, d), and are a `csr_array` if the features are sparse. The
        sum of a row and the bias is the score of the pair.
        """
        items = as_item_set(item_set)
        return self.bias, self._weighted(self._features(items, resolve_pairs(items, pairs)))

    def __repr__(self) -> str:
        bias = f", bias {self.bias:g}" if self.bias else ""
        return f"LinearSimilarity({len(self.coef)} features{bias})"

    def _scores(self, features: Features) -> Floats:
        return features @ self.coef + self.bias

    def _diagonal(self, features: Features) -> Floats | None:
        diagonal = features.diagonal @ self.coef
        # A scalar 0 means that the features have no diagonal.
        return diagonal if np.ndim(diagonal) or diagonal else None
