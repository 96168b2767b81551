"""`coterie warm`."""

from pathlib import Path
from typing import Annotated

import typer

from coterie.cli.bars import bars


def warm(
    folder: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Also copy the compiled functions to this folder, to ship them in a package.",
        ),
    ] = None,
) -> None:
    """Compile all functions that the other commands need, so that they do not wait for it."""
    from coterie.demo import warm as compile_all

    with bars():
        warmed = compile_all(folder)
    typer.echo(warmed.sentence())
