"""The best partition of a few items, by dynamic programming over subsets."""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def best_labels(scores):
    """Label the clusters of the best partition for a symmetric matrix of scores, −inf if apart.

    best(S) = max over clusters T ⊆ S with the first item of S of value(T) + best(S∖T), in O(3ⁿ)
    steps. Among equals, the T of the smallest bit pattern is taken: it has fewer late items.
    """
    n_items = len(scores)
    values = subset_values(scores)
    best = np.zeros(len(values))
    choice = np.zeros(len(values), np.int64)
    # Every proper subset is a smaller number, so its best value is known when it is needed.
    for subset in range(1, len(values)):
        # Some cluster has the first item, the lowest bit set; fixing it there avoids counting a
        # partition once for each order of its clusters.
        first = subset & -subset
        others = subset ^ first
        # The subsets of `others` in ascending order: subtracting `others` adds 1 with all bits
        # outside of it set, so that carries run through them.
        part = 0
        top = -np.inf
        while True:
            value = values[first | part] + best[others ^ part]
            if value > top:
                top = value
                choice[subset] = first | part
            if part == others:
                break
            part = (part - others) & others
        best[subset] = top
    return _follow_choices(choice, n_items)


@kernel
def subset_values(scores):
    """Return the sum of the scores inside each subset of the items; item i is bit i of a subset."""
    n_items = len(scores)
    values = np.zeros(1 << n_items)
    for item in range(n_items):
        low = 1 << item
        for subset in range(low, 2 * low):
            # Its last item is `item`; the subset without it has a smaller number, so is done.
            total = values[subset ^ low]
            for other in range(item):
                if subset >> other & 1:
                    total += scores[item, other]
            values[subset] = total
    return values


@kernel
def _follow_choices(choice, n_items):
    """Label the items by the chosen clusters, from the set of all items on."""
    labels = np.zeros(n_items, np.intp)
    remaining = len(choice) - 1
    label = 0
    while remaining:
        # The chosen cluster has the first remaining item, so labels are by first appearance.
        for item in range(n_items):
            if choice[remaining] >> item & 1:
                labels[item] = label
        remaining ^= choice[remaining]
        label += 1
    return labels
