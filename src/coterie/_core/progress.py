"""Progress reports of long work to a callback of the user."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias

from coterie.exceptions import InterruptedWarning


class Progress(NamedTuple):
    """The progress of a task: `done` of `total` steps (None if unknown), and details in words."""

    task: str
    done: int
    total: int | None = None
    detail: str = ""


Callback: TypeAlias = Callable[[Progress], None]

_callback: ContextVar[Callback | None] = ContextVar("coterie_progress", default=None)


@contextmanager
def progress(callback: Callback) -> Iterator[None]:
    """Call `callback` with a `Progress` at every step of long work inside this context.

    Outside of such a context the library reports nothing.

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
    """Raise `KeyboardInterrupt` when a fit inside is interrupted, instead of warning of it.

    Work that consists of several fits then stops altogether, not only the current fit.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", InterruptedWarning)
        try:
            yield
        except InterruptedWarning:
            raise KeyboardInterrupt from None


def report(task: str, done: int, total: int | None = None, detail: str = "") -> None:
    """Report the progress of a task to the callback of `progress`, if there is one."""
    callback = _callback.get()
    if callback is not None:
        callback(Progress(task, done, total, detail))
