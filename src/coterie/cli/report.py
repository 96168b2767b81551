"""`coterie report`."""

from typing import Annotated

import typer

from coterie._core.files import STREAM
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
from coterie.cli.files import check_target, refuse_overwriting, write_text
from coterie.cli.options import (
    CannotLink,
    Cluster,
    Format,
    IdColumn,
    LongCells,
    MaxBlock,
    MaxSize,
    ModelFile,
    MustLink,
    TableFile,
)
from coterie.cli.shown import note, note_training_table

PageOut = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="The HTML file to write, or - for standard output."
    ),
]


def report(
    model: ModelFile,
    table: TableFile,
    output: PageOut,
    cluster: Cluster = None,
    must_link: MustLink = None,
    cannot_link: CannotLink = None,
    max_block: MaxBlock = None,
    max_size: MaxSize = "auto",
    id_: IdColumn = None,
    format_: Format = None,
    long_cells: LongCells = False,
) -> None:
    """Cluster a table, and write a web page about the result.

    The page shows the sizes of the clusters, the most doubtful clusters and how much each column
    counts. If the table has a column of true clusters, the page shows the quality of the result
    too. It is a single file that can be read offline.
    """
    from coterie.tables import load, read_table

    pairs = pair_files(table, must_link, cannot_link)
    table_model = load(model).with_limits(max_block=max_block, max_size=max_size)
    refuse_overwriting(output, model, table, must_link, cannot_link)
    check_target(output)
    rows = read_table(table, format=format_, long_cells=long_cells)
    with bars():
        page = table_model.report(rows, cluster, id=id_, **pairs)
    if (cluster or table_model.schema.cluster) in rows.names:
        note_training_table(table_model, rows)
    note_pairs(pairs)
    write_text(output, page)
    if output != STREAM:
        note(f"wrote the report to {output}")
