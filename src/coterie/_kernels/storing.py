"""The files of compiled kernels: who may write them, and whether they are as they were written."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from errno import EDQUOT, ENOSPC
from functools import cache
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG, S_IWGRP, S_IWOTH
from tempfile import mkstemp
from threading import Event

from numba import config

LOGGER = "coterie.kernels"
"""The name of the logger that reports why compiled code cannot be kept."""

SOURCES = Path(__file__).parent
BUILT_IN = SOURCES / "compiled"
"""The folder of kernels that were compiled before Coterie was installed; it is only read."""

N_DIGEST = sha256().digest_size

FOREIGN, WRITABLE = "it belongs to another user", "other users can write to it"

_log = logging.getLogger(LOGGER)
_has_warned = Event()


def folders() -> Iterator[Path]:
    """Yield the folders to read; that of the user is made when it comes to it."""
    if BUILT_IN.is_dir() and _fault(BUILT_IN.stat(), SOURCES.stat()) is None:
        yield BUILT_IN
    folder = user_folder()
    if folder is not None:
        yield folder


def is_built_in(folder: Path) -> bool:
    """Return whether a folder holds kernels that were compiled before Coterie was installed."""
    return folder == BUILT_IN


def user_folder() -> Path | None:
    """Return the folder in which this user keeps compiled kernels; None if none can be used."""
    path = user_path()
    if path is None:
        warn(Path("~"), "there is no home folder")
        return None
    return _prepared(path)


def user_path() -> Path | None:
    """Return the name of this folder, which need not exist; None without a home folder."""
    try:
        parent = Path(getattr(config, "CACHE_DIR", "") or _user_caches() / "coterie").absolute()
    except RuntimeError:  # of `Path.home`
        return None
    # Two installations have two folders, so that neither removes what the other compiled.
    digest = sha256(os.fsencode(SOURCES)).hexdigest()[:16]
    return parent / f"coterie-kernels-{digest}"


def read(path: Path, identity: bytes) -> bytes | None:
    """Return what was written to a file for this identity; None if there is no file.

    Raises an error if it is another kernel's, damaged, or from another user: what is read is
    unpickled and run.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    source = Path(__file__).stat() if is_built_in(path.parent) else None
    if not S_ISREG(status.st_mode) or _fault(status, source) is not None:
        raise ValueError("not a file of this user")
    content = path.read_bytes()
    payload = content[N_DIGEST:]
    if content[:N_DIGEST] != _digest(payload, identity):
        raise ValueError("damaged")
    return payload


def write(path: Path, identity: bytes, payload: bytes) -> None:
    """Write a file completely or not at all, whatever other processes write at the same time."""
    descriptor, name = mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(_digest(payload, identity))
            stream.write(payload)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Remove a file, or an empty folder that has its name, if that is possible."""
    with suppress(OSError):
        path.rmdir() if path.is_dir() else path.unlink()


def warn(folder: Path, fault: object) -> None:
    """Report why a folder cannot hold compiled code, once in the life of the process."""
    if _has_warned.is_set():
        return
    _has_warned.set()
    is_full = isinstance(fault, OSError) and fault.errno in {ENOSPC, EDQUOT}
    _log.warning(
        "compiled code cannot be kept in %s (%s), so every run compiles it again, which takes "
        "some seconds; %sset NUMBA_CACHE_DIR to another folder",
        folder,
        (fault.strerror if isinstance(fault, OSError) else None) or fault,
        "free space there, or " if is_full else "",
    )


def _digest(payload: bytes, identity: bytes) -> bytes:
    return sha256(sha256(identity).digest() + payload).digest()


def _user_caches() -> Path:
    """Return the folder in which the programs of this user keep what they can make again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    folder = os.environ.get("XDG_CACHE_HOME", "")
    return Path(folder) if Path(folder).is_absolute() else Path.home() / ".cache"


@cache
def _prepared(folder: Path) -> Path | None:
    """Make a folder that only this user can read and write; None if that is impossible."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.stat()
        if _fault(status) == WRITABLE and status.st_uid == os.geteuid():
            _make_private(folder)
        fault = _fault(folder.stat())  # again, as some disks have no modes
    except OSError as error:
        warn(folder, error)
        return None
    if fault is not None:
        warn(folder, fault)
        return None
    return folder


def _make_private(folder: Path) -> None:
    """Shut others out of a folder of this user, and remove the files that they may have put in."""
    folder.chmod(0o700)
    for path in folder.iterdir():
        remove(path)
    _log.warning(
        "others could write to %s; the folder is private now, and the compiled code in it was "
        "removed, so this run compiles it again",
        folder,
    )


def _fault(status: os.stat_result, source: os.stat_result | None = None) -> str | None:
    """Return why code in a file or folder must not be run; None if it may be.

    Nobody may be able to change it who cannot run code in this process anyway, as the
    administrator and the owner of the source can.

    Parameters
    ----------
    status
        The owner and the permissions of the file or folder.
    source
        Those of a source beside it. Whoever can change the source may change the other, too: many
        systems let a group write to all files of an installed package.
    """
    if not hasattr(os, "geteuid"):  # Windows keeps the folders of users private
        return None
    if status.st_uid not in {0, os.geteuid(), SOURCES.stat().st_uid}:
        return FOREIGN
    writers = status.st_mode & (S_IWGRP | S_IWOTH)
    if source is not None:
        same_group = S_IWGRP if source.st_gid == status.st_gid else 0
        writers &= ~(source.st_mode & (same_group | S_IWOTH))
    return WRITABLE if writers else None
