"""Names of the public clusterers that have a property, for error messages to suggest."""

from collections.abc import Callable
from typing import Any

from coterie import clusterers
from coterie._core.lazy import members
from coterie._core.texts import join_with_or


def clusterer_names(condition: Callable[[Any], bool]) -> str:
    """Return the names of the clusterer classes that meet a condition, as "A, B or C".

    >>> from coterie.objectives import KMeans
    >>> clusterer_names(lambda member: member.maximises is KMeans)
    'DiscreteSpectral, KernelKMeans or Spectral'
    """
    # The package also exports solutions and roundings, which have no attribute `maximises`.
    family = (cls for cls in members(clusterers).values() if hasattr(cls, "maximises"))
    return join_with_or(cls.__name__ for cls in family if condition(cls))
