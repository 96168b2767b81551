"""Products of features with vectors: sparse ψᵢ∘ψⱼ, never written out, and some rows of a matrix.

Items are rows (`starts`, `columns`, `values`: the CSR form) and, where all pairs are asked for,
columns too (the CSC form: the items of a column in ascending order, and their values). Then the
partners j > i of item i in a column are those behind i itself, and going through the items in order
moves one place on in each of their columns: Σ_f n_f² / 2 steps in all, for n_f items in column f.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel


@kernel
def add_scores(by_item, by_column, coef, scores):
    """Add Σ_f coef_f ψ_if ψ_jf to the scores of all pairs, in condensed order."""
    starts, columns, values = by_item
    begins, items, entries = by_column
    n_items = len(starts) - 1
    behind = begins[:-1].copy()
    first = 0
    for i in range(n_items):
        own = scores[first : first + n_items - 1 - i]
        for place in range(starts[i], starts[i + 1]):
            f = columns[place]
            behind[f] += 1
            factor = coef[f] * values[place]
            if factor != 0.0:
                for at in range(behind[f], begins[f + 1]):
                    own[items[at] - i - 1] += factor * entries[at]
        first += n_items - 1 - i


@kernel
def column_sums(by_item, by_column, weights):
    """Return Σ_{i<j} weights_ij ψ_if ψ_jf of each column, over all pairs in condensed order."""
    starts, columns, values = by_item
    begins, items, entries = by_column
    n_items = len(starts) - 1
    sums = np.zeros(len(begins) - 1)
    behind = begins[:-1].copy()
    first = 0
    for i in range(n_items):
        own = weights[first : first + n_items - 1 - i]
        for place in range(starts[i], starts[i + 1]):
            f = columns[place]
            behind[f] += 1
            total = 0.0
            for at in range(behind[f], begins[f + 1]):
                total += own[items[at] - i - 1] * entries[at]
            sums[f] += values[place] * total
        first += n_items - 1 - i
    return sums


@kernel
def listed_scores(by_item, pairs, coef):
    """Return Σ_f coef_f ψ_if ψ_jf of listed pairs; those of one first item are best in a row."""
    starts, columns, values = by_item
    scores = np.zeros(len(pairs))
    spread = np.zeros(len(coef))
    last = -1
    for p in range(len(pairs)):
        i, j = pairs[p]
        if i != last:
            _respread(by_item, spread, last, i)
            last = i
        for place in range(starts[j], starts[j + 1]):
            f = columns[place]
            scores[p] += coef[f] * spread[f] * values[place]
    return scores


@kernel
def listed_column_sums(by_item, pairs, weights, n_columns):
    """Return Σ_p weights_p ψ_if ψ_jf of each column, over listed pairs; weights 0 cost nothing."""
    starts, columns, values = by_item
    sums = np.zeros(n_columns)
    spread = np.zeros(n_columns)
    last = -1
    for p in range(len(pairs)):
        if weights[p] == 0.0:
            continue
        i, j = pairs[p]
        if i != last:
            _respread(by_item, spread, last, i)
            last = i
        for place in range(starts[j], starts[j + 1]):
            f = columns[place]
            sums[f] += weights[p] * spread[f] * values[place]
    return sums


@inlined
def _respread(by_item, spread, last, item):
    """Put the values of an item in their columns, in place of the last one's, if there was one."""
    starts, columns, values = by_item
    if last >= 0:
        for place in range(starts[last], starts[last + 1]):
            spread[columns[place]] = 0.0
    for place in range(starts[item], starts[item + 1]):
        spread[columns[place]] = values[place]


@kernel
def weighted_row_sum(matrix, weights):
    """Return Σ_p weights_p matrix_p over the rows whose weight is not 0."""
    total = np.zeros(matrix.shape[1])
    for p in np.flatnonzero(weights):
        row, weight = matrix[p], weights[p]
        for f in range(len(row)):
            total[f] += weight * row[f]
    return total
