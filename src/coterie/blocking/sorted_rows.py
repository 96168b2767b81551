"""Sorted neighbourhood: rows that are close in sorted order are candidate pairs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Bools, Ints
from coterie.blocking._base import as_column_name
from coterie.blocking._keys import (
    BlockedPairs,
    Extrapolation,
    LabelledSample,
    TextKey,
    ids_of_pairs,
)
from coterie.blocking._tables import TextTable

__all__ = ["SortedNeighbourhood"]


@dataclass(frozen=True)
class SortedNeighbourhood(TextKey):
    """List the pairs of rows that are close to each other when the table is sorted by a column.

    Hernández & Stolfo 1995. Rows with the same text are sorted by all their columns; rows without
    a text are left out.

    Parameters
    ----------
    column
        The name of a column of texts, which are sorted by their plain form.
    window
        The largest distance of two rows in the sorted order; 1 pairs only adjacent rows.
    backwards
        Whether texts are read backwards for sorting, in case they differ at their beginning.

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
        as_column_name(self.column)
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

    def block(self, table: TextTable, max_block: int) -> BlockedPairs:  # noqa: ARG002
        """Return the pairs of rows within the window."""
        rows = table.sorted_rows(self.column, backwards=self.backwards)
        return BlockedPairs(ids_of_pairs(*_pairs_in_window(rows, self.window), table.n_rows))

    def extrapolate(self, sample: LabelledSample) -> Extrapolation:
        """Return the pairs that stay in the window when rows of other clusters come between."""
        rows = sample.table.sorted_rows(self.column, backwards=self.backwards)
        first, second = _pairs_in_window(rows, self.window)
        stays = self._stays_in_window(sample.labels[rows], sample.scale)
        pair_ids = ids_of_pairs(first[stays], second[stays], sample.table.n_rows)
        return Extrapolation(pair_ids, sample.scale)

    def _stays_in_window(self, labels: Ints, scale: float) -> Bools:
        """Return whether each pair stays, in the order of `_pairs_in_window`.

        Pairs of different clusters always do: they represent such pairs of the larger table.
        """
        stays, max_distance = [], min(self.window, len(labels) - 1)
        for distance in range(1, max_distance + 1):
            first, second = labels[:-distance], labels[distance:]
            n_same_between = sum(
                (labels[step : step + len(first)] == first for step in range(1, distance)),
                np.zeros(len(first), dtype=np.intp),
            )
            n_others_between = distance - 1 - n_same_between
            is_far = n_same_between + n_others_between * scale + 1 > self.window
            stays.append((first != second) | ~is_far)
        return np.concatenate([np.empty(0, dtype=np.bool_), *stays])


def _pairs_in_window(rows: Ints, window: int) -> tuple[Ints, Ints]:
    """Return both rows of each pair at a distance of at most `window`, nearest pairs first."""
    distances = range(1, min(window, len(rows) - 1) + 1)
    empty = rows[:0]
    first = np.concatenate([empty, *(rows[:-distance] for distance in distances)])
    return first, np.concatenate([empty, *(rows[distance:] for distance in distances)])
