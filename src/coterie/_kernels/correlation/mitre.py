"""Greedy merging on a full matrix with the MITRE loss inside.

The gain of a merge is what its two clusters score together, plus the change of the loss: an entry
of a table that every merge makes anew, at the number of true clusters that have items in both. For
each row and each such number `tops` bounds the scores, so that a table bounds the gains of all rows
in one pass; a row is looked at itself only when its bound is the highest.

A cluster is called by its first item. Of every matrix only what is above the diagonal is used.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.graphs.components import label_trees

MANY = 3
"""From how many shared true clusters, at least 1, scores have one bound.

It holds for more of them, because the more are shared, the lower is the change of the loss.
"""


@kernel
def merge_with_mitre(scores, truth, n_true):
    """Merge the two clusters of the highest gain until none is positive; label by first item.

    `scores` is used up. Among equal gains the first in row order is taken, as `argmax` does.
    """
    n_items = len(truth)
    parent = np.arange(n_items)
    shared, has, tops = started(scores, truth, n_true)
    true_links, correct, predicted, most = n_items - n_true, 0, 0, MANY
    while True:
        changes = tabulated(true_links, correct, predicted, most)
        a, b = best_merge(scores, shared, tops, changes)
        if a < 0:
            return label_trees(parent)
        parent[b] = a
        correct += shared[a, b]
        predicted += 1
        most = max(most, absorb(scores, shared, has, tops, a, b))


@kernel
def started(scores, truth, n_true):
    """Count the true clusters that single items share, list those that each has, and bound rows."""
    n_items = len(truth)
    shared = np.empty((n_items, n_items), np.int32)
    has = np.zeros((n_items, n_true), np.bool_)
    tops = np.full((n_items, MANY + 1), -np.inf)
    for i in range(n_items):
        has[i, truth[i]] = True
        for j in range(i + 1, n_items):
            k = np.int32(truth[i] == truth[j])
            shared[i, j] = k
            tops[i, k] = max(tops[i, k], scores[i, j])
    return shared, has, tops


@inlined
def tabulated(true_links, correct, predicted, most):
    """Compute the change of the loss by a merge of clusters that share 0, 1, … true ones."""
    links = true_links + predicted
    f1 = 2.0 * correct / links if links > 0 else 1.0
    changes = np.empty(most + 1)
    for k in range(most + 1):
        changes[k] = 100.0 * (f1 - 2.0 * (correct + k) / (links + 1))
    return changes


@kernel
def best_merge(scores, shared, tops, changes):
    """Find the first pair of the highest gain, -1 where none is positive; repair the bounds met."""
    n_items = len(scores)
    bounds = np.empty(n_items)
    for r in range(n_items):
        bounds[r] = -np.inf
        for k in range(MANY + 1):
            bounds[r] = max(bounds[r], tops[r, k] + changes[k])
    while True:
        row, top = -1, 0.0
        for r in range(n_items):
            if bounds[r] > top:
                row, top = r, bounds[r]
        if row < 0:
            return -1, -1
        # No row before this one has a gain as high, and none after it a higher one.
        column, bounds[row] = best_of_row(scores, shared, tops, changes, row)
        if bounds[row] == top:
            return row, column


@inlined
def best_of_row(scores, shared, tops, changes, row):
    """Find the first column of the highest gain; make the bounds of the row exact."""
    column, top = -1, -np.inf
    tops[row] = -np.inf
    for c in range(row + 1, len(scores)):
        x, k = scores[row, c], shared[row, c]
        tops[row, min(k, MANY)] = max(tops[row, min(k, MANY)], x)
        if x + changes[k] > top:
            column, top = c, x + changes[k]
    return column, top


@kernel
def absorb(scores, shared, has, tops, a, b):
    """Merge cluster b into a; return the highest number of true clusters that a now shares.

    What is left of b scores -inf with all, so that nothing needs to know who is gone. Bounds of
    other rows may stay too high.
    """
    twice = counted_twice(has, a, b, shared[a, b])
    has[a] |= has[b]
    tops[a] = -np.inf
    tops[b] = -np.inf
    most = 0
    for c in range(len(scores)):
        if c in (a, b):
            continue
        i, j, p, q = min(a, c), max(a, c), min(b, c), max(b, c)
        x = scores[i, j] + scores[p, q]
        k = shared[i, j] + shared[p, q] - twice[c]
        scores[i, j], shared[i, j] = x, k
        scores[p, q] = -np.inf
        tops[i, min(k, MANY)] = max(tops[i, min(k, MANY)], x)
        most = max(most, k)
    scores[a, b] = -np.inf
    return most


@inlined
def counted_twice(has, a, b, n_both):
    """Count for each cluster the true ones that it shares with both a and b."""
    twice = np.zeros(len(has), np.int32)
    if n_both > 0:
        for t in range(has.shape[1]):
            if has[a, t] and has[b, t]:
                twice += has[:, t]
    return twice
