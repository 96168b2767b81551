"""Reference types given the true clusters of vectors: a Gibbs sampler that draws the means too.

Item n of cluster k and type j is N(y_k, diag(1 / t_j)). The repulsion Π_n R(t of n),
R(t) = exp(-Σ 1 / ‖y_k - y_k'‖_t) over pairs of clusters of one item set, is switched off by giving
each cluster a set of its own.
"""

from math import lgamma, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import kernel
from coterie._kernels.dirichlet.types import (
    LARGE,
    TINY,
    Slots,
    choose,
    draw_concentration,
    draw_gamma,
    join,
    leave,
    log_prior,
    log_product,
    slice_precision,
)


class VectorUnits(NamedTuple):
    """The units with the moments of their items; the units of a cluster are adjacent."""

    sizes: Floats
    """The number of items of each unit."""
    centres: Floats
    """The mean of each unit's items."""
    scatters: Floats
    """Σ (x - centre)² of each unit's items, by dimension."""
    starts: Ints
    """Offsets of the units of each cluster, with the number of units at the end."""
    sets: Ints
    """Offsets of the clusters of each item set, with the number of clusters at the end."""


class Pools(NamedTuple):
    """The posterior of the precisions of each type, Gam(shape + ½ n_items, rates) by dimension."""

    n_items: Floats
    rates: Floats
    log_rates: Floats
    """The sum of the logarithms of each type's rates."""


@kernel
def sweep_vectors(rng, n_sweeps, n_slots, units, base, state):
    """Draw the type of each unit, the precisions, the means and the concentration, in turn."""
    n_units, n_dims = units.centres.shape
    # Only without repulsion is the posterior of t a gamma distribution, which can be integrated
    # out: R(t) depends on all dimensions at once.
    repelled = count_pairs(units.sets) > 0
    slots = Slots(np.ones((n_slots, n_dims)), np.zeros(n_slots))
    log_weights, squares = np.empty(n_units + n_slots), np.empty(n_dims)
    pools = Pools(np.empty(n_units), np.empty((n_units, n_dims)), np.empty(n_units))
    for _ in range(n_sweeps):
        refresh(units, state)
        pool_units(units, base, state, pools)
        for cluster in range(len(units.starts) - 1):
            for unit in range(units.starts[cluster], units.starts[cluster + 1]):
                residuals(units, state, cluster, unit, squares)
                if repelled:
                    draw_type(rng, unit, squares, units, base, state, slots, log_weights)
                else:
                    draw_pool(rng, unit, squares, units, base, state, pools, slots, log_weights)
        draw_precisions(rng, units, base, state, pools)
        draw_means(rng, units, base, state)
        draw_concentration(rng, state)


@kernel
def begin_vectors(rng, units, base, state):
    """Draw means, precisions and concentration, starting from the types of the state."""
    # Means and precisions depend on each other. The first means come from the precisions of the
    # state, the second ones from precisions that fit the items.
    n_units, n_dims = units.centres.shape
    pools = Pools(np.empty(n_units), np.empty((n_units, n_dims)), np.empty(n_units))
    draw_means(rng, units, base, state)
    draw_precisions(rng, units, base, state, pools)
    draw_means(rng, units, base, state)
    draw_concentration(rng, state)


@kernel
def refresh(units, state):
    """Compute log determinants and log repulsions of the types from their precisions."""
    for j in range(state.n_types[0]):
        state.log_dets[j] = log_product(state.precisions[j])
        state.log_repulsions[j] = log_repulsion(state.precisions[j], state.means, units.sets)


@kernel
def log_repulsion(precisions, means, sets):
    """Return log R(t) = -Σ 1 / ‖y_k - y_k'‖_t over the pairs of clusters of one set."""
    total = 0.0
    for item_set in range(len(sets) - 1):
        for right in range(sets[item_set], sets[item_set + 1]):
            for left in range(sets[item_set], right):
                total -= 1.0 / weighted_norm(precisions, means[left], means[right])
    return total


