"""A message about compiling, which would otherwise be a long silence."""

from collections.abc import Iterator
from contextlib import contextmanager

from coterie._core.compilation import compilation
from coterie.cli.lines import print_line

MESSAGE = (
    "compiling functions for this computer; this happens once, and takes about 30 seconds if none "
    "is compiled yet"
)


@contextmanager
def noting_compilation() -> Iterator[None]:
    """Print one line when the work inside begins to compile functions."""
    compilation.tell_once(lambda: print_line(MESSAGE))
    try:
        yield
    finally:
        compilation.tell_once(None)
