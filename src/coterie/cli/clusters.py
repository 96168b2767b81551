"""`coterie clusters`."""

from typing import TYPE_CHECKING, Annotated

import typer

from coterie._core.texts import one_line, pluralize
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
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
    TableFile,
)
from coterie.cli.shown import note, note_missing_ids, number, print_json, print_table

if TYPE_CHECKING:
    from coterie.tables import ClusterSummary

Top = Annotated[int, typer.Option(min=1, metavar="N", help="The number of clusters to list.")]

MOST_ROWS = 5
"""Number of rows of a cluster that are named."""


def clusters(
    model: ModelFile,
    table: TableFile,
    top: Top = 20,
    must_link: MustLink = None,
    cannot_link: CannotLink = None,
    max_block: MaxBlock = None,
    max_size: MaxSize = "auto",
    id_: IdColumn = None,
    format_: Format = None,
    long_cells: LongCells = False,
    as_json: AsJson = False,
) -> None:
    """Cluster a table, and list its most doubtful clusters.

    The most doubtful clusters are held together by the weakest links. The column
    "disagreement" is the share of the pairs of a cluster that were not compared, or have a
    negative score, which is evidence against them.
    """
    from coterie.tables import load, read_table

    pairs = pair_files(table, must_link, cannot_link)
    table_model = load(model).with_limits(max_block=max_block, max_size=max_size)
    rows = read_table(table, format=format_, long_cells=long_cells)
    with bars():
        clustering = table_model.cluster(rows, id=id_, **pairs)
    note_missing_ids(table_model, rows.names, id_)
    note_pairs(pairs)
    if as_json:
        print_json(clustering.to_dict(top))
        return
    summaries = clustering.summaries()
    headings = ("cluster_id", "size", "weakest link", "disagreement", "confidence", "rows")
    print_table(headings, map(_cells, summaries[:top]), " xxxx")
    n_clusters = pluralize(len(set(clustering.cluster_ids)), "cluster")
    note(f"{len(summaries):,} of {n_clusters} have two or more rows")


def _cells(summary: "ClusterSummary") -> tuple[str, ...]:
    names = [one_line(name, 24) for name in summary.rows[:MOST_ROWS]]
    more = ["…"] * (len(summary.rows) > MOST_ROWS)
    return (
        one_line(summary.cluster_id, 24),
        f"{summary.size:,}",
        number(summary.weakest_link, 2, signed=True),
        number(summary.disagreement, 2),
        number(summary.confidence),
        ", ".join(names + more),
    )
