"""Features of items, made ready for products over pairs: Σ_f c_f ψ_if ψ_jf, Σ_p w_p ψ_if ψ_jf."""

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
    sum_of,
    upper_product,
)
from coterie.features.operators.matrices import as_features
from coterie.pairs import condensed_positions, count_pairs, upper_rows

Compressed: TypeAlias = tuple[Ints, Ints, Floats]
"""A sparse matrix by rows or by columns: where each begins, the places and the values."""

FULL_COLUMN = 0.2
"""Columns that more than this share of the items have are multiplied as a dense matrix, …"""

FULL_WORK = 4
"""… if they are so many that their Σ n_f² is this many times n²."""

LISTED_STEP = 2.5
"""What a step through a listed pair costs, in steps through a column over all pairs."""

FEW_WEIGHTS = 0.05
"""Below this share of weights, dense items are multiplied pair by pair."""


MANY_PAIRS = 0.1
"""Above this share of pairs, the scores of dense items are computed for all pairs."""


@dataclass(frozen=True, eq=False)
class Nodes(ABC):
    """Item features of shape (n, d); `pairs` None stands for all pairs in condensed order."""

    nodes: Any

    @cached_property
    def diagonal(self) -> Features:
        """The squares of the features: the products of items with themselves."""
        return as_features(self.squared().nodes)

    def scores(self, coef: Floats, pairs: Pairs | None) -> Floats:
        """Return Σ_f coef_f ψ_if ψ_jf of each pair."""
        return self._all_scores(coef) if pairs is None else self._listed_scores(coef, pairs)

    def sums(self, weights: Floats, pairs: Pairs | None) -> Floats:
        """Return Σ_p weights_p ψ_if ψ_jf of each column."""
        if pairs is not None:
            return self._listed_sums(weights, pairs)
        if self._are_few(int(np.count_nonzero(weights)), len(weights)):
            rows = np.flatnonzero(weights)
            return self._listed_sums(weights[rows], pairs_at(rows, self.nodes.shape[0]))
        return self._all_sums(weights)

    @abstractmethod
    def squared(self) -> "Nodes":
        """Return the squares of the features."""

    @abstractmethod
    def written(self, pairs: Pairs) -> Any:
        """Return ψ_if ψ_jf of each pair, in float64."""

    @abstractmethod
    def _are_few(self, n_weights: int, n_pairs: int) -> bool:
        """Tell whether so few weights are better listed than all multiplied."""

    @abstractmethod
    def _all_scores(self, coef: Floats) -> Floats: ...

    @abstractmethod
    def _listed_scores(self, coef: Floats, pairs: Pairs) -> Floats: ...

    @abstractmethod
    def _all_sums(self, weights: Floats) -> Floats: ...

    @abstractmethod
    def _listed_sums(self, weights: Floats, pairs: Pairs) -> Floats: ...


class DenseNodes(Nodes):
    """Item features in an array; float32 is multiplied in float64."""

    def squared(self) -> "DenseNodes":
        """Return the squares of the features."""
        return DenseNodes(np.square(self._float64))

    def written(self, pairs: Pairs) -> Floats:
        """Return ψ_if ψ_jf of each pair."""
        first, second = pairs.T
        products: Floats = np.multiply(self.nodes[first], self.nodes[second], dtype=np.float64)
        return products

    @property
    def _float64(self) -> Floats:
        matrix: Floats = self.nodes.astype(np.float64, copy=False)
        return matrix

    def _are_few(self, n_weights: int, n_pairs: int) -> bool:
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
            scores[rows] = self.written(pairs[rows]) @ coef
        return scores

    def _all_sums(self, weights: Floats) -> Floats:
        return _full_sums(self._float64, weights)

    def _listed_sums(self, weights: Floats, pairs: Pairs) -> Floats:
        n_items, n_columns = self.nodes.shape
        used = np.flatnonzero(weights)
        pairs, weights = pairs[used], weights[used]
        if len(used) < n_items:
            blocks = gathered_blocks(len(used), n_columns)
            return sum_of((weights[rows] @ self.written(pairs[rows]) for rows in blocks), n_columns)
        triangle = sp.coo_array((weights, tuple(pairs.T)), shape=(n_items, n_items)).tocsr()
        nodes, blocks = self._float64, row_blocks(n_items, n_columns)
        parts = (column_products(nodes[rows], triangle[rows] @ nodes) for rows in blocks)
        return sum_of(parts, n_columns)


