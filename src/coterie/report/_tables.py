"""Tables of the page, each in a box that scrolls where the table is wider."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coterie.report._html import written


class Cell(NamedTuple):
    """A cell: its HTML, and its classes; `n` aligns numbers."""

    html: str
    kind: str = ""


def number(html: str) -> Cell:
    """Return a cell that holds a number."""
    return Cell(html, "n")


def table(
    caption: str, heads: Sequence[Cell], rows: Iterable[Sequence[Cell]], chosen: int | None = None
) -> str:
    """Write a table whose first column names the rows; the chosen row, if any, stands out.

    The caption names the box too, for those who do not see it.
    """
    head = "".join(f'<th scope="col"{_kind(cell.kind)}>{cell.html}</th>' for cell in heads)
    body = "\n".join(
        f"<tr{_kind('picked' if at == chosen else '')}>{_row(row)}</tr>"
        for at, row in enumerate(rows)
    )
    name = written(caption)
    # It can be scrolled by keys too.
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{name}">'
        f"<table><caption><span>{name}</span></caption><thead><tr>{head}</tr></thead>"
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _row(cells: Sequence[Cell]) -> str:
    first, *rest = cells
    return f'<th scope="row"{_kind(first.kind)}>{first.html}</th>' + "".join(
        f"<td{_kind(cell.kind)}>{cell.html}</td>" for cell in rest
    )


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Write names and their texts, one below the other."""
    told = "".join(f"<dt>{written(name)}</dt><dd>{written(text, 400)}</dd>" for name, text in pairs)
    return f"<dl>{told}</dl>"
