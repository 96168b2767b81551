"""Work that is divided among processes, which end when the process that started them ends."""

import os
import time
from collections.abc import Iterable, Iterator
from threading import Thread
from typing import Any

from joblib import Parallel

from coterie._core.blas import take_buffers_under_limit

PAUSE = 0.5
"""Seconds between two looks at the parent process."""


def call_all(calls: Iterable[Any], n_jobs: int, *, ordered: bool = True) -> Iterator[Any]:
    """Yield the results of calls that `joblib.delayed` made, from `n_jobs` processes.

    The results come in the order of the calls, or else as soon as each is there.

    >>> from joblib import delayed
    >>> list(call_all([delayed(abs)(-2), delayed(abs)(3)], n_jobs=1))
    [2, 3]
    """
    if n_jobs == 1:
        return (function(*args, **kwargs) for function, args, kwargs in calls)
    parallel = Parallel(
        n_jobs,
        backend="loky",
        return_as="generator" if ordered else "generator_unordered",
        initializer=start_worker,
        initargs=(os.getpid(),),
    )
    results: Iterator[Any] = parallel(calls)
    return results


def start_worker(parent: int) -> None:
    """Prepare this process for work: it needs memory of its own, and ends with its parent."""
    end_with_parent(parent)
    take_buffers_under_limit()


def end_with_parent(parent: int) -> None:
    """Watch the parent process from a thread, and end this process when the parent has ended.

    Otherwise the workers of a killed process would wait for work for minutes, with their memory and
    with the arrays that they share. joblib removes these arrays when the last worker has ended. The
    thread runs during kernels too, as they release the interpreter's lock. Windows does not tell a
    process that its parent has ended, so there this does nothing.
    """
    Thread(target=_watch, args=(parent,), name="end with parent", daemon=True).start()


def _watch(parent: int) -> None:
    # The kernel gives an orphan another parent, even while the killed one is still listed.
    while os.getppid() == parent:
        time.sleep(PAUSE)
    os._exit(1)  # without the cleaning up of the interpreter, which waits for other threads
