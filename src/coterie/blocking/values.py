"""Blocking keys of which a row has at most one: values, prefixes, and combinations of them."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations, islice, product
from typing import ClassVar

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import as_column_name, sorted_unique
from coterie.blocking._keys import BlockKey
from coterie.blocking._tables import TextTable
from coterie.exceptions import InputError

__all__ = ["Combined", "Prefix", "ValueKey", "WholeValue"]


LENGTHS = (3, 4, 5, 6, 8, 12)
"""The lengths of prefixes that `learn_blocking` tries."""

MOST_COMBINED = 10
"""The number of columns, from the first, whose keys `learn_blocking` combines by twos."""


class ValueKey(BlockKey):
    """A key by which each row is in one block or in none."""

    @abstractmethod
    def codes(self, table: TextTable) -> Ints:
        """Return the index of each row's block, -1 for none."""

    def members(self, table: TextTable) -> Ints:
        """Return the sorted ids b n + i of the memberships of rows i in blocks b."""
        codes = self.codes(table)
        rows = np.flatnonzero(codes >= 0)
        return np.sort(codes[rows] * table.n_rows + rows)


@dataclass(frozen=True)
class WholeValue(ValueKey):
    """List the pairs of rows that have the same plain text in a column.

    Parameters
    ----------
    column
        The name of a column of texts. None, and texts without letters and digits, are missing.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> WholeValue("name")(ItemSet({"name": ["José", "Ann", "JOSE.", None, ""]})).tolist()
    [[0, 2]]
    """

    turn: ClassVar[int] = 0

    column: str

    def __post_init__(self) -> None:
        as_column_name(self.column)

    def __str__(self) -> str:
        return f"the same {self.column}"

    @classmethod
    def of_column(cls, column: str) -> Iterable["WholeValue"]:
        """Return the only key of a column."""
        yield cls(column)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    def codes(self, table: TextTable) -> Ints:
        """Return the index of each row's text."""
        return table.column(self.column).codes


@dataclass(frozen=True)
class Prefix(ValueKey):
    """List the pairs of rows whose plain texts in a column have the same prefix, without blanks.

    Parameters
    ----------
    column
        The name of a column of texts.
    length
        The length of the prefix in characters; a shorter text is its own prefix.

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
        as_column_name(self.column)
        object.__setattr__(self, "length", as_whole("length", self.length, 1))

    def __str__(self) -> str:
        first = "character" if self.length == 1 else f"{self.length} characters"
        return f"the same first {first} of {self.column}"

    @classmethod
    def of_column(cls, column: str) -> Iterable["Prefix"]:
        """Return keys of several lengths."""
        return (cls(column, length) for length in LENGTHS)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    def codes(self, table: TextTable) -> Ints:
        """Return the index of the prefix of each row's text."""
        texts, codes = table.column(self.column)
        index_of: dict[str, int] = {}
        prefixes = [text.replace(" ", "")[: self.length] for text in texts]
        indices = [index_of.setdefault(prefix, len(index_of)) for prefix in prefixes]
        return np.array([*indices, -1], dtype=np.intp)[codes]


@dataclass(frozen=True)
class Combined(ValueKey):
    """List the pairs of rows that agree on all of several keys.

    Keys that make too large blocks alone may make small blocks together.

    Parameters
    ----------
    keys
        At least two keys of which a row has at most one, such as `WholeValue` and `Prefix`.

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
                f"keys are {self.keys!r}; give a list of two or more blocking keys, such as "
                '[WholeValue("town"), Prefix("name", 3)]'
            )
        object.__setattr__(self, "keys", keys)

    def __str__(self) -> str:
        return " and ".join(map(str, self.keys))

    @classmethod
    def of_columns(cls, columns: Sequence[str]) -> Iterable["Combined"]:
        """Return combinations of values and prefixes for each two of the first columns."""
        for first, second in combinations(columns[:MOST_COMBINED], 2):
            pairs = product(_value_keys(first), _value_keys(second))
            # The first pair combines the first letters of both columns, which makes huge blocks.
            yield from (cls(pair) for pair in islice(pairs, 1, None))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of all keys."""
        return tuple(dict.fromkeys(chain.from_iterable(key.names for key in self.keys)))

    def codes(self, table: TextTable) -> Ints:
        """Return the index of each row's combination of keys, -1 if any key is missing."""
        return reduce(_combine_codes, (key.codes(table) for key in self.keys))


def _value_keys(column: str) -> tuple[ValueKey, ...]:
    return Prefix(column, 1), Prefix(column, 4), WholeValue(column)


def _combine_codes(first: Ints, second: Ints) -> Ints:
    """Return one code for each pair of codes, without gaps, -1 where either is -1."""
    combined = first * (second.max(initial=0) + 1) + second
    combined[(first < 0) | (second < 0)] = -1
    distinct = sorted_unique(combined[combined >= 0])
    codes: Ints = np.where(combined < 0, -1, np.searchsorted(distinct, combined))
    return codes
