"""Products of matrices by blocks of rows, so that intermediate results stay small."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie.pairs import count_pairs, row_start

BLOCK_ENTRIES = 2**22
"""The largest number of entries of an intermediate block: 32 MB of float64."""

MANY_ROWS = 4096
"""The number of rows from which operators check whether most weights are 0."""


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield consecutive slices of rows that hold at most `BLOCK_ENTRIES` entries each."""
    height = max(1, BLOCK_ENTRIES // max(n_columns, 1))
    return (slice(start, min(start + height, n_rows)) for start in range(0, n_rows, height))


def gathered_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield slices of rows as `row_blocks`, but of 2 MB, so that gathered rows fit the cache."""
    return row_blocks(n_rows, 16 * n_columns)


def float64_blocks(matrix: Any) -> Iterator[tuple[slice, Any]]:
    """Yield slices of rows and the rows in float64: one slice if the matrix is float64 already."""
    n_rows, n_columns = matrix.shape
    if matrix.dtype == np.float64 or not n_rows:
        return iter([(slice(0, n_rows), matrix.astype(np.float64, copy=False))])
    blocks = row_blocks(n_rows, n_columns)
    return ((rows, matrix[rows].astype(np.float64)) for rows in blocks)


def sum_vectors(vectors: Iterator[Floats], length: int) -> Floats:
    """Return the sum of vectors of the same length; zeros if there are none."""
    total = np.zeros(length)
    for vector in vectors:
        total += vector
    return total


def row_products(left: Any, right: Any) -> Floats:
    """Return Σ_f left_pf right_pf for each row p."""
    if sp.issparse(left):
        return np.asarray(left.multiply(right).sum(axis=1)).ravel()
    products: Floats = np.einsum("pf,pf->p", left, right)
    return products


def column_products(left: Any, right: Any) -> Floats:
    """Return Σ_p left_pf right_pf for each column f."""
    if sp.issparse(left):
        return np.asarray(left.multiply(right).sum(axis=0)).ravel()
    products: Floats = np.einsum("pf,pf->f", left, right)
    return products


def upper_product(left: Floats, right: Floats) -> Floats:
    """Return the strict upper triangle of left @ right.T in condensed order."""
    n_items = len(left)
    upper = np.empty(count_pairs(n_items))
    for rows in row_blocks(n_items, n_items):
        block = left[rows] @ right[rows.start :].T
        for row in range(rows.start, rows.stop):
            start, stop = row_start(row, n_items), row_start(row + 1, n_items)
            upper[start:stop] = block[row - rows.start, row - rows.start + 1 :]
    return upper


def pairs_at(positions: Ints, n_items: int) -> Pairs:
    """Return the pairs at the given positions of the condensed order.

    >>> pairs_at(np.array([2, 0]), n_items=3).tolist()
    [[1, 2], [0, 1]]
    """
    starts = row_start(np.arange(n_items), n_items)
    first = np.searchsorted(starts, positions, side="right") - 1
    # The last item is never the first of a pair.
    first = np.minimum(first, n_items - 2)
    pairs = np.empty((len(positions), 2), dtype=np.intp)
    pairs[:, 0], pairs[:, 1] = first, positions - starts[first] + first + 1
    return read_only(pairs)


def freeze(matrix: Any) -> Any:
    """Make a dense or CSR matrix read-only, and return it."""
    if not sp.issparse(matrix):
        return read_only(matrix)
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.setflags(write=False)
    return matrix
