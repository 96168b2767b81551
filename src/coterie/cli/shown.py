"""Output of commands: numbers, tables and JSON."""

import io
import json
import logging
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from coterie._core.texts import quote
from coterie.cli.ending import with_flags
from coterie.cli.lines import print_line

if TYPE_CHECKING:
    from coterie.tables import Table, TableModel
    from coterie.tables.clustering import Clustering
    from coterie.tables.divided import DividedClusters

WIDTH = 100
"""Width of tables in characters when the output is not a terminal."""


def number(value: float | None, places: int = 3, *, signed: bool = False) -> str:
    """Return a number as text, or a dash for a missing or infinite one.

    >>> number(0.98765), number(None), number(1.5, 2, signed=True), number(float("-inf"))
    ('0.988', '–', '+1.50', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:{'+' if signed else ''}.{places}f}"


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: str = "") -> None:
    """Print a table; `right` has an x for each right-aligned column and a space for the others."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading, mark in zip(headings, right.ljust(len(headings)), strict=True):
        table.add_column(heading, justify="right" if mark == "x" else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    is_terminal = sys.stdout.isatty()
    text = io.StringIO()  # Rich would end the program where standard output is a closed pipe
    console = Console(
        file=text,
        force_terminal=is_terminal or None,
        width=None if is_terminal else WIDTH,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(table)
    typer.echo(text.getvalue(), nl=False)


def print_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object; numbers that JSON does not have become null."""
    typer.echo(json.dumps(_json_value(record), indent=2, ensure_ascii=False, allow_nan=False))


def note(text: str) -> None:
    """Print a message about the work to standard error."""
    print_line(text)


def expected_record(clustering: "Clustering") -> dict[str, Any]:
    """Return the expected quality of a clustered table for JSON; null if it is unknown."""
    expected = clustering.expected
    return {"expected": None if expected is None else expected.to_dict()}


def note_expected(clustering: "Clustering") -> None:
    """Print in one line how right a clustered table is expected to be, if that is known."""
    precision, recall = clustering.expected or (None, None)
    parts = [
        f"{expected.value:.1%} {text} ({expected.low:.1%} to {expected.high:.1%})"
        for expected, text in (
            (precision, "of the pairs found are right"),
            (recall, "of the true pairs are found"),
        )
        if expected is not None
    ]
    if parts:
        note(f"expected of this table: {', and '.join(parts)}")


@contextmanager
def noting_logs() -> Iterator[None]:
    """Print what the library logs during the work inside as messages about the work."""
    logger, handler = logging.getLogger("coterie"), _Notes(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@contextmanager
def noting_leaks() -> Iterator[None]:
    """Print warnings of leaks during the work inside as messages about the work."""
    from coterie.exceptions import LeakWarning

    with warnings.catch_warnings():
        show = warnings.showwarning

        def show_or_note(
            message: Warning | str, category: type[Warning], *place: Any, **rest: Any
        ) -> None:
            if issubclass(category, LeakWarning):
                note(with_flags(str(message)))
            else:
                show(message, category, *place, **rest)

        warnings.simplefilter("always", LeakWarning)
        warnings.showwarning = show_or_note
        yield


class _Notes(logging.Handler):
    """A handler of log records that prints messages."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message."""
        note(with_flags(record.getMessage()))


def note_limit(model: "TableModel") -> None:
    """Print the limit on the sizes of clusters, if there is one."""
    if model.size_limit is not None:
        note(with_flags(model.size_limit))


def note_missing_ids(model: "TableModel", names: Sequence[str], id_: str | None) -> None:
    """Print that a table has no column of ids, if the training table had one."""
    column = model.schema.id
    if id_ is None and column is not None and column not in names:
        note(
            f"the table has no column {quote(column)}, from which the model took the ids of rows; "
            "rows are named by their numbers, counting from 1; to name another column, use --id"
        )


def note_training_table(model: "TableModel", table: "Table") -> None:
    """Print that quality is measured on the rows from which the model learned, if it is."""
    from coterie.tables.fingerprint import is_training_table

    if is_training_table(table, model.schema, model.facts):
        note(
            f"{table.name} seems to be the table from which the model learned, on which the "
            "quality looks better than it is; measure it on a table of other clusters"
        )


def note_divided(divided: "DividedClusters") -> None:
    """Print how many true clusters the sets divide, if any."""
    text = divided.note()
    if text is not None:
        note(text)


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _json_value(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(member) for member in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
