"""Item sets prepared for left-linking: the candidate links of each item, and the truth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._kernels.linking.descent import PairRows
from coterie._kernels.linking.links import sort_by_item
from coterie._types import Blocker, Features, Featurizer
from coterie.exceptions import FeatureError, located
from coterie.features.operators import (
    ConstantFeatures,
    DenseFeatures,
    NodeProducts,
    ScaledFeatures,
    StackedFeatures,
    to_matrix,
)
from coterie.items import ItemSet
from coterie.learners.base import candidate_pairs
from coterie.partition import Partition


class Candidates(NamedTuple):
    """The candidate pairs of an item set, sorted by their later item and then by the earlier one.

    The pairs of item i are at `starts[i]` to `starts[i + 1]`, and `lefts` has their earlier items.
    `order` has the row of each pair in the matrix of features.
    """

    starts: Ints
    lefts: Ints
    order: Ints

    @classmethod
    def sort(cls, n_items: int, pairs: Pairs | None) -> "Candidates":
        """Sort pairs; None means all pairs."""
        if pairs is None:
            return cls(*_all_candidates(n_items))
        rows = read_only(np.arange(len(pairs), dtype=np.float64))
        starts, lefts, order = sort_by_item(n_items, pairs, rows)
        return cls(starts, lefts, order.astype(np.intp))

    @property
    def items(self) -> Ints:
        """The later item of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @property
    def max_count(self) -> int:
        """The largest number of candidate links of an item."""
        return int(np.diff(self.starts).max(initial=0))


@dataclass(eq=False)
class LinkSet:
    """An item set with the features of its pairs and its truth."""

    features: Features
    candidates: Candidates
    labels: Ints

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def prepare(
        cls, item_set: ItemSet, truth: Partition, featurizer: Featurizer, blocker: Blocker
    ) -> "LinkSet":
        """Find the candidate pairs of an item set, and compute their features."""
        pairs = candidate_pairs(blocker, item_set)
        candidates = Candidates.sort(len(item_set), pairs)
        labels: Ints = truth.labels.astype(np.int32)
        features = featurizer(item_set, pairs)
        refuse_wrong_row_count(features, len(candidates.lefts))
        return cls(features, candidates, read_only(labels))

    def link_scores(self, coef: Floats) -> Floats:
        """Return the scores of all pairs, in the order of the candidates."""
        return (self.features @ coef)[self.candidates.order]

    def gradient(self, link_gradient: Floats) -> Floats:
        """Return the gradient by coef, given that by the scores in the order of the candidates."""
        pair_gradient = np.empty(len(link_gradient))
        pair_gradient[self.candidates.order] = link_gradient
        return self.features.T @ pair_gradient

    @cached_property
    def rows(self) -> PairRows:
        """The features as arrays, in the order of the candidates."""
        return _as_rows(self.features, self.candidates)


def refuse_wrong_row_count(features: Features, n_pairs: int) -> None:
    """Refuse features without one row per pair, as kernels would read beyond their end."""
    if features.shape[0] != n_pairs:
        raise FeatureError(
            f"the featurizer gave {features.shape[0]} rows for {n_pairs} pairs; give one row per "
            "pair"
        )


def prepare_link_sets(
    item_sets: Sequence[ItemSet],
    truths: Sequence[Partition],
    featurizer: Featurizer,
    blocker: Blocker,
) -> Iterator[LinkSet]:
    """Yield the link set of each item set; errors name the item set that they are about."""
    for index, (item_set, truth) in enumerate(zip(item_sets, truths, strict=True)):
        with located(f"item set {index}"):
            yield LinkSet.prepare(item_set, truth, featurizer, blocker)


def _all_candidates(n_items: int) -> tuple[Ints, Ints, Ints]:
    counts = np.arange(n_items)
    starts = np.concatenate([[0], np.cumsum(counts)])
    items = np.repeat(counts, counts)
    lefts = np.arange(len(items)) - starts[items]
    # The position of the pair (left, item) in SciPy's condensed order.
    order = lefts * n_items - lefts * (lefts + 1) // 2 + items - lefts - 1
    return read_only(starts), read_only(lefts.astype(np.int32)), order


# Features as arrays.

Compressed: TypeAlias = tuple[NDArray[Any], NDArray[Any], Floats]
"""A sparse matrix by rows: the offsets of the rows, the columns and the values."""


class _Leaf(NamedTuple):
    """An operator without parts, its first column in the whole, and the divisors of its columns."""

    operator: Any
    first: int
    scale: Floats


