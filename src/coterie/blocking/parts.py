"""Keys of which a row has several: rare tokens and rare runs of characters."""

from dataclasses import dataclass
from typing import ClassVar

from coterie._arguments import as_whole
from coterie._arrays import Ints
from coterie.blocking._base import as_name
from coterie.blocking._keys import BlockKey
from coterie.blocking._parts import memberships
from coterie.blocking._tables import TextTable

__all__ = ["QGrams", "RareTokens"]


@dataclass(frozen=True)
class RareTokens(BlockKey):
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

    column: str
    most: int = 50

    def __post_init__(self) -> None:
        as_name(self.column)
        object.__setattr__(self, "most", as_whole("most", self.most, 2))

    def __str__(self) -> str:
        return f"a word of {self.column} that at most {self.most} rows have"

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    @property
    def largest(self) -> int:
        """The number of rows that may have a rare token."""
        return self.most

    def members(self, table: TextTable) -> Ints:
        """Return the sorted numbers b n + i of the rows i that have a rare token b."""
        return memberships(table.tokens(self.column), table.column(self.column).codes, self.most)


@dataclass(frozen=True)
class QGrams(BlockKey):
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
        as_name(self.column)
        object.__setattr__(self, "size", as_whole("size", self.size, 2))
        object.__setattr__(self, "most", as_whole("most", self.most, 2))

    def __str__(self) -> str:
        return f"{self.size} characters of {self.column} that at most {self.most} rows have"

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    @property
    def largest(self) -> int:
        """The number of rows that may have a rare run."""
        return self.most

    def members(self, table: TextTable) -> Ints:
        """Return the sorted numbers b n + i of the rows i that have a rare run b."""
        spread = table.grams(self.column, self.size)
        return memberships(spread, table.column(self.column).codes, self.most)
