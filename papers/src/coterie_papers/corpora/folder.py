"""The folders of public corpora, and functions that read their files."""

import csv
import gzip
import json
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from coterie.exceptions import InputError, located

PathLike: TypeAlias = str | os.PathLike[str]
Record: TypeAlias = dict[str, Any]
Converted = TypeVar("Converted")

VARIABLE = "COTERIE_DATA"
"""The environment variable that names the folder of the corpora."""

_READ_ERRORS = (
    OSError, ValueError, TypeError, AttributeError, LookupError, EOFError, MemoryError,
    RecursionError, csv.Error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""The errors that damaged files cause while they are read."""


class Source(NamedTuple):
    """Files of a corpus.

    `name` is the name of the corpus and of its folder. `files` gives the layout of each file: its
    format and the fields that are read, such as "CSV: name, phone", and after a semicolon an
    explanation of fields whose names are not enough. `origin` says where the files come from.
    """

    name: str
    files: Mapping[str, str]
    origin: str

    def find(self, folder: PathLike | None) -> Path:
        """Return the folder of the corpus inside `folder`, or inside the default folder if None."""
        missing = self.missing(folder)
        if missing:
            fields = {file: self.files[file].split(";")[0] for file in missing}
            raise InputError(
                f"the corpus {self.name} is missing or incomplete: the folder {self.path(folder)} "
                f"lacks {' and '.join(layout_texts(fields))}. These files are made from "
                f"{self.origin}; `coterie data show {self.name}` says more. Give the folder that "
                f"holds {self.name} as the argument folder (--data on the command line) or in the "
                f"environment variable {VARIABLE}"
            )
        return self.path(folder)

    def path(self, folder: PathLike | None) -> Path:
        """Return the path at which the folder of the corpus is expected."""
        return (default_folder() if folder is None else Path(folder)) / self.name

    def missing(self, folder: PathLike | None) -> list[str]:
        """Return the names of the missing files."""
        return [file for file in self.files if not (self.path(folder) / file).is_file()]


def layout_texts(files: Mapping[str, str]) -> list[str]:
    """Return one text per layout, with the files that have this layout.

    >>> layout_texts({"a.csv": "CSV: name, phone", "b.csv": "CSV: name, phone", "c.csv": "CSV: id"})
    ['a.csv, b.csv (CSV: name, phone)', 'c.csv (CSV: id)']
    """
    files_by_layout: dict[str, list[str]] = {}
    for file, layout in files.items():
        files_by_layout.setdefault(layout, []).append(file)
    return [f"{', '.join(names)} ({layout})" for layout, names in files_by_layout.items()]


def default_folder() -> Path:
    """Return the folder in COTERIE_DATA, or `coterie` in the user's cache folder."""
    folder = os.environ.get(VARIABLE)
    return Path(folder) if folder else _cache_folder() / "coterie"


def _cache_folder() -> Path:
    folder = os.environ.get("XDG_CACHE_HOME", "")
    if Path(folder).is_absolute():
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors inside the block into errors that name the file."""
    try:
        with located(str(path)):
            yield
    except InputError:
        raise
    except _READ_ERRORS as error:
        raise InputError(f"{path} cannot be read ({_message(error)}); fetch it again") from error


def _message(error: BaseException) -> str:
    return str(error) or type(error).__name__


def read_rows(path: Path, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Read some columns of a CSV file whose first row names the columns.

    A file whose name ends in .gz is decompressed.
    """
    return map_rows(path, columns, lambda *cells: cells)


def map_rows(
    path: Path, columns: tuple[str, ...], convert: Callable[..., Converted]
) -> list[Converted]:
    """Read columns like `read_rows`, and call `convert` with the cells of each row.

    Errors name the file and the line. If `convert` raises an error, the file counts as damaged.
    """
    with reading(path), _open_text(path) as lines:
        rows = csv.DictReader(lines, strict=True)
        for column in columns:
            if column not in (rows.fieldnames or ()):
                raise ValueError(f"line 1: the column {column!r} is missing")
        return [_at_line(rows.line_num, _from_cells, row, columns, convert) for row in rows]


def _from_cells(
    row: Record, columns: tuple[str, ...], convert: Callable[..., Converted]
) -> Converted:
    # The csv module stores extra cells under the key None, and None for missing cells.
    if None in row or None in row.values():
        raise ValueError("the row has more or fewer cells than the header")
    return convert(*(row[column] for column in columns))


def map_json_lines(path: Path, convert: Callable[[Record], Converted]) -> Iterator[Converted]:
    """Read JSON objects, one per line, and yield what `convert` returns for each.

    A file whose name ends in .gz is decompressed. Errors name the file and the line. If `convert`
    raises an error, such as for a missing key, the file counts as damaged.
    """
    return map_lines(path, lambda line: _from_json(line, convert))


def map_lines(path: Path, convert: Callable[[str], Converted]) -> Iterator[Converted]:
    """Read lines and yield what `convert` returns for each; errors name the file and the line."""
    with reading(path), _open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            yield _at_line(number, convert, line)


def _open_text(path: Path) -> Any:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding="utf-8", newline="")


def _at_line(number: int, convert: Callable[..., Converted], *arguments: Any) -> Converted:
    try:
        with located(f"line {number}"):
            return convert(*arguments)
    except InputError:
        raise
    except KeyError as error:
        raise ValueError(f"line {number}: {error} is missing") from error
    except _READ_ERRORS as error:
        raise ValueError(f"line {number}: {_message(error)}") from error


def _from_json(line: str, convert: Callable[[Record], Converted]) -> Converted:
    record = json.loads(line)
    if not isinstance(record, dict):
        raise TypeError(f"the line holds a {type(record).__name__}, not a JSON object")
    return convert(record)


def as_text(record: Record, key: str) -> str:
    """Return a text from a JSON object.

    >>> as_text({"title": None}, "title")
    Traceback (most recent call last):
    TypeError: the title is None, not a string
    """
    value = record[key]
    if not isinstance(value, str):
        raise TypeError(f"the {key} is {value!r}, not a string")
    return value


@contextmanager
def open_arrays(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Open named arrays; each is read on access, and arrays of objects are refused."""
    with (
        reading(path),
        path.open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        yield arrays
