"""One page of HTML for a paper: its tables and charts, and how they were made."""

import re
from collections.abc import Sequence
from html import escape

from coterie.report.document import document
from coterie.toolkit import replacing, time_text
from coterie_papers.engine.provenance import machine
from coterie_papers.engine.storage import CLAIMS, QUICK_NOTE, PaperResults, StoredTable, TableGroup
from coterie_papers.engine.style import STYLE
from coterie_papers.engine.tables import NOTHING, Table

LEAD = f"Our figures; {NOTHING} stands where there is none, and the notes say why."
LEAD_BESIDE = (
    "Our figures, and in brackets those that the paper prints. "
    f"{NOTHING} stands where there is none; the notes say why."
)

NO_CHART = (
    "The chart is missing, because it was made without Matplotlib; get it by "
    "pip install 'coterie[charts]', and run again."
)


def write_page(results: PaperResults) -> None:
    """Write the page of a paper beside its tables, as index.html, whole or not at all."""
    with replacing(results.folder / "index.html") as stream:
        stream.write(page_text(results).encode())


def page_text(results: PaperResults) -> str:
    """Return the page of a paper, which needs nothing from elsewhere."""
    first = [made for made in results.groups if made.name == CLAIMS]
    rest = [made for made in results.groups if made.name != CLAIMS]
    body = [
        f"<h1>{escape(results.title)}</h1>",
        f'<p class="lead">{LEAD_BESIDE if _has_printed(results) else LEAD}</p>',
        *([f'<p class="quick">{QUICK_NOTE}</p>'] if results.quick else []),
        *(_section(part, results) for made in first for part in made.tables),
        _index(rest, results.missing),
        *(_section(part, results) for made in rest for part in made.tables),
        _making(results),
    ]
    return document(escape(results.title), body, STYLE)


def _has_printed(results: PaperResults) -> bool:
    """Tell whether some table has figures that a paper prints."""
    return any(part.table.corner for made in results.groups for part in made.tables)


def _index(tables: Sequence[TableGroup], missing: Sequence[str]) -> str:
    links = "".join(
        f'<li><a href="#{escape(part.file)}">{escape(part.table.title)}</a></li>'
        for made in tables
        for part in made.tables
    )
    told = f"<p>Not made yet: {escape(', '.join(missing))}.</p>" if missing else ""
    return f'<nav aria-label="Tables"><h2>Tables</h2><ul>{links}</ul>{told}</nav>'


def _section(part: StoredTable, results: PaperResults) -> str:
    table, name = part.table, escape(part.file)
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    return "\n".join(
        [
            f'<section id="{name}"><h2>{escape(table.title)}</h2>',
            _table(table, "claims" if part.file.startswith(CLAIMS) else ""),
            _chart(part, results) if part.has_chart else "",
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
    # It can be scrolled by keys too.
    return (
        f'<div class="wide {kind}" role="region" tabindex="0" aria-label="{escape(table.title)}">'
        f"<table><thead><tr><td>{escape(table.corner)}</td>{heads}</tr></thead>"
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _entry(texts: tuple[str, str, str]) -> str:
    ours, paper, note = (escape(text.strip()) for text in texts)
    printed = f' <span class="paper">{paper}</span>' if paper else ""
    below = f"<small>{note}</small>" if note else ""
    word = re.match(r"(yes|no)\b", ours)
    kind = f' class="{word[1]}"' if word else ""
    return f"<td{kind}>{ours}{printed}{below}</td>"


def _chart(part: StoredTable, results: PaperResults) -> str:
    path = results.folder / f"{part.file}.svg"
    if not path.exists():
        return f'<p class="missing">{escape(NO_CHART)}</p>'
    drawn = inlined(path.read_text(encoding="utf-8"), part.file)
    return f'<div class="wide chart" tabindex="0">{drawn}</div>'


def inlined(svg: str, prefix: str) -> str:
    """Return a drawing as it stands inside a page.

    Names get the prefix, because two drawings of a page must not share any; what only a file needs
    is left out: what made it, remarks, and the addresses that name its language.

    >>> inlined('<?xml?><svg xmlns="http://w" id="a"><use xlink:href="#b"/></svg>', "t")
    '<svg id="t-a"><use href="#t-b"/></svg>'
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg).replace("xlink:href", "href")
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)


def _making(results: PaperResults) -> str:
    origins = results.origins
    lines = {
        "Command": f"<code>{escape(results.command)}</code>",
        "Computed": escape(f"{len(origins.cells)} cells, {origins.dates}"),
        "Commit": escape(", ".join(origins.commits) or "not known"),
        "Machine": escape("; ".join(origins.machines or [machine()])),
        "Computing": escape(f"{origins.time}, {time_text(origins.seconds)} in all"),
    }
    told = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in lines.items())
    changed = any(commit.endswith("+") for commit in origins.commits)
    note = "<p>+: with changes that were not committed yet.</p>" if changed else ""
    return f'<section id="making"><h2>How this was made</h2><dl>{told}</dl>{note}</section>'
