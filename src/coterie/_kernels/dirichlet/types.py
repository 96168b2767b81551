"""Parts that both samplers of reference types share: units, types, slices and the concentration.

A unit is what has one type: an item, or a whole cluster where its items share one. Each type is a
row of precisions; the types in use come first. A sampler makes Gibbs steps on the types of units
(Neal 2000, algorithm 8, with a proposal in place of the base), on the precisions of types (in
closed form, or by slices: Neal 2003) and on the concentration (Escobar & West 1995).
"""

from math import exp, isfinite, lgamma, log, sqrt
from typing import NamedTuple

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import kernel

MOST_STEPS = 1000
"""The largest number of steps by which a slice is widened at either end."""

TINY = 1e-200
"""The least precision, and the least squared distance of two means."""

LARGE = 1e100
"""A product that leaves the range 1 / LARGE to LARGE is added to a sum of logarithms."""


class Base(NamedTuple):
    """The base distributions: means N(0, 1 / tau0), precisions Gam(shape, rate), by dimension."""

    tau0: Floats
    shape: float
    rate: Floats


class TypeState(NamedTuple):
    """The state of a chain over types; there are at most as many types as units."""

    of_unit: Ints
    """The type of each unit, −1 while the unit has none."""
    counts: Ints
    """The number of units of each type."""
    n_types: Ints
    """The number of types in use, in an array of one so that kernels can change it."""
    precisions: Floats
    """One row per type, one column per dimension."""
    log_dets: Floats
    """The sum of the logarithms of each type's precisions."""
    log_repulsions: Floats
    """log R(t) of each type, 0 without repulsion."""
    alpha: Floats
    """The concentration, in an array of one."""
    means: Floats
    """One row per cluster; no rows where the means are integrated out."""


class Slots(NamedTuple):
    """Types that a unit may take and that no other unit has."""

    precisions: Floats
    log_repulsions: Floats


@kernel
def leave(state, unit, slots):
    """Take a unit from its type; return the type if the unit was alone in it, else −1.

    A type that loses its last unit moves to slot 0, and the last type takes its index.
    """
    left_type = state.of_unit[unit]
    state.counts[left_type] -= 1
    state.of_unit[unit] = -1
    if state.counts[left_type]:
        return -1
    # Algorithm 8 keeps the parameters of a unit that was alone among the auxiliary ones; without
    # them on offer, the step would not leave the posterior as it is.
    slots.precisions[0] = state.precisions[left_type]
    slots.log_repulsions[0] = state.log_repulsions[left_type]
    last = state.n_types[0] - 1
    state.n_types[0] = last
    if left_type != last:
        state.counts[left_type] = state.counts[last]
        state.precisions[left_type] = state.precisions[last]
        state.log_dets[left_type] = state.log_dets[last]
        state.log_repulsions[left_type] = state.log_repulsions[last]
        for other in range(len(state.of_unit)):
            if state.of_unit[other] == last:
                state.of_unit[other] = left_type
    return left_type


@kernel
def join(state, unit, choice, slots):
    """Give a unit one of the types in use, or the type of a slot; slots count on from the types."""
    n_types = state.n_types[0]
    if choice >= n_types:
        state.counts[n_types] = 0
        state.precisions[n_types] = slots.precisions[choice - n_types]
        state.log_dets[n_types] = log_product(state.precisions[n_types])
        state.log_repulsions[n_types] = slots.log_repulsions[choice - n_types]
        state.n_types[0] = n_types + 1
        choice = n_types
    state.counts[choice] += 1
    state.of_unit[unit] = choice


@kernel
def log_product(values):
    """Return the sum of the logarithms of positive numbers, with few logarithms."""
    total, product = 0.0, 1.0
    for value in values:
        product *= value
        # LARGE is far from the limits of floats, so that the next factor still fits.
        if product > LARGE or product < 1.0 / LARGE:
            total += log(product)
            product = 1.0
    return total + log(product)


@kernel
def choose(rng, log_weights, n_choices):
    """Draw one of the first choices, with probability proportional to its weight."""
    # Shifted by the largest, no exponential overflows and at least one is 1.
    top = log_weights[0]
    for choice in range(1, n_choices):
        top = max(top, log_weights[choice])
    total = 0.0
    for choice in range(n_choices):
        total += exp(log_weights[choice] - top)
    remainder = rng.random() * total
    for choice in range(n_choices - 1):
        remainder -= exp(log_weights[choice] - top)
        if remainder < 0.0:
            return choice
    return n_choices - 1


