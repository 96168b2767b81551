"""Counts of the rows that have each token: integers, which add up in any order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Ints, read_only
from coterie.exceptions import FeatureError

Hashes: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True, eq=False, repr=False)
class RowCounts:
    """The number of rows that have each token of a column.

    Parameters
    ----------
    tokens
        The ascending hashes of the tokens; see `coterie._kernels.texts.tokens`.
    n_rows_with
        The number of rows with each token, at least 1.
    """

    tokens: Hashes
    n_rows_with: Ints

    def __post_init__(self) -> None:
        tokens = np.asarray(self.tokens)
        counts = np.asarray(self.n_rows_with)
        if tokens.dtype != np.uint64 or tokens.ndim != 1 or np.any(tokens[1:] <= tokens[:-1]):
            raise FeatureError(
                "tokens must be hashes of 64 bits in ascending order; use those of a fitted kind"
            )
        if counts.dtype != np.int64 or counts.shape != tokens.shape or np.any(counts < 1):
            raise FeatureError(
                f"n_rows_with must be {len(tokens)} whole numbers of at least 1, one per token"
            )
        object.__setattr__(self, "tokens", read_only(tokens))
        object.__setattr__(self, "n_rows_with", read_only(counts))

    @classmethod
    def of_all(cls, tokens: Hashes, n_rows_with: NDArray[np.number]) -> "RowCounts":
        """Store counts of ascending tokens, and leave out tokens that no row has."""
        counts = n_rows_with.astype(np.int64)
        has_rows = counts > 0
        return cls(tokens, counts) if has_rows.all() else cls(tokens[has_rows], counts[has_rows])

    def of(self, tokens: Hashes) -> NDArray[np.int64]:
        """Return the number of rows with each of some tokens; 0 for tokens that are not counted."""
        if np.array_equal(self.tokens, tokens):
            return self.n_rows_with
        counts = np.zeros(len(tokens), dtype=np.int64)
        if len(self.tokens):
            indices = np.minimum(np.searchsorted(self.tokens, tokens), len(self.tokens) - 1)
            is_counted = self.tokens[indices] == tokens
            counts[is_counted] = self.n_rows_with[indices[is_counted]]
        return counts

    def merge(self, other: "RowCounts") -> "RowCounts":
        """Return the counts of two tables together.

        >>> first = RowCounts(np.array([3, 7], dtype=np.uint64), np.array([1, 2]))
        >>> first.merge(RowCounts(np.array([7, 9], dtype=np.uint64), np.array([4, 1])))
        RowCounts(3 tokens)
        """
        tokens = np.union1d(self.tokens, other.tokens)
        return RowCounts(tokens, self.of(tokens) + other.of(tokens))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowCounts) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("tokens", "n_rows_with")
        )

    def __hash__(self) -> int:
        return hash((self.tokens.tobytes(), self.n_rows_with.tobytes()))

    def __repr__(self) -> str:
        return f"RowCounts({len(self.tokens):,} tokens)"


class RecordCounts(NamedTuple):
    """The number of rows of a table and, of each column, the counts of its tokens by family.

    There is one mapping per column and, if there are several columns, one for the whole record. The
    families of tokens are those of the kind, such as values, words and grams.
    """

    n_rows: int
    tokens: tuple[Mapping[str, RowCounts], ...]
