"""Sums of binary trees over the rows of a matrix.

The nodes of all trees have consecutive indices: each tree from its root on, a child after its
parent. A row goes to the left child where `x <= threshold`; at a leaf, the column is −1.
"""

from typing import NamedTuple

import numpy as np

from coterie._kernels.compiling import kernel

BLOCK_ENTRIES = 2**16
"""Number of matrix entries of a block of rows that passes through all trees: half a megabyte."""


class TreeNodes(NamedTuple):
    """The nodes of all trees: int32 arrays but for thresholds and values, which are float64."""

    roots: np.ndarray
    columns: np.ndarray
    thresholds: np.ndarray
    lefts: np.ndarray
    rights: np.ndarray
    values: np.ndarray


@kernel
def tree_sums(matrix, nodes):
    """Return the sum over all trees of the leaf that each row ends in.

    Block by block, the rows are divided at each node as a sort divides them, in place of following
    each row from node to node: there is no branch to mispredict, and the entries of a column lie
    side by side.
    """
    n_rows, n_columns = matrix.shape
    # A block stays in the cache for all trees; with many columns it still has 64 rows, so that the
    # work per node outweighs its bookkeeping.
    height = min(max(64, min(1024, BLOCK_ENTRIES // max(n_columns, 1))), max(n_rows, 1))
    block = np.empty((n_columns, height))
    rows = np.empty((2, height), np.uint32)
    stack = np.empty((len(nodes.columns) + 1, 3), np.uint64)
    sums = np.zeros(n_rows)
    for start in range(0, n_rows, height):
        count = min(height, n_rows - start)
        for row in range(count):
            for column in range(n_columns):
                block[column, row] = matrix[start + row, column]
        for root in nodes.roots:
            _add_tree(root, nodes, block, rows, stack, sums[start : start + count])
    return sums


@kernel
def _add_tree(root, nodes, block, rows, stack, sums):
    """Divide the rows of a block among the leaves of a tree, and add their values.

    `stack` holds nodes still to be visited, each with the range of its rows in `rows`. Its entries
    are unsigned, so that no index is tested for being negative, which counts from the end.
    """
    rows, spare = rows
    for row in range(len(sums)):
        rows[row] = row
    stack[0, 0], stack[0, 1], stack[0, 2] = root, 0, len(sums)
    n_stacked = 1
    while n_stacked:
        n_stacked -= 1
        node, begin, end = stack[n_stacked]
        column = nodes.columns[node]
        if column < 0:
            value = nodes.values[node]
            for position in range(begin, end):
                sums[rows[position]] += value
            continue
        threshold = nodes.thresholds[node]
        entries = block[column]
        to_left, to_right = begin, np.uint64(0)
        for position in range(begin, end):
            row = rows[position]
            goes_left = np.uint64(entries[row] <= threshold)
            # The row is written to both sides, and only the cursor of its side moves on: the next
            # row overwrites the other copy. `to_left` never passes `position`, so that no row is
            # overwritten before it is read.
            rows[to_left] = row
            spare[to_right] = row
            to_left += goes_left
            to_right += np.uint64(1) - goes_left
        for position in range(to_right):
            rows[to_left + position] = spare[position]
        if to_left < end:
            entry = stack[n_stacked]
            entry[0], entry[1], entry[2] = nodes.rights[node], to_left, end
            n_stacked += 1
        if begin < to_left:
            entry = stack[n_stacked]
            entry[0], entry[1], entry[2] = nodes.lefts[node], begin, to_left
            n_stacked += 1
