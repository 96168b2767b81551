"""Errors that come from too little memory, by whatever class a library raises them."""

import errno
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor

PHRASES = (
    "failed to map segment from shared object",
    "cannot allocate memory",
    "can't start new thread",
    "unable to allocate",
    "bad_alloc",
    "out of memory",
)
"""Words that the system, Python and compiled libraries write about too little memory."""

NOT_OURS = (ImportError, OSError, RuntimeError)
"""The classes of errors whose texts are searched for these phrases."""

REMOTE = "_RemoteTraceback"
"""The class of the traceback, as text, that joblib and Python attach to errors of a process."""


def is_short_of_memory(error: BaseException) -> bool:
    """Return whether an error, or one that it comes from, is about too little memory.

    >>> is_short_of_memory(OSError(errno.ENOMEM, "no room")), is_short_of_memory(OSError("no file"))
    (True, False)
    """
    return any(_is_about_memory(cause) for cause in _causes(error))


def has_lost_worker(error: BaseException) -> bool:
    """Return whether an error is about a process of `--jobs` that ended before its work did."""
    return any(isinstance(cause, BrokenExecutor) for cause in _causes(error))


def _is_about_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    text = str(error).lower()
    if type(error).__name__ == REMOTE:
        return "memoryerror" in text or any(phrase in text for phrase in PHRASES)
    return isinstance(error, NOT_OURS) and any(phrase in text for phrase in PHRASES)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, the one that it comes from, and so on."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        yield error
        seen.add(id(error))
        hidden = error.__suppress_context__
        error = error.__cause__ or (None if hidden else error.__context__)
