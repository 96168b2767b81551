"""The bytes of a table, from a file or standard input, and the format that its name tells."""

import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISFIFO
from typing import BinaryIO

from coterie._core.files import STREAM, FileName, as_path
from coterie.exceptions import InputError, located

FORMATS = ("csv", "tsv", "jsonl", "parquet")

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


def named_format(path: FileName, given: str | None) -> str | None:
    """Return the format that is given, or that the suffix tells; None if there is neither.

    >>> named_format("people.CSV.gz", None), named_format("-", "tsv"), named_format("people", None)
    ('csv', 'tsv', None)
    """
    if given is not None and given not in FORMATS:
        raise InputError(f"the format is {given!r}; give one of {', '.join(FORMATS)}")
    name = str(as_path(path)).lower().removesuffix(".gz")
    told = next((kind for suffix, kind in _SUFFIXES.items() if name.endswith(suffix)), None)
    found = given or told
    if found == "parquet" and is_gzip_name(path):
        raise InputError(f"{path} ends in .gz, but Parquet is compressed already; drop the .gz")
    return found


def require_format(path: FileName, found: str | None) -> str:
    """Refuse a file whose format nothing tells."""
    if found is None:
        raise InputError(
            f"the name of {path} does not tell its format; give a format ({', '.join(FORMATS)}) or "
            f"a name that ends in {', '.join(_SUFFIXES)}"
        )
    return found


def output_format(path: FileName, of_input: str | None) -> str | None:
    """Return the format to write in: that of the input only where the name does not tell one.

    None, for standard output alone, is that of `write_table`.

    >>> output_format("out.jsonl", "csv"), output_format("out", "csv"), output_format("-", None)
    ('jsonl', 'csv', None)
    """
    found = named_format(path, None) or named_format(path, of_input)
    return found if str(path) == STREAM else require_format(path, found)


def is_gzip_name(path: FileName) -> bool:
    """Tell whether a file is compressed by its name."""
    return str(path).lower().endswith(".gz")


MAX_BYTES = 4 * 2**30
"""How large a table may be after decompression; a small file can hide a very large one."""

MAX_CELLS = MAX_BYTES // 8
"""How many cells a table may have; a small file can ask for very many empty ones."""

_GZIP, _PARQUET, _BLOCK = b"\x1f\x8b", b"PAR1", 2**20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, eq=False)
class Source:
    """The bytes of a table, of text in UTF-8 or of Parquet, with the name for errors."""

    name: str
    format: str
    data: bytes


def read_source(path: FileName, given: str | None) -> Source:
    """Read all of a file, or of standard input for "-"."""
    found = named_format(path, given)
    if str(path) == STREAM:
        name, data = "standard input", _stdin_bytes()
    else:
        name, data = str(path), _file_bytes(as_path(path), found)
    with located(name):
        if is_gzip_name(path) or data.startswith(_GZIP):
            data = _decompressed(data)
        found = found or _sniffed(data)
        return Source(name, found, data if found == "parquet" else _as_utf8(data))


def text_lines(data: bytes, newline: str) -> io.TextIOWrapper:
    """Read the lines of UTF-8; a byte-order mark is dropped."""
    return io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline=newline)


@contextmanager
def decoding(data: bytes, encoding: str = "utf-8") -> Iterator[None]:
    """Say of what cannot be decoded in which line it is."""
    try:
        yield
    except UnicodeDecodeError:
        with _undecodable(data, encoding):
            data.decode(encoding)
        raise


@contextmanager
def _undecodable(data: bytes, encoding: str) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, "replace").encode()
        raise InputError(
            f"line {_line_number(before)} has the byte 0x{data[error.start]:02x} (byte "
            f"{error.start + 1} of the file), which is no {encoding.upper()}; save the table as "
            "UTF-8"
        ) from error


def _line_number(before: bytes) -> int:
    return len(_LINE_END.findall(before)) + 1


def _as_utf8(data: bytes) -> bytes:
    if data.startswith(_UTF16):
        with _undecodable(data, "utf-16"):
            data = data.decode("utf-16").encode()
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError(
            f"line {_line_number(data[:nul])} has a NUL byte, which no text has; save the table "
            "as UTF-8"
        )
    return data


def _sniffed(data: bytes) -> str:
    if data.startswith(_PARQUET) and data.endswith(_PARQUET):
        return "parquet"
    start = data[:_BLOCK].removeprefix(b"\xef\xbb\xbf").lstrip()
    first = re.split(rb"[\r\n]", start, maxsplit=1)[0]
    if data.startswith(_UTF16):
        first = first.replace(b"\0", b"").lstrip(b"\xff\xfe")
    if first.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in first and b"," not in first else "csv"


def _stdin_bytes() -> bytes:
    try:
        with located("standard input"):
            return _bounded(sys.stdin.buffer)
    except (OSError, AttributeError) as error:
        raise InputError(f"standard input cannot be read: {error}; give a file") from error


def _file_bytes(path: Path, found: str | None) -> bytes:
    try:
        with path.open("rb") as stream:
            if not S_ISFIFO(os.fstat(stream.fileno()).st_mode):  # the name of a pipe tells nothing
                require_format(path, found)
            with located(str(path)):
                return _bounded(stream)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}; give the name of one that is there") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder; give the name of a file") from error
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path} cannot be read: {reason}; give a file that can be") from error


def _decompressed(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return _bounded(stream)
    except (OSError, EOFError, zlib.error) as error:
        reason = str(error).rstrip(".")
        raise InputError(f"the gzip file is damaged ({reason}); make it again") from error


def _bounded(stream: BinaryIO | gzip.GzipFile) -> bytes:
    """Read to the end, but no more than is allowed."""
    whole = io.BytesIO()
    while block := stream.read(_BLOCK):
        if whole.tell() + len(block) > MAX_BYTES:
            raise InputError(f"the table is larger than {MAX_BYTES} bytes; read it in parts")
        whole.write(block)
    return whole.getvalue()
