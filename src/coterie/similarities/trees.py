"""Sums of trees."""

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
from coterie.features.operators import taken, written
from coterie.features.operators.blocks import row_blocks
from coterie.items import as_item_set
from coterie.similarities.base import FeatureSimilarity, resolve_pairs

_WHOLE = ("roots", "columns", "lefts", "rights")
_REAL = ("thresholds", "values", "covers")

_CLOSE = 1e-9
"""How far, as a share, the cover of a node may be from the sum of its children's."""


@dataclass(frozen=True, eq=False, repr=False)
class Trees:
    """Binary trees over the columns of a matrix, which are summed.

    The nodes of all trees are numbered through: each tree from its root on, a child after its
    parent.

    Parameters
    ----------
    roots
        The number of the first node of each tree.
    columns
        The column that a node looks at; −1 at a leaf.
    thresholds
        A row goes to the left child where its number is at most this; unused at a leaf.
    lefts, rights
        The numbers of the children; unused at a leaf.
    values
        What a leaf adds; unused at other nodes.
    covers
        How many training pairs passed a node: above 0, and as many as passed its two children.

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
        for name in _WHOLE:
            object.__setattr__(self, name, _as_numbers(name, getattr(self, name)))
        for name in _REAL:
            object.__setattr__(self, name, _as_finite(name, getattr(self, name)))
        for name in (*_WHOLE[1:], *_REAL):
            if len(getattr(self, name)) != len(self.columns):
                raise InputError(
                    f"there are {len(self.columns)} columns, but {len(getattr(self, name))} "
                    f"{name}; give one a node"
                )
        self._refuse_wrong_roots()
        self._refuse_wrong_children()
        self._refuse_wrong_covers()

    @classmethod
    def joined(cls, parts: Sequence["Trees"]) -> Self:
        """Put all trees of some parts one after the other.

        >>> leaf = Trees([0], [-1], [0], [0], [0], [2.0], [1])
        >>> Trees.joined([leaf, leaf])([[1.0]])
        array([4.])
        """
        starts = np.cumsum([0] + [len(part.columns) for part in parts])[: len(parts)]
        joint: dict[str, Any] = {}
        for name in (*_WHOLE, *_REAL):
            shifts = starts if name in ("roots", "lefts", "rights") else 0 * starts
            own = [getattr(part, name) + s for part, s in zip(parts, shifts, strict=True)]
            joint[name] = np.concatenate(own) if own else np.empty(0, dtype=np.intp)
        return cls(**joint)

    def first(self, n_trees: int) -> "Trees":
        """Return the first trees alone, all where there are no more."""
        count = as_whole("n_trees", n_trees)
        if count >= len(self):
            return self
        end = int(self.roots[count])
        kept = {name: getattr(self, name)[:end] for name in (*_WHOLE[1:], *_REAL)}
        return Trees(roots=self.roots[:count], **kept)

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

        These are the Shapley values of the path-dependent expectation (Lundberg et al. 2018): a
        tree that does not know a column goes both ways, in the shares of its covers.
        """
        rows = self._as_rows(matrix)
        paths, n_columns = trace_paths(self._nodes, self.covers)
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
            raise FeatureError(f"the matrix has shape {rows.shape}; give one row a pair")
        last = self.columns.max(initial=-1)
        if last >= rows.shape[1]:
            raise FeatureError(
                f"the features have {rows.shape[1]} columns, but the trees look at column {last}; "
                "give the featurizer that they were learned with, and item sets of that kind"
            )
        return read_only(np.ascontiguousarray(rows))

    def _refuse_wrong_roots(self) -> None:
        """Refuse roots that do not divide the nodes into trees."""
        n_nodes = len(self.columns)
        bounds = np.append(self.roots, n_nodes)
        if bounds[0] != 0:
            raise InputError(f"the first root is {bounds[0]}; give node 0, for each is of a tree")
        _refuse_where(
            np.diff(bounds) <= 0,
            lambda tree: (
                f"root {tree} is {bounds[tree]}, before {bounds[tree + 1]} of {n_nodes} "
                "nodes; give the roots in ascending order"
            ),
        )

    def _refuse_wrong_children(self) -> None:
        """Refuse paths that would leave the tree, go back or meet again."""
        _refuse_where(
            self.columns < -1,
            lambda node: (
                f"node {node} looks at column {self.columns[node]}; give columns from 0 "
                "on, and -1 at leaves"
            ),
        )
        self._refuse_strangers("left", self.lefts)
        self._refuse_strangers("right", self.rights)
        parents = np.bincount(self._children().ravel(), minlength=len(self.columns))
        parents[self.roots] += 1
        _refuse_where(
            parents != 1,
            lambda node: (
                f"node {node} is no root and the child of {parents[node]} nodes; give it one parent"
            ),
        )

    def _refuse_strangers(self, side: str, children: NDArray[np.int32]) -> None:
        nodes, bounds = np.arange(len(self.columns)), np.append(self.roots, len(self.columns))
        ends = np.repeat(bounds[1:], np.diff(bounds))
        _refuse_where(
            (self.columns >= 0) & ((children <= nodes) | (children >= ends)),
            lambda node: (
                f"the {side} child of node {node} is {children[node]}; give a later node "
                f"of the same tree, which has those before {ends[node]}"
            ),
        )

    def _refuse_wrong_covers(self) -> None:
        """Refuse covers that do not say what share of the training pairs goes left and right."""
        _refuse_where(
            self.covers < 0,
            lambda node: f"the cover of node {node} is {self.covers[node]}; give none below 0",
        )
        nodes = np.flatnonzero(self.columns >= 0)
        covers, sums = self.covers[nodes], self.covers[self._children()].sum(axis=0)
        _refuse_where(
            (sums <= 0) | (abs(covers - sums) > _CLOSE * covers),
            lambda at: (
                f"the cover of node {nodes[at]} is {covers[at]}, but those of its children "
                f"sum to {sums[at]}; give how many training pairs passed each"
            ),
        )

    def _children(self) -> NDArray[np.int32]:
        """Return the left and right children of the nodes that have them, of shape (2, ·)."""
        return np.stack([self.lefts, self.rights])[:, self.columns >= 0]


