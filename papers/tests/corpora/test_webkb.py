"""The reader of web pages, on the real corpus and on a tiny one."""

import csv
import gzip
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.exceptions import InputError
from coterie_papers.corpora import load_webkb
from coterie_papers.corpora.webkb import UNIVERSITIES, Page, _page_links, _visible_text

HEADER = "MIME-Version: 1.0\nContent-Type: text/html\n\n"
PAGES = [
    ("course", "http://www.cs.x.edu/c/index.html", '<a href="../a.html">Our <b>staff</b></a>'),
    ("department", "http://www.cs.x.edu/", "<title>Top</title><a href=c/>Cours&eacute;s<a href=q>"),
    ("staff", "http://www.cs.x.edu/a.html", "<!-- not <b>seen</b> --><script>x</script>A &lt; B"),
    ("other", "http://www.cs.x.edu/b.html", "<base href='http://www.cs.x.edu/c/'><a href=.>c</a>"),
]


@pytest.fixture
def tiny(tmp_path):
    folder = tmp_path / "webkb"
    folder.mkdir()
    for first, university in enumerate(UNIVERSITIES):
        with gzip.open(folder / f"raw_{university}.jsonl.gz", "wt", encoding="utf-8") as file:
            for number, (kind, url, body) in enumerate(PAGES):
                page = {"page": 4 * first + number, "class": kind, "url": url, "raw": HEADER + body}
                file.write(json.dumps(page) + "\n")
    with gzip.open(folder / "links.csv.gz", "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["src", "dst", "count"])
        writer.writerows([[0, 2, 1], [1, 0, 1], [3, 0, 2], [0, 0, 1]])
    return tmp_path


def test_the_columns_of_a_page(tiny):
    (first, *_), (truth, *_) = load_webkb(tiny)
    assert first.ids == (0, 1, 2, 3)
    assert truth.labels.tolist() == [0, 1, 2, 1]  # the department's page is one of the others
    assert first.n_clusters == 3
    assert [text.split() for text in first.items["text"]] == [
        ["Our", "staff"],
        ["Top", "Coursés"],
        ["A", "<", "B"],
        ["c"],
    ]
    anchors = [" ".join(text.split()) for text in first.items["anchors"]]
    assert anchors == ["Coursés c", "", "Our staff", ""]
    assert list(map(list, first.items["links"])) == [[2, 0], [0], [], [0]]


def test_departments_can_be_left_out(tiny):
    (first,), (truth,) = load_webkb(tiny, split=0, departments=False)
    assert first.ids == (0, 2, 3)
    assert truth.labels.tolist() == [0, 1, 2]
    assert first.items["anchors"][0].strip() == "c"


def test_splits_are_universities(tiny):
    assert [load_webkb(tiny, split=number).item_sets[0].ids[0] for number in range(4)] == [
        0, 4, 8, 12,
    ]  # fmt: skip
    with pytest.raises(InputError, match="split is 4; give the index of a fold, 0 to 3"):
        load_webkb(tiny, split=4)


def test_damage_names_the_file_and_the_line(tiny):
    rewrite(tiny, {"page": 4, "class": "staff", "url": "http://x"})
    with pytest.raises(InputError, match=r"raw_texas.jsonl.gz cannot be read \(line 1: 'raw' is"):
        load_webkb(tiny)
    rewrite(tiny, {"page": 4, "class": "staff", "url": 3, "raw": ""})
    with pytest.raises(
        InputError, match=r"raw_texas.jsonl.gz cannot be read \(line 1: the url is 3"
    ):
        load_webkb(tiny)


def rewrite(folder, page):
    """Replace the pages of a university with one page."""
    path = folder / "webkb" / "raw_texas.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(page).encode() + b"\n", mtime=0))


# Two expressions that do the same as the reader, but are slow on tags without an end.
FLAGS = re.DOTALL | re.IGNORECASE
MARKUP = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>|<[^>]*>", FLAGS)
ANCHOR = re.compile(
    r"""<a\b[^>]*?\bhref\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)[^>]*>(.*?)(?=</a\b|<a\b|\Z)""", FLAGS
)
PIECES = (
    "<", ">", "<a ", "<A\n", "</a>", "</a ", "<a href=", "HREF =", "href", "=", '"', "'", " ", "x",
    "<!--", "-->", "--", "<script", "<SCRIPT ", "</script >", "<style>", "</Style>", "</script",
    "<b>",
)  # fmt: skip
bodies = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(bodies)
def test_visible_text_is_the_text_outside_markup(body):
    assert _visible_text(body) == MARKUP.sub(" ", body)


@given(bodies)
def test_links_are_the_anchors_with_an_address(body):
    links = [(quoted.strip("\"'").strip(), text) for quoted, text in ANCHOR.findall(body)]
    # Relative to nothing, an address stays as it is written.
    assert list(_page_links(Page(0, "", "", body))) == links


MANY = 20_000


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<!--",
        "<script ",
        "<a ",
        "<a href",
        "<a href=b ",
        "href=b ",
        "<a href='",
        "<base href=b ",
    ],
)
def test_pages_of_tags_without_an_end(piece):
    """The reader must not search the rest of the page again for each tag."""
    body = piece * MANY
    assert _visible_text(body) == body
    assert not list(_page_links(Page(0, "", "", body)))
    assert len(list(_page_links(Page(0, "", "", f"<a {body}>")))) <= 1


