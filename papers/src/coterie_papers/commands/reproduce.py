"""`coterie reproduce`."""

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
        str | None, typer.Argument(help="The paper, by the name that --list gives.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE", help="Make this table alone; give it again for more."),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where results are kept.")] = Path(
        "coterie-results"
    ),
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The folder of the corpora; else that of COTERIE_DATA. What is kept of "
            "others stays: give another --out, or --fresh.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="How many processes to use; else one a core.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Forget all kept results and tables of the paper first.")
    ] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Take minutes: less data, fewer folds and settings. It is kept apart, in the "
            "folder quick.",
        ),
    ] = False,
    names: Annotated[
        bool, typer.Option("--list", help="List the papers and their tables.")
    ] = False,
) -> None:
    """Make the tables of a paper, its figures beside ours; a run that was stopped goes on."""
    from coterie_papers import reproducing as experiments

    if names:
        _list_papers()
        return
    if paper is None:
        raise CoterieError(f"no paper is named; give {' or '.join(experiments.PAPERS)}")
    try:
        _show(experiments.reproduce(paper, only or (), out, data, jobs, fresh, quick), jobs)
    except KeyboardInterrupt:
        typer.echo("coterie: stopped; run the same command again to continue", err=True)
        raise typer.Exit(130) from None
    typer.echo(f"All of it: {experiments.folder_of(paper, out, quick) / 'index.html'}")


def _list_papers() -> None:
    from coterie_papers.reproducing import PAPERS, summary, tables_of, title_of

    for name in PAPERS:
        typer.echo(f"{name}: {title_of(name)}")
        tables = tables_of(name)
        width = max(map(len, tables))
        for table, make in tables.items():
            typer.echo(f"  {table:{width}}  {summary(make)}")


def _show(tables: "Iterator[Table]", jobs: int | None) -> None:
    """Print tables as they are made, with bars that show how far the next one is."""
    from joblib import cpu_count
    from rich.console import Console

    # Where no terminal says how wide it is, nothing needs to be cut at 80.
    console = Console(width=None if sys.stdout.isatty() else 100)
    while True:
        with bars(jobs or cpu_count()):
            table = next(tables, None)
        if table is None:
            return
        console.print(table.to_rich())
