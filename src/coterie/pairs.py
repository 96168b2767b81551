"""Pairs of items and the scores that a similarity gives them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components

from coterie._core.arguments import as_floats, as_whole
from coterie._core.arrays import Bools, Floats, Ints, Pairs, read_only, refuse_too_large
from coterie._core.indices import (
    all_pairs,
    as_links,
    as_pairs,
    condensed_positions,
    count_pairs,
    pair_indices,
    pair_text,
    refuse_self_pairs,
    row_start,
    upper_rows,
    upper_triangle,
)
from coterie.exceptions import ItemSetError, PairError

if TYPE_CHECKING:
    from coterie.partition import Partition

__all__ = [
    "Contraction",
    "PairScores",
    "all_pairs",
    "as_links",
    "as_n_clusters",
    "as_pairs",
    "as_symmetric",
    "condensed_positions",
    "contract",
    "count_pairs",
    "pair_indices",
    "row_start",
    "upper_rows",
    "upper_triangle",
]

Matrix: TypeAlias = ArrayLike | sp.sparray | sp.spmatrix

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
    apart
        Pairs that must not share a cluster, of shape (q, 2), scored or not; None stands for none.
        (Pairs that must share one: `contract`.)

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
    apart: Pairs | None

    def __init__(
        self,
        n_items: int,
        pairs: ArrayLike | None,
        scores: ArrayLike,
        diagonal: ArrayLike | None = None,
        n_clusters: int | None = None,
        apart: ArrayLike | None = None,
    ) -> None:
        n_items = as_whole("n_items", n_items, error=ItemSetError)
        listed = as_pairs(pairs, n_items)
        values = {
            "n_items": n_items,
            "listed": listed,
            "scores": _finite("scores", scores, count_pairs(n_items, listed), "pairs"),
            "diagonal": _as_diagonal(diagonal, n_items),
            "n_clusters": as_n_clusters(n_clusters, n_items),
            "apart": _as_apart(apart, n_items),
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
        refuse_too_large(self.n_items**2, f"a full matrix of {self.n_items:,} items")
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

    def to_condensed(self, missing: float = 0.0) -> Floats:
        """Return the scores of all pairs in SciPy's condensed order; absent ones are `missing`.

        >>> PairScores(3, [(0, 2)], [5.0]).to_condensed(missing=-1.0)
        array([-1.,  5., -1.])
        """
        if self.listed is None:
            return self.scores
        n_pairs = count_pairs(self.n_items)
        refuse_too_large(n_pairs, f"all pairs of {self.n_items:,} items")
        condensed = np.full(n_pairs, float(missing))
        condensed[condensed_positions(self.listed, self.n_items)] = self.scores
        return condensed

    def plus(self, costs: ArrayLike, diagonal: ArrayLike | None = None) -> Self:
        """Add costs to the scores (and to the diagonal): how a loss enters the search."""
        own = _as_diagonal(diagonal, self.n_items)
        if own is None or self.diagonal is None:
            total = self.diagonal if own is None else own
        else:
            total = self.diagonal + own
        scores = self.scores + _finite("costs", costs, len(self.scores), "pairs")
        return type(self)(self.n_items, self.listed, scores, total, self.n_clusters, self.apart)

    def __reduce__(self) -> tuple[Any, ...]:
        known = (self.diagonal, self.n_clusters, self.apart)
        return type(self), (self.n_items, self.listed, self.scores, *known)

    def __repr__(self) -> str:
        known = "" if self.n_clusters is None else f", {self.n_clusters} clusters"
        every = "all " if self.listed is None else ""
        apart = "" if self.apart is None else f", {len(self.apart)} apart"
        return f"PairScores({self.n_items} items, {every}{len(self.scores)} pairs{known}{apart})"


@dataclass(frozen=True, eq=False)
class Contraction:
    """Scores in which items known to be together are one item.

    `groups` gives each original item its contracted one; `inside` is the sum of the scores inside
    groups, so that the correlation value of `expand(p)` is that of p plus `inside`.
    """

    scores: PairScores
    groups: Ints
    inside: float

    def expand(self, partition: "Partition") -> "Partition":
        """Give every original item the cluster of its group."""
        if len(partition) != self.scores.n_items:
            raise PairError(
                f"the partition covers {len(partition)} items, but there are "
                f"{self.scores.n_items} groups; give a partition of the contracted scores"
            )
        return type(partition)(partition.labels[self.groups])


def contract(scores: PairScores, together: ArrayLike) -> Contraction:
    """Make one item of the items that must be together, summing their scores with the others.

    Meant for the objectives that add scores up: correlation clustering and Sum-Link.

    Parameters
    ----------
    scores
        Scores of the original items.
    together
        Links between items that must share a cluster, of shape (q, 2).

    Examples
    --------
    >>> joined = contract(PairScores(3, [(0, 2), (1, 2)], [5.0, -1.0]), [(0, 1)])
    >>> joined.groups.tolist(), joined.scores.scores.tolist()
    ([0, 0, 1], [4.0])
    """
    groups = _groups(as_links(together, scores.n_items), scores.n_items)
    n_groups = int(groups.max(initial=-1)) + 1
    if scores.n_clusters is not None and scores.n_clusters > n_groups:
        raise ItemSetError(
            f"the links leave {n_groups} groups, but {scores.n_clusters} clusters are asked for; "
            "drop some links"
        )
    first, second = np.sort(groups[scores.pairs], axis=1).T
    inside = first == second
    matrix = sp.coo_array(
        (scores.scores[~inside], (first[~inside], second[~inside])), shape=(n_groups, n_groups)
    )
    matrix.sum_duplicates()
    order = np.lexsort((matrix.col, matrix.row))
    pairs = np.column_stack([matrix.row[order], matrix.col[order]])
    contracted = PairScores(
        n_groups,
        pairs,
        matrix.data[order],
        _group_diagonal(scores, groups, inside),
        scores.n_clusters,
        None if scores.apart is None else _groups_apart(scores.apart, groups),
    )
    return Contraction(contracted, read_only(groups), float(scores.scores[inside].sum()))


def _groups(links: Pairs, n_items: int) -> Ints:
    """Give the items that the links connect one number, 0, 1, … by first item."""
    ends = links[:, 0].astype(np.int32), links[:, 1].astype(np.int32)
    graph = sp.coo_array((np.ones(len(links)), ends), shape=(n_items, n_items))
    labels = connected_components(graph, directed=False)[1]
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


def _group_diagonal(scores: PairScores, groups: Ints, inside: Bools) -> Floats | None:
    """Sum what the items of a group score with themselves and, in both orders, with each other."""
    if scores.diagonal is None:
        return None
    within = 2.0 * np.bincount(groups[scores.pairs[inside, 0]], scores.scores[inside], len(groups))
    total: Floats = np.bincount(groups, scores.diagonal, len(groups)) + within
    return total[: int(groups.max(initial=-1)) + 1]


def _groups_apart(apart: Pairs, groups: Ints) -> Pairs:
    clash = np.flatnonzero(groups[apart[:, 0]] == groups[apart[:, 1]])
    if clash.size:
        raise PairError(
            f"items {pair_text(apart[clash[0]])} must be apart, but the links put them together; "
            "drop one of the two"
        )
    return groups[apart]


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
    # Contiguous, so that kernels meet one kind of array only.
    return read_only(np.ascontiguousarray(numbers))


def _as_diagonal(diagonal: ArrayLike | None, n_items: int) -> Floats | None:
    if diagonal is None:
        return None
    numbers = as_floats("diagonal scores", diagonal, PairError)
    if numbers.ndim == 0:
        numbers = np.broadcast_to(numbers, n_items)
    return _finite("diagonal scores", numbers, n_items, "items")


def _as_apart(apart: ArrayLike | None, n_items: int) -> Pairs | None:
    if apart is None:
        return None
    pairs = pair_indices(apart, n_items)
    refuse_self_pairs(pairs)
    links = as_links(pairs, n_items)
    return links if len(links) else None


def _unless_zero(diagonal: Floats) -> Floats | None:
    return diagonal if np.any(diagonal) else None
