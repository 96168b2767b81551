"""The memory that OpenBLAS works in, which NumPy and SciPy each bring a copy of."""

from math import inf

from coterie._core.memory import ulimits

SIZE = 256
"""The number of rows of matrices for whose product OpenBLAS needs a buffer; for small ones, not."""


def take_buffers_under_limit() -> None:
    """Let OpenBLAS take its buffers at once if a limit of ulimit may leave no room for them later.

    It takes a buffer of 32 MB with the first large product, and keeps it. Where it gets none, it
    tries again for ever, or ends the program with a text of its own.
    """
    if all(limit.n_bytes == inf for limit in ulimits()):
        return
    # Loading these takes time, so it waits until there is a limit.
    import numpy as np  # noqa: PLC0415
    from scipy.linalg.blas import dgemm  # noqa: PLC0415

    matrix = np.ones((SIZE, SIZE))
    matrix @ matrix
    dgemm(1.0, matrix, matrix)
