"""Features of item pairs as linear operators.

All that a learner asks of the features of m pairs is `features @ coef` (scores, of shape (m,)) and
`features.T @ weights` (of shape (d,)). So they may be a matrix, or products of item features that
are never written out pair by pair. Results are float64, also where the storage is float32.

`features.diagonal` answers the same for items with themselves, as k-means needs: of shape (n, d),
or zero for any number of items where none are given.
"""

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
    TakenFeatures,
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
    "SparseFeatures",
    "StackedFeatures",
    "TakenFeatures",
    "Transposed",
    "ZeroDiagonal",
    "as_features",
    "as_operator",
    "stack",
    "taken",
    "written",
]


@dataclass(frozen=True, eq=False, repr=False)
class ConstantFeatures(LinearOperator):
    """The constant feature: one column of ones, never written out, and 0 on the diagonal.

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
        """Return the number of pairs, for each has a 1."""
        return np.array([float(self.n_pairs)])

    def _take(self, rows: Ints) -> "ConstantFeatures":
        return ConstantFeatures(len(rows))

    def _apply(self, coef: Floats) -> Floats:
        return np.full(self.n_pairs, coef[0])

    def _apply_transposed(self, weights: Floats) -> Floats:
        return np.array([weights.sum()])


@dataclass(frozen=True, eq=False, repr=False)
class ScaledFeatures(LinearOperator):
    """Features with each column divided by a number, F diag(1/s), in whatever form they are.

    Parameters
    ----------
    of
        The features: an operator or a matrix.
    scale
        What to divide by, one positive number a column; the diagonal is divided too.

    Examples
    --------
    >>> ScaledFeatures([[2.0, 30.0]], scale=[2.0, 10.0]) @ [1.0, 1.0]
    array([4.])
    """

    of: Any
    scale: Floats

    def __post_init__(self) -> None:
        of, scale = as_features(self.of), as_floats("scale", self.scale, FeatureError)
        if scale.shape != of.shape[1:] or not np.all((scale > 0) & np.isfinite(scale)):
            raise FeatureError(
                f"scale has shape {scale.shape} for {of.shape[1]} columns; give one positive, "
                "finite number for each"
            )
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "scale", scale)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        n_pairs, n_columns = self.of.shape
        return n_pairs, n_columns

    @cached_property
    def diagonal(self) -> Features:
        """The diagonal, divided too."""
        own: Features = self.of.diagonal
        return own if isinstance(own, ZeroDiagonal) else ScaledFeatures(own, self.scale)

    def to_matrix(self) -> Any:
        """Return the features written out: sparse where the inner ones are."""
        matrix = written(self.of)
        if not sp.issparse(matrix):
            return matrix / self.scale
        divided = matrix.data / self.scale[matrix.indices]
        return sp.csr_array((divided, matrix.indices, matrix.indptr), shape=matrix.shape)

    def column_squares(self) -> Floats:
        """Return Σ_p F_pf² of each column."""
        return as_operator(self.of).column_squares() / self.scale**2

    def _take(self, rows: Ints) -> "ScaledFeatures":
        return ScaledFeatures(taken(self.of, rows), self.scale)

    def _apply(self, coef: Floats) -> Floats:
        product: Floats = self.of @ (coef / self.scale)
        return product

    def _apply_transposed(self, weights: Floats) -> Floats:
        product: Floats = (self.of.T @ weights) / self.scale
        return product


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

    def to_matrix(self) -> Any:
        """Return the features written out: sparse where one of the parts is."""
        matrices = [self._written(part) for part in self.parts]
        if any(sp.issparse(matrix) for matrix in matrices):
            return sp.hstack(matrices, format="csr")
        refuse_unwritable(self.shape, self.shape[0] * self.shape[1])
        return np.hstack(matrices)

    def column_squares(self) -> Floats:
        """Return Σ_p F_pf² of each column."""
        return np.concatenate([as_operator(part).column_squares() for part in self.parts])

    def _written(self, part: Features) -> Any:
        if isinstance(part, ZeroDiagonal):
            return np.zeros((self.shape[0], part.n_columns))
        return written(part)

    def _take(self, rows: Ints) -> "StackedFeatures":
        return StackedFeatures(tuple(taken(part, rows) for part in self.parts))

    def _apply(self, coef: Floats) -> Floats:
        ends = np.cumsum([part.shape[1] for part in self.parts])
        split = np.split(coef, ends[:-1])
        products = [part @ own for part, own in zip(self.parts, split, strict=True)]
        total: Floats = np.sum(np.broadcast_arrays(*products), axis=0)
        return total

    def _apply_transposed(self, weights: Floats) -> Floats:
        return np.concatenate([part.T @ weights for part in self.parts])


@dataclass(frozen=True, eq=False, repr=False)
class ForeignFeatures(LinearOperator):
    """An operator of another library, known by the protocol `Features` alone."""

    of: Features

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        return self.of.shape

    @property
    def diagonal(self) -> Features:
        """The features of items with themselves."""
        return self.of.diagonal

    def _apply(self, coef: Floats) -> Floats:
        return self.of @ coef

    def _apply_transposed(self, weights: Floats) -> Floats:
        return self.of.T @ weights


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


def written(features: Any) -> Any:
    """Write the features of pairs out: an array or a `csr_array` of float64, one row a pair.

    >>> written(NodeProducts([[1.0], [2.0], [3.0]]))
    array([[2.],
           [3.],
           [6.]])
    """
    return as_operator(features).to_matrix()


def taken(features: Any, rows: ArrayLike) -> LinearOperator:
    """Take the features of some pairs, by their row numbers; the diagonal stays the same.

    >>> taken(NodeProducts([[1.0], [2.0], [3.0]]), [2, 0]) @ [1.0]
    array([6., 2.])
    """
    return as_operator(features).take(rows)


def as_operator(features: Any) -> LinearOperator:
    """Take any features as an operator of ours, which can be written out and taken apart."""
    known = as_features(features)
    return known if isinstance(known, LinearOperator) else ForeignFeatures(known)
