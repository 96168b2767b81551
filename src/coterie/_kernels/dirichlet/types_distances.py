"""Reference types given the true clusters of items known by distances: means are integrated out.

With weights w = t of the items of a cluster and τ0 of the origin, in each dimension
P = τ0 + Σ w,  W = Σ_{i<i'} w w' s(i, i') + τ0 Σ w s(i, origin),  and the log marginal of the items
is ½ log τ0 - ½ log P + ½ Σ log w - (n/2) log 2π - ½ W / P; see `reference_types`. The repulsion
Π_n R(t of n), R(t) = exp(-Σ 1 / ‖gap‖_t), is switched off by giving no gaps.
"""

from math import lgamma, log, pi
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import kernel
from coterie._kernels.dirichlet.repulsion import Ceiling, bound, fit_ceiling, log_repulsion
from coterie._kernels.dirichlet.types import (
    LARGE,
    Slots,
    choose,
    draw_concentration,
    gamma,
    join,
    leave,
    log_prior,
    log_product,
    slice_precision,
)


class DistanceUnits(NamedTuple):
    """All that matters of the items, unit by unit; the units of a cluster stand together."""

    sizes: Floats
    """How many items each unit has."""
    starts: Ints
    """Where the units of each cluster begin, and where the last ones end."""
    offsets: Ints
    """Where the rows of `squares` of each cluster begin, and where the last ones end."""
    squares: Floats
    """Sums of s(i, i') over the pairs of items of two units, or within one, each pair once.

    One column a dimension, one row an ordered pair of units of one cluster, row by row.
    """
    origins: Floats
    """Sums of s(i, origin) over the items of each unit."""
    gaps: Floats
    """Squared distances of the means of clusters of one set, one row a pair."""


class Evidence(NamedTuple):
    """What the other units of its cluster say of one unit, by dimension.

    For the precision t, with n items in the unit and P = τ0 + Σ w of the others, the ratio of the
    log marginals with and without the unit is, up to a constant,
    (n/2) log t - ½ log((P + n t) / P) - ½ t scatter - ½ square · n t P / (P + n t).
    """

    pulls: Floats
    """Σ w s(unit, other) over the others and the origin."""
    totals: Floats
    """P of the others."""
    scatters: Floats
    """The sum of squares about the mean of the unit."""
    squares: Floats
    """The squared distance of the mean of the unit to the mean of the others and the origin."""


class Proposal(NamedTuple):
    """A mixture of two gammas by dimension: the mean of the cluster known, and unknown."""

    rates: Floats
    logs: Floats
    """By column: log weight + log constant of each gamma."""
    known: Floats
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
        largest = np.argmax(state.counts[: state.n_types[0]])
        fit_ceiling(state.precisions[largest], units.gaps, ceiling)
        for cluster in range(n_clusters):
            spread = spreads[cluster]
            measure_spread(cluster, units, base, state, spread)
            for unit in range(units.starts[cluster], units.starts[cluster + 1]):
                gather(cluster, unit, units, base, state, spread, evidence)
                prepare(units.sizes[unit], evidence, base, proposal)
                known = evidence, proposal, ceiling
                draw_type(rng, unit, known, units, base, state, slots, log_weights)
                add_back(unit, evidence, units, state, spread)
        draw_precisions(rng, units, base, state, spreads)
        draw_concentration(rng, state)


@kernel
def begin_distances(rng, units, base, state):
    """Draw precisions and concentration for types of units and precisions that are given."""
    refresh(units, state)
    spreads = np.empty((len(units.starts) - 1, units.origins.shape[1]))
    for cluster in range(len(spreads)):
        measure_spread(cluster, units, base, state, spreads[cluster])
    draw_precisions(rng, units, base, state, spreads)
    draw_concentration(rng, state)


@kernel
def refresh(units, state):
    """Compute afresh what is kept of each type besides its precisions."""
    for kind in range(state.n_types[0]):
        state.log_dets[kind] = log_product(state.precisions[kind])
        state.log_repulsions[kind] = log_repulsion(state.precisions[kind], units.gaps)


