"""Connected components of the pairs that score above a level, by union-find."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

DENSE_SHARE = 1 / 16
"""The share of n² pairs of n items or clusters from which on a full matrix is faster."""


@inlined
def root(parent, item):
    """Return the root of an item's tree; shorten the path on the way."""
    # Path halving (Tarjan & van Leeuwen 1984): each second node skips to its grandparent, which in
    # one pass is as good as a full compression in two.
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@kernel
def listed_components(n_items, pairs, scores, above):
    """Label the components 0, 1, … by first item; `pairs` has shape (m, 2)."""
    parent = np.arange(n_items)
    n_components = n_items
    for pair in range(len(scores)):
        if scores[pair] > above:
            a, b = root(parent, pairs[pair, 0]), root(parent, pairs[pair, 1])
            if a != b:
                # The smaller root wins, not the larger tree: a root is then the first item of its
                # component, and every parent comes before its children, as `label_trees` requires.
                parent[max(a, b)] = min(a, b)
                n_components -= 1
                if n_components == 1:
                    break
    return label_trees(parent)


@kernel
def condensed_components(n_items, scores, above):
    """Label the components 0, 1, … by first item; `scores` has all pairs in condensed order."""
    parent = np.arange(n_items)
    n_components = n_items
    pair = 0
    for i in range(n_items):
        if n_components == 1:
            break
        for j in range(i + 1, n_items):
            if scores[pair] > above:
                a, b = root(parent, i), root(parent, j)
                if a != b:
                    parent[max(a, b)] = min(a, b)
                    n_components -= 1
            pair += 1
    return label_trees(parent)


@kernel
def label_trees(parent):
    """Label the trees of a forest 0, 1, … by first item; parents come before their children."""
    # One pass is enough, because the label of a parent is known when its children are reached.
    labels = np.empty(len(parent), np.intp)
    count = 0
    for item in range(len(parent)):
        if parent[item] == item:
            labels[item] = count
            count += 1
        else:
            labels[item] = labels[parent[item]]
    return labels
