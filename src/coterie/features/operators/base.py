"""The base class of feature operators: products with vectors, dense matrices, selected rows."""

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats, Ints, read_only, refuse_too_large
from coterie._types import Features
from coterie.exceptions import FeatureError


class LinearOperator(ABC):
    """Features of m pairs in d columns, defined by their products with vectors.

    Subclasses define `shape` and the two products `_apply` and `_apply_transposed`. All other
    methods have default implementations by these products, which subclasses may replace by faster
    ones.
    """

    # Without ufuncs, NumPy leaves `weights @ features` to `__rmatmul__`.
    __array_ufunc__ = None

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""

    @property
    def diagonal(self) -> Features:
        """The features of items paired with themselves: zeros, unless a subclass has others."""
        return ZeroDiagonal(self.shape[1])

    @property
    def T(self) -> "Transposed":  # noqa: N802
        """The transpose, for `features.T @ weights`."""
        return Transposed(self)

    def to_matrix(self) -> Any:
        """Return the features as an array or `csr_array` of float64, one row per pair."""
        n_pairs, n_columns = self.shape
        refuse_unwritable(self.shape, n_pairs * n_columns)
        matrix = np.empty((n_pairs, n_columns))
        for column in range(n_columns):
            matrix[:, column] = self @ _unit_vector(column, n_columns)
        return matrix

    def take(self, rows: ArrayLike) -> "LinearOperator":
        """Return the features of the pairs with the given row indices, and the same diagonal."""
        return self._take(as_rows(rows, self.shape[0]))

    def column_squares(self) -> Floats:
        """Return the sum of squares Σ_p F_pf² of each column f."""
        n_columns = self.shape[1]
        columns = (self @ _unit_vector(column, n_columns) for column in range(n_columns))
        return np.array([column @ column for column in columns], dtype=np.float64)

    def __matmul__(self, coef: ArrayLike) -> Floats:
        return self._apply(_as_vector(coef, self.shape[1], "coef", "columns"))

    def __rmatmul__(self, weights: ArrayLike) -> Floats:
        return self.T @ weights

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shape[0]} pairs × {self.shape[1]} columns)"

    def _as_weights(self, weights: ArrayLike) -> Floats:
        return _as_vector(weights, self.shape[0], "weights", "pairs")

    def _take(self, rows: Ints) -> "LinearOperator":
        return SelectedFeatures(self, rows)

    def _copy_with(self, **fields: Any) -> Self:
        """Return a copy with other values of some fields, which are not validated again."""
        operator = copy.copy(self)
        for name, value in fields.items():
            object.__setattr__(operator, name, value)
        return operator

    @abstractmethod
    def _apply(self, coef: Floats) -> Floats:
        """Return F @ coef, of shape (m,)."""

    @abstractmethod
    def _apply_transposed(self, weights: Floats) -> Floats:
        """Return F.T @ weights, of shape (d,)."""


@dataclass(frozen=True, eq=False)
class Transposed:
    """The transpose of an operator, of shape (columns, pairs)."""

    operator: LinearOperator

    @property
    def shape(self) -> tuple[int, int]:
        """Number of columns and of pairs."""
        return self.operator.shape[::-1]

    def __matmul__(self, weights: ArrayLike) -> Floats:
        return self.operator._apply_transposed(self.operator._as_weights(weights))


@dataclass(frozen=True, eq=False, repr=False)
class ZeroDiagonal(LinearOperator):
    """The diagonal of features that have none: every product is 0, for any number of items."""

    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """Zero rows, as the number of items is open, and the number of columns."""
        return 0, self.n_columns

    def take(self, rows: ArrayLike) -> "ZeroDiagonal":  # noqa: ARG002
        """Return the same diagonal, which serves any number of items."""
        return self

    def _as_weights(self, weights: ArrayLike) -> Floats:
        return np.asarray(weights, dtype=np.float64)

    def _apply(self, coef: Floats) -> Floats:  # noqa: ARG002
        return np.zeros(())

    def _apply_transposed(self, weights: Floats) -> Floats:  # noqa: ARG002
        return np.zeros(self.n_columns)


@dataclass(frozen=True, eq=False, repr=False)
class SelectedFeatures(LinearOperator):
    """Selected rows of an operator that can only compute the products of all rows."""

    inner: LinearOperator
    rows: Ints

    @property
    def shape(self) -> tuple[int, int]:
        """Number of selected rows, and of columns."""
        return len(self.rows), self.inner.shape[1]

    @property
    def diagonal(self) -> Features:
        """The diagonal of the inner operator, as the items are the same."""
        return self.inner.diagonal

    def _take(self, rows: Ints) -> "SelectedFeatures":
        return SelectedFeatures(self.inner, self.rows[rows])

    def _apply(self, coef: Floats) -> Floats:
        return (self.inner @ coef)[self.rows]

    def _apply_transposed(self, weights: Floats) -> Floats:
        return self.inner.T @ np.bincount(self.rows, weights, minlength=self.inner.shape[0])


def as_rows(rows: ArrayLike, n_rows: int) -> Ints:
    """Validate row indices, in any order and with repetitions, and return them as an array.

    >>> as_rows([2, 3], n_rows=3)
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: row 3 was requested, but there are 3 rows; give indices from
    0 to 2
    """
    indices = np.asarray(rows)
    if indices.size == 0:
        return np.empty(0, dtype=np.intp)
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise FeatureError(
            f"rows are of type {indices.dtype} and shape {indices.shape}; give a list of row "
            "indices, and convert a mask with np.flatnonzero"
        )
    if indices.min() < 0 or indices.max() >= n_rows:
        invalid = indices[(indices < 0) | (indices >= n_rows)][0]
        raise FeatureError(
            f"row {invalid} was requested, but there are {n_rows} rows; give indices from 0 to "
            f"{n_rows - 1}"
        )
    return read_only(np.ascontiguousarray(indices, dtype=np.intp))


def refuse_unwritable(shape: tuple[int, int], n_numbers: int) -> None:
    """Raise an error if the matrix of features, of `n_numbers` numbers, does not fit in memory."""
    refuse_too_large(n_numbers, f"a matrix of {shape[0]:,} pairs × {shape[1]:,} features")


def _unit_vector(index: int, length: int) -> Floats:
    unit = np.zeros(length)
    unit[index] = 1.0
    return unit


def _as_vector(values: ArrayLike, length: int, name: str, unit: str) -> Floats:
    vector = as_floats(name, values, FeatureError)
    if vector.shape != (length,):
        raise FeatureError(
            f"{name} has shape {vector.shape}, but the features have {length} {unit}; "
            f"give {length} numbers"
        )
    # Kernels are compiled for contiguous, read-only arrays.
    return read_only(np.ascontiguousarray(vector))
