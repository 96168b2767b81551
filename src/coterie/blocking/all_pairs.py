"""Looking at all pairs, or at those that are near in the order of the items."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import PairBlocker, join

__all__ = ["AllPairs", "Window"]


@dataclass(frozen=True)
class AllPairs(PairBlocker):
    """Look at all pairs, or at all that an item set of pair features has.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> AllPairs()(ItemSet([[1.0], [2.0], [3.0]])) is None
    True
    >>> AllPairs()(ItemSet.from_pair_features([[0.5], [0.1]], 3, [(1, 2), (0, 1)])).tolist()
    [[0, 1], [1, 2]]
    """

    def _keys(self, items: Any, n_items: int) -> Ints | None:  # noqa: ARG002
        return None


@dataclass(frozen=True)
class Window(PairBlocker):
    """Look at the pairs of items that are at most `n` places apart in the order of the items.

    Parameters
    ----------
    n
        The largest number of places between two items; 1 pairs each item with the next.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> Window(1)(ItemSet(["a", "b", "c"])).tolist()
    [[0, 1], [1, 2]]
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_whole("n", self.n, 1))

    def _keys(self, items: Any, n_items: int) -> Ints | None:  # noqa: ARG002
        if self.n >= n_items - 1:
            return None
        order = np.arange(n_items)
        return join(order, np.minimum(self.n, order[::-1]), n_items)
