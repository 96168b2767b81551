"""Pivots: the first unlabelled item of an order takes all unlabelled items that it likes.

KwikCluster of Ailon, Charikar & Newman 2008; in a uniformly random order it makes, in expectation,
at most three times as many mistakes as the best partition if all scores are 1 or -1.
"""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def listed_pivots(starts, neighbours, order):
    """Label each item by its pivot; the positive neighbours of item i start at `starts[i]`."""
    labels = np.full(len(order), -1, np.int32)
    # Neighbours are never both pivots, so all scans together pass each positive pair at most once.
    for pivot in order:
        if labels[pivot] < 0:
            labels[pivot] = pivot
            for k in range(starts[pivot], starts[pivot + 1]):
                if labels[neighbours[k]] < 0:
                    labels[neighbours[k]] = pivot
    return labels


@kernel
def condensed_pivots(n_items, scores, order):
    """Label each item by its pivot; `scores` has all pairs in condensed order."""
    labels = np.full(n_items, -1, np.int32)
    for pivot in order:
        if labels[pivot] < 0:
            labels[pivot] = pivot
            # Column `pivot` of the upper triangle: pair (0, pivot) is at pivot - 1, and one row
            # further down the same column is n_items - item - 2 entries on.
            pair = pivot - 1
            for item in range(pivot):
                if labels[item] < 0 and scores[pair] > 0.0:
                    labels[item] = pivot
                pair += n_items - item - 2
            # Its row is contiguous: pair (pivot, item) is at start + item.
            start = pivot * (2 * n_items - pivot - 1) // 2 - pivot - 1
            for item in range(pivot + 1, n_items):
                if labels[item] < 0 and scores[start + item] > 0.0:
                    labels[item] = pivot
    return labels


@kernel
def positive_neighbours(n_items, pairs, scores):
    """Return the starts and the neighbours of a CSR list of the positive pairs of each item."""
    starts = np.zeros(n_items + 1, np.intp)
    for pair in range(len(pairs)):
        if scores[pair] > 0.0:
            starts[pairs[pair, 0] + 1] += 1
            starts[pairs[pair, 1] + 1] += 1
    for item in range(n_items):
        starts[item + 1] += starts[item]
    # The next entry to fill of each row, which is its end when all pairs are in.
    ends = starts.copy()
    neighbours = np.empty(starts[n_items], np.int32)
    for pair in range(len(pairs)):
        if scores[pair] > 0.0:
            a, b = pairs[pair, 0], pairs[pair, 1]
            neighbours[ends[a]], neighbours[ends[b]] = b, a
            ends[a] += 1
            ends[b] += 1
    return starts, neighbours
