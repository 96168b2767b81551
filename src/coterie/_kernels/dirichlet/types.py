"""What the samplers of reference types share: units and their types, slices, the concentration.

A unit is what has one type: an item, or a whole cluster where its items share one. Each type is a
row of precisions; those in use come first. A sampler works by Gibbs steps on the types of units
(Neal 2000, algorithm 8, with a proposal in place of the base), on the precisions of types (in
closed form, or by slices: Neal 2003) and on the concentration (Escobar & West 1995).
"""

from math import exp, isfinite, lgamma, log, sqrt
from typing import NamedTuple

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import kernel

MOST_STEPS = 1000
TINY = 1e-200
"""The least precision, and the least squared distance of two means."""

LARGE = 1e100
"""A product that leaves 1 / LARGE to LARGE is added to a sum of logarithms."""


class Base(NamedTuple):
    """The base distributions: means N(0, 1 / tau0), precisions Gam(shape, rate), by dimension."""

    tau0: Floats
    shape: float
    rate: Floats


class TypeState(NamedTuple):
    """Where a chain stands; there are at most as many types as units."""

    of_unit: Ints
    """The type of each unit."""
    counts: Ints
    """How many units have each type."""
    n_types: Ints
    """One number: how many types are in use."""
    precisions: Floats
    """One row a type, one column a dimension."""
    log_dets: Floats
    """The sum of the logarithms of each type's precisions."""
    log_repulsions: Floats
    """log R(t) of each type, 0 without repulsion."""
    alpha: Floats
    """One number: the concentration."""
    means: Floats
    """One row a cluster; no rows where the means are integrated out."""


class Slots(NamedTuple):
    """Types that a unit may take and that no other unit has."""

    precisions: Floats
    log_repulsions: Floats


@kernel
def leave(state, unit, slots):
    """Take a unit from its type; return the type where the unit was alone in it, else -1.

    The type that is no more is kept in slot 0, and the last type takes its number.
    """
    own = state.of_unit[unit]
    state.counts[own] -= 1
    state.of_unit[unit] = -1
    if state.counts[own]:
        return -1
    slots.precisions[0] = state.precisions[own]
    slots.log_repulsions[0] = state.log_repulsions[own]
    last = state.n_types[0] - 1
    state.n_types[0] = last
    if own != last:
        state.counts[own] = state.counts[last]
        state.precisions[own] = state.precisions[last]
        state.log_dets[own] = state.log_dets[last]
        state.log_repulsions[own] = state.log_repulsions[last]
        for other in range(len(state.of_unit)):
            if state.of_unit[other] == last:
                state.of_unit[other] = own
    return own


@kernel
def join(state, unit, choice, slots):
    """Give a unit one of the types in use, or that of a slot, numbered after them."""
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
        if product > LARGE or product < 1.0 / LARGE:
            total += log(product)
            product = 1.0
    return total + log(product)


@kernel
def choose(rng, log_weights, n_choices):
    """Draw one of the first choices, with probability proportional to its weight."""
    top = log_weights[0]
    for choice in range(1, n_choices):
        top = max(top, log_weights[choice])
    total = 0.0
    for choice in range(n_choices):
        total += exp(log_weights[choice] - top)
    left = rng.random() * total
    for choice in range(n_choices - 1):
        left -= exp(log_weights[choice] - top)
        if left < 0.0:
            return choice
    return n_choices - 1


@kernel
def gamma(rng, shape, rate):
    """Draw a precision."""
    return max(rng.standard_gamma(shape) / rate, TINY)


@kernel
def draw_concentration(rng, state):
    """Draw the concentration given the number of types; its prior is Gam(1, 1).

    Given η ~ Beta(α + 1, U) with U units in J types, α is a mixture of Gam(J + 1, 1 - log η) and
    Gam(J, 1 - log η), with odds J to U (1 - log η) (Escobar & West 1995, eq. 13-14).
    """
    n_units, n_types = len(state.of_unit), state.n_types[0]
    first = rng.standard_gamma(state.alpha[0] + 1.0)
    eta = first / (first + rng.standard_gamma(float(n_units)))
    rate = 1.0 - log(eta)
    more = rng.random() * (n_types + n_units * rate) < n_types
    state.alpha[0] = gamma(rng, n_types + (1.0 if more else 0.0), rate)


@kernel
def log_prior(base, state):
    """Return log p(α) + log p(types of units | α) + log p(precisions)."""
    n_units, n_types = len(state.of_unit), state.n_types[0]
    alpha = state.alpha[0]
    total = n_types * log(alpha) + lgamma(alpha) - lgamma(alpha + n_units) - alpha
    for kind in range(n_types):
        total += lgamma(state.counts[kind])
        total += (base.shape - 1.0) * log_product(state.precisions[kind])
        for dim, rate in enumerate(base.rate):
            total += base.shape * log(rate) - lgamma(base.shape)
            total -= rate * state.precisions[kind, dim]
    return total


@kernel
def log_density(log_t, shape, rate, evidence, n_clusters, norms, n_items):
    """Return the log density of log t, t being one precision of one type, up to a constant.

    shape log t - rate t - ½ Σ_c (log P_c + W_c / P_c) - n_items Σ_m (norms[0] + t norms[1])_m^-½
    with P_c = evidence[1, c] + evidence[0, c] t, and W_c quadratic in t with the coefficients
    evidence[2:, c]: the clusters whose means are integrated out, and the repulsion.
    """
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
    here = log(t)
    given = shape, rate, evidence, n_clusters, norms, n_items
    level = log_density(here, *given) + log(1.0 - rng.random())
    # A few standard deviations of log t under Gam(shape, ·): it must not depend on t.
    width = 3.0 / sqrt(shape)
    left = here - width * rng.random()
    right = left + width
    if not isfinite(level):
        return t
    # Never so many in truth; numbers beyond what floats hold could ask for more without end.
    for _ in range(MOST_STEPS):
        if not log_density(left, *given) > level:
            break
        left -= width
    for _ in range(MOST_STEPS):
        if not log_density(right, *given) > level:
            break
        right += width
    while right - left > 1e-12:
        there = left + (right - left) * rng.random()
        if log_density(there, *given) > level:
            return max(exp(there), TINY)
        if there < here:
            left = there
        else:
            right = there
    return t