@kernel
def draw_gamma(rng, shape, rate):
    """Draw a precision, at least TINY, so that it has a logarithm."""
    return max(rng.standard_gamma(shape) / rate, TINY)


@kernel
def draw_concentration(rng, state):
    """Draw the concentration given the number of types; its prior is Gam(1, 1).

    Given η ~ Beta(α + 1, U) with U units in J types, α is a mixture of Gam(J + 1, 1 - log η) and
    Gam(J, 1 - log η), with odds J to U (1 - log η) (Escobar & West 1995, eq. 13-14).
    """
    n_units, n_types = len(state.of_unit), state.n_types[0]
    # A beta variable is the share of one gamma variable in the sum of two.
    first = rng.standard_gamma(state.alpha[0] + 1.0)
    eta = first / (first + rng.standard_gamma(float(n_units)))
    rate = 1.0 - log(eta)
    takes_first = rng.random() * (n_types + n_units * rate) < n_types
    state.alpha[0] = draw_gamma(rng, n_types + (1.0 if takes_first else 0.0), rate)


@kernel
def log_prior(base, state):
    """Return log p(α) + log p(types of units | α) + log p(precisions)."""
    # p(types of units | α) = α^J Γ(α) / Γ(α + U) Π_j Γ(n_j), and p(α) = exp(−α).
    n_units, n_types = len(state.of_unit), state.n_types[0]
    alpha = state.alpha[0]
    total = n_types * log(alpha) + lgamma(alpha) - lgamma(alpha + n_units) - alpha
    for j in range(n_types):
        total += lgamma(state.counts[j])
        total += (base.shape - 1.0) * log_product(state.precisions[j])
        for dim, rate in enumerate(base.rate):
            total += base.shape * log(rate) - lgamma(base.shape)
            total -= rate * state.precisions[j, dim]
    return total


@kernel
def log_density(log_t, shape, rate, evidence, n_clusters, norms, n_items):
    """Return the log density of log t, t being one precision of one type, up to a constant.

    shape log t - rate t - ½ Σ_c (log P_c + W_c / P_c) - n_items Σ_m (norms[0] + t norms[1])_m^-½
    with P_c = evidence[1, c] + evidence[0, c] t, and W_c quadratic in t with the coefficients
    evidence[2:, c]: the clusters whose means are integrated out, and the repulsion.
    """
    # A density of log t, not of t: the Jacobian t makes shape − 1 the shape.
    t = exp(log_t)
    fit, product = 0.0, 1.0
    for c in range(n_clusters):
        total = evidence[1, c] + evidence[0, c] * t
        fit += (evidence[2, c] + t * (evidence[3, c] + t * evidence[4, c])) / total
        product *= total
        if product > LARGE or product < 1.0 / LARGE:
            fit += log(product)
            product = 1.0
    repulsion = 0.0
    for m in range(norms.shape[1]):
        repulsion += 1.0 / sqrt(max(norms[0, m] + t * norms[1, m], TINY))
    return shape * log_t - rate * t - 0.5 * (fit + log(product)) - n_items * repulsion


@kernel
def slice_precision(rng, t, shape, rate, evidence, n_clusters, norms, n_items):
    """Draw a precision from `log_density` by a slice, stepping out and shrinking (Neal 2003)."""
    log_t = log(t)
    conditions = shape, rate, evidence, n_clusters, norms, n_items
    # The height of the slice, uniform below the density: log U is added to its logarithm.
    level = log_density(log_t, *conditions) + log(1.0 - rng.random())
    # A few standard deviations of log t under Gam(shape, ·): it must not depend on t.
    width = 3.0 / sqrt(shape)
    left = log_t - width * rng.random()
    right = left + width
    if not isfinite(level):
        return t
    # The slice is never as wide as MOST_STEPS; it ends loops on numbers beyond the range of floats.
    for _ in range(MOST_STEPS):
        if not log_density(left, *conditions) > level:
            break
        left -= width
    for _ in range(MOST_STEPS):
        if not log_density(right, *conditions) > level:
            break
        right += width
    # Each rejected draw becomes an end of the interval, on the side of `log_t`, which stays inside:
    # the interval shrinks towards a point of the slice.
    while right - left > 1e-12:
        draw = left + (right - left) * rng.random()
        if log_density(draw, *conditions) > level:
            return max(exp(draw), TINY)
        if draw < log_t:
            left = draw
        else:
            right = draw
    return t
