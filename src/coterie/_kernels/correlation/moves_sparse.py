"""Local search on listed pairs: moves of single items on a graph in compressed rows.

The state of a search is a named tuple of arrays. An item's `margin` is a lower bound on what it
loses by leaving its cluster: a move lowers it by what it may have lost, and only an item whose
margin is used up is queued to be weighed again. The members of a cluster are a linked list, so that
a cluster can be taken apart, and the items `touched` since the partition was kept are listed, so
that it can be restored, without a look at all items.
"""

from typing import Any, NamedTuple

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.correlation.queues import (
    DISSOLVE,
    FUSE,
    LENGTH,
    MOST,
    SCATTER,
    WAYS,
    dequeue,
    enqueue,
)

FREE, TOUCHED = 2, 3


class ScoreGraph(NamedTuple):
    """Neighbours of item i and the scores with them: entries starts[i] to starts[i + 1]."""

    starts: Any
    neighbours: Any
    scores: Any


class SparsePartition(NamedTuple):
    """A partition in the making; `counts` belongs to the queue, `free` and `touched`."""

    labels: Any
    kept: Any
    margins: Any
    kept_margins: Any
    sizes: Any
    first: Any
    after: Any
    before: Any
    free: Any
    place: Any
    queue: Any
    queued: Any
    touched: Any
    is_touched: Any
    sums: Any
    seen: Any
    marked: Any
    counts: Any


@kernel
def build_graph(n_items, pairs, scores):
    """Put listed pairs, in both directions, into compressed rows."""
    m = len(scores)
    starts = np.zeros(n_items + 1, np.int64)
    for e in range(m):
        starts[pairs[e, 0] + 1] += 1
        starts[pairs[e, 1] + 1] += 1
    for i in range(n_items):
        starts[i + 1] += starts[i]
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
def started(labels):
    """Make the state of a partition whose labels are below n; one cluster more is kept free."""
    n = len(labels)
    kept = labels.astype(np.int32)
    sizes = np.zeros(n + 1, np.int32)
    first = np.full(n + 1, -1, np.int32)
    after, before = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    free, place = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    queue, queued = np.empty(n, np.int32), np.zeros(n, np.bool_)
    touched, is_touched = np.empty(n, np.int32), np.zeros(n, np.bool_)
    sums, seen = np.zeros(n + 1), np.empty(n + 1, np.int32)
    marked = np.zeros(n + 1, np.bool_)
    counts = np.zeros(4, np.int64)
    state = SparsePartition(
        kept.copy(), kept, np.zeros(n), np.zeros(n), sizes, first, after, before, free, place,
        queue, queued, touched, is_touched, sums, seen, marked, counts,
    )  # fmt: skip
    for i in range(n - 1, -1, -1):
        enter(state, i, kept[i])
    for c in range(n, -1, -1):
        if sizes[c] == 0:
            close(state, c)
    return state


@inlined
def enter(state, item, cluster):
    top = state.first[cluster]
    state.before[item], state.after[item] = -1, top
    if top >= 0:
        state.before[top] = item
    state.first[cluster] = item
    state.labels[item] = cluster
    state.sizes[cluster] += 1


@inlined
def leave(state, item):
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
        close(state, cluster)


@inlined
def close(state, cluster):
    """Put an empty cluster on the pile of free ones."""
    state.free[state.counts[FREE]] = cluster
    state.place[cluster] = state.counts[FREE]
    state.counts[FREE] += 1


@inlined
def open_(state, cluster):
    """Take a cluster from the pile of free ones."""
    state.counts[FREE] -= 1
    other = state.free[state.counts[FREE]]
    state.free[state.place[cluster]] = other
    state.place[other] = state.place[cluster]


@inlined
def transfer(state, item, target):
    """Move an item to another cluster, empty or not."""
    if state.sizes[target] == 0:
        open_(state, target)
    leave(state, item)
    enter(state, item, target)


@inlined
def touch(state, item):
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
        score, mine = graph.scores[k], state.labels[j]
        if mine == source:
            loss = 2 * score
        elif mine == target:
            loss = -2 * score
        else:
            loss = abs(score)
        if loss > 0:
            touch(state, j)
            state.margins[j] -= loss
            if state.margins[j] < 0:
                enqueue(state, j)


@kernel
def weighed(graph, state, item, wanted):
    """Sum an item's scores around it; return those with its own, a wanted and its best cluster."""
    mine = state.labels[item]
    n_seen = 0
    for k in range(graph.starts[item], graph.starts[item + 1]):
        c = state.labels[graph.neighbours[k]]
        if not state.marked[c]:
            state.marked[c] = True
            state.seen[n_seen] = c
            n_seen += 1
        state.sums[c] += graph.scores[k]
    own, asked = state.sums[mine], state.sums[wanted]
    target, top = -1, 0.0
    for t in range(n_seen):
        c = state.seen[t]
        if state.sums[c] > top and c != mine:
            target, top = c, state.sums[c]
        state.sums[c] = 0.0
        state.marked[c] = False
    return own, asked, target, top


