"""Greedy merging on candidate pairs, with a queue of positive edges and lazily repaired bounds.

An edge joins two clusters that have candidate pairs between them; its score is their sum. Its
record in `edges` is (end, other end, slot in the table); its record in `values` is (score, rank,
queued score, queued rank). The rank of an edge is that of its earliest pair and decides ties. The
queue holds upper bounds: when a score falls, its entry stays and is repaired once it comes to the
top; when a score rises, the edge is queued again.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.graphs.components import label_trees

# A slot of the hash table that was never used ends a probe, one that was vacated does not.
EMPTY, REMOVED = -1, -2
SCORE, RANK, QUEUED, QUEUED_RANK = 0, 1, 2, 3


@inlined
def is_ahead(score, rank, other_score, other_rank):
    return score > other_score or (score == other_score and rank < other_rank)


@inlined
def push(heap, heap_edges, size, score, rank, edge):
    """Put an entry into a 4-ary heap of `size` entries."""
    # The children of entry i are 4i + 1 to 4i + 4, side by side in memory. The heap is half as deep
    # as a binary one, so that a push compares half as often.
    i = size
    while i > 0:
        p = (i - 1) >> 2
        if not is_ahead(score, rank, heap[p, 0], heap[p, 1]):
            break
        heap[i, 0], heap[i, 1], heap_edges[i] = heap[p, 0], heap[p, 1], heap_edges[p]
        i = p
    heap[i, 0], heap[i, 1], heap_edges[i] = score, rank, edge


@inlined
def pop(heap, heap_edges, size):
    """Remove the top of a heap that has `size` entries afterwards."""
    # The last entry fills the hole at the top and sinks below every child that is ahead of it.
    score, rank, edge = heap[size, 0], heap[size, 1], heap_edges[size]
    i = 0
    while True:
        c = 4 * i + 1
        if c >= size:
            break
        top = c
        for j in range(c + 1, min(c + 4, size)):
            if is_ahead(heap[j, 0], heap[j, 1], heap[top, 0], heap[top, 1]):
                top = j
        if not is_ahead(heap[top, 0], heap[top, 1], score, rank):
            break
        heap[i, 0], heap[i, 1], heap_edges[i] = heap[top, 0], heap[top, 1], heap_edges[top]
        i = top
    heap[i, 0], heap[i, 1], heap_edges[i] = score, rank, edge


@inlined
def slot_of(a, b, mask):
    """Return the slot at which the probe for the ordered ends of an edge begins."""
    # One multiply-xorshift round with the constant of SplitMix64 (Steele et al. 2014). The slot is
    # in the upper half of the product, as its low bits depend only on low bits of the key.
    key = (np.uint64(a) << np.uint64(32)) | np.uint64(b)
    key = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((key >> np.uint64(32)) & np.uint64(mask))


@kernel
def build_table(edges):
    """Make the hash table that finds an edge by its ends; at most half of its slots are used."""
    capacity = 16
    while capacity < 2 * len(edges):
        capacity *= 2
    table = np.full(capacity, EMPTY, np.int32)
    for e in range(len(edges)):
        if edges[e, 0] >= 0:
            h = slot_of(edges[e, 0], edges[e, 1], capacity - 1)
            while table[h] != EMPTY:
                h = (h + 1) & (capacity - 1)
            table[h] = e
            edges[e, 2] = h
    return table


@kernel
def build_edges(n_items, pairs, scores):
    """Make the records of the edges, and the edges of each item as a CSR list."""
    m = len(scores)
    edges = np.empty((m, 4), np.int32)
    values = np.empty((m, 4))
    starts = np.zeros(n_items + 1, np.int64)
    for e in range(m):
        a, b = pairs[e, 0], pairs[e, 1]
        starts[a + 1] += 1
        starts[b + 1] += 1
        edges[e, 0], edges[e, 1] = a, b
        # The position of the pair in row order; a float holds it exactly for 94 million items.
        rank = float(a) * n_items + b
        values[e, SCORE], values[e, RANK] = scores[e], rank
        # The queue holds no negative scores: 0 makes the first rise above it be queued.
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

    `order` has the indices of the positive pairs by falling score, the earlier among equals.
    """
    edges, values, lists, starts = build_edges(n_items, pairs, scores)
    table = build_table(edges)
    # A lower bound on the slots that were never used.
    unused = len(table) - len(edges)
    # The edges of a cluster are the lists of its items, chained from the item that names it on:
    # `following` links the items, `last` is the end of a chain.
    lengths = starts[1:] - starts[:-1]
    degree = lengths.copy()
    following = np.full(n_items, -1)
    last = np.arange(n_items)
    parent = np.arange(n_items)
    heap = np.empty((1024, 2))
    heap_edges = np.empty(1024, np.int32)
    size, done = 0, 0
    while True:
        # The queue has two parts, the pairs sorted at the start and a heap of what has changed
        # since: most edges never change, and so never cost a heap operation.
        e = order[done] if done < len(order) else -1
        rank = float(pairs[e, 0]) * n_items + pairs[e, 1] if e >= 0 else 0.0
        if size > 0 and (e < 0 or not is_ahead(scores[e], rank, heap[0, 0], heap[0, 1])):
            e, score = heap_edges[0], heap[0, 0]
            size -= 1
            pop(heap, heap_edges, size)
        elif e >= 0:
            score = scores[e]
            done += 1
        else:
            return label_trees(first_items(parent))
        # Out of date: the edge was merged or dropped, or was queued again with another score.
        if edges[e, 0] < 0 or score != values[e, QUEUED]:
            continue
        if values[e, SCORE] < score:
            values[e, QUEUED], values[e, QUEUED_RANK] = values[e, SCORE], values[e, RANK]
            if values[e, SCORE] > 0:
                heap, heap_edges = grow_heap(heap, heap_edges, size)
                push(heap, heap_edges, size, values[e, SCORE], values[e, RANK], e)
                size += 1
            continue
        # Small to large: edges leave the cluster that has fewer of them, so that all moves together
        # are O(m log m) for m edges.
        a, b = edges[e, 0], edges[e, 1]
        if degree[a] < degree[b]:
            a, b = b, a
        parent[b] = a
        edges[e, 0] = -1
        table[edges[e, 2]] = REMOVED
        degree[a] -= 1
        # A quarter of the slots stays unused, so that probes for absent edges are short.
        if 4 * (unused - degree[b]) < len(table):
            table = build_table(edges)
            unused = len(table) - len(edges)
        # Each edge of b may take one unused slot; the slot that it vacates stays REMOVED.
        unused -= degree[b]
        item = b
        while item >= 0:
            following_item = following[item]
            # The list is compacted in place: edges that were dropped or absorbed leave it.
            n_kept = starts[item]
            for t in range(starts[item], starts[item] + lengths[item]):
                f = lists[t]
                if edges[f, 0] < 0:
                    continue
                c = edges[f, 1] if edges[f, 0] == b else edges[f, 0]
                g = move_edge(edges, table, f, a, c)
                if g == f:
                    lists[n_kept] = f
                    n_kept += 1
                    degree[a] += 1
                    continue
                degree[c] -= 1
                if add_edge(values, f, g):
                    heap, heap_edges = grow_heap(heap, heap_edges, size)
                    push(heap, heap_edges, size, values[g, SCORE], values[g, RANK], g)
                    size += 1
            lengths[item] = n_kept - starts[item]
            if n_kept > starts[item]:
                following[last[a]] = item
                last[a] = item
                following[item] = -1
            item = following_item


