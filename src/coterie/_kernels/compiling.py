"""The two decorators that compile kernels."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from numba import njit
from numba.core.event import Event, Listener, register

from coterie._core.compilation import compilation
from coterie._kernels.caching import KernelCache
from coterie._kernels.storing import warn

Function: TypeAlias = Callable[..., Any]


def kernel(function: Function) -> Function:
    """Compile for arrays, without the interpreter's lock, and cache the result on disk.

    A cached kernel is compiled again when its file changes, or a file whose kernels it imports.
    """
    compiled = njit(nogil=True)(function)
    if hasattr(compiled, "_cache"):  # with NUMBA_DISABLE_JIT, it is the function as it is
        try:
            compiled._cache = KernelCache(function)  # noqa: SLF001
        except OSError as error:  # there is no source, as in a program of one file
            warn(Path(function.__code__.co_filename), error)
    return compiled


def inlined(function: Function) -> Function:
    """Compile as a part of the kernels that call it."""
    return njit(inline="always", nogil=True)(function)


class _Timer(Listener):
    """Notes when this process compiles; what is loaded from a file is not compiled."""

    def on_start(self, event: Event) -> None:  # noqa: ARG002
        compilation.start()

    def on_end(self, event: Event) -> None:  # noqa: ARG002
        compilation.end()


register("numba:compile", _Timer())