@pytest.mark.parametrize(
    ("piece", "visible_text", "n_links"),
    [
        ("<style>", " ", 0),
        ("<!-- >", " ", 0),
        ("<a href=b>c", " c", MANY),
        ('<a href="b>c', " c", MANY / 2),  # a quotation goes on to the next mark
    ],
)
def test_pages_of_tags_that_hide_nothing(piece, visible_text, n_links):
    body = piece * MANY
    assert _visible_text(body) == visible_text * MANY
    assert len(list(_page_links(Page(0, "", "", body)))) == n_links


def test_a_page_may_have_invalid_addresses():
    page = Page(0, "", "http://x/", "<base href='http://[y'><a href=c>c</a><a href=//[z]>z</a>")
    assert [text for _, text in _page_links(page)] == ["c", "z"]


def test_a_text_that_cannot_be_read_is_reported(tiny):
    rewrite(tiny, {"page": 4, "class": "staff", "url": "http://x", "raw": f"&#{'9' * 5000};"})
    with pytest.raises(InputError, match=r"raw_texas.jsonl.gz cannot be read \(Exceeds the limit"):
        load_webkb(tiny)


@pytest.mark.slow
def test_the_corpus_has_the_sizes_in_its_readme(data_folder):
    if not (data_folder / "webkb").is_dir():
        pytest.skip("the corpus webkb is missing from COTERIE_DATA")
    item_sets, partitions = load_webkb(data_folder)
    assert [len(item_set) for item_set in item_sets] == [867, 827, 1205, 1263]
    assert [sorted(truth.sizes.tolist()) for truth in partitions] == [
        [20, 21, 34, 44, 128, 620],
        [3, 20, 38, 46, 148, 572],
        [10, 21, 31, 77, 126, 940],
        [12, 25, 42, 85, 156, 943],
    ]
    assert sum(len(links) for item_set in item_sets for links in item_set.items["links"]) == 10_293
    words = counted(item_sets)
    with np.load(data_folder / "webkb" / "bow_counts.npz") as arrays:
        expected = np.add.reduceat(arrays["data"], arrays["indptr"][:-1])
        expected[np.diff(arrays["indptr"]) == 0] = 0
    assert np.mean(words == expected) > 0.99


def counted(item_sets):
    texts = [text for item_set in item_sets for text in item_set.items["text"]]
    return np.array([len(re.findall("[a-z0-9]+", text.lower())) for text in texts])
