"""Gibbs sweeps over the items of a Dirichlet-process mixture (Neal 2000, algorithms 2, 3 and 8).

A sweep goes on from an item and returns where it stopped: at the last item, or where there is no
slot left for another cluster.
"""

import math

import numpy as np

from coterie._core.arrays import Floats
from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.dirichlet.clusters import (
    ClusterState,
    Mixture,
    ObservedItems,
    about_mean,
    add,
    log_sum,
    open_cluster,
    refresh,
    retire,
    sum_distances,
)
from coterie._kernels.dirichlet.densities import categorical, drawn, weigh


@kernel
def sweep_collapsed(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, rng: np.random.Generator, start: int
) -> int:
    """Draw the cluster and the type of each item with all means integrated out (algorithm 3)."""
    of_vectors = seen.vectors.shape[0] > 0
    for item in range(start, len(state.labels)):
        if state.n_clusters[0] + 2 > len(state.sizes):
            return item
        sum_distances(state, seen, mixture, item)
        _take_out(state, seen, mixture, item)
        slot = _drawn_cluster(state, seen, mixture, item, rng.random())
        add(state, seen, mixture, item, slot, 1)
        refresh(state, mixture, of_vectors, slot)
        state.labels[item] = slot
    return len(state.labels)


@inlined
def _take_out(state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int) -> None:
    """Take an item out of its cluster, which ends if it is empty."""
    of_vectors, slot = seen.vectors.shape[0] > 0, state.labels[item]
    add(state, seen, mixture, item, slot, -1)
    if state.sizes[slot]:
        refresh(state, mixture, of_vectors, slot)
    else:
        retire(state, mixture, of_vectors, slot)