class SparseNodes(Nodes):
    """Item features in a `csr_array`, multiplied entry by entry."""

    def squared(self) -> "SparseNodes":
        """Return the squares of the features."""
        return SparseNodes(self.nodes.astype(np.float64, copy=False).power(2))

    def written(self, pairs: Pairs) -> Any:
        """Return ψ_if ψ_jf of each pair."""
        first, second = pairs.T
        nodes = self.nodes.astype(np.float64, copy=False)
        width = math.ceil(self.nodes.nnz / max(self.nodes.shape[0], 1))
        blocks = row_blocks(len(pairs), width)
        parts = [nodes[first[rows]].multiply(nodes[second[rows]]) for rows in blocks]
        return sp.vstack(parts, format="csr") if parts else sp.csr_array((0, nodes.shape[1]))

    @cached_property
    def _by_item(self) -> Compressed:
        return _compressed(self.nodes)

    @cached_property
    def _by_column(self) -> "ColumnForm":
        return column_form(self.nodes)

    def _are_few(self, n_weights: int, n_pairs: int) -> bool:  # noqa: ARG002
        n_items = max(self.nodes.shape[0], 1)
        n_steps = n_weights * self.nodes.nnz / n_items
        return bool(LISTED_STEP * n_steps < self._by_column.n_steps)

    def _all_scores(self, coef: Floats) -> Floats:
        form = self._by_column
        if len(form.full):
            scores = upper_product(form.dense * coef[form.full], form.dense)
        else:
            scores = np.zeros(count_pairs(self.nodes.shape[0]))
        add_scores(form.by_item, form.by_column, _plain(coef), scores)
        return scores

    def _listed_scores(self, coef: Floats, pairs: Pairs) -> Floats:
        scores: Floats = listed_scores(self._by_item, _plain(pairs), _plain(coef))
        return scores

    def _all_sums(self, weights: Floats) -> Floats:
        form = self._by_column
        sums: Floats = column_sums(form.by_item, form.by_column, _plain(weights))
        if len(form.full):
            sums[form.full] = _full_sums(form.dense, weights)
        return sums

    def _listed_sums(self, weights: Floats, pairs: Pairs) -> Floats:
        n_columns = self.nodes.shape[1]
        sums: Floats = listed_column_sums(self._by_item, _plain(pairs), _plain(weights), n_columns)
        return sums


class ColumnForm(NamedTuple):
    """Sparse item features by columns: those that many items have as a dense matrix.

    `full` are the numbers of the columns in `dense`; `by_item` and `by_column` hold the others.
    `n_steps` is what a product over all pairs costs.
    """

    full: Ints
    dense: Floats
    by_item: Compressed
    by_column: Compressed
    n_steps: float


def column_form(nodes: Any) -> ColumnForm:
    """Split sparse item features into full columns and others; both take O(entries)."""
    n_items, n_columns = nodes.shape
    counts = np.bincount(nodes.indices, minlength=n_columns).astype(np.float64)
    full = np.flatnonzero(counts > FULL_COLUMN * n_items)
    if np.sum(counts[full] ** 2) < FULL_WORK * n_items**2:
        full = full[:0]
    rest = _without(nodes, full)
    counts[full] = FULL_COLUMN * n_items
    n_steps = 0.5 * float(np.sum(counts**2)) + (n_items**2 if len(full) else 0)
    dense = nodes[:, full].toarray().astype(np.float64, copy=False)
    return ColumnForm(full, dense, _compressed(rest), _compressed(rest.tocsc()), n_steps)


def _without(nodes: Any, columns: Ints) -> Any:
    """Return sparse rows without some of the columns, which keep their numbers."""
    if not len(columns):
        return nodes
    kept = ~np.isin(nodes.indices, columns)
    starts = np.concatenate([[0], np.cumsum(kept)])[nodes.indptr]
    return sp.csr_array((nodes.data[kept], nodes.indices[kept], starts), shape=nodes.shape)


def _compressed(matrix: Any) -> Compressed:
    """Return the parts of a CSR or CSC matrix in the one kind of arrays that kernels take."""
    starts, places = matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp)
    return read_only(starts), read_only(places), _plain(matrix.data.astype(np.float64))


def _plain(array: Array) -> Array:
    """Return a contiguous, read-only array: what kernels take."""
    return read_only(np.ascontiguousarray(array))  # type: ignore[return-value]


def _full_sums(nodes: Floats, weights: Floats) -> Floats:
    """Return Σ_{i<j} weights_ij ψ_if ψ_jf of each column by products of matrices."""
    n_items, n_columns = nodes.shape
    blocks = row_blocks(n_items, max(n_items, n_columns))
    parts = (
        column_products(nodes[rows], upper_rows(weights, rows, n_items) @ nodes) for rows in blocks
    )
    return sum_of(parts, n_columns)
