"""`coterie demo`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coterie.cli.bars import bars
from coterie.cli.shown import note

if TYPE_CHECKING:
    from coterie.demo import Result


def demo(
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write all files.")
    ] = Path("coterie-demo"),
    rows: Annotated[
        int, typer.Option(min=100, max=20_000, help="How many records to cluster.")
    ] = 4000,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the records.")] = 0,
) -> None:
    """Learn from tables of messy person records and of digits, and cluster new ones."""
    from coterie.demo import Demo

    with bars():
        results = Demo(folder, rows, seed, note).run()
    _show(results)
    note(f"all files are in {folder}; look at people.html with a browser")


def _show(results: "list[Result]") -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(
        title="New rows, clustered by what was learned from labelled ones (F1 over pairs)",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for name in ("table", "method"):
        shown.add_column(name)
    for name in ("prec.", "recall", "F1", "B³ F1", "clusters"):
        shown.add_column(name, justify="right", no_wrap=True)
    for result in results:
        figures = (f"{value:.3f}" for value in result[2:6])
        clusters = f"{result.clusters:,} / {result.true_clusters:,}"
        shown.add_row(*result[:2], *figures, clusters)
    Console().print(shown)
