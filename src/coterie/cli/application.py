"""All commands as one program."""

from typing import Annotated

import typer

import coterie
from coterie.cli.clusters import clusters
from coterie.cli.demo import demo
from coterie.cli.ending import Commands, ending
from coterie.cli.evaluate import evaluate
from coterie.cli.explain import explain
from coterie.cli.fit import fit
from coterie.cli.init import init
from coterie.cli.others import add_others
from coterie.cli.plan import plan
from coterie.cli.predict import predict
from coterie.cli.report import report

app = typer.Typer(
    name="coterie",
    cls=Commands,
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


for command in (fit, predict, evaluate, explain, clusters, report, init, plan, demo):
    app.command()(command)
add_others(app)


def main() -> None:
    """Run the command line; an error that is the user's to mend is one line and exit code 2."""
    with ending():
        app()
