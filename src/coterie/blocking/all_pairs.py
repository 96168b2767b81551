"""Blockers by item order or size: all pairs, pairs within a window, or all pairs if few."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import PairBlocker, pair_with_next
from coterie.exceptions import InputError
from coterie.pairs import count_pairs

__all__ = ["AllIfSmall", "AllPairs", "Window"]

ALL_UP_TO = 1_200_000
"""The default of `AllIfSmall.limit`: up to this number, all pairs of an item set are candidates."""


@dataclass(frozen=True)
class AllPairs(PairBlocker):
    """List all pairs as candidates; for an item set of pair features, all that have features.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> AllPairs()(ItemSet([[1.0], [2.0], [3.0]])) is None
    True
    >>> AllPairs()(ItemSet.from_pair_features([[0.5], [0.1]], 3, [(1, 2), (0, 1)])).tolist()
    [[0, 1], [1, 2]]
    """

    def _pair_ids(self, items: Any, n_items: int) -> Ints | None:  # noqa: ARG002
        return None


@dataclass(frozen=True)
class Window(PairBlocker):
    """List the pairs of items whose indices differ by at most `n`.

    Parameters
    ----------
    n
        The largest difference of two indices; 1 pairs each item with the next one only.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> Window(1)(ItemSet(["a", "b", "c"])).tolist()
    [[0, 1], [1, 2]]
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_whole("n", self.n, 1))

    def _pair_ids(self, items: Any, n_items: int) -> Ints | None:  # noqa: ARG002
        if self.n >= n_items - 1:
            return None
        order = np.arange(n_items)
        return pair_with_next(order, np.minimum(self.n, order[::-1]), n_items)


@dataclass(frozen=True)
class AllIfSmall(PairBlocker):
    """List all pairs of a small item set, and use another blocker for larger ones.

    Parameters
    ----------
    otherwise
        The blocker for item sets with more than `limit` pairs.
    limit
        The largest number of pairs for which all pairs are listed.

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
            raise InputError(
                f"`otherwise` is {self.otherwise!r}; give a blocker, such as Window(10)"
            )
        object.__setattr__(self, "limit", as_whole("limit", self.limit))

    def _pair_ids(self, items: Any, n_items: int) -> Ints | None:
        if count_pairs(n_items) <= self.limit:
            return None
        return self.otherwise._pair_ids(items, n_items)  # noqa: SLF001