def _leaves(features: Any, first: int, scale: Floats) -> Iterator[_Leaf]:
    if isinstance(features, StackedFeatures):
        offset = 0
        for part in features.parts:
            width = part.shape[1]
            yield from _leaves(part, first + offset, scale[offset : offset + width])
            offset += width
    elif isinstance(features, ScaledFeatures):
        yield from _leaves(features.inner, first, scale * features.scale)
    else:
        yield _Leaf(features, first, scale)


def _as_rows(features: Features, candidates: Candidates) -> PairRows:
    """Sort the parts of features into the kinds that kernels know.

    Kernels take one part of each kind, and any number of constants. Further parts of a kind, and
    parts of other kinds, are written out as columns of the sparse matrix.
    """
    leaf_of_kind: dict[str, _Leaf] = {}
    constants: list[int] = []
    sparse_leaves: list[_Leaf] = []
    for leaf in _leaves(features, 0, np.ones(features.shape[1])):
        kind = _kind(leaf)
        if kind == "constant":
            constants.append(leaf.first)
        elif kind and kind not in leaf_of_kind:
            leaf_of_kind[kind] = leaf
        else:
            sparse_leaves.append(leaf)
    dense, first_dense = _dense(leaf_of_kind.get("dense"), candidates.order)
    nodes, first_node = _nodes(leaf_of_kind.get("nodes"))
    indptr, columns, values = _sparse(sparse_leaves, features.shape[1], candidates.order)
    node_indptr, node_columns, node_values = _sparse_nodes(leaf_of_kind.get("sparse nodes"))
    return PairRows(
        starts=candidates.starts,
        lefts=candidates.lefts,
        constants=read_only(np.array(constants, dtype=np.intp)),
        dense=dense,
        first_dense=first_dense,
        sparse_indptr=indptr,
        sparse_columns=columns,
        sparse_values=values,
        nodes=nodes,
        first_node=first_node,
        node_indptr=node_indptr,
        node_columns=node_columns,
        node_values=node_values,
    )


def _kind(leaf: _Leaf) -> str:
    """Return the kind of a leaf for kernels, or "" if it must become a sparse matrix."""
    if isinstance(leaf.operator, ConstantFeatures) and leaf.scale[0] == 1.0:
        return "constant"
    if isinstance(leaf.operator, DenseFeatures):
        return "dense"
    if isinstance(leaf.operator, NodeProducts):
        return "sparse nodes" if sp.issparse(leaf.operator.nodes) else "nodes"
    return ""


def _dense(leaf: _Leaf | None, order: Ints) -> tuple[Floats, int]:
    if leaf is None:
        return read_only(np.empty((0, 0))), 0
    return read_only(np.ascontiguousarray(leaf.operator.matrix[order] / leaf.scale)), leaf.first


def _nodes(leaf: _Leaf | None) -> tuple[Floats, int]:
    if leaf is None:
        return read_only(np.empty((0, 0))), 0
    # A product is divided by the scale if each of its two factors is divided by the root.
    return read_only(np.ascontiguousarray(leaf.operator.nodes / np.sqrt(leaf.scale))), leaf.first


def _sparse(leaves: Sequence[_Leaf], n_columns: int, order: Ints) -> Compressed:
    """Add up leaves as one sparse matrix, in which each leaf has its columns."""
    parts = [
        _shift_columns(sp.csr_array(to_matrix(leaf.operator)), leaf, n_columns) for leaf in leaves
    ]
    total: Any = sum(parts[1:], parts[0]) if parts else sp.csr_array((len(order), n_columns))
    return _as_compressed(total[order])


def _sparse_nodes(leaf: _Leaf | None) -> Compressed:
    if leaf is None:
        return _as_compressed(sp.csr_array((0, 0)))
    rooted = leaf._replace(scale=np.sqrt(leaf.scale))
    return _as_compressed(
        _shift_columns(leaf.operator.nodes, rooted, leaf.first + leaf.operator.nodes.shape[1])
    )


def _shift_columns(matrix: Any, leaf: _Leaf, n_columns: int) -> Any:
    """Divide the columns of a sparse matrix by their scale, and shift them by the leaf's first."""
    values, indices = matrix.data, matrix.indices
    if np.any(leaf.scale != 1.0):
        values = values / leaf.scale[indices]
    if leaf.first:
        indices = indices + np.asarray(leaf.first, dtype=indices.dtype)
    return sp.csr_array((values, indices, matrix.indptr), shape=(matrix.shape[0], n_columns))


def _as_compressed(matrix: Any) -> Compressed:
    """Return a sparse matrix as kernels take it.

    Indices are unsigned, so that kernels need not test whether they are negative.
    """
    indptr, columns = matrix.indptr.astype(np.uint64), matrix.indices.astype(np.uint32)
    values = matrix.data.astype(np.float64, copy=False)
    return read_only(indptr), read_only(columns), read_only(values)
