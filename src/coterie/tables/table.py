"""A table whose cells are all text."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NoReturn

from coterie._core.texts import quote
from coterie.exceptions import InputError, located

MOST_NAMES = 12
"""Number of column names that an error lists."""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of text, one cell per row; an empty text is a missing value.

    Tables are equal if they have the same columns in the same order, whatever they are called.

    Parameters
    ----------
    columns : mapping of names to sequences of texts
        At least one column; all have the same length. Names are not blank. Texts are valid Unicode
        without the character NUL, so that they can be written to any kind of file.
    name : str
        The name of the table in errors, such as the name of its file.

    Examples
    --------
    >>> table = Table({"name": ["Ann", "Bob"], "town": ["Ulm", ""]})
    >>> len(table), table.names, table["town"]
    (2, ('name', 'town'), ('Ulm', ''))
    """

    columns: Mapping[str, Sequence[str]]
    name: str = "the table"

    def __post_init__(self) -> None:
        with located(self.name):
            columns = {name: _checked(name, cells) for name, cells in self.columns.items()}
            _refuse_unequal(columns)
        object.__setattr__(self, "columns", MappingProxyType(columns))

    def __repr__(self) -> str:
        return f"Table({len(self)} rows, columns {column_list(self.names)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.names == other.names and self.columns == other.columns

    def __hash__(self) -> int:
        return hash((len(self), self.names))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> tuple[str, ...]:
        self._refuse_unknown([name])
        return tuple(self.columns[name])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in their order."""
        return tuple(self.columns)

    def take(self, indices: Iterable[int]) -> "Table":
        """Return the rows at these indices, in this order; the first row is at 0."""
        rows = list(indices)
        outside = next((row for row in rows if not 0 <= row < len(self)), None)
        if outside is not None:
            raise InputError(
                f"{self.name} has no row {outside}; its rows run from 0 to {len(self) - 1}"
            )
        columns = self.columns.items()
        return Table({name: [cells[row] for row in rows] for name, cells in columns}, self.name)

    def without(self, names: Collection[str]) -> "Table":
        """Return the table without these columns; at least one column must remain."""
        self._refuse_unknown(names)
        columns = {name: cells for name, cells in self.columns.items() if name not in names}
        return Table(columns, self.name)

    def with_columns(self, columns: Mapping[str, Sequence[str]]) -> "Table":
        """Return the table with columns added at its end; a column of the same name is replaced.

        >>> table = Table({"name": ["Ann", "Bob"]}).with_columns({"town": ["Ulm", ""]})
        >>> table.names
        ('name', 'town')
        """
        return Table({**self.columns, **columns}, self.name)

    def _refuse_unknown(self, names: Collection[str]) -> None:
        for name in names:
            if name not in self.columns:
                raise InputError(
                    f"{self.name} has no column {name!r}; its columns are {column_list(self.names)}"
                )


def column_list(names: Sequence[str]) -> str:
    r"""Return names of columns for an error: on one line, and only the first of many.

    >>> column_list(["name", "two\nlines"]), column_list(["x"] * 14)
    ("name, 'two\\nlines'", 'x, x, x, x, x, x, x, x, x, x, x, x and 2 more')
    """
    first = [quote(name) for name in names[:MOST_NAMES]]
    n_more = len(names) - len(first)
    return ", ".join(first) + (f" and {n_more} more" if n_more else "")


def check_name(name: object) -> None:
    """Refuse a value that cannot be the name of a column."""
    if not isinstance(name, str):
        raise InputError(f"a column is named {name!r}; its name must be text")
    if not name.strip():
        raise InputError(f"the name of a column is {name!r}; give it a name with letters or digits")
    _check_text(name, f"the name {name!r} of a column")


def _checked(name: str, cells: Sequence[str]) -> tuple[str, ...]:
    check_name(name)
    if isinstance(cells, str):
        raise InputError(f"column {name!r} is a single string; give a list with one string per row")
    texts = cells if isinstance(cells, tuple) else tuple(cells)
    if set(map(type, texts)) - {str} or not _is_sound("".join(texts)):
        _explain(name, texts)
    return texts


def _is_sound(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _explain(name: str, cells: tuple[object, ...]) -> NoReturn:
    for row, cell in enumerate(cells):
        place = f"column {name!r}, row {row}"
        if type(cell) is not str:
            raise InputError(f"{place} is of type {type(cell).__name__}; convert it to text")
        _check_text(cell, place)
    raise AssertionError(name)


def _check_text(text: str, place: str) -> None:
    if "\0" in text:
        raise InputError(f"{place} contains the character NUL; remove it")
    if text and not _is_sound(text):
        raise InputError(
            f"{place} contains half of a surrogate pair, which is not a character; remove it"
        )


def _refuse_unequal(columns: Mapping[str, tuple[str, ...]]) -> None:
    if not columns:
        raise InputError("there are no columns; give at least one")
    first = next(iter(columns))
    for name, cells in columns.items():
        if len(cells) != len(columns[first]):
            raise InputError(
                f"column {name!r} has {len(cells)} rows, but column {first!r} has "
                f"{len(columns[first])}; all columns must have the same length"
            )
