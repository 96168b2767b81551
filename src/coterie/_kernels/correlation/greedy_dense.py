"""Greedy merging on a full matrix, with lazily repaired row maxima."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

TILE = 32


@kernel
def square_matrix(n_items, scores):
    """Fill the symmetric matrix of condensed scores, -inf on the diagonal."""
    matrix = np.empty((n_items, n_items))
    for top in range(0, n_items, TILE):
        for left in range(top, n_items, TILE):
            for i in range(top, min(top + TILE, n_items)):
                # Where condensed row i begins, moved back so that column j is at start + j.
                start = i * (2 * n_items - i - 1) // 2 - i - 1
                for j in range(max(left, i + 1), min(left + TILE, n_items)):
                    matrix[i, j] = scores[start + j]
                    matrix[j, i] = scores[start + j]
    for i in range(n_items):
        matrix[i, i] = -np.inf
    return matrix


@inlined
def earlier(ranks, row, one, other):
    """Tell whether the pair (row, one) comes before (row, other)."""
    if ranks.size > 0:
        return ranks[row, one] < ranks[row, other]
    return one < other


@inlined
def best_of_row(matrix, ranks, row, live, n_live):
    best, top = live[0], -np.inf
    for t in range(n_live):
        c = live[t]
        x = matrix[row, c]
        if x > top or (x == top and c != row and earlier(ranks, row, c, best)):
            best, top = c, x
    return best, top


@inlined
def best_row(value, best, ranks):
    """Find the row of the highest bound, the one with the earliest pair among equals."""
    row, top = -1, 0.0
    for r in range(len(value)):
        if value[r] > top or (
            ranks.size > 0
            and row >= 0
            and value[r] == top
            and ranks[r, best[r]] < ranks[row, best[row]]
        ):
            row, top = r, value[r]
    return row


@kernel
def merge_dense(matrix, ranks):
    """Merge the two clusters of the highest score until none is positive; label by first item.

    `matrix` is used up. `ranks` orders the pairs for ties; empty, they are in row order, which the
    scans keep by themselves. A row's `value` bounds its maximum; it is exact unless `stale`.
    """
    n = len(matrix)
    parent = np.arange(n)
    live = np.arange(n)
    n_live = n
    best = np.empty(n, np.intp)
    value = np.empty(n)
    stale = np.zeros(n, np.bool_)
    for r in range(n):
        best[r], value[r] = best_of_row(matrix, ranks, r, live, n)
    while True:
        r = best_row(value, best, ranks)
        if r < 0:
            return parent
        if stale[r]:
            best[r], value[r] = best_of_row(matrix, ranks, r, live, n_live)
            stale[r] = False
            continue
        a, b = min(r, best[r]), max(r, best[r])
        parent[b] = a
        value[b] = -np.inf
        kept = 0
        for t in range(n_live):
            live[kept] = live[t]
            kept += live[t] != b
        n_live = kept
        absorb(matrix, ranks, a, b, live, n_live, best, value, stale)


@inlined
def absorb(matrix, ranks, a, b, live, n_live, best, value, stale):
    """Add row b to row a, and keep the bounds of all rows."""
    best[a], value[a], stale[a] = a, -np.inf, False
    for t in range(n_live):
        c = live[t]
        if c == a:
            continue
        x = matrix[a, c] + matrix[b, c]
        matrix[a, c] = x
        matrix[c, a] = x
        if ranks.size > 0:
            rank = min(ranks[a, c], ranks[b, c])
            ranks[a, c] = rank
            ranks[c, a] = rank
        if x > value[a] or (x == value[a] and earlier(ranks, a, c, best[a])):
            best[a], value[a] = c, x
        if x > value[c]:
            best[c], value[c], stale[c] = a, x, False
        elif best[c] == a or best[c] == b:
            best[c] = a
            stale[c] = stale[c] or x < value[c]
        elif x == value[c] and not stale[c] and earlier(ranks, c, a, best[c]):
            best[c] = a
