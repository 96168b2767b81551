"""Features of pairs of records: each field is compared according to its kind."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats, Ints
from coterie._core.budgets import check_budget
from coterie._core.values import Value
from coterie._types import Features
from coterie.exceptions import FeatureError, located
from coterie.features.columns import column_of, is_missing
from coterie.features.featurizer import PairFeaturizer
from coterie.features.kinds import Text
from coterie.features.kinds.base import EncodedColumn, Kind, ParsedColumn
from coterie.features.kinds.counts import RecordCounts
from coterie.features.operators import RowwiseFeatures
from coterie.features.operators.base import refuse_unwritable
from coterie.items import ItemSet, as_item_sets
from coterie.pairs import all_pairs, as_pairs
from coterie.partition import Partition

WHOLE_RECORD = "whole record"
"""The name, in features, of the text of all fields together."""

BATCH_SIZE = 1 << 16
"""The number of pairs compared at once: larger batches need more memory, smaller ones more time."""


@dataclass(frozen=True, eq=False)
class Field(Value):
    """A column of a table with the kind of its values, which says how they are compared."""

    column: str
    kind: Kind

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise FeatureError(f"the column of a field is {self.column!r}; give its name")
        if not isinstance(self.kind, Kind):
            raise FeatureError(
                f"the kind of {self.column!r} is {self.kind!r}; give one from "
                "coterie.features.kinds, such as Name()"
            )


def _as_fields(fields: Any) -> tuple[Field, ...]:
    try:
        checked: tuple[Any, ...] = tuple(fields)
    except TypeError:
        checked = (None,)
    if not all(isinstance(value, Field) for value in checked):
        raise FeatureError(f"fields is {fields!r}; give a list of Field(column, kind)")
    return checked


class ParsedRecords(NamedTuple):
    """Records after reading: one column per field and, if it is compared, the whole record."""

    fields: tuple[ParsedColumn, ...]
    n_items: int

    def take(self, rows: Ints) -> "ParsedRecords":
        """Return some of the records, by their indices."""
        return ParsedRecords(tuple(column.take(rows) for column in self.fields), len(rows))


class EncodedRecords(NamedTuple):
    """Records after encoding: columns whose tokens have weights and rarities."""

    fields: tuple[EncodedColumn, ...]
    n_items: int


@dataclass(frozen=True, eq=False)
class RecordFeatures(PairFeaturizer):
    """Compare records field by field; if there are several fields, also as one text.

    Parameters
    ----------
    fields
        The columns to compare, each with its kind.
    whole
        The kind that compares whole records: the texts of all fields, joined by blanks. It is not
        used if there is only one field.
    min_entities
        The number of entities of the training rows that must share a value or a word, if its hash
        and its counts are to be stored. How many entities share a rarer one is estimated from the
        rows that are compared.

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
    min_entities: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", _as_fields(self.fields))
        columns = [field.column for field in self.fields]
        if not columns or len(set(columns)) < len(columns):
            raise FeatureError(
                f"the fields are for the columns {columns}; give at least one field, and no two "
                "fields for the same column"
            )
        if not isinstance(self.whole, Kind):
            raise FeatureError(f"whole is {self.whole!r}; give a kind, such as Text()")
        as_whole("min_entities", self.min_entities, 1, error=FeatureError)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of each field and, if there are several, of the whole record."""
        return tuple(kind for _, kind in self._kinds)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features: the column and the comparison."""
        return tuple(f"{column}: {name}" for column, kind in self._kinds for name in kind.names)

    @property
    def owners(self) -> tuple[str, ...]:
        """The column that each feature compares."""
        return tuple(column for column, kind in self._kinds for _ in kind.names)

    def fit(
        self, item_sets: Sequence[ItemSet], partitions: Sequence[Partition] | None = None
    ) -> Self:
        """Learn how rare values and words are among rows and, given partitions, among entities."""
        sets = as_item_sets(item_sets)
        return self.learned(self.read(sets), _entity_labels(sets, partitions))

    def read(self, item_sets: Sequence[ItemSet]) -> ParsedRecords:
        """Read the records of item sets, which are joined in order; the slow part of encoding."""
        texts = []
        for index, item_set in enumerate(item_sets):
            with located(f"item set {index}") if len(item_sets) > 1 else nullcontext():
                texts.append(self._texts(item_set))
        columns = [list(chain.from_iterable(parts)) for parts in zip(*texts, strict=True)]
        fields = []
        for (_, kind), column in zip(self._kinds, columns, strict=True):
            check_budget()
            fields.append(kind.read(column))
        return ParsedRecords(tuple(fields), sum(map(len, item_sets)))

    def learned(self, read: ParsedRecords, entities: Ints, rows: Ints | None = None) -> Self:
        """Return the featurizer fitted to some rows of records that were read.

        Parameters
        ----------
        read
            The records, as `read` returns them.
        entities
            The label of the entity of each record.
        rows
            The indices of the records to learn from; None means all.
        """
        kinds = [
            kind.learn(column, entities, rows, self.min_entities)
            for (_, kind), column in zip(self._kinds, read.fields, strict=True)
        ]
        fields = tuple(
            replace(field, kind=kind) for field, kind in zip(self.fields, kinds, strict=False)
        )
        return replace(self, fields=fields, whole=kinds[-1] if len(fields) > 1 else self.whole)

    def count(self, read: ParsedRecords) -> RecordCounts:
        """Count the records that have each token."""
        columns = zip(self.kinds, read.fields, strict=True)
        return RecordCounts(read.n_items, tuple(kind.count(column) for kind, column in columns))

    def weighed(self, read: ParsedRecords, counts: RecordCounts | None = None) -> EncodedRecords:
        """Encode records that were read: compute the weights of their tokens.

        `counts` are those of the table, of which the records may be a part; None means that the
        records are the table.
        """
        n_rows, tokens = self.count(read) if counts is None else counts
        fields = tuple(
            kind.encode(column, (n_rows, column_counts))
            for kind, column, column_counts in zip(self.kinds, read.fields, tokens, strict=True)
        )
        return EncodedRecords(fields, read.n_items)

    def encode(self, item_set: ItemSet) -> EncodedRecords:
        """Read the records, and compute the weights of their tokens."""
        return self.weighed(self.read([item_set]))

    def compare(self, encoded: EncodedRecords, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs (None: all pairs)."""
        requested = as_pairs(pairs, encoded.n_items)
        requested = all_pairs(encoded.n_items) if requested is None else requested
        n_columns = len(self.owners)
        refuse_unwritable((len(requested), n_columns), len(requested) * n_columns)
        features = np.empty((len(requested), n_columns))
        for start in range(0, len(requested), BATCH_SIZE):
            batch = slice(start, start + BATCH_SIZE)
            left, right = np.ascontiguousarray(requested[batch].T)
            self._compare_into(features[batch], encoded, left, right)
        return RowwiseFeatures(features)

    def _compare_into(
        self, features: Floats, encoded: EncodedRecords, left: Ints, right: Ints
    ) -> None:
        """Write the features of pairs of rows into an array."""
        start = 0
        for (_, kind), column in zip(self._kinds, encoded.fields, strict=True):
            check_budget()
            stop = start + len(kind.names)
            features[:, start:stop] = kind.compare(column, left, right)
            start = stop

    @property
    def _kinds(self) -> list[tuple[str, Kind]]:
        """The name and the kind of each field and, if there are several, of the whole record."""
        kinds = [(field.column, field.kind) for field in self.fields]
        return [*kinds, (WHOLE_RECORD, self.whole)] if len(kinds) > 1 else kinds

    def _texts(self, item_set: ItemSet) -> list[list[str]]:
        """Return the texts of each field and, if there are several, of the whole records."""
        columns = [_read_column(item_set.items, field.column) for field in self.fields]
        if len(columns) == 1:
            return columns
        return [*columns, [" ".join(cells) for cells in zip(*columns, strict=True)]]


def _read_column(items: Any, name: str) -> list[str]:
    values = column_of(items, name, "RecordFeatures", FeatureError)
    return [
        value if type(value) is str else _text(value, name, row) for row, value in enumerate(values)
    ]


def _text(value: Any, name: str, row: int) -> str:
    if is_missing(value):
        return ""
    if not isinstance(value, str):
        raise FeatureError(
            f"column {name!r}, item {row}: {value!r} is not a string; convert it to str"
        )
    return str(value)


def _entity_labels(sets: Sequence[ItemSet], partitions: Sequence[Partition] | None) -> Ints:
    """Label the entity of each item, across item sets; without partitions, each item is one."""
    if partitions is None:
        return np.arange(sum(map(len, sets)))
    return Partition.concatenate(partitions).labels
