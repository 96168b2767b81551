"""One-to-one matchings of true and predicted clusters, from the sparse table of their overlaps."""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import (
    connected_components,
    maximum_bipartite_matching,
    min_weight_full_bipartite_matching,
)

from coterie._core.arrays import Bools, Floats, Ints

DENSE_ENTRIES = 250_000
"""The largest number of entries of a component that is solved as a dense matrix."""


def heaviest_matching(rows: Ints, columns: Ints, weights: Floats) -> float:
    """Return the weight of the heaviest one-to-one matching; all cells have weights above 0."""
    total, n_before = 0.0, np.inf
    # The cost of a round is proportional to the cells, so it must remove a good share of them.
    while 0 < len(weights) < 0.9 * n_before:
        n_before = len(weights)
        matched = _in_some_optimum(rows, columns, weights)
        total += float(weights[matched].sum())
        unmatched = _untouched(rows, matched) & _untouched(columns, matched)
        rows, columns, weights = rows[unmatched], columns[unmatched], weights[unmatched]
    return total + sum(_assign(*cells) for cells in _components(rows, columns, weights))


def largest_matching(rows: Ints, columns: Ints) -> int:
    """Return the number of cells in the largest one-to-one matching."""
    if not len(rows):
        return 0
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    graph = sp.csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=shape)
    return int(np.count_nonzero(maximum_bipartite_matching(graph) >= 0))


def _in_some_optimum(rows: Ints, columns: Ints, weights: Floats) -> Bools:
    """Mark the cells that weigh at least as much as their best rivals in row and column together.

    Some heaviest matching contains all marked cells: to put such a cell into a matching, at most
    one other cell of its row and one of its column must be removed.
    """
    row_first, row_rival = _first_and_rival(rows, weights)
    column_first, column_rival = _first_and_rival(columns, weights)
    return row_first & column_first & (weights >= row_rival[rows] + column_rival[columns])


def _untouched(groups: Ints, chosen: Bools) -> Bools:
    """Mark the cells whose group has no chosen cell."""
    touched = np.zeros(int(groups.max()) + 1, dtype=np.bool_)
    touched[groups[chosen]] = True
    return ~touched[groups]


def _first_and_rival(groups: Ints, weights: Floats) -> tuple[Bools, Floats]:
    """Mark one heaviest cell of each group, and return the weight of the second heaviest (or 0)."""
    n_groups = int(groups.max()) + 1
    top = np.zeros(n_groups)
    np.maximum.at(top, groups, weights)
    tied = np.flatnonzero(weights == top[groups])
    holder = np.full(n_groups, -1, dtype=np.intp)
    holder[groups[tied[::-1]]] = tied[::-1]
    first = holder[groups] == np.arange(len(groups))
    rival = np.zeros(n_groups)
    np.maximum.at(rival, groups[~first], weights[~first])
    return first, rival


def _components(rows: Ints, columns: Ints, weights: Floats) -> list[tuple[Ints, Ints, Floats]]:
    if not len(weights):
        return []
    n_rows = int(rows.max()) + 1
    size = n_rows + int(columns.max()) + 1
    graph = sp.coo_array((np.ones(len(rows)), (rows, n_rows + columns)), shape=(size, size))
    component = connected_components(graph, directed=False)[1][rows]
    order = np.argsort(component, kind="stable")
    starts = np.flatnonzero(np.diff(component[order])) + 1
    return [(rows[c], columns[c], weights[c]) for c in np.split(order, starts)]


def _assign(rows: Ints, columns: Ints, weights: Floats) -> float:
    """Return the weight of the heaviest matching of one connected component."""
    row_ids, rows = np.unique(rows, return_inverse=True)
    column_ids, columns = np.unique(columns, return_inverse=True)
    shape = (len(row_ids), len(column_ids))
    if shape[0] * shape[1] > DENSE_ENTRIES:
        return _assign_sparse(rows, columns, weights, shape)
    dense = np.zeros(shape)
    dense[rows, columns] = weights
    return float(dense[linear_sum_assignment(dense, maximize=True)].sum())


def _assign_sparse(rows: Ints, columns: Ints, weights: Floats, shape: tuple[int, int]) -> float:
    # SciPy matches every row and drops zero weights. So each row gets an extra column that stands
    # for "unmatched", and 1 is added to every weight: a full matching has this 1 in every row.
    n_rows, n_columns = shape
    row_indices = np.arange(n_rows)
    padded = sp.csr_array(
        (
            np.concatenate([weights + 1.0, np.ones(n_rows)]),
            (
                np.concatenate([rows, row_indices]),
                np.concatenate([columns, n_columns + row_indices]),
            ),
        ),
        shape=(n_rows, n_columns + n_rows),
    )
    matched = min_weight_full_bipartite_matching(padded, maximize=True)
    return float(padded[matched].sum() - n_rows)