@kernel
def settle(graph, state, tolerance):
    """Move queued items to their best cluster until none gains; return the gain and the passes."""
    gain, passes = 0.0, 0
    while state.counts[LENGTH] > 0:
        item = dequeue(state)
        passes += 1
        mine = state.labels[item]
        own, _, target, top = weighed(graph, state, item, mine)
        touch(state, item)
        state.margins[item] = max(own - top, 0.0)
        if top - own > tolerance and (target >= 0 or state.sizes[mine] > 1):
            if target < 0:
                target = state.free[state.counts[FREE] - 1]
            move(graph, state, item, target)
            gain += top - own
            passes += 1
    return gain, passes


@kernel
def local_search_sparse(graph, labels, order, tolerance):
    """Improve a partition, whose labels are below n, by moves of single items in this order."""
    state = started(labels)
    for item in order:
        enqueue(state, item)
    settle(graph, state, tolerance)
    return state.labels.astype(np.intp)


@inlined
def forced(graph, state, item, target):
    """Move an item whatever it costs, and queue it; return the gain."""
    own, asked, _, _ = weighed(graph, state, item, target)
    move(graph, state, item, target)
    enqueue(state, item)
    return asked - own


@kernel
def kicked(graph, state, rng):
    """Disturb the partition around a random item; return the gain, mostly negative, and the passes.

    Some neighbours go to each other's clusters, or the item's cluster falls apart, or it becomes
    one with a neighbour's.
    """
    gain, passes = 0.0, 0
    way = rng.integers(0, WAYS)
    item = rng.integers(0, len(state.labels))
    start, n_around = graph.starts[item], graph.starts[item + 1] - graph.starts[item]
    if n_around == 0:
        return gain, passes
    source = state.labels[item]
    target = state.labels[graph.neighbours[start + rng.integers(0, n_around)]]
    if way == SCATTER or state.sizes[source] > MOST:
        for _ in range(rng.integers(2, 2 + min(n_around, 20))):
            other = graph.neighbours[start + rng.integers(0, n_around)]
            target = state.labels[graph.neighbours[start + rng.integers(0, n_around)]]
            if state.labels[other] != target:
                gain += forced(graph, state, other, target)
                passes += 2
    elif way == DISSOLVE or source != target:
        other = state.first[source]
        while other >= 0:
            following = state.after[other]
            if way == FUSE:
                gain += forced(graph, state, other, target)
            elif state.sizes[source] > 1:
                gain += forced(graph, state, other, state.free[state.counts[FREE] - 1])
            passes += 2
            other = following
    return gain, passes


@kernel
def iterated_search_sparse(graph, labels, max_passes, rng, tolerance):
    """Kick and settle, and undo what has not paid, for a number of passes; labels are below n.

    A pass is a look at the pairs of one item, to weigh it or to move it.
    """
    state = started(labels)
    passes = 0
    while passes < max_passes:
        loss, kick_passes = kicked(graph, state, rng)
        gain, settle_passes = settle(graph, state, tolerance)
        passes += kick_passes + settle_passes + 1
        pays = loss + gain >= 0.0
        for t in range(state.counts[TOUCHED]):
            item = state.touched[t]
            state.is_touched[item] = False
            if pays:
                state.kept[item] = state.labels[item]
                state.kept_margins[item] = state.margins[item]
            else:
                state.margins[item] = state.kept_margins[item]
                if state.labels[item] != state.kept[item]:
                    transfer(state, item, state.kept[item])
        state.counts[TOUCHED] = 0
    return state.kept.astype(np.intp)


@kernel
def internal_score_sparse(graph, labels):
    """Sum the scores inside clusters."""
    total = 0.0
    for i in range(len(labels)):
        for k in range(graph.starts[i], graph.starts[i + 1]):
            if graph.neighbours[k] < i and labels[graph.neighbours[k]] == labels[i]:
                total += graph.scores[k]
    return total


@kernel
def contract_sparse(graph, labels, n_clusters):
    """Sum the scores between clusters, without those inside."""
    n = len(labels)
    ends = np.zeros(n_clusters + 1, np.int64)
    for i in range(n):
        ends[labels[i] + 1] += 1
    for c in range(n_clusters):
        ends[c + 1] += ends[c]
    position = ends[:-1].copy()
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
        for t in range(ends[c], ends[c + 1]):
            for k in range(graph.starts[members[t]], graph.starts[members[t] + 1]):
                d = labels[graph.neighbours[k]]
                if d == c:
                    continue
                if entry[d] < starts[c]:
                    entry[d] = size
                    neighbours[size], scores[size] = d, 0.0
                    size += 1
                scores[entry[d]] += graph.scores[k]
        starts[c + 1] = size
    return ScoreGraph(starts, neighbours[:size].copy(), scores[:size].copy())
