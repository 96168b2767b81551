"""A similarity that gives every pair the same score."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from coterie._core.arguments import as_real
from coterie._core.arrays import Floats, Pairs
from coterie.items import as_item_set
from coterie.pairs import PairScores, count_pairs
from coterie.similarities.base import resolve_pairs


@dataclass(frozen=True)
class ConstantSimilarity:
    """Give every pair the same score, without looking at the items.

    Parameters
    ----------
    value
        The score.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> ConstantSimilarity(-1.0)(ItemSet(["a", "b", "c"]))
    array([-1., -1., -1.])
    """

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_real("value", self.value, low=-inf))

    def __call__(self, item_set: Any, pairs: Pairs | None = None) -> Floats:
        """Score pairs of an item set; None means all pairs, or all that have features."""
        return self.pair_scores(item_set, pairs).scores

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Return the scores of pairs as `PairScores`, for clusterers."""
        items = as_item_set(item_set)
        pairs = resolve_pairs(items, pairs)
        scores = np.full(count_pairs(len(items), pairs), self.value)
        return PairScores(len(items), pairs, scores, n_clusters=items.n_clusters)

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Floats]:
        """Return the value as the bias, and a matrix without columns, as there are no features."""
        return self.value, np.empty((len(self(item_set, pairs)), 0))
