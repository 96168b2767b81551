"""Local search on a full matrix: moves of single items, with the sums of all clusters at hand.

The state of a search is a named tuple of arrays: `sums[c, i]` is what item i scores with cluster c,
`own[i]` the same for its own cluster. A test of an item costs one number a cluster, a move one pass
over two rows, in which exactly the items that may want to move next are queued.
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

LIVE, FREE = 2, 3


class DensePartition(NamedTuple):
    """A partition in the making; `counts` belongs to the queue, `live` and `free`."""

    labels: Any
    sizes: Any
    sums: Any
    own: Any
    live: Any
    place: Any
    free: Any
    queue: Any
    queued: Any
    wanting: Any
    counts: Any


@kernel
def started(matrix, labels, capacity):
    """Sum the clusters of a partition; labels are below `capacity`, the number of rows kept."""
    n = len(labels)
    sums = np.zeros((capacity, n))
    sizes = np.zeros(capacity, np.intp)
    for i in range(n):
        row = sums[labels[i]]
        sizes[labels[i]] += 1
        for j in range(n):
            row[j] += matrix[i, j]
    own = np.empty(n)
    for i in range(n):
        own[i] = sums[labels[i], i]
    live, place = np.empty(capacity, np.intp), np.full(capacity, -1)
    free = np.empty(capacity, np.intp)
    counts = np.zeros(4, np.intp)
    for c in range(capacity - 1, -1, -1):
        if sizes[c] == 0:
            free[counts[FREE]] = c
            counts[FREE] += 1
    for c in range(capacity):
        if sizes[c] > 0:
            live[counts[LIVE]] = c
            place[c] = counts[LIVE]
            counts[LIVE] += 1
    queue, queued = np.empty(n, np.intp), np.zeros(n, np.bool_)
    wanting = np.zeros(n, np.bool_)
    return DensePartition(
        labels.copy(), sizes, sums, own, live, place, free, queue, queued, wanting, counts
    )


@inlined
def opened(state):
    """Take an empty cluster."""
    state.counts[FREE] -= 1
    c = state.free[state.counts[FREE]]
    state.place[c] = state.counts[LIVE]
    state.live[state.counts[LIVE]] = c
    state.counts[LIVE] += 1
    return c


@inlined
def closed(state, c):
    """Give back a cluster that has become empty, without the rounding errors of its sums."""
    state.sums[c, :] = 0.0
    state.counts[LIVE] -= 1
    other = state.live[state.counts[LIVE]]
    state.live[state.place[c]] = other
    state.place[other] = state.place[c]
    state.free[state.counts[FREE]] = c
    state.counts[FREE] += 1


@inlined
def reopened(state, c):
    """Take a given empty cluster."""
    at = state.counts[FREE] - 1
    while state.free[at] != c:
        at -= 1
    state.free[at] = state.free[state.counts[FREE] - 1]
    state.free[state.counts[FREE] - 1] = c
    opened(state)


@kernel
def transfer(matrix, state, item, target):
    """Move an item to another live cluster."""
    source = state.labels[item]
    labels, own, row = state.labels, state.own, matrix[item]
    out, into = state.sums[source], state.sums[target]
    labels[item] = target
    for j in range(len(row)):
        out[j] -= row[j]
        into[j] += row[j]
        mine = into[j] if labels[j] == target else own[j]
        own[j] = out[j] if labels[j] == source else mine
    state.sizes[target] += 1
    state.sizes[source] -= 1


@kernel
def move(matrix, state, item, target, tolerance):
    """Move an item, and queue the items that may want to move next; return the gain."""
    source = state.labels[item]
    gain = state.sums[target, item] - state.own[item]
    transfer(matrix, state, item, target)
    labels, own, row, wanting = state.labels, state.own, matrix[item], state.wanting
    out, into = state.sums[source], state.sums[target]
    # Whoever prefers one of the two clusters now, or likes their own less than before. In two
    # loops, because one that only compares is done many numbers at a time.
    for j in range(len(row)):
        prefers = max(into[j], out[j]) > own[j] + tolerance
        misses = (labels[j] == source) & (row[j] > 0)
        minds = (labels[j] == target) & (row[j] < 0)
        wanting[j] = prefers | misses | minds
    for j in range(len(row)):
        if wanting[j]:
            enqueue(state, j)
    if state.sizes[source] == 0:
        closed(state, source)
    return gain


@kernel
def settle(matrix, state, tolerance):
    """Move queued items to their best cluster until none gains; return the gain and the moves."""
    gain, moves = 0.0, 0
    while state.counts[LENGTH] > 0:
        item = dequeue(state)
        mine = state.labels[item]
        target, top = -1, 0.0
        for t in range(state.counts[LIVE]):
            c = state.live[t]
            if state.sums[c, item] > top and c != mine:
                target, top = c, state.sums[c, item]
        if top - state.own[item] > tolerance and (target >= 0 or state.sizes[mine] > 1):
            if target < 0:
                target = opened(state)
            gain += move(matrix, state, item, target, tolerance)
            moves += 1
    return gain, moves


@kernel
def local_search_dense(matrix, labels, order, tolerance):
    """Improve a partition, whose labels are below n, by moves of single items in this order."""
    state = started(matrix, labels, len(labels) + 1)
    for item in order:
        enqueue(state, item)
    settle(matrix, state, tolerance)
    return state.labels


@kernel
def kicked(matrix, state, rng, tolerance):
    """Disturb the partition at random; return the gain, mostly negative, and the moves."""
    n = len(state.labels)
    gain, moves = 0.0, 0
    way = rng.integers(0, WAYS)
    source = state.labels[rng.integers(0, n)]
    target = state.live[rng.integers(0, state.counts[LIVE])]
    if way == SCATTER or state.sizes[source] > MOST:
        for _ in range(rng.integers(2, 2 + min(n, 20))):
            item = rng.integers(0, n)
            target = state.live[rng.integers(0, state.counts[LIVE])]
            if state.labels[item] != target:
                gain += move(matrix, state, item, target, tolerance)
                moves += 1
                enqueue(state, item)
    elif way == DISSOLVE or source != target:
        for item in range(n):
            if state.labels[item] == source and (way == FUSE or state.sizes[source] > 1):
                to = target if way == FUSE else opened(state)
                gain += move(matrix, state, item, to, tolerance)
                moves += 1
                enqueue(state, item)
    return gain, moves


@kernel
def iterated_search_dense(matrix, labels, max_moves, rng, tolerance):
    """Kick and settle, and undo what has not paid, for a number of moves; labels are below n.

    A move is what costs: one pass over the pairs of an item.
    """
    state = started(matrix, labels, len(labels) + 1)
    kept = labels.copy()
    moves = 0
    while moves < max_moves:
        loss, kick_moves = kicked(matrix, state, rng, tolerance)
        gain, settle_moves = settle(matrix, state, tolerance)
        moves += kick_moves + settle_moves + 1
        if loss + gain >= 0.0:
            kept[:] = state.labels
        else:
            moves += restore(matrix, state, kept)
    return kept


@kernel
def restore(matrix, state, labels):
    """Go back to an earlier partition; return the moves."""
    moves = 0
    for item in range(len(labels)):
        source, target = state.labels[item], labels[item]
        if source != target:
            if state.sizes[target] == 0:
                reopened(state, target)
            transfer(matrix, state, item, target)
            moves += 1
            if state.sizes[source] == 0:
                closed(state, source)
    return moves


@kernel
def internal_score_dense(matrix, labels):
    """Sum the scores inside clusters."""
    total = 0.0
    for i in range(len(labels)):
        for j in range(i):
            if labels[i] == labels[j]:
                total += matrix[i, j]
    return total


@kernel
def contract_dense(matrix, labels, n_clusters):
    """Sum the scores between clusters; the diagonal is 0."""
    n = len(labels)
    rows = np.zeros((n_clusters, n))
    for i in range(n):
        row = rows[labels[i]]
        for j in range(n):
            row[j] += matrix[i, j]
    small = np.zeros((n_clusters, n_clusters))
    for c in range(n_clusters):
        for j in range(n):
            small[c, labels[j]] += rows[c, j]
        small[c, c] = 0.0
    return small
