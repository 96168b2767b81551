"""Clusters of a Dirichlet-process mixture with their means integrated out, as sums over items.

A cluster holds three sums per feature, with w the precision of an item's type (1 where all items of
a cluster share one type, which is then integrated out too). τ is the precision of the prior of
means:

    vectors     p = Σ w    q = Σ w x    r = Σ w x²
    distances   p = Σ w    q = Σ w o    r = Σ_{i<i'} w w' s(i, i')

with s the squared distance of two items and o the squared distance of an item from the origin. For
types j, u = t_j where they are shared and else 1, P = τ + u p is the posterior precision of the
mean, and

    vectors     S = u r − (u q)² / P          distances   S = (u² r + τ u q) / P

is the scatter about the mean: log marginal = ½ Σ_f (log τ − log P − S + Σ_i log t / 2π).
"""

import math
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel

LOG_2PI = math.log(2.0 * math.pi)
TINY, HUGE = 1e-100, 1e100
"""The bounds between which a product of factors is kept before its logarithm is taken."""
MOST_AUXILIARY = 64
"""The largest number of means that an item may be offered for a new cluster."""


class ObservedItems(NamedTuple):
    """The items: vectors, or squared distances of pairs and of items from the origin."""

    vectors: Floats
    """One row per item; no rows where distances are given instead."""
    squares: Floats
    """(n, n, features): squared distances of pairs; no rows where vectors are given."""
    origins: Floats
    """(n, features): squared distances from the origin."""
    codes: Ints
    """(n, categorical dimensions): the index of an item's value in `pseudo_counts`."""


class Mixture(NamedTuple):
    """The prior of clusters: types, concentration, means and categorical values."""

    precisions: Floats
    """(types, features): the precisions t of the reference types."""
    log_shares: Floats
    """The log prior probability of each type."""
    half_logs: Floats
    """Half the sum of the log precisions of each type, less features · ½ log 2π."""
    prior_precisions: Floats
    """τ, one per feature."""
    alpha: float
    """The concentration of the Dirichlet process."""
    shared: bool
    """True where all items of a cluster are of one type."""
    pseudo_counts: Floats
    """The prior counts of the values of all categorical dimensions, one after the other."""
    pseudo_totals: Floats
    """The sum of `pseudo_counts` of each categorical dimension."""


class ClusterState(NamedTuple):
    """A partition of the items, and the sums of its clusters, each kept in a slot.

    `active` lists all slots: first those of the clusters, then free ones, of which the next is
    always ready to be a new cluster: cleared, with the densities of an empty cluster. `positions`
    is its inverse.
    """

    labels: Ints
    """The slot of each item."""
    types: Ints
    """The type of each item, where clusters share none."""
    n_clusters: Ints
    """The number of clusters, in an array of one so that kernels can change it."""
    active: Ints
    positions: Ints
    sizes: Ints
    log_sizes: Floats
    """The log prior weight of each slot: of its size, or of α where it is empty."""
    p: Floats
    q: Floats
    r: Floats
    counts: Ints
    """(slots, values): how many items have each categorical value."""
    means: Floats
    """(slots, types, features): the predictive mean of the next item, of vectors."""
    scales: Floats
    """(slots, types, features): the factor of its squared distance from that mean."""
    log_norms: Floats
    """(slots, types): the log predictive density at distance 0."""
    evidence: Floats
    """The log marginal of each cluster where types are shared, without categorical dimensions."""
    distance_sums: Floats
    """(slots, features): Σ w s of one item over the items of each cluster."""
    logs: Floats
    """Scratch for log weights: (slots + auxiliary means) × types."""
    centres: Floats
    """(slots, features): the means of clusters, where they are drawn."""
    cluster_types: Ints
    """The type of each cluster, where types are shared and drawn."""
    progress: Ints
    """The number of sweeps done, the next item of the current one, and moves accepted."""


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
    state: ClusterState, items: ObservedItems, mixture: Mixture, item: int, slot: int, sign: int
) -> None:
    """Put an item into a cluster (sign 1) or take it out (−1).

    Of distances, `distance_sums` of the slot must be those of the item.
    """
    state.sizes[slot] += sign
    p, q, r = state.p[slot], state.q[slot], state.r[slot]
    precisions = mixture.precisions[state.types[item]]
    if items.vectors.shape[0]:
        q_terms, r_terms = items.vectors[item], items.vectors[item]
    else:
        q_terms, r_terms = items.origins[item], state.distance_sums[slot]
    of_vectors = items.vectors.shape[0] > 0
    for f in range(len(p)):
        w = sign * (1.0 if mixture.shared else precisions[f])
        p[f] = max(p[f] + w, 0.0)  # p − w may round to less than 0, and P must stay positive
        q[f] += w * q_terms[f]
        # r gains w x² of a vector, or w Σ w' s of distances. The sum may include the item itself,
        # whose distance is 0, so that the same sum serves to put it in and to take it out.
        r[f] += w * r_terms[f] * (q_terms[f] if of_vectors else 1.0)
    for g in range(items.codes.shape[1]):
        state.counts[slot, items.codes[item, g]] += sign


