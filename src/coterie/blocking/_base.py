"""What blockers share: pairs as numbers i n + j, which sort as the pairs do, and unit vectors."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import norm as sparse_norm

from coterie._core.arrays import Floats, Ints, Pairs, read_only, refuse_too_large
from coterie._core.values import Value
from coterie.exceptions import InputError
from coterie.items import ItemSet, PairFeatures, as_item_set
from coterie.pairs import count_pairs

LOGGER = "coterie.blocking"
"""The name under which blockers tell what they leave out."""


class PairBlocker(Value, ABC):
    """A frozen callable from an item set to the pairs that are looked at."""

    def __call__(self, item_set: ItemSet) -> Pairs | None:
        """Return the pairs, i < j, sorted by (i, j), each once; None stands for all pairs."""
        item_set = as_item_set(item_set)
        n_items = len(item_set)
        if n_items < 2:
            return None
        keys = self._keys(item_set.items, n_items)
        if keys is not None and len(keys) == count_pairs(n_items):
            keys = None
        # Pairs that an item set lists itself stay a list: they may be all, but in another order.
        keys = present(keys, item_set.items)
        return None if keys is None else as_pairs(keys, n_items)

    @abstractmethod
    def _keys(self, items: Any, n_items: int) -> Ints | None:
        """Return the sorted keys i n + j of the pairs of at least two items; None for all."""


def join(owners: Ints, after: Ints, n_items: int) -> Ints:
    """Return the keys i n + j of each owner i with as many of those after it as `after` says."""
    total = int(after.sum())
    refuse_too_large(4 * total, f"a list of {total:,} pairs")
    starts = np.cumsum(after) - after
    later = np.repeat(np.arange(len(owners)) + 1 - starts, after)
    later += np.arange(total)
    keys: Ints = np.repeat(owners * n_items, after) + owners[later]
    return keys


def distinct(keys: Ints) -> Ints:
    """Return the keys sorted, each once."""
    # Many times faster than np.unique, which hashes whole numbers.
    ordered = np.sort(keys)
    first: Ints = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(keys)]]
    return first


def merged(one: Ints, other: Ints) -> Ints:
    """Return the keys of either, sorted, each once."""
    return distinct(np.concatenate([one, other]))


def present(keys: Ints | None, items: Any) -> Ints | None:
    """Keep the pairs that the items have: pair features may be of some pairs only."""
    if not isinstance(items, PairFeatures) or items.pairs is None:
        return keys
    there = np.sort(items.pairs[:, 0] * items.n_items + items.pairs[:, 1])
    return there if keys is None else np.intersect1d(there, keys, assume_unique=True)


def as_pairs(keys: Ints, n_items: int) -> Pairs:
    return read_only(np.column_stack(np.divmod(keys, n_items)))


def as_names(columns: Any) -> tuple[str, ...]:
    is_list = isinstance(columns, Iterable) and not isinstance(columns, str)
    names = tuple(columns) if is_list else (columns,)
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"columns are {columns!r}; give the name of at least one column")
    return names


def as_name(column: Any) -> str:
    """Take the name of a column."""
    if not isinstance(column, str):
        raise InputError(f"column is {column!r}; give the name of a column")
    return column


def directions(matrix: Any) -> tuple[Any, Ints]:
    """Return the rows at length 1 and their items, without those of zeros."""
    norm = sparse_norm if sp.issparse(matrix) else np.linalg.norm
    largest = norm(matrix, np.inf, axis=1) if matrix.shape[1] else np.zeros(matrix.shape[0])
    which = np.flatnonzero(largest)
    # First by the largest entry, so that no square over- or underflows.
    rows = divided(matrix[which].astype(np.float64, copy=False), largest[which])
    return divided(rows, norm(rows, axis=1)), which


def divided(matrix: Any, divisors: Floats) -> Any:
    """Divide each row by its number."""
    if not sp.issparse(matrix):
        return matrix / divisors[:, None]
    data = matrix.data / np.repeat(divisors, np.diff(matrix.indptr))
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
