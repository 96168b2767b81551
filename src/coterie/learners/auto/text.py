"""The table of what was tried, in plain text."""

from collections.abc import Sequence
from typing import Any

HEADINGS = ("candidate", "mean", "± to best", "clusterer", "threshold", "rounds")
TEXTS = (0, 3)
"""The columns that are texts."""


def format_table(table: Sequence[Any], choice: Any, reason: str, seconds: float) -> str:
    """Lay out the rows of a table in columns, the choice marked, and say why it was chosen."""
    tried = [row for row in table if row.clusterer is not None]
    marks = [_mark(row, row is choice) for row in tried]
    rows = [
        (*HEADINGS, "seconds", ""),
        *(
            (*row_cells(row), "" if row.mean is None else f"{row.seconds:.1f}", mark)
            for row, mark in zip(tried, marks, strict=True)
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if at in (*TEXTS, 7) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines += untried_lines(table)
    lines.append(f"Chosen in {seconds:.1f} s: {_named(choice)}; {reason}.")
    return "\n".join(lines)


def row_cells(row: Any) -> tuple[str, ...]:
    """Return what is shown of a candidate that was tried, under `HEADINGS`."""
    return (
        _named(row),
        _number(row.mean, ".4f"),
        _number(row.standard_error or None, ".4f"),
        "" if row.clusterer is None else type(row.clusterer).__name__,
        _number(row.threshold, ".3g"),
        _number(row.n_rounds, "d"),
    )


def untried_lines(table: Sequence[Any]) -> list[str]:
    """Say which candidates were not tried, those for the same reason together."""
    why: dict[str, list[str]] = {}
    for row in table:
        if row.clusterer is None:
            why.setdefault(row.status.removeprefix("not tried: "), []).append(_named(row))
    return [f"Not tried, for {reason}: {', '.join(names)}." for reason, names in why.items()]


def _mark(row: Any, is_choice: bool) -> str:
    """Say what became of a candidate, where there is anything to say."""
    if row.status != "tried":
        return str(row.status)
    return "chosen" if is_choice else ""


def _named(row: Any) -> str:
    gamma = "" if row.gamma is None else f", γ = {row.gamma:g}"
    return f"{row.name}{' with context' if row.context else ''}{gamma}"


def _number(value: Any, how: str) -> str:
    return "" if value is None else format(value, how)
