"""The last joins of linkages over candidate pairs, and the records of joins.

Where most of the clusters that remain have candidate pairs with each other, a full matrix of their
scores is faster than queues of edges. See `coterie._kernels.linkage.sparse` for the edges.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.linkage.dense import joins, pair_position, row_starts
from coterie._kernels.linkage.queues import NONE, SCORE

COUNT, SPREAD = 3, 2
"""The columns of an edge with its number of pairs, and of its values with its spread."""


@kernel
def join_remaining(graph, rule, cluster_of, above, merges):
    """Join the remaining clusters by a chain over all their pairs; add to the joins so far."""
    edges, sizes, missing = graph.edges, graph.sizes, rule.missing
    position, firsts = np.full(len(cluster_of), NONE), np.empty(len(cluster_of), np.intp)
    cluster_sizes = np.empty(len(cluster_of))
    k = 0
    for first in range(len(cluster_of)):
        cluster = cluster_of[first]
        if cluster != NONE:
            position[cluster], firsts[k], cluster_sizes[k] = k, first, sizes[cluster]
            k += 1
    if k < 2:
        return
    # The largest absolute score of each cluster's edges, or of absent pairs: it bounds the spread.
    largest = np.full(k, abs(missing))
    for e in range(len(edges)):
        i, j = end_positions(edges, position, e)
        if i != NONE and graph.values[e, SCORE] > -np.inf:
            stake = max(abs(graph.values[e, SCORE]), graph.values[e, SPREAD])
            largest[i], largest[j] = max(largest[i], stake), max(largest[j], stake)
    # So low that a mean with any such pair in it is below all others, and finite.
    forbidden_score = -4.0 * max(largest.max(), 1.0) * float(len(cluster_of)) ** 2
    starts = row_starts(k)
    scores = np.full(k * (k - 1) // 2, missing)
    edge_of = np.full(k, NONE)
    for i in range(k):
        for j in range(i + 1, k):
            if cluster_sizes[i] + cluster_sizes[j] > rule.max_size:
                scores[pair_position(starts, i, j)] = max(missing - rule.size_cost, forbidden_score)
    for e in range(len(edges)):
        i, j = end_positions(edges, position, e)
        if i != NONE:
            is_large = cluster_sizes[i] + cluster_sizes[j] > rule.max_size
            score = mean_score(graph, missing, e) - (rule.size_cost if is_large else 0.0)
            scores[pair_position(starts, i, j)] = max(score, forbidden_score)
    links, heights = joins(
        scores, cluster_sizes[:k], rule.max_size, forbidden_score, rule.size_cost, True
    )
    join_of = np.empty(k, np.intp)
    for join in range(k - 1):
        join_of[links[join, 1]] = join
    # A join at exactly the score of an edge from before is rounded like it, and has its spread.
    for e in range(len(edges)):
        i, j = end_positions(edges, position, e)
        if i != NONE:
            join = join_of[j]
            if links[join, 0] == i and heights[join] == mean_score(graph, missing, e):
                edge_of[join] = e
    for join in range(k - 1):
        i, j = links[join]
        largest[i] = max(largest[i], largest[j])
        if heights[join] > above:
            edge = edge_of[join]
            spread = largest[i] if edge == NONE else spread_of(graph, rule, edge)
            record_join(merges, firsts[i], firsts[j], heights[join], spread)


@inlined
def record_join(merges, first, second, height, spread):
    """Add a join to those so far."""
    count = merges.n_joins[0]
    merges.links[count, 0], merges.links[count, 1] = first, second
    merges.heights[count], merges.spreads[count] = height, spread
    merges.n_joins[0] += 1


@inlined
def end_positions(edges, position, edge):
    """Return the positions of the ends of an edge, ascending; NONE if it or an end is gone."""
    i, j = NONE, NONE
    if edges[edge, 0] != NONE:
        i, j = position[edges[edge, 0]], position[edges[edge, 1]]
        i, j = min(i, j), max(i, j)
    return i, j


@kernel
def mean_score(graph, missing, edge):
    """Return the mean score of two clusters, in which absent pairs score `missing`."""
    edges, score = graph.edges, graph.values[edge, SCORE]
    n_pairs = graph.sizes[edges[edge, 0]] * graph.sizes[edges[edge, 1]]
    if edges[edge, COUNT] < n_pairs:
        score = missing + (score - missing) * (edges[edge, COUNT] / n_pairs)
    return score


@kernel
def spread_of(graph, rule, edge):
    """Return the largest absolute score in a mean, 0 where all scores are equal."""
    edges, missing = graph.edges, rule.missing
    score, spread = graph.values[edge, SCORE], graph.values[edge, SPREAD]
    n_pairs = graph.sizes[edges[edge, 0]] * graph.sizes[edges[edge, 1]]
    is_partial = edges[edge, COUNT] < n_pairs and not rule.ignores_absent
    if is_partial and score != missing:
        spread = max(spread, abs(score), abs(missing))
    return spread
