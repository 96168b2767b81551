"""The command `coterie reproduce`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coterie.cli.bars import bars
from coterie.exceptions import CoterieError

if TYPE_CHECKING:
    from coterie_papers.engine.tables import Table


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="The name of the paper, as --list shows it.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE", help="Compute only this table; repeat the option for more."),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder for results.")] = Path(
        "coterie-results"
    ),
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The folder of the public data sets. Stored results are used again even if "
            "the data have changed; if they have, use --fresh or another --out. [default: the "
            "environment variable COTERIE_DATA]",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="The number of processes. [default: one per core]"),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Delete all stored results and tables of the paper first."),
    ] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Finish in minutes: use less data and fewer settings. These results are stored "
            "apart from the others, in the folder quick.",
        ),
    ] = False,
    list_papers: Annotated[
        bool, typer.Option("--list", help="List the papers and their tables.")
    ] = False,
) -> None:
    """For researchers: recompute the tables of a paper.

    The tables show the figures of the paper beside those of Coterie. If a run is stopped, the next
    one continues it.
    """
    from coterie_papers import reproducing

    if list_papers:
        _list_papers()
        return
    if paper is None:
        raise CoterieError(
            f"the name of the paper is missing; give {' or '.join(reproducing.PAPERS)}"
        )
    try:
        _show(reproducing.reproduce(paper, only or (), out, data, jobs, fresh, quick), jobs)
    except KeyboardInterrupt:
        typer.echo("coterie: stopped; run the same command again to continue", err=True)
        raise typer.Exit(130) from None
    typer.echo(f"All tables: {reproducing.folder_of(paper, out, quick) / 'index.html'}")


def _list_papers() -> None:
    from coterie_papers.reproducing import PAPERS, summary, tables_of, title_of

    for name in PAPERS:
        typer.echo(f"{name}: {title_of(name)}")
        tables = tables_of(name)
        width = max(map(len, tables))
        for table, make in tables.items():
            typer.echo(f"  {table:{width}}  {summary(make)}")


def _show(tables: "Iterator[Table]", jobs: int | None) -> None:
    """Print tables as they are made, with progress bars for the next one."""
    from joblib import cpu_count
    from rich.console import Console

    # Without a terminal, Rich would cut lines at 80 columns.
    console = Console(width=None if sys.stdout.isatty() else 100)
    while True:
        with bars(jobs or cpu_count()):
            table = next(tables, None)
        if table is None:
            return
        console.print(table.to_rich())
