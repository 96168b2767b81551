"""`coterie predict`."""

from time import monotonic
from typing import Annotated

import typer

from coterie._core.files import STREAM
from coterie._core.texts import pluralize
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
from coterie.cli.files import check_target, refuse_overwriting
from coterie.cli.options import Apart, AsJson, Format, IdColumn, ModelFile, TableFile, Together
from coterie.cli.shown import note, print_json
from coterie.exceptions import InputError

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
    from coterie.tables import load, output_format, read_typed, summary, write_table

    begun = monotonic()
    pairs = pair_files(table, together, apart)
    if as_json and output == STREAM:
        raise InputError("standard output cannot be both the table and JSON; write to a file")
    table_model, format_out = load(model), output_format(output, format_)
    refuse_overwriting(output, model, together, apart)
    check_target(output)
    typed = read_typed(table, format=format_, to=format_out)
    with bars():
        predicted = table_model.predict(typed, id=id_, **pairs)
    write_table(output, predicted, format=format_out)
    counts = summary(predicted)
    seconds = monotonic() - begun
    if as_json:
        print_json({"output": output, **counts, "seconds": round(seconds, 3)})
    note(
        f"{pluralize(counts['rows'], 'row')} in {pluralize(counts['clusters'], 'cluster')}, the "
        f"largest of {counts['largest']:,}, {counts['single']:,} of one row; {seconds:.1f} s"
    )
    note_pairs(pairs)
