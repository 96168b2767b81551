"""Standard input, output and error, which may be closed or full."""

import os
import sys
from traceback import extract_tb
from typing import Any


def open_missing_streams() -> None:
    """Give closed standard streams a file, so that no other file takes their place.

    What is written to standard error goes nowhere. It is an error to read standard input or to
    write to standard output: their files are open for the other direction only.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # The system gives a new file the lowest free number.
            os.set_inheritable(os.open(os.devnull, mode), True)
    if sys.stdin is None:
        sys.stdin = _text_stream(0, "r")
    if sys.stdout is None:
        sys.stdout = _text_stream(1, "w")
    if sys.stderr is None:
        sys.stderr = _text_stream(2, "w")


def _text_stream(number: int, mode: str) -> Any:
    return os.fdopen(number, mode, encoding="utf-8", errors="replace", closefd=False)


def fault_of_output(error: BaseException) -> str | None:
    """Return why standard output cannot be written to, if that is the cause of an error."""
    if isinstance(error, OSError) and extract_tb(error.__traceback__)[-1].name == "echo":
        return error.strerror or str(error)
    try:
        sys.stdout.flush()  # what could not be written may be waiting in the buffer
    except OSError as fault:
        return fault.strerror or str(fault)
    except (ValueError, AttributeError):
        return "it is closed"
    return None