@kernel
def measure_spread(cluster, units, base, state, spread):
    """Write W of a cluster."""
    spread[:] = 0.0
    lo, hi = units.starts[cluster], units.starts[cluster + 1]
    for unit in range(lo, hi):
        own = state.precisions[state.of_unit[unit]]
        first = units.offsets[cluster] + (unit - lo) * (hi - lo)
        for other in range(lo, unit + 1):
            theirs = state.precisions[state.of_unit[other]]
            squares = units.squares[first + other - lo]
            for dim in range(len(spread)):
                spread[dim] += own[dim] * theirs[dim] * squares[dim]
        for dim in range(len(spread)):
            spread[dim] += own[dim] * base.tau0[dim] * units.origins[unit, dim]


@kernel
def gather(cluster, unit, units, base, state, spread, evidence):
    """Write what the others of its cluster say of a unit, and take it out of W of the cluster."""
    pulls, totals, scatters, squares = evidence
    lo, hi = units.starts[cluster], units.starts[cluster + 1]
    first = units.offsets[cluster] + (unit - lo) * (hi - lo)
    for dim in range(len(spread)):
        totals[dim] = base.tau0[dim]
        pulls[dim] = base.tau0[dim] * units.origins[unit, dim]
    for other in range(lo, hi):
        if other == unit:
            continue
        theirs, size = state.precisions[state.of_unit[other]], units.sizes[other]
        row = units.squares[first + other - lo]
        for dim in range(len(spread)):
            totals[dim] += size * theirs[dim]
            pulls[dim] += theirs[dim] * row[dim]
    own, size = state.precisions[state.of_unit[unit]], units.sizes[unit]
    within = units.squares[first + unit - lo]
    for dim, t in enumerate(own):
        spread[dim] = max(spread[dim] - t * (pulls[dim] + t * within[dim]), 0.0)
        scatters[dim] = within[dim] / size
        mean = spread[dim] / totals[dim]
        squares[dim] = (pulls[dim] / size - mean) / totals[dim] - scatters[dim] / size


@kernel
def add_back(unit, evidence, units, state, spread):
    """Put a unit with its new type into W of its cluster."""
    own, size = state.precisions[state.of_unit[unit]], units.sizes[unit]
    for dim, t in enumerate(own):
        spread[dim] += t * (evidence.pulls[dim] + t * size * evidence.scatters[dim])


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
def prepare(n_items, evidence, base, proposal):
    """Fit the proposal of new types to what is known of a unit.

    Were the mean of the cluster known, t would be Gam(shape + n/2, rate + ½ scatter + ½ n square);
    were it unknown, Gam(shape + (n-1)/2, rate + ½ scatter). The more weight the others have
    compared to the unit, the more weight has the first. The second bounds G(t) p(unit | t) / q(t).
    """
    known, unknown = base.shape + 0.5 * n_items, base.shape + 0.5 * (n_items - 1.0)
    log_known, log_unknown = lgamma(known), lgamma(unknown)
    for dim, total in enumerate(evidence.totals):
        alone = base.rate[dim] + 0.5 * evidence.scatters[dim]
        beside = alone + 0.5 * n_items * max(evidence.squares[dim], 0.0)
        own = n_items * unknown / alone
        proposal.rates[dim, 0], proposal.rates[dim, 1] = beside, alone
        proposal.known[dim] = total / (total + own)
        weights = log(total / (total + own)), log(own / (total + own))
        proposal.logs[dim, 0] = weights[0] + known * log(beside) - log_known
        proposal.logs[dim, 1] = weights[1] + unknown * log(alone) - log_unknown


@kernel
def propose(rng, n_items, base, proposal, precisions):
    """Draw precisions from the proposal."""
    for dim in range(len(precisions)):
        if rng.random() < proposal.known[dim]:
            shape, rate = base.shape + 0.5 * n_items, proposal.rates[dim, 0]
        else:
            shape, rate = base.shape + 0.5 * (n_items - 1.0), proposal.rates[dim, 1]
        precisions[dim] = gamma(rng, shape, rate)


@kernel
def log_importance(precisions, n_items, base, proposal):
    """Return log G(t) - log q(t), up to a constant for which see `draw_type`."""
    total = 0.0
    for dim, t in enumerate(precisions):
        half = 0.5 * log(t)
        known = proposal.logs[dim, 0] + half - t * proposal.rates[dim, 0]
        unknown = proposal.logs[dim, 1] - t * proposal.rates[dim, 1]
        # Of t^(shape - 1) in both, what differs is t^(½ (n - 1)).
        total -= np.logaddexp(known, unknown) + (n_items - 1.0) * half + t * base.rate[dim]
    return total


