"""The bytes of a table, from a file or from standard input, and their format."""

import errno
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
from coterie._core.memory import bytes_text, memory_limit
from coterie.exceptions import InputError, located

FORMATS = ("csv", "tsv", "jsonl", "parquet")

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


def named_format(path: FileName, format_: str | None) -> str | None:
    """Return the given format, or else the format of the suffix; None if there is neither.

    >>> named_format("people.CSV.gz", None), named_format("-", "tsv"), named_format("people", None)
    ('csv', 'tsv', None)
    """
    if format_ is not None and format_ not in FORMATS:
        raise InputError(f"the format is {format_!r}; use one of {', '.join(FORMATS)}")
    name = str(as_path(path)).lower().removesuffix(".gz")
    by_suffix = next((kind for suffix, kind in _SUFFIXES.items() if name.endswith(suffix)), None)
    chosen = format_ or by_suffix
    if chosen == "parquet" and is_gzip_name(path):
        raise InputError(
            f"{path} ends in .gz, but Parquet files are compressed already; remove the .gz"
        )
    return chosen


def require_format(path: FileName, format_: str | None, *, can_name: bool = True) -> str:
    """Refuse a file whose format is unknown; `can_name` says whether the user can name it."""
    if format_ is None:
        by_name = f"name it with `format=` ({', '.join(FORMATS)}), or " if can_name else ""
        raise InputError(
            f"the format of {path} is unknown; {by_name}use a file name that ends in "
            f"{', '.join(_SUFFIXES)}"
        )
    return format_


def output_format(path: FileName, of_input: str | None) -> str | None:
    """Return the format of an output file: by its name, or else the format of the input.

    None, possible for standard output only, means the default of `write_table`.

    >>> output_format("out.jsonl", "csv"), output_format("out", "csv"), output_format("-", None)
    ('jsonl', 'csv', None)
    """
    format_ = named_format(path, None) or named_format(path, of_input)
    return format_ if str(path) == STREAM else require_format(path, format_, can_name=False)


def is_gzip_name(path: FileName) -> bool:
    """Return whether the name of a file says that it is compressed by gzip."""
    return str(path).lower().endswith(".gz")


MAX_BYTES = 4 * 2**30
"""Largest size of a table after decompression; a small file can expand to a very large one."""

MAX_RATIO, SAFE_BYTES = 200, 256 * 2**20
"""The largest ratio of the sizes after and before decompression, above the second size. Tables
reach about 100; the most that gzip can reach is 1,032."""

MAX_CELLS = MAX_BYTES // 8
"""Largest number of cells of a table; a small file can declare very many empty ones."""

_GZIP, _PARQUET, _ZIP, _BLOCK = b"\x1f\x8b", b"PAR1", b"PK\x03\x04", 2**20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_NOT_TEXT = (_GZIP, _PARQUET, _ZIP, *_UTF16)
"""The first bytes of files that may have NUL bytes."""

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, eq=False)
class Source:
    """The bytes of a table, which are UTF-8 text or Parquet, and its name in errors."""

    name: str
    format: str
    data: bytes


def read_source(path: FileName, format_: str | None, *, can_name: bool = True) -> Source:
    """Read a file as a whole, or standard input for "-".

    `can_name` says whether the user can name the format, which an error then suggests.
    """
    format_ = named_format(path, format_)
    if str(path) == STREAM:
        name, data = "standard input", _stdin_bytes(format_)
    else:
        name, data = str(path), _file_bytes(as_path(path), format_, can_name=can_name)
    with located(name):
        _refuse_zip(data)
        if is_gzip_name(path) or data.startswith(_GZIP):
            data = _decompressed(data)
        format_ = format_ or _recognised_format(data)
        return Source(name, format_, data if format_ == "parquet" else _as_utf8(data))


def text_lines(data: bytes, newline: str) -> io.TextIOWrapper:
    """Return the lines of UTF-8 text, without a byte-order mark."""
    return io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline=newline)


@contextmanager
def decoding(data: bytes, encoding: str = "utf-8") -> Iterator[None]:
    """Name the line of any bytes that cannot be decoded in an error."""
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
            f"{error.start + 1} of the file), which is not {encoding.upper()} text; save the "
            "table as UTF-8"
        ) from error


def _line_number(before: bytes) -> int:
    return len(_LINE_END.findall(before)) + 1


