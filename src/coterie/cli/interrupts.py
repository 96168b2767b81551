"""Stops by the user: Ctrl+C ends the program with one line of text and exit code 130.

While modules load and while Python ends, nothing has to be cleaned up, and the program ends on the
spot. While a command runs, `KeyboardInterrupt` is raised, so that half-written files are removed.
Some libraries catch it or turn it into another error; so the request to stop is remembered.
"""

import atexit
import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn

STOPPED = 130
"""The exit code of a program that the user stopped."""

LINE = "coterie: stopped\n"


class _Stop:
    """The memory of the program: whether the user has asked to stop."""

    is_requested = False


def is_stopped(error: BaseException | None = None) -> bool:
    """Return whether the user has asked to stop, or an error comes from `KeyboardInterrupt`."""
    if _Stop.is_requested:
        return True
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def stop_if_requested() -> None:
    """Raise `KeyboardInterrupt` if the user has asked to stop; a library may have caught it."""
    if _Stop.is_requested:
        raise KeyboardInterrupt


def exit_at_once_when_stopped() -> None:
    """End the program on the spot from now on when the user stops it."""
    _handle(exit_at_once)


def raise_when_stopped() -> None:
    """Raise `KeyboardInterrupt` when the user stops the program, and end it at the second time."""
    sys.unraisablehook = _hide_interrupts
    atexit.register(_keep_exit_code)
    _handle(_raise)


def exit_at_once(_number: int = 0, _frame: Any = None) -> NoReturn:
    """Print the line of a stopped program, and end it without any cleaning up."""
    with suppress(OSError):
        os.write(2, LINE.encode())
    os._exit(STOPPED)


def _raise(_number: int, _frame: Any) -> NoReturn:
    _Stop.is_requested = True
    _handle(exit_at_once)
    raise KeyboardInterrupt


def _handle(handler: Any) -> None:
    """Handle the signal of Ctrl+C, unless whoever started the program made it deaf to that."""
    with suppress(ValueError):  # not the main thread, which alone handles signals
        if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, exit_at_once, _raise):
            signal.signal(signal.SIGINT, handler)


def _keep_exit_code() -> None:
    """End a stopped program with its exit code: Python may otherwise end itself by a signal.

    It does so if `KeyboardInterrupt` went through `exec`, even where it was caught later. This
    function is registered before those with which libraries clean up, and so runs after them.
    """
    if _Stop.is_requested:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(STOPPED)


def _hide_interrupts(unraisable: Any) -> None:
    """Print errors that Python has to ignore, except stops, which are not forgotten."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
