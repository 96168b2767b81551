"""`coterie clusters`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie.cli.bars import bars
from coterie.cli.constraints import ToldFiles
from coterie.cli.files import load_model
from coterie.cli.options import Apart, AsJson, Format, IdColumn, ModelFile, TableFile, Together
from coterie.cli.shown import named, note, number, print_json, print_table, shown

if TYPE_CHECKING:
    from coterie.tables import Clustering

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
    from coterie.tables import read_table

    told = ToldFiles(table, together, apart)
    known = load_model(model)
    read = read_table(table, format=format_)
    with bars():
        found = known.cluster(read, id_=id_, **told.read(known, read, id_))
    told.tell()
    if as_json:
        print_json({"clusters": _records(found, top)})
        return
    several = len(found.doubts())
    _show(_records(found, top))
    note(f"{several:,} of {named(len(set(found.cluster_ids)), 'cluster')} have several rows")


def _records(found: "Clustering", top: int) -> list[dict[str, Any]]:
    return [
        {
            "cluster_id": doubt.cluster_id,
            "size": len(doubt.rows),
            "weakest_link": doubt.weakest,
            "disagreement": doubt.disagreement,
            "confidence": doubt.confidence,
            "rows": [found.ids[row] for row in doubt.rows],
        }
        for doubt in found.doubts()[:top]
    ]


def _show(records: list[dict[str, Any]]) -> None:
    headings = ("cluster_id", "size", "weakest link", "disagreement", "confidence", "rows")
    print_table(headings, map(_cells, records), " xxxx")


def _cells(record: dict[str, Any]) -> tuple[str, ...]:
    names = [shown(name, 24) for name in record["rows"][:MOST_ROWS]]
    more = ["…"] * (len(record["rows"]) > MOST_ROWS)
    return (
        shown(record["cluster_id"], 24),
        f"{record['size']:,}",
        number(record["weakest_link"], 2, signed=True),
        number(record["disagreement"], 2),
        number(record["confidence"]),
        ", ".join(names + more),
    )
