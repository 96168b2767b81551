"""Pairs of items and the scores that a similarity gives them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from coterie._arguments import as_floats, as_whole
from coterie._arrays import Array, Floats, Ints, Pairs, read_only
from coterie.exceptions import ItemSetError, PairError

__all__ = [
    "PairScores",
    "all_pairs",
    "as_links",
    "as_n_clusters",
    "as_pairs",
    "as_symmetric",
    "count_pairs",
    "pair_indices",
    "row_start",
    "upper_rows",
    "upper_triangle",
]

Matrix: TypeAlias = ArrayLike | sp.sparray | sp.spmatrix
Row = TypeVar("Row", int, Ints)

_SYMMETRIC = "give a square matrix with S[i, j] == S[j, i]"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class PairScores:
    """Scores of item pairs: the higher, the more the two items belong together.

    An absent pair scores 0 for correlation clustering, k-means and Sum-Link, and is no candidate
    at all for left-linking and forests.

    Parameters
    ----------
    n_items
        Number of items.
    pairs
        Item indices of shape (m, 2); unordered, each pair once. None stands for all pairs in
        SciPy's condensed order.
    scores
        One finite number a pair.
    diagonal
        What each item scores with itself (k-means needs it), or one number for all; None stands
        for zeros.
    n_clusters
        The number of clusters to make, where it is known.

    Examples
    --------
    >>> scores = PairScores(3, [(0, 1), (1, 2)], [2.0, -1.0])
    >>> scores.to_matrix()
    array([[ 0.,  2.,  0.],
           [ 2.,  0., -1.],
           [ 0., -1.,  0.]])
    """

    n_items: int
    listed: Pairs | None
    scores: Floats
    diagonal: Floats | None
    n_clusters: int | None

    def __init__(
        self,
        n_items: int,
        pairs: ArrayLike | None,
        scores: ArrayLike,
        diagonal: ArrayLike | None = None,
        n_clusters: int | None = None,
    ) -> None:
        n_items = as_whole("n_items", n_items, error=ItemSetError)
        listed = as_pairs(pairs, n_items)
        values = {
            "n_items": n_items,
            "listed": listed,
            "scores": _finite("scores", scores, count_pairs(n_items, listed), "pairs"),
            "diagonal": _as_diagonal(diagonal, n_items),
            "n_clusters": as_n_clusters(n_clusters, n_items),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs, of shape (m, 2); made on demand where all are present."""
        return all_pairs(self.n_items) if self.listed is None else self.listed

    @classmethod
    def from_matrix(cls, matrix: Matrix, n_clusters: int | None = None) -> Self:
        """Take the scores from a symmetric n × n matrix; of a sparse one, the stored pairs only.

        >>> PairScores.from_matrix([[0, 5], [5, 0]])
        PairScores(2 items, all 1 pairs)
        """
        if sp.issparse(matrix):
            return cls._from_sparse(sp.coo_array(matrix, copy=True), n_clusters)
        dense = as_symmetric(matrix)
        diagonal = np.diagonal(dense).copy()
        return cls(len(dense), None, upper_triangle(dense), _unless_zero(diagonal), n_clusters)

    @classmethod
    def _from_sparse(cls, matrix: Any, n_clusters: int | None) -> Self:
        matrix.sum_duplicates()
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise PairError(f"the matrix has shape {matrix.shape}; {_SYMMETRIC}")
        n_items = matrix.shape[0]
        data = as_floats("the matrix", matrix.data, PairError)
        ends = np.sort([matrix.row, matrix.col], axis=0).astype(np.intp)
        keys, pair = np.unique(ends[0] * n_items + ends[1], return_inverse=True)
        above, below = np.zeros(len(keys)), np.zeros(len(keys))
        above[pair[matrix.row <= matrix.col]] = data[matrix.row <= matrix.col]
        below[pair[matrix.row >= matrix.col]] = data[matrix.row >= matrix.col]
        first, second = np.divmod(keys, max(n_items, 1))
        _refuse_asymmetry(above, below, first, second)
        off = first != second
        pairs = np.column_stack([first[off], second[off]])
        return cls(n_items, pairs, above[off], _unless_zero(matrix.diagonal()), n_clusters)

    def to_matrix(self) -> Floats:
        """Return the n × n matrix of scores; absent pairs are 0."""
        if self.listed is None:
            matrix = upper_rows(self.scores, slice(0, self.n_items), self.n_items)
            for item in range(self.n_items):
                matrix[item + 1 :, item] = matrix[item, item + 1 :]
        else:
            matrix = np.zeros((self.n_items, self.n_items))
            first, second = self.listed.T
            matrix[first, second] = matrix[second, first] = self.scores
        if self.diagonal is not None:
            np.fill_diagonal(matrix, self.diagonal)
        return matrix

    def plus(self, costs: ArrayLike, diagonal: ArrayLike | None = None) -> Self:
        """Add costs to the scores (and to the diagonal): how a loss enters the search."""
        own = _as_diagonal(diagonal, self.n_items)
        if own is None or self.diagonal is None:
            total = self.diagonal if own is None else own
        else:
            total = self.diagonal + own
        scores = self.scores + _finite("costs", costs, len(self.scores), "pairs")
        return type(self)(self.n_items, self.listed, scores, total, self.n_clusters)

    def __reduce__(self) -> tuple[Any, ...]:
        values = (self.n_items, self.listed, self.scores, self.diagonal, self.n_clusters)
        return type(self), values

    def __repr__(self) -> str:
        known = "" if self.n_clusters is None else f", {self.n_clusters} clusters"
        every = "all " if self.listed is None else ""
        return f"PairScores({self.n_items} items, {every}{len(self.scores)} pairs{known})"


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


