"""`coterie init`."""

from typing import Annotated

import typer

from coterie._core.files import STREAM
from coterie.cli.files import check_target, refuse_overwriting, write_text
from coterie.cli.options import (
    ClusterToLearn,
    Format,
    IdColumn,
    Ignore,
    LongCells,
    SetColumn,
    TableFile,
)
from coterie.cli.shown import note

SchemaOut = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="The TOML file to write; - is standard output."
    ),
]

NoExamples = Annotated[
    bool,
    typer.Option("--no-examples", help="Do not show values of the table in the file."),
]


def init(
    table: TableFile,
    cluster: ClusterToLearn = None,
    set_: SetColumn = None,
    id_: IdColumn = None,
    ignore: Ignore = None,
    output: SchemaOut = STREAM,
    format_: Format = None,
    long_cells: LongCells = False,
    no_examples: NoExamples = False,
) -> None:
    """Infer the kinds of the columns, and write them and all settings of fit to a TOML file.

    Comments say why a column has its kind, and show some of its values. Correct any wrong kind in
    the file, and give it to `coterie fit --schema`.
    """
    from coterie.cli.ending import with_flags
    from coterie.tables import propose_schema, read_table, schema_text

    refuse_overwriting(output, table)
    check_target(output)
    rows = read_table(table, format=format_, long_cells=long_cells)
    ignored = tuple(ignore or ())
    proposal = propose_schema(
        rows, cluster=cluster, set=set_, id=id_, ignore=ignored, has_examples=not no_examples
    )
    reading = {"format": format_, "long_cells": long_cells, "ignore": ignored}
    write_text(output, schema_text(proposal.schema, rows.name, reading, proposal.notes))
    for sentence in proposal.warnings:
        note(with_flags(sentence))
    if output != STREAM:
        note(f"wrote the kinds of columns to {output}")
