"""Gibbs sweeps over the items of a Dirichlet-process mixture (Neal 2000, algorithms 2, 3 and 8).

A sweep starts at an item and returns the item where it stopped: behind the last one, or where no
slot is left for another cluster.
"""

import math

import numpy as np

from coterie._core.arrays import Floats
from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.dirichlet.clusters import (
    ClusterState,
    Mixture,
    ObservedItems,
    add,
    log_sum,
    open_cluster,
    refresh,
    retire,
    scatter_log_marginal,
    sum_distances,
)
from coterie._kernels.dirichlet.densities import draw_index, log_categorical, weigh


@kernel
def sweep_collapsed(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    start: int,
) -> int:
    """Draw the cluster and the type of each item with all means integrated out (algorithm 3)."""
    of_vectors = items.vectors.shape[0] > 0
    for item in range(start, len(state.labels)):
        # The item may take the slot that is ready, and then another one must become ready.
        if state.n_clusters[0] + 2 > len(state.sizes):
            return item
        # The distances include the item's own, which is 0: they hold with and without it.
        sum_distances(state, items, mixture, item)
        _take_out(state, items, mixture, item)
        slot = _draw_cluster(state, items, mixture, item, rng.random())
        add(state, items, mixture, item, slot, 1)
        refresh(state, mixture, of_vectors, slot)
        state.labels[item] = slot
    return len(state.labels)


@inlined
def _take_out(state: ClusterState, items: ObservedItems, mixture: Mixture, item: int) -> None:
    """Take an item out of its cluster, and retire the cluster if it is empty."""
    of_vectors, slot = items.vectors.shape[0] > 0, state.labels[item]
    add(state, items, mixture, item, slot, -1)
    if state.sizes[slot]:
        refresh(state, mixture, of_vectors, slot)
    else:
        retire(state, mixture, of_vectors, slot)


