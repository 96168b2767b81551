"""Commands that end at once where a limit on memory leaves no room for the compiled libraries.

NumPy and SciPy bring OpenBLAS, which reserves memory for each of its threads as soon as it is
loaded. Without that memory it prints lines of its own, ends the program, or tries again for ever.
"""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand

from coterie._core.blas import take_buffers_under_limit
from coterie._core.memory import bytes_text, ulimits
from coterie.cli.lines import print_line

FAILED = 1
"""The exit code of a command that has too little memory."""


class Room(NamedTuple):
    """The memory in bytes that a command needs with one thread, and for each further one."""

    one_thread: int
    more_threads: int


ROOM = {"`ulimit -v`": Room(800_000_000, 84_000_000), "`ulimit -d`": Room(330_000_000, 84_000_000)}
"""The memory that `coterie predict` takes for a hundred rows on Linux, and a little more.

The first limit counts all addresses, the second those of data that the process may change.
"""

THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
"""Variables of the number of threads of OpenBLAS; the first that is set counts."""

MOST_THREADS = 64
"""The number of threads for which the packages of NumPy and SciPy are built."""


class Command(TyperCommand):
    """A command that says so if it has too little memory to start; its help needs little."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        refusal = want_of_room()
        if refusal is not None:
            print_line(refusal)
            raise typer.Exit(FAILED)
        take_buffers_under_limit()
        return super().invoke(ctx)


def want_of_room() -> str | None:
    """Return what to say if a limit leaves too little memory to start, otherwise None."""
    if "numba" in sys.modules:
        return None  # the libraries are loaded, and their memory is taken
    n_threads = blas_threads(os.environ, _n_processors())
    for limit in ulimits():
        room = ROOM[limit.cause]
        needed = room.one_thread + (n_threads - 1) * room.more_threads
        if limit.n_bytes < needed:
            fewer = limit.n_bytes >= room.one_thread
            return (
                f"this process may use {bytes_text(limit.n_bytes)} of memory ({limit.cause}), but "
                f"Coterie needs about {bytes_text(needed)} to start; raise the limit"
                + (f", or set {THREAD_VARIABLES[0]} to 1" if fewer else "")
            )
    return None


def blas_threads(environment: Mapping[str, str], n_processors: int) -> int:
    """Return how many threads OpenBLAS starts.

    >>> blas_threads({}, 8), blas_threads({"OMP_NUM_THREADS": "2"}, 8), blas_threads({}, 100)
    (8, 2, 64)
    """
    most = min(n_processors, MOST_THREADS)
    for name in THREAD_VARIABLES:
        with suppress(KeyError, ValueError):
            n_threads = int(environment[name])
            if n_threads > 0:
                return min(n_threads, most)
    return most


def _n_processors() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # systems other than Linux
        return os.cpu_count() or 1
