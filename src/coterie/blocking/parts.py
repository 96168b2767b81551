"""Keys of which a row has several: rare tokens and rare runs of characters."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.blocking._base import as_name
from coterie.blocking._keys import BlockKey
from coterie.blocking._parts import Spread, memberships
from coterie.blocking._tables import TextTable

__all__ = ["QGrams", "RareTokens"]


RARE, SIZES = (10, 30, 60, 100, 200), (4, 5, 6, 8)
"""How many rows may have a rare part, and how long runs are, that `learn_blocking` tries."""


class _RareParts(BlockKey):
    """Look at the pairs of rows that share a part of a text, of those that few rows have."""

    column: str
    most: int

    def __post_init__(self) -> None:
        as_name(self.column)
        object.__setattr__(self, "most", as_whole("most", self.most, 2))

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    @property
    def largest(self) -> int:
        """The number of rows that may have a rare part."""
        return self.most

    def members(self, table: TextTable) -> Ints:
        """Return the sorted numbers b n + i of the rows i that have a rare part b."""
        return memberships(self._parts(table), table.column(self.column).codes, self.most)

    @abstractmethod
    def _parts(self, table: TextTable) -> Spread:
        """Return the parts of each distinct text."""


@dataclass(frozen=True)
class RareTokens(_RareParts):
    """Look at the pairs of rows that share a rare token of a column.

    Parameters
    ----------
    column
        The name of a column of texts.
    most
        How many rows of the table may have a rare token.

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
        """Return keys of several rarities, with those of runs of characters as rare."""
        for most in RARE:
            yield cls(column, most)
            yield from (QGrams(column, size, most) for size in SIZES)

    def __str__(self) -> str:
        return f"a word of {self.column} that at most {self.most} rows have"

    def _parts(self, table: TextTable) -> Spread:
        return table.tokens(self.column)


@dataclass(frozen=True)
class QGrams(_RareParts):
    """Look at the pairs of rows that share a rare run of characters of a token of a column.

    A blank goes before and after each token, and is the first or last character of a run.

    Parameters
    ----------
    column
        The name of a column of texts.
    size
        How many characters a run has.
    most
        How many rows of the table may have a rare run.

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
        object.__setattr__(self, "size", as_whole("size", self.size, 2))

    def __str__(self) -> str:
        return f"{self.size} characters of {self.column} that at most {self.most} rows have"

    def _parts(self, table: TextTable) -> Spread:
        return table.grams(self.column, self.size)
