"""Average and complete linkage over listed pairs: chains of nearest neighbours, in queues.

An edge is what two clusters have listed between them. Its record in `edges` is (end, other end,
slot in the table, number of pairs); its record in `values` is (mean or lowest score, rank, spread).
The rank is the earliest listed pair in it, the spread 0 where all its scores are equal, else the
largest of them without its sign.

Each cluster has a queue of its edges, a pairing heap of nodes. The mean score of clusters a and c,
`count` of their pairs listed, is missing + (mean - missing) * count / (|a| * |c|), so that the
order in the queue of a, by (mean - missing) * count / |c|, is no matter of the size of a: a cluster
of many edges may grow, and none of its own nodes changes. A node holds an upper bound: what
falls is repaired when it comes to the top; what rises is queued again.
"""

from typing import NamedTuple

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.correlation.greedy_sparse import REMOVED, linked, moved, tabled
from coterie._kernels.graphs.components import DENSE_SHARE
from coterie._kernels.linkage.dense import joins, position, row_starts
from coterie._kernels.linkage.queues import (
    CHILD,
    EDGE,
    NEXT,
    NONE,
    RANK,
    SCORE,
    Queues,
    melded,
    queue,
    rest,
)

COUNT, SPREAD = 3, 2
UNUSED, LIVE = 0, 1


class Rule(NamedTuple):
    """What an absent pair scores, the largest size of a cluster, and whether means are taken."""

    missing: float
    max_size: int
    by_mean: bool


class LinkGraph(NamedTuple):
    """Edges, the list of edges of each cluster, and the size of each cluster.

    A cluster's edges are the lists of its items, chained from the cluster's own item on. `counters`
    are the empty slots of the table and the edges that are left.
    """

    edges: np.ndarray
    values: np.ndarray
    table: np.ndarray
    lists: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    following: np.ndarray
    last: np.ndarray
    degrees: np.ndarray
    sizes: np.ndarray
    counters: np.ndarray


class Merges(NamedTuple):
    """The joins made: links of items, scores, spreads, and how many they are."""

    links: np.ndarray
    heights: np.ndarray
    spreads: np.ndarray
    n_made: np.ndarray


@kernel
def listed_average_joins(n_items, pairs, scores, missing, above, max_size):
    """Join by the mean score between clusters, an absent pair scoring `missing`, while `above`.

    `missing` is no more than `above`; pairs of score -inf are never joined. Returns links between
    the first items of the two clusters, their scores, and their spreads, in no order.
    """
    return _joins(n_items, pairs, scores, above, Rule(missing, max_size, True))


@kernel
def listed_complete_joins(n_items, pairs, scores, above, max_size):
    """Join by the lowest score between clusters whose pairs are all listed, while `above`."""
    return _joins(n_items, pairs, scores, above, Rule(-np.inf, max_size, False))


@kernel
def _joins(n_items, pairs, scores, above, rule):
    """Follow nearest neighbours until two are each other's nearest, and join those.

    Where few clusters are left for their edges, means go on in a full matrix.
    """
    graph = _graph(n_items, pairs, scores)
    queues = _queues(n_items, graph, scores, rule)
    links = np.empty((n_items, 2), np.intp)
    made = Merges(links, np.empty(n_items), np.empty(n_items), np.zeros(1, np.intp))
    names = np.arange(n_items)
    # The cluster with this first item, as long as it may be the start of a chain.
    named = np.arange(n_items)
    chain, steps = np.empty(n_items, np.intp), np.empty(n_items, np.intp)
    levels = np.empty(n_items)
    on_chain = np.zeros(n_items, np.bool_)
    length, start, left = 0, 0, n_items
    while True:
        if rule.by_mean and graph.counters[LIVE] >= DENSE_SHARE * left**2:
            _join_rest(graph, rule, named, above, made)
            break
        if length == 0:
            while start < n_items and named[start] == NONE:
                start += 1
            if start == n_items:
                break
            chain[0], levels[0], length = named[start], above, 1
            on_chain[chain[0]] = True
        item = chain[length - 1]
        edge, score = _nearest(graph, queues, rule, item)
        if edge != NONE:
            near = graph.edges[edge, 0] + graph.edges[edge, 1] - item
            # Rounding may show a cluster of the chain as nearer than the last; that is not so.
            if score > levels[length - 1] and not on_chain[near]:
                chain[length], levels[length], steps[length] = near, score, edge
                on_chain[near] = True
                length += 1
                continue
        on_chain[item] = False
        length -= 1
        if length == 0:
            named[start] = NONE
            left -= 1
            continue
        edge, height = steps[length], levels[length]
        length -= 1
        a, b = item, chain[length]
        on_chain[b] = False
        if graph.degrees[a] < graph.degrees[b]:
            a, b = b, a
        record(made, names[a], names[b], height, _spread(graph, rule.missing, edge))
        first, second = min(names[a], names[b]), max(names[a], names[b])
        named[first], named[second], names[a] = a, NONE, first
        left -= 1
        _absorb(graph, queues, rule, edge, a, b)
    count = made.n_made[0]
    return made.links[:count], made.heights[:count], made.spreads[:count]


