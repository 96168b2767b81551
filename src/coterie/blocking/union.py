"""The pairs of any of several keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints, Pairs
from coterie.blocking._base import PairBlocker, as_pairs, merged
from coterie.blocking._keys import MAX_BLOCK, TextKey, tell_dropped
from coterie.blocking._tables import TextTable
from coterie.exceptions import InputError
from coterie.items import ItemSet, as_item_set

__all__ = ["Listed", "Union"]


class Listed(NamedTuple):
    """The pairs that a union lists, and what it left out."""

    pairs: Pairs
    dropped: int
    """Up to how many pairs were left out because their block is too large."""
    counts: tuple[int, ...]
    """How many pairs each key lists, in the order of the keys."""


@dataclass(frozen=True)
class Union(PairBlocker):
    """Look at the pairs of any of several keys.

    Of a block of more than `max_block` rows, each row is paired only with the next few in the order
    of all that the rows have, so that what is nearly the same still meets. Up to how many pairs are
    left out is logged as a warning. The pairs do not depend on the order of rows that differ.

    Parameters
    ----------
    keys
        Keys of columns of texts, such as `RareTokens` and `NearestTexts`.
    max_block
        The number of rows above which most pairs of a block are left out: its key says too little.

    Examples
    --------
    >>> from coterie.blocking import Prefix, WholeValue
    >>> table = {"name": ["Ann", "Bob", "Anna", "Bo"], "town": ["Rome", "Bari", "", "Rome"]}
    >>> people = ItemSet(table)
    >>> union = Union([Prefix("name", 3), WholeValue("town")])
    >>> union(people).tolist()
    [[0, 2], [0, 3]]
    >>> union.listed(people).counts
    (1, 1)
    """

    keys: Sequence[TextKey]
    max_block: int = MAX_BLOCK

    def __post_init__(self) -> None:
        keys = tuple(self.keys) if isinstance(self.keys, list | tuple) else ()
        if not keys or not all(isinstance(key, TextKey) for key in keys):
            raise InputError(
                f"keys are {self.keys!r}; give at least one key of texts, such as RareTokens"
            )
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "max_block", as_whole("max_block", self.max_block, 2))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that the keys read."""
        return tuple(dict.fromkeys(chain.from_iterable(key.names for key in self.keys)))

    def listed(self, item_set: ItemSet) -> Listed:
        """Return the pairs, how many of them each key lists, and how many were left out."""
        item_set = as_item_set(item_set)
        keys, dropped, counts = self._look(item_set.items, len(item_set))
        return Listed(as_pairs(keys, max(len(item_set), 1)), dropped, counts)

    def _keys(self, items: Any, n_items: int) -> Ints:
        keys, dropped, _ = self._look(items, n_items)
        tell_dropped(dropped, self.max_block)
        return keys

    def _look(self, items: Any, n_items: int) -> tuple[Ints, int, tuple[int, ...]]:
        table = TextTable.of(items, self.names, n_items, "Union")
        found, dropped, counts = np.empty(0, dtype=np.intp), 0, []
        for key in self.keys:
            own = key.look(table, self.max_block)
            counts.append(len(own.keys))
            dropped += own.dropped
            found = merged(found, own.keys)
        return table.given(found), dropped, tuple(counts)
