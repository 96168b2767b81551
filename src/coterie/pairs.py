"""Pairs of items and the scores that a similarity gives them."""

from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._arrays import Floats, Pairs, read_only
from coterie.exceptions import ItemSetError, PairError

__all__ = ["PairScores", "all_pairs", "as_n_clusters", "as_pairs", "count_pairs"]


Matrix: TypeAlias = ArrayLike | sp.sparray | sp.spmatrix


def count_pairs(n_items: int) -> int:
    """Count the unordered pairs of `n_items` items."""
    return n_items * (n_items - 1) // 2


def all_pairs(n_items: int) -> Pairs:
    """List all pairs i < j in SciPy's condensed order.

    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    pairs = np.empty((count_pairs(n_items), 2), dtype=np.intp)
    pairs[:, 0], pairs[:, 1] = np.triu_indices(n_items, 1)
    pairs.setflags(write=False)
    return pairs


def as_pairs(pairs: ArrayLike | None, n_items: int) -> Pairs | None:
    """Check listed pairs and put each as i < j; None stands for all pairs, in and out.

    >>> as_pairs([(2, 0)], n_items=3).tolist()
    [[0, 2]]
    >>> as_pairs([(0, 1), (0, 2), (1, 2)], n_items=3) is None
    True
    """
    if pairs is None:
        return None
    array = _pair_array(pairs)
    _refuse_bad_indices(array, n_items)
    if np.any(array[:, 0] > array[:, 1]):
        array = np.sort(array, axis=1)
    keys = array[:, 0] * n_items + array[:, 1]
    if np.all(keys[1:] > keys[:-1]):
        if len(array) == count_pairs(n_items):
            return None
    else:
        _refuse_duplicates(array, keys)
    return read_only(array)


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
        What each item scores with itself (k-means needs it); None stands for zeros.
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
        n_items = _as_count(n_items)
        listed = as_pairs(pairs, n_items)
        n_pairs = count_pairs(n_items) if listed is None else len(listed)
        values = {
            "n_items": n_items,
            "listed": listed,
            "scores": _numbers(scores, n_pairs, "scores", "pairs"),
            "diagonal": None
            if diagonal is None
            else _numbers(diagonal, n_items, "diagonal scores", "items"),
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
        dense = _symmetric(matrix)
        upper = dense[np.triu_indices(len(dense), 1)]
        return cls(len(dense), None, upper, _unless_zero(np.diagonal(dense)), n_clusters)

    @classmethod
    def _from_sparse(cls, matrix: "sp.coo_array[Any]", n_clusters: int | None) -> Self:
        matrix.sum_duplicates()
        rows, columns = matrix.shape
        if rows != columns or np.any(abs(matrix - matrix.T).data > 1e-9):
            raise PairError(f"the matrix of shape {matrix.shape} is not symmetric; {_SYMMETRIC}")
        upper = matrix.row < matrix.col
        pairs = np.column_stack([matrix.row[upper], matrix.col[upper]])
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        diagonal = _unless_zero(matrix.diagonal())
        return cls(matrix.shape[0], pairs[order], matrix.data[upper][order], diagonal, n_clusters)

    def to_matrix(self) -> Floats:
        """Return the n × n matrix of scores; absent pairs are 0."""
        matrix = np.zeros((self.n_items, self.n_items))
        first, second = self.pairs.T
        matrix[first, second] = matrix[second, first] = self.scores
        if self.diagonal is not None:
            np.fill_diagonal(matrix, self.diagonal)
        return matrix

    def plus(self, costs: ArrayLike, diagonal: ArrayLike | None = None) -> Self:
        """Add costs to the scores (and to the diagonal): how a loss enters the search."""
        own = np.zeros(self.n_items) if self.diagonal is None else self.diagonal
        total = self.diagonal if diagonal is None else own + np.asarray(diagonal)
        return type(self)(
            self.n_items, self.listed, self.scores + np.asarray(costs), total, self.n_clusters
        )

    def __repr__(self) -> str:
        known = "" if self.n_clusters is None else f", {self.n_clusters} clusters"
        every = "all " if self.listed is None else ""
        return f"PairScores({self.n_items} items, {every}{len(self.scores)} pairs{known})"


_SYMMETRIC = "give a square matrix with S[i, j] == S[j, i]"


def as_n_clusters(n_clusters: int | None, n_items: int) -> int | None:
    """Check a known number of clusters: at least 1 (0 for no items), at most one an item."""
    if n_clusters is None:
        return None
    count = _as_count(n_clusters, "n_clusters")
    if not min(n_items, 1) <= count <= n_items:
        raise ItemSetError(f"n_clusters is {count}, but there are {n_items} items")
    return count


def _as_count(number: int, what: str = "n_items") -> int:
    try:
        count = index(number)
    except TypeError:
        count = -1
    if count < 0:
        raise ItemSetError(f"{what} is {number!r}; give a whole number that is not negative")
    return count


def _symmetric(matrix: ArrayLike) -> Floats:
    try:
        dense = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PairError(
            f"the matrix is ragged or has entries that are no numbers; {_SYMMETRIC}"
        ) from error
    if dense.size == 0:
        return np.zeros((0, 0))
    if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
        raise PairError(f"the matrix has shape {dense.shape}; {_SYMMETRIC}")
    if not np.allclose(dense, dense.T, rtol=1e-9, atol=1e-9, equal_nan=True):
        i, j = np.argwhere(~np.isclose(dense, dense.T, rtol=1e-9, atol=1e-9, equal_nan=True))[0]
        raise PairError(
            f"the matrix is not symmetric: S[{i}, {j}] = {dense[i, j]} and "
            f"S[{j}, {i}] = {dense[j, i]}; {_SYMMETRIC}"
        )
    return dense


def _unless_zero(diagonal: Floats) -> Floats | None:
    return diagonal if np.any(diagonal) else None


def _pair_array(pairs: ArrayLike) -> Pairs:
    try:
        array = np.asarray(pairs)
    except ValueError as error:
        raise PairError("pairs are ragged; give two item indices (i, j) for each") from error
    if array.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if array.ndim != 2 or array.shape[1] != 2:
        raise PairError(f"pairs have shape {array.shape}; give an (m, 2) array of item indices")
    if array.dtype.kind not in "iu":
        raise PairError(f"pairs are of type {array.dtype}; give integer item indices")
    return np.ascontiguousarray(array, dtype=np.intp)


def _refuse_bad_indices(pairs: Pairs, n_items: int) -> None:
    outside = np.flatnonzero(np.any((pairs < 0) | (pairs >= n_items), axis=1))
    if outside.size:
        raise PairError(
            f"pair {outside[0]} is {_show(pairs[outside[0]])}, but there are {n_items} items; "
            f"indices run from 0 to {n_items - 1}"
        )
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        raise PairError(
            f"pair {loops[0]} is {_show(pairs[loops[0]])}, an item with itself; "
            "leave it out (what an item scores with itself is the diagonal)"
        )


def _refuse_duplicates(pairs: Pairs, keys: Pairs) -> None:
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(np.diff(keys[order]) == 0)
    if again.size:
        first, second = order[again[0]], order[again[0] + 1]
        raise PairError(
            f"pairs {first} and {second} are both {_show(pairs[first])}; "
            "pairs are unordered, list each once"
        )


def _show(pair: Pairs) -> str:
    return f"({pair[0]}, {pair[1]})"


def _numbers(values: ArrayLike, n_expected: int, what: str, unit: str) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PairError(f"{what} must be numbers") from error
    if array.shape != (n_expected,):
        raise PairError(
            f"{what} have shape {array.shape}, but there are {n_expected} {unit}; give one for each"
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise PairError(f"{what}: number {bad[0]} is {array[bad[0]]}; give finite numbers")
    return read_only(array)
