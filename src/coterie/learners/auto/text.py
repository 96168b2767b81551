"""The table of compared candidates as plain text."""

from collections.abc import Sequence
from typing import Any

HEADINGS = ("learner", "mean", "std error", "clusterer", "threshold", "rounds")
"""Headings of `row_cells`; the standard error is that of the difference to the best candidate."""

LEFT_ALIGNED = (0, 3, 7)
"""The indices of the columns of text; the other columns hold numbers."""


def format_table(table: Sequence[Any], choice: Any, reason: str, seconds: float) -> str:
    """Return the compared candidates in aligned columns, then those not tried, then the choice."""
    compared = [row for row in table if row.clusterer is not None]
    rows = [
        (*HEADINGS, "seconds", ""),
        *(
            (
                *row_cells(row),
                "" if row.mean is None else f"{row.seconds:.1f}",
                _mark(row, row is choice),
            )
            for row in compared
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if column in LEFT_ALIGNED else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines += untried_lines(table)
    lines.append(f"Chosen in {seconds:.1f} s: {_full_name(choice)}; {reason}.")
    return "\n".join(lines)


def row_cells(row: Any) -> tuple[str, ...]:
    """Return the cells of a compared candidate, one per heading of `HEADINGS`."""
    return (
        _full_name(row),
        _format_number(row.mean, ".4f"),
        _format_number(row.standard_error or None, ".4f"),
        "" if row.clusterer is None else type(row.clusterer).__name__,
        _format_number(row.threshold, ".3g"),
        _format_number(row.n_rounds, "d"),
    )


def untried_lines(table: Sequence[Any]) -> list[str]:
    """Return one line per reason for which candidates were not tried, or not to the end."""
    names_by_status: dict[str, list[str]] = {}
    for row in table:
        if row.clusterer is None:
            names_by_status.setdefault(row.status, []).append(_full_name(row))
    lines = []
    for status, names in names_by_status.items():
        verdict, _, reason = status.partition(": ")
        lines.append(f"{verdict.capitalize()} ({reason}): {', '.join(names)}.")
    return lines


def _mark(row: Any, is_choice: bool) -> str:
    """Return the status of a row unless it is the usual one, or "chosen"."""
    if row.status != "tried":
        return str(row.status)
    return "chosen" if is_choice else ""


def _full_name(row: Any) -> str:
    gamma = "" if row.gamma is None else f", γ = {row.gamma:g}"
    return f"{row.name}{' with context' if row.context else ''}{gamma}"


def _format_number(value: Any, spec: str) -> str:
    return "" if value is None else format(value, spec)
