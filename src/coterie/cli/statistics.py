"""The file of statistics that `coterie predict` reads or writes."""

from pathlib import Path
from typing import TYPE_CHECKING

from coterie._core.files import STREAM
from coterie.cli.files import check_target
from coterie.cli.shown import note
from coterie.exceptions import InputError

if TYPE_CHECKING:
    from coterie.tables import Clustering, Schema, Table, TableStatistics


def read_statistics(path: str | None, output: str) -> "TableStatistics | None":
    """Read statistics from a file; None if there is no such file, to which they can be written."""
    from coterie.tables import TableStatistics

    if path is None:
        return None
    if path == STREAM:
        raise InputError("--statistics cannot be standard input or output; give a file name")
    if Path(path).exists():
        return TableStatistics.load(path)
    if output != STREAM and Path(path).absolute() == Path(output).absolute():
        raise InputError(f"{path} is also the file of the table; give another file to --statistics")
    check_target(path)
    return None


def refuse_sets(path: str | None, table: "Table", schema: "Schema") -> None:
    """Refuse a table of several sets if statistics are to be used or written."""
    from coterie.tables.groups import refuse_several_sets

    if path is not None:
        refuse_several_sets(table, schema)


def save_statistics(
    path: str | None, statistics: "TableStatistics | None", clustering: "Clustering"
) -> None:
    """Write the statistics of the table, unless those of a file were used, and report it."""
    if path is None:
        return
    if statistics is not None:
        note(f"used the statistics in {path}, not those of the table")
    elif clustering.statistics is not None:
        clustering.statistics.save(path)
        note(f"wrote the statistics of the table to {path}")
