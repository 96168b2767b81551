"""`coterie predict`."""

from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie.cli._bars import bars
from coterie.cli._files import (
    STREAM,
    check_target,
    load_model,
    refuse_many_streams,
    refuse_overwriting,
)
from coterie.cli._options import AsJson, Format, IdColumn, ModelFile, TableFile
from coterie.cli._shown import named, note, print_json
from coterie.exceptions import InputError

if TYPE_CHECKING:
    from coterie.tables import Table, TableModel

TableOut = Annotated[
    str,
    typer.Option("--output", "-o", metavar="OUT", help="The file to write, or - for standard out."),
]
Together = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Pairs of ids of rows that must be in one cluster."),
]
Apart = Annotated[
    str | None, typer.Option(metavar="FILE", help="Pairs of ids of rows that must not be.")
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
    from coterie.tables import read_table, write_table

    begun = monotonic()
    refuse_many_streams(table, together, apart)
    if as_json and output == STREAM:
        raise InputError("standard output cannot be both the table and JSON; write to a file")
    known, place = load_model(model), _format_out(output, format_)
    refuse_overwriting(output, model, together, apart)
    check_target(output)
    read = read_table(table, format=format_)
    joined, kept = (_links(path, known, read, id_) for path in (together, apart))
    with bars():
        found = known.cluster(read, id_=id_, together=joined, apart=kept)
        added = found.columns()
    write_table(output, {**known.kept(read).columns, **added}, format=place)
    told = _summary(found.cluster_ids, monotonic() - begun)
    if as_json:
        print_json({"output": output, **told})
    _tell(told)
    for path, links, how in ((together, joined, "together"), (apart, kept, "apart")):
        if path is not None:
            note(f"{len(links):,} pair{'s' * (len(links) != 1)} of {path} held {how}")


def _format_out(output: str, given: str | None) -> str | None:
    """Return the format to write in: that which is given only where the name tells none."""
    from coterie.tables._formats import named_format, require_format

    told = named_format(output, None) or named_format(output, given)
    return told if output == STREAM else require_format(output, told)


def _links(path: str | None, model: "TableModel", table: "Table", id_: str | None) -> Any:
    """Read pairs of ids of rows."""
    from coterie.tables._constraints import read_links
    from coterie.tables._groups import row_ids

    if path is None:
        return ()
    ids = row_ids(table, model.schema_of(table, id_).id)
    return [(ids[first], ids[second]) for first, second in read_links(path, ids)]


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
