"""Array types, numerical tolerances, and a check that an array fits into memory."""

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from coterie._core.memory import bytes_text, memory_limit
from coterie.exceptions import ItemSetError

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]
Pairs: TypeAlias = NDArray[np.intp]
"""Shape (m, 2); unordered pairs of different items, i < j, without duplicates."""

Array = TypeVar("Array", bound=NDArray[Any])


def read_only(array: Array) -> Array:
    """Return a read-only view of an array, without copying it."""
    view = array.view()
    view.setflags(write=False)
    return view


def rounding_tolerance(scores: Floats, *others: float) -> float:
    """Return the largest difference of two objective values that counts as a rounding error.

    It is 1e-9 times the larger of two numbers: the sum of the positive scores, which the value of
    no partition exceeds, and the largest absolute value of `others`. Negative scores are ignored,
    because those that forbid a pair may be huge.
    """
    scale = float(scores[scores > 0].sum())
    return 1e-9 * max([scale, *map(abs, others)])


def forbidding_score(scores: Floats) -> float:
    """Return a score so low that no partition gains by joining a pair of this score."""
    return -2.0 * float(scores[scores > 0].sum()) or -1.0


def refuse_too_large(n_numbers: int, description: str) -> None:
    """Raise an error if an array of float64 numbers is larger than the memory that is left.

    >>> refuse_too_large(10**15, "a full matrix of 31,622,777 items")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    coterie.exceptions.ItemSetError: a full matrix of 31,622,777 items takes 8,000,000 GB, more than
    the memory that this process may take, ... GB (...); use a blocker and a clusterer that needs
    only some pairs, or smaller item sets
    """
    n_bytes, limit = 8 * n_numbers, memory_limit()
    if n_bytes > limit.n_bytes:
        raise ItemSetError(
            f"{description} takes {bytes_text(n_bytes)}, more than the memory that this process "
            f"may take, {bytes_text(limit.n_bytes)} ({limit.cause}); use a blocker and a clusterer "
            "that needs only some pairs, or smaller item sets"
        )
