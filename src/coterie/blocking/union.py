"""The union of several blocking keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints, Pairs
from coterie.blocking._base import PairBlocker, pairs_of_ids, scaled_limit, sorted_union
from coterie.blocking._keys import MAX_BLOCK, TextKey, warn_of_dropped_pairs
from coterie.blocking._tables import TextTable
from coterie.exceptions import InputError
from coterie.items import ItemSet, as_item_set

__all__ = ["Listed", "Union"]


class Listed(NamedTuple):
    """The candidate pairs of a union of keys, with counts."""

    pairs: Pairs
    dropped: int
    """An upper bound of the number of pairs left out because their block is too large."""
    counts: tuple[int, ...]
    """The number of pairs of each key, in the order of the keys."""


@dataclass(frozen=True)
class Union(PairBlocker):
    """List the candidate pairs of any of several blocking keys.

    In a block of more than `max_block` rows, each row is paired only with the next few rows when
    the block is sorted by the contents of all columns, so that near-duplicates are still
    candidates. A warning is logged with an upper bound of the number of pairs left out. The pairs
    do not depend on the order of the rows, as long as the rows differ.

    Parameters
    ----------
    keys
        Blocking keys of columns of texts, such as `RareTokens` and `NearestTexts`.
    max_block
        The largest block whose pairs are all candidates. Most pairs of larger blocks are left out,
        as the value that their rows share is too common.

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
                f"keys are {self.keys!r}; give a list of at least one blocking key, such as "
                '[RareTokens("name")]'
            )
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "max_block", as_whole("max_block", self.max_block, 2))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that the keys read."""
        return tuple(dict.fromkeys(chain.from_iterable(key.names for key in self.keys)))

    def listed(self, item_set: ItemSet) -> Listed:
        """Return the candidate pairs, their number by key, and the number of pairs left out."""
        item_set = as_item_set(item_set)
        pair_ids, dropped, counts = self._block(item_set.items, len(item_set))
        return Listed(pairs_of_ids(pair_ids, max(len(item_set), 1)), dropped, counts)

    def for_sample(self, share: float) -> "Union":
        """Return the keys for a random sample of a table: limits on rows shrink with the share."""
        keys = [key.for_sample(share) for key in self.keys]
        return Union(keys, scaled_limit(self.max_block, share))

    def _pair_ids(self, items: Any, n_items: int) -> Ints:
        pair_ids, dropped, _ = self._block(items, n_items)
        warn_of_dropped_pairs(dropped, self.max_block)
        return pair_ids

    def _block(self, items: Any, n_items: int) -> tuple[Ints, int, tuple[int, ...]]:
        table = TextTable.of(items, self.names, n_items, "Union")
        pair_ids, dropped, counts = np.empty(0, dtype=np.intp), 0, []
        for key in self.keys:
            blocked = key.block(table, self.max_block)
            counts.append(len(blocked.pair_ids))
            dropped += blocked.dropped
            pair_ids = sorted_union(pair_ids, blocked.pair_ids)
        return table.in_input_order(pair_ids), dropped, tuple(counts)
