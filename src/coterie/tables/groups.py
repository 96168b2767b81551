"""Groups of rows that are clustered with each other."""

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
    """Rows that are clustered with each other: their indices in the table, and their items.

    They are sorted by id, or else by content, so that the order of the table does not matter.
    """

    name: str
    rows: Ints
    item_set: ItemSet
    clusters: tuple[str, ...] | None = None
    """The true cluster of each row, by name; None if unknown."""

    @property
    def truth(self) -> Partition | None:
        """The true clusters, if known."""
        return None if self.clusters is None else Partition(self.clusters)


def row_ids(table: Table, column: str | None) -> tuple[str, ...]:
    """Return the id of each row, or the row numbers 1, 2, … if there is no column of ids."""
    if column is None:
        return tuple(map(str, range(1, len(table) + 1)))
    refuse_absent(table, [column], "which `id=` names")
    ids = table[column]
    first: dict[str, int] = {}
    for row, name in enumerate(ids, 1):
        if not name:
            raise InputError(
                f"{table.name}, row {row}: the id in column {column!r} is missing; fill it in, or "
                "name another column with `id=`"
            )
        if first.setdefault(name, row) != row:
            raise InputError(
                f"{table.name}: rows {first[name]} and {row} have the same id {quote(name)} in "
                f"column {column!r}; make ids unique, or name another column with `id=`"
            )
    return ids


def group_rows(table: Table, schema: Schema, *, labelled: bool) -> list[Group]:
    """Divide the rows into sets, sorted by name; `labelled` requires the true clusters."""
    refuse_absent(
        table,
        schema.columns,
        "which the model compares; add it, or learn a model without it by `ignore=` of fit",
    )
    if schema.set is not None:
        refuse_absent(table, [schema.set], "which divides the table into sets")
    order = _sorted_rows(table, schema)
    clusters = true_clusters(table, schema) if labelled else None
    names = None if schema.set is None else table[schema.set]
    members: dict[str, list[int]] = {}
    for row in order:
        members.setdefault("" if names is None else names[row], []).append(row)
    return [_group(table, schema, name, members[name], clusters) for name in sorted(members)]


def no_rows(schema: Schema) -> Group:
    """Return a group without rows, of which an empty table has none."""
    return Group("", np.empty(0, dtype=np.intp), ItemSet({name: [] for name in schema.columns}))


def refuse_several_sets(table: Table, schema: Schema) -> None:
    """Refuse a table of several sets where statistics are used, because these are of one set."""
    n_sets = 1 if schema.set not in table.names else len(set(table[schema.set]))
    if n_sets > 1:
        raise InputError(
            f"the table has {n_sets:,} sets of rows in column {schema.set!r}, and each set has "
            "statistics of its own; use statistics with the rows of one set only"
        )


def _group(
    table: Table, schema: Schema, name: str, rows: list[int], clusters: Sequence[str] | None
) -> Group:
    columns = {column: table.columns[column] for column in schema.columns}
    items = {column: [cells[row] for row in rows] for column, cells in columns.items()}
    labels = None if clusters is None else tuple(clusters[row] for row in rows)
    return Group(name, np.array(rows, dtype=np.intp), ItemSet(items), labels)


def _sorted_rows(table: Table, schema: Schema) -> list[int]:
    """Sort the rows by id, or else by their cells, those of compared columns first."""
    if schema.id is not None and schema.id in table.names:
        ids = row_ids(table, schema.id)
        return sorted(range(len(table)), key=ids.__getitem__)
    names = dict.fromkeys((*schema.columns, *sorted(table.names)))
    rows = list(zip(*(table.columns[name] for name in names), strict=True))
    return sorted(range(len(table)), key=rows.__getitem__)


def true_clusters(table: Table, schema: Schema) -> Sequence[str]:
    """Return the true cluster of each row, which a column of the table holds."""
    if schema.cluster is None:
        raise InputError(
            "the model has no column of clusters; name the column of true clusters with `cluster=`"
        )
    refuse_absent(table, [schema.cluster], "which `cluster=` or the model names")
    clusters = table[schema.cluster]
    for row, cluster in enumerate(clusters, 1):
        if not cluster:
            raise InputError(
                f"{table.name}, row {row}: the cluster in column {schema.cluster!r} is missing; "
                "fill it in, or leave the row out"
            )
    return clusters


def refuse_uninformative(groups: Sequence[Group], table: Table, cluster: str) -> None:
    """Refuse clusters from which nothing can be learned: all of one row, or all rows in one."""
    truths = [group.truth for group in groups if group.truth is not None]
    if all(truth.n_clusters == len(truth) for truth in truths):
        within = "" if len(groups) == 1 else " of one set"
        raise InputError(
            f"{table.name}: no two rows{within} have the same value in column {cluster!r}, so "
            "there is no example of rows that belong together; name another column with `cluster=`"
        )
    if all(truth.n_clusters == 1 for truth in truths):
        raise InputError(
            f"{table.name}: all rows have the same value in column {cluster!r}, so there is no "
            "example of rows that do not belong together; add rows of other clusters, or name "
            "another column with `cluster=`"
        )
