"""Local search on candidate pairs: moves of single items on a graph in compressed rows.

The state of a search is a named tuple of arrays. An item's `margin` is a lower bound on what it
loses by leaving its cluster. A move lowers the margins of its neighbours by what they may have
lost, and only an item whose margin is used up is queued to be evaluated again. The members of a
cluster are a linked list, so that a cluster can be taken apart, and `touched` lists the items that
may have changed since the partition was kept, so that it can be restored; neither visits all items.
"""

from typing import Any, NamedTuple

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.correlation.queues import (
    DISSOLVE,
    FUSE,
    LENGTH,
    MAX_KICKED,
    N_KICKS,
    SCATTER,
    dequeue,
    enqueue,
)

FREE, TOUCHED = 2, 3


class ScoreGraph(NamedTuple):
    """Symmetric pairs in CSR form: item i has the entries starts[i] to starts[i + 1]."""

    starts: Any
    neighbours: Any
    scores: Any


class SparsePartition(NamedTuple):
    """A partition that changes in place, and what is needed to restore the one that was kept.

    The members of cluster c are first[c], after[first[c]], …, linked back by `before`. The empty
    clusters are the stack `free[:counts[FREE]]`, where cluster c is at `position[c]`. `sums`,
    `nearby` and `marked` are scratch space of one evaluation.
    """

    labels: Any
    kept_labels: Any
    margins: Any
    kept_margins: Any
    sizes: Any
    first: Any
    after: Any
    before: Any
    free: Any
    position: Any
    queue: Any
    queued: Any
    touched: Any
    is_touched: Any
    sums: Any
    nearby: Any
    marked: Any
    counts: Any


@kernel
def build_graph(n_items, pairs, scores):
    """Return the graph of some pairs, each in the rows of both of its items."""
    m = len(scores)
    starts = np.zeros(n_items + 1, np.int64)
    for e in range(m):
        starts[pairs[e, 0] + 1] += 1
        starts[pairs[e, 1] + 1] += 1
    for i in range(n_items):
        starts[i + 1] += starts[i]
    # A counting sort: `position` is the next entry to fill of each row.
    position = starts[:-1].copy()
    neighbours, values = np.empty(2 * m, np.int32), np.empty(2 * m)
    for e in range(m):
        a, b = pairs[e, 0], pairs[e, 1]
        neighbours[position[a]], values[position[a]] = b, scores[e]
        neighbours[position[b]], values[position[b]] = a, scores[e]
        position[a] += 1
        position[b] += 1
    return ScoreGraph(starts, neighbours, values)


@kernel
def start_search(labels):
    """Return the state of a partition of n items whose labels are below n."""
    # There are n + 1 clusters, so that one is empty even if all items are alone.
    n = len(labels)
    kept_labels = labels.astype(np.int32)
    sizes = np.zeros(n + 1, np.int32)
    first = np.full(n + 1, -1, np.int32)
    after, before = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    free, position = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    queue, queued = np.empty(n, np.int32), np.zeros(n, np.bool_)
    touched, is_touched = np.empty(n, np.int32), np.zeros(n, np.bool_)
    sums, nearby = np.zeros(n + 1), np.empty(n + 1, np.int32)
    marked = np.zeros(n + 1, np.bool_)
    counts = np.zeros(4, np.int64)
    state = SparsePartition(
        kept_labels.copy(), kept_labels, np.zeros(n), np.zeros(n), sizes, first, after, before,
        free, position, queue, queued, touched, is_touched, sums, nearby, marked, counts,
    )  # fmt: skip
    # From the last on: lists grow at their front and the stack at its top, so that members ascend
    # and the smallest empty cluster is taken first.
    for i in range(n - 1, -1, -1):
        enter(state, i, kept_labels[i])
    for c in range(n, -1, -1):
        if sizes[c] == 0:
            close_cluster(state, c)
    return state


@inlined
def enter(state, item, cluster):
    """Put an item at the front of a cluster's members."""
    top = state.first[cluster]
    state.before[item], state.after[item] = -1, top
    if top >= 0:
        state.before[top] = item
    state.first[cluster] = item
    state.labels[item] = cluster
    state.sizes[cluster] += 1


@inlined
def leave(state, item):
    """Take an item out of its cluster, which is closed when it becomes empty."""
    cluster = state.labels[item]
    left, right = state.before[item], state.after[item]
    if left >= 0:
        state.after[left] = right
    else:
        state.first[cluster] = right
    if right >= 0:
        state.before[right] = left
    state.sizes[cluster] -= 1
    if state.sizes[cluster] == 0:
        close_cluster(state, cluster)


