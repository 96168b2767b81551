"""Greedy merging on a full matrix with the MITRE loss inside.

The gain of a merge is the score between its two clusters plus the change of the loss. That change
depends only on the number of true clusters that have items in both, so one short table, made anew
after every merge, holds all changes. For each row and each such number, `tops` bounds the scores;
a table and `tops` together bound the gains of all rows in one pass, and a row is scanned only when
its bound is the highest.

A cluster is named by its first item. Of every matrix only the part above the diagonal is used.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.graphs.components import label_trees

MANY = 3
"""The number of shared true clusters, at least 1, from which on all scores have one bound.

The bound holds for larger numbers because the change of the loss falls with the number.
"""


@kernel
def merge_with_mitre(scores, truth, n_true):
    """Merge the two clusters of the highest gain until none is positive; label by first item.

    `scores` is overwritten. Among equal gains the first in row order is taken, as `argmax` does.
    """
    n_items = len(truth)
    parent = np.arange(n_items)
    shared, has, tops = start_search(scores, truth, n_true)
    # In the terms of Vilain et al. 1995, a cluster of k items has k − 1 links: the truth has
    # n − n_true of them, each merge adds a predicted one, and `correct` are in both.
    true_links, correct, predicted, most = n_items - n_true, 0, 0, MANY
    while True:
        changes = loss_changes(true_links, correct, predicted, most)
        a, b = best_merge(scores, shared, tops, changes)
        if a < 0:
            return label_trees(parent)
        parent[b] = a
        correct += shared[a, b]
        predicted += 1
        most = max(most, absorb(scores, shared, has, tops, a, b))


@kernel
def start_search(scores, truth, n_true):
    """Return the state in which each item is its own cluster.

    `shared[i, j]` counts the true clusters with items in both i and j, `has[i, t]` tells whether
    cluster i has items of the true cluster t, and `tops[i, k]` bounds the scores of row i with
    clusters that share k true clusters, MANY standing for all higher numbers.
    """
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
def loss_changes(true_links, correct, predicted, most):
    """Return the change of the loss by a merge of clusters that share 0, 1, … true clusters."""
    # Loss = 100 (1 − F1), with F1 = 2 correct / (true_links + predicted) of the links; a merge of
    # clusters that share k true clusters adds one predicted link and k correct ones.
    links = true_links + predicted
    f1 = 2.0 * correct / links if links > 0 else 1.0
    changes = np.empty(most + 1)
    for k in range(most + 1):
        changes[k] = 100.0 * (f1 - 2.0 * (correct + k) / (links + 1))
    return changes


@kernel
def best_merge(scores, shared, tops, changes):
    """Return the first pair of the highest gain, (-1, -1) if none is positive; repair bounds."""
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
        # If the scan confirms the bound, no row before this one has a gain as high, and no row
        # after it has a higher one.
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

    From now on b scores -inf with every cluster, so that no scan needs to know which clusters are
    left. Bounds of other rows may stay too high.
    """
    twice = shared_by_both(has, a, b, shared[a, b])
    has[a] |= has[b]
    tops[a] = -np.inf
    tops[b] = -np.inf
    most = 0
    for c in range(len(scores)):
        if c in (a, b):
            continue
        i, j, p, q = min(a, c), max(a, c), min(b, c), max(b, c)
        # Scores add up. Sets of true clusters unite, so by inclusion and exclusion
        # |(A ∪ B) ∩ C| = |A ∩ C| + |B ∩ C| − |A ∩ B ∩ C|.
        x = scores[i, j] + scores[p, q]
        k = shared[i, j] + shared[p, q] - twice[c]
        scores[i, j], shared[i, j] = x, k
        scores[p, q] = -np.inf
        tops[i, min(k, MANY)] = max(tops[i, min(k, MANY)], x)
        most = max(most, k)
    scores[a, b] = -np.inf
    return most


@inlined
def shared_by_both(has, a, b, n_shared):
    """Count for each cluster the true clusters that it shares with both a and b."""
    twice = np.zeros(len(has), np.int32)
    # Columns of `has` are slow to read; most are skipped, as a and b share few true clusters.
    if n_shared > 0:
        for t in range(has.shape[1]):
            if has[a, t] and has[b, t]:
                twice += has[:, t]
    return twice
