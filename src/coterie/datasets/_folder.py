"""Where the files of public corpora are, and how they are read."""

import csv
import os
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie.exceptions import InputError, located

PathLike: TypeAlias = str | os.PathLike[str]
Split: TypeAlias = Literal["train", "test"]

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


def refuse_other_splits(split: str | None) -> None:
    """Refuse what is no split of a corpus; None stands for all.

    >>> refuse_other_splits("dev")
    Traceback (most recent call last):
    coterie.exceptions.InputError: split is 'dev'; give 'train', 'test' or None for all
    """
    if split not in ("train", "test", None):
        raise InputError(f"split is {split!r}; give 'train', 'test' or None for all")


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
    """Read some columns of a table of comma-separated values whose first row names them."""
    with reading(path), path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, strict=True)
        return [tuple(str(row[column]) for column in columns) for row in rows]


@contextmanager
def open_arrays(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Open named arrays, each of which is read when it is asked for; objects are refused."""
    with (
        reading(path),
        path.open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        yield arrays
