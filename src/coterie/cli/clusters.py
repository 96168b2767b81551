"""`coterie clusters`."""

from typing import Annotated, Any

import typer

from coterie._core.texts import one_line, pluralize
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
from coterie.cli.options import Apart, AsJson, Format, IdColumn, ModelFile, TableFile, Together
from coterie.cli.shown import note, number, print_json, print_table

Top = Annotated[int, typer.Option(min=1, metavar="N", help="How many to list.")]

MOST_ROWS = 5
"""How many rows of a cluster are named."""


def clusters(
    model: ModelFile,
    table: TableFile,
    top: Top = 20,
    together: Together = None,
    apart: Apart = None,
    id_: IdColumn = None,
    format_: Format = None,
    as_json: AsJson = False,
) -> None:
    """List the clusters of a table that are most in doubt, the worst first.

    The worst is held together by the weakest link; disagreement is the share of its pairs that
    speak against it or were not looked at.
    """
    from coterie.tables import load, read_table

    pairs = pair_files(table, together, apart)
    table_model = load(model)
    read = read_table(table, format=format_)
    with bars():
        found = table_model.cluster(read, id=id_, **pairs)
    note_pairs(pairs)
    if as_json:
        print_json(found.to_dict(top))
        return
    headings = ("cluster_id", "size", "weakest link", "disagreement", "confidence", "rows")
    print_table(headings, map(_cells, found.to_dict(top)["clusters"]), " xxxx")
    n_clusters = pluralize(len(set(found.cluster_ids)), "cluster")
    note(f"{len(found.doubts()):,} of {n_clusters} have several rows")


def _cells(record: dict[str, Any]) -> tuple[str, ...]:
    names = [one_line(name, 24) for name in record["rows"][:MOST_ROWS]]
    more = ["…"] * (len(record["rows"]) > MOST_ROWS)
    return (
        one_line(record["cluster_id"], 24),
        f"{record['size']:,}",
        number(record["weakest_link"], 2, signed=True),
        number(record["disagreement"], 2),
        number(record["confidence"]),
        ", ".join(names + more),
    )
