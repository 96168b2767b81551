"""Items of one kind as rows that can be stored one by one and concatenated again."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from coterie.exceptions import ItemSetError
from coterie.items import Columns, ItemSet, PairFeatures, as_item_set

EXTREME = 1e50
"""Numbers up to this size do not overflow in products of up to six of them."""


@dataclass(frozen=True, eq=False)
class ItemRows(ABC):
    """Items in the form in which an `ItemSet` has them."""

    items: Any

    @property
    @abstractmethod
    def kind(self) -> str:
        """The kind of items in words, equal for items that can be in one item set."""

    def conform_to(self, other: "ItemRows") -> "ItemRows":
        """Return the same items in the form of `other`, or raise an error if their kinds differ."""
        if self.kind != other.kind:
            raise ItemSetError(
                f"the items are {self.kind}, but earlier items are {other.kind}; give items of "
                "one kind"
            )
        return self

    def section(self, start: int, stop: int) -> "ItemRows":
        """Return the items from `start` to `stop`."""
        return type(self)(self.items[start:stop])

    def empty(self) -> "ItemRows":
        """Return no items, of the same kind, without a reference to these items."""
        return self.section(0, 0)

    def __len__(self) -> int:
        return len(self.items)

    def extreme_positions(self) -> list[int]:
        """Return the positions of the items with numbers so large that a score may overflow."""
        return [
            position
            for position, item in enumerate(self.extract(range(len(self))))
            if _is_extreme(item)
        ]

    @abstractmethod
    def extract(self, positions: Iterable[int]) -> list[Any]:
        """Return single items, each without a reference to the others."""

    @abstractmethod
    def append_to(self, earlier: Sequence[Any]) -> Any:
        """Concatenate earlier items, as `extract` returned them, and these items."""


class Vectors(ItemRows):
    """Rows of an array."""

    @property
    def kind(self) -> str:
        return f"vectors of {self.items.shape[1]} numbers"

    # Views would keep the whole array in memory, so rows are copied.

    def empty(self) -> ItemRows:
        return Vectors(self.items[:0].copy())

    def extreme_positions(self) -> list[int]:
        # Faster than abs, which copies the array.
        largest = self.items.max(axis=1, initial=0.0), -self.items.min(axis=1, initial=0.0)
        return np.flatnonzero(np.maximum(*largest) > EXTREME).tolist()

    def extract(self, positions: Iterable[int]) -> list[Any]:
        return [self.items[position].copy() for position in positions]

    def append_to(self, earlier: Sequence[Any]) -> Any:
        return np.concatenate([np.array(earlier), self.items]) if earlier else self.items


class SparseVectors(ItemRows):
    """Rows of a `csr_array`; `extract` returns the columns and values of each."""

    @property
    def kind(self) -> str:
        return f"sparse vectors of {self.items.shape[1]} numbers"

    def __len__(self) -> int:
        return int(self.items.shape[0])

    def extreme_positions(self) -> list[int]:
        entries = np.flatnonzero(np.abs(self.items.data) > EXTREME)
        rows = np.searchsorted(self.items.indptr, entries, side="right") - 1
        return np.unique(rows).tolist()  # type: ignore[no-any-return]

    def extract(self, positions: Iterable[int]) -> list[Any]:
        starts, columns, values = self.items.indptr, self.items.indices, self.items.data
        slices = [slice(starts[position], starts[position + 1]) for position in positions]
        return [(columns[entries].copy(), values[entries].copy()) for entries in slices]

    def append_to(self, earlier: Sequence[Any]) -> Any:
        if not earlier:
            return self.items
        columns, values = zip(*earlier, strict=True)
        ends = np.cumsum([len(row_columns) for row_columns in columns])
        data = np.concatenate([*values, self.items.data])
        indices = np.concatenate([*columns, self.items.indices])
        indptr = np.concatenate([[0], ends, self.items.indptr[1:] + ends[-1]])
        shape = (len(earlier) + len(self), self.items.shape[1])
        return sp.csr_array((data, indices, indptr), shape=shape)


class Objects(ItemRows):
    """Texts, or any other objects that a featurizer reads."""

    @property
    def kind(self) -> str:
        return "objects"

    def extract(self, positions: Iterable[int]) -> list[Any]:
        return [self.items[position] for position in positions]

    def append_to(self, earlier: Sequence[Any]) -> Any:
        return [*earlier, *self.items]


class Records(ItemRows):
    """Rows of a mapping of names to columns, which are lists; `extract` returns tuples."""

    @property
    def kind(self) -> str:
        return f"records of {', '.join(self.items)}"

    def conform_to(self, other: ItemRows) -> ItemRows:
        if isinstance(other, Records) and self.items.keys() == other.items.keys():
            # In the same order of columns, because extracted tuples have no names.
            return Records({name: self.items[name] for name in other.items})
        return super().conform_to(other)

    def section(self, start: int, stop: int) -> "Records":
        return Records({name: column[start:stop] for name, column in self.items.items()})

    def __len__(self) -> int:
        return len(next(iter(self.items.values()), ()))

    def extract(self, positions: Iterable[int]) -> list[Any]:
        columns = list(self.items.values())
        return [tuple([column[position] for column in columns]) for position in positions]

    def append_to(self, earlier: Sequence[Any]) -> Any:
        return {
            name: [row[index] for row in earlier] + column
            for index, (name, column) in enumerate(self.items.items())
        }


def _is_extreme(item: Any) -> bool:
    """Return whether an object is, or a row contains, a number that is extreme."""
    if isinstance(item, np.ndarray) and item.dtype.kind in "iuf":
        return bool((np.abs(item) > EXTREME).any())
    cells: Iterable[Any] = item if isinstance(item, tuple | list) else [item]
    return any(isinstance(cell, int | float) and abs(cell) > EXTREME for cell in cells)


def as_rows(items: Any) -> ItemRows:
    """Convert items of any type that `ItemSet` takes, except pair features, or a list of records.

    A record is a mapping of names to values.
    """
    if isinstance(items, list | tuple) and items and isinstance(items[0], Mapping):
        items = _columns_of_records(items)
    item_set = as_item_set(items)
    _refuse_unstreamable(item_set)
    items = item_set.items
    if isinstance(items, np.ndarray):
        return Vectors(items)
    if sp.issparse(items):
        return SparseVectors(items)
    return Objects(items) if isinstance(items, tuple) else Records(_columns_of_table(items))


def one_row(item: Any) -> Any:
    """Return the items of an item set that consists of one item."""
    if isinstance(item, Mapping) and not item:
        raise ItemSetError("the item is an empty mapping; give at least one name with a value")
    _refuse_tables(item)
    if isinstance(item, Mapping):
        return {name: [value] for name, value in item.items()}
    if sp.issparse(item):
        return sp.csr_array(item.reshape(1, -1))
    return item[None] if isinstance(item, np.ndarray) and item.ndim == 1 else [item]


def _refuse_tables(item: Any) -> None:
    frame = nw.from_native(item, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.LazyFrame | nw.Series):
        raise ItemSetError(
            f"the item is a {type(item).__name__}; give a mapping of names to values, such as "
            "row.to_dict(), or call add_many with a data frame"
        )


def _columns_of_records(records: Sequence[Any]) -> dict[str, list[Any]]:
    names = records[0].keys()
    for index, record in enumerate(records):
        if not isinstance(record, Mapping) or record.keys() != names:
            raise ItemSetError(
                f"record {index} is {record!r}, but record 0 has {', '.join(map(repr, names))}; "
                "give every record the same names, with None for missing values"
            )
    return {name: [record[name] for record in records] for name in names}


def _refuse_unstreamable(item_set: ItemSet) -> None:
    if isinstance(item_set.items, PairFeatures):
        raise ItemSetError(
            "the items have only features of pairs, and none for pairs with later items; "
            "give features of each item, or items that a featurizer can read"
        )
    if item_set.n_clusters is not None:
        raise ItemSetError(
            f"n_clusters is {item_set.n_clusters}, but the number of clusters of a stream is not "
            "fixed; leave n_clusters out"
        )


def _columns_of_table(table: Any) -> dict[str, list[Any]]:
    """Return the columns of a table as lists."""
    if not isinstance(table, Columns):
        columns: dict[str, list[Any]] = nw.from_native(table).to_dict(as_series=False)
        return columns
    return {name: _as_list(column) for name, column in table.items()}


def _as_list(column: Any) -> list[Any]:
    if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "biuf":
        return column.tolist()  # type: ignore[no-any-return]
    values = nw.from_native(column, series_only=True, pass_through=True)
    return values.to_list() if isinstance(values, nw.Series) else list(values)
