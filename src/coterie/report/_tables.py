"""Tables and lists of facts as HTML."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coterie.report._html import text_html


class Cell(NamedTuple):
    """A cell of a table: its HTML, and its CSS classes (`n` aligns numbers)."""

    html: str
    classes: str = ""


def number_cell(html: str) -> Cell:
    """Return a cell that holds a number."""
    return Cell(html, "n")


def table_html(
    caption: str,
    headings: Sequence[Cell],
    rows: Iterable[Sequence[Cell]],
    selected: int | None = None,
) -> str:
    """Return a table in a box that scrolls if the table is wider than the page.

    The first column names the rows. The row with the index `selected` is highlighted.
    """
    head = "".join(
        f'<th scope="col"{_class_html(cell.classes)}>{cell.html}</th>' for cell in headings
    )
    body = "\n".join(
        f"<tr{_class_html('selected' if index == selected else '')}>{_row_html(row)}</tr>"
        for index, row in enumerate(rows)
    )
    name = text_html(caption)
    # `tabindex` makes the box scroll by keys, and `aria-label` names it for screen readers.
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{name}">'
        f"<table><caption><span>{name}</span></caption><thead><tr>{head}</tr></thead>"
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _row_html(cells: Sequence[Cell]) -> str:
    first, *others = cells
    return f'<th scope="row"{_class_html(first.classes)}>{first.html}</th>' + "".join(
        f"<td{_class_html(cell.classes)}>{cell.html}</td>" for cell in others
    )


def _class_html(classes: str) -> str:
    return f' class="{classes}"' if classes else ""


def facts_html(facts: Sequence[tuple[str, str]]) -> str:
    """Return a list of names and their texts, one fact per line."""
    lines = "".join(
        f"<dt>{text_html(name)}</dt><dd>{text_html(text, 400)}</dd>" for name, text in facts
    )
    return f"<dl>{lines}</dl>"
