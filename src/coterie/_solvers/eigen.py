"""The largest eigenvalues of a symmetric matrix."""

import numpy as np
from scipy.linalg import LinAlgError, eigh

from coterie._core.arrays import Floats

LARGE = 2.0**200
"""Matrices with numbers from here on are divided by a power of 2, which rounds nothing: for some
with numbers above 1e78, LAPACK returns eigenvectors of NaN without an error."""


def largest_eigenpairs(matrix: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the `count` largest eigenvalues, ascending, and their eigenvectors in columns.

    To compute some of the eigenvalues, LAPACK counts the eigenvalues below a point (dstebz in
    dsyevr). If many eigenvalues are equal up to rounding, its counts can contradict each other, and
    it returns fewer pairs than requested without an error. Then all of them are computed.
    """
    scaled, exponent = _scaled(matrix)
    values, vectors = eigh(scaled, subset_by_index=[len(matrix) - count, len(matrix) - 1])
    if len(values) < count:
        values, vectors = (part[..., -count:] for part in eigh(scaled))
    return np.ldexp(values, exponent), vectors


def largest_eigenvalues(matrix: Floats, count: int) -> Floats:
    """Return the `count` largest eigenvalues, ascending; see `largest_eigenpairs`."""
    scaled, exponent = _scaled(matrix)
    first = len(matrix) - count
    try:
        values = eigh(scaled, subset_by_index=[first, len(matrix) - 1], eigvals_only=True)
    except LinAlgError:
        # Without eigenvectors, LAPACK reports the shortage as an error.
        values = eigh(scaled, eigvals_only=True)[first:]
    result: Floats = np.ldexp(values, exponent)
    return result


def _scaled(matrix: Floats) -> tuple[Floats, int]:
    """Return the matrix, divided by a power of 2 if its numbers are large, and the exponent."""
    largest = np.abs(matrix).max(initial=0.0)
    exponent = int(np.frexp(largest)[1]) if largest >= LARGE else 0
    return (np.ldexp(matrix, -exponent) if exponent else matrix), exponent
