"""What commands of tables can be told, each said once."""

from typing import Annotated

import typer

TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A file of CSV, TSV, JSON lines or Parquet, or - for standard input.",
        show_default=False,
    ),
]
ModelFile = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model that `coterie fit` has written.", show_default=False
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The column that says which rows belong together."),
]
SetColumn = Annotated[
    str | None,
    typer.Option(
        "--set",
        metavar="COLUMN",
        help="The column that says which rows are clustered with each other; else all are.",
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="The column that names rows; else one called id."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="csv, tsv, jsonl or parquet, where the name of a file does not tell it.",
    ),
]
Together = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Pairs of ids of rows that must be in one cluster."),
]
Apart = Annotated[
    str | None, typer.Option(metavar="FILE", help="Pairs of ids of rows that must not be.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
