"""`coterie report`."""

from typing import Annotated

import typer

from coterie._core.files import STREAM
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
from coterie.cli.files import check_target, refuse_overwriting, write_text
from coterie.cli.options import Apart, Cluster, Format, IdColumn, ModelFile, TableFile, Together
from coterie.cli.shown import note

PageOut = Annotated[
    str,
    typer.Option("--output", "-o", metavar="PAGE", help="The file of HTML to write; - is stdout."),
]


def report(
    model: ModelFile,
    table: TableFile,
    output: PageOut,
    cluster: Cluster = None,
    together: Together = None,
    apart: Apart = None,
    id_: IdColumn = None,
    format_: Format = None,
) -> None:
    """Cluster a table, and write one page that shows how well, and which clusters are in doubt.

    Quality is shown if a column of clusters is named, or the table has that of the model. The page
    needs nothing from elsewhere.
    """
    from coterie.report import page, report_of
    from coterie.tables import load, read_table

    pairs = pair_files(table, together, apart)
    table_model = load(model)
    refuse_overwriting(output, model, table, together, apart)
    check_target(output)
    read = read_table(table, format=format_)
    with bars():
        data = report_of(table_model, read, cluster=cluster, id=id_, **pairs)
    note_pairs(pairs)
    write_text(output, page(data))
    if output != STREAM:
        note(f"the report is in {output}")
