"""Blocking by equal values of columns: items that share a value are candidate pairs."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import (
    LOGGER,
    PairBlocker,
    as_column_names,
    pair_with_next,
    sorted_unique,
)
from coterie.exceptions import ItemSetError
from coterie.features.columns import column_of, is_missing, tokens_of

__all__ = ["SharedKeys"]

_log = logging.getLogger(LOGGER)


@dataclass(frozen=True)
class SharedKeys(PairBlocker):
    """List the pairs of items that share a value of at least one of the named columns.

    The items that share a value are a block. A value may be a list, tuple, set or array of tokens;
    then each of its tokens makes a block. None, NaN, other missing values and the empty text make
    no block. A warning is logged with the number of blocks and pairs left out as too large.

    Parameters
    ----------
    columns
        Names of columns of a data frame, or of a mapping of names to columns.
    max_block
        The largest size of a block. Larger blocks are left out: their value is too common.

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
        object.__setattr__(self, "columns", as_column_names(self.columns))
        object.__setattr__(self, "max_block", as_whole("max_block", self.max_block, 2))

    def _pair_ids(self, items: Any, n_items: int) -> Ints:
        columns = [(name, column_of(items, name, "SharedKeys")) for name in self.columns]
        parts = [self._column_pair_ids(*column, n_items) for column in columns]
        return sorted_unique(np.concatenate(parts))

    def _column_pair_ids(self, name: str, values: Sequence[Any], n_items: int) -> Ints:
        """Return the ids of the pairs that share a value of one column."""
        blocks, items = np.divmod(_memberships(name, values), n_items)
        sizes = np.bincount(blocks)
        self._warn_of_large_blocks(name, sizes[sizes > self.max_block])
        is_small = sizes[blocks] <= self.max_block
        blocks, items = blocks[is_small], items[is_small]
        n_next = np.searchsorted(blocks, blocks, side="right") - np.arange(len(blocks)) - 1
        return pair_with_next(items, n_next, n_items)

    def _warn_of_large_blocks(self, name: str, sizes: Ints) -> None:
        if not sizes.size:
            return
        _log.warning(
            "column %r: left out %d blocks of more than %d items (the largest has %d), and "
            "with them up to %d pairs; raise max_block to include them",
            *(name, len(sizes), self.max_block, sizes.max(), np.sum(sizes * (sizes - 1) // 2)),
        )


def _memberships(name: str, values: Sequence[Any]) -> Ints:
    """Return the sorted ids b n + i of the memberships of items i in blocks b, one per token."""
    tokens = [tokens_of(value) for value in values]
    items = np.repeat(np.arange(len(tokens)), [len(item_tokens) for item_tokens in tokens])
    codes: dict[Any, int] = {}
    try:
        code_list = [codes.setdefault(token, len(codes)) for token in chain.from_iterable(tokens)]
    except TypeError as error:
        raise _unhashable_error(name, tokens) from error
    blocks = np.array(code_list, dtype=np.intp)
    is_present = np.array([not is_missing(token) for token in codes], dtype=bool)[blocks]
    return sorted_unique(blocks[is_present] * len(tokens) + items[is_present])


def _unhashable_error(name: str, tokens: Sequence[Collection[Any]]) -> ItemSetError:
    item, token = next(
        (item, token)
        for item, item_tokens in enumerate(tokens)
        for token in item_tokens
        if not _is_hashable(token)
    )
    return ItemSetError(
        f"column {name!r}, item {item}: a {type(token).__name__} cannot be a key; give numbers, "
        "strings, or lists of them"
    )


def _is_hashable(token: Any) -> bool:
    try:
        hash(token)
    except TypeError:
        return False
    return True
