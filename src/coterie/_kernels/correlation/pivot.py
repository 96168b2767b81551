"""Random pivots: the first free item of an order takes all free items that it is linked to."""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def listed_pivots(starts, neighbours, order):
    """Label each item by its pivot; item i's positive pairs are at `starts[i]:starts[i + 1]`."""
    labels = np.full(len(order), -1, np.int32)
    for pivot in order:
        if labels[pivot] < 0:
            labels[pivot] = pivot
            for k in range(starts[pivot], starts[pivot + 1]):
                if labels[neighbours[k]] < 0:
                    labels[neighbours[k]] = pivot
    return labels


@kernel
def condensed_pivots(n_items, scores, order):
    """Label each item by its pivot; `scores` are those of all pairs."""
    labels = np.full(n_items, -1, np.int32)
    for pivot in order:
        if labels[pivot] < 0:
            labels[pivot] = pivot
            pair = pivot - 1
            for item in range(pivot):
                if labels[item] < 0 and scores[pair] > 0.0:
                    labels[item] = pivot
                pair += n_items - item - 2
            start = pivot * (2 * n_items - pivot - 1) // 2 - pivot - 1
            for item in range(pivot + 1, n_items):
                if labels[item] < 0 and scores[start + item] > 0.0:
                    labels[item] = pivot
    return labels


@kernel
def positive_neighbours(n_items, pairs, scores):
    """List the items that each item has a positive pair with, and where each list begins."""
    starts = np.zeros(n_items + 1, np.intp)
    for pair in range(len(pairs)):
        if scores[pair] > 0.0:
            starts[pairs[pair, 0] + 1] += 1
            starts[pairs[pair, 1] + 1] += 1
    for item in range(n_items):
        starts[item + 1] += starts[item]
    ends = starts.copy()
    neighbours = np.empty(starts[n_items], np.int32)
    for pair in range(len(pairs)):
        if scores[pair] > 0.0:
            a, b = pairs[pair, 0], pairs[pair, 1]
            neighbours[ends[a]], neighbours[ends[b]] = b, a
            ends[a] += 1
            ends[b] += 1
    return starts, neighbours
