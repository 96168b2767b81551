"""The repulsion of a reference type where the squared distances of means are given, and a bound.

R(t) = exp(-Σ 1 / ‖gap‖_t) over pairs of clusters, with one row of squares per pair. It costs as
much as everything else about a new type, and most new types are rejected whatever it is: the bound
spares them its computation.
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
    """log R of that type, in an array of one."""


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

    With x and x' the squares ‖gap‖² for this type and for t, Jensen's inequality for the convex
    r^-½ gives Σ x'^-½ = Σ x^-½ (x' / x)^-½ ≥ S (Σ x^-½ (x' / x) / S)^-½, S = Σ x^-½.
    """
    # x' = gaps[pair] · t is linear in t, so that Σ x^-½ (x' / x) / S = slopes · t, with
    # slopes = Σ gaps[pair] x^-3/2 / S. Rows of `gaps` are squares already.
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
def bound_log_repulsion(precisions, ceiling):
    """Return an upper bound of log R(t), at the cost of one scalar product."""
    # Without pairs of clusters there is no repulsion, and the bound is log 1.
    if ceiling.level[0] == 0.0:
        return 0.0
    total = 0.0
    for dim, t in enumerate(precisions):
        total += t * ceiling.slopes[dim]
    return ceiling.level[0] / sqrt(max(total, TINY))
