"""The best partition of a few items, by dynamic programming over subsets."""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def best_labels(scores):
    """Label the clusters of the best partition for a symmetric matrix of scores, −inf apart.

    best(S) = max over clusters T ⊆ S with the first item of S of value(T) + best(S∖T), in O(3ⁿ)
    steps. Among equals, a cluster with fewer of the later items is first.
    """
    n_items = len(scores)
    values = subset_values(scores)
    best = np.zeros(len(values))
    choice = np.zeros(len(values), np.int64)
    for whole in range(1, len(values)):
        first = whole & -whole
        rest = whole ^ first
        # The subsets of `rest` in ascending order: carries run through the bits outside of it.
        part = 0
        top = -np.inf
        while True:
            value = values[first | part] + best[rest ^ part]
            if value > top:
                top = value
                choice[whole] = first | part
            if part == rest:
                break
            part = (part - rest) & rest
        best[whole] = top
    return _labelled(choice, n_items)


@kernel
def subset_values(scores):
    """Return the sum of the scores inside each subset of the items, the subset as bits."""
    n_items = len(scores)
    values = np.zeros(1 << n_items)
    for item in range(n_items):
        low = 1 << item
        for subset in range(low, 2 * low):
            # What the subset is worth without its last item, and what that item has with the rest.
            total = values[subset ^ low]
            for other in range(item):
                if subset >> other & 1:
                    total += scores[item, other]
            values[subset] = total
    return values


@kernel
def _labelled(choice, n_items):
    """Follow the chosen clusters from the set of all items."""
    labels = np.zeros(n_items, np.intp)
    left = len(choice) - 1
    label = 0
    while left:
        for item in range(n_items):
            if choice[left] >> item & 1:
                labels[item] = label
        left ^= choice[left]
        label += 1
    return labels
