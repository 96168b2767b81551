"""Web pages of universities, to be clustered by what they are, of a course or a student."""

import re
from collections import defaultdict
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.parse import urljoin, urlsplit

from coterie.datasets.corpus import Corpus, refuse_other_folds
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie_papers.corpora.folder import (
    PathLike,
    Record,
    Source,
    as_text,
    map_json_lines,
    read_rows,
    reading,
)

UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
LINKS = "links.csv.gz"
PAGES = {university: f"raw_{university}.jsonl.gz" for university in UNIVERSITIES}
SOURCE = Source(
    "webkb",
    {
        LINKS: "CSV: src, dst; the numbers of a page and of one that it links to",
        **dict.fromkeys(
            PAGES.values(),
            "JSON lines: page, class, url, raw; the number of the page, what it is, its address, "
            "and the page as it was sent, with the header",
        ),
    },
    "the 4 Universities data set of CMU's World Wide Knowledge Base, JoshPF/WebKBUniPagePredictor "
    "on GitHub",
)
DEPARTMENT, OTHER = "department", "other"

Links: TypeAlias = dict[int, list[int]]
"""The pages that a page links to."""

_HEADER = re.compile(r"\r?\n\r?\n")
# Small expressions, put together by functions: one that took a whole link would go over the rest of
# a page again for each tag that is not closed.
_TAG = re.compile(
    r"<(?:(?P<comment>!--)|(?P<script>script\b)|(?P<style>style\b)|[^>]*+>)", re.IGNORECASE
)
_CLOSING: dict[str | None, re.Pattern[str]] = {
    "comment": re.compile("-->"),
    "script": re.compile(r"</script\s*+>", re.IGNORECASE),
    "style": re.compile(r"</style\s*+>", re.IGNORECASE),
}
_BASE = re.compile(r"<base\b", re.IGNORECASE)
_ANCHOR = re.compile(r"<a\b", re.IGNORECASE)
_ANCHOR_END = re.compile(r"</?a\b", re.IGNORECASE)
_HREF = re.compile(r"\bhref\s*+=\s*+([^\s>]+)", re.IGNORECASE)
_QUOTED = re.compile(r""""[^"]*+"|'[^']*+'""")
_INDEX = re.compile(r"/(index|home)\.html?$", re.IGNORECASE)


class Page(NamedTuple):
    """A page as it was fetched, without the header of the answer."""

    number: int
    kind: str
    url: str
    body: str


def load_webkb(
    folder: PathLike | None = None, split: int | None = None, departments: bool = True
) -> Corpus:
    """Read 4,162 web pages of four universities, clustered by what they are.

    WebKB as Finley & Joachims 2008 have it: four item sets (Cornell, Texas, Washington, Wisconsin)
    of 867, 827, 1,205 and 1,263 pages in six clusters: course, faculty, project, staff, student and
    other. The one page of each that is of a department counts among the others, which makes the
    paper's six clusters and its mean of 1,041 pages.

    The columns are `text` (what a reader sees), `anchors` (the words by which other pages of the
    item set link to the page), `links` (the ids of the pages of the item set to which it links) and
    `url`; the ids are the numbers of the pages.

    Parameters
    ----------
    folder
        The folder that holds `webkb`; None takes that of the environment variable COTERIE_DATA, or
        else `coterie` in the user's cache folder.
    split
        The number of a university, 0 to 3, or None for all. Leave out one, and train on the others.
    departments
        Whether the pages of departments are among the items.

    Examples
    --------
    >>> item_sets, partitions = load_webkb(split=0)  # doctest: +SKIP
    >>> item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (ItemSet(867 items, columns text, anchors, links, url), 6)
    """
    refuse_other_folds(split, len(UNIVERSITIES))
    place = SOURCE.find(folder)
    links = _read_links(place / LINKS)
    corpus = Corpus([], [])
    for university in UNIVERSITIES if split is None else [UNIVERSITIES[split]]:
        path = place / PAGES[university]
        pages = [page for page in _read_pages(path) if departments or page.kind != DEPARTMENT]
        truth = Partition([OTHER if page.kind == DEPARTMENT else page.kind for page in pages])
        with reading(path):
            corpus.item_sets.append(_item_set(pages, links, truth.n_clusters))
        corpus.partitions.append(truth)
    return corpus