@kernel
def _graph(n_items, pairs, scores):
    edges, values, lists, starts = linked(n_items, pairs, scores)
    edges[:, COUNT] = 1
    values[:, SPREAD] = 0.0
    table = tabled(edges)
    lengths = starts[1:] - starts[:-1]
    following, last = np.full(n_items, NONE), np.arange(n_items)
    degrees, sizes = lengths.copy(), np.ones(n_items, np.int64)
    counters = np.array([len(table) - len(edges), len(edges)])
    return LinkGraph(
        edges, values, table, lists, starts, lengths, following, last, degrees, sizes, counters
    )


@kernel
def _queues(n_items, graph, scores, rule):
    """Queue every edge that may raise a mean, at both its ends."""
    m = len(scores)
    # An edge has two nodes, and two more are made each time that one edge takes in another.
    keys, tree = np.empty(4 * m), np.empty((4 * m, 4), np.int32)
    tops, nodes = np.full(n_items, NONE, np.int32), np.full((m, 2), NONE, np.int32)
    edges, values, lists, starts = graph.edges, graph.values, graph.lists, graph.starts
    node = 0
    for item in range(n_items):
        top = NONE
        for at in range(starts[item], starts[item + 1]):
            edge = lists[at]
            if scores[edge] > rule.missing:
                keys[node] = scores[edge] - rule.missing if rule.by_mean else scores[edge]
                nodes[edge, 0 if edges[edge, 0] == item else 1] = node
                tree[node, EDGE], tree[node, CHILD], tree[node, NEXT] = edge, NONE, NONE
                top = melded(values, keys, tree, top, node)
                node += 1
        tops[item] = top
    return Queues(tops, nodes, keys, tree, np.array([NONE, node]))


@kernel
def _absorb(graph, queues, rule, edge, a, b):
    """Put cluster b into a, which an edge connects, and its edges to those of a."""
    edges, values, table, lists = graph.edges, graph.values, graph.table, graph.lists
    degrees, sizes, counters = graph.degrees, graph.sizes, graph.counters
    tops, nodes, keys, tree = queues.tops, queues.nodes, queues.keys, queues.tree
    edges[edge, 0] = NONE
    table[edges[edge, 2]] = REMOVED
    counters[LIVE] -= 1
    degrees[a] -= 1
    sizes[a] += sizes[b]
    tops[a] = melded(values, keys, tree, tops[a], tops[b])
    if 4 * (counters[UNUSED] - degrees[b]) < len(table):
        table[:] = tabled(edges)
        counters[UNUSED] = len(table) - len(edges)
    # Each edge of b may use up one empty slot of the table.
    counters[UNUSED] -= degrees[b]
    item = b
    while item != NONE:
        following, start = graph.following[item], graph.starts[item]
        kept = start
        for at in range(start, start + graph.lengths[item]):
            f = lists[at]
            if edges[f, 0] == NONE:
                continue
            side = 0 if edges[f, 0] == b else 1
            c = edges[f, 1 - side]
            g = moved(edges, table, f, a, c)
            if g == f:
                lists[kept] = f
                kept += 1
                degrees[a] += 1
                if side == (0 if c < a else 1):
                    nodes[f, 0], nodes[f, 1] = nodes[f, 1], nodes[f, 0]
                continue
            counters[LIVE] -= 1
            degrees[c] -= 1
            add(edges, values, f, g, rule.by_mean)
            if rule.by_mean:
                rise = (values[g, SCORE] - rule.missing) * edges[g, COUNT]
                queue(edges, values, tops, nodes, keys, tree, queues.free, g, a, rise / sizes[c])
                queue(edges, values, tops, nodes, keys, tree, queues.free, g, c, rise / sizes[a])
        graph.lengths[item] = kept - start
        if kept > start:
            graph.following[graph.last[a]] = item
            graph.last[a] = item
            graph.following[item] = NONE
        item = following


@inlined
def add(edges, values, f, g, by_mean):
    """Add edge f to edge g."""
    of_f, of_g = edges[f, COUNT], edges[g, COUNT]
    one, other = values[f, SCORE], values[g, SCORE]
    spread, score = max(values[f, SPREAD], values[g, SPREAD]), min(one, other)
    if one != other:
        spread = max(spread, abs(one), abs(other))
        if by_mean:
            mean = (of_f * one + of_g * other) / (of_f + of_g)
            score = max(score, min(mean, max(one, other)))
    values[g, SCORE], values[g, SPREAD] = score, spread
    values[g, RANK] = min(values[g, RANK], values[f, RANK])
    edges[g, COUNT] = of_f + of_g


