"""What all kinds of columns share: how rare whole values are, and what is missing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from coterie._arrays import Bools, Floats, Ints
from coterie._kernels.tokens import in_whole
from coterie._texts import plain
from coterie._values import Value
from coterie.features.kinds._edits import beginnings
from coterie.features.kinds._profile import Profile
from coterie.features.kinds._tokens import NOTHING, Distinct, KnownTokens, Split, Weighed

COMMON = (
    "missing in one",
    "missing in both",
    "equal",
    "rarity if equal",
    "rarity among entities if equal",
)
"""What every kind compares."""


class Encoded(NamedTuple):
    """A column, read once: its distinct texts, their tokens by name, and what else a kind reads."""

    distinct: Distinct
    tokens: Mapping[str, Weighed]
    read: Any


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

    def learned(self, texts: Sequence[str], entities: Ints) -> Self:
        """Learn how rare values and tokens are, from the text and the entity of each row."""
        distinct = self._distinct(texts)
        known = {
            name: KnownTokens.learned(distinct, split, entities)
            for name, split in self._all_splits.items()
        }
        return replace(self, **known)

    def encode(self, texts: Sequence[str], *, seen: bool = False) -> Encoded:
        """Read the text of each row; `seen` says that these rows were learned from."""
        distinct = self._distinct(texts)
        tokens = {
            name: getattr(self, name).weighed(distinct, split, seen=seen)
            for name, split in self._all_splits.items()
        }
        return Encoded(distinct, tokens, self._read(distinct.texts))

    def compare(self, encoded: Encoded, left: Ints, right: Ints) -> Floats:
        """Compare the rows of pairs: one column a name."""
        of_rows = encoded.distinct.of_rows
        first, second = of_rows[left], of_rows[right]
        compared = np.zeros((len(left), len(self.names)))
        n_absent = _is_absent(encoded, first).astype(np.intp) + _is_absent(encoded, second)
        compared[:, 0], compared[:, 1] = n_absent == 1, n_absent == 2
        there = np.flatnonzero(n_absent == 0)
        first, second = first[there], second[there]
        equal = there[first == second]
        compared[equal, 2] = 1.0
        for column, rarities in zip((3, 4), encoded.tokens["values"].shared, strict=True):
            compared[equal, column] = rarities[_tokens_of(encoded, of_rows[left[equal]])]
        compared[there, len(COMMON) :] = self._measured(encoded, first, second)
        return compared

    @abstractmethod
    def _measured(self, encoded: Encoded, left: Ints, right: Ints) -> Floats:
        """Compare pairs of distinct texts, none of them missing: one column a measure."""

    def _cleaned(self, text: str) -> str:
        """Return what is compared of a text."""
        return plain(text)

    def _read(self, texts: list[str]) -> Any:
        """Read what else there is in distinct texts."""
        return beginnings(texts)

    def _distinct(self, texts: Sequence[str]) -> Distinct:
        raw = Distinct.of(texts)
        cleaned = Distinct.of(map(self._cleaned, raw.texts))
        return Distinct(cleaned.texts, cleaned.of_rows[raw.of_rows])

    @property
    def _all_splits(self) -> dict[str, Split]:
        return {"values": in_whole, **self.splits}


def _is_absent(encoded: Encoded, texts: Ints) -> Bools:
    """Tell which texts are empty: they are no value."""
    starts = encoded.tokens["values"].starts
    absent: Bools = starts[texts] == starts[texts + 1]
    return absent


def _tokens_of(encoded: Encoded, texts: Ints) -> Ints:
    """Return the token that each text is as a whole."""
    values = encoded.tokens["values"]
    return values.tokens[values.starts[texts]].astype(np.intp)
