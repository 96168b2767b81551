"""Average and complete linkage over candidate pairs: nearest-neighbour chains, with queues.

An edge joins two clusters that have candidate pairs between them. Its record in `edges` is (end,
other end, slot in the table, number of pairs); its record in `values` is (mean or lowest score,
rank, spread). The rank is that of its earliest pair; the spread is 0 where all its scores are
equal, else their largest absolute value.

Each cluster has a queue of its edges, a pairing heap of nodes. The mean score of clusters a and c
with `count` candidate pairs is missing + (mean - missing) * count / (|a| * |c|). The queue of a is
ordered by (mean - missing) * count / |c|, in which |a| does not occur: when a grows, the keys of
its own nodes stay right. A key is an upper bound: one that has become too high is repaired when
its node comes to the top; an edge that rises is queued again.

Where absent pairs are ignored, the score of two clusters is the mean of their candidate pairs, and
no size occurs in a key.
"""

from typing import NamedTuple

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.correlation.greedy_sparse import (
    REMOVED,
    build_edges,
    build_table,
    move_edge,
)
from coterie._kernels.graphs.components import DENSE_SHARE
from coterie._kernels.linkage.queues import (
    CHILD,
    EDGE,
    NEXT,
    NONE,
    RANK,
    SCORE,
    Queues,
    meld,
    queue,
    remove_top,
)
from coterie._kernels.linkage.remaining import (
    COUNT,
    SPREAD,
    join_remaining,
    record_join,
    spread_of,
)

UNUSED, LIVE = 0, 1


class Rule(NamedTuple):
    """The score of absent pairs, the largest size of a cluster, and whether scores are means.

    A join to a larger cluster scores lower by `size_cost`; if that is infinite, it is forbidden.
    Where absent pairs are ignored, `missing` is the level above which clusters are joined.
    """

    missing: float
    max_size: int
    size_cost: float
    by_mean: bool
    ignores_absent: bool