def upper_rows(condensed: Floats, rows: slice, n_items: int) -> Floats:
    """Return some rows of the n × n matrix whose upper triangle is condensed, zeros below it."""
    block = np.zeros((rows.stop - rows.start, n_items))
    for row in range(rows.start, rows.stop):
        start, stop = row_start(row, n_items), row_start(row + 1, n_items)
        block[row - rows.start, row + 1 :] = condensed[start:stop]
    return block


def upper_triangle(matrix: Array) -> Array:
    """Return the entries above the diagonal in condensed order."""
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
    _refuse_loops(array)
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
            f"pair {number} is {_show(array[number])}, but there are {n_items} items; "
            f"indices run from 0 to {n_items - 1}"
        )
    return np.ascontiguousarray(array, dtype=np.intp)


def as_n_clusters(n_clusters: int | None, n_items: int) -> int | None:
    """Check a known number of clusters: at least 1 (0 for no items), at most one an item."""
    if n_clusters is None:
        return None
    count = as_whole("n_clusters", n_clusters, min(n_items, 1), error=ItemSetError)
    if count > n_items:
        raise ItemSetError(
            f"n_clusters is {count}, but there are {n_items} items; give at most one an item"
        )
    return count


def as_symmetric(matrix: ArrayLike) -> Floats:
    """Take a square symmetric matrix of finite numbers."""
    dense = as_floats("the matrix", matrix, PairError)
    if dense.shape == (0,):
        return np.zeros((0, 0))
    if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
        raise PairError(f"the matrix has shape {dense.shape}; {_SYMMETRIC}")
    if not np.isfinite(dense).all():
        i, j = np.argwhere(~np.isfinite(dense))[0]
        raise PairError(f"S[{i}, {j}] is {dense[i, j]}; give finite numbers")
    for item in range(len(dense)):
        above, below = dense[item, item + 1 :], dense[item + 1 :, item]
        if not np.array_equal(above, below):
            later = np.arange(item + 1, len(dense))
            _refuse_asymmetry(above, below, np.full_like(later, item), later)
    return dense


def _refuse_asymmetry(above: Floats, below: Floats, first: Ints, second: Ints) -> None:
    unequal = np.flatnonzero(~np.isclose(above, below, rtol=1e-9, atol=1e-9, equal_nan=True))
    if unequal.size:
        at = unequal[0]
        i, j = first[at], second[at]
        raise PairError(
            f"the matrix is not symmetric: S[{i}, {j}] = {above[at]} and "
            f"S[{j}, {i}] = {below[at]}; {_SYMMETRIC}"
        )


def _refuse_loops(pairs: Pairs) -> None:
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        raise PairError(
            f"pair {loops[0]} is {_show(pairs[loops[0]])}, an item with itself; "
            "leave it out (what an item scores with itself is the diagonal)"
        )


def _refuse_duplicates(pairs: Pairs, keys: Ints) -> None:
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(np.diff(keys[order]) == 0)
    if again.size:
        first, second = order[again[0]], order[again[0] + 1]
        raise PairError(
            f"pairs {first} and {second} are both {_show(pairs[first])}; "
            "pairs are unordered, list each once"
        )


def _show(pair: NDArray[Any]) -> str:
    return f"({pair[0]}, {pair[1]})"


def _finite(what: str, values: ArrayLike, n_expected: int, unit: str) -> Floats:
    numbers = as_floats(what, values, PairError)
    if numbers.shape != (n_expected,):
        raise PairError(
            f"{what} have shape {numbers.shape}, but there are {n_expected} {unit}; "
            "give one for each"
        )
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise PairError(f"{what}: number {bad[0]} is {numbers[bad[0]]}; give finite numbers")
    return numbers


def _as_diagonal(diagonal: ArrayLike | None, n_items: int) -> Floats | None:
    if diagonal is None:
        return None
    numbers = as_floats("diagonal scores", diagonal, PairError)
    if numbers.ndim == 0:
        numbers = np.broadcast_to(numbers, n_items)
    return _finite("diagonal scores", numbers, n_items, "items")


def _unless_zero(diagonal: Floats) -> Floats | None:
    return diagonal if np.any(diagonal) else None
