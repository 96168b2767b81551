"""What commands print: values as people read them, tables, and JSON."""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import typer

WIDTH = 100
"""How wide tables are where no terminal says it."""


def number(value: float | None, places: int = 3, *, signed: bool = False) -> str:
    """Show a number, or a dash where there is none.

    >>> number(0.98765), number(None), number(1.5, 2, signed=True), number(float("-inf"))
    ('0.988', '–', '+1.50', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:{'+' if signed else ''}.{places}f}"


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: str = "") -> None:
    """Print a table; `right` has an x for each column of numbers, and a space for the others."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading, where in zip(headings, right.ljust(len(headings)), strict=True):
        table.add_column(heading, justify="right" if where == "x" else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout.isatty() else WIDTH
    console = Console(width=width, markup=False, emoji=False, highlight=False)
    with console.capture() as written:  # which itself would end the program at a closed pipe
        console.print(table)
    typer.echo(written.get(), nl=False)


def print_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object; numbers that JSON does not have are null."""
    typer.echo(json.dumps(_plain(record), indent=2, ensure_ascii=False, allow_nan=False))


def note(text: str) -> None:
    """Tell on standard error what is no result."""
    typer.echo(f"coterie: {text}", err=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(own) for name, own in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(own) for own in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
