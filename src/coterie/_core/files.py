"""Files that are there whole or not at all."""

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from coterie.exceptions import InputError

FileName: TypeAlias = str | os.PathLike[str]

STREAM = "-"
"""What stands for standard input and output in place of the name of a file."""


@contextmanager
def replacing(path: FileName) -> Iterator[BinaryIO]:
    """Write a file under a temporary name beside it, and rename it when all of it is on the disk.

    Whatever fails inside, a file that was there before stays as it was, and nothing is left over.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "news.txt")) as stream:
    ...         _ = stream.write(b"all or nothing")
    ...     Path(folder, "news.txt").read_bytes()
    b'all or nothing'
    """
    with _explained(path):
        target = _as_target(path)
        # Not `tempfile`: its files are private, those of the user follow the umask.
        temporary = target.with_name(f".{target.name[:64]}.{secrets.token_hex(8)}.tmp")
        try:
            with temporary.open("xb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


@contextmanager
def _explained(path: FileName) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}; write to another place"
        ) from error


def as_path(path: Any) -> Path:
    """Take the name of a file, a text or a `Path`.

    >>> as_path(3)
    Traceback (most recent call last):
    coterie.exceptions.InputError: the file name is 3; give a text or a Path
    """
    if not isinstance(path, str | os.PathLike) or "\0" in str(path) or not str(path):
        raise InputError(f"the file name is {path!r}; give a text or a Path")
    return Path(path)


def discard_output() -> None:
    """Send what is still to be written to standard output nowhere: its reader has seen enough."""
    with suppress(OSError, ValueError, AttributeError):  # the latter where a notebook is in place
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _as_target(path: FileName) -> Path:
    """Follow links, so that the file is replaced and not the link to it."""
    target = Path(os.path.realpath(as_path(path)))
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}; make it first, or write elsewhere")
    if target.exists() and not target.is_file():
        raise InputError(f"{path} is no file that can be replaced; give the name of a file")
    return target


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
