"""Checks of the files that a command reads and writes."""

from contextlib import suppress
from pathlib import Path

from coterie._core.files import STREAM, replacing
from coterie.exceptions import InputError


def check_model_target(path: str) -> None:
    """Refuse a path to which no model can be written, before the model is learned."""
    if path == STREAM:
        raise InputError("a model cannot be written to standard output; give a file name")
    check_target(path)


def check_target(path: str) -> None:
    """Refuse a path to which no file can be written, by trying, before long work starts."""
    if path != STREAM:
        with suppress(_WritableError), replacing(path):
            raise _WritableError


def refuse_many_streams(*paths: str | None) -> None:
    """Refuse to read several files from standard input."""
    if sum(path == STREAM for path in paths) > 1:
        raise InputError("standard input can be read only once; use - for one file only")


def refuse_overwriting(output: str, *inputs: str | None) -> None:
    """Refuse to overwrite a file that the command reads."""
    if any(_is_same(output, path) for path in inputs if path is not None):
        raise InputError(f"{output} is also an input, and would be overwritten; give another file")


def _is_same(first: str, second: str) -> bool:
    """Return whether two names are of the same existing file."""
    if STREAM in (first, second):
        return False
    try:
        return Path(first).samefile(second)
    except (OSError, ValueError):
        return False


def write_text(path: str, text: str) -> None:
    """Write a text to a file, completely or not at all, or to standard output."""
    import typer

    if path == STREAM:
        typer.echo(text, nl=False)
        return
    with replacing(path) as stream:
        stream.write(text.encode())


def read_text(path: str, max_bytes: int) -> str:
    """Read a small text file; refuse a larger one before it is read as a whole."""
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(max_bytes + 1)
        text = data[:max_bytes].decode(errors="strict" if len(data) <= max_bytes else "ignore")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{path} cannot be read: {reason}; check its name and permissions"
        ) from error
    if len(data) > max_bytes:
        raise InputError(f"{path} is larger than {max_bytes:,} bytes; give a smaller file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


class _WritableError(Exception):
    """Raised inside `replacing` to leave it before anything is written: the path is writable."""
