"""Moves that split a cluster in two or merge two (Jain & Neal 2004), means integrated out.

Two items are drawn at random. A launch divides all items of their clusters between two sides, one
for each of the two. If they are in one cluster, a last Gibbs scan from the launch proposes a split;
otherwise the merge is proposed, and the same scan gives the probability q of going back. A split is
accepted with probability min(1, p(split) / p(merged) / q), a merge with min(1, q p(merged) /
p(split)).
"""

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
from coterie._kernels.dirichlet.densities import log_marginal, log_predictive, weigh


@kernel
def split_or_merge(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    n_scans: int,
    n_moves: int,
) -> int:
    """Propose moves, each from two items drawn at random, and return how many are accepted.

    There must be a free slot for each move, and two more beyond the one that is ready.
    """
    n_items, n_accepted = len(state.labels), 0
    members = np.empty(n_items, np.intp)
    sides = np.empty(n_items, np.intp)
    side_sums = np.empty((len(items.squares), 2, state.p.shape[1]))
    for _ in range(n_moves):
        if n_items < 2:
            break
        first = rng.integers(0, n_items)
        # Of the n − 1 other items; those from `first` on are shifted by one.
        second = rng.integers(0, n_items - 1)
        second += second >= first
        count = list_members(state, members, first, second)
        launch(state, items, mixture, rng, members[:count], sides, side_sums, n_scans)
        if state.labels[first] == state.labels[second]:
            n_accepted += _split(state, items, mixture, rng, members[:count], sides, side_sums)
        else:
            n_accepted += _merge(state, items, mixture, rng, members[:count], sides, side_sums)
    return n_accepted


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
def _side_slots(state: ClusterState) -> tuple[int, int]:
    """Return the two slots in which a split is tried, beyond the one that is ready."""
    # The members stay in the sums of their clusters too: a rejected move has nothing to undo.
    return state.active[state.n_clusters[0] + 1], state.active[state.n_clusters[0] + 2]


@kernel
def launch(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    members: Ints,
    sides: Ints,
    side_sums: Floats,
    n_scans: int,
) -> None:
    """Split items in two: one after the other about the first two, then by Gibbs scans.

    Where Jain & Neal start from a split by coin flips, items here join by their weight given the
    items that joined before (Dahl 2003). The split depends on the two items alone, as it must: a
    move and its reverse then have the same launches, and their probabilities cancel.

    `side_sums` of shape (members, 2, features) keeps, of distances, Σ w s of each member over the
    items of either side.
    """
    low, high = _side_slots(state)
    sides[: len(members)] = -1
    side_sums[: len(members)] = 0.0
    # Shuffled (Fisher-Yates), all but the first two, which found the sides: items that join early
    # shape the sides that later items choose from.
    for i in range(len(members) - 1, 2, -1):
        other = 2 + rng.integers(0, i - 1)
        members[i], members[other] = members[other], members[i]
    clear(state, low)
    clear(state, high)
    for i in range(2):
        _put_on_side(state, items, mixture, members, sides, side_sums, i, i)
    for i in range(2, len(members)):
        _choose_side(state, items, mixture, members, sides, side_sums, i, rng.random(), -1)
    for _ in range(n_scans):
        scan(state, items, mixture, rng, members, sides, side_sums, sides[:0])


@kernel
def scan(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    members: Ints,
    sides: Ints,
    side_sums: Floats,
    forced_sides: Ints,
) -> float:
    """Draw the side of each item but the first two; return the log probability of the draws.

    Where `forced_sides` has a side for each member, these are taken instead.
    """
    low, high = _side_slots(state)
    total = 0.0
    for i in range(2, len(members)):
        slot = high if sides[i] else low
        _load_side_sums(state, side_sums, i)
        put(state, items, mixture, members[i], slot, -1)
        forced_side = forced_sides[i] if len(forced_sides) else -1
        total += _choose_side(
            state, items, mixture, members, sides, side_sums, i, rng.random(), forced_side
        )
    return total


@inlined
def _load_side_sums(state: ClusterState, side_sums: Floats, i: int) -> None:
    """Copy the distance sums of a member to the slots of the sides; do nothing for vectors."""
    if len(side_sums):
        low, high = _side_slots(state)
        state.distance_sums[low] = side_sums[i, 0]
        state.distance_sums[high] = side_sums[i, 1]


@kernel
def _choose_side(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    members: Ints,
    sides: Ints,
    side_sums: Floats,
    i: int,
    chance: float,
    forced_side: int,
) -> float:
    """Put a member on a side, drawn or forced (-1 for none), and return its log probability."""
    low, high = _side_slots(state)
    item = members[i]
    _load_side_sums(state, side_sums, i)
    # The log odds of the high side: log n_high / n_low and the log ratio of predictive densities.
    log_odds = math.log(state.sizes[high] / state.sizes[low])
    if mixture.shared:
        n_types = len(mixture.log_shares)
        logs = state.logs[: 2 * n_types]
        weigh(state, items, mixture, item, state.active[state.n_clusters[0] + 1 :][:2], logs)
        log_odds += log_sum(logs[n_types:]) - log_sum(logs[:n_types])
    else:
        log_odds += log_predictive(state, items, mixture, item, high)
        log_odds -= log_predictive(state, items, mixture, item, low)
    side = forced_side
    if forced_side < 0:
        # Clipped, exp cannot overflow; beyond 700 the side is certain anyway.
        side = 1 if chance < 1.0 / (1.0 + math.exp(-min(max(log_odds, -700.0), 700.0))) else 0
    _put_on_side(state, items, mixture, members, sides, side_sums, i, side)
    # log p = −log(1 + exp(x)), with x the log odds against the side. The exponential of −|x| never
    # overflows, and log1p keeps the digits of a probability close to 1.
    against = -log_odds if side else log_odds
    return -(max(against, 0.0) + math.log1p(math.exp(-abs(against))))


