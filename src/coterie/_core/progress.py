"""How long work tells the one who waits for it where it stands."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias

from coterie.exceptions import InterruptedWarning


class Progress(NamedTuple):
    """Where a task stands: `done` of `total` steps (None: unknown), and a few words more."""

    task: str
    done: int
    total: int | None = None
    detail: str = ""


Callback: TypeAlias = Callable[[Progress], None]

_callback: ContextVar[Callback | None] = ContextVar("coterie_progress", default=None)


@contextmanager
def progress(callback: Callback) -> Iterator[None]:
    """Call `callback` with a `Progress` at every step of the long work done inside.

    Without it the library is silent; the command line shows bars.

    >>> with progress(lambda step: print(step.task, step.done)):
    ...     report("fit", 1)
    fit 1
    """
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Take an interrupted fit for what it is to work of many parts: the end of all."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", InterruptedWarning)
        try:
            yield
        except InterruptedWarning:
            raise KeyboardInterrupt from None


def report(task: str, done: int, total: int | None = None, detail: str = "") -> None:
    """Tell where a task stands, if anyone listens."""
    callback = _callback.get()
    if callback is not None:
        callback(Progress(task, done, total, detail))
