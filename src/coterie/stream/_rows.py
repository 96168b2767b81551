"""Items as rows of one kind, told apart one by one and put together again."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from coterie.exceptions import ItemSetError
from coterie.items import Columns, ItemSet, PairFeatures, as_item_set


@dataclass(frozen=True, eq=False)
class Rows(ABC):
    """Items in the form in which an `ItemSet` has them."""

    items: Any

    @property
    @abstractmethod
    def kind(self) -> str:
        """What the items are, in words; equal for items that can be in one item set."""

    def like(self, other: "Rows") -> "Rows":
        """Return the same items as rows of the kind of others, or refuse them."""
        if self.kind != other.kind:
            raise ItemSetError(
                f"the items are {self.kind}, but those before are {other.kind}; give items of "
                "one kind"
            )
        return self

    def part(self, start: int, stop: int) -> "Rows":
        """Return the items from `start` to `stop`."""
        return type(self)(self.items[start:stop])

    def none(self) -> "Rows":
        """Return no items of the same kind, so that none is kept."""
        return self.part(0, 0)

    def __len__(self) -> int:
        return len(self.items)

    @abstractmethod
    def each(self, places: Iterable[int]) -> list[Any]:
        """Return some items one by one, such that each alone can be kept."""

    @abstractmethod
    def after(self, earlier: Sequence[Any]) -> Any:
        """Put the items behind earlier ones, as `each` returned them."""


class Vectors(Rows):
    """Rows of an array."""

    @property
    def kind(self) -> str:
        return f"vectors of {self.items.shape[1]} numbers"

    # Copies, for views would keep all the others.

    def none(self) -> Rows:
        return Vectors(self.items[:0].copy())

    def each(self, places: Iterable[int]) -> list[Any]:
        return [self.items[place].copy() for place in places]

    def after(self, earlier: Sequence[Any]) -> Any:
        return np.concatenate([np.array(earlier), self.items]) if earlier else self.items


class SparseVectors(Rows):
    """Rows of a `csr_array`; one is kept as its columns and its values."""

    @property
    def kind(self) -> str:
        return f"sparse vectors of {self.items.shape[1]} numbers"

    def __len__(self) -> int:
        return int(self.items.shape[0])

    def each(self, places: Iterable[int]) -> list[Any]:
        starts, columns, values = self.items.indptr, self.items.indices, self.items.data
        slices = [slice(starts[place], starts[place + 1]) for place in places]
        return [(columns[own].copy(), values[own].copy()) for own in slices]

    def after(self, earlier: Sequence[Any]) -> Any:
        if not earlier:
            return self.items
        columns, values = zip(*earlier, strict=True)
        ends = np.cumsum([len(own) for own in columns])
        data = np.concatenate([*values, self.items.data])
        indices = np.concatenate([*columns, self.items.indices])
        indptr = np.concatenate([[0], ends, self.items.indptr[1:] + ends[-1]])
        shape = (len(earlier) + len(self), self.items.shape[1])
        return sp.csr_array((data, indices, indptr), shape=shape)


class Objects(Rows):
    """Texts and whatever else a featurizer reads."""

    @property
    def kind(self) -> str:
        return "objects"

    def each(self, places: Iterable[int]) -> list[Any]:
        return [self.items[place] for place in places]

    def after(self, earlier: Sequence[Any]) -> Any:
        return [*earlier, *self.items]


class Records(Rows):
    """Rows of columns, which are lists by their names; one is kept as a tuple."""

    @property
    def kind(self) -> str:
        return f"records of {', '.join(self.items)}"

    def like(self, other: Rows) -> Rows:
        if isinstance(other, Records) and self.items.keys() == other.items.keys():
            # In the same order, which says what is what in a tuple.
            return Records({name: self.items[name] for name in other.items})
        return super().like(other)

    def part(self, start: int, stop: int) -> "Records":
        return Records({name: column[start:stop] for name, column in self.items.items()})

    def __len__(self) -> int:
        return len(next(iter(self.items.values()), ()))

    def each(self, places: Iterable[int]) -> list[Any]:
        columns = list(self.items.values())
        return [tuple([column[place] for column in columns]) for place in places]

    def after(self, earlier: Sequence[Any]) -> Any:
        return {
            name: [row[place] for row in earlier] + column
            for place, (name, column) in enumerate(self.items.items())
        }


def as_rows(items: Any) -> Rows:
    """Take anything that `ItemSet` takes but features of pairs; mappings in a list are records."""
    if isinstance(items, list | tuple) and items and isinstance(items[0], Mapping):
        items = _columns(items)
    item_set = as_item_set(items)
    _refuse_unstreamable(item_set)
    own = item_set.items
    if isinstance(own, np.ndarray):
        return Vectors(own)
    if sp.issparse(own):
        return SparseVectors(own)
    return Objects(own) if isinstance(own, tuple) else Records(_listed(own))


def one_row(item: Any) -> Any:
    """Take one item as an item set of it."""
    if isinstance(item, Mapping) and not item:
        raise ItemSetError("the item is a mapping without names; give its values by name")
    _refuse_tables(item)
    if isinstance(item, Mapping):
        return {name: [value] for name, value in item.items()}
    if sp.issparse(item):
        return sp.csr_array(item.reshape(1, -1))
    return item[None] if isinstance(item, np.ndarray) and item.ndim == 1 else [item]


def _refuse_tables(item: Any) -> None:
    known = nw.from_native(item, allow_series=True, pass_through=True)
    if isinstance(known, nw.DataFrame | nw.LazyFrame | nw.Series):
        raise ItemSetError(
            f"the item is a {type(item).__name__}; give a mapping of names to values, such as "
            "row.to_dict(), or a frame to add_many"
        )


def _columns(records: Sequence[Any]) -> dict[str, list[Any]]:
    names = records[0].keys()
    for number, record in enumerate(records):
        if not isinstance(record, Mapping) or record.keys() != names:
            raise ItemSetError(
                f"record {number} is {record!r}, but record 0 has {', '.join(map(repr, names))}; "
                "give every record the same names, with None for what is missing"
            )
    return {name: [record[name] for record in records] for name in names}


def _refuse_unstreamable(item_set: ItemSet) -> None:
    if isinstance(item_set.items, PairFeatures):
        raise ItemSetError(
            "the items are given by features of their pairs, which says nothing of pairs with "
            "other items; give features of items, or what a featurizer reads"
        )
    if item_set.n_clusters is not None:
        raise ItemSetError(
            f"n_clusters is {item_set.n_clusters}, but a stream starts clusters as its items ask "
            "for them; leave it out"
        )


def _listed(table: Any) -> dict[str, list[Any]]:
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
