"""Keys by order: rows meet that are near when the table is sorted."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Bools, Ints
from coterie.blocking._base import as_name
from coterie.blocking._keys import Foreseen, Found, Sample, TextKey, pair_keys
from coterie.blocking._tables import TextTable

__all__ = ["SortedNeighbourhood"]


@dataclass(frozen=True)
class SortedNeighbourhood(TextKey):
    """Look at the pairs of rows that are near when the table is sorted by a column.

    Hernández & Stolfo 1995. Rows of one text are sorted by all that they have; rows without a text
    are left out.

    Parameters
    ----------
    column
        The name of a column of texts, which are sorted in plain form.
    window
        The largest number of places between two rows.
    backwards
        Whether texts are sorted by how they end, for errors at their beginning.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> names = ItemSet({"name": ["Smith", "Jones", "Smyth", "Johnes", None]})
    >>> SortedNeighbourhood("name", window=1)(names).tolist()
    [[0, 1], [0, 2], [1, 3]]
    """

    turn: ClassVar[int] = 3

    column: str
    window: int = 5
    backwards: bool = False

    def __post_init__(self) -> None:
        as_name(self.column)
        object.__setattr__(self, "window", as_whole("window", self.window, 1))
        object.__setattr__(self, "backwards", bool(self.backwards))

    def __str__(self) -> str:
        read = ", read backwards" if self.backwards else ""
        return f"at most {self.window} places apart when sorted by {self.column}{read}"

    @classmethod
    def of_column(cls, column: str) -> Iterable["SortedNeighbourhood"]:
        """Return keys of two windows, forwards and backwards."""
        return (cls(column, window, end) for window in (3, 10) for end in (False, True))

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    def look(self, table: TextTable, max_block: int) -> Found:  # noqa: ARG002
        """Find the pairs of rows that are near."""
        rows = table.ranked(self.column, backwards=self.backwards)
        return Found(pair_keys(*_near(rows, self.window), table.n_rows))

    def foresee(self, sample: Sample) -> Foreseen:
        """Find the pairs that stay near when rows of other clusters come between."""
        rows = sample.table.ranked(self.column, backwards=self.backwards)
        first, second = _near(rows, self.window)
        kept = self._stay(sample.labels[rows], sample.scale)
        return Foreseen(pair_keys(first[kept], second[kept], sample.table.n_rows), sample.scale)

    def _stay(self, labels: Ints, scale: float) -> Bools:
        """Tell the near pairs of one cluster that stay near; all others stand for their like."""
        stay, apart = [], min(self.window, len(labels) - 1)
        for places in range(1, apart + 1):
            first, second = labels[:-places], labels[places:]
            own = sum(
                (labels[step : step + len(first)] == first for step in range(1, places)),
                np.zeros(len(first), dtype=np.intp),
            )
            far = own + (places - 1 - own) * scale + 1 > self.window
            stay.append((first != second) | ~far)
        return np.concatenate([np.empty(0, dtype=np.bool_), *stay])


def _near(rows: Ints, window: int) -> tuple[Ints, Ints]:
    """Return the two rows of each pair that is at most so many places apart, nearest first."""
    steps = range(1, min(window, len(rows) - 1) + 1)
    none = rows[:0]
    first = np.concatenate([none, *(rows[:-step] for step in steps)])
    return first, np.concatenate([none, *(rows[step:] for step in steps)])