@kernel
def weighted_norm(precisions, left, right):
    """Return ‖left - right‖_t, the square root of Σ t (left - right)²."""
    total = 0.0
    for dim in range(len(precisions)):
        difference = left[dim] - right[dim]
        total += precisions[dim] * (difference * difference)
    return sqrt(max(total, TINY))


@kernel
def residuals(units, state, cluster, unit, squares):
    """Write Σ (x - mean of the cluster)² over a unit's items, by dimension."""
    # Squares about the unit's own centre, plus the squared offset of the centre for each item: no
    # large squares are subtracted, so that nothing cancels far from 0.
    for dim in range(len(squares)):
        offset = units.centres[unit, dim] - state.means[cluster, dim]
        squares[dim] = units.scatters[unit, dim] + units.sizes[unit] * (offset * offset)


@kernel
def draw_type(rng, unit, squares, units, base, state, slots, log_weights):
    """Draw the type of a unit given the types of the others.

    A slot has the type t ~ q = Π Gam(shape + n/2, rate + ½ squares), so that its weight is
    (α / slots) ∫ Gam(t) p(items | t) dt · R(t)^n. The integral, a Student t for one item, does not
    depend on the draw, and R(t) ≤ 1 is computed only if the slot is chosen without it.
    """
    alone = leave(state, unit, slots) >= 0
    n_types, n_slots, n_items = state.n_types[0], len(slots.precisions), units.sizes[unit]
    weigh_types(squares, n_items, state, log_weights)
    log_rates = log_product(base.rate)
    new = log(state.alpha[0] / n_slots)
    new += log_integral(squares, n_items, base.shape, base.rate, log_rates)
    for slot in range(n_slots):
        log_weights[n_types + slot] = new
    # Choices before `first` have exact weights. The type that the unit leaves is one of them, as
    # its repulsion is known.
    first = n_types
    if alone:
        log_weights[n_types] += n_items * slots.log_repulsions[0]
        first += 1
    # A new slot is accepted with chance R^n. If it is rejected, it gets its exact weight and the
    # draw is repeated; the result is that of exact weights from the start, as is proved at
    # `draw_type` of distances. Slots that are not drawn yet are alike: the first is taken for all.
    while True:
        choice = choose(rng, log_weights, n_types + n_slots)
        if choice < first:
            break
        choice, slot = first, first - n_types
        precisions = slots.precisions[slot]
        for dim in range(len(squares)):
            rate = base.rate[dim] + 0.5 * squares[dim]
            precisions[dim] = draw_gamma(rng, base.shape + 0.5 * n_items, rate)
        slots.log_repulsions[slot] = log_repulsion(precisions, state.means, units.sets)
        if log(1.0 - rng.random()) <= n_items * slots.log_repulsions[slot]:
            break
        log_weights[first] += n_items * slots.log_repulsions[slot]
        first += 1
    join(state, unit, choice, slots)


@kernel
def weigh_types(squares, n_items, state, log_weights):
    """Write the log weight of each type in use, for a unit that is in none."""
    for j in range(state.n_types[0]):
        precisions, fit = state.precisions[j], 0.0
        for dim in range(len(squares)):
            fit += precisions[dim] * squares[dim]
        likelihood = 0.5 * (n_items * state.log_dets[j] - fit)
        repulsion = n_items * state.log_repulsions[j]
        log_weights[j] = log(state.counts[j]) + likelihood + repulsion


@kernel
def log_integral(squares, n_items, shape, rates, log_rates):
    """Return log ∫ Π Gam(t; shape, rate) t^(n/2) exp(-½ t squares) dt, a Student t for n = 1."""
    # Per dimension Γ(shape + n/2) / Γ(shape) · rate^shape / (rate + ½ square)^(shape + n/2).
    posterior_shape, total, product = shape + 0.5 * n_items, 0.0, 1.0
    for dim, square in enumerate(squares):
        product *= rates[dim] + 0.5 * square
        if product > LARGE or product < 1.0 / LARGE:
            total += log(product)
            product = 1.0
    level = len(squares) * (lgamma(posterior_shape) - lgamma(shape))
    return level + shape * log_rates - posterior_shape * (total + log(product))


