"""`coterie predict`."""

from collections.abc import Mapping
from time import monotonic
from typing import Annotated

import typer

from coterie._core.files import STREAM
from coterie._core.texts import pluralize
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
from coterie.cli.files import check_target, refuse_overwriting
from coterie.cli.options import (
    AsJson,
    CannotLink,
    Format,
    IdColumn,
    LongCells,
    MaxBlock,
    MaxSize,
    ModelFile,
    MustLink,
    Statistics,
    TableFile,
)
from coterie.cli.shown import (
    expected_record,
    note,
    note_expected,
    note_limit,
    note_missing_ids,
    print_json,
)
from coterie.cli.statistics import read_statistics, refuse_sets, save_statistics
from coterie.exceptions import InputError

TableOut = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The file to write; its name ends in .csv, .tsv, .jsonl or .parquet, the first three "
        "also with .gz. - is standard output.",
    ),
]
Keep = Annotated[
    bool,
    typer.Option(
        "--keep",
        help="If TABLE has columns of an earlier prediction, keep them, renamed to "
        "cluster_id_input, confidence_input and so on. [default: replace them]",
    ),
]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="Put an apostrophe in front of cells and column names that a spreadsheet could run as "
        "formulas: those that start with =, +, -, @, a tab or the end of a line, except numbers. "
        "For CSV and TSV only. It changes these cells, also ids.",
    ),
]


def predict(
    model: ModelFile,
    table: TableFile,
    output: TableOut,
    must_link: MustLink = None,
    cannot_link: CannotLink = None,
    statistics: Statistics = None,
    keep: Keep = False,
    escape_formulas: EscapeFormulas = False,
    max_block: MaxBlock = None,
    max_size: MaxSize = "auto",
    id_: IdColumn = None,
    format_: Format = None,
    long_cells: LongCells = False,
    as_json: AsJson = False,
) -> None:
    """Cluster a table, and write it with four more columns.

    The columns:

    cluster_id: the same for all rows of a cluster.

    confidence: the probability that all rows of the cluster belong together; for a row that is
    alone, the probability that no other row belongs with it.

    linked_to: the id of the most similar row in the same cluster; empty for a row that is alone.

    reason: why these two rows are linked; for a row that is alone, why it is not linked.
    """
    from coterie.tables import is_predicted, load, output_format, read_typed, summary, write_table
    from coterie.tables.io.writing import refuse_escaping

    start = monotonic()
    pairs = pair_files(table, must_link, cannot_link)
    if as_json and output == STREAM:
        raise InputError(
            "standard output cannot hold both the table and JSON; write the table to a file"
        )
    refuse_overwriting(output, model, must_link, cannot_link, statistics)
    check_target(output)
    table_statistics = read_statistics(statistics, output)
    format_out = output_format(output, format_)
    refuse_escaping(format_out, is_escaping=escape_formulas)
    table_model = load(model).with_limits(max_block=max_block, max_size=max_size)
    typed = read_typed(table, format=format_, to=format_out, long_cells=long_cells)
    refuse_sets(statistics, typed.table, table_model.schema)
    with bars():
        predicted, clustering = table_model.predict_clustering(
            typed, id=id_, keep=keep, statistics=table_statistics, **pairs
        )
    write_table(output, predicted, format=format_out, escape_formulas=escape_formulas)
    counts = summary(predicted)
    seconds = monotonic() - start
    if as_json:
        record = {"output": output, **counts, **expected_record(clustering)}
        print_json({**record, "seconds": round(seconds, 3)})
    if not keep and is_predicted(typed.table.names):
        note(
            "the table had the columns of an earlier prediction, which this one replaced; to keep "
            "them under other names, use --keep"
        )
    _note_counts(counts, seconds)
    note_expected(clustering)
    note_missing_ids(table_model, typed.table.names, id_)
    note_pairs(pairs)
    note_limit(table_model)
    save_statistics(statistics, table_statistics, clustering)
    if output != STREAM:
        note(f"wrote the table to {output}")


def _note_counts(counts: Mapping[str, int], seconds: float) -> None:
    """Report the numbers of rows and clusters, and the time."""
    note(
        f"{pluralize(counts['rows'], 'row')} in {pluralize(counts['clusters'], 'cluster')}; the "
        f"largest has {pluralize(counts['largest'], 'row')}; "
        f"{pluralize(counts['single'], 'cluster')} of one row; {seconds:.1f} s"
    )
