"""Greedy merging on a full matrix, with lazily repaired row maxima."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

TILE = 32
"""Side of the square blocks in which a symmetric matrix is filled."""


@kernel
def square_matrix(n_items, scores):
    """Fill the symmetric matrix of condensed scores, -inf on the diagonal."""
    matrix = np.empty((n_items, n_items))
    # Tile by tile, because matrix[j, i] walks down a column and touches one cache line per row:
    # the few lines of a tile are still in the cache when its next column needs them.
    for top in range(0, n_items, TILE):
        for left in range(top, n_items, TILE):
            for i in range(top, min(top + TILE, n_items)):
                # Start of row i in condensed order, shifted so that pair (i, j) is at start + j.
                start = i * (2 * n_items - i - 1) // 2 - i - 1
                for j in range(max(left, i + 1), min(left + TILE, n_items)):
                    matrix[i, j] = scores[start + j]
                    matrix[j, i] = scores[start + j]
    for i in range(n_items):
        matrix[i, i] = -np.inf
    return matrix


@inlined
def is_earlier(ranks, row, column, other_column):
    """Return whether the pair (row, column) comes before (row, other_column)."""
    if ranks.size > 0:
        return ranks[row, column] < ranks[row, other_column]
    return column < other_column


@inlined
def best_of_row(matrix, ranks, row, live, n_live):
    """Find the live cluster that scores highest with a row, the earliest pair among equals."""
    best, top = live[0], -np.inf
    for t in range(n_live):
        c = live[t]
        x = matrix[row, c]
        if x > top or (x == top and c != row and is_earlier(ranks, row, c, best)):
            best, top = c, x
    return best, top


@inlined
def best_row(bounds, partners, ranks):
    """Find the row of the highest positive bound, the one with the earliest pair among equals."""
    row, top = -1, 0.0
    for r in range(len(bounds)):
        if bounds[r] > top or (
            ranks.size > 0
            and row >= 0
            and bounds[r] == top
            and ranks[r, partners[r]] < ranks[row, partners[row]]
        ):
            row, top = r, bounds[r]
    return row


@kernel
def merge_dense(matrix, ranks):
    """Merge the two clusters of the highest score until none is positive; return the parents.

    A cluster is named by its first item, which is the parent of the first item of the cluster that
    it took in. `matrix` is overwritten. `ranks` orders the pairs for ties; where it is empty, they
    are in row order, which the scans keep by themselves. `bounds[r]` is at least the maximum of row
    r, and equal to it unless `stale[r]`.
    """
    n = len(matrix)
    parent = np.arange(n)
    live = np.arange(n)
    n_live = n
    partners = np.empty(n, np.intp)
    bounds = np.empty(n)
    stale = np.zeros(n, np.bool_)
    for r in range(n):
        partners[r], bounds[r] = best_of_row(matrix, ranks, r, live, n)
    while True:
        r = best_row(bounds, partners, ranks)
        if r < 0:
            return parent
        # A bound that is stale is too high at worst. If it is repaired only when it leads, most
        # rows are never scanned again, and the row that leads with an exact bound is the maximum.
        if stale[r]:
            partners[r], bounds[r] = best_of_row(matrix, ranks, r, live, n_live)
            stale[r] = False
            continue
        a, b = min(r, partners[r]), max(r, partners[r])
        parent[b] = a
        bounds[b] = -np.inf
        # `live` stays ascending: scans in row order must meet equal scores in row order.
        n_kept = 0
        for t in range(n_live):
            live[n_kept] = live[t]
            n_kept += live[t] != b
        n_live = n_kept
        absorb(matrix, ranks, a, b, live, n_live, partners, bounds, stale)


@inlined
def absorb(matrix, ranks, a, b, live, n_live, partners, bounds, stale):
    """Add row b to row a, and update the bounds of all rows."""
    partners[a], bounds[a], stale[a] = a, -np.inf, False
    for t in range(n_live):
        c = live[t]
        if c == a:
            continue
        # s(a ∪ b, c) = s(a, c) + s(b, c): the objective adds up the scores inside clusters, so the
        # gain of a merge is additive (greedy additive edge contraction, Keuper et al. 2015).
        x = matrix[a, c] + matrix[b, c]
        matrix[a, c] = x
        matrix[c, a] = x
        if ranks.size > 0:
            rank = min(ranks[a, c], ranks[b, c])
            ranks[a, c] = rank
            ranks[c, a] = rank
        if x > bounds[a] or (x == bounds[a] and is_earlier(ranks, a, c, partners[a])):
            partners[a], bounds[a] = c, x
        # Row c has lost columns a and b and gained x. A higher x is its exact maximum. If instead
        # its best column was one of the two, the old value remains as a bound, stale if x fell.
        if x > bounds[c]:
            partners[c], bounds[c], stale[c] = a, x, False
        elif partners[c] == a or partners[c] == b:
            partners[c] = a
            stale[c] = stale[c] or x < bounds[c]
        elif x == bounds[c] and not stale[c] and is_earlier(ranks, c, a, partners[c]):
            partners[c] = a
