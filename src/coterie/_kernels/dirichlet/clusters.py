"""Clusters of a Dirichlet-process mixture with their means integrated out, as sums over items.

A cluster holds three sums a feature, with w the precision of an item's type (1 where all items of a
cluster share one, which is then integrated out too). τ is the precision of the prior of means:

    vectors     p = Σ w    q = Σ w x    r = Σ w x²
    distances   p = Σ w    q = Σ w o    r = Σ_{i<i'} w w' s(i, i')

with s the squared distance of two items and o that of an item from the origin. For types j, u = t_j
where they are shared and else 1, P = τ + u p is the precision of what is known of the mean, and

    vectors     S = u r − (u q)² / P          distances   S = (u² r + τ u q) / P

is the scatter about it: log marginal = ½ Σ_f (log τ − log P − S + Σ_i log t / 2π).
"""

import math
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel

LOG_2PI = math.log(2.0 * math.pi)
TINY, HUGE = 1e-100, 1e100
MOST_AUXILIARY = 64
"""How many means an item may be offered for a new cluster."""


class ObservedItems(NamedTuple):
    """The items: vectors, or squared distances of pairs and of items from the origin."""

    vectors: Floats
    """One row an item; no rows where distances are known instead."""
    squares: Floats
    """(n, n, features); no rows where vectors are known."""
    origins: Floats
    codes: Ints
    """(n, categorical dimensions): where the value of an item is in `pseudo_counts`."""


class Mixture(NamedTuple):
    """What is believed of clusters before items are seen."""

    precisions: Floats
    """(types, features)."""
    log_shares: Floats
    """Of the types."""
    half_logs: Floats
    """Half the sum of the log precisions of each type, less features · ½ log 2π."""
    prior_precisions: Floats
    """τ, one a feature."""
    alpha: float
    shared: bool
    """Whether all items of a cluster are of one type."""
    pseudo_counts: Floats
    """Of the values of all categorical dimensions, one after the other."""
    pseudo_totals: Floats
    """Their sum, one a categorical dimension."""


class ClusterState(NamedTuple):
    """A partition of the items, and the sums of its clusters, which have slots.

    `active` holds all slots: those of the clusters first, then free ones, of which the next is
    always ready to be a new cluster. `positions` is its inverse.
    """

    labels: Ints
    """The slot of each item."""
    types: Ints
    """The type of each item, where they are not shared."""
    n_clusters: Ints
    """The number of clusters, in one place."""
    active: Ints
    positions: Ints
    sizes: Ints
    log_sizes: Floats
    """The log weight of each slot before its items are looked at: of its size, or of α."""
    p: Floats
    q: Floats
    r: Floats
    counts: Ints
    """(slots, values): how many items have each categorical value."""
    means: Floats
    """(slots, types, features): what the next item is expected to be, of vectors."""
    scales: Floats
    """(slots, types, features): what multiplies its square distance from that."""
    norms: Floats
    """(slots, types): the log density at no distance."""
    evidence: Floats
    """The log marginal of each cluster where types are shared, but for categorical dimensions."""
    near: Floats
    """(slots, features): of one item, the sum of w s over the items of each cluster."""
    logs: Floats
    """Scratch: slots and the means on offer, times types."""
    centres: Floats
    """(slots, features): means that are drawn, where they are."""
    kinds: Ints
    """The type of each cluster, where they are shared and drawn."""
    progress: Ints
    """The number of sweeps so far, the item with which the next goes on, splits and merges."""


@kernel
def clear(state: ClusterState, slot: int) -> None:
    """Empty a slot."""
    state.sizes[slot] = 0
    state.p[slot] = 0.0
    state.q[slot] = 0.0
    state.r[slot] = 0.0
    state.counts[slot] = 0