@kernel
def _nearest(graph, queues, rule, item):
    """Find the edge to the cluster of the highest score, and that score; NONE if there is none."""
    edges, values, sizes = graph.edges, graph.values, graph.sizes
    keys, tree, nodes = queues.keys, queues.tree, queues.nodes
    top = np.int64(queues.tops[item])
    edge, score = np.int64(NONE), -np.inf
    while top != NONE:
        node = top
        edge = np.int64(tree[node, EDGE])
        side = 0 if edges[edge, 0] == item else 1
        valid = edges[edge, 0] != NONE and nodes[edge, side] == node
        if valid:
            of_item, of_other = sizes[item], sizes[edges[edge, 1 - side]]
            count, n_pairs, score = edges[edge, COUNT], of_item * of_other, values[edge, SCORE]
            partial = count < n_pairs
            key = (score - rule.missing) * count / of_other if rule.by_mean else score
            if of_item + of_other > rule.max_size or (partial and not rule.by_mean):
                nodes[edge, side] = NONE
                valid = False
            elif key >= keys[node]:
                if partial:
                    score = rule.missing + (score - rule.missing) * (count / n_pairs)
                break
        top = rest(values, keys, tree, top)
        if valid:
            keys[node] = key
            tree[node, CHILD] = tree[node, NEXT] = NONE
            top = melded(values, keys, tree, top, node)
        else:
            tree[node, NEXT] = queues.free[0]
            queues.free[0] = node
        edge = np.int64(NONE)
    queues.tops[item] = top
    return edge, score


@kernel
def _join_rest(graph, rule, named, above, made):
    """Join the clusters that are left by a chain over all their pairs; add to the joins made."""
    edges, sizes, missing = graph.edges, graph.sizes, rule.missing
    place, firsts = np.full(len(named), NONE), np.empty(len(named), np.intp)
    own = np.empty(len(named))
    k = 0
    for first in range(len(named)):
        if named[first] != NONE:
            place[named[first]], firsts[k], own[k] = k, first, sizes[named[first]]
            k += 1
    if k < 2:
        return
    # The largest score of each cluster's edges, without its sign, or that of absent pairs.
    largest = np.full(k, abs(missing))
    for e in range(len(edges)):
        i, j = places(edges, place, e)
        if i != NONE and graph.values[e, SCORE] > -np.inf:
            stake = max(abs(graph.values[e, SCORE]), graph.values[e, SPREAD])
            largest[i], largest[j] = max(largest[i], stake), max(largest[j], stake)
    # So low that a mean with any such pair in it is below all others, and finite.
    barred = -4.0 * max(largest.max(), 1.0) * float(len(named)) ** 2
    starts = row_starts(k)
    scores = np.full(k * (k - 1) // 2, missing)
    edge_of = np.full(k, NONE)
    for i in range(k):
        for j in range(i + 1, k):
            if own[i] + own[j] > rule.max_size:
                scores[position(starts, i, j)] = barred
    for e in range(len(edges)):
        i, j = places(edges, place, e)
        if i != NONE and own[i] + own[j] <= rule.max_size:
            scores[position(starts, i, j)] = max(_score(graph, missing, e), barred)
    links, heights = joins(scores, own[:k], rule.max_size, barred, True)
    join_of = np.empty(k, np.intp)
    for at in range(k - 1):
        join_of[links[at, 1]] = at
    # A join that scores what its two clusters did from the start is rounded as that was.
    for e in range(len(edges)):
        i, j = places(edges, place, e)
        if i != NONE:
            at = join_of[j]
            if links[at, 0] == i and heights[at] == _score(graph, missing, e):
                edge_of[at] = e
    for at in range(k - 1):
        i, j = links[at]
        largest[i] = max(largest[i], largest[j])
        if heights[at] > above:
            spread = largest[i] if edge_of[at] == NONE else _spread(graph, missing, edge_of[at])
            record(made, firsts[i], firsts[j], heights[at], spread)


@inlined
def record(made, first, second, height, spread):
    """Add a join to those made."""
    at = made.n_made[0]
    made.links[at, 0], made.links[at, 1] = min(first, second), max(first, second)
    made.heights[at], made.spreads[at] = height, spread
    made.n_made[0] += 1


@inlined
def places(edges, place, edge):
    """Return the places of the two ends of an edge in order; NONE if one end is not left."""
    i, j = NONE, NONE
    if edges[edge, 0] != NONE:
        i, j = place[edges[edge, 0]], place[edges[edge, 1]]
        i, j = min(i, j), max(i, j)
    return i, j


@kernel
def _score(graph, missing, edge):
    """Return the mean score of two clusters."""
    edges, score = graph.edges, graph.values[edge, SCORE]
    n_pairs = graph.sizes[edges[edge, 0]] * graph.sizes[edges[edge, 1]]
    if edges[edge, COUNT] < n_pairs:
        score = missing + (score - missing) * (edges[edge, COUNT] / n_pairs)
    return score


@kernel
def _spread(graph, missing, edge):
    """Return the largest score of a mean without its sign, 0 where all are equal."""
    edges = graph.edges
    score, spread = graph.values[edge, SCORE], graph.values[edge, SPREAD]
    n_pairs = graph.sizes[edges[edge, 0]] * graph.sizes[edges[edge, 1]]
    if edges[edge, COUNT] < n_pairs and score != missing:
        spread = max(spread, abs(score), abs(missing))
    return spread
