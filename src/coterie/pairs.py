"""Scores of item pairs, the input of every clusterer."""

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
    """Scores of item pairs: the higher the score, the more the two items belong together.

    Pairs may be absent. For correlation clustering, k-means and Sum-Link an absent pair scores 0;
    left-linking and spanning forests never link its two items.

    Parameters
    ----------
    n_items
        Number of items.
    pairs
        Item indices of shape (m, 2), each unordered pair once. None means all pairs in SciPy's
        condensed order.
    scores
        One finite number per pair.
    diagonal
        The score of each item with itself, which k-means uses, or one number for all items. None
        means zeros.
    n_clusters
        The number of clusters to make, if it is known beforehand.
    apart
        Cannot-link pairs, of shape (q, 2): their items must not share a cluster. They need not be
        among `pairs`. None means no such pairs. For must-link pairs, see `contract`.

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
        listed_pairs = as_pairs(pairs, n_items)
        values = {
            "n_items": n_items,
            "listed": listed_pairs,
            "scores": _as_finite("scores", scores, count_pairs(n_items, listed_pairs), "pair"),
            "diagonal": _as_diagonal(diagonal, n_items),
            "n_clusters": as_n_clusters(n_clusters, n_items),
            "apart": _as_apart(apart, n_items),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def pairs(self) -> Pairs:
        """The scored pairs, of shape (m, 2); if all pairs are scored, made on first use."""
        return all_pairs(self.n_items) if self.listed is None else self.listed

    @classmethod
    def from_matrix(cls, matrix: Matrix, n_clusters: int | None = None) -> Self:
        """Read the scores from a symmetric n × n matrix.

        The pairs of a sparse matrix are its stored entries.

        >>> PairScores.from_matrix([[0, 5], [5, 0]])
        PairScores(2 items, all 1 pairs)
        """
        if sp.issparse(matrix):
            return cls._from_sparse(sp.coo_array(matrix, copy=True), n_clusters)
        dense = as_symmetric(matrix)
        diagonal = np.diagonal(dense).copy()
        return cls(len(dense), None, upper_triangle(dense), _none_if_zero(diagonal), n_clusters)

    @classmethod
    def _from_sparse(cls, matrix: Any, n_clusters: int | None) -> Self:
        matrix.sum_duplicates()
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise PairError(f"the matrix has shape {matrix.shape}; {_SYMMETRIC}")
        n_items = matrix.shape[0]
        data = as_floats("the matrix", matrix.data, PairError)
        lower, higher = np.sort([matrix.row, matrix.col], axis=0).astype(np.intp)
        keys, pair = np.unique(lower * n_items + higher, return_inverse=True)
        above, below = np.zeros(len(keys)), np.zeros(len(keys))
        above[pair[matrix.row <= matrix.col]] = data[matrix.row <= matrix.col]
        below[pair[matrix.row >= matrix.col]] = data[matrix.row >= matrix.col]
        first, second = np.divmod(keys, max(n_items, 1))
        _refuse_asymmetry(above, below, first, second)
        between = first != second
        pairs = np.column_stack([first[between], second[between]])
        return cls(n_items, pairs, above[between], _none_if_zero(matrix.diagonal()), n_clusters)

    def to_matrix(self) -> Floats:
        """Return the n × n matrix of scores, with 0 for absent pairs."""
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
        """Return the scores of all pairs in SciPy's condensed order; absent pairs score `missing`.

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
        """Return scores with costs added to them, and to the diagonal.

        A learner adds the costs of a loss in this way, to search for the worst partition.
        """
        self_costs = _as_diagonal(diagonal, self.n_items)
        if self_costs is None or self.diagonal is None:
            total = self.diagonal if self_costs is None else self_costs
        else:
            total = self.diagonal + self_costs
        scores = self.scores + _as_finite("costs", costs, len(self.scores), "pair")
        return type(self)(self.n_items, self.listed, scores, total, self.n_clusters, self.apart)

    def __reduce__(self) -> tuple[Any, ...]:
        optional = (self.diagonal, self.n_clusters, self.apart)
        return type(self), (self.n_items, self.listed, self.scores, *optional)

    def __repr__(self) -> str:
        all_of = "all " if self.listed is None else ""
        clusters = "" if self.n_clusters is None else f", {self.n_clusters} clusters"
        apart = "" if self.apart is None else f", {len(self.apart)} apart"
        pairs = f"{all_of}{len(self.scores)} pairs"
        return f"PairScores({self.n_items} items, {pairs}{clusters}{apart})"


@dataclass(frozen=True, eq=False)
class Contraction:
    """Scores in which each group of must-linked items has become one item.

    Parameters
    ----------
    scores
        The scores of the groups.
    groups
        The group index of each original item.
    inside
        The sum of the scores inside groups. The correlation value of `expand(partition)` is the
        value of the partition of the groups plus this sum.
    """

    scores: PairScores
    groups: Ints
    inside: float

    def expand(self, partition: "Partition") -> "Partition":
        """Return the partition in which every original item has the cluster of its group."""
        if len(partition) != self.scores.n_items:
            raise PairError(
                f"the partition covers {len(partition)} items, but there are "
                f"{self.scores.n_items} groups of items; give a partition of the groups"
            )
        return type(partition)(partition.labels[self.groups])


