"""Moves that split a cluster in two or merge two (Jain & Neal 2004), means integrated out."""

import math

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.dirichlet.clusters import (
    ClusterState,
    Mixture,
    ObservedItems,
    clear,
    log_sum,
    open_cluster,
    put,
    renew,
    retire,
)
from coterie._kernels.dirichlet.densities import beside, log_marginal, weigh


@kernel
def split_or_merge(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    n_scans: int,
    n_moves: int,
) -> int:
    """Propose some moves, each from two items drawn at random, and count those accepted.

    There must be a free slot for each move, and two more beyond the one that is ready.
    """
    n_items, accepted = len(state.labels), 0
    members = np.empty(n_items, np.intp)
    sides = np.empty(n_items, np.intp)
    pulls = np.empty((len(seen.squares), 2, state.p.shape[1]))
    for _ in range(n_moves):
        if n_items < 2:
            break
        first = rng.integers(0, n_items)
        second = rng.integers(0, n_items - 1)
        second += second >= first
        count = list_members(state, members, first, second)
        launch(state, seen, mixture, rng, members[:count], sides, pulls, n_scans)
        if state.labels[first] == state.labels[second]:
            accepted += _split(state, seen, mixture, rng, members[:count], sides, pulls)
        else:
            accepted += _merge(state, seen, mixture, rng, members[:count], sides, pulls)
    return accepted


@kernel
def list_members(state: ClusterState, members: Ints, first: int, second: int) -> int:
    """List the items of the clusters of two items, which come first and second."""
    members[0], members[1] = first, second
    count = 2
    for item in range(len(state.labels)):
        slot = state.labels[item]
        if item in (first, second):
            continue
        if slot in (state.labels[first], state.labels[second]):
            members[count] = item
            count += 1
    return count


@kernel
def _slots(state: ClusterState) -> tuple[int, int]:
    """Return the two slots in which a split is tried, beyond the one that is ready."""
    return state.active[state.n_clusters[0] + 1], state.active[state.n_clusters[0] + 2]


@kernel
def launch(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    members: Ints,
    sides: Ints,
    pulls: Floats,
    n_scans: int,
) -> None:
    """Split items in two: one after the other about the first two, then by Gibbs scans.

    Where Jain & Neal start from a split by coin flips, items here join by their weight beside those
    that joined before (Dahl 2003); the split depends on the two items alone, as it must.

    `pulls` keeps, of distances, what is near each member on either side.
    """
    low, high = _slots(state)
    sides[: len(members)] = -1
    pulls[: len(members)] = 0.0
    for at in range(len(members) - 1, 2, -1):
        other = 2 + rng.integers(0, at - 1)
        members[at], members[other] = members[other], members[at]
    clear(state, low)
    clear(state, high)
    for at in range(2):
        _put(state, seen, mixture, members, sides, pulls, at, at)
    for at in range(2, len(members)):
        _choose(state, seen, mixture, members, sides, pulls, at, rng.random(), -1)
    for _ in range(n_scans):
        scan(state, seen, mixture, rng, members, sides, pulls, sides[:0])


@kernel
def scan(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    members: Ints,
    sides: Ints,
    pulls: Floats,
    forced: Ints,
) -> float:
    """Draw the side of each item but the first two; return the log probability of what was drawn.

    Where `forced` has a side for each, these are taken instead.
    """
    low, high = _slots(state)
    total = 0.0
    for at in range(2, len(members)):
        slot = high if sides[at] else low
        _look_at_sides(state, pulls, at)
        put(state, seen, mixture, members[at], slot, -1)
        wanted = forced[at] if len(forced) else -1
        total += _choose(state, seen, mixture, members, sides, pulls, at, rng.random(), wanted)
    return total


@inlined
def _look_at_sides(state: ClusterState, pulls: Floats, at: int) -> None:
    """Say what is near an item on either side; nothing to do for vectors."""
    if len(pulls):
        low, high = _slots(state)
        state.near[low] = pulls[at, 0]
        state.near[high] = pulls[at, 1]


@kernel
def _choose(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    members: Ints,
    sides: Ints,
    pulls: Floats,
    at: int,
    chance: float,
    wanted: int,
) -> float:
    """Put an item on a side, drawn or `wanted`, and return its log probability."""
    low, high = _slots(state)
    item = members[at]
    _look_at_sides(state, pulls, at)
    gap = math.log(state.sizes[high] / state.sizes[low])
    if mixture.shared:
        n_types = len(mixture.log_shares)
        logs = state.logs[: 2 * n_types]
        weigh(state, seen, mixture, item, state.active[state.n_clusters[0] + 1 :][:2], logs)
        gap += log_sum(logs[n_types:]) - log_sum(logs[:n_types])
    else:
        gap += beside(state, seen, mixture, item, high)
        gap -= beside(state, seen, mixture, item, low)
    # log p of the high side is −log(1 + exp(−gap)), that of the low one −log(1 + exp(gap)).
    side = wanted
    if wanted < 0:
        side = 1 if chance < 1.0 / (1.0 + math.exp(-min(max(gap, -700.0), 700.0))) else 0
    _put(state, seen, mixture, members, sides, pulls, at, side)
    against = -gap if side else gap
    return -(max(against, 0.0) + math.log1p(math.exp(-abs(against))))


