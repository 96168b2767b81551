"""The HTML page of a paper: its tables and charts, and the facts of their computation."""

import re
from collections.abc import Sequence
from html import escape

from coterie.report.document import document
from coterie.toolkit import replacing, time_text
from coterie_papers.engine.provenance import UNCOMMITTED, machine
from coterie_papers.engine.storage import CLAIMS, QUICK_NOTE, PaperResults, StoredTable, TableGroup
from coterie_papers.engine.style import STYLE
from coterie_papers.engine.tables import NOTHING, Table

LEAD = f"Our figures. A dash ({NOTHING}) means that there is no figure; the notes say why."
LEAD_WITH_PAPER = (
    "Our figures, and in brackets those that the paper prints. "
    f"A dash ({NOTHING}) means that there is no figure; the notes say why."
)

NO_CHART = (
    "The chart is missing, because Matplotlib was not installed; install it with "
    "pip install 'coterie[charts]', and run again."
)


def write_page(results: PaperResults) -> None:
    """Write the page of a paper as index.html beside its tables, completely or not at all."""
    with replacing(results.folder / "index.html") as stream:
        stream.write(page_text(results).encode())


def page_text(results: PaperResults) -> str:
    """Return the HTML page of a paper; it needs no other files."""
    claims = [group for group in results.groups if group.name == CLAIMS]
    others = [group for group in results.groups if group.name != CLAIMS]
    body = [
        f"<h1>{escape(results.title)}</h1>",
        f'<p class="lead">{LEAD_WITH_PAPER if _has_published(results) else LEAD}</p>',
        *([f'<p class="quick">{QUICK_NOTE}</p>'] if results.quick else []),
        *(_section(stored, results) for group in claims for stored in group.tables),
        _index(others, results.missing),
        *(_section(stored, results) for group in others for stored in group.tables),
        _computation(results),
    ]
    return document(escape(results.title), body, STYLE)


def _has_published(results: PaperResults) -> bool:
    """Return whether a table has figures that the paper prints."""
    return any(stored.table.corner for group in results.groups for stored in group.tables)


def _index(groups: Sequence[TableGroup], missing: Sequence[str]) -> str:
    links = "".join(
        f'<li><a href="#{escape(stored.file)}">{escape(stored.table.title)}</a></li>'
        for group in groups
        for stored in group.tables
    )
    note = f"<p>Not made yet: {escape(', '.join(missing))}.</p>" if missing else ""
    return f'<nav aria-label="Tables"><h2>Tables</h2><ul>{links}</ul>{note}</nav>'


def _section(stored: StoredTable, results: PaperResults) -> str:
    table, name = stored.table, escape(stored.file)
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    return "\n".join(
        [
            f'<section id="{name}"><h2>{escape(table.title)}</h2>',
            _table(table, "claims" if stored.file.startswith(CLAIMS) else ""),
            _chart(stored, results) if stored.has_chart else "",
            f'<div class="notes"><p><b>Data:</b> {escape(table.data)}</p>{notes}</div>',
            "</section>",
        ]
    )


def _table(table: Table, kind: str) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(map(_entry, row))}</tr>'
        for name, row in zip(table.rows, table.texts(), strict=True)
    )
    # The tabindex lets users scroll a wide table with the keyboard.
    return (
        f'<div class="wide {kind}" role="region" tabindex="0" aria-label="{escape(table.title)}">'
        f"<table><thead><tr><td>{escape(table.corner)}</td>{heads}</tr></thead>"
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _entry(texts: tuple[str, str, str]) -> str:
    value, paper, note = (escape(text.strip()) for text in texts)
    paper_span = f' <span class="paper">{paper}</span>' if paper else ""
    small_note = f"<small>{note}</small>" if note else ""
    verdict = re.match(r"(yes|no)\b", value)
    css_class = f' class="{verdict[1]}"' if verdict else ""
    return f"<td{css_class}>{value}{paper_span}{small_note}</td>"


def _chart(stored: StoredTable, results: PaperResults) -> str:
    path = results.folder / f"{stored.file}.svg"
    if not path.exists():
        return f'<p class="missing">{escape(NO_CHART)}</p>'
    drawing = inlined(path.read_text(encoding="utf-8"), stored.file)
    return f'<div class="wide chart" tabindex="0">{drawing}</div>'


def inlined(svg: str, prefix: str) -> str:
    """Turn an SVG file into an element of an HTML page.

    Ids get the prefix, because two drawings in a page must not share an id. The parts that only a
    separate file needs are removed: metadata, comments and XML namespaces.

    >>> inlined('<?xml?><svg xmlns="http://w" id="a"><use xlink:href="#b"/></svg>', "t")
    '<svg id="t-a"><use href="#t-b"/></svg>'
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg).replace("xlink:href", "href")
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)


def _computation(results: PaperResults) -> str:
    origins = results.origins
    facts = {
        "Command": f"<code>{escape(results.command)}</code>",
        "Computed": escape(f"{len(origins.cells)} cells, {origins.dates}"),
        "Commit": escape(", ".join(origins.commits) or "unknown"),
        "Machine": escape("; ".join(origins.machines or [machine()])),
        "Computing time": escape(f"{origins.time}, {time_text(origins.seconds)} in total"),
    }
    rows = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts.items())
    changed = any(commit.endswith("+") for commit in origins.commits)
    note = f"<p>{UNCOMMITTED}</p>" if changed else ""
    return (
        f'<section id="computation"><h2>How this was computed</h2><dl>{rows}</dl>{note}</section>'
    )
