"""The table of what was tried, in plain text."""

from collections.abc import Sequence
from typing import Any

HEADINGS = ("candidate", "mean", "error", "clusterer", "threshold", "rounds", "seconds", "")


def shown_table(table: Sequence[Any], choice: Any, reason: str, seconds: float) -> str:
    """Lay out the rows of a table in columns, the choice marked, and say why it was chosen."""
    rows = [HEADINGS, *(_cells(row, row is choice) for row in table)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if at in (0, 3, 7) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.append(f"Chosen in {seconds:.1f} s: {_named(choice)}; {reason}.")
    return "\n".join(lines)


def _cells(row: Any, is_choice: bool) -> tuple[str, ...]:
    status = "chosen" if is_choice and row.status == "tried" else row.status
    return (
        _named(row),
        _number(row.mean, ".4f"),
        _number(row.standard_error, ".4f"),
        "" if row.clusterer is None else type(row.clusterer).__name__,
        _number(row.threshold, ".3g"),
        _number(row.n_rounds, "d"),
        _number(row.seconds, ".1f") if row.mean is not None else "",
        "" if status == "tried" else status,
    )


def _named(row: Any) -> str:
    gamma = "" if row.gamma is None else f", γ = {row.gamma:g}"
    return f"{row.name}{' with context' if row.context else ''}{gamma}"


def _number(value: Any, how: str) -> str:
    return "" if value is None else format(value, how)