@kernel
def draw_type(rng, unit, known, units, base, state, slots, log_weights):
    """Draw the type of a unit given those of the others.

    A slot has the type t ~ q and the weight (α / slots) [G(t) / q(t)] p(unit | others, t) R(t)^n,
    of which R(t) is worked out only where the slot is chosen with a bound in its place.
    """
    evidence, proposal, ceiling = known
    alone = leave(state, unit, slots) >= 0
    n_types, n_slots, n_items = state.n_types[0], len(slots.precisions), units.sizes[unit]
    for kind in range(n_types):
        likelihood = log_likelihood(state.precisions[kind], state.log_dets[kind], n_items, evidence)
        repulsion = n_items * state.log_repulsions[kind]
        log_weights[kind] = log(state.counts[kind]) + likelihood + repulsion
    constant = base.shape * log_product(base.rate) - len(base.rate) * lgamma(base.shape)
    for slot in range(n_slots):
        precisions = slots.precisions[slot]
        if slot or not alone:
            propose(rng, n_items, base, proposal, precisions)
        new = log(state.alpha[0] / n_slots) + constant
        new += log_importance(precisions, n_items, base, proposal)
        new += log_likelihood(precisions, log_product(precisions), n_items, evidence)
        log_weights[n_types + slot] = new + n_items * bound(precisions, ceiling)
    settled = np.zeros(n_slots, dtype=np.bool_)
    while True:
        choice = choose(rng, log_weights, n_types + n_slots)
        slot = choice - n_types
        if slot < 0 or settled[slot]:
            break
        precisions = slots.precisions[slot]
        slots.log_repulsions[slot] = log_repulsion(precisions, units.gaps)
        excess = n_items * (slots.log_repulsions[slot] - bound(precisions, ceiling))
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
    for kind in range(state.n_types[0]):
        n_members, n_items = 0, 0.0
        for cluster in range(n_clusters):
            own = coefs[:, :, n_members]
            size = resolve(kind, cluster, units, base, state, spreads[cluster], own)
            if size:
                members[n_members] = cluster
                n_members += 1
                n_items += size
        precisions, shape = state.precisions[kind], base.shape + 0.5 * n_items
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
            for place in range(n_members):
                grown = coefs[dim, 3, place] + t * coefs[dim, 4, place]
                spreads[members[place], dim] = coefs[dim, 2, place] + t * grown


@kernel
def resolve(kind, cluster, units, base, state, spread, coefs):
    """Write P and W of a cluster as polynomials in the precision of a type, by dimension.

    P = coefs[1] + coefs[0] t,  W = coefs[2] + coefs[3] t + coefs[4] t². Returns how many of its
    items have the type; where there are none, nothing is written.
    """
    lo, hi = units.starts[cluster], units.starts[cluster + 1]
    n_items = 0.0
    for unit in range(lo, hi):
        if state.of_unit[unit] == kind:
            n_items += units.sizes[unit]
    if not n_items:
        return n_items
    coefs[:, 0], coefs[:, 1] = n_items, base.tau0
    coefs[:, 2:] = 0.0
    for unit in range(lo, hi):
        if state.of_unit[unit] != kind:
            theirs = state.precisions[state.of_unit[unit]]
            for dim, t in enumerate(theirs):
                coefs[dim, 1] += units.sizes[unit] * t
            continue
        first = units.offsets[cluster] + (unit - lo) * (hi - lo)
        for dim in range(len(spread)):
            coefs[dim, 3] += base.tau0[dim] * units.origins[unit, dim]
        for other in range(lo, hi):
            squares, theirs = units.squares[first + other - lo], state.of_unit[other]
            if theirs != kind:
                for dim in range(len(spread)):
                    coefs[dim, 3] += state.precisions[theirs, dim] * squares[dim]
            elif other <= unit:
                for dim in range(len(spread)):
                    coefs[dim, 4] += squares[dim]
    for dim, t in enumerate(state.precisions[kind]):
        rest = spread[dim] - t * (coefs[dim, 3] + t * coefs[dim, 4])
        coefs[dim, 2] = max(rest, 0.0)
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
            kind, size = state.of_unit[unit], units.sizes[unit]
            weights += size * state.precisions[kind]
            level = 0.5 * (state.log_dets[kind] - n_dims * log(2.0 * pi))
            total += size * (level + state.log_repulsions[kind])
        total += 0.5 * (log_product(base.tau0) - log_product(weights))
        total -= 0.5 * np.sum(spread / weights)
    return total
