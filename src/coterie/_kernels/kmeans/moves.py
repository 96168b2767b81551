"""Kernel k-means by single moves: one item at a time goes where the objective rises most."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

TOLERANCE = 1e-10
"""The least rise that counts, as a share of the largest sum of absolute scores of one item.

Far above the rounding of the sums, so that a sequence of moves never comes back to its start.
"""


@kernel
def ascend(matrix, labels, n_clusters):
    """Move items until no move raises Σ_c 1/|c| Σ_{i,j∈c} K_ij; change `labels`, return the value.

    All labels 0..n_clusters-1 must be in use, and stay so. Items are visited in order, round after
    round, and go to the cluster with the highest rise, the smallest label among equals.
    """
    # sums[c, i] = Σ_{j∈c} K_ij. A test reads one number per cluster, a move changes the sums of two
    # clusters with all items. Moves cost most of the time, hence clusters are the rows.
    sums, sizes, totals, scale = _sums(matrix, labels, n_clusters)
    least = TOLERANCE * scale
    item = 0
    # Items visited since the last move, from the one that moved on.
    n_visited = 0
    n_items = len(labels)
    while n_visited < n_items:
        best = _best_move(matrix[item, item], sums, sizes, totals, labels[item], item, least)
        n_visited += 1
        if best >= 0:
            _move(matrix, sums, sizes, totals, labels[item], best, item)
            labels[item] = best
            n_visited = 1
        item = item + 1 if item + 1 < n_items else 0
    value = 0.0
    for c in range(n_clusters):
        value += totals[c] / sizes[c]
    return value


@kernel
def _sums(matrix, labels, n_clusters):
    """Return the sums of items by cluster, the sizes and totals of clusters, and the scale."""
    # totals[c] = Σ_{i,j∈c} K_ij, diagonal included.
    n_items = len(labels)
    sums = np.zeros((n_clusters, n_items))
    sizes = np.zeros(n_clusters)
    totals = np.zeros(n_clusters)
    absolute = np.zeros(n_items)
    for item in range(n_items):
        row = sums[labels[item]]
        scores = matrix[item]
        sizes[labels[item]] += 1.0
        for other in range(n_items):
            row[other] += scores[other]
            absolute[other] += abs(scores[other])
    for item in range(n_items):
        totals[labels[item]] += sums[labels[item], item]
    return sums, sizes, totals, absolute.max()


@inlined
def _best_move(diagonal, sums, sizes, totals, label, item, least):
    """Return the cluster to which a move raises the value most, by more than `least`, else -1."""
    if sizes[label] < 2.0:
        return -1
    # Without item i, whose row and column leave it, a cluster has the total t - 2 Σ_j K_ij + K_ii;
    # with a new item i it has t + 2 Σ_j K_ij + K_ii, as that sum does not have K_ii in it yet.
    without = (totals[label] - 2.0 * sums[label, item] + diagonal) / (sizes[label] - 1.0)
    bar = totals[label] / sizes[label] - without + least
    best = -1
    for c in range(len(sizes)):
        if c != label:
            grown = (totals[c] + 2.0 * sums[c, item] + diagonal) / (sizes[c] + 1.0)
            rise = grown - totals[c] / sizes[c]
            if rise > bar:
                bar = rise
                best = c
    return best


@inlined
def _move(matrix, sums, sizes, totals, source, target, item):
    """Take an item out of one cluster and put it into another."""
    # The totals first: they need the sums from before the move.
    diagonal = matrix[item, item]
    totals[source] += diagonal - 2.0 * sums[source, item]
    totals[target] += diagonal + 2.0 * sums[target, item]
    sizes[source] -= 1.0
    sizes[target] += 1.0
    source_sums, target_sums = sums[source], sums[target]
    scores = matrix[item]
    for other in range(len(scores)):
        source_sums[other] -= scores[other]
        target_sums[other] += scores[other]
