"""Feature operators that store a matrix, dense or sparse."""

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
    sum_vectors,
)
from coterie.items import as_matrix, is_operator

LOOP_SHARE = 0.3
"""Below this share of nonzero weights, a loop over their rows is faster than multiplying all."""

COPY_SHARE = 0.1
"""Below this share, where the loop is not possible, multiplying a copy of their rows is faster."""


@dataclass(frozen=True, eq=False, repr=False)
class MatrixFeatures(LinearOperator):
    """A matrix with one row per pair and, optionally, a diagonal with one row per item."""

    matrix: Any
    diagonal: Any = None

    def __post_init__(self) -> None:
        matrix = self._as_stored(self.matrix)
        n_columns = matrix.shape[1]
        diagonal = ZeroDiagonal(n_columns) if self.diagonal is None else as_features(self.diagonal)
        if diagonal.shape[1] != n_columns:
            raise FeatureError(
                f"the features of the diagonal have {diagonal.shape[1]} columns, but those of "
                f"the pairs have {n_columns}; give both the same number of columns"
            )
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "diagonal", diagonal)

    @classmethod
    def of_checked(cls, matrix: Any) -> Self:
        """Store a matrix that `as_matrix` returned, without validating its numbers again."""
        features = cls(matrix[:0])
        object.__setattr__(features, "matrix", matrix)
        return features

    @abstractmethod
    def _as_stored(self, matrix: Any) -> Any:
        """Return the validated matrix in the form that is stored."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        return self.matrix.shape  # type: ignore[no-any-return]

    def to_matrix(self) -> Any:
        """Return the matrix in float64, without a copy if it is stored in float64."""
        if self.matrix.dtype != np.float64:
            refuse_unwritable(self.shape, self.matrix.size)
        return self.matrix.astype(np.float64, copy=False)

    def column_squares(self) -> Floats:
        """Return the sum of squares Σ_p F_pf² of each column f."""
        blocks = (block for _, block in float64_blocks(self.matrix))
        return sum_vectors((column_products(block, block) for block in blocks), self.shape[1])

    def _take(self, rows: Ints) -> "MatrixFeatures":
        return self._copy_with(matrix=freeze(self.matrix[rows]))

    def _apply(self, coef: Floats) -> Floats:
        parts = [block @ coef for _, block in float64_blocks(self.matrix)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _apply_transposed(self, weights: Floats) -> Floats:
        matrix = self.matrix
        if len(weights) >= MANY_ROWS:
            share = np.count_nonzero(weights) / len(weights)
            if share < LOOP_SHARE and _is_fast_to_loop_over(matrix):
                total: Floats = weighted_row_sum(read_only(matrix), weights)
                return total
            if share < COPY_SHARE:
                rows = np.flatnonzero(weights)
                matrix, weights = matrix[rows], weights[rows]
        blocks = float64_blocks(matrix)
        return sum_vectors((block.T @ weights[rows] for rows, block in blocks), matrix.shape[1])


class DenseFeatures(MatrixFeatures):
    """A dense matrix with one row per pair.

    Parameters
    ----------
    matrix
        Finite numbers of shape (m, d); float32 is stored as float32.
    diagonal
        The features of items paired with themselves, of shape (n, d); None means zeros.

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
            raise FeatureError("the features are sparse; use SparseFeatures")
        return as_matrix(matrix)


class RowwiseFeatures(DenseFeatures):
    """A dense matrix whose product with a vector is computed row by row.

    BLAS sums a row in another order if other rows are multiplied with it, which changes the last
    digits. Here the product of a row is the same in any matrix and on any number of threads.

    >>> matrix = np.random.default_rng(0).normal(size=(9, 50))
    >>> coef = np.random.default_rng(1).normal(size=50)
    >>> alone = [RowwiseFeatures(matrix[[row]]) @ coef for row in range(9)]
    >>> np.array_equal(np.concatenate(alone), RowwiseFeatures(matrix) @ coef)
    True
    """

    def _apply(self, coef: Floats) -> Floats:
        parts = [np.einsum("ij,j->i", block, coef) for _, block in float64_blocks(self.matrix)]
        return np.concatenate(parts)


class SparseFeatures(MatrixFeatures):
    """A sparse matrix with one row per pair, given in any SciPy format.

    Parameters
    ----------
    matrix
        Finite numbers of shape (m, d); float32 is stored as float32.
    diagonal
        The features of items paired with themselves, of shape (n, d); None means zeros.

    Examples
    --------
    >>> features = SparseFeatures(sp.csr_array([[0.0, 2.0], [0.0, 0.0], [5.0, 0.0]]))
    >>> features @ [1.0, 10.0]
    array([20.,  0.,  5.])
    """

    def _as_stored(self, matrix: Any) -> Any:
        return as_matrix(matrix if sp.issparse(matrix) else sp.csr_array(as_matrix(matrix)))


def as_features(features: Any) -> Features:
    """Return a dense or sparse matrix as an operator, and an operator unchanged."""
    if isinstance(features, LinearOperator):
        return features
    if sp.issparse(features):
        return SparseFeatures(features)
    if isinstance(features, Features) and is_operator(features):
        return features
    return DenseFeatures(features)


def _is_fast_to_loop_over(matrix: Any) -> bool:
    """Return whether rows are contiguous, and wide enough for a loop to beat BLAS."""
    return (
        isinstance(matrix, np.ndarray)
        and matrix.dtype == np.float64
        and matrix.flags.c_contiguous
        and matrix.shape[1] >= 8
    )
