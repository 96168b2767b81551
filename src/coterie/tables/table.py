"""A table whose cells are all text."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NoReturn

from coterie._core.texts import quote
from coterie.exceptions import InputError, located

MOST_NAMES = 12
"""How many names of columns an error lists."""


@dataclass(frozen=True, eq=False)
class Table:
    """Hold columns of text in their order, one cell a row; an empty text is a missing value.

    Tables are equal if their columns and the order of these are, whatever their names.

    Parameters
    ----------
    columns : mapping of names to sequences of texts
        At least one; all of the same length. A name is not blank, and a text is Unicode without
        the character NUL, so that it can be written to any kind of file.
    name : str
        What errors call the table, such as the name of its file.

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
        return f"Table({len(self)} rows, columns {', '.join(self.names)})"

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

    def taken(self, numbers: Iterable[int]) -> "Table":
        """Return the rows of these numbers, in this order; the first row is number 0."""
        rows = list(numbers)
        outside = next((row for row in rows if not 0 <= row < len(self)), None)
        if outside is not None:
            raise InputError(
                f"{self.name} has no row {outside}; its rows run from 0 to {len(self) - 1}"
            )
        columns = self.columns.items()
        return Table({name: [cells[row] for row in rows] for name, cells in columns}, self.name)

    def without(self, names: Collection[str]) -> "Table":
        """Return the table without these columns, at least one of which must be left."""
        self._refuse_unknown(names)
        kept = {name: cells for name, cells in self.columns.items() if name not in names}
        return Table(kept, self.name)

    def with_columns(self, columns: Mapping[str, Sequence[str]]) -> "Table":
        """Return the table with more columns at its end; one that is there already is replaced.

        >>> table = Table({"name": ["Ann", "Bob"]}).with_columns({"town": ["Ulm", ""]})
        >>> table.names
        ('name', 'town')
        """
        return Table({**self.columns, **columns}, self.name)

    def _refuse_unknown(self, names: Collection[str]) -> None:
        for name in names:
            if name not in self.columns:
                raise InputError(
                    f"{self.name} has no column {name!r}; its columns are {listed(self.names)}"
                )


def listed(names: Sequence[str]) -> str:
    r"""List the names of columns in an error: in one line, and not all of many.

    >>> listed(["name", "two\nlines"]), listed(["x"] * 14)
    ("name, 'two\\nlines'", 'x, x, x, x, x, x, x, x, x, x, x, x and 2 more')
    """
    some = [quote(name) for name in names[:MOST_NAMES]]
    more = len(names) - len(some)
    return ", ".join(some) + (f" and {more} more" if more else "")


def check_name(name: object) -> None:
    """Refuse what cannot be the name of a column."""
    if not isinstance(name, str):
        raise InputError(f"a column is named {name!r}; give it a name that is text")
    if not name.strip():
        raise InputError(f"a column is named {name!r}; give it a name")
    _check_text(name, f"the name {name!r} of a column")


def _checked(name: str, cells: Sequence[str]) -> tuple[str, ...]:
    check_name(name)
    if isinstance(cells, str):
        raise InputError(f"column {name!r} is one text; give a list of texts")
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
            raise InputError(f"{place} is of type {type(cell).__name__}; make text of it")
        _check_text(cell, place)
    raise AssertionError(name)


def _check_text(text: str, place: str) -> None:
    if "\0" in text:
        raise InputError(f"{place} has the character NUL; remove it")
    if text and not _is_sound(text):
        raise InputError(f"{place} has half a surrogate pair, which is no character; remove it")


def _refuse_unequal(columns: Mapping[str, tuple[str, ...]]) -> None:
    if not columns:
        raise InputError("there are no columns; give at least one")
    first = next(iter(columns))
    for name, cells in columns.items():
        if len(cells) != len(columns[first]):
            raise InputError(
                f"column {name!r} has {len(cells)} rows, but column {first!r} has "
                f"{len(columns[first])}; give all the same number"
            )