@kernel
def pool_units(units, base, state, pools):
    """Compute the posterior of the precisions of each type, given means and types of units."""
    n_types, squares = state.n_types[0], np.empty(units.centres.shape[1])
    pools.n_items[:n_types], pools.rates[:n_types] = 0.0, base.rate
    for cluster in range(len(units.starts) - 1):
        for unit in range(units.starts[cluster], units.starts[cluster + 1]):
            residuals(units, state, cluster, unit, squares)
            pools.n_items[state.of_unit[unit]] += units.sizes[unit]
            pools.rates[state.of_unit[unit]] += 0.5 * squares
    for j in range(n_types):
        pools.log_rates[j] = log_product(pools.rates[j])


@kernel
def draw_pool(rng, unit, squares, units, base, state, pools, slots, log_weights):
    """Draw the type of a unit given the types of the others, precisions integrated out.

    This is Neal's algorithm 3, for types without repulsion. Single units of one type find each
    other even in many dimensions, where none of them is likely under precisions drawn for another.
    """
    n_items, left_type = units.sizes[unit], state.of_unit[unit]
    pools.n_items[left_type] -= n_items
    # Rounding must not take a rate below that of the base, which no items at all would leave.
    pools.rates[left_type] = np.maximum(pools.rates[left_type] - 0.5 * squares, base.rate)
    pools.log_rates[left_type] = log_product(pools.rates[left_type])
    # Where `leave` moves the last type to the index of an emptied one, its pool moves too; the
    # index behind the types in use is then reset to the base, for a new type.
    emptied, n_types = leave(state, unit, slots), state.n_types[0]
    if emptied >= 0:
        pools.n_items[emptied] = pools.n_items[n_types]
        pools.rates[emptied] = pools.rates[n_types]
        pools.log_rates[emptied] = pools.log_rates[n_types]
    pools.n_items[n_types], pools.rates[n_types] = 0.0, base.rate
    pools.log_rates[n_types] = log_product(base.rate)
    for j in range(n_types + 1):
        shape = base.shape + 0.5 * pools.n_items[j]
        log_weights[j] = log_integral(squares, n_items, shape, pools.rates[j], pools.log_rates[j])
        log_weights[j] += log(state.counts[j] if j < n_types else state.alpha[0])
    choice = choose(rng, log_weights, n_types + 1)
    # A new type gets whatever precisions slot 0 has; `draw_precisions` draws its own before any
    # are used.
    join(state, unit, choice, slots)
    pools.n_items[choice] += n_items
    pools.rates[choice] += 0.5 * squares
    pools.log_rates[choice] = log_product(pools.rates[choice])


@kernel
def draw_precisions(rng, units, base, state, pools):
    """Draw the precisions of each type given its items."""
    pool_units(units, base, state, pools)
    n_dims, n_types = units.centres.shape[1], state.n_types[0]
    n_items = pools.n_items
    norms, evidence = np.empty((2, count_pairs(units.sets))), np.empty((5, 0))
    for j in range(n_types):
        precisions, shape = state.precisions[j], base.shape + 0.5 * n_items[j]
        # norms[0] holds ‖gap‖² of all dimensions, without the one being drawn while it is drawn.
        norms[0] = 0.0
        for dim in range(n_dims):
            square_differences(state.means, dim, units.sets, norms[1])
            norms[0] += precisions[dim] * norms[1]
        for dim in range(n_dims):
            rate = pools.rates[j, dim]
            # Without repulsion the posterior is a gamma distribution: no slice is needed.
            if not norms.shape[1]:
                precisions[dim] = draw_gamma(rng, shape, rate)
                continue
            square_differences(state.means, dim, units.sets, norms[1])
            norms[0] = np.maximum(norms[0] - precisions[dim] * norms[1], 0.0)
            precisions[dim] = slice_precision(
                rng, precisions[dim], shape, rate, evidence, 0, norms, n_items[j]
            )
            norms[0] += precisions[dim] * norms[1]


