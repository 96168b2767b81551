"""The largest eigenvalues of a symmetric matrix."""

from scipy.linalg import LinAlgError, eigh

from coterie._core.arrays import Floats


def largest_eigenpairs(matrix: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the `count` largest eigenvalues, ascending, and their eigenvectors in columns.

    To compute some of the eigenvalues, LAPACK counts the eigenvalues below a point (dstebz in
    dsyevr). If many eigenvalues are equal up to rounding, its counts can contradict each other, and
    it returns fewer pairs than requested without an error. Then all of them are computed.
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
        # Without eigenvectors, LAPACK reports the shortage as an error.
        values = eigh(matrix, eigvals_only=True)[first:]
    return values
