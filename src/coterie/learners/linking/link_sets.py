"""Item sets as online learners see them: the candidates on the left of each item, and the truth."""

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
    written,
)
from coterie.items import ItemSet
from coterie.partition import Partition


class Candidates(NamedTuple):
    """The pairs of an item set, those of one later item after the other, by earlier item.

    `order` has the row that each has among the features.
    """

    starts: Ints
    lefts: Ints
    order: Ints

    @classmethod
    def of(cls, n_items: int, pairs: Pairs | None) -> "Candidates":
        """Sort the pairs; None stands for all of them."""
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
    def most(self) -> int:
        """The largest number of candidates of an item."""
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
    def of(
        cls, item_set: ItemSet, truth: Partition, featurizer: Featurizer, blocker: Blocker
    ) -> "LinkSet":
        """List the pairs of an item set, and compute their features."""
        pairs = blocker(item_set)
        candidates = Candidates.of(len(item_set), pairs)
        labels: Ints = truth.labels.astype(np.int32)
        features = featurizer(item_set, pairs)
        refuse_wrong_row_count(features, len(candidates.lefts))
        return cls(features, candidates, read_only(labels))

    def links(self, coef: Floats) -> Floats:
        """Score all pairs, in the order of the candidates."""
        return (self.features @ coef)[self.candidates.order]

    def gradient(self, pulls: Floats) -> Floats:
        """Return Σ pulls · features, with pulls in the order of the candidates."""
        weights = np.empty(len(pulls))
        weights[self.candidates.order] = pulls
        return self.features.T @ weights

    @cached_property
    def rows(self) -> PairRows:
        """The features as arrays, in the order of the candidates."""
        return _as_rows(self.features, self.candidates)


def refuse_wrong_row_count(features: Features, n_pairs: int) -> None:
    """Refuse features that are not those of so many pairs, before a kernel reads beyond them."""
    if features.shape[0] != n_pairs:
        raise FeatureError(
            f"the featurizer gave {features.shape[0]} rows for {n_pairs} pairs; give one row a pair"
        )


def link_sets(
    item_sets: Sequence[ItemSet],
    truths: Sequence[Partition],
    featurizer: Featurizer,
    blocker: Blocker,
) -> Iterator[LinkSet]:
    """Make item sets ready one after the other; an error names the set at fault."""
    for number, (item_set, truth) in enumerate(zip(item_sets, truths, strict=True)):
        with located(f"item set {number}"):
            yield LinkSet.of(item_set, truth, featurizer, blocker)


def _all_candidates(n_items: int) -> tuple[Ints, Ints, Ints]:
    counts = np.arange(n_items)
    starts = np.concatenate([[0], np.cumsum(counts)])
    item = np.repeat(counts, counts)
    left = np.arange(len(item)) - starts[item]
    order = left * n_items - left * (left + 1) // 2 + item - left - 1
    return read_only(starts), read_only(left.astype(np.int32)), order


# Features as arrays.

Compressed: TypeAlias = tuple[NDArray[Any], NDArray[Any], Floats]
"""A sparse matrix by rows: where each begins, the columns and the values."""


class _Leaf(NamedTuple):
    """Features that are no stack of others, their first column, and what divides their columns."""

    of: Any
    first: int
    scale: Floats


def _leaves(features: Any, first: int, scale: Floats) -> Iterator[_Leaf]:
    if isinstance(features, StackedFeatures):
        at = 0
        for part in features.parts:
            width = part.shape[1]
            yield from _leaves(part, first + at, scale[at : at + width])
            at += width
    elif isinstance(features, ScaledFeatures):
        yield from _leaves(features.of, first, scale * features.scale)
    else:
        yield _Leaf(features, first, scale)


def _as_rows(features: Features, candidates: Candidates) -> PairRows:
    """Sort what features are made of into the kinds that kernels know.

    Of each kind but the constants there is room for one; a second one, and features of no known
    kind, are written out as parts of the sparse matrix.
    """
    found: dict[str, _Leaf] = {}
    constants: list[int] = []
    rest: list[_Leaf] = []
    for leaf in _leaves(features, 0, np.ones(features.shape[1])):
        kind = _kind(leaf)
        if kind == "constant":
            constants.append(leaf.first)
        elif kind and kind not in found:
            found[kind] = leaf
        else:
            rest.append(leaf)
    dense, first_dense = _dense(found.get("dense"), candidates.order)
    nodes, first_node = _nodes(found.get("nodes"))
    indptr, columns, values = _sparse(rest, features.shape[1], candidates.order)
    node_indptr, node_columns, node_values = _sparse_nodes(found.get("sparse nodes"))
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
    """Name the kind of features that need not be written out as a sparse matrix."""
    if isinstance(leaf.of, ConstantFeatures) and leaf.scale[0] == 1.0:
        return "constant"
    if isinstance(leaf.of, DenseFeatures):
        return "dense"
    if isinstance(leaf.of, NodeProducts):
        return "sparse nodes" if sp.issparse(leaf.of.nodes) else "nodes"
    return ""


def _dense(leaf: _Leaf | None, order: Ints) -> tuple[Floats, int]:
    if leaf is None:
        return read_only(np.empty((0, 0))), 0
    return read_only(np.ascontiguousarray(leaf.of.matrix[order] / leaf.scale)), leaf.first


def _nodes(leaf: _Leaf | None) -> tuple[Floats, int]:
    if leaf is None:
        return read_only(np.empty((0, 0))), 0
    # Both factors of a product are divided, by the root.
    return read_only(np.ascontiguousarray(leaf.of.nodes / np.sqrt(leaf.scale))), leaf.first


def _sparse(leaves: Sequence[_Leaf], n_columns: int, order: Ints) -> Compressed:
    """Put the parts of the sparse matrix together, each at its columns."""
    parts = [_placed(sp.csr_array(written(leaf.of)), leaf, n_columns) for leaf in leaves]
    whole: Any = sum(parts[1:], parts[0]) if parts else sp.csr_array((len(order), n_columns))
    return _arrays(whole[order])


def _sparse_nodes(leaf: _Leaf | None) -> Compressed:
    if leaf is None:
        return _arrays(sp.csr_array((0, 0)))
    rooted = leaf._replace(scale=np.sqrt(leaf.scale))
    return _arrays(_placed(leaf.of.nodes, rooted, leaf.first + leaf.of.nodes.shape[1]))


def _placed(matrix: Any, leaf: _Leaf, n_columns: int) -> Any:
    """Divide the columns of a sparse matrix, and put them at their place among all."""
    values, indices = matrix.data, matrix.indices
    if np.any(leaf.scale != 1.0):
        values = values / leaf.scale[indices]
    if leaf.first:
        indices = indices + np.asarray(leaf.first, dtype=indices.dtype)
    return sp.csr_array((values, indices, matrix.indptr), shape=(matrix.shape[0], n_columns))


def _arrays(matrix: Any) -> Compressed:
    """Return a sparse matrix as kernels take it; without signs, so that no index is looked at."""
    ends, columns = matrix.indptr.astype(np.uint64), matrix.indices.astype(np.uint32)
    values = matrix.data.astype(np.float64, copy=False)
    return read_only(ends), read_only(columns), read_only(values)