@inlined
def close_cluster(state, cluster):
    """Put an empty cluster on the stack of empty ones."""
    state.free[state.counts[FREE]] = cluster
    state.position[cluster] = state.counts[FREE]
    state.counts[FREE] += 1


@inlined
def open_cluster(state, cluster):
    """Take a cluster from anywhere in the stack of empty ones; the top fills the gap."""
    state.counts[FREE] -= 1
    top = state.free[state.counts[FREE]]
    state.free[state.position[cluster]] = top
    state.position[top] = state.position[cluster]


@inlined
def transfer(state, item, target):
    """Move an item to another cluster, empty or not."""
    if state.sizes[target] == 0:
        open_cluster(state, target)
    leave(state, item)
    enter(state, item, target)


@inlined
def touch(state, item):
    """Note that the label or the margin of an item may differ from what was kept."""
    if not state.is_touched[item]:
        state.is_touched[item] = True
        state.touched[state.counts[TOUCHED]] = item
        state.counts[TOUCHED] += 1


@kernel
def move(graph, state, item, target):
    """Move an item, and queue the neighbours whose margins are used up by that."""
    source = state.labels[item]
    touch(state, item)
    transfer(state, item, target)
    for k in range(graph.starts[item], graph.starts[item + 1]):
        j = graph.neighbours[k]
        score, label = graph.scores[k], state.labels[j]
        # By how much the margin, the score of j with its own cluster less that with the best other
        # one, can fall: a pair that leaves one side of the difference for the other counts twice.
        # For j elsewhere, only the other side changes, by one score up and the same one down.
        if label == source:
            loss = 2 * score
        elif label == target:
            loss = -2 * score
        else:
            loss = abs(score)
        if loss > 0:
            touch(state, j)
            state.margins[j] -= loss
            if state.margins[j] < 0:
                enqueue(state, j)


@kernel
def evaluate(graph, state, item, candidate):
    """Sum an item's scores by cluster.

    Returns its scores with its own cluster and with a candidate, and the best other cluster with
    its score; that is -1, with score 0, unless one scores more than 0.
    """
    source = state.labels[item]
    n_nearby = 0
    for k in range(graph.starts[item], graph.starts[item + 1]):
        c = state.labels[graph.neighbours[k]]
        if not state.marked[c]:
            state.marked[c] = True
            state.nearby[n_nearby] = c
            n_nearby += 1
        state.sums[c] += graph.scores[k]
    inside, with_candidate = state.sums[source], state.sums[candidate]
    target, top = -1, 0.0
    # The same pass clears the scratch space, so that the cost is the degree of the item.
    for t in range(n_nearby):
        c = state.nearby[t]
        if state.sums[c] > top and c != source:
            target, top = c, state.sums[c]
        state.sums[c] = 0.0
        state.marked[c] = False
    return inside, with_candidate, target, top


@kernel
def settle(graph, state, tolerance):
    """Move queued items to their best cluster until none gains; return the gain and the passes."""
    gain, passes = 0.0, 0
    while state.counts[LENGTH] > 0:
        item = dequeue(state)
        passes += 1
        source = state.labels[item]
        inside, _, target, top = evaluate(graph, state, item, source)
        touch(state, item)
        # For an item that moves now, 0 is a bound again once it is in its best cluster.
        state.margins[item] = max(inside - top, 0.0)
        if top - inside > tolerance and (target >= 0 or state.sizes[source] > 1):
            if target < 0:
                target = state.free[state.counts[FREE] - 1]
            move(graph, state, item, target)
            gain += top - inside
            passes += 1
    return gain, passes


@kernel
def local_search_sparse(graph, labels, order, tolerance):
    """Improve a partition, whose labels are below n, by moves of single items in this order."""
    state = start_search(labels)
    for item in order:
        enqueue(state, item)
    settle(graph, state, tolerance)
    return state.labels.astype(np.intp)


@inlined
def force_move(graph, state, item, target):
    """Move an item whatever it costs, and queue it; return the gain."""
    inside, with_target, _, _ = evaluate(graph, state, item, target)
    move(graph, state, item, target)
    enqueue(state, item)
    return with_target - inside


