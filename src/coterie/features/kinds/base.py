"""What all kinds of columns share: how rare whole values are, and what is missing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from coterie._core.arrays import Bools, Floats, Ints
from coterie._core.texts import plain_text
from coterie._core.values import Value
from coterie._kernels.texts.tokens import hash_whole_texts
from coterie.features.kinds._edits import beginnings
from coterie.features.kinds._tokens import (
    NOTHING,
    Counted,
    DistinctCells,
    KnownTokens,
    Split,
    Weighed,
)
from coterie.features.kinds.profile import Profile

COMMON = (
    "missing in one",
    "missing in both",
    "equal",
    "rarity if equal",
    "rarity among entities if equal",
)
"""What every kind compares."""


class ParsedColumn(NamedTuple):
    """A column, read once: its distinct texts, their tokens by name, and what else a kind reads."""

    distinct: DistinctCells
    tokens: Mapping[str, Counted]
    more: Any


class EncodedColumn(NamedTuple):
    """A column that was read, its tokens weighed by how rare they are."""

    distinct: DistinctCells
    tokens: Mapping[str, Weighed]
    more: Any


@dataclass(frozen=True, eq=False)
class Kind(Value, ABC):
    """How the values of a column are compared: a frozen value that learns how rare tokens are.

    A member names its comparisons in `measures`, makes them in `_measured`, says by `likeness` how
    much a column looks like one of its kind, and lists in `splits` what tokens it knows.

    Parameters
    ----------
    values
        How rare whole values are; `learned` finds out.
    """

    values: KnownTokens = NOTHING

    word: ClassVar[str]
    """What names the kind."""
    measures: ClassVar[tuple[str, ...]]
    splits: ClassVar[Mapping[str, Split]] = {}

    @classmethod
    @abstractmethod
    def likeness(cls, profile: Profile) -> float:
        """Say how much a column looks like one of this kind, from 0 to 1."""

    @property
    def names(self) -> tuple[str, ...]:
        """One name a comparison."""
        return (*COMMON, *self.measures)

    def read(self, texts: Sequence[str]) -> ParsedColumn:
        """Read the text of each row: what takes the time, and depends on nothing learned."""
        distinct = self.distinct(texts)
        splits = {"values": hash_whole_texts, **self.splits}
        tokens = {name: Counted.of(distinct.texts, split) for name, split in splits.items()}
        return ParsedColumn(distinct, tokens, self._more(distinct.texts))

    def learned(self, read: ParsedColumn, entities: Ints, rows: Ints | None = None) -> Self:
        """Learn how rare values and tokens are in some rows, None for all.

        Parameters
        ----------
        read
            What was read of a column.
        entities
            The entity of each row.
        rows
            The numbers of rows.
        """
        texts = read.distinct.text_of_row
        some = slice(None) if rows is None else rows
        known = {
            name: KnownTokens.learned(own, texts[some], entities[some])
            for name, own in read.tokens.items()
        }
        return replace(self, **known)

    def encode(self, read: ParsedColumn) -> EncodedColumn:
        """Weigh the tokens of rows that are compared."""
        tokens = {
            name: getattr(self, name).weighed(own, read.distinct.text_of_row)
            for name, own in read.tokens.items()
        }
        return EncodedColumn(read.distinct, tokens, read.more)

    def compare(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        """Compare the rows of pairs: one column a name."""
        text_of_row = encoded.distinct.text_of_row
        first, second = text_of_row[left], text_of_row[right]
        compared = np.zeros((len(left), len(self.names)))
        n_absent = _is_absent(encoded, first).astype(np.intp) + _is_absent(encoded, second)
        compared[:, 0], compared[:, 1] = n_absent == 1, n_absent == 2
        there = np.flatnonzero(n_absent == 0)
        first, second = first[there], second[there]
        equal = there[first == second]
        compared[equal, 2] = 1.0
        for column, rarities in zip((3, 4), encoded.tokens["values"].rarities, strict=True):
            compared[equal, column] = rarities[_tokens_of(encoded, text_of_row[left[equal]])]
        compared[there, len(COMMON) :] = self._measured(encoded, first, second)
        return compared

    @abstractmethod
    def _measured(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        """Compare pairs of distinct texts, none of them missing: one column a measure."""

    def _cleaned(self, text: str) -> str:
        """Return what is compared of a text."""
        return plain_text(text)

    def _more(self, texts: list[str]) -> Any:
        """Read what else there is in distinct texts."""
        return beginnings(texts)

    def distinct(self, texts: Sequence[str]) -> DistinctCells:
        """Return what is compared of the text of each row: equal values look the same."""
        raw = DistinctCells.of(texts)
        cleaned = DistinctCells.of(map(self._cleaned, raw.texts))
        return DistinctCells(cleaned.texts, cleaned.text_of_row[raw.text_of_row])


def _is_absent(encoded: EncodedColumn, texts: Ints) -> Bools:
    """Tell which texts are empty: they are no value."""
    starts = encoded.tokens["values"].starts
    absent: Bools = starts[texts] == starts[texts + 1]
    return absent


def _tokens_of(encoded: EncodedColumn, texts: Ints) -> Ints:
    """Return the token that each text is as a whole."""
    values = encoded.tokens["values"]
    return values.tokens[values.starts[texts]].astype(np.intp)
