"""Looking at all pairs, at all where they are few, or at those near in the order of the items."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import PairBlocker, join
from coterie.exceptions import InputError
from coterie.pairs import count_pairs

__all__ = ["AllIfSmall", "AllPairs", "Window"]

ALL_UP_TO = 1_200_000
"""Up to how many pairs of an item set all are looked at, if nothing else is asked for."""


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


@dataclass(frozen=True)
class AllIfSmall(PairBlocker):
    """Look at all pairs of an item set that has few, else at those that another blocker lists.

    Parameters
    ----------
    otherwise
        The blocker for item sets with more pairs.
    limit
        Up to how many pairs all are looked at.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> from coterie.blocking import Window
    >>> blocker = AllIfSmall(Window(1), limit=3)
    >>> blocker(ItemSet(["a", "b", "c"])) is None
    True
    >>> blocker(ItemSet(["a", "b", "c", "d"])).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """

    otherwise: PairBlocker
    limit: int = ALL_UP_TO

    def __post_init__(self) -> None:
        if not isinstance(self.otherwise, PairBlocker):
            raise InputError(f"otherwise is {self.otherwise!r}; give a blocker")
        object.__setattr__(self, "limit", as_whole("limit", self.limit))

    def _keys(self, items: Any, n_items: int) -> Ints | None:
        if count_pairs(n_items) <= self.limit:
            return None
        return self.otherwise._keys(items, n_items)  # noqa: SLF001
