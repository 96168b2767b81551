"""`coterie init`."""

from typing import Annotated

import typer

from coterie._core.files import STREAM
from coterie.cli.files import check_target, refuse_overwriting, write_text
from coterie.cli.options import Cluster, Format, IdColumn, SetColumn, TableFile

SchemaOut = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="The file to write; - is standard out."),
]


def init(
    table: TableFile,
    cluster: Cluster = None,
    set_: SetColumn = None,
    id_: IdColumn = None,
    output: SchemaOut = STREAM,
    format_: Format = None,
) -> None:
    """Write as TOML what the columns of a table seem to be, to edit for `coterie fit --schema`."""
    from coterie.tables import infer_schema, read_table, schema_text

    refuse_overwriting(output, table)
    check_target(output)
    read = read_table(table, format=format_)
    schema = infer_schema(read, cluster=cluster, set_=set_, id_=id_)
    write_text(output, schema_text(schema, read.name))
