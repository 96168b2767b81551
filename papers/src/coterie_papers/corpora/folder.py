"""Where the files of public corpora are, and how they are read."""

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
Taken = TypeVar("Taken")

VARIABLE = "COTERIE_DATA"
_DAMAGES = (
    OSError, ValueError, TypeError, AttributeError, LookupError, EOFError, MemoryError,
    RecursionError, csv.Error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


class Source(NamedTuple):
    """A corpus by its name, which is its folder's, its files and where they come from.

    Of each file, `files` says the format and the fields that are read, such as "CSV: name, phone",
    and, after a semicolon, what they hold where their names do not say it.
    """

    name: str
    files: Mapping[str, str]
    origin: str

    def find(self, folder: PathLike | None) -> Path:
        """Return the corpus's own folder inside `folder`; None looks in the default one."""
        missing = self.missing(folder)
        if missing:
            fields = {file: self.files[file].split(";")[0] for file in missing}
            raise InputError(
                f"the corpus {self.name} is not in {self.place(folder)}, which lacks "
                f"{' and '.join(layout_texts(fields))}. It is made from {self.origin}; "
                f"`coterie data show {self.name}` says more. Name the folder that holds "
                f"{self.name} by the argument folder (--data on the command line) or by the "
                f"environment variable {VARIABLE}"
            )
        return self.place(folder)

    def place(self, folder: PathLike | None) -> Path:
        """Return where the corpus should be."""
        return (default_folder() if folder is None else Path(folder)) / self.name

    def missing(self, folder: PathLike | None) -> list[str]:
        """Return the files that are not there."""
        return [file for file in self.files if not (self.place(folder) / file).is_file()]


def layout_texts(files: Mapping[str, str]) -> list[str]:
    """Say what files hold, those that hold the same together.

    >>> layout_texts({"a.csv": "CSV: name, phone", "b.csv": "CSV: name, phone", "c.csv": "CSV: id"})
    ['a.csv, b.csv (CSV: name, phone)', 'c.csv (CSV: id)']
    """
    alike: dict[str, list[str]] = {}
    for file, layout in files.items():
        alike.setdefault(layout, []).append(file)
    return [f"{', '.join(names)} ({layout})" for layout, names in alike.items()]


def default_folder() -> Path:
    """Return the folder of the corpora: that of COTERIE_DATA, or one in the user's cache."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else _cache_folder() / "coterie"


def _cache_folder() -> Path:
    named = os.environ.get("XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Name the file in whatever goes wrong inside."""
    try:
        with located(str(path)):
            yield
    except InputError:
        raise
    except _DAMAGES as error:
        raise InputError(f"{path} cannot be read ({_told(error)}); fetch it again") from error


def _told(error: BaseException) -> str:
    return str(error) or type(error).__name__


def read_rows(path: Path, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Read some columns of a table of comma-separated values whose first row names them.

    A file that ends in .gz is unpacked on the way.
    """
    return map_rows(path, columns, lambda *cells: cells)


def map_rows(path: Path, columns: tuple[str, ...], take: Callable[..., Taken]) -> list[Taken]:
    """Read some columns as `read_rows` does and give what `take` makes of the cells of each row.

    Errors name the file and the line; a cell that `take` cannot use is a damage of the file.
    """
    with reading(path), _opened(path) as lines:
        rows = csv.DictReader(lines, strict=True)
        for column in columns:
            if column not in (rows.fieldnames or ()):
                raise ValueError(f"line 1: the column {column!r} is missing")
        return [_at_line(rows.line_num, _from_cells, row, columns, take) for row in rows]


def _from_cells(row: Record, columns: tuple[str, ...], take: Callable[..., Taken]) -> Taken:
    # What a row has too much is under None, and what it lacks is None.
    if None in row or None in row.values():
        raise ValueError("the row has not one value for each column")
    return take(*(row[column] for column in columns))


def map_json_lines(path: Path, take: Callable[[Record], Taken]) -> Iterator[Taken]:
    """Read objects of JSON, one a line, and give what `take` makes of each.

    A file that ends in .gz is unpacked on the way. Errors name the file and the line; a key that
    `take` misses, or a value that it cannot use, is a damage of the file.
    """
    return map_lines(path, lambda line: _as_record(line, take))


def map_lines(path: Path, take: Callable[[str], Taken]) -> Iterator[Taken]:
    """Read lines and give what `take` makes of each; errors name the file and the line."""
    with reading(path), _opened(path) as lines:
        for number, line in enumerate(lines, start=1):
            yield _at_line(number, take, line)


def _opened(path: Path) -> Any:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding="utf-8", newline="")


def _at_line(number: int, read: Callable[..., Taken], *given: Any) -> Taken:
    try:
        with located(f"line {number}"):
            return read(*given)
    except InputError:
        raise
    except KeyError as error:
        raise ValueError(f"line {number}: {error} is missing") from error
    except _DAMAGES as error:
        raise ValueError(f"line {number}: {_told(error)}") from error


def _as_record(line: str, take: Callable[[Record], Taken]) -> Taken:
    record = json.loads(line)
    if not isinstance(record, dict):
        raise TypeError(f"there is a {type(record).__name__}, no object")
    return take(record)


def as_text(record: Record, key: str) -> str:
    """Take a text from an object of JSON.

    >>> as_text({"title": None}, "title")
    Traceback (most recent call last):
    TypeError: the title is None
    """
    value = record[key]
    if not isinstance(value, str):
        raise TypeError(f"the {key} is {value!r}")
    return value


@contextmanager
def open_arrays(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Open named arrays, each of which is read when it is asked for; objects are refused."""
    with (
        reading(path),
        path.open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        yield arrays
