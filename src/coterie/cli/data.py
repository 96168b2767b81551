"""`coterie data`: which corpora are there, and whether they are whole."""

import typer

app = typer.Typer(help="Show which public corpora are there, and check them.", no_args_is_help=True)
