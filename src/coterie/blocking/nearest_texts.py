"""Keys by likeness: rows meet whose texts have the most in common."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coterie._core.arguments import as_whole
from coterie._core.arrays import Bools, Ints
from coterie.blocking._base import as_names
from coterie.blocking._keys import Foreseen, Found, Sample, TextKey, pair_keys
from coterie.blocking._parts import Spread, grams_of_texts
from coterie.blocking._tables import TextTable

__all__ = ["NearestTexts"]

Index: TypeAlias = tuple[Ints, NDArray[np.int32]]

BUDGET = 4096
"""At how many rows each row looks, those with its rarest runs first."""


@dataclass(frozen=True)
class NearestTexts(TextKey):
    """Look at the pairs of rows of which one is among the nearest of the other, by their texts.

    Near is a large cosine of the runs of characters of their tokens, weighted by
    idf = 1 + ln((1 + n) / (1 + df)) for a run that df of n rows have. Of the runs that a row has in
    common with others the rarest count, until it was compared with 4096 rows: the cost grows as the
    table does. In a table of many rows longer runs tell more.

    Parameters
    ----------
    columns
        Names of columns of texts, whose tokens are taken together.
    n_neighbours
        How many nearest rows each row is paired with.
    size
        How many characters a run has; a blank before and after a token counts.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> names = {"name": ["Katherine Smith", "J. Jones", "Smith, Kathrine", "Jonas"]}
    >>> NearestTexts("name", 1)(ItemSet(names)).tolist()
    [[0, 2], [1, 3]]
    """

    effort: ClassVar[float] = 3.0
    turn: ClassVar[int] = 5

    columns: Sequence[str]
    n_neighbours: int = 10
    size: int = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", as_names(self.columns))
        count = as_whole("n_neighbours", self.n_neighbours, 1)
        object.__setattr__(self, "n_neighbours", count)
        object.__setattr__(self, "size", as_whole("size", self.size, 2))

    def __str__(self) -> str:
        run = f"runs of {self.size} characters"
        return f"the {self.n_neighbours} nearest rows by {run} of {', '.join(self.columns)}"

    @classmethod
    def of_column(cls, column: str) -> Iterable["NearestTexts"]:
        """Return keys of a few and of more neighbours."""
        return (cls((column,), count) for count in (5, 10))

    @classmethod
    def of_columns(cls, columns: Sequence[str]) -> Iterable["NearestTexts"]:
        """Return keys of all columns together."""
        return (cls(tuple(columns), count, size) for count in (10, 20) for size in (3, 4))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def look(self, table: TextTable, max_block: int) -> Found:  # noqa: ARG002
        """Find the pairs of rows that are near."""
        nearest = self._nearest(table, BUDGET)
        first, second = _as_pairs(nearest, nearest >= 0)
        return Found(pair_keys(first, second, table.n_rows))

    def foresee(self, sample: Sample) -> Foreseen:
        """Find the pairs that stay near when rows of other clusters come between."""
        nearest = self._nearest(sample.table, max(int(BUDGET / sample.scale), 2))
        kept = (nearest >= 0) & self._stay(nearest, sample)
        first, second = _as_pairs(nearest, kept)
        return Foreseen(pair_keys(first, second, sample.table.n_rows), sample.scale)

    def _nearest(self, table: TextTable, budget: int) -> Ints:
        """Return the rows nearest each row, nearest first, -1 where there are less."""
        from coterie._kernels.texts.nearest import nearest_rows, row_lengths  # noqa: PLC0415

        spread = grams_of_texts(_joined(table, self.names), self.size)
        holders = np.bincount(spread.parts)
        idf = 1.0 + np.log((1.0 + table.n_rows) / (1.0 + holders))
        by_row, by_part = _both_ways(spread, holders, table.n_rows)
        del spread
        weights = np.square(idf[np.argsort(holders, kind="stable")])
        lengths = row_lengths(by_row, weights)
        count = min(self.n_neighbours, max(table.n_rows - 1, 1))
        near: Ints = nearest_rows(by_row, by_part, weights, lengths, budget, count)
        return near

    def _stay(self, nearest: Ints, sample: Sample) -> Bools:
        """Tell the pairs of one cluster that stay near; all others stand for their like."""
        same = sample.labels[nearest] == sample.labels[:, None]
        own = np.cumsum(same, axis=1) - same
        others = np.arange(nearest.shape[1]) - own
        stay: Bools = ~same | (own + others * sample.scale < self.n_neighbours)
        return stay


def _joined(table: TextTable, names: Sequence[str]) -> list[str]:
    """Return the texts of some columns together, row by row."""
    columns = (_written(*table.column(name)) for name in names)
    return [" ".join(row) for row in zip(*columns, strict=True)]


def _written(texts: Sequence[str], codes: Ints) -> list[str]:
    written: list[str] = np.array([*texts, ""], dtype=object)[codes].tolist()
    return written


def _both_ways(spread: Spread, holders: Ints, n_rows: int) -> tuple[Index, Index]:
    """Return the parts of each row, rare ones first, and the rows of each part in that order."""
    rare_first = np.argsort(holders, kind="stable")
    ranks = np.empty(len(holders), dtype=np.int32)
    ranks[rare_first] = np.arange(len(holders), dtype=np.int32)
    starts = np.append(0, np.cumsum(np.bincount(spread.texts, minlength=n_rows)))
    there = np.ones(len(spread.texts), dtype=np.bool_)
    shape = (n_rows, len(holders))
    by_part = sp.csr_array((there, ranks[spread.parts], starts), shape=shape).tocsc()
    by_row = by_part.tocsr()  # there and back again sorts the parts of each row
    return _index(by_row), _index(by_part)


def _index(matrix: Any) -> Index:
    return matrix.indptr.astype(np.intp), matrix.indices.astype(np.int32, copy=False)


def _as_pairs(nearest: Ints, kept: Bools) -> tuple[Ints, Ints]:
    first = np.repeat(np.arange(len(nearest)), nearest.shape[1]).reshape(nearest.shape)
    return first[kept], nearest[kept]
