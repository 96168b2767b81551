"""Features of pairs that are written out: dense and sparse matrices."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Floats, Ints, read_only
from coterie._kernels.pairs.products import weighted_row_sum
from coterie._types import Features
from coterie.exceptions import FeatureError
from coterie.features.operators.base import LinearOperator, ZeroDiagonal, refuse_unwritable
from coterie.features.operators.blocks import (
    MANY_ROWS,
    column_products,
    float64_blocks,
    freeze,
    sum_of,
)
from coterie.items import as_matrix, is_operator

FEW_WALKED = 0.3
"""Below this share of rows it is faster to walk through them than to multiply all, …"""

FEW_COPIED = 0.1
"""… and below this one to copy them, where they cannot be walked."""


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

    @classmethod
    def of_checked(cls, matrix: Any) -> Self:
        """Take what `as_matrix` returned, without looking at every number again."""
        features = cls(matrix[:0])
        object.__setattr__(features, "matrix", matrix)
        return features

    @abstractmethod
    def _as_stored(self, matrix: Any) -> Any: ...

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        return self.matrix.shape  # type: ignore[no-any-return]

    def to_matrix(self) -> Any:
        """Return the matrix in float64; it cannot be changed."""
        if self.matrix.dtype != np.float64:
            refuse_unwritable(self.shape, self.matrix.size)
        return self.matrix.astype(np.float64, copy=False)

    def column_squares(self) -> Floats:
        """Return Σ_p F_pf² of each column."""
        blocks = (block for _, block in float64_blocks(self.matrix))
        return sum_of((column_products(block, block) for block in blocks), self.shape[1])

    def _take(self, rows: Ints) -> "MatrixFeatures":
        return self._changed(matrix=freeze(self.matrix[rows]))

    def _apply(self, coef: Floats) -> Floats:
        parts = [block @ coef for _, block in float64_blocks(self.matrix)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _apply_transposed(self, weights: Floats) -> Floats:
        matrix = self.matrix
        if len(weights) >= MANY_ROWS:
            share = np.count_nonzero(weights) / len(weights)
            if share < FEW_WALKED and _can_be_walked(matrix):
                walked: Floats = weighted_row_sum(read_only(matrix), weights)
                return walked
            if share < FEW_COPIED:
                rows = np.flatnonzero(weights)
                matrix, weights = matrix[rows], weights[rows]
        blocks = float64_blocks(matrix)
        return sum_of((block.T @ weights[rows] for rows, block in blocks), matrix.shape[1])


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


def as_features(features: Any) -> Features:
    """Take a matrix, dense or sparse, or an operator as an operator."""
    if isinstance(features, LinearOperator):
        return features
    if sp.issparse(features):
        return SparseFeatures(features)
    if isinstance(features, Features) and is_operator(features):
        return features
    return DenseFeatures(features)


def _can_be_walked(matrix: Any) -> bool:
    """Tell whether rows lie in memory one after the other, wide enough to beat a library."""
    return (
        isinstance(matrix, np.ndarray)
        and matrix.dtype == np.float64
        and matrix.flags.c_contiguous
        and matrix.shape[1] >= 8
    )
