"""The base class of blockers, and operations on pair ids and on unit vectors.

The id of a pair (i, j) of n items is i n + j: ids are sorted as the pairs are.
"""

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
"""The name of the logger to which blockers report the pairs that they leave out."""


class PairBlocker(Value, ABC):
    """A frozen callable from an item set to its candidate pairs."""

    def __call__(self, item_set: ItemSet) -> Pairs | None:
        """Return the candidate pairs, i < j, sorted, without duplicates; None means all pairs."""
        item_set = as_item_set(item_set)
        n_items = len(item_set)
        if n_items < 2:
            return None
        pair_ids = self._pair_ids(item_set.items, n_items)
        if pair_ids is not None and len(pair_ids) == count_pairs(n_items):
            pair_ids = None
        # The pairs of pair features stay a list even if they are all, as their order may differ.
        pair_ids = _with_features(pair_ids, item_set.items)
        return None if pair_ids is None else pairs_of_ids(pair_ids, n_items)

    @abstractmethod
    def _pair_ids(self, items: Any, n_items: int) -> Ints | None:
        """Return the sorted ids of the candidate pairs of two or more items; None means all."""


def pair_with_next(items: Ints, n_next: Ints, n_items: int) -> Ints:
    """Return the ids of the pairs of each listed item with the next `n_next` ones in the list."""
    total = int(n_next.sum())
    refuse_too_large(4 * total, f"a list of {total:,} pairs")
    starts = np.cumsum(n_next) - n_next
    later = np.repeat(np.arange(len(items)) + 1 - starts, n_next)
    later += np.arange(total)
    pair_ids: Ints = np.repeat(items * n_items, n_next) + items[later]
    return pair_ids


def sorted_unique(ids: Ints) -> Ints:
    """Return the ids in ascending order without duplicates."""
    # Many times faster than np.unique, which hashes integers.
    ordered = np.sort(ids)
    unique: Ints = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ids)]]
    return unique


def sorted_union(first: Ints, second: Ints) -> Ints:
    """Return the ids that occur in either array, in ascending order without duplicates."""
    return sorted_unique(np.concatenate([first, second]))


def _with_features(pair_ids: Ints | None, items: Any) -> Ints | None:
    """Drop pairs without features, if the items are given by the features of some pairs."""
    if not isinstance(items, PairFeatures) or items.pairs is None:
        return pair_ids
    with_features = np.sort(items.pairs[:, 0] * items.n_items + items.pairs[:, 1])
    if pair_ids is None:
        return with_features
    return np.intersect1d(with_features, pair_ids, assume_unique=True)


def pairs_of_ids(pair_ids: Ints, n_items: int) -> Pairs:
    return read_only(np.column_stack(np.divmod(pair_ids, n_items)))


LONGEST_GRAM = 100
"""The largest number of characters of an n-gram; texts rarely share longer ones."""


def scaled_limit(limit: int, share: float) -> int:
    """Return a limit on the rows of a block for a sample of the rows."""
    return max(round(limit * share), 2)


def as_column_names(columns: Any) -> tuple[str, ...]:
    # An array of no dimension counts as iterable, but is not.
    is_list = isinstance(columns, Iterable) and not isinstance(columns, str)
    is_list &= getattr(columns, "ndim", 1) > 0
    names = tuple(columns) if is_list else (columns,)
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"columns are {columns!r}; give the name of at least one column")
    return names


def as_column_name(column: Any) -> str:
    if not isinstance(column, str):
        raise InputError(f"column is {column!r}; give the name of a column")
    return column


def directions(matrix: Any) -> tuple[Any, Ints]:
    """Return the nonzero rows of a matrix, scaled to length 1, and their indices."""
    norm = sparse_norm if sp.issparse(matrix) else np.linalg.norm
    largest = norm(matrix, np.inf, axis=1) if matrix.shape[1] else np.zeros(matrix.shape[0])
    indices = np.flatnonzero(largest)
    # Dividing by the largest entry first avoids overflow and underflow of the squares.
    rows = _divide_rows(matrix[indices].astype(np.float64, copy=False), largest[indices])
    return _divide_rows(rows, norm(rows, axis=1)), indices


def _divide_rows(matrix: Any, divisors: Floats) -> Any:
    if not sp.issparse(matrix):
        return matrix / divisors[:, None]
    data = matrix.data / np.repeat(divisors, np.diff(matrix.indptr))
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
