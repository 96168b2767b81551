"""Unordered pairs of item indices, all pairs in condensed order, and reordering of items."""

from dataclasses import dataclass
from typing import Any, TypeVar

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from coterie._core.arrays import Array, Floats, Ints, Pairs, read_only
from coterie.exceptions import ItemSetError, PairError

Row = TypeVar("Row", int, Ints)

MAX_MASKED_ITEMS = 1000
"""Largest number of items for which a mask of the upper triangle is faster than its rows."""


def count_pairs(n_items: int, pairs: Pairs | None = None) -> int:
    """Count `pairs`, or all unordered pairs of `n_items` items if it is None."""
    return n_items * (n_items - 1) // 2 if pairs is None else len(pairs)


def all_pairs(n_items: int) -> Pairs:
    """Return all pairs i < j in SciPy's condensed order.

    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    pairs = np.empty((count_pairs(n_items), 2), dtype=np.intp)
    pairs[:, 0], pairs[:, 1] = np.triu_indices(n_items, 1)
    return read_only(pairs)


def row_start(row: Row, n_items: int) -> Row:
    """Return the position of the first pair (row, ·) in condensed order."""
    return row * (2 * n_items - row - 1) // 2


def condensed_positions(pairs: Pairs, n_items: int) -> Ints:
    """Return the positions of pairs i < j in condensed order.

    >>> condensed_positions(np.array([[0, 2], [1, 2]]), n_items=3).tolist()
    [1, 2]
    """
    first, second = pairs.T
    positions: Ints = row_start(first, n_items) + second - first - 1
    return positions


def upper_rows(condensed: Floats, rows: slice, n_items: int) -> Floats:
    """Return rows of the n × n matrix that has a condensed upper triangle and zeros elsewhere."""
    block = np.zeros((rows.stop - rows.start, n_items))
    start = row_start(rows.start, n_items)
    for row in range(rows.start, rows.stop):
        stop = start + n_items - row - 1
        block[row - rows.start, row + 1 :] = condensed[start:stop]
        start = stop
    return block


def upper_triangle(matrix: Array) -> Array:
    """Return the entries above the diagonal of a square matrix in condensed order."""
    if len(matrix) <= MAX_MASKED_ITEMS:
        return matrix[~np.tri(len(matrix), dtype=np.bool_)]  # type: ignore[return-value]
    parts = [matrix[row, row + 1 :] for row in range(len(matrix))]
    return np.concatenate(parts) if parts else matrix.reshape(-1)  # type: ignore[return-value]


def as_pairs(pairs: ArrayLike | None, n_items: int) -> Pairs | None:
    """Check pairs and write each as i < j; None means all pairs, as argument and as result.

    >>> as_pairs([(2, 0)], n_items=3).tolist()
    [[0, 2]]
    >>> as_pairs([(0, 1), (0, 2), (1, 2)], n_items=3) is None
    True
    """
    if pairs is None:
        return None
    array = pair_indices(pairs, n_items)
    refuse_self_pairs(array)
    if np.any(array[:, 0] > array[:, 1]):
        array = np.sort(array, axis=1)
    keys = array[:, 0] * n_items + array[:, 1]
    if np.all(keys[1:] > keys[:-1]):
        if len(array) == count_pairs(n_items):
            return None
    else:
        _refuse_duplicates(array, keys)
    return read_only(array)


def as_links(links: ArrayLike, n_items: int) -> Pairs:
    """Check links in either direction, and drop duplicates and links of an item to itself.

    >>> as_links([(2, 0), (0, 2), (1, 1)], n_items=3).tolist()
    [[0, 2]]
    """
    if links is None:
        raise PairError("links is None; give an (n, 2) array of item indices, which may be empty")
    pairs = np.sort(pair_indices(links, n_items), axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    keys = np.unique(pairs[:, 0] * n_items + pairs[:, 1])
    return read_only(np.column_stack(np.divmod(keys, max(n_items, 1))))


def pair_indices(pairs: ArrayLike, n_items: int) -> Pairs:
    """Check pairs of item indices, i and j in either order, and return an (m, 2) array."""
    try:
        array = np.asarray(pairs)
    except ValueError as error:
        raise PairError("pairs are ragged; give two item indices (i, j) per pair") from error
    if array.size == 0 and array.ndim:
        return np.empty((0, 2), dtype=np.intp)
    if array.ndim != 2 or array.shape[1] != 2:
        raise PairError(f"pairs have shape {array.shape}; give an (m, 2) array of item indices")
    if array.dtype.kind not in "iu":
        raise PairError(f"pairs are of type {array.dtype}; give integer item indices")
    if array.min() < 0 or array.max() >= n_items:
        index = int(np.argmax(np.any((array < 0) | (array >= n_items), axis=1)))
        raise PairError(
            f"pair {index} is {pair_text(array[index])}, but there are {n_items} items; "
            f"indices run from 0 to {n_items - 1}"
        )
    return np.ascontiguousarray(array, dtype=np.intp)


def refuse_self_pairs(pairs: Pairs) -> None:
    self_pairs = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if self_pairs.size:
        index = self_pairs[0]
        raise PairError(
            f"pair {index} is {pair_text(pairs[index])}, which pairs an item with itself; "
            "leave it out (scores of items with themselves belong on the diagonal of a matrix)"
        )


def _refuse_duplicates(pairs: Pairs, keys: Ints) -> None:
    order = np.argsort(keys, kind="stable")
    duplicates = np.flatnonzero(np.diff(keys[order]) == 0)
    if duplicates.size:
        first, second = order[duplicates[0]], order[duplicates[0] + 1]
        raise PairError(
            f"pairs {first} and {second} are both {pair_text(pairs[first])}; "
            "pairs are unordered, so list each pair once"
        )


def pair_text(pair: NDArray[Any]) -> str:
    return f"({pair[0]}, {pair[1]})"


def as_order(order: ArrayLike, n_items: int) -> Ints:
    """Check a new order of the items: the index of the item that comes first, and so on.

    >>> as_order([0, 0, 2], n_items=3)
    Traceback (most recent call last):
    coterie.exceptions.ItemSetError: the order does not list each of the 3 items exactly
    once; give every index from 0 to 2 once
    """
    try:
        indices = np.asarray(order)
    except ValueError:  # nested lists of different lengths
        indices = np.empty((0, 0))
    fits = indices.shape == (n_items,) and (n_items == 0 or indices.dtype.kind in "iu")
    if not fits or not np.array_equal(np.sort(indices), np.arange(n_items)):
        raise ItemSetError(
            f"the order does not list each of the {n_items} items exactly once; give every "
            f"index from 0 to {n_items - 1} once"
        )
    return read_only(indices.astype(np.intp))


def reorder_rows(rows: Any, order: Ints) -> Any:
    """Return the rows of a matrix or a frame, or the values of a column, in another order."""
    if isinstance(rows, np.ndarray) or sp.issparse(rows):
        return rows[order]
    frame = nw.from_native(rows, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return frame[order].to_native()
    if hasattr(rows, "take"):  # an array of Arrow or an index of pandas
        return rows.take(order)
    values = list(rows)
    return tuple(values[index] for index in order)


def reorder_pairs(order: Ints) -> Ints:
    """Return the former condensed position of each pair of the reordered items.

    >>> reorder_pairs(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    former_pairs = np.sort(order[all_pairs(len(order))], axis=1)
    return condensed_positions(former_pairs, len(order))


@dataclass(frozen=True, eq=False)
class ReorderedFeatures:
    """Pair features, as a linear operator, whose pairs and items are reordered."""

    features: Any
    rows: Ints
    """For each pair in the new order, its row of `features`."""
    order: Ints
    """For each item in the new order, its former index."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        n_pairs, n_columns = self.features.shape
        return n_pairs, n_columns

    @property
    def T(self) -> "TransposedReordered":  # noqa: N802
        """The transpose, for `features.T @ weights`."""
        return TransposedReordered(self)

    @property
    def diagonal(self) -> Any:
        """The features of items with themselves, reordered unless there are none."""
        diagonal = self.features.diagonal
        if not diagonal.shape[0]:
            return diagonal
        return ReorderedFeatures(diagonal, self.order, self.order)

    def __matmul__(self, coef: Floats) -> Floats:
        scores: Floats = (self.features @ coef)[self.rows]
        return scores


@dataclass(frozen=True, eq=False)
class TransposedReordered:
    """The transpose of reordered features: columns × pairs."""

    reordered: ReorderedFeatures

    def __matmul__(self, weights: Floats) -> Floats:
        former_weights = np.empty(len(self.reordered.rows))
        former_weights[self.reordered.rows] = weights
        total: Floats = self.reordered.features.T @ former_weights
        return total
