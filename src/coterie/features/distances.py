"""Distances of pairs by weighted features, and how they change with the weights."""

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from coterie._core.arrays import Floats
from coterie._core.values import Value
from coterie._types import Features
from coterie.exceptions import InputError

__all__ = ["Euclidean", "Manhattan"]

Given = TypeVar("Given")


class Distance(Protocol):
    """A distance d of pairs with features φ, which depends on weights w.

    `slopes` sums ∂d/∂w over pairs, each with a weight; `signed` tells whether w may be negative,
    `additive` whether d is the sum of what each feature adds.
    """

    @property
    def signed(self) -> bool: ...

    @property
    def additive(self) -> bool: ...

    def __call__(self, features: Features, coef: Floats, /) -> Floats: ...

    def slopes(self, features: Features, coef: Floats, weights: Floats, /) -> Floats: ...


def as_distance(value: Given) -> Given:
    """Check that a value is a distance.

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

    Of item vectors the features are |x_l − x′_l|.

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
        """Return Σ_p weights_p ∂d_p/∂w, one number a feature."""
        return features.T @ weights


@dataclass(frozen=True)
class Euclidean(Value):
    """Take the root of added up weighted features: d = √(Σ_l w_l φ_l) (Li & Roth 2005, eq. 1).

    Of item vectors the features are |x_l − x′_l|². Where d is 0, it counts as level.

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
        # Rounding makes some squares of equal items less than 0.
        return np.sqrt(np.maximum(features @ coef, 0.0))

    def slopes(self, features: Features, coef: Floats, weights: Floats) -> Floats:
        """Return Σ_p weights_p ∂d_p/∂w, one number a feature."""
        distances = self(features, coef)
        halves = np.divide(
            weights, 2.0 * distances, out=np.zeros_like(distances), where=distances > 0.0
        )
        return features.T @ halves