class LinkGraph(NamedTuple):
    """Edges, the list of edges of each cluster, and the size of each cluster.

    The edges of a cluster are the lists of its items, chained by `following` from the item that
    names it to `last`. `counters` has the unused slots of the table and the edges that are left.
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
    """The joins so far: links between items, their scores, their spreads, and their number."""

    links: np.ndarray
    heights: np.ndarray
    spreads: np.ndarray
    n_joins: np.ndarray


@kernel
def listed_average_joins(n_items, pairs, scores, missing, above, max_size, size_cost):
    """Join by the mean score between clusters, an absent pair scoring `missing`, while `above`.

    `missing` is at most `above`; pairs of score -inf are never joined. Returns links between
    the first items of the two clusters, their scores, and their spreads, in no order.
    """
    return _joins(n_items, pairs, scores, above, Rule(missing, max_size, size_cost, True, False))


@kernel
def scored_average_joins(n_items, pairs, scores, above):
    """Join by the mean score of the candidate pairs between clusters, ignoring absent pairs."""
    # The mean over the candidate pairs of a union lies between the means of its parts, so a join
    # never brings a third cluster nearer, and chains of nearest neighbours stay right.
    return _joins(n_items, pairs, scores, above, Rule(above, n_items, np.inf, True, True))


@kernel
def listed_complete_joins(n_items, pairs, scores, above, max_size):
    """Join by the lowest score between clusters whose pairs are all candidates, while `above`."""
    return _joins(n_items, pairs, scores, above, Rule(-np.inf, max_size, np.inf, False, False))


@kernel
def _joins(n_items, pairs, scores, above, rule):
    """Follow nearest neighbours until two clusters are each other's nearest, and join those.

    Once the remaining clusters have many edges for their number, means continue on a full matrix.
    """
    graph = _build_graph(n_items, pairs, scores)
    queues = _build_queues(n_items, graph, scores, rule)
    links = np.empty((n_items, 2), np.intp)
    merges = Merges(links, np.empty(n_items), np.empty(n_items), np.zeros(1, np.intp))
    # A cluster is named by one of its items; its first item is first_of[name]. cluster_of is the
    # inverse, NONE for items that are not the first one of a cluster that may still be joined.
    first_of, cluster_of = np.arange(n_items), np.arange(n_items)
    # chain[k] was reached over the edge chain_edges[k], of score levels[k].
    chain, chain_edges = np.empty(n_items, np.intp), np.empty(n_items, np.intp)
    levels = np.empty(n_items)
    on_chain = np.zeros(n_items, np.bool_)
    length, start, n_left = 0, 0, n_items
    while True:
        is_dense = graph.counters[LIVE] >= DENSE_SHARE * n_left**2
        if rule.by_mean and is_dense and not rule.ignores_absent:
            join_remaining(graph, rule, cluster_of, above, merges)
            break
        if length == 0:
            while start < n_items and cluster_of[start] == NONE:
                start += 1
            if start == n_items:
                break
            # The first level is `above`, so that the chain never follows a score too low to join.
            chain[0], levels[0], length = cluster_of[start], above, 1
            on_chain[chain[0]] = True
        item = chain[length - 1]
        edge, score = _nearest(graph, queues, rule, item)
        if edge != NONE:
            near = graph.edges[edge, 0] + graph.edges[edge, 1] - item
            # Rounding may make a cluster of the chain seem nearer than the last one; it is not.
            if score > levels[length - 1] and not on_chain[near]:
                chain[length], levels[length], chain_edges[length] = near, score, edge
                on_chain[near] = True
                length += 1
                continue
        on_chain[item] = False
        length -= 1
        # A chain of one: nothing is near enough, and no later join comes nearer.
        if length == 0:
            cluster_of[start] = NONE
            n_left -= 1
            continue
        edge, height = chain_edges[length], levels[length]
        length -= 1
        # Small to large, as in greedy merging: the cluster of fewer edges gives them to the other.
        a, b = item, chain[length]
        on_chain[b] = False
        if graph.degrees[a] < graph.degrees[b]:
            a, b = b, a
        first, second = min(first_of[a], first_of[b]), max(first_of[a], first_of[b])
        record_join(merges, first, second, height, spread_of(graph, rule, edge))
        cluster_of[first], cluster_of[second], first_of[a] = a, NONE, first
        n_left -= 1
        _absorb(graph, queues, rule, edge, a, b)
    count = merges.n_joins[0]
    return merges.links[:count], merges.heights[:count], merges.spreads[:count]


@kernel
def _build_graph(n_items, pairs, scores):
    edges, values, lists, starts = build_edges(n_items, pairs, scores)
    edges[:, COUNT] = 1
    values[:, SPREAD] = 0.0
    table = build_table(edges)
    lengths = starts[1:] - starts[:-1]
    following, last = np.full(n_items, NONE), np.arange(n_items)
    degrees, sizes = lengths.copy(), np.ones(n_items, np.int64)
    counters = np.array([len(table) - len(edges), len(edges)])
    return LinkGraph(
        edges, values, table, lists, starts, lengths, following, last, degrees, sizes, counters
    )


@kernel
def _build_queues(n_items, graph, scores, rule):
    """Queue every edge that may raise a mean, at both its ends."""
    m = len(scores)
    # Room for all nodes: two per edge, and two more for each of at most m edges that are taken in.
    keys, tree = np.empty(4 * m), np.empty((4 * m, 4), np.int32)
    tops, nodes = np.full(n_items, NONE, np.int32), np.full((m, 2), NONE, np.int32)
    edges, values, lists, starts = graph.edges, graph.values, graph.lists, graph.starts
    node = np.int64(0)
    for item in range(n_items):
        top = np.int64(NONE)
        for k in range(starts[item], starts[item + 1]):
            edge = lists[k]
            if scores[edge] > rule.missing:
                keys[node] = scores[edge] - rule.missing if rule.by_mean else scores[edge]
                nodes[edge, 0 if edges[edge, 0] == item else 1] = node
                tree[node, EDGE], tree[node, CHILD], tree[node, NEXT] = edge, NONE, NONE
                top = meld(values, keys, tree, top, node)
                node += 1
        tops[item] = top
    return Queues(tops, nodes, keys, tree, np.array([NONE, node]))


@kernel
def _absorb(graph, queues, rule, edge, a, b):
    """Put cluster b into a along the edge between them, and the edges of b to those of a."""
    edges, values, table, lists = graph.edges, graph.values, graph.table, graph.lists
    degrees, sizes, counters = graph.degrees, graph.sizes, graph.counters
    tops, nodes, keys, tree = queues.tops, queues.nodes, queues.keys, queues.tree
    edges[edge, 0] = NONE
    table[edges[edge, 2]] = REMOVED
    counters[LIVE] -= 1
    degrees[a] -= 1
    sizes[a] += sizes[b]
    # The keys of b's nodes depend only on the sizes at their other ends, so they hold in a, too.
    # Casts, so that a function is compiled for one type of numbers only.
    tops[a] = meld(values, keys, tree, np.int64(tops[a]), np.int64(tops[b]))
    if 4 * (counters[UNUSED] - degrees[b]) < len(table):
        fresh = build_table(edges)
        for slot in range(len(table)):
            table[slot] = fresh[slot]
        counters[UNUSED] = len(table) - len(edges)
    # Each edge of b may take one unused slot.
    counters[UNUSED] -= degrees[b]
    item = b
    while item != NONE:
        following, start = graph.following[item], graph.starts[item]
        n_kept = start
        for k in range(start, start + graph.lengths[item]):
            f = lists[k]
            if edges[f, 0] == NONE:
                continue
            side = 0 if edges[f, 0] == b else 1
            c = edges[f, 1 - side]
            g = move_edge(edges, table, f, a, c)
            if g == f:
                lists[n_kept] = f
                n_kept += 1
                degrees[a] += 1
                # Ends ascend: a may be on the other side of c than b was, and so must the nodes be.
                if side == (0 if c < a else 1):
                    nodes[f, 0], nodes[f, 1] = nodes[f, 1], nodes[f, 0]
                continue
            counters[LIVE] -= 1
            degrees[c] -= 1
            combine_edges(edges, values, f, g, rule.by_mean)
            # A mean may rise, and is queued again; a minimum only falls, below bounds that stay.
            if rule.by_mean:
                key_a = _key(graph, rule, g, c)
                key_c = _key(graph, rule, g, a)
                queue(edges, values, tops, nodes, keys, tree, queues.free, g, np.int64(a), key_a)
                queue(edges, values, tops, nodes, keys, tree, queues.free, g, np.int64(c), key_c)
        graph.lengths[item] = n_kept - start
        if n_kept > start:
            graph.following[graph.last[a]] = item
            graph.last[a] = item
            graph.following[item] = NONE
        item = following


@inlined
def _key(graph, rule, edge, other):
    """Return the key of an edge in the queue of the cluster at its other end than `other`."""
    rise = graph.values[edge, SCORE] - rule.missing
    if rule.ignores_absent:
        return rise
    key = rise * graph.edges[edge, COUNT] / graph.sizes[other]
    size = graph.sizes[graph.edges[edge, 0] + graph.edges[edge, 1] - other]
    # The cost grows with the size of the cluster whose queue this is, so that the key only falls.
    return key - size * rule.size_cost if is_costly(graph, rule, edge) else key


@inlined
def is_costly(graph, rule, edge):
    """Return whether the join along an edge is too large, but not forbidden."""
    size = graph.sizes[graph.edges[edge, 0]] + graph.sizes[graph.edges[edge, 1]]
    return size > rule.max_size and rule.size_cost < np.inf


@inlined
def combine_edges(edges, values, f, g, by_mean):
    """Add the pairs of edge f to edge g."""
    n_f, n_g = edges[f, COUNT], edges[g, COUNT]
    score_f, score_g = values[f, SCORE], values[g, SCORE]
    spread, score = max(values[f, SPREAD], values[g, SPREAD]), min(score_f, score_g)
    if score_f != score_g:
        spread = max(spread, abs(score_f), abs(score_g))
        if by_mean:
            # A mean is kept between its parts, which rounding may break.
            mean = (n_f * score_f + n_g * score_g) / (n_f + n_g)
            score = max(score, min(mean, max(score_f, score_g)))
    values[g, SCORE], values[g, SPREAD] = score, spread
    values[g, RANK] = min(values[g, RANK], values[f, RANK])
    edges[g, COUNT] = n_f + n_g


@kernel
def _nearest(graph, queues, rule, item):
    """Return the edge to the cluster of the highest score, NONE if there is none, and the score."""
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
            size, other_size = sizes[item], sizes[edges[edge, 1 - side]]
            count, n_pairs, score = edges[edge, COUNT], size * other_size, values[edge, SCORE]
            partial = count < n_pairs and not rule.ignores_absent
            key = _key(graph, rule, edge, edges[edge, 1 - side]) if rule.by_mean else score
            # Neither changes again: sizes only grow, and an absent pair stays absent.
            is_large = size + other_size > rule.max_size
            if (is_large and rule.size_cost == np.inf) or (partial and not rule.by_mean):
                nodes[edge, side] = NONE
                valid = False
            # The bound is exact, so all others are below: the node stays on top of the queue.
            elif key >= keys[node]:
                if partial:
                    score = rule.missing + (score - rule.missing) * (count / n_pairs)
                if is_large:
                    score -= rule.size_cost
                break
        top = remove_top(values, keys, tree, top)
        if valid:
            keys[node] = key
            tree[node, CHILD] = tree[node, NEXT] = NONE
            top = meld(values, keys, tree, top, node)
        else:
            tree[node, NEXT] = queues.free[0]
            queues.free[0] = node
        edge = np.int64(NONE)
    queues.tops[item] = top
    return edge, score
