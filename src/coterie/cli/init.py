"""`coterie init`."""

from typing import Annotated

import typer

from coterie._core.files import STREAM
from coterie.cli.files import check_target, refuse_overwriting, write_text
from coterie.cli.options import ClusterToLearn, Format, IdColumn, LongCells, SetColumn, TableFile
from coterie.cli.shown import note

SchemaOut = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="The TOML file to write; - is standard output."
    ),
]


def init(
    table: TableFile,
    cluster: ClusterToLearn = None,
    set_: SetColumn = None,
    id_: IdColumn = None,
    output: SchemaOut = STREAM,
    format_: Format = None,
    long_cells: LongCells = False,
) -> None:
    """Infer the kinds of the columns, and write them to a TOML file.

    Correct any wrong kind in the file, and give it to `coterie fit --schema`.
    """
    from coterie.tables import infer_schema, read_table, schema_text

    refuse_overwriting(output, table)
    check_target(output)
    rows = read_table(table, format=format_, long_cells=long_cells)
    schema = infer_schema(rows, cluster=cluster, set=set_, id=id_)
    write_text(output, schema_text(schema, rows.name))
    if output != STREAM:
        note(f"wrote the kinds of columns to {output}")
