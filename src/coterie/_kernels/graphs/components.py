"""Connected components of the pairs that score above a level, by union-find."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

DENSE_SHARE = 1 / 16
"""From which share of n² pairs of n items or clusters on a full matrix is the faster way."""


@inlined
def root(parent, item):
    """Find the root of an item, halving the path on the way."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@kernel
def listed_components(n_items, pairs, scores, above):
    """Label the components 0, 1, … by first item; `pairs` has shape (m, 2)."""
    parent = np.arange(n_items)
    left = n_items
    for pair in range(len(scores)):
        if scores[pair] > above:
            a, b = root(parent, pairs[pair, 0]), root(parent, pairs[pair, 1])
            if a != b:
                parent[max(a, b)] = min(a, b)
                left -= 1
                if left == 1:
                    break
    return label_trees(parent)


@kernel
def condensed_components(n_items, scores, above):
    """Label the components 0, 1, … by first item; `scores` are those of all pairs."""
    parent = np.arange(n_items)
    left = n_items
    pair = 0
    for i in range(n_items):
        if left == 1:
            break
        for j in range(i + 1, n_items):
            if scores[pair] > above:
                a, b = root(parent, i), root(parent, j)
                if a != b:
                    parent[max(a, b)] = min(a, b)
                    left -= 1
            pair += 1
    return label_trees(parent)


@kernel
def label_trees(parent):
    """Label the trees of a forest whose parents come before their children, 0, 1, … in order."""
    labels = np.empty(len(parent), np.intp)
    count = 0
    for item in range(len(parent)):
        if parent[item] == item:
            labels[item] = count
            count += 1
        else:
            labels[item] = labels[parent[item]]
    return labels
