"""Log densities of items given clusters and of whole partitions, and draws by log weights."""

import math

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.dirichlet.clusters import (
    HUGE,
    LOG_2PI,
    TINY,
    ClusterState,
    Mixture,
    ObservedItems,
    scatter_log_marginal,
)

NEVER = -45.0
"""The log weight, relative to the largest, that counts as 0: exp(-45) vanishes beside 1."""


@inlined
def log_categorical(
    state: ClusterState, items: ObservedItems, mixture: Mixture, item: int, slot: int
) -> float:
    """Return the log probability of an item's categorical values given a cluster."""
    # A Pólya urn per dimension: (items of this value + pseudo-count) / (items + pseudo-counts).
    density = 0.0
    for g in range(items.codes.shape[1]):
        value = items.codes[item, g]
        count = state.counts[slot, value] + mixture.pseudo_counts[value]
        density += math.log(count / (state.sizes[slot] + mixture.pseudo_totals[g]))
    return density


@inlined
def weigh(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    item: int,
    slots: Ints,
    logs: Floats,
) -> None:
    """Write the log density of an item given some clusters, by cluster and type.

    Where types are shared, the posterior probability of the type is in it. Of distances,
    `distance_sums` must be those of the item. The clusters must be refreshed.
    """
    if items.vectors.shape[0]:
        _weigh_vector(items.vectors[item], slots, state.means, state.scales, state.log_norms, logs)
    else:
        _weigh_distances(state, items, mixture, item, slots, logs)
    if items.codes.shape[1]:
        n_types = len(mixture.log_shares)
        for k in range(len(slots)):
            logs[k * n_types : (k + 1) * n_types] += log_categorical(
                state, items, mixture, item, slots[k]
            )


@kernel
def _weigh_vector(
    vector: Floats, slots: Ints, means: Floats, scales: Floats, log_norms: Floats, logs: Floats
) -> None:
    n_types, n_features = means.shape[1:]
    for k in range(len(slots)):
        for j in range(n_types):
            mean, scale = means[slots[k], j], scales[slots[k], j]
            even, odd = 0.0, 0.0  # two sums, because each addition waits for the one before it
            for f in range(0, n_features - 1, 2):
                first, second = vector[f] - mean[f], vector[f + 1] - mean[f + 1]
                even += scale[f] * first * first
                odd += scale[f + 1] * second * second
            if n_features % 2:
                last = vector[n_features - 1] - mean[n_features - 1]
                even += scale[n_features - 1] * last * last
            logs[k * n_types + j] = log_norms[slots[k], j] - 0.5 * (even + odd)


@kernel
def _weigh_distances(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    item: int,
    slots: Ints,
    logs: Floats,
) -> None:
    n_types, n_features = mixture.precisions.shape
    origins, taus = items.origins[item], mixture.prior_precisions
    for k in range(len(slots)):
        sums = state.distance_sums[slots[k]]
        for j in range(n_types):
            precisions, scales = mixture.precisions[j], state.scales[slots[k], j]
            total = 0.0
            for f in range(n_features):
                u = precisions[f] if mixture.shared else 1.0
                total += scales[f] * (u * sums[f] + taus[f] * origins[f])
            logs[k * n_types + j] = state.log_norms[slots[k], j] - 0.5 * total


@kernel
def log_predictive(
    state: ClusterState, items: ObservedItems, mixture: Mixture, item: int, slot: int
) -> float:
    """Return the log density of an item, of its own type, given a cluster, from the sums alone.

    Of distances, `distance_sums` must be those of the item.
    """
    # For clusters that change after every item, as the sides of a split do. `refresh` would
    # compute the densities under all types, of which one would be used, once.
    precisions, taus = mixture.precisions[state.types[item]], mixture.prior_precisions
    p, q, r = state.p[slot], state.q[slot], state.r[slot]
    product, log = 1.0, 0.0
    for f in range(len(p)):
        t, total = precisions[f], taus[f] + p[f]
        share = t / (total + t)
        if items.vectors.shape[0]:
            gap = items.vectors[item, f] - q[f] / total
            log -= share * total * gap * gap
        else:
            distance_sum = state.distance_sums[slot, f] + taus[f] * items.origins[item, f]
            log -= share * (distance_sum - (r[f] + taus[f] * q[f]) / total)
        product *= share * total
        if not TINY < product < HUGE:
            log += math.log(product)
            product = 1.0
    log = 0.5 * (log + math.log(product) - len(p) * LOG_2PI)
    return log + log_categorical(state, items, mixture, item, slot)


@kernel
def log_marginal(state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int) -> float:
    """Return the log marginal of a cluster, without the terms that items add in any cluster.

    Those are half the log precision of each item over 2π, where types are not shared. The cluster
    must be refreshed.
    """
    total = state.evidence[slot]
    if not mixture.shared:
        total = scatter_log_marginal(state, mixture, of_vectors, slot, 0)
    # Dirichlet-multinomial, with pseudo-counts a_v of sum A and counts n_v of sum n:
    # Γ(A) / Γ(A + n) Π_v Γ(a_v + n_v) / Γ(a_v). Values that do not occur have the factor 1.
    for g in range(len(mixture.pseudo_totals)):
        pseudo_total = mixture.pseudo_totals[g]
        total += math.lgamma(pseudo_total) - math.lgamma(state.sizes[slot] + pseudo_total)
    for value in range(len(mixture.pseudo_counts)):
        if state.counts[slot, value]:
            pseudo_count = mixture.pseudo_counts[value]
            count = state.counts[slot, value]
            total += math.lgamma(count + pseudo_count) - math.lgamma(pseudo_count)
    return total


@kernel
def log_joint(state: ClusterState, mixture: Mixture, of_vectors: bool) -> float:
    """Return log p(partition, types, items), means integrated out; clusters must be refreshed."""
    # The prior of a partition with clusters of sizes n_c: α^K Π_c Γ(n_c) / Π_i (α + i).
    n_clusters = state.n_clusters[0]
    total = n_clusters * math.log(mixture.alpha)
    for k in range(n_clusters):
        slot = state.active[k]
        total += math.lgamma(state.sizes[slot])
        total += log_marginal(state, mixture, of_vectors, slot)
    for item in range(len(state.labels)):
        total -= math.log(mixture.alpha + item)
        if not mixture.shared:
            item_type = state.types[item]
            total += mixture.log_shares[item_type] + mixture.half_logs[item_type]
    return total


@kernel
def draw_index(logs: Floats, chance: float) -> int:
    """Draw an index with probabilities in the ratio of exp(logs), which are overwritten."""
    top, total = -math.inf, 0.0
    for k in range(len(logs)):
        top = max(top, logs[k])
    for k in range(len(logs)):
        gap = logs[k] - top
        logs[k] = math.exp(gap) if gap > NEVER else 0.0
        total += logs[k]
    remainder = chance * total
    for k in range(len(logs)):
        remainder -= logs[k]
        if remainder < 0.0:
            return k
    return int(np.argmax(logs))  # rounding left a remainder beyond all of them
