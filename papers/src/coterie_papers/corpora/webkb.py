"""Web pages of universities, clustered by kind, such as course or student."""

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
        LINKS: "CSV: src, dst; the numbers of a page and of a page to which it links",
        **dict.fromkeys(
            PAGES.values(),
            "JSON lines: page, class, url, raw; the number of the page, its kind, its address, "
            "and the page as the server sent it, with the header",
        ),
    },
    "the 4 Universities data set of CMU's World Wide Knowledge Base, JoshPF/WebKBUniPagePredictor "
    "on GitHub",
)
DEPARTMENT, OTHER = "department", "other"

Links: TypeAlias = dict[int, list[int]]
"""The numbers of the pages to which a page links, by the number of the page."""

_HEADER = re.compile(r"\r?\n\r?\n")
# Small expressions that functions combine. An expression for a full link would search the rest of
# the page again for each tag that is not closed, in quadratic time.
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
    """A page without the header of the HTTP response."""

    number: int
    kind: str
    url: str
    body: str


def load_webkb(
    folder: PathLike | None = None, split: int | None = None, departments: bool = True
) -> Corpus:
    """Read 4,162 web pages of four universities, clustered by kind.

    This is WebKB as in Finley & Joachims 2008: four item sets (Cornell, Texas, Washington,
    Wisconsin) of 867, 827, 1,205 and 1,263 pages in six clusters: course, faculty, project, staff,
    student and other. Each university has one page of a department, which is put into the cluster
    other. This gives the paper's six clusters and its mean of 1,041 pages.

    The columns are `text` (the visible text), `anchors` (the texts of the links to the page from
    other pages of the item set), `links` (the ids of the pages of the item set to which the page
    links) and `url`; the ids are the numbers of the pages.

    Parameters
    ----------
    folder
        The folder that holds `webkb`; None takes that of the environment variable COTERIE_DATA, or
        else `coterie` in the user's cache folder.
    split
        The number of a university, 0 to 3, or None for all. The paper tests on one university and
        trains on the others.
    departments
        Whether the pages of departments are included.

    Examples
    --------
    >>> item_sets, partitions = load_webkb(split=0)  # doctest: +SKIP
    >>> item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (ItemSet(867 items, columns text, anchors, links, url), 6)
    """
    refuse_other_folds(split, len(UNIVERSITIES))
    corpus_folder = SOURCE.find(folder)
    links = _read_links(corpus_folder / LINKS)
    corpus = Corpus([], [])
    for university in UNIVERSITIES if split is None else [UNIVERSITIES[split]]:
        path = corpus_folder / PAGES[university]
        pages = [page for page in _read_pages(path) if departments or page.kind != DEPARTMENT]
        truth = Partition([OTHER if page.kind == DEPARTMENT else page.kind for page in pages])
        with reading(path):
            corpus.item_sets.append(_item_set(pages, links, truth.n_clusters))
        corpus.partitions.append(truth)
    return corpus


def _item_set(pages: list[Page], links: Links, n_clusters: int) -> ItemSet:
    ids = [page.number for page in pages]
    set_ids = set(ids)
    anchors = _anchors(pages, links)
    columns = {
        "text": [_visible_text(page.body) for page in pages],
        "anchors": [" ".join(anchors[number]) for number in ids],
        "links": [[to for to in links[number] if to in set_ids] for number in ids],
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
    # Pages from FTP servers have no header.
    body = raw if url.startswith("ftp") else _HEADER.split(raw, maxsplit=1)[-1]
    return Page(int(record["page"]), kind, url, body)


def _visible_text(body: str) -> str:
    return unescape(" ".join(_between_tags(body)))


def _between_tags(body: str) -> Iterator[str]:
    """Yield the texts outside tags, comments, scripts and style sheets, if these are closed."""
    start, end = 0, body.rfind(">") + 1
    closing = dict(_CLOSING)
    while tag := _TAG.search(body, start, end):
        yield body[start : tag.start()]
        start = _end_of_hidden(tag, closing) if tag.lastgroup else tag.end()
    yield body[start:]


def _end_of_hidden(tag: re.Match[str], closing: dict[str | None, re.Pattern[str]]) -> int:
    """Return the end of a comment, script or style sheet, or of its tag if it is not closed."""
    pattern = closing.get(tag.lastgroup)
    match = pattern and pattern.search(tag.string, tag.end())
    if match:
        return match.end()
    closing.pop(tag.lastgroup, None)  # later ones are not closed either
    return tag.string.index(">", tag.end()) + 1


def _anchors(pages: list[Page], links: Links) -> dict[int, list[str]]:
    """Return the texts of the links from other pages to each page."""
    numbers = {_normalised(page.url): page.number for page in pages}
    anchors: dict[int, list[str]] = defaultdict(list)
    for page in pages:
        targets = set(links[page.number])
        for address, text in _page_links(page):
            target = numbers.get(_normalised(address))
            if target in targets and target != page.number:
                anchors[target].append(_visible_text(text))
    return anchors


def _page_links(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the address and the text of each link of a page."""
    base_tag = next(_references(page.body, _BASE), None)
    base = _absolute(page.url, base_tag[0]) if base_tag else page.url
    for href, start in _references(page.body, _ANCHOR):
        end = _ANCHOR_END.search(page.body, start)
        yield _absolute(base, href), page.body[start : end.start() if end else None]


def _references(body: str, opening: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """Yield the attribute href, as it is written, and the end of each tag that has one."""
    start = 0
    while (tag := opening.search(body, start)) and (end := body.find(">", tag.end()) + 1):
        start = end
        if href := _HREF.search(body, tag.end(), end):
            # A quoted value may contain a >. It counts as quoted only if another > follows it.
            quoted = _QUOTED.match(body, href.start(1))
            tag_end = body.find(">", quoted.end()) + 1 if quoted else 0
            start = tag_end or end
            yield quoted[0] if quoted and tag_end else href[1], start


def _absolute(base: str, href: str) -> str:
    """Return the absolute address of an attribute href; an invalid address stays as it is."""
    address = _unquoted(href)
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _unquoted(attribute: str) -> str:
    return unescape(attribute.strip("\"'")).strip()


def _normalised(address: str) -> str:
    """Return an address in a normal form, so that different spellings of it are equal."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    path = re.sub("/+", "/", _INDEX.sub("/", parts.path)).rstrip("/")
    return f"{parts.netloc.lower().removesuffix(':80')}{path}?{parts.query}"
