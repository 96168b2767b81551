"""Reference types given the true clusters of items known by distances: means are integrated out.

With weights w = t of the items of a cluster and τ0 of the origin, in each dimension
P = τ0 + Σ w,  W = Σ_{i<i'} w w' s(i, i') + τ0 Σ w s(i, origin),  and the log marginal of the items
is ½ log τ0 - ½ log P + ½ Σ log w - (n/2) log 2π - ½ W / P. The repulsion Π_n R(t of n),
R(t) = exp(-Σ 1 / ‖gap‖_t), is switched off by passing no gaps.
"""

from math import lgamma, log, pi
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import kernel
from coterie._kernels.dirichlet.repulsion import (
    Ceiling,
    bound_log_repulsion,
    fit_ceiling,
    log_repulsion,
)
from coterie._kernels.dirichlet.types import (
    LARGE,
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


class DistanceUnits(NamedTuple):
    """The units with the sums of their squared distances; units of a cluster are adjacent."""

    sizes: Floats
    """The number of items of each unit."""
    starts: Ints
    """Offsets of the units of each cluster, with the number of units at the end."""
    offsets: Ints
    """Offsets of the rows of `squares` of each cluster, with the number of rows at the end."""
    squares: Floats
    """Sums of s(i, i') over the pairs of items of two units, or within one unit, each pair once.

    One column per dimension, one row per ordered pair of units of one cluster, row by row.
    """
    origins: Floats
    """Sums of s(i, origin) over the items of each unit."""
    gaps: Floats
    """Squared distances of the means of clusters of one item set, one row per pair."""


class Evidence(NamedTuple):
    """The evidence about the type of one unit from the other units of its cluster, by dimension.

    For the precision t, with n items in the unit and P = τ0 + Σ w of the others, the ratio of the
    log marginals with and without the unit is, up to a constant,
    (n/2) log t - ½ log((P + n t) / P) - ½ t scatter - ½ square · n t P / (P + n t).
    """

    weighted_squares: Floats
    """Σ w s(unit, other) over the others and the origin."""
    totals: Floats
    """P of the others."""
    scatters: Floats
    """The sum of squares about the mean of the unit."""
    squares: Floats
    """The squared distance of the mean of the unit to the mean of the others and the origin."""


class Proposal(NamedTuple):
    """A mixture of two gammas by dimension: for a known mean of the cluster, and an unknown one."""

    rates: Floats
    """One row per dimension, one column per gamma, as in `logs`."""
    logs: Floats
    """The log weight plus the log constant of each gamma."""
    first_shares: Floats
    """The weight of the first gamma."""


@kernel
def sweep_distances(rng, n_sweeps, n_slots, units, base, state):
    """Draw the type of each unit, the precisions and the concentration, in turn."""
    n_units, n_dims = units.origins.shape
    n_clusters = len(units.starts) - 1
    slots = Slots(np.empty((n_slots, n_dims)), np.empty(n_slots))
    log_weights = np.empty(n_units + n_slots)
    evidence = Evidence(np.empty(n_dims), np.empty(n_dims), np.empty(n_dims), np.empty(n_dims))
    proposal = Proposal(np.empty((n_dims, 2)), np.empty((n_dims, 2)), np.empty(n_dims))
    spreads = np.empty((n_clusters, n_dims))
    ceiling = Ceiling(np.empty(n_dims), np.empty(1))
    for _ in range(n_sweeps):
        refresh(units, state)
        # Any type gives a valid bound of the repulsion; it is tight for types like the one that
        # most units have.
        largest = np.argmax(state.counts[: state.n_types[0]])
        fit_ceiling(state.precisions[largest], units.gaps, ceiling)
        for cluster in range(n_clusters):
            # W is updated as types change. It is summed anew once per sweep, so that rounding
            # errors do not add up.
            spread = spreads[cluster]
            measure_spread(cluster, units, base, state, spread)
            for unit in range(units.starts[cluster], units.starts[cluster + 1]):
                gather_evidence(cluster, unit, units, base, state, spread, evidence)
                fit_proposal(units.sizes[unit], evidence, base, proposal)
                conditions = evidence, proposal, ceiling
                draw_type(rng, unit, conditions, units, base, state, slots, log_weights)
                add_back(unit, evidence, units, state, spread)
        draw_precisions(rng, units, base, state, spreads)
        draw_concentration(rng, state)


@kernel
def begin_distances(rng, units, base, state):
    """Draw precisions and concentration, starting from the types and precisions of the state."""
    refresh(units, state)
    spreads = np.empty((len(units.starts) - 1, units.origins.shape[1]))
    for cluster in range(len(spreads)):
        measure_spread(cluster, units, base, state, spreads[cluster])
    draw_precisions(rng, units, base, state, spreads)
    draw_concentration(rng, state)


@kernel
def refresh(units, state):
    """Compute log determinants and log repulsions of the types from their precisions."""
    for j in range(state.n_types[0]):
        state.log_dets[j] = log_product(state.precisions[j])
        state.log_repulsions[j] = log_repulsion(state.precisions[j], units.gaps)


@kernel
def measure_spread(cluster, units, base, state, spread):
    """Write W of a cluster."""
    spread[:] = 0.0
    lo, hi = units.starts[cluster], units.starts[cluster + 1]
    for unit in range(lo, hi):
        unit_precisions = state.precisions[state.of_unit[unit]]
        first = units.offsets[cluster] + (unit - lo) * (hi - lo)
        # Each pair of units once; the pair of a unit with itself has the pairs of its items.
        for other in range(lo, unit + 1):
            other_precisions = state.precisions[state.of_unit[other]]
            squares = units.squares[first + other - lo]
            for dim in range(len(spread)):
                spread[dim] += unit_precisions[dim] * other_precisions[dim] * squares[dim]
        for dim in range(len(spread)):
            spread[dim] += unit_precisions[dim] * base.tau0[dim] * units.origins[unit, dim]


@kernel
def gather_evidence(cluster, unit, units, base, state, spread, evidence):
    """Write the evidence about a unit from its cluster, and take the unit out of its W."""
    weighted_squares, totals, scatters, squares = evidence
    lo, hi = units.starts[cluster], units.starts[cluster + 1]
    first = units.offsets[cluster] + (unit - lo) * (hi - lo)
    # The prior of the mean acts as one more item, at the origin and of precision τ0.
    for dim in range(len(spread)):
        totals[dim] = base.tau0[dim]
        weighted_squares[dim] = base.tau0[dim] * units.origins[unit, dim]
    for other in range(lo, hi):
        if other == unit:
            continue
        other_precisions, size = state.precisions[state.of_unit[other]], units.sizes[other]
        row = units.squares[first + other - lo]
        for dim in range(len(spread)):
            totals[dim] += size * other_precisions[dim]
            weighted_squares[dim] += other_precisions[dim] * row[dim]
    unit_precisions, size = state.precisions[state.of_unit[unit]], units.sizes[unit]
    within = units.squares[first + unit - lo]
    for dim, t in enumerate(unit_precisions):
        # W cannot be negative, but a difference of sums may round to less than 0.
        spread[dim] = max(spread[dim] - t * (weighted_squares[dim] + t * within[dim]), 0.0)
        # Squared distances of n points sum to n times their scatter: Σ_{i<i'} s = n Σ (x − mean)².
        scatters[dim] = within[dim] / size
        # Squares about a point are those about the mean plus the square of its distance from it.
        # For both means: Σ w s(unit, ·) = n P square + n W / P + P scatter, solved for square.
        spread_of_others = spread[dim] / totals[dim]
        mean_square = (weighted_squares[dim] / size - spread_of_others) / totals[dim]
        squares[dim] = mean_square - scatters[dim] / size


@kernel
def add_back(unit, evidence, units, state, spread):
    """Put a unit with its new type into W of its cluster."""
    unit_precisions, size = state.precisions[state.of_unit[unit]], units.sizes[unit]
    for dim, t in enumerate(unit_precisions):
        # size · scatter is the sum of squares between the items of the unit, as in W.
        spread[dim] += t * (evidence.weighted_squares[dim] + t * size * evidence.scatters[dim])


@kernel
def log_likelihood(precisions, log_det, n_items, evidence):
    """Return the log ratio of marginals of `Evidence`, all dimensions together."""
    fit, product = 0.0, 1.0
    for dim, t in enumerate(precisions):
        share = evidence.totals[dim] / (evidence.totals[dim] + n_items * t)
        fit += t * (evidence.scatters[dim] + n_items * share * evidence.squares[dim])
        product *= share
        if product < 1.0 / LARGE:
            fit -= log(product)
            product = 1.0
    return 0.5 * (n_items * log_det - fit + log(product))


@kernel
def fit_proposal(n_items, evidence, base, proposal):
    """Fit the proposal of new types to the evidence about a unit.

    Were the mean of the cluster known, t would be Gam(shape + n/2, rate + ½ scatter + ½ n square);
    were it unknown, Gam(shape + (n-1)/2, rate + ½ scatter). The more the others weigh compared to
    the unit, the more weight has the first. The second keeps G(t) p(unit | t) / q(t) bounded.
    """
    shape_known, shape_unknown = base.shape + 0.5 * n_items, base.shape + 0.5 * (n_items - 1.0)
    log_gamma_known, log_gamma_unknown = lgamma(shape_known), lgamma(shape_unknown)
    for dim, total in enumerate(evidence.totals):
        rate_unknown = base.rate[dim] + 0.5 * evidence.scatters[dim]
        # Distances that are not Euclidean may give a negative square, but a rate must be positive.
        rate_known = rate_unknown + 0.5 * n_items * max(evidence.squares[dim], 0.0)
        # The weight of the unit, n E[t] under the second gamma, beside the weight P of the others.
        unit_total = n_items * shape_unknown / rate_unknown
        proposal.rates[dim, 0], proposal.rates[dim, 1] = rate_known, rate_unknown
        proposal.first_shares[dim] = total / (total + unit_total)
        weights = log(total / (total + unit_total)), log(unit_total / (total + unit_total))
        proposal.logs[dim, 0] = weights[0] + shape_known * log(rate_known) - log_gamma_known
        proposal.logs[dim, 1] = weights[1] + shape_unknown * log(rate_unknown) - log_gamma_unknown


@kernel
def propose(rng, n_items, base, proposal, precisions):
    """Draw precisions from the proposal."""
    for dim in range(len(precisions)):
        if rng.random() < proposal.first_shares[dim]:
            shape, rate = base.shape + 0.5 * n_items, proposal.rates[dim, 0]
        else:
            shape, rate = base.shape + 0.5 * (n_items - 1.0), proposal.rates[dim, 1]
        precisions[dim] = draw_gamma(rng, shape, rate)


@kernel
def log_importance(precisions, n_items, base, proposal):
    """Return log G(t) - log q(t), up to the constant of G, which `draw_type` adds."""
    total = 0.0
    for dim, t in enumerate(precisions):
        half = 0.5 * log(t)
        log_first = proposal.logs[dim, 0] + half - t * proposal.rates[dim, 0]
        log_second = proposal.logs[dim, 1] - t * proposal.rates[dim, 1]
        # G and both gammas have the factor t^(shape - 1), which cancels. Left in q are t^(n/2) of
        # the first gamma and t^((n-1)/2) of the second: t^((n-1)/2) in common, and t^½.
        total -= np.logaddexp(log_first, log_second) + (n_items - 1.0) * half + t * base.rate[dim]
    return total


@kernel
def draw_type(rng, unit, conditions, units, base, state, slots, log_weights):
    """Draw the type of a unit given the types of the others.

    A slot has the type t ~ q and the weight (α / slots) [G(t) / q(t)] p(unit | others, t) R(t)^n.
    R(t) is computed only if the slot is chosen with an upper bound in its place.
    """
    evidence, proposal, ceiling = conditions
    alone = leave(state, unit, slots) >= 0
    n_types, n_slots, n_items = state.n_types[0], len(slots.precisions), units.sizes[unit]
    for j in range(n_types):
        likelihood = log_likelihood(state.precisions[j], state.log_dets[j], n_items, evidence)
        repulsion = n_items * state.log_repulsions[j]
        log_weights[j] = log(state.counts[j]) + likelihood + repulsion
    constant = base.shape * log_product(base.rate) - len(base.rate) * lgamma(base.shape)
    for slot in range(n_slots):
        precisions = slots.precisions[slot]
        if slot or not alone:
            propose(rng, n_items, base, proposal, precisions)
        new = log(state.alpha[0] / n_slots) + constant
        new += log_importance(precisions, n_items, base, proposal)
        new += log_likelihood(precisions, log_product(precisions), n_items, evidence)
        log_weights[n_types + slot] = new + n_items * bound_log_repulsion(precisions, ceiling)
    # A slot of exact weight e and bound b is accepted with chance e / b, else it gets the weight e
    # and the draw is repeated. With A the weight of all others, it wins with the probability
    # e/(A + b) + (b − e)/(A + b) · e/(A + e) = e/(A + e), as if e had been known at once.
    settled = np.zeros(n_slots, dtype=np.bool_)
    while True:
        choice = choose(rng, log_weights, n_types + n_slots)
        slot = choice - n_types
        if slot < 0 or settled[slot]:
            break
        precisions = slots.precisions[slot]
        slots.log_repulsions[slot] = log_repulsion(precisions, units.gaps)
        excess = n_items * (slots.log_repulsions[slot] - bound_log_repulsion(precisions, ceiling))
        if log(1.0 - rng.random()) <= excess:
            break
        log_weights[choice] += excess
        settled[slot] = True
    join(state, unit, choice, slots)


@kernel
def draw_precisions(rng, units, base, state, spreads):
    """Draw the precisions of each type, one by one, by slices, and update W of the clusters."""
    n_clusters, n_dims = spreads.shape
    norms = np.empty((2, len(units.gaps)))
    coefs, members = np.empty((n_dims, 5, n_clusters)), np.empty(n_clusters, dtype=np.intp)
    for j in range(state.n_types[0]):
        n_members, n_items = 0, 0.0
        for cluster in range(n_clusters):
            cluster_coefs = coefs[:, :, n_members]
            size = expand_in_precision(
                j, cluster, units, base, state, spreads[cluster], cluster_coefs
            )
            if size:
                members[n_members] = cluster
                n_members += 1
                n_items += size
        precisions, shape = state.precisions[j], base.shape + 0.5 * n_items
        # norms[0] holds ‖gap‖² of all dimensions, without the one being drawn while it is drawn.
        norms[0] = 0.0
        for dim in range(n_dims):
            norms[0] += precisions[dim] * units.gaps[:, dim]
        for dim in range(n_dims):
            norms[1] = units.gaps[:, dim]
            norms[0] = np.maximum(norms[0] - precisions[dim] * norms[1], 0.0)
            t = slice_precision(
                rng, precisions[dim], shape, base.rate[dim], coefs[dim], n_members, norms, n_items
            )
            precisions[dim] = t
            norms[0] += t * norms[1]
            # The next type of the same clusters is drawn given this one: W must be up to date.
            for k in range(n_members):
                slope = coefs[dim, 3, k] + t * coefs[dim, 4, k]
                spreads[members[k], dim] = coefs[dim, 2, k] + t * slope


@kernel
def expand_in_precision(unit_type, cluster, units, base, state, spread, coefs):
    """Write P and W of a cluster as polynomials in the precision of a type, by dimension.

    P = coefs[1] + coefs[0] t,  W = coefs[2] + coefs[3] t + coefs[4] t². Returns how many of the
    cluster's items have the type; if none has it, nothing is written.
    """
    lo, hi = units.starts[cluster], units.starts[cluster + 1]
    n_items = 0.0
    for unit in range(lo, hi):
        if state.of_unit[unit] == unit_type:
            n_items += units.sizes[unit]
    if not n_items:
        return n_items
    coefs[:, 0], coefs[:, 1] = n_items, base.tau0
    coefs[:, 2:] = 0.0
    # A pair of units of the type adds to t², a pair with a unit of another type or with the origin
    # to t, and the pairs without the type are what W has left over.
    for unit in range(lo, hi):
        if state.of_unit[unit] != unit_type:
            other_precisions = state.precisions[state.of_unit[unit]]
            for dim, t in enumerate(other_precisions):
                coefs[dim, 1] += units.sizes[unit] * t
            continue
        first = units.offsets[cluster] + (unit - lo) * (hi - lo)
        for dim in range(len(spread)):
            coefs[dim, 3] += base.tau0[dim] * units.origins[unit, dim]
        for other in range(lo, hi):
            squares, other_type = units.squares[first + other - lo], state.of_unit[other]
            if other_type != unit_type:
                for dim in range(len(spread)):
                    coefs[dim, 3] += state.precisions[other_type, dim] * squares[dim]
            elif other <= unit:
                for dim in range(len(spread)):
                    coefs[dim, 4] += squares[dim]
    for dim, t in enumerate(state.precisions[unit_type]):
        remainder = spread[dim] - t * (coefs[dim, 3] + t * coefs[dim, 4])
        coefs[dim, 2] = max(remainder, 0.0)
    return n_items


@kernel
def log_joint_distances(units, base, state):
    """Return the log joint of concentration, types, precisions and items, from scratch."""
    refresh(units, state)
    n_dims = units.origins.shape[1]
    total = log_prior(base, state)
    spread, weights = np.empty(n_dims), np.empty(n_dims)
    for cluster in range(len(units.starts) - 1):
        measure_spread(cluster, units, base, state, spread)
        weights[:] = base.tau0
        for unit in range(units.starts[cluster], units.starts[cluster + 1]):
            unit_type, size = state.of_unit[unit], units.sizes[unit]
            weights += size * state.precisions[unit_type]
            level = 0.5 * (state.log_dets[unit_type] - n_dims * log(2.0 * pi))
            total += size * (level + state.log_repulsions[unit_type])
        total += 0.5 * (log_product(base.tau0) - log_product(weights))
        total -= 0.5 * np.sum(spread / weights)
    return total
