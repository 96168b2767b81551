"""Blocking by similarity: each row is paired with the rows of the most similar texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coterie._core.arguments import as_whole
from coterie._core.arrays import Bools, Ints
from coterie.blocking._base import LONGEST_GRAM, as_column_names
from coterie.blocking._keys import (
    BlockedPairs,
    Extrapolation,
    LabelledSample,
    TextKey,
    ids_of_pairs,
)
from coterie.blocking._parts import TextParts, grams_of_texts
from coterie.blocking._tables import TextTable

__all__ = ["NearestTexts"]

Index: TypeAlias = tuple[Ints, NDArray[np.int32]]

UNITS = 2.0**20
"""The number of units of a squared weight of 1; weights are whole numbers of units."""

BUDGET = 4096
"""The number of rows that each row is compared with, those that share its rarest n-grams first."""


@dataclass(frozen=True)
class NearestTexts(TextKey):
    """List the pairs of rows in which one is among the nearest neighbours of the other.

    Neighbours are ranked by the cosine of their vectors of character n-grams, taken from tokens
    with a blank before and after. An n-gram that df of n rows contain has the weight
    idf = 1 + ln((1 + n) / (1 + df)), whose square is rounded to a multiple of 2⁻²⁰. Each row is
    compared with at most 4096 rows, those that share its rarest n-grams, so that the cost is linear
    in the number of rows. In large tables longer n-grams work better.

    Parameters
    ----------
    columns
        Names of columns of texts, whose tokens are pooled.
    n_neighbours
        The number of nearest rows that each row is paired with.
    size
        The number n of characters of an n-gram; the blanks around a token count.

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
        object.__setattr__(self, "columns", as_column_names(self.columns))
        count = as_whole("n_neighbours", self.n_neighbours, 1)
        object.__setattr__(self, "n_neighbours", count)
        object.__setattr__(self, "size", as_whole("size", self.size, 2, LONGEST_GRAM))

    def __str__(self) -> str:
        run = f"runs of {self.size} characters"
        return f"the {self.n_neighbours} nearest rows by {run} of {', '.join(self.columns)}"

    @classmethod
    def of_column(cls, column: str) -> Iterable["NearestTexts"]:
        """Return keys with fewer and with more neighbours."""
        return (cls((column,), count) for count in (5, 10))

    @classmethod
    def of_columns(cls, columns: Sequence[str]) -> Iterable["NearestTexts"]:
        """Return keys that compare the texts of all columns as one."""
        return (cls(tuple(columns), count, size) for count in (10, 20) for size in (3, 4))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def block(self, table: TextTable, max_block: int) -> BlockedPairs:  # noqa: ARG002
        """Return the pairs of each row with its nearest rows."""
        nearest = self._nearest(table, BUDGET)
        first, second = _as_pairs(nearest, nearest >= 0)
        return BlockedPairs(ids_of_pairs(first, second, table.n_rows))

    def extrapolate(self, sample: LabelledSample) -> Extrapolation:
        """Return the pairs that stay neighbours when rows of other clusters come between."""
        nearest = self._nearest(sample.table, max(int(BUDGET / sample.scale), 2))
        stays = (nearest >= 0) & self._stay_neighbours(nearest, sample)
        first, second = _as_pairs(nearest, stays)
        pair_ids = ids_of_pairs(first, second, sample.table.n_rows)
        return Extrapolation(pair_ids, sample.scale)

    def _nearest(self, table: TextTable, budget: int) -> Ints:
        """Return the nearest rows of each row, nearest first, padded with -1."""
        from coterie._kernels.texts.nearest import nearest_rows, row_lengths  # noqa: PLC0415

        grams = grams_of_texts(_joined_cells(table, self.names), self.size)
        df = np.bincount(grams.parts)
        idf = 1.0 + np.log((1.0 + table.n_rows) / (1.0 + df))
        by_row, by_gram = _indices(grams, df, table.n_rows)
        del grams
        # Whole numbers in floats, whose sums are exact and thus the same in any order.
        weights = np.rint(UNITS * np.square(idf[np.argsort(df, kind="stable")]))
        lengths = row_lengths(by_row, weights)
        count = min(self.n_neighbours, max(table.n_rows - 1, 1))
        nearest: Ints = nearest_rows(by_row, by_gram, weights, lengths, budget, count)
        return nearest

    def _stay_neighbours(self, nearest: Ints, sample: LabelledSample) -> Bools:
        """Return whether each pair stays among the nearest in the larger table.

        Pairs of different clusters always do: they represent such pairs of the larger table.
        """
        is_same = sample.labels[nearest] == sample.labels[:, None]
        n_same_before = np.cumsum(is_same, axis=1) - is_same
        n_others_before = np.arange(nearest.shape[1]) - n_same_before
        rank = n_same_before + n_others_before * sample.scale
        stays: Bools = ~is_same | (rank < self.n_neighbours)
        return stays


def _joined_cells(table: TextTable, names: Sequence[str]) -> list[str]:
    """Return for each row its texts of the named columns, joined by blanks."""
    columns = (_cells(*table.column(name)) for name in names)
    return [" ".join(row) for row in zip(*columns, strict=True)]


def _cells(texts: Sequence[str], codes: Ints) -> list[str]:
    cells: list[str] = np.array([*texts, ""], dtype=object)[codes].tolist()
    return cells


def _indices(grams: TextParts, df: Ints, n_rows: int) -> tuple[Index, Index]:
    """Return the n-grams of each row, and the rows of each n-gram; n-grams are sorted by df."""
    rare_first = np.argsort(df, kind="stable")
    ranks = np.empty(len(df), dtype=np.int32)
    ranks[rare_first] = np.arange(len(df), dtype=np.int32)
    starts = np.append(0, np.cumsum(np.bincount(grams.texts, minlength=n_rows)))
    ones = np.ones(len(grams.texts), dtype=np.bool_)
    shape = (n_rows, len(df))
    by_gram = sp.csr_array((ones, ranks[grams.parts], starts), shape=shape).tocsc()
    by_row = by_gram.tocsr()  # the two conversions sort the n-grams of each row
    return _index(by_row), _index(by_gram)


def _index(matrix: Any) -> Index:
    return matrix.indptr.astype(np.intp), matrix.indices.astype(np.int32, copy=False)


def _as_pairs(nearest: Ints, mask: Bools) -> tuple[Ints, Ints]:
    """Return both rows of each pair of a row and one of its nearest rows, where `mask` is true."""
    rows = np.repeat(np.arange(len(nearest)), nearest.shape[1]).reshape(nearest.shape)
    return rows[mask], nearest[mask]
