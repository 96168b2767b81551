"""Looking at all pairs where they are few."""

from dataclasses import dataclass
from typing import Any

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import PairBlocker
from coterie.exceptions import InputError
from coterie.pairs import count_pairs

__all__ = ["AllIfSmall"]

ALL_UP_TO = 1_200_000
"""Up to how many pairs of an item set all are looked at, if nothing else is asked for."""


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
