"""Blocking keys of which a row may have several: rare tokens and rare character n-grams."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import LONGEST_GRAM, as_column_name, scaled_limit
from coterie.blocking._keys import BlockKey
from coterie.blocking._parts import TextParts, memberships
from coterie.blocking._tables import TextTable

__all__ = ["QGrams", "RareTokens"]


RARE, SIZES = (10, 30, 60, 100, 200), (4, 5, 6, 8)
"""The values of `most`, and of the size of n-grams, that `learn_blocking` tries."""


class _RareParts(BlockKey):
    """List the pairs of rows whose texts share a rare part, which few rows have."""

    column: str
    most: int

    def __post_init__(self) -> None:
        as_column_name(self.column)
        object.__setattr__(self, "most", as_whole("most", self.most, 2))

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    @property
    def largest(self) -> int:
        """The largest number of rows that a rare part may have."""
        return self.most

    def for_sample(self, share: float) -> Self:
        """Return the key for a random sample of a table, in which parts are as rare as there."""
        return replace(self, most=scaled_limit(self.most, share))  # type: ignore[type-var]

    def members(self, table: TextTable) -> Ints:
        """Return the sorted ids b n + i of the rows i that have a rare part b."""
        return memberships(self._parts(table), table.column(self.column).codes, self.most)

    @abstractmethod
    def _parts(self, table: TextTable) -> TextParts:
        """Return the parts of each distinct text."""


@dataclass(frozen=True)
class RareTokens(_RareParts):
    """List the pairs of rows that share a rare token of a column.

    Parameters
    ----------
    column
        The name of a column of texts.
    most
        The largest number of rows of the table that may share a rare token.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> table = ItemSet({"title": ["On kites", "Kites", "On trees", "On hats", "Trees, on"]})
    >>> RareTokens("title", most=2)(table).tolist()
    [[0, 1], [2, 4]]
    """

    turn: ClassVar[int] = 2

    column: str
    most: int = 50

    @classmethod
    def of_column(cls, column: str) -> Iterable[_RareParts]:
        """Return keys of several rarities, each followed by the `QGrams` keys of that rarity."""
        for most in RARE:
            yield cls(column, most)
            yield from (QGrams(column, size, most) for size in SIZES)

    def __str__(self) -> str:
        return f"a word of {self.column} that at most {self.most} rows have"

    def _parts(self, table: TextTable) -> TextParts:
        return table.tokens(self.column)


@dataclass(frozen=True)
class QGrams(_RareParts):
    """List the pairs of rows that share a rare character n-gram of a column.

    N-grams are taken from the tokens of a text, with a blank before and after each token.

    Parameters
    ----------
    column
        The name of a column of texts.
    size
        The number n of characters of an n-gram.
    most
        The largest number of rows of the table that may share a rare n-gram.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> QGrams("name", size=4)(ItemSet({"name": ["Katherine", "Catherine", "Ann"]})).tolist()
    [[0, 1]]
    """

    effort: ClassVar[float] = 0.5

    column: str
    size: int = 4
    most: int = 50

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "size", as_whole("size", self.size, 2, LONGEST_GRAM))

    def __str__(self) -> str:
        return f"{self.size} characters of {self.column} that at most {self.most} rows have"

    def _parts(self, table: TextTable) -> TextParts:
        return table.grams(self.column, self.size)
