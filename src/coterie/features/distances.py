"""Distances of pairs as functions of weighted features, with their gradients."""

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from coterie._core.arrays import Floats
from coterie._core.values import Value
from coterie._types import Features
from coterie.exceptions import InputError

__all__ = ["Euclidean", "Manhattan"]

AnyDistance = TypeVar("AnyDistance")


class Distance(Protocol):
    """A distance d of pairs with features φ, which depends on weights w.

    `slopes` returns the gradient Σ_p weights_p ∂d_p/∂w, a weighted sum over pairs p. `signed` is
    whether w may be negative, and `additive` whether d is a sum with one term per feature.
    """

    @property
    def signed(self) -> bool: ...

    @property
    def additive(self) -> bool: ...

    def __call__(self, features: Features, coef: Floats, /) -> Floats: ...

    def slopes(self, features: Features, coef: Floats, weights: Floats, /) -> Floats: ...


def as_distance(value: AnyDistance) -> AnyDistance:
    """Return the value, or raise an error if it is not a distance.

    >>> as_distance("manhattan")
    Traceback (most recent call last):
    coterie.exceptions.InputError: distance is 'manhattan'; give Manhattan() or Euclidean()
    """
    if isinstance(value, type) or not callable(getattr(value, "slopes", None)):
        raise InputError(f"distance is {value!r}; give Manhattan() or Euclidean()")
    return value


@dataclass(frozen=True)
class Manhattan(Value):
    """Add up weighted features: d = Σ_l w_l φ_l (Li & Roth 2005, eq. 5).

    For item vectors, the features are |x_l − x′_l|: see `AbsoluteDifferences`.

    Examples
    --------
    >>> from coterie.features import DenseFeatures
    >>> Manhattan()(DenseFeatures([[1.0, 2.0], [0.0, 1.0]]), np.array([0.5, 0.25]))
    array([1.  , 0.25])
    """

    signed: ClassVar[bool] = True
    additive: ClassVar[bool] = True

    def __call__(self, features: Features, coef: Floats) -> Floats:
        """Return the distance of each pair."""
        return features @ coef

    def slopes(self, features: Features, coef: Floats, weights: Floats) -> Floats:  # noqa: ARG002
        """Return the gradient Σ_p weights_p ∂d_p/∂w, one number per feature."""
        return features.T @ weights


@dataclass(frozen=True)
class Euclidean(Value):
    """Take the root of the sum of weighted features: d = √(Σ_l w_l φ_l) (Li & Roth 2005, eq. 1).

    For item vectors, the features are (x_l − x′_l)²: see `SquaredDifferences`. Pairs at distance 0,
    where the root has no gradient, add nothing to `slopes`.

    Examples
    --------
    >>> from coterie.features import DenseFeatures
    >>> Euclidean()(DenseFeatures([[1.0, 6.0], [0.0, 1.0]]), np.array([1.0, 0.25])).round(3)
    array([1.581, 0.5  ])
    """

    signed: ClassVar[bool] = False
    additive: ClassVar[bool] = False

    def __call__(self, features: Features, coef: Floats) -> Floats:
        """Return the distance of each pair."""
        # Rounding can make the squared distance of equal items slightly negative.
        return np.sqrt(np.maximum(features @ coef, 0.0))

    def slopes(self, features: Features, coef: Floats, weights: Floats) -> Floats:
        """Return the gradient Σ_p weights_p ∂d_p/∂w, one number per feature."""
        distances = self(features, coef)
        # ∂d/∂w = φ / (2d).
        scaled_weights = np.divide(
            weights, 2.0 * distances, out=np.zeros_like(distances), where=distances > 0.0
        )
        return features.T @ scaled_weights
