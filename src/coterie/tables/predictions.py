"""The columns that a prediction adds to a table, and tables that have them already."""

from collections.abc import Collection, Sequence

from coterie.exceptions import InputError
from coterie.tables.table import Table

COLUMNS = ("cluster_id", "confidence", "linked_to", "reason")
"""The columns that a prediction adds."""

ADDED = ", ".join(COLUMNS)


def is_predicted(names: Collection[str]) -> bool:
    """Return whether columns are those of a table that a prediction has written.

    >>> is_predicted(["name", *COLUMNS]), is_predicted(["name", "confidence"])
    (True, False)
    """
    return set(COLUMNS) <= set(names)


def input_name(name: str) -> str:
    """Return the name under which a prediction keeps a column of its input.

    >>> input_name("cluster_id")
    'cluster_id_input'
    """
    return f"{name}_input"


def renamed_inputs(table: Table, cluster: str | None, *, keep: bool) -> dict[str, str]:
    """Return new names for the columns of a table that a prediction would otherwise overwrite.

    Those of an earlier prediction are overwritten, unless they are to be kept. The labels of the
    model's column of clusters are always kept.

    >>> table = Table({"name": ["Ann"], "cluster_id": ["7"]})
    >>> renamed_inputs(table, "cluster_id", keep=False)
    {'cluster_id': 'cluster_id_input'}
    """
    clashes = [name for name in table.names if name in COLUMNS]
    if is_predicted(table.names) and not keep:
        return {}
    if not keep:
        _refuse_clash(table, [name for name in clashes if name != cluster])
    renamed: dict[str, str] = {}
    for name in clashes:
        renamed[name] = _free_name(input_name(name), {*table.names, *renamed.values()})
    return renamed


def refuse_unlearnable(table: Table, cluster: str | None) -> None:
    """Refuse to learn from a table with columns that a prediction of its rows would overwrite."""
    refuse_predicted_clusters(table, cluster)
    if not is_predicted(table.names):
        _refuse_clash(table, [name for name in table.names if name in COLUMNS and name != cluster])


def refuse_predicted_clusters(table: Table, cluster: str | None) -> None:
    """Refuse predicted clusters as true ones, if the table has the true ones as well."""
    if cluster in COLUMNS and input_name(cluster) in table.names:
        raise InputError(
            f"column {cluster!r} of {table.name} holds predicted clusters, but the true "
            f"clusters are in {input_name(cluster)!r}; name that column with `cluster=`"
        )


def _refuse_clash(table: Table, clashes: Sequence[str]) -> None:
    if clashes:
        raise InputError(
            f"{table.name} has a column {clashes[0]!r}, but predictions add a column of that name; "
            "rename the column"
        )


def _free_name(name: str, names: Collection[str]) -> str:
    """Return the name, with a number if a column has that name already."""
    count = 1
    free = name
    while free in names:
        count += 1
        free = f"{name}_{count}"
    return free