@inlined
def refresh(state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int) -> None:
    """Compute the predictive density of a cluster's next item, under each type, from its sums."""
    state.log_sizes[slot] = math.log(state.sizes[slot] or mixture.alpha)
    for j in range(len(mixture.log_shares)):
        precisions, scales = mixture.precisions[j], state.scales[slot, j]
        sums = precisions, mixture.prior_precisions, mixture.shared, state.p[slot], state.q[slot]
        if of_vectors:
            state.log_norms[slot, j] = _expect_vector(*sums, state.means[slot, j], scales)
        else:
            state.log_norms[slot, j] = _expect_distances(*sums, state.r[slot], scales)
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
    """Write the predictive means and precisions, and return the log density at the mean.

    The next item is N(u q / P, 1/P + 1/t): its precision is t P / (P + t).
    """
    # A logarithm costs more than many products. Factors are multiplied until the product leaves
    # the range TINY to HUGE, and only then its logarithm is taken.
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
    """Write t / (P + t), and return the part of the log density that depends on no item.

    With A = u² r + τ u q, so that S = A / P, and B = u Σ w s + τ o of the next item, S grows by
    (B − A / P) t / (P + t). Only B depends on the item.
    """
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
    """Add the log posterior of each type of a cluster that shares one to its log norms."""
    n_types = len(mixture.log_shares)
    logs = np.empty(n_types)
    for j in range(n_types):
        logs[j] = mixture.log_shares[j] + state.sizes[slot] * mixture.half_logs[j]
        logs[j] += scatter_log_marginal(state, mixture, of_vectors, slot, j)
    state.evidence[slot] = log_sum(logs)
    for j in range(n_types):
        state.log_norms[slot, j] += logs[j] - state.evidence[slot]


@kernel
def scatter_log_marginal(
    state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int, shared_type: int
) -> float:
    """Return ½ Σ_f (log τ − log P − S), under the type that a cluster shares if it does."""
    product, total_log, scatter = 1.0, 0.0, 0.0
    for f in range(mixture.precisions.shape[1]):
        tau = mixture.prior_precisions[f]
        u = mixture.precisions[shared_type, f] if mixture.shared else 1.0
        total = tau + u * state.p[slot, f]
        q, r = u * state.q[slot, f], u * state.r[slot, f]
        scatter += r - q * q / total if of_vectors else (u * r + tau * q) / total
        # τ / P is at most 1: the product can underflow, but not overflow.
        product *= tau / total
        if product < TINY:
            total_log += math.log(product)
            product = 1.0
    return 0.5 * (total_log + math.log(product) - scatter)


