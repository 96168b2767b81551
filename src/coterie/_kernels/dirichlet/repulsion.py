"""The repulsion of a reference type where the squared distances of means are given, and a bound.

R(t) = exp(-Σ 1 / ‖gap‖_t) over pairs of clusters, with one row of squares a pair: it costs as much
as all the rest for a new type, most of which are given up whatever it is.
"""

from math import sqrt
from typing import NamedTuple

from coterie._core.arrays import Floats
from coterie._kernels.compiling import kernel
from coterie._kernels.dirichlet.types import TINY


class Ceiling(NamedTuple):
    """A bound of log R(t), exact for one type and its multiples: level / sqrt(slopes · t)."""

    slopes: Floats
    level: Floats
    """One number: log R of that type."""


@kernel
def log_repulsion(precisions, gaps):
    """Return log R(t) = -Σ 1 / ‖gap‖_t."""
    total = 0.0
    for pair in range(len(gaps)):
        square = 0.0
        for dim in range(len(precisions)):
            square += precisions[dim] * gaps[pair, dim]
        total -= 1.0 / sqrt(max(square, TINY))
    return total


@kernel
def fit_ceiling(precisions, gaps, ceiling):
    """Fit the bound of log R to a type.

    With x and x' the squares ‖gap‖ for this type and for t, Jensen's inequality for the convex
    r^-½ gives Σ x'^-½ = Σ x^-½ (x' / x)^-½ ≥ S (Σ x^-½ (x' / x) / S)^-½, S = Σ x^-½.
    """
    ceiling.slopes[:], total = 0.0, 0.0
    for pair in range(len(gaps)):
        square = 0.0
        for dim, t in enumerate(precisions):
            square += t * gaps[pair, dim]
        square = max(square, TINY)
        total += 1.0 / sqrt(square)
        for dim in range(len(precisions)):
            ceiling.slopes[dim] += gaps[pair, dim] / (square * sqrt(square))
    ceiling.level[0] = -total
    if total > 0.0:
        ceiling.slopes[:] /= total


@kernel
def bound(precisions, ceiling):
    """Return what log R(t) is at most."""
    if ceiling.level[0] == 0.0:
        return 0.0
    total = 0.0
    for dim, t in enumerate(precisions):
        total += t * ceiling.slopes[dim]
    return ceiling.level[0] / sqrt(max(total, TINY))
