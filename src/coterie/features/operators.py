"""Features of item pairs as linear operators.

All that a learner asks of the features of m pairs is `features @ coef` (scores, of shape (m,)) and
`features.T @ weights` (of shape (d,)). So they may be a matrix, or products of item features that
are never written out pair by pair. Results are float64, also where the storage is float32.

`features.diagonal` answers the same for items with themselves, as k-means needs: of shape (n, d),
or zero for any number of items where none are given.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._arguments import as_floats
from coterie._arrays import Floats, Ints, Pairs
from coterie._types import Features
from coterie.exceptions import FeatureError
from coterie.features._blocks import (
    column_products,
    float64_blocks,
    row_blocks,
    row_products,
    sum_of,
    upper_product,
)
from coterie.items import as_matrix, is_operator
from coterie.pairs import as_links, as_pairs, count_pairs, row_start, upper_rows


class LinearOperator(ABC):
    """Features of m pairs in d columns, known by their products with vectors."""

    __array_ufunc__ = None  # so that NumPy leaves `weights @ features` to us

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""

    @property
    def diagonal(self) -> Features:
        """The features of items with themselves: none, unless the kind of features has them."""
        return ZeroDiagonal(self.shape[1])

    @property
    def T(self) -> "Transposed":  # noqa: N802
        """The transpose, for `features.T @ weights`."""
        return Transposed(self)

    def __matmul__(self, coef: ArrayLike) -> Floats:
        return self._apply(_as_vector(coef, self.shape[1], "coef", "columns"))

    def __rmatmul__(self, weights: ArrayLike) -> Floats:
        return self.T @ weights

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shape[0]} pairs × {self.shape[1]} columns)"

    def _as_weights(self, weights: ArrayLike) -> Floats:
        return _as_vector(weights, self.shape[0], "weights", "pairs")

    @abstractmethod
    def _apply(self, coef: Floats) -> Floats: ...

    @abstractmethod
    def _apply_transposed(self, weights: Floats) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Transposed:
    """The transpose of an operator: columns × pairs."""

    of: LinearOperator

    @property
    def shape(self) -> tuple[int, int]:
        """Number of columns and of pairs."""
        return self.of.shape[::-1]

    def __matmul__(self, weights: ArrayLike) -> Floats:
        return self.of._apply_transposed(self.of._as_weights(weights))


@dataclass(frozen=True, eq=False, repr=False)
class ZeroDiagonal(LinearOperator):
    """Items without features with themselves: every product is 0, however many items there are."""

    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """No rows of its own, and the number of columns."""
        return 0, self.n_columns

    def _as_weights(self, weights: ArrayLike) -> Floats:
        return np.asarray(weights, dtype=np.float64)

    def _apply(self, coef: Floats) -> Floats:  # noqa: ARG002
        return np.zeros(())

    def _apply_transposed(self, weights: Floats) -> Floats:  # noqa: ARG002
        return np.zeros(self.n_columns)


@dataclass(frozen=True, eq=False, repr=False)
class MatrixFeatures(LinearOperator):
    """A matrix with one row a pair, and perhaps another with one row an item."""

    matrix: Any
    diagonal: Any = None

    def __post_init__(self) -> None:
        matrix = self._as_stored(self.matrix)
        own = ZeroDiagonal(matrix.shape[1]) if self.diagonal is None else as_features(self.diagonal)
        if own.shape[1] != matrix.shape[1]:
            raise FeatureError(
                f"the diagonal has {own.shape[1]} columns, the pairs have {matrix.shape[1]}; "
                "give the same features of items with themselves"
            )
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "diagonal", own)

    @abstractmethod
    def _as_stored(self, matrix: Any) -> Any: ...

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        return self.matrix.shape  # type: ignore[no-any-return]

    def _apply(self, coef: Floats) -> Floats:
        return np.concatenate([block @ coef for _, block in float64_blocks(self.matrix)])

    def _apply_transposed(self, weights: Floats) -> Floats:
        return sum_of(
            (block.T @ weights[rows] for rows, block in float64_blocks(self.matrix)), self.shape[1]
        )


class DenseFeatures(MatrixFeatures):
    """A matrix with one row a pair.

    Parameters
    ----------
    matrix
        Finite numbers of shape (m, d); float32 is kept so.
    diagonal
        The features of items with themselves, of shape (n, d); None stands for zeros.

    Examples
    --------
    >>> features = DenseFeatures([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> features @ [1.0, -1.0]
    array([-1., -1., -1.])
    >>> features.T @ [1.0, 0.0, 1.0]
    array([6., 8.])
    """

    def _as_stored(self, matrix: Any) -> Any:
        if sp.issparse(matrix):
            raise FeatureError("the features are sparse; give them to SparseFeatures")
        return as_matrix(matrix)


class SparseFeatures(MatrixFeatures):
    """A sparse matrix with one row a pair, of any SciPy format.

    Parameters
    ----------
    matrix
        Finite numbers of shape (m, d); float32 is kept so.
    diagonal
        The features of items with themselves, of shape (n, d); None stands for zeros.

    Examples
    --------
    >>> features = SparseFeatures(sp.csr_array([[0.0, 2.0], [0.0, 0.0], [5.0, 0.0]]))
    >>> features @ [1.0, 10.0]
    array([20.,  0.,  5.])
    """

    def _as_stored(self, matrix: Any) -> Any:
        return as_matrix(matrix if sp.issparse(matrix) else sp.csr_array(as_matrix(matrix)))


@dataclass(frozen=True, eq=False, repr=False)
class NodeProducts(LinearOperator):
    """Products ψᵢ∘ψⱼ of item features, never written out (Finley & Joachims 2008, eq. 4).

    Parameters
    ----------
    nodes
        Item features of shape (n, d), dense or sparse.
    pairs
        The pairs, of shape (m, 2); None stands for all pairs in condensed order.

    Examples
    --------
    >>> features = NodeProducts([[1.0, 2.0], [3.0, 0.0], [1.0, 1.0]])
    >>> features @ [1.0, 1.0]
    array([3., 3., 3.])
    >>> features.diagonal @ [1.0, 1.0]
    array([5., 9., 2.])
    """

    nodes: Any
    pairs: Pairs | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", as_matrix(self.nodes))
        object.__setattr__(self, "pairs", as_pairs(self.pairs, self.nodes.shape[0]))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        n_items, n_columns = self.nodes.shape
        return count_pairs(n_items, self.pairs), n_columns

    @cached_property
    def diagonal(self) -> Features:
        """The products ψᵢ∘ψᵢ of items with themselves."""
        nodes = self.nodes.astype(np.float64, copy=False)
        return as_features(nodes.multiply(nodes) if sp.issparse(nodes) else nodes * nodes)

    def _apply(self, coef: Floats) -> Floats:
        nodes = self.nodes.astype(np.float64, copy=False)
        scaled = nodes @ sp.diags_array(coef) if sp.issparse(nodes) else nodes * coef
        if self.pairs is None:
            return upper_product(scaled, nodes)
        first, second = self.pairs.T
        blocks = row_blocks(len(first), nodes.shape[1])
        parts = [row_products(scaled[first[rows]], nodes[second[rows]]) for rows in blocks]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _apply_transposed(self, weights: Floats) -> Floats:
        nodes = self.nodes.astype(np.float64, copy=False)
        return sum_of(
            (column_products(nodes[rows], block @ nodes) for rows, block in self._blocks(weights)),
            nodes.shape[1],
        )

    def _blocks(self, weights: Floats) -> Iterator[tuple[slice, Any]]:
        """Yield the rows of the n × n upper triangle of the weights, some at a time."""
        n_items, n_columns = self.nodes.shape
        if self.pairs is None:
            blocks = row_blocks(n_items, max(n_items, n_columns))
            return ((rows, upper_rows(weights, rows, n_items)) for rows in blocks)
        triangle = sp.coo_array((weights, tuple(self.pairs.T)), shape=(n_items,) * 2).tocsr()
        # A row of the product has no more entries than its pairs' items have features.
        filled = self.nodes.nnz / n_items if sp.issparse(self.nodes) else n_columns
        width = min(n_columns, math.ceil(filled * (1 + len(weights) / n_items)))
        return ((rows, triangle[rows]) for rows in row_blocks(n_items, width))


@dataclass(frozen=True, eq=False, repr=False)
class LinkedNodeProducts(LinearOperator):
    """Products ψᵢ∘ψⱼ and an indicator 1 for linked pairs, zeros for all others.

    With hyperlinks, or with pairs cited by one page, these are the two pairwise regions of
    WebKB-L (Finley & Joachims 2008, 6.1.1).

    Parameters
    ----------
    nodes
        Item features of shape (n, d), dense or sparse.
    links
        Linked items, of shape (l, 2), in either direction; repeated links count once, links of an
        item with itself not at all.
    pairs
        The pairs, of shape (m, 2); None stands for all pairs in condensed order.

    Examples
    --------
    >>> features = LinkedNodeProducts([[1.0], [3.0], [5.0]], links=[(2, 0)])
    >>> features @ [10.0, 7.0]
    array([ 0., 57.,  0.])
    """

    nodes: Any
    links: Pairs
    pairs: Pairs | None = None

    def __post_init__(self) -> None:
        products = NodeProducts(self.nodes, self.pairs)
        object.__setattr__(self, "nodes", products.nodes)
        object.__setattr__(self, "pairs", products.pairs)
        object.__setattr__(self, "links", as_links(self.links, products.nodes.shape[0]))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns, the indicator last."""
        n_items, n_columns = self.nodes.shape
        return count_pairs(n_items, self.pairs), n_columns + 1

    @cached_property
    def _linked(self) -> tuple[Ints, NodeProducts]:
        """The rows of the linked pairs, and their products."""
        n_items = self.nodes.shape[0]
        if self.pairs is None:
            first, second = self.links.T
            return row_start(first, n_items) + second - first - 1, NodeProducts(
                self.nodes, self.links
            )
        rows = np.flatnonzero(np.isin(_keys(self.pairs, n_items), _keys(self.links, n_items)))
        return rows, NodeProducts(self.nodes, self.pairs[rows])

    def _apply(self, coef: Floats) -> Floats:
        rows, products = self._linked
        scores = np.zeros(self.shape[0])
        scores[rows] = products @ coef[:-1] + coef[-1]
        return scores

    def _apply_transposed(self, weights: Floats) -> Floats:
        rows, products = self._linked
        return np.append(products.T @ weights[rows], weights[rows].sum())


@dataclass(frozen=True, eq=False, repr=False)
class StackedFeatures(LinearOperator):
    """Several operators over the same pairs, their columns side by side; made by `stack`."""

    parts: tuple[Features, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of all columns."""
        rows, columns = zip(*(part.shape for part in self.parts), strict=True)
        return max(rows), sum(columns)

    @property
    def diagonal(self) -> Features:
        """The diagonals of the parts, side by side."""
        return stack([part.diagonal for part in self.parts])

    def _apply(self, coef: Floats) -> Floats:
        ends = np.cumsum([part.shape[1] for part in self.parts])
        split = np.split(coef, ends[:-1])
        products = [part @ own for part, own in zip(self.parts, split, strict=True)]
        total: Floats = np.sum(np.broadcast_arrays(*products), axis=0)
        return total

    def _apply_transposed(self, weights: Floats) -> Floats:
        return np.concatenate([part.T @ weights for part in self.parts])


def stack(parts: Sequence[Any]) -> Features:
    """Put the columns of several features of the same pairs side by side.

    >>> both = stack([NodeProducts([[1.0], [2.0], [3.0]]), [[0.5], [0.25], [0.125]]])
    >>> both @ [1.0, 8.0]
    array([6., 5., 7.])
    """
    if not isinstance(parts, list | tuple):
        raise FeatureError(f"parts are of type {type(parts).__name__}; give a list of features")
    operators = tuple(as_features(part) for part in parts)
    if not operators:
        raise FeatureError("there are no features to stack; give at least one part")
    if all(isinstance(part, ZeroDiagonal) for part in operators):
        return ZeroDiagonal(sum(part.shape[1] for part in operators))
    rows = {part.shape[0] for part in operators if not isinstance(part, ZeroDiagonal)}
    if len(rows) > 1:
        shown = ", ".join(str(part.shape[0]) for part in operators)
        raise FeatureError(f"the parts have {shown} pairs; stack features of the same pairs")
    return operators[0] if len(operators) == 1 else StackedFeatures(operators)


def as_features(features: Any) -> Features:
    """Take a matrix, dense or sparse, or an operator as an operator."""
    if sp.issparse(features):
        return SparseFeatures(features)
    if isinstance(features, Features) and is_operator(features):
        return features
    return DenseFeatures(features)


def _as_vector(values: ArrayLike, length: int, what: str, unit: str) -> Floats:
    vector = as_floats(what, values, FeatureError)
    if vector.shape != (length,):
        raise FeatureError(
            f"{what} has shape {vector.shape}, but the features have {length} {unit}; "
            "give one number for each"
        )
    return vector


def _keys(pairs: Pairs, n_items: int) -> Ints:
    keys: Ints = pairs[:, 0] * n_items + pairs[:, 1]
    return keys