@inlined
def _drawn_cluster(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, chance: float
) -> int:
    """Draw a cluster, and a type where they are not shared; a new cluster gets its slot."""
    n_types, count = len(mixture.log_shares), state.n_clusters[0] + 1
    width = 1 if mixture.shared else n_types
    slots, logs = state.active[:count], state.logs[: count * n_types]
    weigh(state, seen, mixture, item, slots, logs)
    for at in range(count):
        log_size = state.log_sizes[slots[at]]
        if mixture.shared:
            logs[at] = log_size + log_sum(logs[at * n_types : (at + 1) * n_types])
            continue
        for j in range(n_types):
            logs[at * n_types + j] += log_size + mixture.log_shares[j]
    number = drawn(logs[: count * width], chance)
    state.types[item] = number % width
    if number // width == count - 1:
        return open_cluster(state, mixture, seen.vectors.shape[0] > 0)
    return slots[number // width]


# Means that are drawn.


@kernel
def draw_centres(state: ClusterState, mixture: Mixture, rng: np.random.Generator) -> None:
    """Draw the mean of each cluster, after its type where they are shared."""
    for at in range(state.n_clusters[0]):
        slot = state.active[at]
        if mixture.shared:
            state.kinds[slot] = _drawn_kind(state, mixture, slot, rng.random())
        _draw_centre(state, mixture, slot, rng)


@kernel
def _drawn_kind(state: ClusterState, mixture: Mixture, slot: int, chance: float) -> int:
    n_types = len(mixture.log_shares)
    logs = state.logs[:n_types]
    for j in range(n_types):
        logs[j] = mixture.log_shares[j] + state.sizes[slot] * mixture.half_logs[j]
        logs[j] += about_mean(state, mixture, True, slot, j)
    return drawn(logs, chance)


@kernel
def _draw_centre(
    state: ClusterState, mixture: Mixture, slot: int, rng: np.random.Generator
) -> None:
    """Draw the mean of a cluster from its posterior."""
    kind = state.kinds[slot]
    for f in range(mixture.precisions.shape[1]):
        u = mixture.precisions[kind, f] if mixture.shared else 1.0
        total = mixture.prior_precisions[f] + u * state.p[slot, f]
        noise = rng.standard_normal() / math.sqrt(total)
        state.centres[slot, f] = u * state.q[slot, f] / total + noise


@kernel
def _around(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, slot: int, kind: int
) -> float:
    """Return the log density of an item of a type about the mean of a cluster."""
    vector, centre, precisions = seen.vectors[item], state.centres[slot], mixture.precisions[kind]
    total = 0.0
    for f in range(len(vector)):
        gap = vector[f] - centre[f]
        total += precisions[f] * gap * gap
    return mixture.half_logs[kind] - 0.5 * total


@inlined
def _weigh_clusters(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, logs: Floats
) -> int:
    """Write the log weights of all clusters, times types where they are not shared."""
    number = 0
    for at in range(state.n_clusters[0]):
        slot = state.active[at]
        size = math.log(state.sizes[slot]) + categorical(state, seen, mixture, item, slot)
        if mixture.shared:
            logs[number] = size + _around(state, seen, mixture, item, slot, state.kinds[slot])
            number += 1
            continue
        for j in range(len(mixture.log_shares)):
            density = _around(state, seen, mixture, item, slot, j)
            logs[number] = size + mixture.log_shares[j] + density
            number += 1
    return number


@kernel
def sweep_conditional(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, rng: np.random.Generator, start: int
) -> int:
    """Draw the cluster and the type of each item given the means of clusters (algorithm 2).

    A new cluster has the integral over its mean, which is then drawn given the item.
    """
    n_types = len(mixture.log_shares)
    for item in range(start, len(state.labels)):
        if state.n_clusters[0] + 2 > len(state.sizes):
            return item
        _leave(state, seen, mixture, item)
        count = _weigh_clusters(state, seen, mixture, item, state.logs)
        fresh = state.active[state.n_clusters[0]]
        logs = state.logs[: count + n_types]
        weigh(state, seen, mixture, item, state.active[state.n_clusters[0] :][:1], logs[count:])
        for j in range(n_types):
            # Where types are shared, the density has the log share in it.
            share = 0.0 if mixture.shared else mixture.log_shares[j]
            logs[count + j] += state.log_sizes[fresh] + share
        number = drawn(logs, rng.random())
        if number < count:
            _join(state, seen, mixture, item, number)
        else:
            kind = number - count
            slot = _open(state, seen, mixture, item, kind)
            _draw_centre(state, mixture, slot, rng)
    return len(state.labels)


@kernel
def sweep_auxiliary(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    start: int,
    auxiliary: Floats,
) -> int:
    """Draw the cluster and the type of each item given the means of clusters (algorithm 8).

    A new cluster has one of some means drawn from the prior, of which a cluster that the item was
    alone in gives the first; `auxiliary` has a row for each.
    """
    n_types, n_features = mixture.precisions.shape
    n_auxiliary = len(auxiliary)
    kinds = np.zeros(n_auxiliary, np.intp)
    for item in range(start, len(state.labels)):
        if state.n_clusters[0] + 2 > len(state.sizes):
            return item
        slot = state.labels[item]
        alone = state.sizes[slot] == 1
        for a in range(n_auxiliary):
            if a == 0 and alone:
                auxiliary[a] = state.centres[slot]
                kinds[a] = state.kinds[slot]
                continue
            for f in range(n_features):
                noise = rng.standard_normal()
                auxiliary[a, f] = noise / math.sqrt(mixture.prior_precisions[f])
            if mixture.shared:
                kinds[a] = _share(mixture, rng.random())
        _leave(state, seen, mixture, item)
        count = _weigh_clusters(state, seen, mixture, item, state.logs)
        fresh = state.active[state.n_clusters[0]]
        size = math.log(mixture.alpha / n_auxiliary)
        size += categorical(state, seen, mixture, item, fresh)
        width = 1 if mixture.shared else n_types
        for a in range(n_auxiliary):
            state.centres[fresh] = auxiliary[a]
            for j in range(width):
                kind = kinds[a] if mixture.shared else j
                density = size + _around(state, seen, mixture, item, fresh, kind)
                share = 0.0 if mixture.shared else mixture.log_shares[j]
                state.logs[count + a * width + j] = share + density
        number = drawn(state.logs[: count + n_auxiliary * width], rng.random())
        if number < count:
            _join(state, seen, mixture, item, number)
        else:
            a, j = (number - count) // width, (number - count) % width
            slot = _open(state, seen, mixture, item, kinds[a] if mixture.shared else j)
            state.centres[slot] = auxiliary[a]
    return len(state.labels)


@kernel
def _share(mixture: Mixture, chance: float) -> int:
    """Draw a type by the shares."""
    rest = chance
    for j in range(len(mixture.log_shares)):
        rest -= math.exp(mixture.log_shares[j])
        if rest < 0.0:
            return j
    return len(mixture.log_shares) - 1


@inlined
def _leave(state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int) -> None:
    """Take an item out of its cluster; its mean stays as it was drawn."""
    slot = state.labels[item]
    add(state, seen, mixture, item, slot, -1)
    if not state.sizes[slot]:
        retire(state, mixture, True, slot)


@inlined
def _join(
    state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, number: int
) -> None:
    """Put an item into the cluster, and give it the type, of a candidate."""
    width = 1 if mixture.shared else len(mixture.log_shares)
    slot = state.active[number // width]
    state.types[item] = number % width
    state.labels[item] = slot
    add(state, seen, mixture, item, slot, 1)


@kernel
def _open(state: ClusterState, seen: ObservedItems, mixture: Mixture, item: int, kind: int) -> int:
    """Found a cluster of one item of a type."""
    slot = open_cluster(state, mixture, True)
    state.kinds[slot] = kind
    state.types[item] = 0 if mixture.shared else kind
    state.labels[item] = slot
    add(state, seen, mixture, item, slot, 1)
    return slot
