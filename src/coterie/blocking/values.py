"""Keys of which a row has one at most: whole values, how they begin, and several together."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations, islice, product
from typing import ClassVar

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import as_name, distinct
from coterie.blocking._keys import BlockKey
from coterie.blocking._tables import TextTable
from coterie.exceptions import InputError

__all__ = ["Combined", "Prefix", "ValueKey", "WholeValue"]


LENGTHS = (3, 4, 5, 6, 8, 12)
"""Of how many characters the beginnings are that `learn_blocking` tries."""

MOST_COMBINED = 10
"""Of how many columns, the first ones, it combines each two."""


class ValueKey(BlockKey):
    """Each row is in one block, or in none."""

    @abstractmethod
    def codes(self, table: TextTable) -> Ints:
        """Return the number of the block of each row, -1 for none."""

    def members(self, table: TextTable) -> Ints:
        """Return the sorted numbers b n + i of the rows i that are in a block b."""
        codes = self.codes(table)
        rows = np.flatnonzero(codes >= 0)
        return np.sort(codes[rows] * table.n_rows + rows)


@dataclass(frozen=True)
class WholeValue(ValueKey):
    """Look at the pairs of rows that have the same plain text in a column.

    Parameters
    ----------
    column
        The name of a column of texts; None and what is without letters and digits is missing.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> WholeValue("name")(ItemSet({"name": ["José", "Ann", "JOSE.", None, ""]})).tolist()
    [[0, 2]]
    """

    turn: ClassVar[int] = 0

    column: str

    def __post_init__(self) -> None:
        as_name(self.column)

    def __str__(self) -> str:
        return f"the same {self.column}"

    @classmethod
    def of_column(cls, column: str) -> Iterable["WholeValue"]:
        """Return the key of a column."""
        yield cls(column)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    def codes(self, table: TextTable) -> Ints:
        """Return the number of the text of each row."""
        return table.column(self.column).codes


@dataclass(frozen=True)
class Prefix(ValueKey):
    """Look at the pairs of rows whose plain texts in a column begin alike, blanks left out.

    Parameters
    ----------
    column
        The name of a column of texts.
    length
        How many characters must be the same; a shorter text is its own beginning.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> Prefix("name", 4)(ItemSet({"name": ["O'Brien", "Obrian", "Ann"]})).tolist()
    [[0, 1]]
    """

    turn: ClassVar[int] = 1

    column: str
    length: int

    def __post_init__(self) -> None:
        as_name(self.column)
        object.__setattr__(self, "length", as_whole("length", self.length, 1))

    def __str__(self) -> str:
        return f"the same first {self.length} characters of {self.column}"

    @classmethod
    def of_column(cls, column: str) -> Iterable["Prefix"]:
        """Return keys of several lengths."""
        return (cls(column, length) for length in LENGTHS)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    def codes(self, table: TextTable) -> Ints:
        """Return the number of the beginning of each row's text."""
        texts, codes = table.column(self.column)
        known: dict[str, int] = {}
        begins = [text.replace(" ", "")[: self.length] for text in texts]
        numbers = [known.setdefault(begin, len(known)) for begin in begins]
        return np.array([*numbers, -1], dtype=np.intp)[codes]


@dataclass(frozen=True)
class Combined(ValueKey):
    """Look at the pairs of rows that share all of several keys: weak ones are strong together.

    Parameters
    ----------
    keys
        At least two keys of values, such as `WholeValue` and `Prefix`.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> table = {"name": ["Ann", "Anna", "Anne", "Bob"], "born": ["1970", "1971", "1970", "1970"]}
    >>> Combined([Prefix("name", 1), WholeValue("born")])(ItemSet(table)).tolist()
    [[0, 2]]
    """

    turn: ClassVar[int] = 4

    keys: Sequence[ValueKey]

    def __post_init__(self) -> None:
        keys = tuple(self.keys) if isinstance(self.keys, list | tuple) else ()
        if len(keys) < 2 or not all(isinstance(key, ValueKey) for key in keys):
            raise InputError(
                f"keys are {self.keys!r}; give two or more keys of values, such as WholeValue"
            )
        object.__setattr__(self, "keys", keys)

    def __str__(self) -> str:
        return " and ".join(map(str, self.keys))

    @classmethod
    def of_columns(cls, columns: Sequence[str]) -> Iterable["Combined"]:
        """Return keys of each two of the first columns, by whole values and how they begin."""
        for one, other in combinations(columns[:MOST_COMBINED], 2):
            pairs = product(_begins(one), _begins(other))
            # The first letters of both say too little.
            yield from (cls(pair) for pair in islice(pairs, 1, None))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of all keys."""
        return tuple(dict.fromkeys(chain.from_iterable(key.names for key in self.keys)))

    def codes(self, table: TextTable) -> Ints:
        """Return the number of what each row has of all keys, -1 where it lacks one."""
        return reduce(_combined, (key.codes(table) for key in self.keys))


def _begins(column: str) -> tuple[ValueKey, ...]:
    return Prefix(column, 1), Prefix(column, 4), WholeValue(column)


def _combined(one: Ints, other: Ints) -> Ints:
    both = one * (other.max(initial=0) + 1) + other
    both[(one < 0) | (other < 0)] = -1
    known = distinct(both[both >= 0])
    codes: Ints = np.where(both < 0, -1, np.searchsorted(known, both))
    return codes