def contract(scores: PairScores, together: ArrayLike) -> Contraction:
    """Replace each group of must-linked items by one item, and sum their scores.

    This suits the objectives that add scores up: correlation clustering and Sum-Link.

    Parameters
    ----------
    scores
        Scores of the original items.
    together
        Must-link pairs, of shape (q, 2): their items must share a cluster.

    Examples
    --------
    >>> contraction = contract(PairScores(3, [(0, 2), (1, 2)], [5.0, -1.0]), [(0, 1)])
    >>> contraction.groups.tolist(), contraction.scores.scores.tolist()
    ([0, 0, 1], [4.0])
    """
    groups = _group_indices(as_links(together, scores.n_items), scores.n_items)
    n_groups = int(groups.max(initial=-1)) + 1
    if scores.n_clusters is not None and scores.n_clusters > n_groups:
        raise ItemSetError(
            f"the must-link pairs leave {n_groups} groups for {scores.n_clusters} clusters; drop "
            "some of these pairs, or lower n_clusters"
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


def _group_indices(links: Pairs, n_items: int) -> Ints:
    """Return for each item the index of the group that links connect, in order of first items."""
    ends = links[:, 0].astype(np.int32), links[:, 1].astype(np.int32)
    graph = sp.coo_array((np.ones(len(links)), ends), shape=(n_items, n_items))
    labels = connected_components(graph, directed=False)[1]
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


def _group_diagonal(scores: PairScores, groups: Ints, inside: Bools) -> Floats | None:
    """Sum the scores of a group's items with themselves and, in both orders, with each other."""
    if scores.diagonal is None:
        return None
    within = 2.0 * np.bincount(groups[scores.pairs[inside, 0]], scores.scores[inside], len(groups))
    total: Floats = np.bincount(groups, scores.diagonal, len(groups)) + within
    return total[: int(groups.max(initial=-1)) + 1]


def _groups_apart(apart: Pairs, groups: Ints) -> Pairs:
    clash = np.flatnonzero(groups[apart[:, 0]] == groups[apart[:, 1]])
    if clash.size:
        raise PairError(
            f"{pair_text(apart[clash[0]])} is a cannot-link pair, but must-link pairs connect its "
            "items; drop one of these pairs"
        )
    return groups[apart]


def as_n_clusters(n_clusters: int | None, n_items: int) -> int | None:
    """Check a number of clusters: from 1 (or 0 without items) to the number of items."""
    if n_clusters is None:
        return None
    count = as_whole("n_clusters", n_clusters, min(n_items, 1), error=ItemSetError)
    if count > n_items:
        raise ItemSetError(
            f"n_clusters is {count}, but there are {n_items} items; use at most {n_items}"
        )
    return count


def as_symmetric(matrix: ArrayLike) -> Floats:
    """Convert a matrix to floats; refuse one that is not square, symmetric and finite."""
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
        entry = unequal[0]
        i, j = first[entry], second[entry]
        raise PairError(
            f"the matrix is not symmetric: S[{i}, {j}] = {above[entry]} and "
            f"S[{j}, {i}] = {below[entry]}; {_SYMMETRIC}"
        )


def _as_finite(name: str, values: ArrayLike, n_expected: int, unit: str) -> Floats:
    numbers = as_floats(name, values, PairError)
    if numbers.shape != (n_expected,):
        raise PairError(
            f"{name} have shape {numbers.shape}, but there are {n_expected} {unit}s; "
            f"give one number per {unit}"
        )
    non_finite = np.flatnonzero(~np.isfinite(numbers))
    if non_finite.size:
        index = non_finite[0]
        raise PairError(f"{name}: entry {index} is {numbers[index]}; give finite numbers")
    # Contiguous, because every kernel is compiled for one kind of array only.
    return read_only(np.ascontiguousarray(numbers))


def _as_diagonal(diagonal: ArrayLike | None, n_items: int) -> Floats | None:
    if diagonal is None:
        return None
    numbers = as_floats("diagonal scores", diagonal, PairError)
    if numbers.ndim == 0:
        numbers = np.broadcast_to(numbers, n_items)
    return _as_finite("diagonal scores", numbers, n_items, "item")


def _as_apart(apart: ArrayLike | None, n_items: int) -> Pairs | None:
    if apart is None:
        return None
    pairs = pair_indices(apart, n_items)
    refuse_self_pairs(pairs)
    links = as_links(pairs, n_items)
    return links if len(links) else None


def _none_if_zero(diagonal: Floats) -> Floats | None:
    return diagonal if np.any(diagonal) else None
