"""Local search on a full matrix: moves of single items, with the scores of all clusters at hand.

The state of a search is a named tuple of arrays: `sums[c, i]` is the score of item i with cluster
c, and `inside[i]` is its score with its own cluster. The diagonal of the matrix is 0, so an item
adds nothing to its own score. To test an item costs one number per cluster. To move it costs one
pass over two rows of `sums`, which also queues exactly the items that may gain by moving next.
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

LIVE, FREE = 2, 3


class DensePartition(NamedTuple):
    """A partition that changes in place, of clusters named by rows of `sums`.

    The live clusters are `live[:counts[LIVE]]`, where cluster c is at `position[c]`; the empty ones
    are the stack `free[:counts[FREE]]`.
    """

    labels: Any
    sizes: Any
    sums: Any
    inside: Any
    live: Any
    position: Any
    free: Any
    queue: Any
    queued: Any
    may_gain: Any
    counts: Any


@kernel
def start_search(matrix, labels, capacity):
    """Return the state of a partition whose labels are below `capacity`, the number of rows."""
    n = len(labels)
    sums = np.zeros((capacity, n))
    sizes = np.zeros(capacity, np.intp)
    for i in range(n):
        row = sums[labels[i]]
        sizes[labels[i]] += 1
        for j in range(n):
            row[j] += matrix[i, j]
    inside = np.empty(n)
    for i in range(n):
        inside[i] = sums[labels[i], i]
    live, position = np.empty(capacity, np.intp), np.full(capacity, -1)
    free = np.empty(capacity, np.intp)
    counts = np.zeros(4, np.intp)
    # From the last on, so that the smallest unused label is on top of the stack.
    for c in range(capacity - 1, -1, -1):
        if sizes[c] == 0:
            free[counts[FREE]] = c
            counts[FREE] += 1
    for c in range(capacity):
        if sizes[c] > 0:
            live[counts[LIVE]] = c
            position[c] = counts[LIVE]
            counts[LIVE] += 1
    queue, queued = np.empty(n, np.intp), np.zeros(n, np.bool_)
    may_gain = np.zeros(n, np.bool_)
    return DensePartition(
        labels.copy(), sizes, sums, inside, live, position, free, queue, queued, may_gain, counts
    )


@inlined
def open_cluster(state):
    """Make the empty cluster on top of the stack live, and return it."""
    state.counts[FREE] -= 1
    c = state.free[state.counts[FREE]]
    state.position[c] = state.counts[LIVE]
    state.live[state.counts[LIVE]] = c
    state.counts[LIVE] += 1
    return c


@inlined
def close_cluster(state, c):
    """Put a cluster that has become empty on the stack."""
    # Sums of nothing are 0 but for the rounding errors of many additions and subtractions; here
    # these end, instead of piling up in each next use of the row.
    state.sums[c, :] = 0.0
    state.counts[LIVE] -= 1
    # The last live cluster fills the gap, so that both lists change in constant time.
    last = state.live[state.counts[LIVE]]
    state.live[state.position[c]] = last
    state.position[last] = state.position[c]
    state.free[state.counts[FREE]] = c
    state.counts[FREE] += 1


@inlined
def reopen_cluster(state, c):
    """Make one certain empty cluster live."""
    # Searched from the top, where the clusters that were emptied last are.
    top = state.counts[FREE] - 1
    position = top
    while state.free[position] != c:
        position -= 1
    state.free[position] = state.free[top]
    state.free[top] = c
    open_cluster(state)


@kernel
def transfer(matrix, state, item, target):
    """Move an item to another live cluster."""
    source = state.labels[item]
    labels, inside, row = state.labels, state.inside, matrix[item]
    source_sums, target_sums = state.sums[source], state.sums[target]
    labels[item] = target
    for j in range(len(row)):
        source_sums[j] -= row[j]
        target_sums[j] += row[j]
        # Selections instead of branches, so that the compiler can vectorise the loop.
        other = target_sums[j] if labels[j] == target else inside[j]
        inside[j] = source_sums[j] if labels[j] == source else other
    state.sizes[target] += 1
    state.sizes[source] -= 1


@kernel
def move(matrix, state, item, target, tolerance):
    """Move an item, and queue the items that may gain by moving next; return the gain."""
    source = state.labels[item]
    # The value changes by the item's score with its new cluster less that with its old one.
    gain = state.sums[target, item] - state.inside[item]
    transfer(matrix, state, item, target)
    labels, inside, row, may_gain = state.labels, state.inside, matrix[item], state.may_gain
    source_sums, target_sums = state.sums[source], state.sums[target]
    # No other cluster has changed: an item may gain only if it prefers one of the two now, or if
    # its score with its own cluster fell. In two loops, because one that only compares is
    # vectorised.
    for j in range(len(row)):
        prefers = max(target_sums[j], source_sums[j]) > inside[j] + tolerance
        lost_friend = (labels[j] == source) & (row[j] > 0)
        met_foe = (labels[j] == target) & (row[j] < 0)
        may_gain[j] = prefers | lost_friend | met_foe
    for j in range(len(row)):
        if may_gain[j]:
            enqueue(state, j)
    if state.sizes[source] == 0:
        close_cluster(state, source)
    return gain


@kernel
def settle(matrix, state, tolerance):
    """Move queued items to their best cluster until none gains; return the gain and the moves.

    This is LocalSearch of Gionis, Mannila & Tsaparas 2007, with a queue in place of passes over all
    items.
    """
    gain, moves = 0.0, 0
    while state.counts[LENGTH] > 0:
        item = dequeue(state)
        source = state.labels[item]
        # An item alone scores 0: no cluster (-1) is the best target until one scores more.
        target, top = -1, 0.0
        for t in range(state.counts[LIVE]):
            c = state.live[t]
            if state.sums[c, item] > top and c != source:
                target, top = c, state.sums[c, item]
        if top - state.inside[item] > tolerance and (target >= 0 or state.sizes[source] > 1):
            if target < 0:
                target = open_cluster(state)
            gain += move(matrix, state, item, target, tolerance)
            moves += 1
    return gain, moves


@kernel
def local_search_dense(matrix, labels, order, tolerance):
    """Improve a partition, whose labels are below n, by moves of single items in this order."""
    # One more cluster than items, so that there is an empty one even if all items are alone.
    state = start_search(matrix, labels, len(labels) + 1)
    for item in order:
        enqueue(state, item)
    settle(matrix, state, tolerance)
    return state.labels


@kernel
def kick(matrix, state, rng, tolerance):
    """Disturb the partition at random; return the gain, mostly negative, and the moves."""
    n = len(state.labels)
    gain, moves = 0.0, 0
    kind = rng.integers(0, N_KICKS)
    source = state.labels[rng.integers(0, n)]
    target = state.live[rng.integers(0, state.counts[LIVE])]
    if kind == SCATTER or state.sizes[source] > MAX_KICKED:
        for _ in range(rng.integers(2, 2 + min(n, 20))):
            item = rng.integers(0, n)
            target = state.live[rng.integers(0, state.counts[LIVE])]
            if state.labels[item] != target:
                gain += move(matrix, state, item, target, tolerance)
                moves += 1
                enqueue(state, item)
    elif kind == DISSOLVE or source != target:
        for item in range(n):
            if state.labels[item] == source and (kind == FUSE or state.sizes[source] > 1):
                new = target if kind == FUSE else open_cluster(state)
                gain += move(matrix, state, item, new, tolerance)
                moves += 1
                enqueue(state, item)
    return gain, moves


@kernel
def iterated_search_dense(matrix, labels, max_moves, rng, tolerance):
    """Kick and settle, and undo what has lowered the value; labels are below n.

    An iterated local search (Lourenço, Martin & Stützle 2003). Its cost is counted in moves, each a
    pass over the pairs of an item; it ends after `max_moves`.
    """
    state = start_search(matrix, labels, len(labels) + 1)
    kept_labels = labels.copy()
    moves = 0
    while moves < max_moves:
        kick_gain, kick_moves = kick(matrix, state, rng, tolerance)
        settle_gain, settle_moves = settle(matrix, state, tolerance)
        # Plus 1, so that the loop ends even if no kick moves an item.
        moves += kick_moves + settle_moves + 1
        # A change that leaves the value equal is kept, so that the search can drift over plateaus.
        if kick_gain + settle_gain >= 0.0:
            kept_labels[:] = state.labels
        else:
            moves += restore(matrix, state, kept_labels)
    return kept_labels


@kernel
def restore(matrix, state, labels):
    """Go back to an earlier partition; return the moves."""
    moves = 0
    for item in range(len(labels)):
        source, target = state.labels[item], labels[item]
        if source != target:
            if state.sizes[target] == 0:
                reopen_cluster(state, target)
            transfer(matrix, state, item, target)
            moves += 1
            if state.sizes[source] == 0:
                close_cluster(state, source)
    return moves


@kernel
def internal_score_dense(matrix, labels):
    """Return the value of a partition: the sum of the scores inside its clusters."""
    total = 0.0
    for i in range(len(labels)):
        for j in range(i):
            if labels[i] == labels[j]:
                total += matrix[i, j]
    return total


@kernel
def contract_dense(matrix, labels, n_clusters):
    """Return the matrix of the scores between clusters, 0 on the diagonal."""
    n = len(labels)
    # Rows first, then columns: O(n²) sums along rows of memory, whatever the number of clusters.
    rows = np.zeros((n_clusters, n))
    for i in range(n):
        row = rows[labels[i]]
        for j in range(n):
            row[j] += matrix[i, j]
    contracted = np.zeros((n_clusters, n_clusters))
    for c in range(n_clusters):
        for j in range(n):
            contracted[c, labels[j]] += rows[c, j]
        contracted[c, c] = 0.0
    return contracted
