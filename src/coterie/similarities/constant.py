"""One score for every pair."""

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
    """Score every pair the same, whatever the items are.

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
        """Score some pairs of an item set; None stands for all (that are given features of)."""
        return self.pair_scores(item_set, pairs).scores

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Score the pairs as a clusterer takes them."""
        items = as_item_set(item_set)
        listed = resolve_pairs(items, pairs)
        scores = np.full(count_pairs(len(items), listed), self.value)
        return PairScores(len(items), listed, scores, n_clusters=items.n_clusters)

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Floats]:
        """Return the value as the bias; there are no features that could add to it."""
        return self.value, np.empty((len(self(item_set, pairs)), 0))
