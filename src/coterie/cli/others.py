"""Commands of other distributions, found by the entry-point group `coterie.commands`."""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated

import typer

from coterie.cli.lines import print_line
from coterie.exceptions import CoterieError

GROUP = "coterie.commands"

INSTALLED_BY = {"reproduce": "coterie-papers", "data": "coterie-papers"}
"""Commands of distributions that may be missing, and which distribution has them."""


def add_others(app: typer.Typer) -> None:
    """Add the installed commands; those of missing distributions say how to install them."""
    installed = {point.name: point for point in entry_points(group=GROUP)}
    for name in sorted(installed):
        _add(app, installed[name])
    for name in INSTALLED_BY.keys() - installed.keys():
        hidden = {"allow_extra_args": True, "ignore_unknown_options": True}
        app.command(name, hidden=True, add_help_option=False, context_settings=hidden)(
            _explain(name)
        )


def _add(app: typer.Typer, point: EntryPoint) -> None:
    """Add a function as a command, or a `typer.Typer` as a group of them."""
    try:
        command = point.load()
    except Exception as error:  # noqa: BLE001 - code of others may raise anything
        print_line(
            f"the command {point.name} of {point.value} cannot be loaded "
            f"({type(error).__name__}: {error}); install its distribution again"
        )
        return
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=point.name)
    else:
        app.command(point.name)(command)


def _explain(name: str) -> Callable[..., None]:
    distribution = INSTALLED_BY[name]

    def explain(words: Annotated[list[str] | None, typer.Argument()] = None) -> None:  # noqa: ARG001
        raise CoterieError(
            f"`coterie {name}` needs {distribution}, which is not installed; install it with: "
            f"pip install {distribution}"
        )

    return explain