@kernel
def _put(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    members: Ints,
    sides: Ints,
    pulls: Floats,
    at: int,
    side: int,
) -> None:
    """Put an item on a side; if it is another one than before, it pulls the others there."""
    slot = _slots(state)[side]
    _look_at_sides(state, pulls, at)
    put(state, seen, mixture, members[at], slot, 1)
    if len(pulls) and side != sides[at]:
        if sides[at] >= 0:
            _pull(state, seen, mixture, members, pulls[:, sides[at]], at, -1.0)
        _pull(state, seen, mixture, members, pulls[:, side], at, 1.0)
    sides[at] = side


@kernel
def _pull(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    members: Ints,
    pulls: Floats,
    at: int,
    sign: float,
) -> None:
    """Add w s of an item to what is near each member, or take it away."""
    precisions = mixture.precisions[state.types[members[at]]]
    squares = seen.squares[members[at]]
    for other in range(len(members)):
        own, pull = squares[members[other]], pulls[other]
        for f in range(len(precisions)):
            pull[f] += sign * own[f] * (1.0 if mixture.shared else precisions[f])


@kernel
def log_split_ratio(
    state: ClusterState, mixture: Mixture, of_vectors: bool, low: int, high: int, whole: int
) -> float:
    """Return log p(split) − log p(merged) of fresh slots of the two parts and of all."""
    n_low, n_high = state.sizes[low], state.sizes[high]
    ratio = math.log(mixture.alpha) + math.lgamma(n_low) + math.lgamma(n_high)
    ratio -= math.lgamma(n_low + n_high)
    ratio += log_marginal(state, mixture, of_vectors, low)
    ratio += log_marginal(state, mixture, of_vectors, high)
    return ratio - log_marginal(state, mixture, of_vectors, whole)


@kernel
def _split(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    members: Ints,
    sides: Ints,
    pulls: Floats,
) -> int:
    """Split the cluster of the members as one more scan from the launch says, or leave it."""
    proposed = scan(state, seen, mixture, rng, members, sides, pulls, sides[:0])
    low, high = _slots(state)
    whole = state.labels[members[0]]
    renew(state, mixture, seen.vectors.shape[0] > 0, whole)
    ratio = log_split_ratio(state, mixture, seen.vectors.shape[0] > 0, low, high, whole) - proposed
    if math.log(1.0 - rng.random()) >= ratio:
        return 0
    fresh = state.active[state.n_clusters[0]]
    _copy(state, whole, low)
    _copy(state, fresh, high)
    renew(state, mixture, seen.vectors.shape[0] > 0, whole)
    renew(state, mixture, seen.vectors.shape[0] > 0, fresh)
    open_cluster(state, mixture, seen.vectors.shape[0] > 0)
    for at in range(len(members)):
        state.labels[members[at]] = fresh if sides[at] else whole
    return 1


@kernel
def _merge(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    members: Ints,
    sides: Ints,
    pulls: Floats,
) -> int:
    """Merge the clusters of the first two members, or leave them."""
    slot, gone = state.labels[members[0]], state.labels[members[1]]
    forced = np.empty(len(members), np.intp)
    for at in range(len(members)):
        forced[at] = 1 if state.labels[members[at]] == gone else 0
    proposed = scan(state, seen, mixture, rng, members, sides, pulls, forced)
    whole = _merge_sides(state, seen, mixture, members, sides, pulls)
    renew(state, mixture, seen.vectors.shape[0] > 0, slot)
    renew(state, mixture, seen.vectors.shape[0] > 0, gone)
    ratio = proposed - log_split_ratio(state, mixture, seen.vectors.shape[0] > 0, slot, gone, whole)
    if math.log(1.0 - rng.random()) >= ratio:
        return 0
    _copy(state, slot, whole)
    renew(state, mixture, seen.vectors.shape[0] > 0, slot)
    for at in range(len(members)):
        state.labels[members[at]] = slot
    retire(state, mixture, seen.vectors.shape[0] > 0, gone)
    return 1


@kernel
def _merge_sides(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    members: Ints,
    sides: Ints,
    pulls: Floats,
) -> int:
    """Add the sums of the high side to those of the low one, whose slot is returned."""
    low, high = _slots(state)
    state.sizes[low] += state.sizes[high]
    state.p[low] += state.p[high]
    state.q[low] += state.q[high]
    state.r[low] += state.r[high]
    state.counts[low] += state.counts[high]
    if len(pulls):
        for at in range(len(members)):
            if sides[at] == 0:  # what it has to do with the high side
                precisions = mixture.precisions[state.types[members[at]]]
                for f in range(len(precisions)):
                    w = 1.0 if mixture.shared else precisions[f]
                    state.r[low, f] += w * pulls[at, 1, f]
    renew(state, mixture, seen.vectors.shape[0] > 0, low)
    return low


@kernel
def _copy(state: ClusterState, target: int, source: int) -> None:
    """Copy the sums of a slot."""
    state.sizes[target] = state.sizes[source]
    state.p[target] = state.p[source]
    state.q[target] = state.q[source]
    state.r[target] = state.r[source]
    state.counts[target] = state.counts[source]