def _as_utf8(data: bytes) -> bytes:
    if data.startswith(_UTF16):
        with _undecodable(data, "utf-16"):
            data = data.decode("utf-16").encode()
    _refuse_nul(data)
    return data


def _refuse_nul(data: bytes) -> None:
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError(
            f"line {_line_number(data[:nul])} has a NUL byte, so this is not a text file; save "
            "the table as UTF-8"
        )


def _recognised_format(data: bytes) -> str:
    if data.startswith(_PARQUET) and data.endswith(_PARQUET):
        return "parquet"
    start = data[:_BLOCK].removeprefix(b"\xef\xbb\xbf").lstrip()
    first = re.split(rb"[\r\n]", start, maxsplit=1)[0]
    if data.startswith(_UTF16):
        first = first.replace(b"\0", b"").lstrip(b"\xff\xfe")
    if first.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in first and b"," not in first else "csv"


def _stdin_bytes(format_: str | None) -> bytes:
    try:
        with located("standard input"):
            return _bounded(sys.stdin.buffer, is_text=format_ != "parquet")
    except (OSError, AttributeError) as error:
        _raise_want_of_memory(error, "standard input")
        raise InputError(
            f"standard input cannot be read: {error}; give a file name instead"
        ) from error


def _file_bytes(path: Path, format_: str | None, *, can_name: bool) -> bytes:
    try:
        with path.open("rb") as stream:
            is_pipe = S_ISFIFO(os.fstat(stream.fileno()).st_mode)  # its name has no suffix
            if format_ is None and not is_pipe:
                with located(str(path)):
                    _refuse_zip(stream.peek(len(_ZIP)))
                require_format(path, format_, can_name=can_name)
            is_text = format_ != "parquet" and not is_gzip_name(path)
            with located(str(path)):
                return _bounded(stream, is_text=is_text)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}; check the name") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder; give a file name") from error
    except OSError as error:
        _raise_want_of_memory(error, str(path))
        reason = error.strerror or error
        raise InputError(f"{path} cannot be read: {reason}; check its permissions") from error


def _raise_want_of_memory(error: Exception, name: str) -> None:
    """Raise an error about memory if the system had too little of it to read a file."""
    if getattr(error, "errno", None) == errno.ENOMEM:
        raise MemoryError(f"while it read {name}") from error


def _refuse_zip(start: bytes) -> None:
    """Refuse a file of Excel, or a model in place of a table; both are zip files."""
    if start.startswith(_ZIP):
        raise InputError(
            "this is a zip file, such as an Excel workbook or a model of Coterie, not a table; "
            "save the sheet of a workbook as CSV in UTF-8, or give the table in place of the model"
        )


def _decompressed(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return _bounded(stream, len(data))
    except (OSError, EOFError, zlib.error) as error:
        reason = str(error).rstrip(".")
        raise InputError(
            f"the gzip file is damaged ({reason}); compress the table again"
        ) from error


def _bounded(
    stream: BinaryIO | gzip.GzipFile, compressed_size: int | None = None, *, is_text: bool = True
) -> bytes:
    """Read to the end, but refuse more than `MAX_BYTES`, and more than memory can hold.

    Text is refused at its first NUL byte: devices such as /dev/zero never end.
    """
    buffer, limit = io.BytesIO(), memory_limit()
    while block := stream.read(_BLOCK):
        size = buffer.tell() + len(block)
        if size > MAX_BYTES:
            raise InputError(
                f"the table is larger than {MAX_BYTES:,} bytes; split it into several files"
            )
        # The cells of the table take at least as much memory as its bytes.
        if 2 * size > limit.n_bytes:
            raise InputError(
                f"the table needs over {bytes_text(2 * size)} of memory, but this process may take "
                f"only {bytes_text(limit.n_bytes)} more ({limit.cause}); raise the limit, or split "
                "the table into several files"
            )
        if compressed_size is not None and size > max(SAFE_BYTES, MAX_RATIO * compressed_size):
            raise InputError(
                f"the {compressed_size:,} bytes of the gzip file expand to over {size:,}, more "
                f"than {MAX_RATIO} times as many, which is unusual for a table; if it is right, "
                "decompress it with gunzip, and give the decompressed file"
            )
        is_text = is_text and (buffer.tell() > 0 or not block.startswith(_NOT_TEXT))
        buffer.write(block)
        if is_text and b"\0" in block:
            _refuse_nul(buffer.getvalue())
    return buffer.getvalue()
