"""Unordered pairs of item indices: listed, or all of them in condensed order; and reordered."""

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
"""Up to how many items a mask of the triangle is faster than a walk over its rows."""


def count_pairs(n_items: int, listed: Pairs | None = None) -> int:
    """Count the listed pairs, or all unordered pairs of `n_items` items."""
    return n_items * (n_items - 1) // 2 if listed is None else len(listed)


def all_pairs(n_items: int) -> Pairs:
    """List all pairs i < j in SciPy's condensed order.

    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    pairs = np.empty((count_pairs(n_items), 2), dtype=np.intp)
    pairs[:, 0], pairs[:, 1] = np.triu_indices(n_items, 1)
    return read_only(pairs)


def row_start(row: Row, n_items: int) -> Row:
    """Return where the pairs (row, ·) begin in condensed order."""
    return row * (2 * n_items - row - 1) // 2


def condensed_positions(pairs: Pairs, n_items: int) -> Ints:
    """Return where pairs i < j are in condensed order.

    >>> condensed_positions(np.array([[0, 2], [1, 2]]), n_items=3).tolist()
    [1, 2]
    """
    first, second = pairs.T
    positions: Ints = row_start(first, n_items) + second - first - 1
    return positions


def upper_rows(condensed: Floats, rows: slice, n_items: int) -> Floats:
    """Return some rows of the n × n matrix whose upper triangle is condensed, zeros below it."""
    block = np.zeros((rows.stop - rows.start, n_items))
    start = row_start(rows.start, n_items)
    for row in range(rows.start, rows.stop):
        stop = start + n_items - row - 1
        block[row - rows.start, row + 1 :] = condensed[start:stop]
        start = stop
    return block


def upper_triangle(matrix: Array) -> Array:
    """Return the entries above the diagonal in condensed order."""
    if len(matrix) <= MAX_MASKED_ITEMS:
        return matrix[~np.tri(len(matrix), dtype=np.bool_)]  # type: ignore[return-value]
    parts = [matrix[row, row + 1 :] for row in range(len(matrix))]
    return np.concatenate(parts) if parts else matrix.reshape(-1)  # type: ignore[return-value]


def as_pairs(pairs: ArrayLike | None, n_items: int) -> Pairs | None:
    """Check listed pairs and put each as i < j; None stands for all pairs, in and out.

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
    """Take links in any direction: repeated ones once, those of an item with itself not at all.

    >>> as_links([(2, 0), (0, 2), (1, 1)], n_items=3).tolist()
    [[0, 2]]
    """
    if links is None:
        raise PairError("links are None; give an (l, 2) array of item indices, empty for none")
    pairs = np.sort(pair_indices(links, n_items), axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    keys = np.unique(pairs[:, 0] * n_items + pairs[:, 1])
    return read_only(np.column_stack(np.divmod(keys, max(n_items, 1))))


def pair_indices(pairs: ArrayLike, n_items: int) -> Pairs:
    """Take pairs of item indices as an (m, 2) array, in either order."""
    try:
        array = np.asarray(pairs)
    except ValueError as error:
        raise PairError("pairs are ragged; give two item indices (i, j) for each") from error
    if array.size == 0 and array.ndim:
        return np.empty((0, 2), dtype=np.intp)
    if array.ndim != 2 or array.shape[1] != 2:
        raise PairError(f"pairs have shape {array.shape}; give an (m, 2) array of item indices")
    if array.dtype.kind not in "iu":
        raise PairError(f"pairs are of type {array.dtype}; give integer item indices")
    if array.min() < 0 or array.max() >= n_items:
        number = int(np.argmax(np.any((array < 0) | (array >= n_items), axis=1)))
        raise PairError(
            f"pair {number} is {pair_text(array[number])}, but there are {n_items} items; "
            f"indices run from 0 to {n_items - 1}"
        )
    return np.ascontiguousarray(array, dtype=np.intp)


def refuse_self_pairs(pairs: Pairs) -> None:
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        raise PairError(
            f"pair {loops[0]} is {pair_text(pairs[loops[0]])}, an item with itself; "
            "leave it out (what an item scores with itself is the diagonal)"
        )


def _refuse_duplicates(pairs: Pairs, keys: Ints) -> None:
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(np.diff(keys[order]) == 0)
    if again.size:
        first, second = order[again[0]], order[again[0] + 1]
        raise PairError(
            f"pairs {first} and {second} are both {pair_text(pairs[first])}; "
            "pairs are unordered, list each once"
        )


def pair_text(pair: NDArray[Any]) -> str:
    return f"({pair[0]}, {pair[1]})"


def as_order(order: ArrayLike, n_items: int) -> Ints:
    """Take the numbers of all items, first that of the item that is to come first.

    >>> as_order([0, 0, 2], n_items=3)
    Traceback (most recent call last):
    coterie.exceptions.ItemSetError: the order does not list each of the 3 items once; give the
    numbers below 3, each once
    """
    try:
        numbers = np.asarray(order)
    except ValueError:  # rows of several lengths
        numbers = np.empty((0, 0))
    fits = numbers.shape == (n_items,) and (n_items == 0 or numbers.dtype.kind in "iu")
    if not fits or not np.array_equal(np.sort(numbers), np.arange(n_items)):
        raise ItemSetError(
            f"the order does not list each of the {n_items} items once; give the numbers below "
            f"{n_items}, each once"
        )
    return read_only(numbers.astype(np.intp))


def reorder_rows(rows: Any, order: Ints) -> Any:
    """Put the rows of a matrix or a frame, or the values of a column, in another order."""
    if isinstance(rows, np.ndarray) or sp.issparse(rows):
        return rows[order]
    known = nw.from_native(rows, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(known, nw.DataFrame | nw.Series):
        return known[order].to_native()
    if hasattr(rows, "take"):  # arrays of Arrow, indices of pandas
        return rows.take(order)
    values = list(rows)
    return tuple(values[number] for number in order)


def reorder_pairs(order: Ints) -> Ints:
    """Return where each pair of the reordered items was, all pairs being in condensed order.

    >>> reorder_pairs(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    before = np.sort(order[all_pairs(len(order))], axis=1)
    return condensed_positions(before, len(order))


@dataclass(frozen=True, eq=False)
class ReorderedFeatures:
    """An operator over pairs whose rows, and whose items, come in another order."""

    of: Any
    rows: Ints
    order: Ints

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        n_pairs, n_columns = self.of.shape
        return n_pairs, n_columns

    @property
    def T(self) -> "TransposedReordered":  # noqa: N802
        """The transpose, for `features.T @ weights`."""
        return TransposedReordered(self)

    @property
    def diagonal(self) -> Any:
        """The features of items with themselves; where there are none, they have no order."""
        own = self.of.diagonal
        return ReorderedFeatures(own, self.order, self.order) if own.shape[0] else own

    def __matmul__(self, coef: Floats) -> Floats:
        scores: Floats = (self.of @ coef)[self.rows]
        return scores


@dataclass(frozen=True, eq=False)
class TransposedReordered:
    """The transpose of reordered features: columns × pairs."""

    of: ReorderedFeatures

    def __matmul__(self, weights: Floats) -> Floats:
        before = np.empty(len(self.of.rows))
        before[self.of.rows] = weights
        total: Floats = self.of.of.T @ before
        return total
