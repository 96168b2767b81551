"""Matchings of true and predicted clusters on their sparse overlap."""

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


def heaviest_matching(rows: Ints, columns: Ints, weights: Floats) -> float:
    """Return the weight of the heaviest one-to-one matching over the given cells (weights > 0)."""
    total, n_before = 0.0, np.inf
    # A round costs as much as there are cells: it must pay by leaving far fewer of them.
    while 0 < len(weights) < 0.9 * n_before:
        n_before = len(weights)
        sure = _in_some_optimum(rows, columns, weights)
        total += float(weights[sure].sum())
        left = _untouched(rows, sure) & _untouched(columns, sure)
        rows, columns, weights = rows[left], columns[left], weights[left]
    return total + sum(_assign(*cells) for cells in _components(rows, columns, weights))


def largest_matching(rows: Ints, columns: Ints) -> int:
    """Return the number of cells in the largest one-to-one matching."""
    if not len(rows):
        return 0
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    graph = sp.csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=shape)
    return int(np.count_nonzero(maximum_bipartite_matching(graph) >= 0))


def _in_some_optimum(rows: Ints, columns: Ints, weights: Floats) -> Bools:
    """Find cells no lighter than the best others of their row and of their column together.

    Any matching without such a cell becomes no lighter when the cell replaces those it excludes.
    """
    row_first, row_rival = _first_and_rival(rows, weights)
    column_first, column_rival = _first_and_rival(columns, weights)
    return row_first & column_first & (weights >= row_rival[rows] + column_rival[columns])


def _untouched(groups: Ints, chosen: Bools) -> Bools:
    """Mark the cells of groups without a chosen cell."""
    touched = np.zeros(int(groups.max()) + 1, dtype=np.bool_)
    touched[groups[chosen]] = True
    return ~touched[groups]


def _first_and_rival(groups: Ints, weights: Floats) -> tuple[Bools, Floats]:
    """Mark one heaviest cell of each group, and weigh the heaviest of the others (0 if none)."""
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
    ends = np.flatnonzero(np.diff(component[order])) + 1
    return [(rows[c], columns[c], weights[c]) for c in np.split(order, ends)]


def _assign(rows: Ints, columns: Ints, weights: Floats) -> float:
    """Solve one connected component, dense where it is small."""
    row_ids, rows = np.unique(rows, return_inverse=True)
    column_ids, columns = np.unique(columns, return_inverse=True)
    shape = (len(row_ids), len(column_ids))
    if shape[0] * shape[1] > DENSE_ENTRIES:
        return _assign_sparse(rows, columns, weights, shape)
    dense = np.zeros(shape)
    dense[rows, columns] = weights
    return float(dense[linear_sum_assignment(dense, maximize=True)].sum())


def _assign_sparse(rows: Ints, columns: Ints, weights: Floats, shape: tuple[int, int]) -> float:
    # SciPy matches every row and drops zero weights: each row gets a column of its own to stay
    # unmatched in, and every weight a 1 on top, which any full matching has once a row.
    n_rows, n_columns = shape
    own = np.arange(n_rows)
    padded = sp.csr_array(
        (
            np.concatenate([weights + 1.0, np.ones(n_rows)]),
            (np.concatenate([rows, own]), np.concatenate([columns, n_columns + own])),
        ),
        shape=(n_rows, n_columns + n_rows),
    )
    matched = min_weight_full_bipartite_matching(padded, maximize=True)
    return float(padded[matched].sum() - n_rows)
