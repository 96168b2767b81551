"""`coterie predict`."""

from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie.cli.bars import bars
from coterie.cli.constraints import ToldFiles
from coterie.cli.files import STREAM, check_target, load_model, refuse_overwriting
from coterie.cli.options import Apart, AsJson, Format, IdColumn, ModelFile, TableFile, Together
from coterie.cli.shown import named, note, print_json
from coterie.exceptions import InputError

if TYPE_CHECKING:
    from coterie.tables import TableModel
    from coterie.tables.io.reading import Typed

TableOut = Annotated[
    str,
    typer.Option("--output", "-o", metavar="OUT", help="The file to write, or - for standard out."),
]


def predict(
    model: ModelFile,
    table: TableFile,
    output: TableOut,
    together: Together = None,
    apart: Apart = None,
    id_: IdColumn = None,
    format_: Format = None,
    as_json: AsJson = False,
) -> None:
    """Cluster the rows of a table, and write it with four columns more.

    These are cluster_id, confidence, linked_to and reason. Where no column names rows, they are
    named by their numbers, from 1 on.
    """
    from coterie.tables.io.reading import read_typed
    from coterie.tables.schema import refuse_ours

    begun = monotonic()
    told = ToldFiles(table, together, apart)
    if as_json and output == STREAM:
        raise InputError("standard output cannot be both the table and JSON; write to a file")
    known, place = load_model(model), _format_out(output, format_)
    refuse_overwriting(output, model, together, apart)
    check_target(output)
    typed = read_typed(table, format=format_)
    read = typed.table
    refuse_ours(read, known.schema.cluster)
    with bars():
        found = known.cluster(read, id_=id_, **told.read(known, read, id_))
        added = found.columns()
    _write(output, place, known, typed, added)
    summary = _summary(found.cluster_ids, monotonic() - begun)
    if as_json:
        print_json({"output": output, **summary})
    _tell(summary)
    told.tell()


def _write(
    output: str, place: str | None, model: "TableModel", typed: "Typed", added: dict[str, list[Any]]
) -> None:
    """Write the table with more columns; in the format it was read in, cells keep their types."""
    from coterie.tables import write_table
    from coterie.tables.io.frames import with_columns

    if place == typed.source.format and place in {"jsonl", "parquet"}:
        write_table(output, with_columns(model.kept(typed.as_written()), added), format=place)
    else:
        write_table(output, {**model.kept(typed.table).columns, **added}, format=place)


def _format_out(output: str, given: str | None) -> str | None:
    """Return the format to write in: that which is given only where the name tells none."""
    from coterie.tables.io.formats import named_format, require_format

    told = named_format(output, None) or named_format(output, given)
    return told if output == STREAM else require_format(output, told)


def _summary(cluster_ids: list[str], seconds: float) -> dict[str, Any]:
    sizes = Counter(cluster_ids)
    return {
        "rows": len(cluster_ids),
        "clusters": len(sizes),
        "largest": max(sizes.values()),
        "single": sum(size == 1 for size in sizes.values()),
        "seconds": round(seconds, 3),
    }


def _tell(told: dict[str, Any]) -> None:
    note(
        f"{named(told['rows'], 'row')} in {named(told['clusters'], 'cluster')}, the largest of "
        f"{told['largest']:,}, {told['single']:,} of one row; {told['seconds']:.1f} s"
    )
