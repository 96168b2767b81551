"""Zip files of texts and arrays, which are read without trusting them.

Members are not compressed, and their sizes may not exceed that of the file, so that reading them
takes no more memory than the size of the file. The number of members and the size of JSON texts
are limited, because directories and trees need more memory than their bytes in the file.
"""

import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from stat import S_ISDIR, S_ISREG
from types import SimpleNamespace
from typing import Any, TypeAlias
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from coterie._core.files import FileName, as_path, replacing
from coterie.exceptions import InputError

Content: TypeAlias = bytes | NDArray[Any]
"""The content of a member: a text in bytes, or an array."""

AS_SAVED = "give a file that was saved as a model, and not changed since"
"""The remedy in errors about damaged files."""

MOST_MEMBERS, MOST_BYTES, MOST_BRACKETS = 100_000, 48 * 2**20, 1_000_000
"""The largest numbers of members of a file, of bytes of a text, and of brackets in it.

When JSON is read, short texts take 17 times their bytes, and lists and objects up to 200 bytes
each, so that the memory stays below 1 GB.
"""

_MOST_DIRECTORY = 100 * MOST_MEMBERS
_ARRAY = re.compile(r"arrays/(0|[1-9][0-9]{0,8})\.npy")


def array_name(index: Any) -> str:
    """Return the name of the member of an array."""
    return f"arrays/{index}.npy"


def write_archive(path: FileName, members: Mapping[str, Content]) -> None:
    """Write members to a file that appears when complete; equal members make equal bytes."""
    n_arrays = sum(isinstance(content, np.ndarray) for content in members.values())
    if len(members) > MOST_MEMBERS:
        raise InputError(
            f"the model has {n_arrays} arrays, and each is a part of the file, which can have "
            f"at most {MOST_MEMBERS} parts; join some arrays"
        )
    for name, content in members.items():
        if isinstance(content, bytes):
            _refuse_large(content, name, "use arrays instead of long lists, or less training data")
    with replacing(path) as stream, ZipFile(stream, "w", ZIP_STORED) as archive:
        for name, content in members.items():
            with archive.open(_zip_info(name, content), "w") as member:
                _write(content, member.write)


def digest(content: Content) -> str:
    """Return the SHA-256 checksum of a member as it is written."""
    checksum = hashlib.sha256()
    _write(content, checksum.update)
    return checksum.hexdigest()


def as_json(value: Any) -> bytes:
    """Return a tree of plain values as JSON."""
    return json.dumps(value, allow_nan=False).encode()


def read_json(text: bytes, name: str) -> Any:
    """Return the tree of plain values of a JSON text; `name` is the name of its member."""
    _refuse_large(text, name, AS_SAVED)
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is damaged: {error}; {AS_SAVED}") from error


@dataclass(frozen=True)
class Archive:
    """A zip file that is open for reading."""

    directory: dict[str, ZipInfo]
    read: Callable[[ZipInfo], bytes]
    size: int

    def text(self, name: str) -> bytes:
        """Read one member, without a check of the others."""
        info = self.directory.get(name)
        if info is None:
            raise InputError(f"the file has no part {name}; {AS_SAVED}")
        self._refuse_sizes([info])
        return self.read(info)

    def members(self, texts: tuple[str, ...]) -> dict[str, bytes]:
        """Read all members, which must be exactly the named texts, and arrays."""
        for name in self.directory:
            if name not in texts and not _ARRAY.fullmatch(name):
                start = repr(name[:80])
                raise InputError(
                    f"the file has the part {start}, which no saved model has; {AS_SAVED}"
                )
        self._refuse_sizes(list(self.directory.values()))
        contents = {name: self.text(name) for name in texts}
        arrays = self.directory.keys() - contents.keys()
        return contents | {name: self.read(self.directory[name]) for name in arrays}

    def _refuse_sizes(self, infos: list[ZipInfo]) -> None:
        """Raise an error for members that may take more memory than the size of the file."""
        if any(info.compress_type != ZIP_STORED for info in infos):
            raise InputError(
                f"the parts of the file are compressed, but Coterie saves models uncompressed; "
                f"{AS_SAVED}"
            )
        if sum(max(info.file_size, info.compress_size) for info in infos) > self.size:
            raise InputError(f"the parts of the file are larger than the file; {AS_SAVED}")


@contextmanager
def open_archive(path: FileName) -> Iterator[Archive]:
    """Open a file for reading; raise an `InputError` if it is anything but a zip file."""
    file = as_path(path)
    try:
        _refuse_devices(file.stat().st_mode)
        with _Limited(file) as stream, ZipFile(stream) as archive:
            stream.max_read = None
            infos = archive.infolist()
            _refuse_many_or_duplicates(infos)
            directory = {info.filename: info for info in infos}
            yield Archive(directory, archive.read, file.stat().st_size)
    except (InputError, MemoryError):
        raise
    except FileNotFoundError as error:
        raise InputError("there is no such file; give the path of a saved model") from error
    except BadZipFile as error:
        raise InputError(f"the file is not a saved model, or is damaged; {AS_SAVED}") from error
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}; {AS_SAVED}") from error
    except Exception as error:  # zipfile raises many types of errors for wrong headers
        raise InputError(f"the model is damaged; {AS_SAVED}") from error


def _refuse_devices(mode: int) -> None:
    """Refuse what may never end, such as /dev/zero; `zipfile` needs the end of a file first."""
    if not S_ISREG(mode) and not S_ISDIR(mode):
        raise InputError("it is a device or a pipe, not a file; give the path of a saved model")


class _Limited(io.FileIO):
    """A file that refuses reads of more than `max_read` bytes, if set.

    `zipfile` reads the directory at once, and each entry then takes ten times its size in memory.
    """

    max_read: int | None = _MOST_DIRECTORY

    def read(self, size: int | None = -1, /) -> bytes:
        if self.max_read is not None and size is not None and size > self.max_read:
            raise InputError(f"the file has more than {MOST_MEMBERS} parts; {AS_SAVED}")
        return super().read(size) or b""


def _refuse_many_or_duplicates(infos: list[ZipInfo]) -> None:
    if len(infos) > MOST_MEMBERS:
        raise InputError(f"the file has more than {MOST_MEMBERS} parts; {AS_SAVED}")
    if len({info.filename for info in infos}) < len(infos):
        raise InputError(f"the file has two parts of the same name; {AS_SAVED}")


def _zip_info(name: str, content: Content) -> ZipInfo:
    """Return an entry without the time and the system, so that equal models make equal files."""
    info = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr = 3, 0o644 << 16
    info.file_size = len(content) if isinstance(content, bytes) else content.nbytes
    return info


def _write(content: Content, write: Callable[[bytes], object]) -> None:
    if isinstance(content, np.ndarray):
        stream: Any = SimpleNamespace(write=write)
        npy.write_array(stream, content, version=(1, 0), allow_pickle=False)
    else:
        write(content)


def _refuse_large(text: bytes, name: str, remedy: str) -> None:
    """Raise an error for a JSON text that would take too much memory as Python objects."""
    if len(text) > MOST_BYTES or text.count(b"[") + text.count(b"{") > MOST_BRACKETS:
        raise InputError(
            f"{name} has more than {MOST_BYTES} bytes, or more than {MOST_BRACKETS} lists and "
            f"objects; {remedy}"
        )


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a valid number in JSON")
