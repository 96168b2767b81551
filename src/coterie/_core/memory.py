"""Refusing what no memory holds, before it is tried."""

import os

from coterie.exceptions import ItemSetError


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
