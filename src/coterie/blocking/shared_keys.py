"""Looking at the pairs that share a value."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import LOGGER, PairBlocker, as_names, distinct, join
from coterie.exceptions import ItemSetError
from coterie.features.columns import column_of, is_missing, tokens_of

__all__ = ["SharedKeys"]

_log = logging.getLogger(LOGGER)


@dataclass(frozen=True)
class SharedKeys(PairBlocker):
    """Look at the pairs that share a value of at least one of the named columns.

    A value may be a list, tuple, set or array of tokens; items then share a key if they share a
    token. None, NaN, other missing values and the empty text share nothing. The items of one key
    are a block; how many blocks and pairs are left out as too large is logged as a warning.

    Parameters
    ----------
    columns
        Names of columns of a data frame, or of items given as a mapping of names to columns.
    max_block
        The number of items above which a block is left out: its key says too little.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> people = ItemSet({"name": ["Ann", "Bob", "Ann"], "towns": [["Rome", "Bari"], ["Rome"], []]})
    >>> SharedKeys(["name", "towns"])(people).tolist()
    [[0, 1], [0, 2]]
    """

    columns: Sequence[str]
    max_block: int = 1000

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", as_names(self.columns))
        object.__setattr__(self, "max_block", as_whole("max_block", self.max_block, 2))

    def _keys(self, items: Any, n_items: int) -> Ints:
        columns = [(name, column_of(items, name, "SharedKeys")) for name in self.columns]
        return distinct(np.concatenate([self._shared(*column, n_items) for column in columns]))

    def _shared(self, name: str, values: Sequence[Any], n_items: int) -> Ints:
        """Return the keys of the pairs that share a value of one column."""
        blocks, owners = np.divmod(_memberships(name, values), n_items)
        sizes = np.bincount(blocks)
        self._tell_left_out(name, sizes[sizes > self.max_block])
        kept = sizes[blocks] <= self.max_block
        blocks, owners = blocks[kept], owners[kept]
        after = np.searchsorted(blocks, blocks, side="right") - np.arange(len(blocks)) - 1
        return join(owners, after, n_items)

    def _tell_left_out(self, name: str, sizes: Ints) -> None:
        if not sizes.size:
            return
        _log.warning(
            "column %r: left out %d blocks of more than %d items (the largest has %d), up to %d "
            "pairs; raise max_block to look at them",
            *(name, len(sizes), self.max_block, sizes.max(), np.sum(sizes * (sizes - 1) // 2)),
        )


def _memberships(name: str, values: Sequence[Any]) -> Ints:
    """Return the sorted numbers b n + i, each once, of the items i that have a token b."""
    tokens = [tokens_of(value) for value in values]
    owners = np.repeat(np.arange(len(tokens)), [len(each) for each in tokens])
    numbers: dict[Any, int] = {}
    try:
        codes = [numbers.setdefault(token, len(numbers)) for token in chain.from_iterable(tokens)]
    except TypeError as error:
        raise _unusable(name, tokens) from error
    block = np.array(codes, dtype=np.intp)
    known = np.array([not is_missing(token) for token in numbers], dtype=bool)[block]
    return distinct(block[known] * len(tokens) + owners[known])


def _unusable(name: str, tokens: Sequence[Collection[Any]]) -> ItemSetError:
    each = ((item, token) for item, own in enumerate(tokens) for token in own)
    item, token = next((item, token) for item, token in each if not _is_hashable(token))
    return ItemSetError(
        f"column {name!r}, item {item}: a {type(token).__name__} is no key; give numbers, texts "
        "or lists of them"
    )


def _is_hashable(token: Any) -> bool:
    try:
        hash(token)
    except TypeError:
        return False
    return True
