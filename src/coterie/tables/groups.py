"""The rows of a table that are clustered with each other, in an order of their own."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Ints
from coterie._core.texts import quote
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie.tables.schema import Schema, refuse_absent
from coterie.tables.table import Table


class Group(NamedTuple):
    """Rows that are clustered with each other: by their numbers in the table, and as items.

    They are in canonical order, by id or else by content, whatever their order in the table is.
    """

    name: str
    rows: Ints
    item_set: ItemSet
    clusters: tuple[str, ...] | None = None
    """What names the cluster of each row, where it is known."""

    @property
    def truth(self) -> Partition | None:
        """Which rows belong together, where it is known."""
        return None if self.clusters is None else Partition(self.clusters)


def row_ids(table: Table, column: str | None) -> tuple[str, ...]:
    """Return what names each row: its id, or its number from 1 on."""
    if column is None:
        return tuple(map(str, range(1, len(table) + 1)))
    refuse_absent(table, [column], "--id")
    ids = table[column]
    first: dict[str, int] = {}
    for row, name in enumerate(ids, 1):
        if not name:
            raise InputError(
                f"{table.name}, row {row}: the id in column {column!r} is missing; fill it in, or "
                "name another column by --id"
            )
        if first.setdefault(name, row) != row:
            raise InputError(
                f"{table.name}: the id {quote(name)} of column {column!r} is in row {first[name]} "
                f"and in row {row}; make ids unique, or name another column by --id"
            )
    return ids


def grouped(table: Table, schema: Schema, *, labelled: bool) -> list[Group]:
    """Divide the rows into sets, sorted by name; `labelled` asks for their clusters."""
    refuse_absent(table, schema.columns, "the model")
    if schema.set is not None:
        refuse_absent(table, [schema.set], "the model's set")
    order = _canonical(table, schema)
    clusters = given_clusters(table, schema) if labelled else None
    names = None if schema.set is None else table[schema.set]
    members: dict[str, list[int]] = {}
    for row in order:
        members.setdefault("" if names is None else names[row], []).append(row)
    return [_group(table, schema, name, members[name], clusters) for name in sorted(members)]


def _group(
    table: Table, schema: Schema, name: str, rows: list[int], clusters: Sequence[str] | None
) -> Group:
    columns = {column: table.columns[column] for column in schema.columns}
    items = {column: [cells[row] for row in rows] for column, cells in columns.items()}
    own = None if clusters is None else tuple(clusters[row] for row in rows)
    return Group(name, np.array(rows, dtype=np.intp), ItemSet(items), own)


def _canonical(table: Table, schema: Schema) -> list[int]:
    """Order the rows by id, or else by what they hold: first by what is compared of it."""
    if schema.id is not None and schema.id in table.names:
        ids = row_ids(table, schema.id)
        return sorted(range(len(table)), key=ids.__getitem__)
    names = dict.fromkeys((*schema.columns, *sorted(table.names)))
    rows = list(zip(*(table.columns[name] for name in names), strict=True))
    return sorted(range(len(table)), key=rows.__getitem__)


def given_clusters(table: Table, schema: Schema) -> Sequence[str]:
    """Return the cluster of each row that the table itself tells."""
    if schema.cluster is None:
        raise InputError("the model knows no column of clusters; name one by --cluster")
    refuse_absent(table, [schema.cluster], "--cluster")
    clusters = table[schema.cluster]
    for row, cluster in enumerate(clusters, 1):
        if not cluster:
            raise InputError(
                f"{table.name}, row {row}: the cluster in column {schema.cluster!r} is missing; "
                "fill it in, or leave the row out"
            )
    return clusters
