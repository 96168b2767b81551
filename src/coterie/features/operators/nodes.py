"""Item features ψ prepared for sums over pairs (i, j): Σ_f c_f ψ_if ψ_jf and Σ_p w_p ψ_if ψ_jf.

The first are scores, one per pair p; the second are sums, one per column f.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Array, Floats, Ints, Pairs, read_only
from coterie._kernels.pairs.products import (
    add_scores,
    column_sums,
    listed_column_sums,
    listed_scores,
)
from coterie._types import Features
from coterie.features.operators.blocks import (
    MANY_ROWS,
    column_products,
    gathered_blocks,
    pairs_at,
    row_blocks,
    sum_vectors,
    upper_product,
)
from coterie.features.operators.matrices import as_features
from coterie.pairs import condensed_positions, count_pairs, upper_rows

Compressed: TypeAlias = tuple[Ints, Ints, Floats]
"""A matrix in CSR or CSC form: the offset of each row or column, the indices and the values."""

DENSE_COLUMN_SHARE = 0.2
"""A column is frequent if more than this share of the items have it."""

DENSE_WORK_RATIO = 4
"""Frequent columns are multiplied as a dense matrix if their Σ n_f² is at least this times n².

Here n_f is the number of items that have column f.
"""

LISTED_STEP_COST = 2.5
"""The cost of a step for a listed pair, relative to a step of the product over all pairs."""

FEW_WEIGHTS = 0.05
"""Below this share of nonzero weights, dense item features are multiplied pair by pair."""

MANY_PAIRS = 0.1
"""Above this share of all pairs, the scores of dense item features are computed for all pairs."""


@dataclass(frozen=True, eq=False)
class Nodes(ABC):
    """Item features of shape (n, d); `pairs=None` means all pairs in condensed order."""

    nodes: Any

    @cached_property
    def diagonal(self) -> Features:
        """The squares of the features: the products of items paired with themselves."""
        return as_features(self.squared().nodes)

    def scores(self, coef: Floats, pairs: Pairs | None) -> Floats:
        """Return the score Σ_f coef_f ψ_if ψ_jf of each pair."""
        return self._all_scores(coef) if pairs is None else self._listed_scores(coef, pairs)

    def sums(self, weights: Floats, pairs: Pairs | None) -> Floats:
        """Return the sum Σ_p weights_p ψ_if ψ_jf of each column."""
        if pairs is not None:
            return self._listed_sums(weights, pairs)
        if self._is_faster_as_list(int(np.count_nonzero(weights)), len(weights)):
            rows = np.flatnonzero(weights)
            return self._listed_sums(weights[rows], pairs_at(rows, self.nodes.shape[0]))
        return self._all_sums(weights)

    @abstractmethod
    def squared(self) -> "Nodes":
        """Return nodes with the squares of the features."""

    @abstractmethod
    def products(self, pairs: Pairs) -> Any:
        """Return the products ψ_if ψ_jf in float64, one row per pair."""

    @abstractmethod
    def _is_faster_as_list(self, n_weights: int, n_pairs: int) -> bool:
        """Return whether sums are faster over a list of the pairs with nonzero weights."""

    @abstractmethod
    def _all_scores(self, coef: Floats) -> Floats:
        """Return the scores of all pairs."""

    @abstractmethod
    def _listed_scores(self, coef: Floats, pairs: Pairs) -> Floats:
        """Return the scores of some pairs."""

    @abstractmethod
    def _all_sums(self, weights: Floats) -> Floats:
        """Return the sums over all pairs."""

    @abstractmethod
    def _listed_sums(self, weights: Floats, pairs: Pairs) -> Floats:
        """Return the sums over some pairs."""


class DenseNodes(Nodes):
    """Item features in an array; float32 is multiplied in float64."""

    def squared(self) -> "DenseNodes":
        """Return nodes with the squares of the features."""
        return DenseNodes(np.square(self._float64))

    def products(self, pairs: Pairs) -> Floats:
        """Return the products ψ_if ψ_jf, one row per pair."""
        first, second = pairs.T
        products: Floats = np.multiply(self.nodes[first], self.nodes[second], dtype=np.float64)
        return products

    @property
    def _float64(self) -> Floats:
        matrix: Floats = self.nodes.astype(np.float64, copy=False)
        return matrix

    def _is_faster_as_list(self, n_weights: int, n_pairs: int) -> bool:
        return n_pairs >= MANY_ROWS and n_weights < FEW_WEIGHTS * n_pairs

    def _all_scores(self, coef: Floats) -> Floats:
        nodes = self._float64
        return upper_product(nodes * coef, nodes)

    def _listed_scores(self, coef: Floats, pairs: Pairs) -> Floats:
        n_items = self.nodes.shape[0]
        if len(pairs) > MANY_PAIRS * count_pairs(n_items):
            return self._all_scores(coef)[condensed_positions(pairs, n_items)]
        scores = np.empty(len(pairs))
        for rows in gathered_blocks(len(pairs), len(coef)):
            scores[rows] = self.products(pairs[rows]) @ coef
        return scores

    def _all_sums(self, weights: Floats) -> Floats:
        return _dense_sums(self._float64, weights)

    def _listed_sums(self, weights: Floats, pairs: Pairs) -> Floats:
        n_items, n_columns = self.nodes.shape
        nonzero = np.flatnonzero(weights)
        pairs, weights = pairs[nonzero], weights[nonzero]
        if len(nonzero) < n_items:
            blocks = gathered_blocks(len(nonzero), n_columns)
            return sum_vectors(
                (weights[rows] @ self.products(pairs[rows]) for rows in blocks), n_columns
            )
        triangle = sp.coo_array((weights, tuple(pairs.T)), shape=(n_items, n_items)).tocsr()
        nodes, blocks = self._float64, row_blocks(n_items, n_columns)
        parts = (column_products(nodes[rows], triangle[rows] @ nodes) for rows in blocks)
        return sum_vectors(parts, n_columns)


class SparseNodes(Nodes):
    """Item features in a `csr_array`; only nonzero entries are multiplied."""

    def squared(self) -> "SparseNodes":
        """Return nodes with the squares of the features."""
        return SparseNodes(self.nodes.astype(np.float64, copy=False).power(2))

    def products(self, pairs: Pairs) -> Any:
        """Return the products ψ_if ψ_jf, one row per pair."""
        first, second = pairs.T
        nodes = self.nodes.astype(np.float64, copy=False)
        width = math.ceil(self.nodes.nnz / max(self.nodes.shape[0], 1))
        blocks = row_blocks(len(pairs), width)
        parts = [nodes[first[rows]].multiply(nodes[second[rows]]) for rows in blocks]
        return sp.vstack(parts, format="csr") if parts else sp.csr_array((0, nodes.shape[1]))

    @cached_property
    def _by_item(self) -> Compressed:
        return _compress(self.nodes)

    @cached_property
    def _split(self) -> "ColumnSplit":
        return split_columns(self.nodes)

    def _is_faster_as_list(self, n_weights: int, n_pairs: int) -> bool:  # noqa: ARG002
        n_items = max(self.nodes.shape[0], 1)
        n_steps = n_weights * self.nodes.nnz / n_items
        return bool(LISTED_STEP_COST * n_steps < self._split.n_steps)

    def _all_scores(self, coef: Floats) -> Floats:
        split = self._split
        if len(split.dense_columns):
            scores = upper_product(split.dense * coef[split.dense_columns], split.dense)
        else:
            scores = np.zeros(count_pairs(self.nodes.shape[0]))
        add_scores(split.by_item, split.by_column, _as_kernel_array(coef), scores)
        return scores

    def _listed_scores(self, coef: Floats, pairs: Pairs) -> Floats:
        scores: Floats = listed_scores(
            self._by_item, _as_kernel_array(pairs), _as_kernel_array(coef)
        )
        return scores

    def _all_sums(self, weights: Floats) -> Floats:
        split = self._split
        sums: Floats = column_sums(split.by_item, split.by_column, _as_kernel_array(weights))
        if len(split.dense_columns):
            sums[split.dense_columns] = _dense_sums(split.dense, weights)
        return sums

    def _listed_sums(self, weights: Floats, pairs: Pairs) -> Floats:
        n_columns = self.nodes.shape[1]
        sums: Floats = listed_column_sums(
            self._by_item, _as_kernel_array(pairs), _as_kernel_array(weights), n_columns
        )
        return sums


class ColumnSplit(NamedTuple):
    """Sparse item features, split into a dense matrix of frequent columns and the other columns.

    `dense_columns` are the indices of the columns in `dense`. `by_item` and `by_column` hold the
    other columns in CSR and CSC form. `n_steps` is the cost of a product over all pairs.
    """

    dense_columns: Ints
    dense: Floats
    by_item: Compressed
    by_column: Compressed
    n_steps: float


def split_columns(nodes: Any) -> ColumnSplit:
    """Split sparse item features into frequent columns and others, in O(entries) memory."""
    n_items, n_columns = nodes.shape
    counts = np.bincount(nodes.indices, minlength=n_columns).astype(np.float64)
    frequent = np.flatnonzero(counts > DENSE_COLUMN_SHARE * n_items)
    if np.sum(counts[frequent] ** 2) < DENSE_WORK_RATIO * n_items**2:
        frequent = frequent[:0]
    others = _zero_columns(nodes, frequent)
    # A dense column costs as much as a sparse column that this share of the items has.
    counts[frequent] = DENSE_COLUMN_SHARE * n_items
    n_steps = 0.5 * float(np.sum(counts**2)) + (n_items**2 if len(frequent) else 0)
    dense = nodes[:, frequent].toarray().astype(np.float64, copy=False)
    by_item, by_column = _compress(others), _compress(others.tocsc())
    return ColumnSplit(frequent, dense, by_item, by_column, n_steps)


def _zero_columns(nodes: Any, columns: Ints) -> Any:
    """Return a copy of sparse rows in which some columns are empty."""
    if not len(columns):
        return nodes
    keep = ~np.isin(nodes.indices, columns)
    starts = np.concatenate([[0], np.cumsum(keep)])[nodes.indptr]
    return sp.csr_array((nodes.data[keep], nodes.indices[keep], starts), shape=nodes.shape)


def _compress(matrix: Any) -> Compressed:
    """Return the arrays of a CSR or CSC matrix in the types that kernels are compiled for."""
    starts, indices = matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp)
    values = _as_kernel_array(matrix.data.astype(np.float64))
    return read_only(starts), read_only(indices), values


def _as_kernel_array(array: Array) -> Array:
    """Return a contiguous, read-only array, which kernels are compiled for."""
    return read_only(np.ascontiguousarray(array))  # type: ignore[return-value]


def _dense_sums(nodes: Floats, weights: Floats) -> Floats:
    """Return Σ_{i<j} weights_ij ψ_if ψ_jf of each column, by dense matrix products."""
    n_items, n_columns = nodes.shape
    blocks = row_blocks(n_items, max(n_items, n_columns))
    parts = (
        column_products(nodes[rows], upper_rows(weights, rows, n_items) @ nodes) for rows in blocks
    )
    return sum_vectors(parts, n_columns)
