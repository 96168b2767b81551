"""Sums of binary trees over the rows of a matrix.

The nodes of all trees are numbered through: each tree from its root on, a child after its parent.
A row goes to the left child where `x <= threshold`; at a leaf, the column is −1.
"""

from typing import NamedTuple

import numpy as np

from coterie._kernels.compiling import kernel

BLOCK_ENTRIES = 2**16
"""How many numbers of a block of rows are looked at by all trees in a row: half a megabyte."""


class TreeNodes(NamedTuple):
    """What the nodes do: int32 but for the thresholds and values, which are float64."""

    roots: np.ndarray
    columns: np.ndarray
    thresholds: np.ndarray
    lefts: np.ndarray
    rights: np.ndarray
    values: np.ndarray


@kernel
def tree_sums(matrix, nodes):
    """Return the sum over all trees of the leaf that each row ends in.

    Block by block, the rows are divided at each node as a sort divides them: there is no branch to
    guess wrong, and the numbers of a column lie side by side.
    """
    n_rows, n_columns = matrix.shape
    height = min(max(64, min(1024, BLOCK_ENTRIES // max(n_columns, 1))), max(n_rows, 1))
    block = np.empty((n_columns, height))
    rows = np.empty((2, height), np.uint32)
    waiting = np.empty((len(nodes.columns) + 1, 3), np.uint64)
    sums = np.zeros(n_rows)
    for start in range(0, n_rows, height):
        count = min(height, n_rows - start)
        for row in range(count):
            for column in range(n_columns):
                block[column, row] = matrix[start + row, column]
        for root in nodes.roots:
            _add_tree(root, nodes, block, rows, waiting, sums[start : start + count])
    return sums


@kernel
def _add_tree(root, nodes, block, rows, waiting, sums):
    """Divide the rows of a block among the leaves of a tree, and add their values.

    `waiting` is a stack of nodes, with the places where their rows begin and end. All of these are
    unsigned, so that no index is tested for counting from the end.
    """
    rows, spare = rows
    for row in range(len(sums)):
        rows[row] = row
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = root, 0, len(sums)
    n_waiting = 1
    while n_waiting:
        n_waiting -= 1
        node, begin, end = waiting[n_waiting]
        column = nodes.columns[node]
        if column < 0:
            value = nodes.values[node]
            for place in range(begin, end):
                sums[rows[place]] += value
            continue
        threshold = nodes.thresholds[node]
        numbers = block[column]
        to_left, to_right = begin, np.uint64(0)
        for place in range(begin, end):
            row = rows[place]
            goes_left = np.uint64(numbers[row] <= threshold)
            # Both are written; what stays is what the next row does not overwrite.
            rows[to_left] = row
            spare[to_right] = row
            to_left += goes_left
            to_right += np.uint64(1) - goes_left
        for place in range(to_right):
            rows[to_left + place] = spare[place]
        if to_left < end:
            own = waiting[n_waiting]
            own[0], own[1], own[2] = nodes.rights[node], to_left, end
            n_waiting += 1
        if begin < to_left:
            own = waiting[n_waiting]
            own[0], own[1], own[2] = nodes.lefts[node], begin, to_left
            n_waiting += 1
