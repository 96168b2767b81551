"""The two decorators that compile kernels."""

from collections.abc import Callable
from typing import Any, TypeAlias

from numba import njit

Function: TypeAlias = Callable[..., Any]


def kernel(function: Function) -> Function:
    """Compile for arrays, without the interpreter's lock, and cache the result on disk.

    Numba caches it beside the source, or in the user's cache folder where that cannot be written;
    where neither can be written, each process compiles it anew. A cached kernel is compiled again
    when its own file changes, but not when a kernel that it calls changes in another file.
    """
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        # Numba raises this at decoration where it finds no folder that it can write to.
        return njit(nogil=True)(function)


def inlined(function: Function) -> Function:
    """Compile as a part of the kernels that call it."""
    return njit(inline="always", nogil=True)(function)
