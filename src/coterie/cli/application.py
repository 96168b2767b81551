"""All commands as one program."""

from typing import Annotated

import typer

import coterie
from coterie.cli.clusters import clusters
from coterie.cli.demo import demo
from coterie.cli.ending import DEBUG, Commands
from coterie.cli.evaluate import evaluate
from coterie.cli.explain import explain
from coterie.cli.fit import fit
from coterie.cli.init import init
from coterie.cli.options import FORMER_NAMES
from coterie.cli.others import add_others
from coterie.cli.plan import plan
from coterie.cli.predict import predict
from coterie.cli.report import report
from coterie.cli.room import Command
from coterie.cli.warm import warm

app = typer.Typer(
    name="coterie",
    cls=Commands,
    help="Learn from a table which rows belong together, and group the rows of other tables.\n\n"
    "A cluster is a group of rows that belong together.",
    epilog="To try it: coterie demo. For help on a command: coterie COMMAND --help.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain text wraps at words to the width of the terminal, and prints [default: …] as it is.
    rich_markup_mode=None,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "token_normalize_func": lambda name: FORMER_NAMES.get(name, name),
    },
)


def _show_version(is_set: bool) -> None:
    if is_set:
        typer.echo(f"coterie {coterie.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            DEBUG,
            envvar="COTERIE_DEBUG",
            help="If the command fails, also show where in the program. The option may come after "
            "the command, too.",
        ),
    ] = False,
) -> None:
    """Take the options of the program, which come before the command."""


for command in (fit, predict, evaluate, explain, clusters, report, init, plan, demo, warm):
    app.command(cls=Command)(command)
add_others(app)
