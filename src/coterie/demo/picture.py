"""The picture of the demonstration: rows of a table, and the clusters to which they belong."""

from collections.abc import Iterator, Sequence
from html import escape

from coterie.tables import Table

COLUMNS = ("given_name", "surname", "birth_date", "city", "phone")
"""The columns that are drawn."""

SIZES = (3, 2, 3, 2)
"""The number of rows of each cluster that is drawn."""

COLOURS = ("#1f6feb", "#bf5b04", "#1a7f37", "#8250df")
"""The colour of each cluster that is drawn."""

WIDTH, MARGIN, ROW_HEIGHT, TOP = 1160, 24, 30, 72
"""Sizes in pixels; the first row is `TOP` below the upper edge."""

COLUMN_STARTS = (48, 142, 246, 344, 452)
CURVE_START, CURVE_END = 596, 704
"""Horizontal places of the columns, and of the curves from rows to clusters."""

LETTERS = 44
"""Number of letters in one line of a reason."""


def draw_picture(clustered: Table) -> str:
    """Return an SVG drawing of some rows of a clustered table, and of their clusters."""
    clusters = _choose_clusters(clustered)
    rows = sorted(row for cluster in clusters for row in cluster)
    parts = [*_draw_table(clustered, rows, clusters), *_draw_clusters(clustered, rows, clusters)]
    height = TOP + ROW_HEIGHT * (len(rows) + len(clusters)) + MARGIN
    style = (
        "text{font:14px system-ui,sans-serif;fill:#1f2328}"
        ".title{font-size:17px;font-weight:600}.small{font-size:12px;fill:#57606a}"
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" viewBox="0 0 {WIDTH} {height}">',
        "<title>Rows of a table, and the clusters to which they belong</title>",
        f"<style>{style}</style>",
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#f6f8fa"/>',
        *parts,
        "</svg>\n",
    ]
    return "\n".join(lines)


def _choose_clusters(clustered: Table) -> list[list[int]]:
    """Return the rows of one cluster per size: the one whose rows differ in the most columns."""
    rows_of: dict[str, list[int]] = {}
    for row, name in enumerate(clustered["cluster_id"]):
        rows_of.setdefault(name, []).append(row)
    columns = [clustered[name] for name in COLUMNS]

    def n_varied(rows: Sequence[int]) -> int:
        values = ([column[row] for row in rows] for column in columns)
        return sum(len(set(cells)) > 1 for cells in values if all(cells))

    chosen: list[list[int]] = []
    for size in SIZES:
        clusters = [rows for rows in rows_of.values() if len(rows) == size and rows not in chosen]
        chosen += [max(clusters, key=n_varied)] if clusters else []
    return chosen


def _draw_table(
    clustered: Table, rows: Sequence[int], clusters: Sequence[Sequence[int]]
) -> Iterator[str]:
    """Draw the rows in their order in the table, each in the colour of its cluster."""
    yield _text(MARGIN, 38, "Rows of a table, in any order", "title")
    top = TOP + ROW_HEIGHT * len(clusters) / 2
    for start, name in zip(COLUMN_STARTS, COLUMNS, strict=True):
        yield _text(start, top - ROW_HEIGHT + 5, name, "small")
    colours = {row: COLOURS[at] for at, cluster in enumerate(clusters) for row in cluster}
    for at, row in enumerate(rows):
        y = top + ROW_HEIGHT * at
        width = CURVE_START - MARGIN
        yield (
            f'<rect x="{MARGIN}" y="{y - 13}" width="{width}" height="26" rx="5" fill="#ffffff"/>'
            f'<rect x="{MARGIN}" y="{y - 13}" width="6" height="26" fill="{colours[row]}"/>'
        )
        for start, name in zip(COLUMN_STARTS, COLUMNS, strict=True):
            yield _text(start, y + 5, clustered[name][row])


def _draw_clusters(
    clustered: Table, rows: Sequence[int], clusters: Sequence[Sequence[int]]
) -> Iterator[str]:
    """Draw the rows again, grouped by cluster, with curves from the table to the clusters."""
    yield _text(CURVE_END, 38, "The same rows, grouped by Coterie", "title")
    y: float = TOP - ROW_HEIGHT / 2 + 8
    for colour, cluster in zip(COLOURS, clusters, strict=False):
        height = ROW_HEIGHT * (len(cluster) + 1) - 8
        yield (
            f'<rect x="{CURVE_END}" y="{y}" width="{WIDTH - MARGIN - CURVE_END}" '
            f'height="{height}" rx="6" fill="#ffffff" stroke="{colour}"/>'
        )
        for at, row in enumerate(cluster):
            place = y + ROW_HEIGHT * at + 15
            yield _curve(TOP + ROW_HEIGHT * (rows.index(row) + len(clusters) / 2), place, colour)
            name = f"{clustered['given_name'][row]} {clustered['surname'][row]}"
            yield _text(CURVE_END + 14, place + 5, name)
            yield _text(CURVE_END + 190, place + 5, clustered["birth_date"][row], "small")
            yield _text(CURVE_END + 280, place + 5, clustered["phone"][row], "small")
        reason = clustered["reason"][cluster[0]]
        confidence = float(clustered["confidence"][cluster[0]])
        yield _text(
            CURVE_END + 14,
            y + ROW_HEIGHT * len(cluster) + 10,
            f"{_percent(confidence)} sure: {_shortened(reason)}",
            "small",
        )
        y += ROW_HEIGHT * (len(cluster) + 1)


def _percent(confidence: float) -> str:
    """Return a confidence in percent; none is written as 100%, since none is certain."""
    return "over 99.9%" if confidence >= 0.9995 else f"{confidence:.1%}"


def _shortened(reason: str) -> str:
    """Return the start of a reason that fits into a line."""
    if len(reason) <= LETTERS:
        return reason
    return reason[:LETTERS].rpartition(",")[0].rstrip(";") + ", …"


def _curve(start: float, end: float, colour: str) -> str:
    middle = (CURVE_START + CURVE_END) / 2
    return (
        f'<path d="M{CURVE_START} {start}C{middle} {start} {middle} {end} {CURVE_END} {end}" '
        f'fill="none" stroke="{colour}" stroke-width="2"/>'
    )


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}"{style}>{escape(text)}</text>'
