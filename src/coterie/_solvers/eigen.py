"""The largest eigenvalues of a symmetric matrix."""

from scipy.linalg import LinAlgError, eigh

from coterie._core.arrays import Floats


def largest_eigenpairs(matrix: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the `count` largest eigenvalues, ascending, and their vectors in columns.

    LAPACK's bisection for some of the eigenvalues (dstebz in dsyevr) counts how many lie below a
    point. Where many are equal up to rounding, its counts may contradict each other, and fewer
    pairs come back than were asked for, without an error; all of them are computed then.
    """
    values, vectors = eigh(matrix, subset_by_index=[len(matrix) - count, len(matrix) - 1])
    if len(values) < count:
        values, vectors = (part[..., -count:] for part in eigh(matrix))
    return values, vectors


def largest_eigenvalues(matrix: Floats, count: int) -> Floats:
    """Return the `count` largest eigenvalues, ascending; see `largest_eigenpairs`."""
    first = len(matrix) - count
    try:
        values: Floats = eigh(matrix, subset_by_index=[first, len(matrix) - 1], eigvals_only=True)
    except LinAlgError:
        # Without vectors the same shortage is an error.
        values = eigh(matrix, eigvals_only=True)[first:]
    return values
