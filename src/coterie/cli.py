"""The command line: `coterie`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import coterie
from coterie.exceptions import CoterieError

if TYPE_CHECKING:
    from rich.progress import TaskID

    from coterie._progress import Progress as Step
    from coterie.experiments.tables import Table

app = typer.Typer(
    name="coterie",
    help="Supervised clustering: learn from example partitions how to cluster new item sets.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"coterie {coterie.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


@app.command()
def demo(
    rows: Annotated[
        int, typer.Option(min=1, max=2000, help="How many records to make in each set.")
    ] = 400,
    seed: Annotated[int, typer.Option(help="The seed of the records.")] = 0,
) -> None:
    """Learn from messy person records which are of one person, and cluster new ones."""
    from rich.console import Console

    from coterie.demo import compare_learners

    Console().print(compare_learners(rows, seed))


@app.command()
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
        bool, typer.Option("--fresh", help="Forget all kept results of the paper first.")
    ] = False,
    names: Annotated[
        bool, typer.Option("--list", help="List the papers and their tables.")
    ] = False,
) -> None:
    """Make the tables of a paper, its figures beside ours; a run that was stopped goes on."""
    from coterie import experiments

    if names:
        return _list_papers()
    if paper is None:
        raise CoterieError(f"no paper is named; give {' or '.join(experiments.PAPERS)}")
    try:
        _show(experiments.reproduce(paper, only or (), out, data, jobs, fresh))
    except KeyboardInterrupt:
        typer.echo("coterie: stopped; run again to go on", err=True)
        raise typer.Exit(130) from None


def _list_papers() -> None:
    from coterie.experiments import PAPERS, summary, tables_of

    for name, paper in PAPERS.items():
        typer.echo(f"{name}: {paper.title}")
        for table, make in tables_of(name).items():
            typer.echo(f"  {table:8}  {summary(make)}")


def _show(tables: "Iterator[Table]") -> None:
    """Print tables as they are made, with bars that show how far the next one is."""
    from rich.console import Console

    # Where no terminal says how wide it is, nothing needs to be cut at 80.
    console = Console(width=None if sys.stdout.isatty() else 100)
    while True:
        with _bars():
            table = next(tables, None)
        if table is None:
            return
        console.print(table.to_rich())


@contextmanager
def _bars() -> Iterator[None]:
    """Show on standard error how far the work inside has come."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}"),
    )
    console = Console(stderr=True)
    with Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,  # it may go to a file
        disable=not console.is_terminal,
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def show(step: "Step") -> None:
            if step.task not in tasks:
                tasks[step.task] = bars.add_task(step.task, total=step.total, detail="")
            bars.update(tasks[step.task], completed=step.done, total=step.total, detail=step.detail)

        with coterie.progress(show):
            yield


def main() -> None:
    """Run the command line; an error that is the user's to mend is one line and exit code 2."""
    try:
        app()
    except CoterieError as error:
        typer.echo(f"coterie: {error}", err=True)
        sys.exit(2)
