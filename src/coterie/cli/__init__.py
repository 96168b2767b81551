"""The command line: `coterie`, one module a command."""

import sys
from typing import Annotated

import typer

import coterie
from coterie.cli.data import app as data_app
from coterie.cli.demo import demo
from coterie.cli.reproduce import reproduce
from coterie.exceptions import CoterieError

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


app.command()(demo)
app.command()(reproduce)
app.add_typer(data_app, name="data")


def main() -> None:
    """Run the command line; an error that is the user's to mend is one line and exit code 2."""
    try:
        app()
    except CoterieError as error:
        typer.echo(f"coterie: {error}", err=True)
        sys.exit(2)
