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
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from coterie.exceptions import InputError, located

PathLike: TypeAlias = str | os.PathLike[str]
Split: TypeAlias = Literal["train", "test"]
DevSplit: TypeAlias = Literal["train", "dev", "test"]
Record: TypeAlias = dict[str, Any]
Taken = TypeVar("Taken")

VARIABLE = "COTERIE_DATA"
_DAMAGES = (
    OSError, ValueError, TypeError, LookupError, EOFError, csv.Error, zipfile.BadZipFile, zlib.error
)  # fmt: skip


class Source(NamedTuple):
    """A corpus by its name, which is its folder's, its files and where they come from."""

    name: str
    files: tuple[str, ...]
    origin: str

    def find(self, folder: PathLike | None) -> Path:
        """Return the corpus's own folder inside `folder`; None looks in the default one."""
        place = (default_folder() if folder is None else Path(folder)) / self.name
        missing = [file for file in self.files if not (place / file).is_file()]
        if missing:
            raise InputError(
                f"the corpus {self.name} is not in {place}, which lacks {' and '.join(missing)}; "
                f"it is made from {self.origin}: name the folder that holds {self.name} by "
                f"folder=… or by the environment variable {VARIABLE}"
            )
        return place


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


def refuse_other_splits(split: str | None, known: tuple[str, ...] = ("train", "test")) -> None:
    """Refuse what is no split of a corpus; None stands for all.

    >>> refuse_other_splits("dev")
    Traceback (most recent call last):
    coterie.exceptions.InputError: split is 'dev'; give 'train', 'test' or None for all
    """
    if split is not None and split not in known:
        shown = ", ".join(repr(name) for name in known)
        raise InputError(f"split is {split!r}; give {shown} or None for all")


def refuse_other_folds(split: object, n_folds: int) -> None:
    """Refuse what is no number of a fold of a corpus, counted from 0; None stands for all.

    >>> refuse_other_folds(10, n_folds=10)
    Traceback (most recent call last):
    coterie.exceptions.InputError: split is 10; give the number of a fold, 0 to 9, or None for all
    """
    if split is None:
        return
    # True is a whole number for Python, but no fold.
    is_whole = isinstance(split, int | np.integer) and not isinstance(split, bool)
    if not is_whole or split not in range(n_folds):
        raise InputError(
            f"split is {split!r}; give the number of a fold, 0 to {n_folds - 1}, or None for all"
        )


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Name the file in whatever goes wrong inside."""
    try:
        with located(str(path)):
            yield
    except InputError:
        raise
    except _DAMAGES as error:
        raise InputError(f"{path} cannot be read ({error}); fetch it again") from error


def read_rows(path: Path, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Read some columns of a table of comma-separated values whose first row names them.

    A file that ends in .gz is unpacked on the way.
    """
    with reading(path), _opened(path) as lines:
        rows = csv.DictReader(lines, strict=True)
        return [_cells(row, columns, rows.line_num) for row in rows]


def _cells(row: Record, columns: tuple[str, ...], line: int) -> tuple[str, ...]:
    # What a row has too much is under None, and what it lacks is None.
    if None in row or None in row.values():
        raise ValueError(f"line {line}: the row has not one value for each column")
    return tuple(row[column] for column in columns)


def read_json_lines(path: Path) -> Iterator[Record]:
    """Read objects of JSON, one a line; a file that ends in .gz is unpacked on the way."""
    return map_json_lines(path, lambda record: record)


def map_json_lines(path: Path, take: Callable[[Record], Taken]) -> Iterator[Taken]:
    """Read objects of JSON and give what `take` makes of each; errors name the file and the line.

    A key that `take` misses, or a value that it cannot use, is a damage of the file.
    """
    with reading(path), _opened(path) as lines:
        for number, line in enumerate(lines, start=1):
            yield _at_line(number, _as_record, line, take)


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
    except (*_DAMAGES, RecursionError) as error:
        raise ValueError(f"line {number}: {error}") from error


def _as_record(line: str, take: Callable[[Record], Taken]) -> Taken:
    record = json.loads(line)
    if not isinstance(record, dict):
        raise TypeError(f"there is a {type(record).__name__}, no object")
    return take(record)


@contextmanager
def open_arrays(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Open named arrays, each of which is read when it is asked for; objects are refused."""
    with (
        reading(path),
        path.open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        yield arrays
