"""Temporary files beside the files that they replace, and what killed programs left of them.

The writer of a temporary file holds a lock on it, which the system drops when the writer ends,
however it ends. So a temporary file without a lock is one that nobody will complete.
"""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE, S_ISREG
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    CAN_LOCK = False
else:
    CAN_LOCK = True

PRIVATE = 0o600
"""The permissions of a new file: its owner reads and writes it, and nobody else."""

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0)
# A pipe of that name must not make the program wait.
_LOOK = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def temporary_file(target: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Open a new locked file in the folder of a target, and remove it at the end if it is there."""
    while True:
        temporary = target.with_name(f"{_prefix(target)}{secrets.token_hex(8)}.tmp")
        handle = os.open(temporary, _CREATE, PRIVATE)
        try:
            with os.fdopen(handle, "wb") as stream:
                _lock(handle)
                if os.fstat(handle).st_nlink == 0:
                    continue  # another program took it for a leftover before it was locked
                yield temporary, stream
                return
        finally:
            temporary.unlink(missing_ok=True)


def remove_leftovers(target: Path) -> None:
    """Remove the temporary files of programs that were killed while they wrote a target.

    Files whose writers still live stay, and so do all files where the system has no locks.
    """
    if not CAN_LOCK:
        return
    name = re.compile(re.escape(_prefix(target)) + r"[0-9a-f]{16}\.tmp")
    with suppress(OSError):  # a folder in which one may write, but which one may not list
        for leftover in [
            entry for entry in os.scandir(target.parent) if name.fullmatch(entry.name)
        ]:
            with suppress(OSError):
                _remove_unless_locked(leftover.path)


def take_permissions(handle: int, temporary: Path, target: Path) -> None:
    """Give a file the permissions of the file that it replaces and, where allowed, its owner."""
    try:
        old = target.stat()
    except FileNotFoundError:
        return
    mode = S_IMODE(old.st_mode) & 0o777
    if not hasattr(os, "fchown"):  # Windows
        temporary.chmod(mode)
        return
    with suppress(OSError):
        os.fchown(handle, -1, old.st_gid)
    with suppress(OSError):
        os.fchown(handle, old.st_uid, -1)
    if os.fstat(handle).st_gid != old.st_gid:
        # What one group may do is not for another: it gets the permissions of everybody.
        mode = (mode & 0o707) | ((mode & 0o007) << 3)
    os.fchmod(handle, mode)


def _prefix(target: Path) -> str:
    return f".{target.name[:64]}."


def _lock(handle: int) -> None:
    with suppress(OSError):  # a file system without locks, where nobody removes leftovers
        if CAN_LOCK:
            fcntl.flock(handle, fcntl.LOCK_EX)


def _remove_unless_locked(path: str) -> None:
    handle = os.open(path, _LOOK)
    try:
        if S_ISREG(os.fstat(handle).st_mode):
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            Path(path).unlink()
    finally:
        os.close(handle)
