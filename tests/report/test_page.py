"""The page of a report: what it contains, and that it is well-formed and loads and runs nothing."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.report import (
    Choice,
    Curve,
    FieldWeight,
    Quality,
    ReportData,
    Row,
    Sizes,
    WorstCluster,
    WorstClusters,
    _page,
    document,
    page,
)
from coterie.report import _texts as texts
from coterie.report._clusters import MAX_CLUSTERS, MAX_COLUMNS, MAX_ROWS
from coterie.report.document import POLICY
from coterie.tables import Figure
from tests.report.examples import NAN, make_curve, make_data
from tests.report.reading import Page

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "p"),
    *("dl", "dt", "dd", "nav", "ul", "li", "a", "section", "div", "table", "caption", "thead"),
    *("tbody", "tr", "th", "td", "span", "small", "strong", "i", "bdi", "mark", "details"),
    *("summary", "figure", "figcaption", "svg", "path", "line", "circle", "rect", "text"),
}
HOSTILE = (
    "</td></title></style><script>alert('1')</script>"
    '<img src=x onerror="a()">&lt;\u202e\x00\ud800'
)


def hostile_data(text):
    """Put a text wherever a report takes one."""
    rows = [Row(text, [text, text[::-1]], text, text, 0.5), Row("b", ["x", text], None, text)]
    return ReportData(
        title=text,
        facts=[(text, text)],
        sizes=Sizes({1: 1}),
        worst=WorstClusters([text, text], [WorstCluster(text, 2, 0.1, 0.2, rows)]),
        quality=Quality([Figure(text, 0.5, 0.4, 0.6, higher_is_better=False)], make_curve()),
        fields=[FieldWeight(text, text, 1.0, -1.0)],
        choice=Choice([text, text], [[text, text]], 0, text),
        blocking=[(text, text)],
    )


def test_all_sections_are_there():
    read = Page(page(make_data()))
    assert read.headings == [
        "People & places",
        "Quality",
        "Other thresholds",
        "Cluster sizes",
        "Weights of columns",
        "Choice of the learner",
        "Candidate pairs",
        "Doubtful clusters",
    ]
    assert len(read.ids) == len(set(read.ids)) == 7
    assert "field" not in read.text.lower()  # columns are called columns
    assert not re.search(r"\d %", read.text)
    links = {value for tag, name, value in read.attributes if (tag, name) == ("a", "href")}
    assert links == {f"#{anchor}" for anchor in read.ids}
    assert ("html", "lang", "en") in read.attributes
    assert read.tags.count("caption") == read.tags.count("table") == 5
    labels = [value for tag, name, value in read.attributes if (tag, name) == ("svg", "aria-label")]
    assert [label.split(".")[0] for label in labels] == [
        "Line chart of metrics at other thresholds",
        "Line chart of precision over recall",
    ]


def test_numbers_are_in_their_rows():
    read = Page(page(make_data()))
    assert "modelpeople.coterierows1,200" in read.text
    at = read.cells.index("pairwise F1")
    assert read.cells[at : at + 4] == ["pairwise F1", "0.957", "0.941 to 0.969", ""]
    at = read.cells.index("edits lower is better")
    assert read.cells[at : at + 3] == ["edits lower is better", "12.2", "10.0 to 14.0"]
    at = read.cells.index("B-cubed F1")
    assert read.cells[at : at + 3] == ["B-cubed F1", "0.968", "–"]
    assert "At the threshold of the model: precision 0.700, recall 0.640, F1 0.700" in read.text
    at = read.cells.index("1")
    assert read.cells[at : at + 16] == [
        *("1", "900", "850", "", "2", "120", "130", ""),
        *("3", "20", "0", "", "5–9", "0", "5", ""),
    ]
    assert "1,040 clusters by their number of rows" in read.text
    at = read.cells.index("surname compared as name")  # before city, because its share is larger
    assert read.cells[at : at + 5] == ["surname compared as name", "2.000", "−1.000", "75%", ""]
    assert read.cells[at + 5 : at + 9] == ["city compared as category", "0.500", "−0.500", "25%"]
    assert read.cells[at + 10 : at + 14] == ["email compared as code", "–", "–", "0%"]
    assert "boosted chosen" in read.cells
    assert "pairs" in read.cells
    assert "boosted is best." in read.text
    assert "candidate pairs12,345" in read.text


def test_rows_of_a_cluster_are_in_one_table():
    read = Page(page(make_data()))
    assert "Cluster 17 5 rows · weakest link 0.310 · disagreement 0.400" in read.text
    at = read.cells.index("row")
    assert read.cells[at : at + 7] == [
        *("row", "true cluster", "given", "surname", "city", "linked to", "confidence"),
    ]
    assert read.cells[at + 7 : at + 28] == [
        *("r1", "e1", "John", "Smith", "Berlin", "–", "–"),
        *("r2", "e1", "Jon", "Smith", "–", "r1", "0.900"),
        *("r3", "≠ e2", "John", "Smyth", "Bern", "r1", "0.400"),
    ]
    assert "2 more rows not shown." in read.text
    # The first two explain the marks; city has no most common value, so r3 is compared with r1.
    assert read.marks == ["Marked", "", "", "y", ""]
    assert 'Jo<mark class="gap"></mark>n' in page(make_data())


@pytest.mark.parametrize(
    ("truths", "cells"),
    [
        (["a"], ["a"]),
        (["a", None], ["a", "–"]),
        (["a", "b"], ["a", "≠ b"]),
        ([None, "b", "a", "b", "a"], ["–", "b", "≠ a", "b", "≠ a"]),
        (["a", "b", "a"], ["a", "≠ b", "a"]),
        (["a", "a"], ["a", "a"]),
    ],
)
def test_rows_of_another_true_cluster_are_marked(truths, cells):
    rows = [Row(f"r{at}", ["x"], truth) for at, truth in enumerate(truths)]
    worst = WorstClusters(["name"], [WorstCluster("1", len(rows), None, None, rows)])
    read = Page(page(make_data(worst=worst)))
    assert [read.cells[read.cells.index(row.id) + 1] for row in rows] == cells


def test_the_page_loads_nothing():
    text = page(make_data())
    read = Page(text)
    assert not re.search(r"https?:|@import|url\(|<script|<link|<img|<!ENTITY|javascript:", text)
    assert set(read.tags) <= TAGS
    assert ("meta", "content", POLICY) in read.attributes
    assert POLICY.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert not [name for _, name, _ in read.attributes if name == "src" or name.startswith("on")]
    # The policy holds only for what follows it.
    assert text.index("Content-Security-Policy") < text.index("<style>")


def test_hostile_texts_are_texts():
    read = Page(page(hostile_data(HOSTILE)))
    assert set(read.tags) <= TAGS
    assert not [name for _, name, _ in read.attributes if name == "src" or name.startswith("on")]
    visible = HOSTILE[:-3] + "⟨U+202E⟩⟨U+0000⟩⟨U+D800⟩"
    assert read.text.count(visible) >= 15
    page(hostile_data(HOSTILE)).encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", read.text)


@given(st.text(max_size=30) | st.text("<>&\"'/ab \n\u202e\ud800", max_size=30))
@settings(max_examples=60)
def test_any_text_makes_a_well_formed_page(text):
    written = page(hostile_data(text))
    assert set(Page(written).tags) <= TAGS
    assert written.encode().decode() == written


def test_the_same_data_makes_the_same_bytes():
    assert page(make_data()) == page(make_data())
    assert page(make_data()) != page(make_data(title="Other"))


def test_a_table_without_truth_says_so():
    rows = [Row("a", ["x"]), Row("b", ["y"], linked_to="a", confidence=0.5)]
    worst = WorstClusters(["name"], [WorstCluster("1", 2, None, None, rows)])
    read = Page(page(make_data(quality=None, sizes=Sizes({2: 1}), worst=worst)))
    assert read.text.count(texts.UNLABELLED) == 2
    assert texts.NO_TRUE_SIZES in read.text
    assert not [text for text in read.cells if "true" in text]
    assert "Cluster 1 2 rows" in read.text
    assert "Cluster 1 2 rows · weakest" not in read.text
    assert "svg" in read.tags  # bars of sizes, but no curves
    assert "figure" not in read.tags


def test_an_empty_report_says_why_sections_are_empty():
    read = Page(page(ReportData("Empty", [], Sizes({}), WorstClusters([], []))))
    assert not {"table", "svg", "dl", "details"} & set(read.tags)
    for sentence in (
        texts.NO_CLUSTERS,
        texts.NO_FIELDS,
        texts.NO_CHOICE,
        texts.NO_BLOCKING,
        texts.NO_DOUBTFUL_CLUSTERS,
    ):
        assert sentence in read.text


def test_quality_without_curve_or_metrics():
    read = Page(page(make_data(quality=Quality([]))))
    assert texts.NO_METRICS in read.text
    assert texts.NO_CURVE in read.text
    assert texts.UNLABELLED not in read.text


def test_an_undefined_metric_is_not_drawn_at_the_threshold_of_the_model():
    curve = make_curve(precision=[*np.ones(9), NAN, NAN], chosen=1.0)
    text = page(make_data(quality=Quality([Figure("pair_scores.precision", NAN)], curve)))
    read = Page(text)
    assert "At the threshold of the model: precision undefined, recall 0.100" in read.text
    assert texts.UNDEFINED_METRICS in read.text
    assert 'class="dot s0"' not in text
    assert texts.UNDEFINED_METRICS not in Page(page(make_data())).text


def test_thresholds_are_relative_to_that_of_the_model():
    text = page(make_data())
    chart = re.search('<svg class="curve".*?</svg>', text).group()
    ticks = re.findall(r'<text class="middle"[^>]*>([^<]*)</text>', chart)
    assert ticks == ["−0.4", "−0.2", "0.0", "0.2", "0.4", "0.6"]
    assert text.count(">this model</text>") == 2


@pytest.mark.parametrize(
    "curve",
    [
        make_curve(precision=np.full(11, NAN)),
        make_curve(precision=[NAN, *np.ones(9), NAN], chosen=-3.0),
        Curve([0.5], [NAN], [NAN], [NAN], [NAN], chosen=0.5),
        Curve([0.5], [1.0], [1.0], [1.0], [1.0], chosen=0.5),
        Curve([-1e99, 1e99], [0, 1], [0, 1], [0, 1], [0, 1], chosen=1e-300),
        Curve([1e9, 1e9], [0, 1], [0, 1], [0, 1], [0, 1], chosen=1e9),
    ],
)
def test_drawings_hold_finite_numbers_only(curve):
    metrics = [Figure("a", NAN, NAN, 0.5), Figure("b", float("inf")), Figure("c", 1.0, 1.0, 1.0)]
    fields = [FieldWeight("a", "k", NAN, float("inf")), FieldWeight("b", "k", 0.0, None)]
    text = page(make_data(quality=Quality(metrics, curve), fields=fields))
    Page(text)
    drawn = "".join(re.findall("<svg.*?</svg>", text, re.DOTALL))
    assert drawn
    assert not re.search(r'(?i)\bnan\b|\binf\b|e\+\d+["% ]', re.sub("aria-label=.*?>", "", drawn))
    assert len(drawn) < 30_000


def test_long_reports_stay_small():
    words = " ".join(f"<word{number}>" for number in range(1200))
    cells = [words[start:] + "&" * 5000 for start in range(0, 360, 30)]
    rows = [Row(f"r{n}", [cell] * 30, "e", "r0", 0.5) for n, cell in enumerate(cells)]
    clusters = [WorstCluster(str(n), 5000, 0.1, 0.1, rows * 2) for n in range(50)]
    data = make_data(worst=WorstClusters([f"column {n}" for n in range(30)], clusters))
    text = page(data)
    assert len(text.encode()) < 1_500_000
    read = Page(text)
    assert read.tags.count("details") == MAX_CLUSTERS
    assert "4,988 more rows not shown." in read.text
    assert f"{len(cells[0]):,} characters" in read.text
    assert read.text.count("column 7") == MAX_CLUSTERS
    assert read.text.count("r0") >= MAX_CLUSTERS * MAX_ROWS


def test_columns_beyond_the_first_are_counted():
    names = [f"column {number}" for number in range(MAX_COLUMNS + 5)]
    rows = [Row("a", names), Row("b", names)]
    read = Page(page(make_data(worst=WorstClusters(names, [WorstCluster("1", 2, 0.1, 0.1, rows)]))))
    assert "5 more are not shown." in read.text
    assert names[MAX_COLUMNS - 1] in read.cells
    assert names[MAX_COLUMNS] not in read.cells


def test_lines_beyond_the_first_are_counted_but_the_chosen_one_is_shown():
    rows = [[f"candidate {number}", "0.5"] for number in range(100)]
    read = Page(page(make_data(choice=Choice(["candidate", "F1"], rows, chosen=99))))
    assert "candidate 99 chosen" in read.cells
    assert "40 more not shown." in read.text
    assert "candidate 59" not in read.cells


def luminance(colour):
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["LIGHT", "DARK"])
def test_texts_can_be_read(scheme):
    """WCAG AA: contrast of at least 4.5 between any text and what it stands on."""
    rules = getattr(document, scheme) + getattr(_page, scheme)
    colours = dict(re.findall(r"--(\w+): (#\w{6})", rules))
    assert len(colours) == 13
    colours_on = {
        "ground": ["ink", "dim", "link", "differs", "s0", "s1", "s2", "s3"],
        "stripe": ["ink", "dim"],
        "selected": ["ink"],
        "mark": ["ink"],
        "s0": ["ground"],
    }
    for background, text_colours in colours_on.items():
        for colour in text_colours:
            low, high = sorted(map(luminance, (colours[background], colours[colour])))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (background, colour)
