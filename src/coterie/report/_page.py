"""The report as one page of HTML that loads nothing and runs nothing."""

from coterie.report import _sections
from coterie.report._clusters import clusters
from coterie.report._html import written
from coterie.report._style import STYLE
from coterie.report._tables import facts
from coterie.report.data import ReportData
from coterie.report.document import document

__all__ = ["page"]


def page(data: ReportData) -> str:
    """Return the report: the same data always makes the same text.

    >>> from coterie.report import ReportData, Sizes, WorstClusters, page
    >>> data = ReportData("People & places", [], Sizes({1: 3}), WorstClusters([], []))
    >>> "<h1>People &amp; places</h1>" in page(data)
    True
    """
    sections = _named_sections(data)
    links = "".join(f'<li><a href="#{_anchor(name)}">{name}</a></li>' for name in sections)
    title = written(data.title)
    parts = [
        f"<header><h1>{title}</h1>",
        f"{facts(data.facts) if data.facts else ''}</header>",
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>',
        *(
            f'<section id="{_anchor(name)}"><h2>{name}</h2>\n{body}\n</section>'
            for name, body in sections.items()
        ),
    ]
    return document(title, parts, STYLE)


def _named_sections(data: ReportData) -> dict[str, str]:
    return {
        "Quality": _sections.metrics(data.quality),
        "Operating point": _sections.operating_point(data.quality),
        "Cluster sizes": _sections.sizes(data.sizes),
        "Fields": _sections.fields(data.fields),
        "Choice": _sections.choice(data.choice),
        "Blocking": _sections.blocking(data.blocking),
        "Worst clusters": clusters(data.worst),
    }


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")
