"""The clusterers of the family that can do what another cannot, for its error to name."""

from collections.abc import Callable
from typing import Any

from coterie import clusterers
from coterie._core.lazy import members
from coterie._core.texts import join_with_or


def clusterer_names(holds: Callable[[Any], bool]) -> str:
    """Name the clusterers of which something holds.

    >>> from coterie.objectives import KMeans
    >>> clusterer_names(lambda member: member.maximises is KMeans)
    'DiscreteSpectral, KernelKMeans or Spectral'
    """
    # Beside clusterers the package has solutions and roundings, which maximise nothing.
    family = (each for each in members(clusterers).values() if hasattr(each, "maximises"))
    return join_with_or(each.__name__ for each in family if holds(each))