@kernel
def log_sum(logs: Floats) -> float:
    """Return log Σ exp(logs)."""
    # Shifted by the largest, no exponential overflows. Where all are −∞ the shift would give NaN.
    top = logs.max()
    return top if top == -math.inf else top + math.log(np.exp(logs - top).sum())


@kernel
def renew(state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int) -> None:
    """Do as `refresh`, but by a call: where it runs rarely, inlining costs only compile time."""
    refresh(state, mixture, of_vectors, slot)


@kernel
def put(
    state: ClusterState, items: ObservedItems, mixture: Mixture, item: int, slot: int, sign: int
) -> None:
    """Do as `add`, but by a call; refresh the cluster where types are shared."""
    add(state, items, mixture, item, slot, sign)
    if mixture.shared:
        refresh(state, mixture, items.vectors.shape[0] > 0, slot)


# Clusters and their slots.


@kernel
def sum_distances(state: ClusterState, items: ObservedItems, mixture: Mixture, item: int) -> None:
    """Sum w s of an item over the items of each cluster; do nothing for vectors."""
    if items.vectors.shape[0]:
        return
    # The free slot that is ready takes part: as a new cluster its sum must be 0.
    for k in range(state.n_clusters[0] + 1):
        state.distance_sums[state.active[k]] = 0.0
    for other in range(len(state.labels)):
        add_distance(state, items, mixture, item, other, state.labels[other])


@inlined
def add_distance(
    state: ClusterState, items: ObservedItems, mixture: Mixture, item: int, other: int, slot: int
) -> None:
    """Add w s of an item and another item to the sum of the other's slot."""
    sums, squares = state.distance_sums[slot], items.squares[item, other]
    if mixture.shared:
        for f in range(len(sums)):
            sums[f] += squares[f]
    else:
        precisions = mixture.precisions[state.types[other]]
        for f in range(len(sums)):
            sums[f] += precisions[f] * squares[f]


@kernel
def open_cluster(state: ClusterState, mixture: Mixture, of_vectors: bool) -> int:
    """Take the next free slot for a cluster, and make another slot ready."""
    slot = state.active[state.n_clusters[0]]
    state.n_clusters[0] += 1
    ready = state.active[state.n_clusters[0]]
    clear(state, ready)
    renew(state, mixture, of_vectors, ready)
    return slot


@kernel
def retire(state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int) -> None:
    """Give back the slot of an empty cluster, which is the next to be used."""
    # The last cluster moves to the position of the retired one, so that `active` keeps all
    # clusters in front. Labels name slots, not positions, and need no change.
    state.n_clusters[0] -= 1
    last, position = state.active[state.n_clusters[0]], state.positions[slot]
    state.active[position], state.active[state.n_clusters[0]] = last, slot
    state.positions[last], state.positions[slot] = position, state.n_clusters[0]
    clear(state, slot)  # subtracting the last item leaves rounding errors, not zeros
    renew(state, mixture, of_vectors, slot)


@kernel
def rebuild(state: ClusterState, items: ObservedItems, mixture: Mixture) -> None:
    """Compute the sums of all clusters from their items, without the rounding of past moves."""
    n_clusters, of_vectors = state.n_clusters[0], items.vectors.shape[0] > 0
    for k in range(n_clusters + 1):
        clear(state, state.active[k])
    if of_vectors:
        for item in range(len(state.labels)):
            add(state, items, mixture, item, state.labels[item], 1)
    else:
        # r has each pair once: an item adds its distances to the earlier items of its cluster.
        for item in range(len(state.labels)):
            slot = state.labels[item]
            state.distance_sums[slot] = 0.0
            for other in range(item):
                if state.labels[other] == slot:
                    add_distance(state, items, mixture, item, other, slot)
            add(state, items, mixture, item, slot, 1)
    for k in range(n_clusters + 1):
        renew(state, mixture, of_vectors, state.active[k])


def as_state(labels: Ints, types: Ints, n_slots: int, mixture: Mixture) -> ClusterState:
    """Make the state of a partition with canonical labels; `rebuild` computes its sums."""
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
