"""The report as one HTML page, and its style."""

from coterie.report import _sections
from coterie.report._clusters import cluster_section
from coterie.report._html import text_html
from coterie.report._tables import facts_html
from coterie.report.data import ReportData
from coterie.report.document import document, palette

LIGHT = """
  --differs: #a3261f; --mark: #ffe49c; --selected: #e8f1fb;
  --s0: #0b66a8; --s1: #b0530a; --s2: #0b7357; --s3: #8f4479;
"""
DARK = """
  --differs: #f2877f; --mark: #66500a; --selected: #1b2c3d;
  --s0: #62b6ea; --s1: #f0a35e; --s2: #4cc9a0; --s3: #e3a0cb;
"""
"""Colours for light and dark screens.

The colours of lines (s0 to s3) are distinct for all kinds of colour vision (after Okabe & Ito
2008). Text in each colour is readable on the background (WCAG AA).
"""

STYLE = (
    palette(LIGHT, DARK)
    + """\
main { max-width: 80rem; }
h3 { display: inline; font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { max-width: 48rem; margin: 0 0 .75rem; }
small { font-size: .85em; color: var(--dim); }
header { margin: 0 0 1.5rem; }
nav { margin: 0 0 2.25rem; padding: .5rem 0; border: solid var(--line); border-width: 1px 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0;
  list-style: none; }
.wide { width: fit-content; max-width: 100%; }
summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: separate; border-spacing: 0; }
caption { text-align: left; padding: .4rem .75rem; color: var(--dim); }
caption span { position: sticky; left: .75rem; display: inline-block;
  max-width: min(44rem, calc(100vw - 4rem)); }
th, td { padding: .35rem .75rem; text-align: left; }
tbody th { min-width: 6rem; max-width: 20rem; z-index: 1; }
thead th:first-child { position: sticky; left: 0; z-index: 1; box-shadow: 1px 0 0 var(--line); }
th small { display: block; }
.n { text-align: right; white-space: nowrap; }
thead th { max-width: 12rem; overflow-wrap: break-word; }
.v { min-width: 12rem; max-width: 24rem; overflow-wrap: anywhere; unicode-bidi: plaintext;
  contain: paint; }
.one, tbody .one { min-width: 0; white-space: nowrap; }
.long { min-width: 24rem; }
.differs { color: var(--differs); font-weight: 600; }
.missing { color: var(--dim); }
.drawing { width: 24rem; min-width: 8rem; vertical-align: middle; }
.ends span { float: right; font-weight: 400; color: var(--dim); }
.ends span:first-child { float: left; }
.selected > * { background: var(--selected); }
.tag { display: inline-block; margin-left: .25rem; padding: 0 .45rem; border-radius: 4px;
  font-size: .8rem; background: var(--s0); color: var(--ground); }
.more { margin: .35rem 0 0; font-size: .88rem; color: var(--dim); }
.wide + p, dl + p { margin-top: .6rem; }
p + dl { max-width: 60rem; }
mark { background: var(--mark); color: inherit; border-radius: 2px; }
.gap { display: inline-block; width: .45em; height: 1.05em; vertical-align: text-bottom;
  margin: 0 1px; }
.key { display: inline-block; width: .7rem; height: .7rem; margin-right: .35rem;
  border-radius: 2px; background: currentColor; }
details caption { position: absolute; clip-path: inset(50%); }
details table { font-size: .85rem; }
details th, details td { padding: .3rem .6rem; }
details { margin: 0 0 .75rem; }
summary { cursor: pointer; padding: .35rem 0; }
summary span { color: var(--dim); font-size: .9rem; font-variant-numeric: tabular-nums; }
figure { margin: 0; }
figcaption { margin-top: .4rem; font-size: .9rem; color: var(--dim);
  font-variant-numeric: tabular-nums; }
.pair { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
.curve { flex: 1 1 20rem; max-width: 34rem; height: auto; min-width: 0; }
.bars { display: block; width: 100%; overflow: visible; }
svg text { font-size: 13px; fill: var(--dim); font-variant-numeric: tabular-nums; }
svg .label { fill: var(--ink); text-anchor: middle; paint-order: stroke; stroke: var(--ground);
  stroke-width: 4px; stroke-linejoin: round; }
svg .middle { text-anchor: middle; }
svg .start { text-anchor: start; }
svg .end { text-anchor: end; }
svg .name { fill: currentColor; font-weight: 600; }
.line { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round;
  stroke-linecap: round; }
.line.s1 { stroke-dasharray: 7 4; }
.line.s3 { stroke-dasharray: 1 4.5; stroke-width: 2.8; }
.lead { stroke: currentColor; stroke-width: 1; stroke-dasharray: 1 3; fill: none; }
.dot { fill: currentColor; stroke: var(--ground); stroke-width: 1.5; }
.grid { stroke: var(--line); }
.chosen { stroke: var(--ink); stroke-dasharray: 3 3; }
.bar { fill: currentColor; }
.zero { stroke: var(--dim); }
.base { stroke: var(--line); }
.range { stroke: var(--s0); stroke-width: 4; stroke-linecap: round; opacity: .5; }
.s0 { color: var(--s0); }
.s1 { color: var(--s1); }
.s2 { color: var(--s2); }
.s3 { color: var(--s3); }
@media (max-width: 40rem) {
  h1 { font-size: 1.3rem; }
  th, td, details th, details td { padding: .3rem .4rem; }
  caption { padding: .4rem; }
  table, details table { font-size: .82rem; }
  tbody th { min-width: 4rem; max-width: 10rem; }
  .ends span { font-size: .75rem; }
  thead .n { white-space: normal; }
  .long { min-width: 18rem; }
  .drawing { width: 9rem; min-width: 5.5rem; }
}
@media print {
  html { font-size: 75%; }
  details table { font-size: .75rem; }
  details th, details td { padding: .2rem .35rem; }
  .v, .one, tbody .one, tbody th, .long { min-width: 0; white-space: normal; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  tbody th, thead th:first-child { position: static; }
  tr, figure { break-inside: avoid; }
  h2, summary { break-after: avoid; }
  details::details-content { content-visibility: visible; height: auto; }
  mark, .bar, .key, .tag { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
)


__all__ = ["page"]


def page(data: ReportData) -> str:
    """Return the HTML page of a report; equal data give equal pages.

    >>> from coterie.report import ReportData, Sizes, WorstClusters, page
    >>> data = ReportData("People & places", [], Sizes({1: 3}), WorstClusters([], []))
    >>> "<h1>People &amp; places</h1>" in page(data)
    True
    """
    sections = _named_sections(data)
    links = "".join(f'<li><a href="#{_anchor(name)}">{name}</a></li>' for name in sections)
    title = text_html(data.title)
    parts = [
        f"<header><h1>{title}</h1>",
        f"{facts_html(data.facts) if data.facts else ''}</header>",
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>',
        *(
            f'<section id="{_anchor(name)}"><h2>{name}</h2>\n{body}\n</section>'
            for name, body in sections.items()
        ),
    ]
    return document(title, parts, STYLE)


def _named_sections(data: ReportData) -> dict[str, str]:
    return {
        "Quality": _sections.quality_section(data.quality),
        "Other thresholds": _sections.threshold_section(data.quality),
        "Cluster sizes": _sections.size_section(data.sizes),
        "Weights of columns": _sections.field_section(data.fields),
        "Choice of the learner": _sections.choice_section(data.choice),
        "Candidate pairs": _sections.blocking_section(data.blocking),
        "Doubtful clusters": cluster_section(data.worst),
    }


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")
