"""Operators made of other operators: scaled and stacked features, and a constant column."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats, as_whole
from coterie._core.arrays import Floats, Ints
from coterie._types import Features
from coterie.exceptions import FeatureError
from coterie.features.operators.base import (
    LinearOperator,
    SelectedFeatures,
    Transposed,
    ZeroDiagonal,
    refuse_unwritable,
)
from coterie.features.operators.matrices import (
    DenseFeatures,
    MatrixFeatures,
    SparseFeatures,
    as_features,
)
from coterie.features.operators.products import LinkedNodeProducts, NodeProducts

__all__ = [
    "ConstantFeatures",
    "DenseFeatures",
    "LinearOperator",
    "LinkedNodeProducts",
    "MatrixFeatures",
    "NodeProducts",
    "ScaledFeatures",
    "SelectedFeatures",
    "SparseFeatures",
    "StackedFeatures",
    "Transposed",
    "ZeroDiagonal",
    "as_features",
    "as_operator",
    "select_rows",
    "stack",
    "to_matrix",
]


@dataclass(frozen=True, eq=False, repr=False)
class ConstantFeatures(LinearOperator):
    """A column of ones, which is not stored; its diagonal is 0.

    Parameters
    ----------
    n_pairs
        Number of pairs.

    Examples
    --------
    >>> ConstantFeatures(3) @ [0.5]
    array([0.5, 0.5, 0.5])
    >>> ConstantFeatures(3).T @ [1.0, 2.0, 4.0]
    array([7.])
    """

    n_pairs: int

    def __post_init__(self) -> None:
        n_pairs = as_whole("n_pairs", self.n_pairs, error=FeatureError)
        object.__setattr__(self, "n_pairs", n_pairs)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs, and one column."""
        return self.n_pairs, 1

    def column_squares(self) -> Floats:
        """Return the number of pairs, each of which adds 1."""
        return np.array([float(self.n_pairs)])

    def _take(self, rows: Ints) -> "ConstantFeatures":
        return ConstantFeatures(len(rows))

    def _apply(self, coef: Floats) -> Floats:
        return np.full(self.n_pairs, coef[0])

    def _apply_transposed(self, weights: Floats) -> Floats:
        return np.array([weights.sum()])


@dataclass(frozen=True, eq=False, repr=False)
class ScaledFeatures(LinearOperator):
    """Features F with each column divided by a number: F diag(1/s).

    Parameters
    ----------
    inner
        The features F: an operator or a matrix.
    scale
        The divisors s, one positive number per column; they also apply to the diagonal.

    Examples
    --------
    >>> ScaledFeatures([[2.0, 30.0]], scale=[2.0, 10.0]) @ [1.0, 1.0]
    array([4.])
    """

    inner: Any
    scale: Floats

    def __post_init__(self) -> None:
        inner, scale = as_features(self.inner), as_floats("scale", self.scale, FeatureError)
        if scale.shape != inner.shape[1:] or not np.all((scale > 0) & np.isfinite(scale)):
            raise FeatureError(
                f"scale has shape {scale.shape} for {inner.shape[1]} columns; give one positive, "
                "finite number per column"
            )
        object.__setattr__(self, "inner", inner)
        object.__setattr__(self, "scale", scale)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        n_pairs, n_columns = self.inner.shape
        return n_pairs, n_columns

    @cached_property
    def diagonal(self) -> Features:
        """The diagonal of the inner features, divided by the same scale."""
        diagonal: Features = self.inner.diagonal
        if isinstance(diagonal, ZeroDiagonal):
            return diagonal
        return ScaledFeatures(diagonal, self.scale)

    def to_matrix(self) -> Any:
        """Return the features as a matrix, which is sparse if that of the inner features is."""
        matrix = to_matrix(self.inner)
        if not sp.issparse(matrix):
            return matrix / self.scale
        divided = matrix.data / self.scale[matrix.indices]
        return sp.csr_array((divided, matrix.indices, matrix.indptr), shape=matrix.shape)

    def column_squares(self) -> Floats:
        """Return the sum of squares Σ_p F_pf² of each column f."""
        return as_operator(self.inner).column_squares() / self.scale**2

    def _take(self, rows: Ints) -> "ScaledFeatures":
        return ScaledFeatures(select_rows(self.inner, rows), self.scale)

    def _apply(self, coef: Floats) -> Floats:
        product: Floats = self.inner @ (coef / self.scale)
        return product

    def _apply_transposed(self, weights: Floats) -> Floats:
        product: Floats = (self.inner.T @ weights) / self.scale
        return product


