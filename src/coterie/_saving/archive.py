"""Zip files of texts and arrays, which are read without trust.

Members are stored as they are, not compressed, and may not claim more than the file has: so what
is read takes no more memory than the file is large. Their number, and what is JSON, has a limit,
because directories and trees grow when they are read.
"""

import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeAlias
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from coterie._core.files import FileName, as_path, replacing
from coterie.exceptions import InputError

Content: TypeAlias = bytes | NDArray[Any]
"""What a member is made of."""

AS_SAVED = "give a file as it was saved"

MOST_MEMBERS, MOST_BYTES, MOST_BRACKETS = 100_000, 48 * 2**20, 1_000_000
"""Of a file; of one of its texts; and in one. Short texts in JSON take 17 times their bytes when
they are read, and lists and objects up to 200 bytes each: so it stays below 1 GB."""

_MOST_DIRECTORY = 100 * MOST_MEMBERS
_ARRAY = re.compile(r"arrays/(0|[1-9][0-9]{0,8})\.npy")


def array_name(number: Any) -> str:
    """Return the name of the member of an array."""
    return f"arrays/{number}.npy"


def write_archive(path: FileName, members: Mapping[str, Content]) -> None:
    """Write members to one file, whole or not at all; equal members make equal bytes."""
    n_arrays = sum(isinstance(content, np.ndarray) for content in members.values())
    if len(members) > MOST_MEMBERS:
        raise InputError(
            f"the model has {n_arrays} arrays, and a file at most {MOST_MEMBERS} members; join some"
        )
    for name, content in members.items():
        if isinstance(content, bytes):
            _refuse_large(content, name, "make arrays of long lists, or learn from less")
    with replacing(path) as stream, ZipFile(stream, "w", ZIP_STORED) as archive:
        for name, content in members.items():
            with archive.open(_described(name, content), "w") as member:
                _put(content, member.write)


def digest(content: Content) -> str:
    """Return the SHA-256 of a member as it is written."""
    found = hashlib.sha256()
    _put(content, found.update)
    return found.hexdigest()


def as_json(value: Any) -> bytes:
    """Write a tree of plain values."""
    return json.dumps(value, allow_nan=False).encode()


def read_json(text: bytes, name: str) -> Any:
    """Read a tree of plain values; `name` is that of the member."""
    _refuse_large(text, name, AS_SAVED)
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is damaged: {error}; {AS_SAVED}") from error


@dataclass(frozen=True)
class Archive:
    """A file that is open to be read."""

    directory: dict[str, ZipInfo]
    read: Callable[[ZipInfo], bytes]
    size: int

    def text(self, name: str) -> bytes:
        """Read one member, whatever the others are."""
        info = self.directory.get(name)
        if info is None:
            raise InputError(f"it must have one member {name}; {AS_SAVED}")
        self._refuse_sizes([info])
        return self.read(info)

    def members(self, texts: tuple[str, ...]) -> dict[str, bytes]:
        """Read all members, which must be the texts that are named, and arrays."""
        for name in self.directory:
            if name not in texts and not _ARRAY.fullmatch(name):
                shown = repr(name[:80])
                raise InputError(f"it has the member {shown}, which no saved model has; {AS_SAVED}")
        self._refuse_sizes(list(self.directory.values()))
        read = {name: self.text(name) for name in texts}
        arrays = self.directory.keys() - read.keys()
        return read | {name: self.read(self.directory[name]) for name in arrays}

    def _refuse_sizes(self, infos: list[ZipInfo]) -> None:
        """Refuse what may take more memory than the file is large."""
        if any(info.compress_type != ZIP_STORED for info in infos):
            raise InputError(f"its members are compressed, which no saved model's are; {AS_SAVED}")
        if sum(max(info.file_size, info.compress_size) for info in infos) > self.size:
            raise InputError(f"its members are said to be larger than the file; {AS_SAVED}")


@contextmanager
def opened(path: FileName) -> Iterator[Archive]:
    """Open a file to read it; whatever else it is, one `InputError` says so."""
    file = as_path(path)
    try:
        with _Limited(file) as stream, ZipFile(stream) as archive:
            stream.most = None
            infos = archive.infolist()
            _refuse_strange(infos)
            directory = {info.filename: info for info in infos}
            yield Archive(directory, archive.read, file.stat().st_size)
    except (InputError, MemoryError):
        raise
    except FileNotFoundError as error:
        raise InputError("there is no such file; give the name of a saved model") from error
    except BadZipFile as error:
        raise InputError(f"this is no saved model, or it is damaged; {AS_SAVED}") from error
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}; {AS_SAVED}") from error
    except Exception as error:  # zipfile lets several kinds through where headers are wrong
        raise InputError(f"the model is damaged; {AS_SAVED}") from error


class _Limited(io.FileIO):
    """A file that refuses long reads while `most` is set.

    The directory of a zip is read at once, and each of its entries then takes ten times the memory.
    """

    most: int | None = _MOST_DIRECTORY

    def read(self, size: int | None = -1, /) -> bytes:
        if self.most is not None and size is not None and size > self.most:
            raise InputError(f"it has more than {MOST_MEMBERS} members; {AS_SAVED}")
        return super().read(size) or b""


def _refuse_strange(infos: list[ZipInfo]) -> None:
    if len(infos) > MOST_MEMBERS:
        raise InputError(f"it has more than {MOST_MEMBERS} members; {AS_SAVED}")
    if len({info.filename for info in infos}) < len(infos):
        raise InputError(f"it must have each array once, and each text; {AS_SAVED}")


def _described(name: str, content: Content) -> ZipInfo:
    """Describe a member without the time and the system, so that equal models are equal files."""
    info = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr = 3, 0o644 << 16
    info.file_size = len(content) if isinstance(content, bytes) else content.nbytes
    return info


def _put(content: Content, write: Callable[[bytes], object]) -> None:
    if isinstance(content, np.ndarray):
        stream: Any = SimpleNamespace(write=write)
        npy.write_array(stream, content, version=(1, 0), allow_pickle=False)
    else:
        write(content)


def _refuse_large(text: bytes, name: str, remedy: str) -> None:
    """Refuse a text that would take much memory as objects of Python."""
    if len(text) > MOST_BYTES or text.count(b"[") + text.count(b"{") > MOST_BRACKETS:
        raise InputError(
            f"{name} has more than {MOST_BYTES} bytes, or {MOST_BRACKETS} lists and objects; "
            f"{remedy}"
        )


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")