@kernel
def kick(graph, state, rng):
    """Disturb the partition around a random item; return the gain, mostly negative, and the passes.

    Some neighbours go to each other's clusters, or the item's cluster falls apart, or it is joined
    to a neighbour's. Kicks stay among neighbours, because clusters without a pair between them have
    nothing to gain from each other.
    """
    gain, passes = 0.0, 0
    kind = rng.integers(0, N_KICKS)
    item = rng.integers(0, len(state.labels))
    start, n_around = graph.starts[item], graph.starts[item + 1] - graph.starts[item]
    if n_around == 0:
        return gain, passes
    source = state.labels[item]
    target = state.labels[graph.neighbours[start + rng.integers(0, n_around)]]
    if kind == SCATTER or state.sizes[source] > MAX_KICKED:
        for _ in range(rng.integers(2, 2 + min(n_around, 20))):
            neighbour = graph.neighbours[start + rng.integers(0, n_around)]
            target = state.labels[graph.neighbours[start + rng.integers(0, n_around)]]
            if state.labels[neighbour] != target:
                gain += force_move(graph, state, neighbour, target)
                passes += 2
    elif kind == DISSOLVE or source != target:
        member = state.first[source]
        while member >= 0:
            # Read before the move, which links the member into another list.
            following = state.after[member]
            if kind == FUSE:
                gain += force_move(graph, state, member, target)
            elif state.sizes[source] > 1:
                gain += force_move(graph, state, member, state.free[state.counts[FREE] - 1])
            passes += 2
            member = following
    return gain, passes


@kernel
def iterated_search_sparse(graph, labels, max_passes, rng, tolerance):
    """Kick and settle, and undo what has lowered the value; labels are below n.

    An iterated local search (Lourenço, Martin & Stützle 2003). Its cost is counted in passes over
    the pairs of an item, to evaluate or to move it; it ends after `max_passes`.
    """
    state = start_search(labels)
    passes = 0
    while passes < max_passes:
        loss, kick_passes = kick(graph, state, rng)
        gain, settle_passes = settle(graph, state, tolerance)
        passes += kick_passes + settle_passes + 1
        # Equal value pays too, which lets the search drift over plateaus. Only touched items can
        # differ from what was kept, margins included: those of the kept partition hold again.
        pays = loss + gain >= 0.0
        for t in range(state.counts[TOUCHED]):
            item = state.touched[t]
            state.is_touched[item] = False
            if pays:
                state.kept_labels[item] = state.labels[item]
                state.kept_margins[item] = state.margins[item]
            else:
                state.margins[item] = state.kept_margins[item]
                if state.labels[item] != state.kept_labels[item]:
                    transfer(state, item, state.kept_labels[item])
        state.counts[TOUCHED] = 0
    return state.kept_labels.astype(np.intp)


@kernel
def internal_score_sparse(graph, labels):
    """Return the value of a partition: the sum of the scores inside its clusters."""
    total = 0.0
    # Each pair is in two rows; the smaller index as the neighbour picks one of them.
    for i in range(len(labels)):
        for k in range(graph.starts[i], graph.starts[i + 1]):
            if graph.neighbours[k] < i and labels[graph.neighbours[k]] == labels[i]:
                total += graph.scores[k]
    return total


@kernel
def contract_sparse(graph, labels, n_clusters):
    """Return the graph of the clusters, without the scores inside them."""
    n = len(labels)
    # The members of cluster c are members[bounds[c] : bounds[c + 1]].
    bounds = np.zeros(n_clusters + 1, np.int64)
    for i in range(n):
        bounds[labels[i] + 1] += 1
    for c in range(n_clusters):
        bounds[c + 1] += bounds[c]
    position = bounds[:-1].copy()
    members = np.empty(n, np.int32)
    for i in range(n):
        members[position[labels[i]]] = i
        position[labels[i]] += 1
    starts = np.zeros(n_clusters + 1, np.int64)
    neighbours = np.empty(len(graph.neighbours), np.int32)
    scores = np.empty(len(graph.neighbours))
    entry = np.full(n_clusters, -1)
    size = 0
    for c in range(n_clusters):
        for t in range(bounds[c], bounds[c + 1]):
            for k in range(graph.starts[members[t]], graph.starts[members[t] + 1]):
                d = labels[graph.neighbours[k]]
                if d == c:
                    continue
                # `entry` is never cleared: one before the start of this row is from an earlier row.
                if entry[d] < starts[c]:
                    entry[d] = size
                    neighbours[size], scores[size] = d, 0.0
                    size += 1
                scores[entry[d]] += graph.scores[k]
        starts[c + 1] = size
    return ScoreGraph(starts, neighbours[:size].copy(), scores[:size].copy())
