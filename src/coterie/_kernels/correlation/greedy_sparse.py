"""Greedy merging on listed pairs, with a queue of positive edges and lazily repaired bounds.

An edge is what two clusters score together. Its record in `edges` is (end, other end, slot in the
table); its record in `values` is (score, rank, queued score, queued rank). The rank of an edge is
the earliest listed pair in it and decides ties. The queue holds upper bounds: a score that falls
leaves its entry, which is repaired when it comes to the top; one that rises is queued again.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.graphs.components import label_trees

EMPTY, REMOVED = -1, -2
SCORE, RANK, QUEUED, QUEUED_RANK = 0, 1, 2, 3


@inlined
def ahead(score, rank, other_score, other_rank):
    return score > other_score or (score == other_score and rank < other_rank)


@inlined
def push(heap, heap_edges, size, score, rank, edge):
    """Put an entry into a 4-ary heap of `size` entries."""
    i = size
    while i > 0:
        p = (i - 1) >> 2
        if not ahead(score, rank, heap[p, 0], heap[p, 1]):
            break
        heap[i, 0], heap[i, 1], heap_edges[i] = heap[p, 0], heap[p, 1], heap_edges[p]
        i = p
    heap[i, 0], heap[i, 1], heap_edges[i] = score, rank, edge


@inlined
def pop(heap, heap_edges, size):
    """Remove the top of a heap that has `size` entries afterwards."""
    score, rank, edge = heap[size, 0], heap[size, 1], heap_edges[size]
    i = 0
    while True:
        c = 4 * i + 1
        if c >= size:
            break
        top = c
        for j in range(c + 1, min(c + 4, size)):
            if ahead(heap[j, 0], heap[j, 1], heap[top, 0], heap[top, 1]):
                top = j
        if not ahead(heap[top, 0], heap[top, 1], score, rank):
            break
        heap[i, 0], heap[i, 1], heap_edges[i] = heap[top, 0], heap[top, 1], heap_edges[top]
        i = top
    heap[i, 0], heap[i, 1], heap_edges[i] = score, rank, edge


@inlined
def place(a, b, mask):
    """Hash the ordered ends of an edge."""
    key = (np.uint64(a) << np.uint64(32)) | np.uint64(b)
    key = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((key >> np.uint64(32)) & np.uint64(mask))


@kernel
def tabled(edges):
    """Make the table that finds an edge by its ends; never more than half full of edges."""
    capacity = 16
    while capacity < 2 * len(edges):
        capacity *= 2
    table = np.full(capacity, EMPTY, np.int32)
    for e in range(len(edges)):
        if edges[e, 0] >= 0:
            h = place(edges[e, 0], edges[e, 1], capacity - 1)
            while table[h] != EMPTY:
                h = (h + 1) & (capacity - 1)
            table[h] = e
            edges[e, 2] = h
    return table


@kernel
def linked(n_items, pairs, scores):
    """Make the records of the edges and the edge list of each item."""
    m = len(scores)
    edges = np.empty((m, 4), np.int32)
    values = np.empty((m, 4))
    starts = np.zeros(n_items + 1, np.int64)
    for e in range(m):
        a, b = pairs[e, 0], pairs[e, 1]
        starts[a + 1] += 1
        starts[b + 1] += 1
        edges[e, 0], edges[e, 1] = a, b
        rank = float(a) * n_items + b
        values[e, SCORE], values[e, RANK] = scores[e], rank
        values[e, QUEUED], values[e, QUEUED_RANK] = max(scores[e], 0.0), rank
    for i in range(n_items):
        starts[i + 1] += starts[i]
    position = starts[:-1].copy()
    lists = np.empty(2 * m, np.int32)
    for e in range(m):
        for end in range(2):
            i = pairs[e, end]
            lists[position[i]] = e
            position[i] += 1
    return edges, values, lists, starts


@kernel
def merge_sparse(n_items, pairs, scores, order):
    """Merge the two clusters of the highest score until none is positive; label by first item.

    `order` lists the positive pairs by falling score, the earlier among equals.
    """
    edges, values, lists, starts = linked(n_items, pairs, scores)
    table = tabled(edges)
    unused = len(table) - len(edges)
    # A cluster's edges are the lists of its items, chained from the cluster's own item on.
    lengths = starts[1:] - starts[:-1]
    degree = lengths.copy()
    following = np.full(n_items, -1)
    last = np.arange(n_items)
    parent = np.arange(n_items)
    heap = np.empty((1024, 2))
    heap_edges = np.empty(1024, np.int32)
    size, done = 0, 0
    while True:
        # The next entry: of the sorted pairs, or of the heap of what has changed since.
        e = order[done] if done < len(order) else -1
        rank = float(pairs[e, 0]) * n_items + pairs[e, 1] if e >= 0 else 0.0
        if size > 0 and (e < 0 or not ahead(scores[e], rank, heap[0, 0], heap[0, 1])):
            e, score = heap_edges[0], heap[0, 0]
            size -= 1
            pop(heap, heap_edges, size)
        elif e >= 0:
            score = scores[e]
            done += 1
        else:
            return label_trees(rooted(parent))
        if edges[e, 0] < 0 or score != values[e, QUEUED]:
            continue
        if values[e, SCORE] < score:
            values[e, QUEUED], values[e, QUEUED_RANK] = values[e, SCORE], values[e, RANK]
            if values[e, SCORE] > 0:
                heap, heap_edges = grown(heap, heap_edges, size)
                push(heap, heap_edges, size, values[e, SCORE], values[e, RANK], e)
                size += 1
            continue
        a, b = edges[e, 0], edges[e, 1]
        if degree[a] < degree[b]:
            a, b = b, a
        parent[b] = a
        edges[e, 0] = -1
        table[edges[e, 2]] = REMOVED
        degree[a] -= 1
        if 4 * (unused - degree[b]) < len(table):
            table = tabled(edges)
            unused = len(table) - len(edges)
        # Each edge of b may use up one empty slot of the table.
        unused -= degree[b]
        item = b
        while item >= 0:
            following_item = following[item]
            kept = starts[item]
            for t in range(starts[item], starts[item] + lengths[item]):
                f = lists[t]
                if edges[f, 0] < 0:
                    continue
                c = edges[f, 1] if edges[f, 0] == b else edges[f, 0]
                g = moved(edges, table, f, a, c)
                if g == f:
                    lists[kept] = f
                    kept += 1
                    degree[a] += 1
                    continue
                degree[c] -= 1
                if added(values, f, g):
                    heap, heap_edges = grown(heap, heap_edges, size)
                    push(heap, heap_edges, size, values[g, SCORE], values[g, RANK], g)
                    size += 1
            lengths[item] = kept - starts[item]
            if kept > starts[item]:
                following[last[a]] = item
                last[a] = item
                following[item] = -1
            item = following_item


@inlined
def added(values, f, g):
    """Add edge f to edge g; say whether g must be queued again, as it then counts to be."""
    values[g, SCORE] += values[f, SCORE]
    values[g, RANK] = min(values[g, RANK], values[f, RANK])
    score, rank = values[g, SCORE], values[g, RANK]
    if score <= 0 or not ahead(score, rank, values[g, QUEUED], values[g, QUEUED_RANK]):
        return False
    values[g, QUEUED], values[g, QUEUED_RANK] = score, rank
    return True


@inlined
def moved(edges, table, f, a, c):
    """Give edge f the ends (a, c); return f, or the edge that had them before, f being dropped."""
    mask = len(table) - 1
    table[edges[f, 2]] = REMOVED
    x, y = min(a, c), max(a, c)
    h = place(x, y, mask)
    free = -1
    while table[h] != EMPTY:
        g = table[h]
        if g == REMOVED:
            if free < 0:
                free = h
        elif edges[g, 0] == x and edges[g, 1] == y:
            edges[f, 0] = -1
            return g
        h = (h + 1) & mask
    if free < 0:
        free = h
    table[free] = f
    edges[f, 0], edges[f, 1], edges[f, 2] = x, y, free
    return f


@kernel
def grown(heap, heap_edges, size):
    """Make room for one more entry."""
    if size < len(heap_edges):
        return heap, heap_edges
    wider = np.empty((2 * size, 2))
    wider[:size] = heap
    longer = np.empty(2 * size, np.int32)
    longer[:size] = heap_edges
    return wider, longer


@kernel
def rooted(parent):
    """Point every item to the first item of its tree."""
    n = len(parent)
    first = np.full(n, n)
    top = np.empty(n, np.intp)
    for i in range(n):
        r = i
        while parent[r] != r:
            r = parent[r]
        j = i
        while parent[j] != r and j != r:
            parent[j], j = r, parent[j]
        top[i] = r
        first[r] = min(first[r], i)
    for i in range(n):
        top[i] = first[top[i]]
    return top
