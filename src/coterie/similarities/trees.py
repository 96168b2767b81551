"""Similarities that are sums of decision trees."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import roots_legendre

from coterie._core.arguments import as_floats, as_real, as_whole
from coterie._core.arrays import Bools, Floats, Pairs, read_only
from coterie._kernels.trees.shapley import add_contributions, trace_paths
from coterie._kernels.trees.sums import TreeNodes, tree_sums
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError, InputError
from coterie.features.featurizer import as_featurizer
from coterie.features.operators import select_rows, to_matrix
from coterie.features.operators.blocks import row_blocks
from coterie.items import as_item_set
from coterie.similarities.base import FeatureSimilarity, resolve_pairs

INTEGER_FIELDS = ("roots", "columns", "lefts", "rights")
REAL_FIELDS = ("thresholds", "values", "covers")

COVER_TOL = 1e-9
"""The largest relative difference of a node's cover and the sum of its children's covers."""


@dataclass(frozen=True, eq=False, repr=False)
class Trees:
    """A sum of binary decision trees over the columns of a matrix.

    The nodes of all trees are numbered consecutively. The nodes of a tree follow each other, from
    its root on, and a child comes after its parent.

    Parameters
    ----------
    roots
        The number of the first node of each tree.
    columns
        The column that a node tests; −1 at a leaf.
    thresholds
        A row goes to the left child if its number is at most the threshold; unused at a leaf.
    lefts, rights
        The numbers of the children; unused at a leaf.
    values
        The number that a leaf adds to the sum; unused at other nodes.
    covers
        The number of training pairs that passed a node, which is the sum of the covers of its
        children. Above 0 except at leaves.

    Examples
    --------
    >>> trees = Trees([0], [0, -1, -1], [0.5, 0, 0], [1, 0, 0], [2, 0, 0], [0, -1, 2], [4, 3, 1])
    >>> trees
    Trees(1 of 2 leaves)
    >>> trees([[0.0], [1.0]])
    array([-1.,  2.])
    >>> trees.contributions([[0.0], [1.0]])
    (-0.25, array([[-0.75],
           [ 2.25]]))
    """

    roots: NDArray[np.int32]
    columns: NDArray[np.int32]
    thresholds: Floats
    lefts: NDArray[np.int32]
    rights: NDArray[np.int32]
    values: Floats
    covers: Floats

    def __post_init__(self) -> None:
        for name in INTEGER_FIELDS:
            object.__setattr__(self, name, _as_integers(name, getattr(self, name)))
        for name in REAL_FIELDS:
            object.__setattr__(self, name, _as_finite(name, getattr(self, name)))
        for name in (*INTEGER_FIELDS[1:], *REAL_FIELDS):
            if len(getattr(self, name)) != len(self.columns):
                raise InputError(
                    f"columns has length {len(self.columns)}, but {name} has length "
                    f"{len(getattr(self, name))}; give both one number per node"
                )
        self._refuse_wrong_roots()
        self._refuse_wrong_children()
        self._refuse_wrong_covers()

    @classmethod
    def joined(cls, parts: Sequence["Trees"]) -> Self:
        """Concatenate the trees of several parts.

        >>> leaf = Trees([0], [-1], [0], [0], [0], [2.0], [1])
        >>> Trees.joined([leaf, leaf])([[1.0]])
        array([4.])
        """
        starts = np.cumsum([0] + [len(part.columns) for part in parts])[: len(parts)]
        arrays: dict[str, Any] = {}
        for name in (*INTEGER_FIELDS, *REAL_FIELDS):
            # Node numbers are shifted by the number of nodes of the earlier parts.
            shifts = starts if name in ("roots", "lefts", "rights") else 0 * starts
            shifted = [getattr(part, name) + s for part, s in zip(parts, shifts, strict=True)]
            arrays[name] = np.concatenate(shifted) if shifted else np.empty(0, dtype=np.intp)
        return cls(**arrays)

    def first(self, n_trees: int) -> "Trees":
        """Return only the first trees, or all if there are not more than `n_trees`."""
        count = as_whole("n_trees", n_trees)
        if count >= len(self):
            return self
        end = int(self.roots[count])
        per_node = (*INTEGER_FIELDS[1:], *REAL_FIELDS)
        node_arrays = {name: getattr(self, name)[:end] for name in per_node}
        return Trees(roots=self.roots[:count], **node_arrays)

    def __len__(self) -> int:
        return len(self.roots)

    def __repr__(self) -> str:
        n_leaves = np.count_nonzero(self.columns < 0)
        return f"Trees({len(self)} of {n_leaves} leaves)"

    def __call__(self, matrix: Any) -> Floats:
        """Return the sum of the trees for each row of a matrix, dense or sparse."""
        sums: Floats = tree_sums(self._as_rows(matrix), self._nodes)
        return sums

    def contributions(self, matrix: Any) -> tuple[float, Floats]:
        """Return the mean of the training pairs, and what each column of each row adds to it.

        The contributions are the Shapley values of the path-dependent expectation (Lundberg et al.
        2018): at a column that is not known, a tree follows both children, weighted by the shares
        of their covers.
        """
        rows = self._as_rows(matrix)
        paths, n_columns = trace_paths(self._nodes, self.covers)
        # Shapley values are integrals over [0, 1] of polynomials whose degree is at most the
        # number of columns on a path minus 1; Gauss-Legendre quadrature is exact for them.
        points, weights = roots_legendre(max(1, (n_columns + 1) // 2))
        sums = np.zeros(rows.shape)
        add_contributions(rows, self._nodes, paths, (points + 1.0) / 2.0, weights / 2.0, sums)
        return float((self.values * paths.reach_shares)[self.columns < 0].sum()), sums

    @cached_property
    def _nodes(self) -> TreeNodes:
        parts = (self.columns, self.thresholds, self.lefts, self.rights, self.values)
        return TreeNodes(self.roots, *parts)

    def _as_rows(self, matrix: Any) -> Floats:
        dense = matrix.toarray() if sp.issparse(matrix) else matrix
        rows = as_floats("matrix", dense, FeatureError)
        if rows.ndim != 2:
            raise FeatureError(
                f"the features have shape {rows.shape}; give a matrix with one row per pair"
            )
        max_column = self.columns.max(initial=-1)
        if max_column >= rows.shape[1]:
            raise FeatureError(
                f"the features have {rows.shape[1]} columns, but the trees test column "
                f"{max_column}; give the same featurizer and the same kind of item sets as "
                "when the trees were learned"
            )
        return read_only(np.ascontiguousarray(rows))

    def _refuse_wrong_roots(self) -> None:
        """Refuse roots that do not divide the nodes into trees."""
        n_nodes = len(self.columns)
        bounds = np.append(self.roots, n_nodes)
        if bounds[0] != 0:
            raise InputError(
                f"the first root is node {bounds[0]}; make it node 0, because every node "
                "belongs to a tree"
            )
        _refuse_where(
            np.diff(bounds) <= 0,
            lambda tree: (
                f"root {tree} is {bounds[tree]}, followed by {bounds[tree + 1]} of {n_nodes} "
                "nodes; give the roots in ascending order"
            ),
        )

    def _refuse_wrong_children(self) -> None:
        """Refuse children that do not make trees: each node but a root has exactly one parent."""
        _refuse_where(
            self.columns < -1,
            lambda node: (
                f"node {node} tests column {self.columns[node]}; give columns from 0 on, and -1 "
                "at leaves"
            ),
        )
        self._refuse_outside_tree("left", self.lefts)
        self._refuse_outside_tree("right", self.rights)
        parents = np.bincount(self._children().ravel(), minlength=len(self.columns))
        parents[self.roots] += 1
        _refuse_where(
            parents != 1,
            lambda node: (
                f"node {node} is not a root, but the child of {parents[node]} nodes; give it one "
                "parent"
            ),
        )

    def _refuse_outside_tree(self, side: str, children: NDArray[np.int32]) -> None:
        """Refuse children that are not later nodes of the tree of their parent."""
        nodes, bounds = np.arange(len(self.columns)), np.append(self.roots, len(self.columns))
        # The number after the last node of the tree, for each node.
        ends = np.repeat(bounds[1:], np.diff(bounds))
        _refuse_where(
            (self.columns >= 0) & ((children <= nodes) | (children >= ends)),
            lambda node: (
                f"the {side} child of node {node} is {children[node]}; give a later node "
                f"of the same tree, which ends before node {ends[node]}"
            ),
        )

    def _refuse_wrong_covers(self) -> None:
        """Raise an error if a cover is negative, or not the sum of the covers of the children."""
        _refuse_where(
            self.covers < 0,
            lambda node: (
                f"the cover of node {node} is {self.covers[node]}; give numbers of at least 0"
            ),
        )
        nodes = np.flatnonzero(self.columns >= 0)
        covers, sums = self.covers[nodes], self.covers[self._children()].sum(axis=0)
        _refuse_where(
            (sums <= 0) | (abs(covers - sums) > COVER_TOL * covers),
            lambda index: (
                f"the cover of node {nodes[index]} is {covers[index]}, but the covers of its "
                f"children sum to {sums[index]}; give the number of training pairs of each node"
            ),
        )

    def _children(self) -> NDArray[np.int32]:
        """Return the left and right children of the inner nodes, of shape (2, inner nodes)."""
        return np.stack([self.lefts, self.rights])[:, self.columns >= 0]


@dataclass(frozen=True, eq=False, repr=False)
class TreeSimilarity(FeatureSimilarity):
    """Score a pair by a sum of decision trees of its features: `trees(features) + bias`.

    Features are written out as matrices, some pairs at a time.

    Parameters
    ----------
    featurizer
        A fitted featurizer, which computes the features of pairs.
    trees
        The trees, over the columns of the features.
    bias
        The number added to the score of every pair.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> from coterie.features import GivenFeatures
    >>> trees = Trees([0], [0, -1, -1], [2.0, 0, 0], [1, 0, 0], [2, 0, 0], [0, -1, 2], [4, 3, 1])
    >>> similarity = TreeSimilarity(GivenFeatures(), trees, bias=0.5)
    >>> similarity
    TreeSimilarity(1 tree, bias 0.5)
    >>> items = ItemSet([[1.0, 0.0], [3.0, 1.0], [1.0, 1.0]])
    >>> similarity(items)
    array([ 2.5, -0.5,  2.5])
    >>> bias, parts = similarity.contributions(items, [(1, 2)])
    >>> bias, parts.tolist()
    (0.25, [[2.25, 0.0]])
    """

    featurizer: Featurizer
    trees: Trees
    bias: float = 0.0

    def __post_init__(self) -> None:
        as_featurizer(self.featurizer)
        if not isinstance(self.trees, Trees):
            raise InputError(f"trees is {self.trees!r}; give a Trees object")
        object.__setattr__(self, "bias", as_real("bias", self.bias, low=-inf))

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Floats]:
        """Return the mean score of the training pairs, and what each feature adds for each pair.

        The contributions have shape (m, d). The sum of a row and the mean is the score of the pair.
        See `Trees.contributions`.
        """
        items = as_item_set(item_set)
        features = self._features(items, resolve_pairs(items, pairs))
        mean, _ = self.trees.contributions(np.empty((0, features.shape[1])))
        parts = np.empty(features.shape)
        for rows, block in _blocks(features):
            _, parts[rows] = self.trees.contributions(block)
        return self.bias + mean, parts

    def __repr__(self) -> str:
        bias = f", bias {self.bias:g}" if self.bias else ""
        count = len(self.trees)
        return f"TreeSimilarity({count} tree{'' if count == 1 else 's'}{bias})"

    def _scores(self, features: Features) -> Floats:
        scores = np.full(features.shape[0], self.bias)
        for rows, block in _blocks(features):
            scores[rows] += self.trees(block)
        return scores


def _blocks(features: Features) -> Iterator[tuple[slice, Any]]:
    """Yield slices of rows, and the features of these rows as a matrix."""
    for rows in row_blocks(*features.shape):
        yield rows, to_matrix(select_rows(features, np.arange(rows.start, rows.stop)))


def _as_integers(name: str, values: Any) -> NDArray[np.int32]:
    """Return numbers of nodes or columns as a read-only copy of type int32."""
    if isinstance(values, np.ndarray) and values.dtype == np.int32 and values.ndim == 1:
        return read_only(values.copy())
    numbers, most = _as_finite(name, values), np.iinfo(np.int32).max
    _refuse_where(
        (numbers != np.floor(numbers)) | (abs(numbers) > most),
        lambda index: f"{name} {index} is {numbers[index]}; give whole numbers of at most {most}",
    )
    return read_only(numbers.astype(np.int32))


def _as_finite(name: str, values: Any) -> Floats:
    """Return numbers as a read-only copy, so that they cannot change after the checks."""
    numbers = as_floats(name, values).copy()
    if numbers.ndim != 1:
        raise InputError(f"{name} have shape {numbers.shape}; give a one-dimensional array")
    _refuse_where(
        ~np.isfinite(numbers),
        lambda index: f"{name} {index} is {numbers[index]}; give finite numbers",
    )
    return read_only(numbers)


def _refuse_where(is_wrong: Bools, message: Callable[[int], str]) -> None:
    """Raise an error with the message for the first wrong index, if there is one."""
    indices = np.flatnonzero(is_wrong)
    if indices.size:
        raise InputError(message(int(indices[0])))