@inlined
def add_edge(values, f, g):
    """Add edge f to edge g; return whether g must be queued again, and record it as queued."""
    values[g, SCORE] += values[f, SCORE]
    values[g, RANK] = min(values[g, RANK], values[f, RANK])
    score, rank = values[g, SCORE], values[g, RANK]
    # The entry in the queue still bounds a score that is not ahead of it.
    if score <= 0 or not is_ahead(score, rank, values[g, QUEUED], values[g, QUEUED_RANK]):
        return False
    values[g, QUEUED], values[g, QUEUED_RANK] = score, rank
    return True


@inlined
def move_edge(edges, table, f, a, c):
    """Give edge f the ends (a, c) and return f; if another edge has them, drop f and return that.

    Dropping leaves the record of f, with end -1.
    """
    mask = len(table) - 1
    table[edges[f, 2]] = REMOVED
    x, y = min(a, c), max(a, c)
    h = slot_of(x, y, mask)
    # Only an unused slot proves that no edge has these ends; f then takes the first slot on the
    # way that was vacated, if there was one.
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
def grow_heap(heap, heap_edges, size):
    """Return the heap with room for one more entry."""
    if size < len(heap_edges):
        return heap, heap_edges
    wider, longer = np.empty((2 * size, 2)), np.empty(2 * size, np.int32)
    # A loop: an assignment of slices also compiles the texts of an error about their shapes.
    for place in range(size):
        wider[place, 0], wider[place, 1] = heap[place, 0], heap[place, 1]
        longer[place] = heap_edges[place]
    return wider, longer


@kernel
def first_items(parent):
    """Return the first item of the tree of each item."""
    n = len(parent)
    first = np.full(n, n)
    top = np.empty(n, np.intp)
    for i in range(n):
        r = i
        while parent[r] != r:
            r = parent[r]
        # Path compression: what is on the way to the root points to it from now on.
        j = i
        while parent[j] != r and j != r:
            parent[j], j = r, parent[j]
        top[i] = r
        first[r] = min(first[r], i)
    for i in range(n):
        top[i] = first[top[i]]
    return top
