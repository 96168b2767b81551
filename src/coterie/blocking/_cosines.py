"""Vectors at length 1, whose products are cosines."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import norm as sparse_norm

from coterie._core.arrays import Floats, Ints


def directions(matrix: Any) -> tuple[Any, Ints]:
    """Return the rows at length 1 and their items, without those of zeros."""
    norm = sparse_norm if sp.issparse(matrix) else np.linalg.norm
    largest = norm(matrix, np.inf, axis=1) if matrix.shape[1] else np.zeros(matrix.shape[0])
    which = np.flatnonzero(largest)
    # First by the largest entry, so that no square over- or underflows.
    rows = divided(matrix[which].astype(np.float64, copy=False), largest[which])
    return divided(rows, norm(rows, axis=1)), which


def divided(matrix: Any, divisors: Floats) -> Any:
    """Divide each row by its number."""
    if not sp.issparse(matrix):
        return matrix / divisors[:, None]
    data = matrix.data / np.repeat(divisors, np.diff(matrix.indptr))
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