@inlined
def add(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, slot: int, sign: int
) -> None:
    """Put an item into a cluster (sign 1) or take it out (−1); of distances `near` is known."""
    state.sizes[slot] += sign
    p, q, r = state.p[slot], state.q[slot], state.r[slot]
    precisions = mixture.precisions[state.types[item]]
    if seen.vectors.shape[0]:
        values, pulls = seen.vectors[item], seen.vectors[item]
    else:
        values, pulls = seen.origins[item], state.near[slot]
    of_vectors = seen.vectors.shape[0] > 0
    for f in range(len(p)):
        w = sign * (1.0 if mixture.shared else precisions[f])
        p[f] = max(p[f] + w, 0.0)  # rounding may leave less than nothing
        q[f] += w * values[f]
        r[f] += w * pulls[f] * (values[f] if of_vectors else 1.0)
    for g in range(seen.codes.shape[1]):
        state.counts[slot, seen.codes[item, g]] += sign


@inlined
def refresh(state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int) -> None:
    """Compute what the next item of a cluster is expected to be from its sums."""
    state.log_sizes[slot] = math.log(state.sizes[slot] or mixture.alpha)
    for j in range(len(mixture.log_shares)):
        precisions, scales = mixture.precisions[j], state.scales[slot, j]
        known = precisions, mixture.prior_precisions, mixture.shared, state.p[slot], state.q[slot]
        if of_vectors:
            state.norms[slot, j] = _expect_vector(*known, state.means[slot, j], scales)
        else:
            state.norms[slot, j] = _expect_distances(*known, state.r[slot], scales)
    if mixture.shared:
        _weigh_types(state, mixture, of_vectors, slot)


@kernel
def _expect_vector(
    precisions: Floats,
    taus: Floats,
    shared: bool,
    p: Floats,
    q: Floats,
    means: Floats,
    scales: Floats,
) -> float:
    product, log = 1.0, 0.0
    for f in range(len(p)):
        u = precisions[f] if shared else 1.0
        total = taus[f] + u * p[f]
        means[f] = u * q[f] / total
        scales[f] = precisions[f] * total / (total + precisions[f])
        product *= scales[f]
        if not TINY < product < HUGE:
            log += math.log(product)
            product = 1.0
    return 0.5 * (log + math.log(product) - len(p) * LOG_2PI)


@kernel
def _expect_distances(
    precisions: Floats,
    taus: Floats,
    shared: bool,
    p: Floats,
    q: Floats,
    r: Floats,
    scales: Floats,
) -> float:
    product, log = 1.0, 0.0
    for f in range(len(p)):
        u = precisions[f] if shared else 1.0
        total = taus[f] + u * p[f]
        scales[f] = precisions[f] / (total + precisions[f])
        log += (u * u * r[f] + taus[f] * u * q[f]) * scales[f] / total
        product *= scales[f] * total
        if not TINY < product < HUGE:
            log += math.log(product)
            product = 1.0
    return 0.5 * (log + math.log(product) - len(p) * LOG_2PI)


@kernel
def _weigh_types(state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int) -> None:
    """Add the log probability of each type of a cluster that shares one to its norms."""
    n_types = len(mixture.log_shares)
    logs = np.empty(n_types)
    for j in range(n_types):
        logs[j] = mixture.log_shares[j] + state.sizes[slot] * mixture.half_logs[j]
        logs[j] += about_mean(state, mixture, of_vectors, slot, j)
    state.evidence[slot] = log_sum(logs)
    for j in range(n_types):
        state.norms[slot, j] += logs[j] - state.evidence[slot]


@kernel
def about_mean(
    state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int, kind: int
) -> float:
    """Return ½ Σ_f (log τ − log P − S), of the type that a cluster shares if it does."""
    product, total_log, scatter = 1.0, 0.0, 0.0
    for f in range(mixture.precisions.shape[1]):
        tau = mixture.prior_precisions[f]
        u = mixture.precisions[kind, f] if mixture.shared else 1.0
        total = tau + u * state.p[slot, f]
        q, r = u * state.q[slot, f], u * state.r[slot, f]
        scatter += r - q * q / total if of_vectors else (u * r + tau * q) / total
        product *= tau / total
        if product < TINY:
            total_log += math.log(product)
            product = 1.0
    return 0.5 * (total_log + math.log(product) - scatter)


@kernel
def log_sum(logs: Floats) -> float:
    """Return the logarithm of a sum, of the logarithms of what is added."""
    top = logs.max()
    return top if top == -math.inf else top + math.log(np.exp(logs - top).sum())


@kernel
def renew(state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int) -> None:
    """Do as `refresh`, called in place of inlined: for where compiling it costs more than it."""
    refresh(state, mixture, of_vectors, slot)