@kernel
def count_pairs(sets):
    """Count the pairs of clusters of one set."""
    total = 0
    for item_set in range(len(sets) - 1):
        size = sets[item_set + 1] - sets[item_set]
        total += size * (size - 1) // 2
    return total


@kernel
def square_differences(means, dim, sets, squares):
    """Write (y_k - y_k')² in one dimension, for the pairs of clusters of one set."""
    pair = 0
    for item_set in range(len(sets) - 1):
        for right in range(sets[item_set], sets[item_set + 1]):
            for left in range(sets[item_set], right):
                squares[pair] = (means[left, dim] - means[right, dim]) ** 2
                pair += 1


@kernel
def draw_means(rng, units, base, state):
    """Draw each mean given the items of its cluster; with repulsion, as a proposal."""
    # The proposal is the conditional without repulsion. In the Metropolis-Hastings ratio it cancels
    # against all factors but the repulsion, whose gain alone decides; without it, gain is 0.
    n_dims = units.centres.shape[1]
    n_items = np.zeros(state.n_types[0])
    for unit, unit_type in enumerate(state.of_unit):
        n_items[unit_type] += units.sizes[unit]
    totals, proposal = np.empty(n_dims), np.empty(n_dims)
    for item_set in range(len(units.sets) - 1):
        lo, hi = units.sets[item_set], units.sets[item_set + 1]
        for cluster in range(lo, hi):
            totals[:], proposal[:] = base.tau0, 0.0
            for unit in range(units.starts[cluster], units.starts[cluster + 1]):
                unit_type = state.of_unit[unit]
                for dim in range(n_dims):
                    weight = units.sizes[unit] * state.precisions[unit_type, dim]
                    totals[dim] += weight
                    proposal[dim] += weight * units.centres[unit, dim]
            for dim, total in enumerate(totals):
                proposal[dim] = proposal[dim] / total + rng.standard_normal() / sqrt(total)
            gain = repulsion_gain(proposal, cluster, lo, hi, n_items, state)
            if log(1.0 - rng.random()) <= gain:
                state.means[cluster] = proposal


@kernel
def repulsion_gain(proposal, cluster, lo, hi, n_items, state):
    """Return the growth of Σ_n log R(t of n) if a cluster takes a new mean."""
    gain = 0.0
    for other in range(lo, hi):
        if other == cluster:
            continue
        for j in range(len(n_items)):
            precisions = state.precisions[j]
            before = weighted_norm(precisions, state.means[cluster], state.means[other])
            after = weighted_norm(precisions, proposal, state.means[other])
            gain += n_items[j] * (1.0 / before - 1.0 / after)
    return gain


@kernel
def log_joint_vectors(units, base, state):
    """Return the log joint of concentration, types, precisions, means and items, from scratch."""
    refresh(units, state)
    total = log_prior(base, state)
    n_dims = units.centres.shape[1]
    squares = np.empty(n_dims)
    for cluster in range(len(units.starts) - 1):
        total += 0.5 * (log_product(base.tau0) - n_dims * log(2.0 * pi))
        total -= 0.5 * np.sum(base.tau0 * state.means[cluster] ** 2)
        for unit in range(units.starts[cluster], units.starts[cluster + 1]):
            unit_type = state.of_unit[unit]
            residuals(units, state, cluster, unit, squares)
            level = 0.5 * (state.log_dets[unit_type] - n_dims * log(2.0 * pi))
            total += units.sizes[unit] * (level + state.log_repulsions[unit_type])
            total -= 0.5 * np.sum(state.precisions[unit_type] * squares)
    return total
