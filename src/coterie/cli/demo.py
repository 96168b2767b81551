"""`coterie demo`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coterie.cli.bars import bars
from coterie.cli.shown import note, number, print_table

if TYPE_CHECKING:
    from coterie.demo import MethodQuality


def demo(
    folder: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="The folder for the tables, models and reports. [default: coterie-demo]",
            show_default=False,
        ),
    ] = Path("coterie-demo"),
    rows: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=100,
            max=20_000,
            help="The number of records to cluster, from 100 to 20000. [default: 4000]",
            show_default=False,
        ),
    ] = 4000,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="The seed of the random records. [default: 0]",
            show_default=False,
        ),
    ] = 0,
) -> None:
    """Learn from made-up records and images, and cluster new ones."""
    from coterie.demo import Demo

    with bars():
        results = Demo(folder, rows, seed, note).run()
    _print_results(results)
    note(f"wrote all files to the folder {folder}; open {folder / 'people.html'} in a browser")


def _print_results(results: "list[MethodQuality]") -> None:
    headings = ("table", "method", "prec.", "recall", "F1", "b_cubed\nF1", "clusters\nfound/true")
    rows = [
        (
            *result[:2],
            *(number(value) for value in result[2:6]),
            f"{result.clusters:,}/{result.true_clusters:,}",
        )
        for result in results
    ]
    typer.echo("Quality of the clusters of new rows (precision, recall and F1 of pairs of rows):")
    print_table(headings, rows, "  xxxxx")