@dataclass(frozen=True, eq=False, repr=False)
class TreeSimilarity(FeatureSimilarity):
    """Score a pair by a sum of trees of its features: `trees(features) + bias`.

    Pairs are written out, some at a time.

    Parameters
    ----------
    featurizer
        Computes the features of pairs; a fitted one.
    trees
        The trees, over the columns of the features.
    bias
        What every pair scores beside.

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
            raise InputError(f"the trees are {self.trees!r}; give a value of Trees")
        object.__setattr__(self, "bias", as_real("bias", self.bias, low=-inf))

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Floats]:
        """Return the mean score of the training pairs, and what each feature adds for each pair.

        They have shape (m, d); a row and the mean sum to the score of the pair. See
        `Trees.contributions`.
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
    """Write the features out, some rows at a time."""
    for rows in row_blocks(*features.shape):
        yield rows, written(taken(features, np.arange(rows.start, rows.stop)))


def _as_numbers(name: str, values: Any) -> NDArray[np.int32]:
    """Take numbers of nodes or columns."""
    if isinstance(values, np.ndarray) and values.dtype == np.int32 and values.ndim == 1:
        return read_only(values.copy())
    numbers, most = _as_finite(name, values), np.iinfo(np.int32).max
    _refuse_where(
        (numbers != np.floor(numbers)) | (abs(numbers) > most),
        lambda at: f"{name} {at} is {numbers[at]}; give whole numbers of at most {most}",
    )
    return read_only(numbers.astype(np.int32))


def _as_finite(name: str, values: Any) -> Floats:
    """Take one number a node, as a copy: what was checked must stay so."""
    numbers = as_floats(name, values).copy()
    if numbers.ndim != 1:
        raise InputError(f"{name} have shape {numbers.shape}; give them in one row")
    _refuse_where(
        ~np.isfinite(numbers), lambda at: f"{name} {at} is {numbers[at]}; give finite numbers"
    )
    return read_only(numbers)


def _refuse_where(wrong: Bools, message: Callable[[int], str]) -> None:
    """Raise the message of the first that is wrong."""
    places = np.flatnonzero(wrong)
    if places.size:
        raise InputError(message(int(places[0])))
