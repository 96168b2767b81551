"""How likely items are beside those of clusters, and whole partitions; draws by such weights."""

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
    about_mean,
)

NEVER = -45.0
"""The log probability below which nothing happens: less than what rounding hides."""


@inlined
def categorical(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, slot: int
) -> float:
    """Return the log probability of the categorical values of an item beside those of a cluster."""
    density = 0.0
    for g in range(seen.codes.shape[1]):
        value = seen.codes[item, g]
        had = state.counts[slot, value] + mixture.pseudo_counts[value]
        density += math.log(had / (state.sizes[slot] + mixture.pseudo_totals[g]))
    return density


@inlined
def weigh(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, slots: Ints, logs: Floats
) -> None:
    """Write the log density of an item beside those of some clusters, by cluster and type.

    Where types are shared, the probability of the type is in it. Of distances `near` is known.
    """
    if seen.vectors.shape[0]:
        _weigh_vector(seen.vectors[item], slots, state.means, state.scales, state.norms, logs)
    else:
        _weigh_distances(state, seen, mixture, item, slots, logs)
    if seen.codes.shape[1]:
        n_types = len(mixture.log_shares)
        for at in range(len(slots)):
            logs[at * n_types : (at + 1) * n_types] += categorical(
                state, seen, mixture, item, slots[at]
            )


@kernel
def _weigh_vector(
    vector: Floats, slots: Ints, means: Floats, scales: Floats, norms: Floats, logs: Floats
) -> None:
    n_types, n_features = means.shape[1:]
    for at in range(len(slots)):
        for j in range(n_types):
            mean, scale = means[slots[at], j], scales[slots[at], j]
            even, odd = 0.0, 0.0  # two sums, because each addition waits for the one before it
            for f in range(0, n_features - 1, 2):
                first, second = vector[f] - mean[f], vector[f + 1] - mean[f + 1]
                even += scale[f] * first * first
                odd += scale[f + 1] * second * second
            if n_features % 2:
                last = vector[n_features - 1] - mean[n_features - 1]
                even += scale[n_features - 1] * last * last
            logs[at * n_types + j] = norms[slots[at], j] - 0.5 * (even + odd)


@kernel
def _weigh_distances(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, slots: Ints, logs: Floats
) -> None:
    n_types, n_features = mixture.precisions.shape
    origins, taus = seen.origins[item], mixture.prior_precisions
    for at in range(len(slots)):
        near = state.near[slots[at]]
        for j in range(n_types):
            precisions, scales = mixture.precisions[j], state.scales[slots[at], j]
            total = 0.0
            for f in range(n_features):
                u = precisions[f] if mixture.shared else 1.0
                total += scales[f] * (u * near[f] + taus[f] * origins[f])
            logs[at * n_types + j] = state.norms[slots[at], j] - 0.5 * total


@kernel
def beside(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, slot: int
) -> float:
    """Return the log density of an item of its own type beside those of a cluster, from its sums.

    For clusters that change with each item that is looked at: what `refresh` computes for all types
    would be used once. Of distances `near` is known.
    """
    precisions, taus = mixture.precisions[state.types[item]], mixture.prior_precisions
    p, q, r = state.p[slot], state.q[slot], state.r[slot]
    product, log = 1.0, 0.0
    for f in range(len(p)):
        t, total = precisions[f], taus[f] + p[f]
        share = t / (total + t)
        if seen.vectors.shape[0]:
            gap = seen.vectors[item, f] - q[f] / total
            log -= share * total * gap * gap
        else:
            pull = state.near[slot, f] + taus[f] * seen.origins[item, f]
            log -= share * (pull - (r[f] + taus[f] * q[f]) / total)
        product *= share * total
        if not TINY < product < HUGE:
            log += math.log(product)
            product = 1.0
    log = 0.5 * (log + math.log(product) - len(p) * LOG_2PI)
    return log + categorical(state, seen, mixture, item, slot)


@kernel
def log_marginal(state: ClusterState, mixture: Mixture, of_vectors: bool, slot: int) -> float:
    """Return the log marginal of a cluster, but for what each item adds in any cluster.

    Left out is half the log precision of each item over 2π, where types are not shared. The slot is
    fresh.
    """
    total = state.evidence[slot]
    if not mixture.shared:
        total = about_mean(state, mixture, of_vectors, slot, 0)
    for g in range(len(mixture.pseudo_totals)):
        whole = mixture.pseudo_totals[g]
        total += math.lgamma(whole) - math.lgamma(state.sizes[slot] + whole)
    for value in range(len(mixture.pseudo_counts)):
        if state.counts[slot, value]:
            had = mixture.pseudo_counts[value]
            total += math.lgamma(state.counts[slot, value] + had) - math.lgamma(had)
    return total


@kernel
def log_joint(state: ClusterState, mixture: Mixture, of_vectors: bool) -> float:
    """Return log p(partition, types, items) with the means integrated out; sums are fresh."""
    n_clusters = state.n_clusters[0]
    total = n_clusters * math.log(mixture.alpha)
    for at in range(n_clusters):
        slot = state.active[at]
        total += math.lgamma(state.sizes[slot])
        total += log_marginal(state, mixture, of_vectors, slot)
    for item in range(len(state.labels)):
        total -= math.log(mixture.alpha + item)
        if not mixture.shared:
            kind = state.types[item]
            total += mixture.log_shares[kind] + mixture.half_logs[kind]
    return total


@kernel
def drawn(logs: Floats, chance: float) -> int:
    """Draw a number with probabilities in the ratio of exp(logs), which are overwritten."""
    top, total = -math.inf, 0.0
    for at in range(len(logs)):
        top = max(top, logs[at])
    for at in range(len(logs)):
        gap = logs[at] - top
        logs[at] = math.exp(gap) if gap > NEVER else 0.0
        total += logs[at]
    rest = chance * total
    for at in range(len(logs)):
        rest -= logs[at]
        if rest < 0.0:
            return at
    return int(np.argmax(logs))  # rounding left a rest beyond them all
