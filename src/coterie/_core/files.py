"""Writing of files such that each is either complete or unchanged."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from coterie._core.temporary import (
    CAN_LOCK,
    remove_leftovers,
    take_permissions,
    temporary_file,
)
from coterie.exceptions import InputError

FileName: TypeAlias = str | os.PathLike[str]

STREAM = "-"
"""The file name that means standard input or standard output."""


@contextmanager
def replacing(path: FileName) -> Iterator[BinaryIO]:
    """Write a file under a temporary name in the same folder, and rename it once it is complete.

    If anything fails, an existing file stays unchanged and the temporary file is removed. Those of
    programs that were killed while they wrote the same file are removed too. A new file can be read
    by its owner only; one that replaces another takes its permissions.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "news.txt")) as stream:
    ...         _ = stream.write(b"all or nothing")
    ...     Path(folder, "news.txt").read_bytes()
    b'all or nothing'
    """
    with _write_errors(path):
        target = _as_target(path)
        remove_leftovers(target)
        with temporary_file(target) as (temporary, stream):
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            take_permissions(stream.fileno(), temporary, target)
            if not CAN_LOCK:
                stream.close()  # Windows renames closed files only
            # While it is locked: without the lock, another program would take it for a leftover.
            temporary.replace(target)
    _sync_folder(target.parent)


@contextmanager
def _write_errors(path: FileName) -> Iterator[None]:
    """Raise errors of the system as an `InputError` that names the file."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}; give another file"
        ) from error


def as_path(path: Any) -> Path:
    """Return the name of a file, a text or a path, as a `Path`; raise an error for anything else.

    >>> as_path(3)
    Traceback (most recent call last):
    coterie.exceptions.InputError: the file name is 3; give a non-empty string or a Path
    """
    if not isinstance(path, str | os.PathLike) or "\0" in str(path) or not str(path):
        raise InputError(f"the file name is {path!r}; give a non-empty string or a Path")
    return Path(path)


def discard_output(stream: Any = None) -> None:
    """Discard what is still written to standard output, for example if its reader has closed it.

    What waits in its buffer is discarded too. `stream` may be another stream, such as `sys.stderr`.
    """
    with suppress(OSError, ValueError, AttributeError):  # in a notebook, there is no file
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, (sys.stdout if stream is None else stream).fileno())
        os.close(null_device)


def _as_target(path: FileName) -> Path:
    """Return the file to replace: if the path is a symbolic link, the file that it points to."""
    target = Path(os.path.realpath(as_path(path)))
    if not target.parent.is_dir():
        raise InputError(
            f"there is no folder {target.parent}; create it first, or give a file in another folder"
        )
    if target.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file")
    if target.exists() and not target.is_file():
        raise InputError(f"{path} is not a regular file; give the name of a file")
    return target


def _sync_folder(folder: Path) -> None:
    """Flush a renaming in this folder to the disk, where the system supports that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
