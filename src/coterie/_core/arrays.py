"""Arrays: names for those that travel, what counts as rounding, and what no memory holds."""

import os
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from coterie.exceptions import ItemSetError

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]
Pairs: TypeAlias = NDArray[np.intp]
"""Shape (m, 2); unordered pairs of different items, i < j, each once."""

Array = TypeVar("Array", bound=NDArray[Any])


def read_only(array: Array) -> Array:
    """Return a view that cannot be written through; nothing is copied."""
    view = array.view()
    view.setflags(write=False)
    return view


def rounding_tolerance(scores: Floats, *others: float) -> float:
    """Return the difference of two values that is no difference: 1e-9 of what is at stake.

    At stake is the sum of the positive scores, above which no partition has a value, or any other
    number that is larger. Negative scores are not: one that forbids may be as large as it likes.
    """
    stake = float(scores[scores > 0].sum())
    return 1e-9 * max([stake, *map(abs, others)])


def forbidding_score(scores: Floats) -> float:
    """Return a score that no sum of others outweighs: whoever joins such a pair only loses."""
    return -2.0 * float(scores[scores > 0].sum()) or -1.0


def refuse_too_large(n_numbers: int, what: str) -> None:
    """Refuse an array of numbers that is larger than the memory of the machine, where known.

    >>> refuse_too_large(10**15, "a full matrix of 31,622,777 items")
    Traceback (most recent call last):
    coterie.exceptions.ItemSetError: a full matrix of 31,622,777 items takes 8,000,000 GB, more than
    there is; list pairs by a blocker, with a clusterer that takes such, or use smaller item sets
    """
    needed = 8 * n_numbers
    if needed > physical_memory():
        raise ItemSetError(
            f"{what} takes {needed / 1e9:,.0f} GB, more than there is; list pairs by a "
            "blocker, with a clusterer that takes such, or use smaller item sets"
        )


def physical_memory() -> float:
    """Return the bytes of memory that the machine has, infinity where it does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
