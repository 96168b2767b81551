"""What all operators share: products with vectors, writing out, some of the rows."""

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
    """Features of m pairs in d columns, known by their products with vectors.

    A kind of operator says its `shape` and both products. What else there is follows from them,
    and a kind that can do better says so.
    """

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

    def to_matrix(self) -> Any:
        """Return the features written out, one row a pair: an array or a `csr_array` of float64."""
        n_pairs, n_columns = self.shape
        refuse_unwritable(self.shape, n_pairs * n_columns)
        matrix = np.empty((n_pairs, n_columns))
        for column in range(n_columns):
            matrix[:, column] = self @ _unit(column, n_columns)
        return matrix

    def take(self, rows: ArrayLike) -> "LinearOperator":
        """Return the features of some pairs, by their row numbers; the diagonal stays the same."""
        return self._take(as_rows(rows, self.shape[0]))

    def column_squares(self) -> Floats:
        """Return Σ_p F_pf² of each column."""
        n_columns = self.shape[1]
        columns = (self @ _unit(column, n_columns) for column in range(n_columns))
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
        return TakenFeatures(self, rows)

    def _changed(self, **fields: Any) -> Self:
        """Return a copy with other values, which are known to be sound; the rest is shared."""
        changed = copy.copy(self)
        for name, value in fields.items():
            object.__setattr__(changed, name, value)
        return changed

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

    def take(self, rows: ArrayLike) -> "ZeroDiagonal":  # noqa: ARG002
        """Return itself: some of no matter how many items are no matter how many."""
        return self

    def _as_weights(self, weights: ArrayLike) -> Floats:
        return np.asarray(weights, dtype=np.float64)

    def _apply(self, coef: Floats) -> Floats:  # noqa: ARG002
        return np.zeros(())

    def _apply_transposed(self, weights: Floats) -> Floats:  # noqa: ARG002
        return np.zeros(self.n_columns)


@dataclass(frozen=True, eq=False, repr=False)
class TakenFeatures(LinearOperator):
    """Some rows of an operator that cannot tell them apart: all are computed, some are kept."""

    of: LinearOperator
    rows: Ints

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows taken, and of columns."""
        return len(self.rows), self.of.shape[1]

    @property
    def diagonal(self) -> Features:
        """The diagonal of the whole: the items are the same."""
        return self.of.diagonal

    def _take(self, rows: Ints) -> "TakenFeatures":
        return TakenFeatures(self.of, self.rows[rows])

    def _apply(self, coef: Floats) -> Floats:
        return (self.of @ coef)[self.rows]

    def _apply_transposed(self, weights: Floats) -> Floats:
        return self.of.T @ np.bincount(self.rows, weights, minlength=self.of.shape[0])


def as_rows(rows: ArrayLike, n_rows: int) -> Ints:
    """Take numbers of rows, in any order and perhaps more than once.

    >>> as_rows([2, 3], n_rows=3)
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: row 3 is asked for, but there are 3 rows; give numbers from 0
    to 2
    """
    numbers = np.asarray(rows)
    if numbers.size == 0:
        return np.empty(0, dtype=np.intp)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise FeatureError(
            f"rows are of type {numbers.dtype} and shape {numbers.shape}; give a list of row "
            "numbers (of a mask its np.flatnonzero)"
        )
    if numbers.min() < 0 or numbers.max() >= n_rows:
        wrong = numbers[(numbers < 0) | (numbers >= n_rows)][0]
        raise FeatureError(
            f"row {wrong} is asked for, but there are {n_rows} rows; give numbers from 0 to "
            f"{n_rows - 1}"
        )
    return read_only(np.ascontiguousarray(numbers, dtype=np.intp))


def refuse_unwritable(shape: tuple[int, int], n_numbers: int) -> None:
    """Refuse to write out features that take more numbers than fit."""
    refuse_too_large(n_numbers, f"a matrix of {shape[0]:,} pairs × {shape[1]:,} features")


def _unit(place: int, length: int) -> Floats:
    unit = np.zeros(length)
    unit[place] = 1.0
    return unit


def _as_vector(values: ArrayLike, length: int, what: str, unit: str) -> Floats:
    vector = as_floats(what, values, FeatureError)
    if vector.shape != (length,):
        raise FeatureError(
            f"{what} has shape {vector.shape}, but the features have {length} {unit}; "
            "give one number for each"
        )
    # Contiguous and read-only, so that kernels meet one kind of array only.
    return read_only(np.ascontiguousarray(vector))
