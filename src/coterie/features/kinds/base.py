"""The base class of kinds of columns: missing values, and the rarity of equal values."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from coterie._core.arrays import Bools, Floats, Ints
from coterie._core.texts import plain_text
from coterie._core.values import Value
from coterie._kernels.texts.tokens import hash_whole_texts
from coterie.features.kinds._edits import truncate
from coterie.features.kinds._tokens import (
    NO_TOKENS,
    DistinctCells,
    KnownTokens,
    TokenCounts,
    Tokenizer,
    TokenWeights,
)
from coterie.features.kinds.counts import RowCounts
from coterie.features.kinds.profile import Profile

COMMON_MEASURES = (
    "missing in one",
    "missing in both",
    "equal",
    "rarity if equal",
    "rarity among entities if equal",
)
"""The names of the comparisons that every kind makes."""


class ParsedColumn(NamedTuple):
    """A column, read once: its distinct texts, their tokens by name, and extras of the kind."""

    distinct: DistinctCells
    tokens: Mapping[str, TokenCounts]
    extra: Any

    def take(self, rows: Ints) -> "ParsedColumn":
        """Return the column of some of the rows."""
        texts, text_of_row = self.distinct
        return self._replace(distinct=DistinctCells(texts, text_of_row[rows]))


class EncodedColumn(NamedTuple):
    """A parsed column whose tokens have weights and rarities."""

    distinct: DistinctCells
    tokens: Mapping[str, TokenWeights]
    extra: Any


@dataclass(frozen=True, eq=False)
class Kind(Value, ABC):
    """A way to compare the values of a column: a frozen value that learns how rare tokens are.

    A member of the family names its comparisons in `measures` and makes them in `_measure`. Its
    `likeness` says how well a column fits the kind.

    Parameters
    ----------
    values
        Counts of whole values, for their rarity; set by `learn`.
    """

    values: KnownTokens = NO_TOKENS

    word: ClassVar[str]
    """The name of the kind in schemas."""
    measures: ClassVar[tuple[str, ...]]
    """The names of the comparisons that `_measure` makes."""
    tokenizers: ClassVar[Mapping[str, Tokenizer]] = {}
    """The tokenizer of each field of type `KnownTokens`, except `values`."""

    @classmethod
    @abstractmethod
    def likeness(cls, profile: Profile) -> float:
        """Return how well a column fits the kind, from 0 to 1."""

    @property
    def families(self) -> tuple[str, ...]:
        """The names of the families of tokens: the fields that hold counts of tokens."""
        return ("values", *self.tokenizers)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all comparisons, one per column that `compare` returns."""
        return (*COMMON_MEASURES, *self.measures)

    def read(self, texts: Sequence[str]) -> ParsedColumn:
        """Read the text of each row: the slow part, which does not depend on what was learned."""
        distinct = self.distinct(texts)
        tokenizers = {"values": hash_whole_texts, **self.tokenizers}
        tokens = {name: TokenCounts.of(distinct.texts, tokenizers[name]) for name in self.families}
        return ParsedColumn(distinct, tokens, self._read_extra(distinct.texts))

    def learn(
        self,
        column: ParsedColumn,
        entities: Ints,
        rows: Ints | None = None,
        min_entities: int = 1,
    ) -> Self:
        """Return the kind with the rarities of values and tokens in some rows of a column.

        Parameters
        ----------
        column
            The column, as `read` returns it.
        entities
            The label of the entity of each row.
        rows
            The indices of the rows to learn from; None means all.
        min_entities
            The number of entities that a value or token must have, to be stored.
        """
        text_of_row = column.distinct.text_of_row
        training = slice(None) if rows is None else rows
        known_tokens = {
            name: KnownTokens.learn(counts, text_of_row[training], entities[training], min_entities)
            for name, counts in column.tokens.items()
        }
        return replace(self, **known_tokens)

    def count(self, column: ParsedColumn) -> dict[str, RowCounts]:
        """Count the rows that have each token of a column, by the family of the token."""
        text_of_row = column.distinct.text_of_row
        return {name: counts.row_counts(text_of_row) for name, counts in column.tokens.items()}

    def encode(
        self, column: ParsedColumn, table: tuple[int, Mapping[str, RowCounts]] | None = None
    ) -> EncodedColumn:
        """Compute the weights and rarities of the tokens of a column.

        `table` holds the number of rows and, by family, the counts of the table of which these rows
        are a part; None means that they are the table.
        """
        text_of_row = column.distinct.text_of_row
        n_rows, row_counts = table or (len(text_of_row), self.count(column))
        tokens = {
            name: getattr(self, name).weigh(counts, text_of_row, (n_rows, row_counts[name]))
            for name, counts in column.tokens.items()
        }
        return EncodedColumn(column.distinct, tokens, column.extra)

    def compare(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        """Compare pairs of rows: return one column per name."""
        text_of_row = encoded.distinct.text_of_row
        first, second = text_of_row[left], text_of_row[right]
        columns = np.zeros((len(left), len(self.names)))
        n_missing = _is_missing(encoded, first).astype(np.intp) + _is_missing(encoded, second)
        columns[:, 0], columns[:, 1] = n_missing == 1, n_missing == 2
        present = np.flatnonzero(n_missing == 0)
        first, second = first[present], second[present]
        equal = present[first == second]
        columns[equal, 2] = 1.0
        for column, rarities in zip((3, 4), encoded.tokens["values"].rarities, strict=True):
            columns[equal, column] = rarities[_value_tokens(encoded, text_of_row[left[equal]])]
        columns[present, len(COMMON_MEASURES) :] = self._measure(encoded, first, second)
        return columns

    @abstractmethod
    def _measure(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        """Compare pairs of distinct texts, given by their indices: one column per measure.

        No text is missing. Two equal texts have the same index.
        """

    def _clean(self, text: str) -> str:
        """Return the form of a text that is compared; the empty text is a missing value."""
        return plain_text(text)

    def _read_extra(self, texts: list[str]) -> Any:
        """Return what `_measure` needs of distinct texts besides their tokens."""
        return truncate(texts)

    def distinct(self, texts: Sequence[str]) -> DistinctCells:
        """Return the distinct texts of rows after cleaning; equal values have the same text."""
        raw = DistinctCells.of(texts)
        cleaned = DistinctCells.of(map(self._clean, raw.texts))
        return DistinctCells(cleaned.texts, cleaned.text_of_row[raw.text_of_row])


def _is_missing(encoded: EncodedColumn, texts: Ints) -> Bools:
    """Return whether each text is empty, which means that the value is missing."""
    starts = encoded.tokens["values"].starts
    missing: Bools = starts[texts] == starts[texts + 1]
    return missing


def _value_tokens(encoded: EncodedColumn, texts: Ints) -> Ints:
    """Return the token that each whole text is; none of the texts is empty."""
    values = encoded.tokens["values"]
    return values.tokens[values.starts[texts]].astype(np.intp)