@kernel
def _put_on_side(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    members: Ints,
    sides: Ints,
    side_sums: Floats,
    i: int,
    side: int,
) -> None:
    """Put a member on a side, and keep the distance sums of all members right."""
    slot = _side_slots(state)[side]
    _load_side_sums(state, side_sums, i)
    put(state, items, mixture, members[i], slot, 1)
    # A member that a scan has taken off is still in the sums of the others. They change only if it
    # changes sides: a member that stays costs nothing.
    if len(side_sums) and side != sides[i]:
        if sides[i] >= 0:
            _add_to_sums(state, items, mixture, members, side_sums[:, sides[i]], i, -1.0)
        _add_to_sums(state, items, mixture, members, side_sums[:, side], i, 1.0)
    sides[i] = side


@kernel
def _add_to_sums(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    members: Ints,
    sums: Floats,
    i: int,
    sign: float,
) -> None:
    """Add w s of a member to the sum of each member over one side, or subtract it."""
    precisions = mixture.precisions[state.types[members[i]]]
    squares = items.squares[members[i]]
    for other in range(len(members)):
        other_squares, other_sums = squares[members[other]], sums[other]
        for f in range(len(precisions)):
            w = 1.0 if mixture.shared else precisions[f]
            other_sums[f] += sign * other_squares[f] * w


@kernel
def log_split_ratio(
    state: ClusterState, mixture: Mixture, of_vectors: bool, low: int, high: int, merged: int
) -> float:
    """Return log p(split) − log p(merged), from refreshed slots of the two parts and of all.

    The prior of partitions contributes α Γ(n_low) Γ(n_high) / Γ(n_low + n_high).
    """
    n_low, n_high = state.sizes[low], state.sizes[high]
    ratio = math.log(mixture.alpha) + math.lgamma(n_low) + math.lgamma(n_high)
    ratio -= math.lgamma(n_low + n_high)
    ratio += log_marginal(state, mixture, of_vectors, low)
    ratio += log_marginal(state, mixture, of_vectors, high)
    return ratio - log_marginal(state, mixture, of_vectors, merged)


@kernel
def _split(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    members: Ints,
    sides: Ints,
    side_sums: Floats,
) -> int:
    """Split the cluster of the members by one more scan from the launch, or leave it."""
    of_vectors = items.vectors.shape[0] > 0
    log_proposal = scan(state, items, mixture, rng, members, sides, side_sums, sides[:0])
    low, high = _side_slots(state)
    cluster = state.labels[members[0]]
    renew(state, mixture, of_vectors, cluster)
    ratio = log_split_ratio(state, mixture, of_vectors, low, high, cluster) - log_proposal
    # 1 − random() is in (0, 1], whose logarithm is finite.
    if math.log(1.0 - rng.random()) >= ratio:
        return 0
    # The sums are copied before `open_cluster`, which makes the slot of the low side ready and
    # clears it.
    fresh = state.active[state.n_clusters[0]]
    _copy(state, cluster, low)
    _copy(state, fresh, high)
    renew(state, mixture, of_vectors, cluster)
    renew(state, mixture, of_vectors, fresh)
    open_cluster(state, mixture, of_vectors)
    for i in range(len(members)):
        state.labels[members[i]] = fresh if sides[i] else cluster
    return 1


@kernel
def _merge(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    members: Ints,
    sides: Ints,
    side_sums: Floats,
) -> int:
    """Merge the clusters of the first two members, or leave them."""
    of_vectors = items.vectors.shape[0] > 0
    first, second = state.labels[members[0]], state.labels[members[1]]
    # The scan is forced to the present clusters: its probability is that of the reverse split.
    forced_sides = np.empty(len(members), np.intp)
    for i in range(len(members)):
        forced_sides[i] = 1 if state.labels[members[i]] == second else 0
    log_proposal = scan(state, items, mixture, rng, members, sides, side_sums, forced_sides)
    merged = _merge_sides(state, items, mixture, members, sides, side_sums)
    renew(state, mixture, of_vectors, first)
    renew(state, mixture, of_vectors, second)
    ratio = log_proposal - log_split_ratio(state, mixture, of_vectors, first, second, merged)
    if math.log(1.0 - rng.random()) >= ratio:
        return 0
    _copy(state, first, merged)
    renew(state, mixture, of_vectors, first)
    for i in range(len(members)):
        state.labels[members[i]] = first
    retire(state, mixture, of_vectors, second)
    return 1


@kernel
def _merge_sides(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    members: Ints,
    sides: Ints,
    side_sums: Floats,
) -> int:
    """Add the sums of the high side to those of the low one, and return the slot of the latter."""
    low, high = _side_slots(state)
    state.sizes[low] += state.sizes[high]
    state.p[low] += state.p[high]
    state.q[low] += state.q[high]
    state.r[low] += state.r[high]
    state.counts[low] += state.counts[high]
    # Of distances, r is a sum over pairs: the pairs across the two sides are still missing.
    if len(side_sums):
        for i in range(len(members)):
            if sides[i] == 0:
                precisions = mixture.precisions[state.types[members[i]]]
                for f in range(len(precisions)):
                    w = 1.0 if mixture.shared else precisions[f]
                    state.r[low, f] += w * side_sums[i, 1, f]
    renew(state, mixture, items.vectors.shape[0] > 0, low)
    return low


@kernel
def _copy(state: ClusterState, target: int, source: int) -> None:
    """Copy the sums of a slot."""
    state.sizes[target] = state.sizes[source]
    state.p[target] = state.p[source]
    state.q[target] = state.q[source]
    state.r[target] = state.r[source]
    state.counts[target] = state.counts[source]
