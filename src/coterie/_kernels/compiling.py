"""The one way in which kernels are compiled."""

from collections.abc import Callable
from typing import Any, TypeAlias

from numba import njit

Function: TypeAlias = Callable[..., Any]


def kernel(function: Function) -> Function:
    """Compile for arrays, without the interpreter's lock, and keep the result on disk.

    Numba keeps it beside the source, or in the user's cache folder where that cannot be written;
    where neither can, it is compiled anew in each process.
    """
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)


def inlined(function: Function) -> Function:
    """Compile as a part of the kernels that call it."""
    return njit(inline="always", nogil=True)(function)
