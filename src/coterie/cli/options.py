"""Arguments and options that several commands share."""

from typing import Annotated

import typer

FORMATS = "CSV, TSV, JSON lines or Parquet"

TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help=f"The table: a file of {FORMATS} (.csv, .tsv, .jsonl or .parquet; the first three "
        "also with .gz), or - for standard input.",
        show_default=False,
    ),
]
ModelFile = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="The model: a file that `coterie fit` wrote.", show_default=False
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column of true clusters: rows with the same value in it belong together. "
        "[default: the column that the model learned from, if the table has it]",
    ),
]
ClusterToLearn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column of true clusters: rows with the same value in it belong together.",
    ),
]
SetColumn = Annotated[
    str | None,
    typer.Option(
        "--set",
        metavar="COLUMN",
        help="The column that divides the table into sets, such as cities; rows of different sets "
        "are never compared. [default: all rows are one set]",
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="The column of row ids. [default: the column called id, if there is one; otherwise "
        "row numbers, from 1 on]",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="The format of tables whose names do not show it: csv, tsv, jsonl or parquet.",
    ),
]

PAIR_FILE = f"a file of {FORMATS} with two columns of row ids, one pair per row."

MustLink = Annotated[
    str | None,
    typer.Option(
        "--must-link",
        metavar="FILE",
        help=f"Pairs of rows that must be in the same cluster: {PAIR_FILE}",
    ),
]
CannotLink = Annotated[
    str | None,
    typer.Option(
        "--cannot-link",
        metavar="FILE",
        help=f"Pairs of rows that must not be in the same cluster: {PAIR_FILE}",
    ),
]
FORMER_NAMES = {"together": "must-link", "apart": "cannot-link"}
"""Former names of options, which still work."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