def _item_set(pages: list[Page], links: Links, n_clusters: int) -> ItemSet:
    ids = [page.number for page in pages]
    known = set(ids)
    anchors = _anchors(pages, links)
    columns = {
        "text": [_visible(page.body) for page in pages],
        "anchors": [" ".join(anchors[number]) for number in ids],
        "links": [[to for to in links[number] if to in known] for number in ids],
        "url": [page.url for page in pages],
    }
    return ItemSet(columns, ids=ids, n_clusters=n_clusters)


def _read_links(path: Path) -> Links:
    links: Links = defaultdict(list)
    with reading(path):
        for source, target in read_rows(path, ("src", "dst")):
            links[int(source)].append(int(target))
    return links


def _read_pages(path: Path) -> list[Page]:
    return list(map_json_lines(path, _as_page))


def _as_page(record: Record) -> Page:
    kind, url, raw = (as_text(record, name) for name in ("class", "url", "raw"))
    # Files of FTP come without a header.
    body = raw if url.startswith("ftp") else _HEADER.split(raw, maxsplit=1)[-1]
    return Page(int(record["page"]), kind, url, body)


def _visible(body: str) -> str:
    return unescape(" ".join(_between_tags(body)))


def _between_tags(body: str) -> Iterator[str]:
    """Yield what is in no tag, comment, script or style sheet; what is not closed is none."""
    start, last = 0, body.rfind(">") + 1
    closing = dict(_CLOSING)
    while tag := _TAG.search(body, start, last):
        yield body[start : tag.start()]
        start = _hidden_until(tag, closing) if tag.lastgroup else tag.end()
    yield body[start:]


def _hidden_until(tag: re.Match[str], closing: dict[str | None, re.Pattern[str]]) -> int:
    """Return where a comment, a script or a style sheet ends, or its tag if nothing closes it."""
    pattern = closing.get(tag.lastgroup)
    closed = pattern and pattern.search(tag.string, tag.end())
    if closed:
        return closed.end()
    closing.pop(tag.lastgroup, None)  # nor does anything close those further on
    return tag.string.index(">", tag.end()) + 1


def _anchors(pages: list[Page], links: Links) -> dict[int, list[str]]:
    """Collect the texts of the links to each page from others."""
    numbers = {_place(page.url): page.number for page in pages}
    found: dict[int, list[str]] = defaultdict(list)
    for page in pages:
        targets = set(links[page.number])
        for address, text in _linked(page):
            target = numbers.get(_place(address))
            if target in targets and target != page.number:
                found[target].append(_visible(text))
    return found


def _linked(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the address and the text of each link of a page."""
    named = next(_references(page.body, _BASE), None)
    base = _joined(page.url, named[0]) if named else page.url
    for quoted, start in _references(page.body, _ANCHOR):
        end = _ANCHOR_END.search(page.body, start)
        yield _joined(base, quoted), page.body[start : end.start() if end else None]


def _references(body: str, opening: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """Yield the attribute href, as it is written, of each tag that has one, and the tag's end."""
    start = 0
    while (tag := opening.search(body, start)) and (end := body.find(">", tag.end()) + 1):
        start = end
        if named := _HREF.search(body, tag.end(), end):
            # A quotation may hold a >, but is none if no > is behind it.
            quoted = _QUOTED.match(body, named.start(1))
            behind = body.find(">", quoted.end()) + 1 if quoted else 0
            start = behind or end
            yield quoted[0] if quoted and behind else named[1], start


def _joined(base: str, quoted: str) -> str:
    """Return the address that an attribute names; one that is no address stays as it is."""
    address = _unquoted(quoted)
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _unquoted(attribute: str) -> str:
    return unescape(attribute.strip("\"'")).strip()


def _place(address: str) -> str:
    """Return an address in the one form that pages share, whatever way they write it."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    path = re.sub("/+", "/", _INDEX.sub("/", parts.path)).rstrip("/")
    return f"{parts.netloc.lower().removesuffix(':80')}{path}?{parts.query}"
