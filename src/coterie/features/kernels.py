"""Kernels: inner products of pair features that were mapped to another space.

A kernel computes the inner product without computing the map.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Floats
from coterie._core.values import Value
from coterie.exceptions import FeatureError

__all__ = ["RBF", "Polynomial"]


class Kernel(Protocol):
    """A function that returns the kernel of each row of one matrix with each row of another.

    Rows are features of pairs. The left matrix may be sparse.
    """

    def __call__(self, left: Any, right: Floats, /) -> Floats: ...


@dataclass(frozen=True)
class RBF(Value):
    """Compare features by their distance: κ(ψ, ψ′) = exp(−γ ‖ψ − ψ′‖²).

    Parameters
    ----------
    gamma
        The inverse width: the larger it is, the closer features must be to count as similar.

    Examples
    --------
    >>> RBF(gamma=0.5)(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 2.0]])).round(3)
    array([[1.   , 0.135]])
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", as_real("gamma", self.gamma))

    def __call__(self, left: Any, right: Floats) -> Floats:
        """Return the kernel of each row of one matrix with each row of the other."""
        with np.errstate(over="ignore", invalid="ignore"):
            sums = _squares(left)[:, None] + _squares(right)
            distances = refuse_overflow(sums - 2.0 * (left @ right.T))
            # Rounding can make the squared distance of equal features slightly negative.
            kernel: Floats = np.exp(-self.gamma * np.maximum(distances, 0.0))
        return kernel


@dataclass(frozen=True)
class Polynomial(Value):
    """Compare products of at most `degree` features: κ(ψ, ψ′) = (⟨ψ, ψ′⟩ + offset)^degree.

    Parameters
    ----------
    degree
        The largest number of features that are multiplied; 1 is a linear kernel.
    offset
        The weight of products of fewer features. With 0, only products of exactly `degree` features
        count.

    Examples
    --------
    >>> Polynomial(degree=2, offset=1.0)(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]]))
    array([[16.]])
    """

    degree: int = 2
    offset: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", as_whole("degree", self.degree, 1))
        object.__setattr__(self, "offset", as_real("offset", self.offset))

    def __call__(self, left: Any, right: Floats) -> Floats:
        """Return the kernel of each row of one matrix with each row of the other."""
        with np.errstate(over="ignore", invalid="ignore"):
            return refuse_overflow((left @ right.T + self.offset) ** self.degree)


def refuse_overflow(values: Floats) -> Floats:
    """Return the values, or raise an error if one of them is infinite or NaN."""
    if not np.isfinite(values).all():
        raise FeatureError(
            "the features are too large for the kernel; make them smaller, for example with "
            "Scaled(featurizer)"
        )
    return values


def _squares(matrix: Any) -> Floats:
    """Return the squared length of each row."""
    if sp.issparse(matrix):
        return np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    squares: Floats = np.einsum("pf,pf->p", matrix, matrix)
    return squares