@dataclass(frozen=True, eq=False, repr=False)
class StackedFeatures(LinearOperator):
    """The columns of several operators over the same pairs, side by side; made by `stack`."""

    parts: tuple[Features, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs, and of the columns of all parts."""
        rows, columns = zip(*(part.shape for part in self.parts), strict=True)
        return max(rows), sum(columns)

    @property
    def diagonal(self) -> Features:
        """The diagonals of the parts, side by side."""
        return stack([part.diagonal for part in self.parts])

    def to_matrix(self) -> Any:
        """Return the features as a matrix, which is sparse if that of some part is."""
        matrices = [self._part_matrix(part) for part in self.parts]
        if any(sp.issparse(matrix) for matrix in matrices):
            return sp.hstack(matrices, format="csr")
        refuse_unwritable(self.shape, self.shape[0] * self.shape[1])
        return np.hstack(matrices)

    def column_squares(self) -> Floats:
        """Return the sum of squares Σ_p F_pf² of each column f."""
        return np.concatenate([as_operator(part).column_squares() for part in self.parts])

    def _part_matrix(self, part: Features) -> Any:
        if isinstance(part, ZeroDiagonal):
            return np.zeros((self.shape[0], part.n_columns))
        return to_matrix(part)

    def _take(self, rows: Ints) -> "StackedFeatures":
        return StackedFeatures(tuple(select_rows(part, rows) for part in self.parts))

    def _apply(self, coef: Floats) -> Floats:
        ends = np.cumsum([part.shape[1] for part in self.parts])
        parts = zip(self.parts, np.split(coef, ends[:-1]), strict=True)
        products = [part @ part_coef for part, part_coef in parts]
        total: Floats = np.sum(np.broadcast_arrays(*products), axis=0)
        return total

    def _apply_transposed(self, weights: Floats) -> Floats:
        return np.concatenate([part.T @ weights for part in self.parts])


@dataclass(frozen=True, eq=False, repr=False)
class ForeignFeatures(LinearOperator):
    """An operator of another library, of which only the protocol `Features` is used."""

    inner: Features

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        return self.inner.shape

    @property
    def diagonal(self) -> Features:
        """The features of items paired with themselves."""
        return self.inner.diagonal

    def _apply(self, coef: Floats) -> Floats:
        return self.inner @ coef

    def _apply_transposed(self, weights: Floats) -> Floats:
        return self.inner.T @ weights


def stack(parts: Sequence[Any]) -> Features:
    """Join the columns of several features of the same pairs side by side.

    >>> features = stack([NodeProducts([[1.0], [2.0], [3.0]]), [[0.5], [0.25], [0.125]]])
    >>> features @ [1.0, 8.0]
    array([6., 5., 7.])
    """
    if not isinstance(parts, list | tuple):
        raise FeatureError(f"parts are of type {type(parts).__name__}; give a list of features")
    operators = tuple(as_features(part) for part in parts)
    if not operators:
        raise FeatureError("there are no features to stack; give a list of at least one")
    if all(isinstance(part, ZeroDiagonal) for part in operators):
        return ZeroDiagonal(sum(part.shape[1] for part in operators))
    rows = {part.shape[0] for part in operators if not isinstance(part, ZeroDiagonal)}
    if len(rows) > 1:
        counts = ", ".join(str(part.shape[0]) for part in operators)
        raise FeatureError(
            f"the features to stack have {counts} rows; give features of the same pairs"
        )
    return operators[0] if len(operators) == 1 else StackedFeatures(operators)


def to_matrix(features: Any) -> Any:
    """Return features as an array or `csr_array` of float64, one row per pair.

    >>> to_matrix(NodeProducts([[1.0], [2.0], [3.0]]))
    array([[2.],
           [3.],
           [6.]])
    """
    return as_operator(features).to_matrix()


def select_rows(features: Any, rows: ArrayLike) -> LinearOperator:
    """Return the features of the pairs with the given row indices, and the same diagonal.

    >>> select_rows(NodeProducts([[1.0], [2.0], [3.0]]), [2, 0]) @ [1.0]
    array([6., 2.])
    """
    return as_operator(features).take(rows)


def as_operator(features: Any) -> LinearOperator:
    """Return features as a `LinearOperator`, which has rows to select and a matrix."""
    operator = as_features(features)
    return operator if isinstance(operator, LinearOperator) else ForeignFeatures(operator)
