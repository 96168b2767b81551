"""The files of a command: what it reads, and where it will write."""

from contextlib import suppress
from pathlib import Path

from coterie._core.files import STREAM, replacing
from coterie.exceptions import InputError


def check_model_target(path: str) -> None:
    """Refuse a place where no model can be written, before it is made."""
    if path == STREAM:
        raise InputError("a model cannot be written to standard output; give the name of a file")
    check_target(path)


def check_target(path: str) -> None:
    """Refuse a place where no file can be written, before long work: by trying to."""
    if path != STREAM:
        with suppress(_TriedError), replacing(path):
            raise _TriedError


def refuse_many_streams(*paths: str | None) -> None:
    """Refuse to read several files from standard input."""
    if sum(path == STREAM for path in paths) > 1:
        raise InputError("standard input can be read only once; give the names of the other files")


def refuse_overwriting(output: str, *inputs: str | None) -> None:
    """Refuse to write onto a file that is read: it would be lost."""
    if any(_is_same(output, path) for path in inputs if path is not None):
        raise InputError(f"{output} is read too, and would be lost; write to another file")


def _is_same(one: str, other: str) -> bool:
    """Tell whether two names are of one file that is there."""
    if STREAM in (one, other):
        return False
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False


def write_text(path: str, text: str) -> None:
    """Write a text to a file, whole or not at all, or to standard output."""
    import typer

    if path == STREAM:
        typer.echo(text, nl=False)
        return
    with replacing(path) as stream:
        stream.write(text.encode())


def read_text(path: str) -> str:
    """Read a small text file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no UTF-8, at byte {error.start + 1}; save it so") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read: {reason}; give a file that can be") from error


class _TriedError(Exception):
    """It could be written."""
