"""Features of pairs of records: each column compared as its kind asks for."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arrays import Floats, Ints
from coterie._core.values import Value
from coterie._types import Features
from coterie.exceptions import FeatureError, located
from coterie.features.columns import column_of, is_missing
from coterie.features.featurizer import PairFeaturizer
from coterie.features.kinds import Text
from coterie.features.kinds.base import EncodedColumn, Kind, ParsedColumn
from coterie.features.operators import DenseFeatures
from coterie.features.operators.base import refuse_unwritable
from coterie.items import ItemSet, as_item_sets
from coterie.pairs import all_pairs, as_pairs
from coterie.partition import Partition

WHOLE_RECORD = "whole record"

AT_ONCE = 1 << 16
"""How many pairs are compared at once: more take memory, fewer read each field anew too often."""


@dataclass(frozen=True, eq=False)
class Field(Value):
    """A column and its kind."""

    column: str
    kind: Kind

    def __post_init__(self) -> None:
        if not isinstance(self.kind, Kind):
            raise FeatureError(f"the kind of {self.column!r} is {self.kind!r}; give one of kinds")


class ParsedRecords(NamedTuple):
    """What was read of each field, the whole record last where it is compared."""

    fields: tuple[ParsedColumn, ...]
    n_items: int


class EncodedRecords(NamedTuple):
    """The fields of records, weighed by what was learned."""

    fields: tuple[EncodedColumn, ...]
    n_items: int


@dataclass(frozen=True, eq=False)
class RecordFeatures(PairFeaturizer):
    """Compare records field by field, and all their words together where there are several.

    Parameters
    ----------
    fields
        The columns to compare, and of what kind each is.
    whole
        How all fields, one after the other in one text, are compared. Of a single field it is not.

    Examples
    --------
    >>> from coterie.features.kinds import Name, Number
    >>> people = ItemSet({"name": ["Ann Lee", "Anne Lee", "Bob Ray"], "age": ["30", "31", ""]})
    >>> features = RecordFeatures([Field("name", Name()), Field("age", Number())]).fit([people])
    >>> columns = dict(zip(features.names, features(people, None).to_matrix().T, strict=True))
    >>> columns["name: Jaro-Winkler"].round(2), columns["age: missing in one"]
    (array([0.94, 0.43, 0.42]), array([0., 1., 1.]))
    """

    one_by_one: ClassVar[bool] = True

    fields: tuple[Field, ...]
    whole: Kind = field(default_factory=Text)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))
        columns = [each.column for each in self.fields]
        if not columns or len(set(columns)) < len(columns):
            raise FeatureError(f"fields are of the columns {columns}; give each once, one at least")

    @property
    def names(self) -> tuple[str, ...]:
        """The column and what is compared, of each feature."""
        return tuple(f"{owner}: {name}" for owner, kind in self._kinds for name in kind.names)

    @property
    def owners(self) -> tuple[str, ...]:
        """The column of each feature."""
        return tuple(owner for owner, kind in self._kinds for _ in kind.names)

    def fit(
        self, item_sets: Sequence[ItemSet], partitions: Sequence[Partition] | None = None
    ) -> Self:
        """Learn how rare values and words are; among entities too, if partitions name these."""
        sets = as_item_sets(item_sets)
        return self.learned(self.read(sets), _entities(sets, partitions))

    def read(self, item_sets: Sequence[ItemSet]) -> ParsedRecords:
        """Read the records of item sets, one set after the other: what takes the time."""
        texts = []
        for number, item_set in enumerate(item_sets):
            with located(f"item set {number}") if len(item_sets) > 1 else nullcontext():
                texts.append(self._texts(item_set))
        columns = [[text for own in each for text in own] for each in zip(*texts, strict=True)]
        kinds = (kind for _, kind in self._kinds)
        read = tuple(kind.read(column) for kind, column in zip(kinds, columns, strict=True))
        return ParsedRecords(read, sum(map(len, item_sets)))

    def learned(self, read: ParsedRecords, entities: Ints, rows: Ints | None = None) -> Self:
        """Learn as `fit` does from some rows of what was read, None for all, of given entities."""
        kinds = [
            kind.learned(own, entities, rows)
            for (_, kind), own in zip(self._kinds, read.fields, strict=True)
        ]
        fields = tuple(
            replace(each, kind=kind) for each, kind in zip(self.fields, kinds, strict=False)
        )
        return replace(self, fields=fields, whole=kinds[-1] if len(fields) > 1 else self.whole)

    def weighed(self, read: ParsedRecords) -> EncodedRecords:
        """Weigh what was read of records that are compared by what was learned."""
        both = zip(self._kinds, read.fields, strict=True)
        return EncodedRecords(tuple(kind.encode(own) for (_, kind), own in both), read.n_items)

    def encode(self, item_set: ItemSet) -> EncodedRecords:
        """Read each record."""
        return self.weighed(self.read([item_set]))

    def compare(self, encoded: EncodedRecords, pairs: ArrayLike | None) -> Features:
        """Compare the records of some pairs, None for all."""
        listed = as_pairs(pairs, encoded.n_items)
        listed = all_pairs(encoded.n_items) if listed is None else listed
        n_columns = len(self.owners)
        refuse_unwritable((len(listed), n_columns), len(listed) * n_columns)
        compared = np.empty((len(listed), n_columns))
        for start in range(0, len(listed), AT_ONCE):
            left, right = np.ascontiguousarray(listed[start : start + AT_ONCE].T)
            self._compare_into(compared[start : start + AT_ONCE], encoded, left, right)
        return DenseFeatures(compared)

    def _compare_into(
        self, compared: Floats, encoded: EncodedRecords, left: Ints, right: Ints
    ) -> None:
        at = 0
        for (_, kind), own in zip(self._kinds, encoded.fields, strict=True):
            compared[:, at : at + len(kind.names)] = kind.compare(own, left, right)
            at += len(kind.names)

    @property
    def _kinds(self) -> list[tuple[str, Kind]]:
        own = [(each.column, each.kind) for each in self.fields]
        return [*own, (WHOLE_RECORD, self.whole)] if len(own) > 1 else own

    def _texts(self, item_set: ItemSet) -> list[list[str]]:
        """Return the texts of each field, and those of the whole records."""
        read = [_column(item_set.items, each.column) for each in self.fields]
        return (
            [*read, [" ".join(own) for own in zip(*read, strict=True)]] if len(read) > 1 else read
        )


def _column(items: Any, name: str) -> list[str]:
    values = column_of(items, name, "RecordFeatures", FeatureError)
    return [
        value if type(value) is str else _text(value, name, row) for row, value in enumerate(values)
    ]


def _text(value: Any, name: str, row: int) -> str:
    if is_missing(value):
        return ""
    if not isinstance(value, str):
        raise FeatureError(f"column {name!r}, item {row}: {value!r} is no text; give texts")
    return str(value)


def _entities(sets: Sequence[ItemSet], partitions: Sequence[Partition] | None) -> Ints:
    """Give entities of all item sets numbers; every item is one where none are named."""
    if partitions is None:
        return np.arange(sum(map(len, sets)))
    return Partition.concatenate(partitions).labels
