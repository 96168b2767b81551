"""Products of features with vectors: sparse ψᵢ∘ψⱼ, never written out, and some rows of a matrix.

Items are rows (`starts`, `columns`, `values`: the CSR form) and, where all pairs are needed,
columns too (the CSC form: the items of a column in ascending order, and their values). Then the
partners j > i of item i in a column are those after i itself. When items are visited in order, the
position in each column of an item moves on by one entry: Σ_f n_f² / 2 steps in all, for n_f items
in column f.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel


@kernel
def add_scores(by_item, by_column, coef, scores):
    """Add Σ_f coef_f ψ_if ψ_jf to the scores of all pairs, in condensed order."""
    starts, columns, values = by_item
    column_starts, items, column_values = by_column
    n_items = len(starts) - 1
    # behind[f] is the entry of column f after the last item visited that is in it.
    behind = column_starts[:-1].copy()
    first = 0
    for i in range(n_items):
        # Row i of the condensed triangle: pair (i, j) is at j - i - 1.
        row = scores[first : first + n_items - 1 - i]
        for entry in range(starts[i], starts[i + 1]):
            f = columns[entry]
            behind[f] += 1
            factor = coef[f] * values[entry]
            if factor != 0.0:
                for partner in range(behind[f], column_starts[f + 1]):
                    row[items[partner] - i - 1] += factor * column_values[partner]
        first += n_items - 1 - i


@kernel
def column_sums(by_item, by_column, weights):
    """Return Σ_{i<j} weights_ij ψ_if ψ_jf of each column, over all pairs in condensed order."""
    starts, columns, values = by_item
    column_starts, items, column_values = by_column
    n_items = len(starts) - 1
    sums = np.zeros(len(column_starts) - 1)
    # The transpose of `add_scores`: the same walk, which gathers weights where that adds scores.
    behind = column_starts[:-1].copy()
    first = 0
    for i in range(n_items):
        row = weights[first : first + n_items - 1 - i]
        for entry in range(starts[i], starts[i + 1]):
            f = columns[entry]
            behind[f] += 1
            total = 0.0
            for partner in range(behind[f], column_starts[f + 1]):
                total += row[items[partner] - i - 1] * column_values[partner]
            sums[f] += values[entry] * total
        first += n_items - 1 - i
    return sums


@kernel
def listed_scores(by_item, pairs, coef):
    """Return Σ_f coef_f ψ_if ψ_jf of candidate pairs; fastest if they are sorted by first item."""
    starts, columns, values = by_item
    scores = np.zeros(len(pairs))
    # The first item as a dense row: the product with the second one then needs no merge of two
    # sorted lists, and pairs in a row with one first item share the row.
    dense_row = np.zeros(len(coef))
    last = -1
    for p in range(len(pairs)):
        i, j = pairs[p]
        if i != last:
            _replace_row(by_item, dense_row, last, i)
            last = i
        for entry in range(starts[j], starts[j + 1]):
            f = columns[entry]
            scores[p] += coef[f] * dense_row[f] * values[entry]
    return scores


@kernel
def listed_column_sums(by_item, pairs, weights, n_columns):
    """Return Σ_p weights_p ψ_if ψ_jf of each column, over candidate pairs."""
    starts, columns, values = by_item
    sums = np.zeros(n_columns)
    dense_row = np.zeros(n_columns)
    last = -1
    for p in range(len(pairs)):
        # Often the weights are the difference of two partitions: 0 for pairs on which they agree.
        if weights[p] == 0.0:
            continue
        i, j = pairs[p]
        if i != last:
            _replace_row(by_item, dense_row, last, i)
            last = i
        for entry in range(starts[j], starts[j + 1]):
            f = columns[entry]
            sums[f] += weights[p] * dense_row[f] * values[entry]
    return sums


@inlined
def _replace_row(by_item, dense_row, last, item):
    """Write an item as a dense row in place of the last item, if there was one."""
    starts, columns, values = by_item
    # Only the last item's columns are cleared: the cost is that of its entries, not of all columns.
    if last >= 0:
        for entry in range(starts[last], starts[last + 1]):
            dense_row[columns[entry]] = 0.0
    for entry in range(starts[item], starts[item + 1]):
        dense_row[columns[entry]] = values[entry]


@kernel
def weighted_row_sum(matrix, weights):
    """Return Σ_p weights_p matrix_p over the rows whose weight is not 0."""
    total = np.zeros(matrix.shape[1])
    for p in np.flatnonzero(weights):
        row, weight = matrix[p], weights[p]
        for f in range(len(row)):
            total[f] += weight * row[f]
    return total
