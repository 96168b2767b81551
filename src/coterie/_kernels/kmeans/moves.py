"""Point-incremental kernel k-means: one item moves at a time, wherever the objective rises most."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

TOLERANCE = 1e-10
"""The least rise that counts, as a share of the largest sum of absolute scores of one item.

Far above the rounding of the sums, so that a sequence of moves never comes back to its start.
"""


@kernel
def ascend(matrix, labels, n_clusters):
    """Move items until no move raises Σ_c 1/|c| Σ_{i,j∈c} K_ij; change `labels`, return the value.

    All of 0..n_clusters-1 must be in use, and stay so. Items are visited in order, again and again,
    and go to the cluster with the highest rise, the smallest label among equals.
    """
    # sums[c, i] = Σ_{j∈c} K_ij: a test reads k of them, a move changes two whole rows. Moves are
    # the larger part, hence clusters in rows.
    sums, sizes, totals, scale = _sums(matrix, labels, n_clusters)
    least = TOLERANCE * scale
    item = 0
    still = 0
    n_items = len(labels)
    while still < n_items:
        best = _best_move(matrix[item, item], sums, sizes, totals, labels[item], item, least)
        still += 1
        if best >= 0:
            _move(matrix, sums, sizes, totals, labels[item], best, item)
            labels[item] = best
            still = 1
        item = item + 1 if item + 1 < n_items else 0
    value = 0.0
    for c in range(n_clusters):
        value += totals[c] / sizes[c]
    return value


@kernel
def _sums(matrix, labels, n_clusters):
    """Sum the scores of each item with each cluster; each cluster's size and sum; the scale."""
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
def _best_move(own, sums, sizes, totals, label, item, least):
    """Find the cluster to which a move raises the value most, by at least `least`; else -1."""
    if sizes[label] < 2.0:
        return -1
    without = (totals[label] - 2.0 * sums[label, item] + own) / (sizes[label] - 1.0)
    bar = totals[label] / sizes[label] - without + least
    best = -1
    for c in range(len(sizes)):
        if c != label:
            rise = (totals[c] + 2.0 * sums[c, item] + own) / (sizes[c] + 1.0) - totals[c] / sizes[c]
            if rise > bar:
                bar = rise
                best = c
    return best


@inlined
def _move(matrix, sums, sizes, totals, source, target, item):
    """Take an item out of one cluster and put it into another."""
    own = matrix[item, item]
    totals[source] += own - 2.0 * sums[source, item]
    totals[target] += own + 2.0 * sums[target, item]
    sizes[source] -= 1.0
    sizes[target] += 1.0
    loses = sums[source]
    gains = sums[target]
    scores = matrix[item]
    for other in range(len(scores)):
        loses[other] -= scores[other]
        gains[other] += scores[other]
