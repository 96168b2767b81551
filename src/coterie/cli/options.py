"""Arguments and options that several commands share."""

from typing import Annotated

import typer

FORMATS = "CSV, TSV, JSON lines or Parquet"

TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help=f"The table: a {FORMATS} file (.csv, .tsv, .jsonl or .parquet; the first three may "
        "also end in .gz), or - for standard input.",
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
        help="The column that divides the table into sets, such as one per city; rows of different "
        "sets are never compared. [default: all rows are one set]",
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="The column of row ids, which are not compared. [default: the column called id, or a "
        "similar name such as rec_id; otherwise row numbers, counting from 1]",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column that is not compared; new tables need not have it. Give the option again "
        "for each further column.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="Read the table in this format: csv, tsv, jsonl or parquet. [default: by the end of "
        "its file name; for standard input, by its content]",
    ),
]

LongCells = Annotated[
    bool,
    typer.Option(
        "--long-cells",
        help="Read cells of more than 1,048,576 characters too. They are refused by default, "
        "because such a cell is usually a mistake.",
    ),
]

PAIR_FILE = f"a {FORMATS} file with two columns of row ids, with or without a header."

MustLink = Annotated[
    str | None,
    typer.Option(
        "--must-link",
        metavar="FILE",
        help=f"Pairs of rows that must be in the same cluster: {PAIR_FILE}",
    ),
]
Statistics = Annotated[
    str | None,
    typer.Option(
        "--statistics",
        metavar="FILE",
        help="Statistics of the table: how many rows have each word, and how many pairs each "
        "score. If FILE exists, they are read from it, so that a part of a table is grouped as in "
        "the whole table; otherwise those of TABLE are written to it.",
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

MaxBlock = Annotated[
    int | None,
    typer.Option(
        "--max-block",
        min=2,
        metavar="N",
        help="If more than N rows share a blocking key, each is compared with only a few of "
        "them; otherwise, all are compared with each other. "
        "[default: as chosen by `coterie fit`]",
    ),
]
_MAX_SIZE = typer.Option(
    "--max-size",
    metavar="N",
    help="The largest number of different rows in a cluster, or none for clusters of any "
    "size. [default: auto: if all true clusters of the training table are small, larger ones "
    "are made only where scores are high]",
    show_default=False,
)
MaxSize = Annotated[str, _MAX_SIZE]
MaxSizeToLearn = Annotated[str | None, _MAX_SIZE]

AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result as one JSON object on standard output.")
]