@kernel
def put(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, slot: int, sign: int
) -> None:
    """Do as `add`, called in place of inlined; refresh the cluster where types are shared."""
    add(state, seen, mixture, item, slot, sign)
    if mixture.shared:
        refresh(state, mixture, seen.vectors.shape[0] > 0, slot)


# Clusters and their slots.


@kernel
def sum_distances(state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int) -> None:
    """Sum w s of an item over the items of each cluster into `near`; nothing to do for vectors."""
    if seen.vectors.shape[0]:
        return
    for at in range(state.n_clusters[0] + 1):
        state.near[state.active[at]] = 0.0
    for other in range(len(state.labels)):
        approach(state, seen, mixture, item, other, state.labels[other])


@inlined
def approach(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, other: int, slot: int
) -> None:
    """Add w s of an item and another to what is near in a slot."""
    near, squares = state.near[slot], seen.squares[item, other]
    if mixture.shared:
        for f in range(len(near)):
            near[f] += squares[f]
    else:
        precisions = mixture.precisions[state.types[other]]
        for f in range(len(near)):
            near[f] += precisions[f] * squares[f]


@kernel
def open_cluster(state: ClusterState, mixture: Mixture, of_vectors: bool) -> int:
    """Take the next free slot for a cluster, and make another one ready."""
    slot = state.active[state.n_clusters[0]]
    state.n_clusters[0] += 1
    ready = state.active[state.n_clusters[0]]
    clear(state, ready)
    renew(state, mixture, of_vectors, ready)
    return slot


@kernel
def retire(state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int) -> None:
    """Give back the slot of an empty cluster, which is the next to be used."""
    state.n_clusters[0] -= 1
    last, here = state.active[state.n_clusters[0]], state.positions[slot]
    state.active[here], state.active[state.n_clusters[0]] = last, slot
    state.positions[last], state.positions[slot] = here, state.n_clusters[0]
    clear(state, slot)  # no trace of rounding
    renew(state, mixture, of_vectors, slot)


@kernel
def rebuild(state: ClusterState, seen: ObservedItems, mixture: Mixture) -> None:
    """Compute the sums of all clusters from their items."""
    n_clusters, of_vectors = state.n_clusters[0], seen.vectors.shape[0] > 0
    for at in range(n_clusters + 1):
        clear(state, state.active[at])
    if of_vectors:
        for item in range(len(state.labels)):
            add(state, seen, mixture, item, state.labels[item], 1)
    else:
        for item in range(len(state.labels)):
            slot = state.labels[item]
            state.near[slot] = 0.0
            for other in range(item):
                if state.labels[other] == slot:
                    approach(state, seen, mixture, item, other, slot)
            add(state, seen, mixture, item, slot, 1)
    for at in range(n_clusters + 1):
        renew(state, mixture, of_vectors, state.active[at])


def as_state(labels: Ints, types: Ints, n_slots: int, mixture: Mixture) -> ClusterState:
    """Make the state of a partition with canonical labels, whose sums are not computed yet."""
    n_types, n_features = mixture.precisions.shape
    n_clusters = int(labels.max(initial=-1)) + 1
    return ClusterState(
        np.array(labels, dtype=np.intp),
        np.array(types, dtype=np.intp),
        np.array([n_clusters]),
        np.arange(n_slots),
        np.arange(n_slots),
        np.zeros(n_slots, dtype=np.intp),
        np.zeros(n_slots),
        np.zeros((n_slots, n_features)),
        np.zeros((n_slots, n_features)),
        np.zeros((n_slots, n_features)),
        np.zeros((n_slots, len(mixture.pseudo_counts)), dtype=np.intp),
        np.zeros((n_slots, n_types, n_features)),
        np.zeros((n_slots, n_types, n_features)),
        np.zeros((n_slots, n_types)),
        np.zeros(n_slots),
        np.zeros((n_slots, n_features)),
        np.zeros((n_slots + MOST_AUXILIARY) * n_types),
        np.zeros((n_slots, n_features)),
        np.zeros(n_slots, dtype=np.intp),
        np.zeros(3, dtype=np.intp),
    )
