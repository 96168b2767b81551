"""A table with its true clusters, in the form in which columns are tested for leaks."""

import re
import zlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coterie._core.arrays import Bools, Ints
from coterie._core.texts import plain_texts
from coterie.tables.table import Table

MOST_ROWS = 5_000
"""The number of rows on which all columns are tested; suspects are tested on all rows."""

NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class Answers:
    """The true cluster of each row, as a name and as a number from 0."""

    names: Sequence[str]

    @cached_property
    def labels(self) -> Ints:
        """The number of the cluster of each row."""
        return as_codes(self.names)

    @cached_property
    def plain_names(self) -> list[str]:
        """The plain form of the name of the cluster of each row."""
        return plain_texts(self.names)

    @cached_property
    def sizes(self) -> Ints:
        """The number of rows of the cluster of each row."""
        return np.bincount(self.labels)[self.labels]

    @cached_property
    def has_mates(self) -> Bools:
        """True for each row whose cluster has two or more rows."""
        return self.sizes > 1

    @cached_property
    def are_codes(self) -> bool:
        """True if the names of clusters are codes or numbers, not names of people or things."""
        return share(NUMBER.search(name) is not None for name in self.plain_names) > 0.5

    @cached_property
    def first_rows(self) -> Ints:
        """The index of one row of each cluster."""
        return np.unique(self.labels, return_index=True)[1]


def as_codes(values: Iterable[Hashable]) -> Ints:
    """Return numbers from 0 for values, in the order in which they first occur; −1 for None.

    >>> as_codes(["a", "b", None, "a"]).tolist()
    [0, 1, -1, 0]
    """
    codes: dict[Hashable, int] = {}
    return np.array(
        [-1 if value is None else codes.setdefault(value, len(codes)) for value in values],
        dtype=np.intp,
    )


def share(conditions: Iterable[object]) -> float:
    """Return the share of true conditions; 0 if there is none."""
    are_true = [bool(condition) for condition in conditions]
    return sum(are_true) / len(are_true) if are_true else 0.0


def are_consecutive(texts: Iterable[str]) -> bool:
    """Return whether values are whole numbers with few gaps, as are numbers of clusters.

    >>> are_consecutive(["1", "3", "", "2"]), are_consecutive(["1", "30"]), are_consecutive(["a"])
    (True, False, False)
    """
    values = {text for text in texts if text}
    if not all(text.isascii() and text.isdigit() and len(text) < 16 for text in values):
        return False
    numbers = set(map(int, values))
    return bool(numbers) and max(numbers) - min(numbers) < 2 * len(numbers)


def sample_rows(table: Table, cluster: str) -> Table:
    """Return the rows of whole clusters, the same clusters whatever the order of the rows."""
    names = table[cluster]
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    drawn: set[str] = set()
    n_rows = 0
    for name in sorted(counts, key=lambda name: (zlib.crc32(name.encode()), name)):
        if drawn and n_rows + counts[name] > MOST_ROWS:
            continue
        drawn.add(name)
        n_rows += counts[name]
    rows = [row for row, name in enumerate(names) if name in drawn]
    return table.take(rows) if len(rows) < len(table) else table


def sort_rows(table: Table) -> Table:
    """Return the table with its rows in the order of their cells, which no other order changes."""
    rows = list(zip(*(table.columns[name] for name in sorted(table.names)), strict=True))
    return table.take(sorted(range(len(table)), key=rows.__getitem__))