@inlined
def _draw_cluster(
    state: ClusterState, items: ObservedItems, mixture: Mixture, item: int, chance: float
) -> int:
    """Draw a cluster, and a type where they are not shared; a new cluster gets its slot."""
    # Choices are numbered position × types + type. The last position is the slot that is ready,
    # weighed as a cluster without items, with α in place of its size.
    n_types, count = len(mixture.log_shares), state.n_clusters[0] + 1
    width = 1 if mixture.shared else n_types
    slots, logs = state.active[:count], state.logs[: count * n_types]
    weigh(state, items, mixture, item, slots, logs)
    for k in range(count):
        log_size = state.log_sizes[slots[k]]
        if mixture.shared:
            # Summed over types, in place: entry k is written after the entries of cluster k, which
            # start at k · n_types ≥ k, are read.
            logs[k] = log_size + log_sum(logs[k * n_types : (k + 1) * n_types])
            continue
        for j in range(n_types):
            logs[k * n_types + j] += log_size + mixture.log_shares[j]
    choice = draw_index(logs[: count * width], chance)
    state.types[item] = choice % width
    if choice // width == count - 1:
        return open_cluster(state, mixture, items.vectors.shape[0] > 0)
    return slots[choice // width]


# Means that are drawn.


@kernel
def draw_centres(state: ClusterState, mixture: Mixture, rng: np.random.Generator) -> None:
    """Draw the mean of each cluster, after its type where types are shared."""
    for k in range(state.n_clusters[0]):
        slot = state.active[k]
        if mixture.shared:
            state.cluster_types[slot] = _draw_cluster_type(state, mixture, slot, rng.random())
        _draw_centre(state, mixture, slot, rng)


@kernel
def _draw_cluster_type(state: ClusterState, mixture: Mixture, slot: int, chance: float) -> int:
    """Draw the type of a cluster from its posterior, its mean integrated out."""
    n_types = len(mixture.log_shares)
    logs = state.logs[:n_types]
    for j in range(n_types):
        logs[j] = mixture.log_shares[j] + state.sizes[slot] * mixture.half_logs[j]
        logs[j] += scatter_log_marginal(state, mixture, True, slot, j)
    return draw_index(logs, chance)


@kernel
def _draw_centre(
    state: ClusterState, mixture: Mixture, slot: int, rng: np.random.Generator
) -> None:
    """Draw the mean of a cluster from its posterior, N(u q / P, 1 / P)."""
    cluster_type = state.cluster_types[slot]
    for f in range(mixture.precisions.shape[1]):
        u = mixture.precisions[cluster_type, f] if mixture.shared else 1.0
        total = mixture.prior_precisions[f] + u * state.p[slot, f]
        noise = rng.standard_normal() / math.sqrt(total)
        state.centres[slot, f] = u * state.q[slot, f] / total + noise


@kernel
def _log_density(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    item: int,
    slot: int,
    item_type: int,
) -> float:
    """Return the log density of an item of a type given the mean of a cluster."""
    vector, centre = items.vectors[item], state.centres[slot]
    precisions = mixture.precisions[item_type]
    total = 0.0
    for f in range(len(vector)):
        gap = vector[f] - centre[f]
        total += precisions[f] * gap * gap
    return mixture.half_logs[item_type] - 0.5 * total


@inlined
def _weigh_clusters(
    state: ClusterState, items: ObservedItems, mixture: Mixture, item: int, logs: Floats
) -> int:
    """Write the log weight of each choice of a cluster, and of a type where they are not shared."""
    n_choices = 0
    for k in range(state.n_clusters[0]):
        slot = state.active[k]
        size = math.log(state.sizes[slot]) + log_categorical(state, items, mixture, item, slot)
        if mixture.shared:
            cluster_type = state.cluster_types[slot]
            density = _log_density(state, items, mixture, item, slot, cluster_type)
            logs[n_choices] = size + density
            n_choices += 1
            continue
        for j in range(len(mixture.log_shares)):
            density = _log_density(state, items, mixture, item, slot, j)
            logs[n_choices] = size + mixture.log_shares[j] + density
            n_choices += 1
    return n_choices


@kernel
def sweep_conditional(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    start: int,
) -> int:
    """Draw the cluster and the type of each item given the means of clusters (algorithm 2).

    A new cluster is weighed by the integral over its mean, which is then drawn given the item.
    """
    n_types = len(mixture.log_shares)
    for item in range(start, len(state.labels)):
        if state.n_clusters[0] + 2 > len(state.sizes):
            return item
        _leave(state, items, mixture, item)
        count = _weigh_clusters(state, items, mixture, item, state.logs)
        fresh = state.active[state.n_clusters[0]]
        # The type of a new cluster is drawn with it even where types are shared: one choice per
        # type follows those of the clusters that exist.
        logs = state.logs[: count + n_types]
        weigh(state, items, mixture, item, state.active[state.n_clusters[0] :][:1], logs[count:])
        for j in range(n_types):
            # Where types are shared, the density has the log share in it.
            log_share = 0.0 if mixture.shared else mixture.log_shares[j]
            logs[count + j] += state.log_sizes[fresh] + log_share
        choice = draw_index(logs, rng.random())
        if choice < count:
            _join(state, items, mixture, item, choice)
        else:
            slot = _start_cluster(state, items, mixture, item, choice - count)
            _draw_centre(state, mixture, slot, rng)
    return len(state.labels)


@kernel
def sweep_auxiliary(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    start: int,
    auxiliary: Floats,
) -> int:
    """Draw the cluster and the type of each item given the means of clusters (algorithm 8).

    A new cluster has one of several means drawn from the prior; `auxiliary` has a row for each.
    """
    n_types, n_features = mixture.precisions.shape
    n_auxiliary = len(auxiliary)
    auxiliary_types = np.zeros(n_auxiliary, np.intp)
    for item in range(start, len(state.labels)):
        if state.n_clusters[0] + 2 > len(state.sizes):
            return item
        slot = state.labels[item]
        alone = state.sizes[slot] == 1
        for a in range(n_auxiliary):
            # The mean of a cluster that the item leaves empty must stay on offer as one of the
            # auxiliary means, or the sweep would not leave the posterior as it is (Neal 2000).
            if a == 0 and alone:
                auxiliary[a] = state.centres[slot]
                auxiliary_types[a] = state.cluster_types[slot]
                continue
            for f in range(n_features):
                noise = rng.standard_normal()
                auxiliary[a, f] = noise / math.sqrt(mixture.prior_precisions[f])
            if mixture.shared:
                auxiliary_types[a] = _draw_type(mixture, rng.random())
        _leave(state, items, mixture, item)
        count = _weigh_clusters(state, items, mixture, item, state.logs)
        # Each auxiliary mean is weighed as the centre of the slot that is ready. They share α.
        fresh = state.active[state.n_clusters[0]]
        size = math.log(mixture.alpha / n_auxiliary)
        size += log_categorical(state, items, mixture, item, fresh)
        width = 1 if mixture.shared else n_types
        for a in range(n_auxiliary):
            state.centres[fresh] = auxiliary[a]
            for j in range(width):
                item_type = auxiliary_types[a] if mixture.shared else j
                density = size + _log_density(state, items, mixture, item, fresh, item_type)
                log_share = 0.0 if mixture.shared else mixture.log_shares[j]
                state.logs[count + a * width + j] = log_share + density
        choice = draw_index(state.logs[: count + n_auxiliary * width], rng.random())
        if choice < count:
            _join(state, items, mixture, item, choice)
        else:
            a, j = (choice - count) // width, (choice - count) % width
            item_type = auxiliary_types[a] if mixture.shared else j
            slot = _start_cluster(state, items, mixture, item, item_type)
            state.centres[slot] = auxiliary[a]
    return len(state.labels)


@kernel
def _draw_type(mixture: Mixture, chance: float) -> int:
    """Draw a type by the shares."""
    remainder = chance
    for j in range(len(mixture.log_shares)):
        remainder -= math.exp(mixture.log_shares[j])
        if remainder < 0.0:
            return j
    return len(mixture.log_shares) - 1


@inlined
def _leave(state: ClusterState, items: ObservedItems, mixture: Mixture, item: int) -> None:
    """Take an item out of its cluster, whose mean stays as it was drawn."""
    # Nothing is refreshed: given the means, the one integrated density in use is that of the empty
    # slot that is ready, and `retire` refreshes it.
    slot = state.labels[item]
    add(state, items, mixture, item, slot, -1)
    if not state.sizes[slot]:
        retire(state, mixture, True, slot)


@inlined
def _join(
    state: ClusterState, items: ObservedItems, mixture: Mixture, item: int, choice: int
) -> None:
    """Put an item into the cluster of a choice, and give it the type of the choice."""
    width = 1 if mixture.shared else len(mixture.log_shares)
    slot = state.active[choice // width]
    state.types[item] = choice % width
    state.labels[item] = slot
    add(state, items, mixture, item, slot, 1)


@kernel
def _start_cluster(
    state: ClusterState, items: ObservedItems, mixture: Mixture, item: int, item_type: int
) -> int:
    """Start a cluster of a single item, and give it the type."""
    slot = open_cluster(state, mixture, True)
    state.cluster_types[slot] = item_type
    state.types[item] = 0 if mixture.shared else item_type
    state.labels[item] = slot
    add(state, items, mixture, item, slot, 1)
    return slot
