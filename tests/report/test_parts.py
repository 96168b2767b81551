"""The parts of a report: data, differences, axes, bins, texts."""

import re
import sys
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.exceptions import InputError
from coterie.partition import Partition
from coterie.report import Choice, Row, Sizes, WorstCluster, WorstClusters
from coterie.report._clusters import References, differences, mark_spans, value_html
from coterie.report._drawings import Axis, bin_end, count_by_bin, signed_bars, spread_apart
from coterie.report._html import replace_invisible, shorten, text_html
from coterie.report.of_tables import _pair_scores
from tests.report.examples import make_curve


@pytest.mark.parametrize(
    ("text", "other", "html"),
    [
        ("Smith", "Smith", "Smith"),
        ("Smyth", "Smith", "Sm<mark>y</mark>th"),
        ("Jon", "John", 'Jo<mark class="gap"></mark>n'),
        ("Johnn", "John", "Joh<mark>n</mark>n|John<mark>n</mark>"),
        ("Ann", "Anne", 'Ann<mark class="gap"></mark>'),
        ("1987-03-12", "1978-03-12", "19<mark>87</mark>-03-12"),
        ("Kowalski", "Smith", "<mark>Kowalski</mark>"),
        ("a < b & d", "a < b & c", "a &lt; b &amp; <mark>d</mark>"),
        ("", "x", '<mark class="gap"></mark>'),
        # Marks with one character between become one.
        ("12X4Y678", "12345678", "12<mark>X4Y</mark>678"),
    ],
)
def test_short_texts_differ_by_characters(text, other, html):
    assert mark_spans(text, differences(text, other)) in html.split("|")


def test_long_texts_differ_by_words():
    text = "the quick brown fox jumps over the lazy dog and then it sleeps until the morning comes"
    other = text.replace("quick brown", "quiet braun").replace("then it ", "")
    html = mark_spans(text, differences(text, other))
    assert "<mark>quick brown</mark> fox jumps" in html
    assert "and<mark> then it</mark> sleeps" in html
    assert html.count("<mark>") == 2
    shuffled = " ".join(sorted(text.split(), reverse=True))
    assert differences(text, shuffled) == [(0, len(text))]


@given(st.text("ab <&é", max_size=90), st.text("ab <&é", max_size=90))
def test_marks_change_no_text(text, other):
    spans = differences(text, other)
    html = mark_spans(text, spans)
    assert unescape(re.sub(r"</?mark[^>]*>", "", html)) == text
    assert bool(spans) == (text != other)
    ends = [position for span in spans for position in span]
    assert ends == sorted(ends)
    # The other text contains the unmarked parts in the same order.
    unmarked_parts, position = [], 0
    for start, end in [*spans, (len(text), len(text))]:
        unmarked_parts.append(text[position:start])
        position = end
    assert re.search(".*".join(map(re.escape, unmarked_parts)), other, re.DOTALL)


def calls(function, *args):
    """Count the calls inside of a call, which do not depend on the speed of the machine."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(note)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return count


def test_comparing_hostile_texts_takes_few_steps():
    texts = ["a b " * 100, "b a " * 100, "a " * 100 + "b " * 100]
    for text in texts:
        assert calls(differences, text, texts[0]) < 10 * len(text)


def rows_of(*values, links=()):
    linked = dict(links)
    return [Row(str(at), [value], linked_to=linked.get(str(at))) for at, value in enumerate(values)]


def test_cells_are_compared_with_the_most_common_text_or_the_linked_row():
    most = rows_of("x", "y", "x", "", "")
    assert [References(most, 1).of(row, 0) for row in most] == ["x"] * 5
    tied = rows_of("x", "y", "x", "y", "z", links=[("4", "1"), ("2", "9")])
    assert [References(tied, 1).of(row, 0) for row in tied] == [None, None, None, None, "y"]
    single = rows_of("x", "y", links=[("1", "0")])
    assert [References(single, 1).of(row, 0) for row in single] == [None, "x"]


def test_cut_cells_show_the_length_of_their_text():
    words = " ".join(f"word{number}" for number in range(500))
    assert value_html("", "x", 100) == '<span class="missing">–</span>'
    assert value_html("plain", None, 100) == "plain"
    assert value_html("plain", "", 100) == "plain"
    html = value_html(words, words, 100)
    assert html == f"{words[:100]}… <small>{len(words):,} characters</small>"
    assert value_html(words, words + "!", 100).endswith(
        "characters; differs in the part that is not shown</small>"
    )
    assert value_html(words, "!" + words[1:], 100).startswith("<mark>word0</mark> word1")


def test_the_cut_of_a_text_is_not_a_difference():
    words = " ".join(f"word{number}" for number in range(500))
    assert re.findall("<mark.*?</mark>", value_html(words, "And " + words, 100)) == [
        '<mark class="gap"></mark>'
    ]
    assert re.findall("<mark.*?</mark>", value_html("And " + words, words, 100)) == [
        "<mark>And </mark>"
    ]


def test_invisible_characters_are_replaced():
    assert replace_invisible("a\r\nb\nc\td") == "a↵b↵c d"
    assert replace_invisible("\x00\x7f\x85\u200b\u202e\u2066\ufeff\udc80") == (
        "⟨U+0000⟩⟨U+007F⟩⟨U+0085⟩⟨U+200B⟩⟨U+202E⟩⟨U+2066⟩⟨U+FEFF⟩⟨U+DC80⟩"
    )
    for text in ("שלום", "नमस्ते क्‍ष", "👩‍👩‍👧", "漢字", "Zoë"):
        assert replace_invisible(text) == text


@given(st.text(), st.integers(1, 60))
def test_short_texts_are_short(text, limit):
    start, is_complete = shorten(text, limit)
    assert len(text_html(text, limit).encode()) <= 6 * limit + 3
    assert replace_invisible(text).startswith(start)
    assert is_complete == (replace_invisible(text) == start)


@given(
    st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=5),
    st.floats(-50, 50),
)
def test_axes_hold_all_values_between_few_ticks(values, start):
    axis = Axis.around(values, start, start + 100)
    slack = 1e-5 * (axis.high - axis.low)
    assert axis.low - slack <= min(values) <= max(values) <= axis.high + slack
    assert axis.at(axis.low) == pytest.approx(start)
    assert axis.at(axis.high) == pytest.approx(start + 100)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 9
    assert len({text for _, text in ticks}) == len(ticks) or max(map(abs, values)) > 1e5


def test_names_of_lines_do_not_overlap():
    places = spread_apart([50.0, 50.0, 50.0, 300.0], 0.0, 262.0)
    assert all(np.diff(places) >= 16)
    assert places[-1] == 262.0
    assert spread_apart([], 0.0, 1.0) == []


def test_bins_are_without_gap_or_overlap():
    first, starts = 1, []
    while first < 10**7:
        starts.append(first)
        assert count_by_bin({first: 1, bin_end(first): 1}) == (
            {first: 2} if bin_end(first) > first else {first: 1}
        )
        first = bin_end(first) + 1
    assert starts[:12] == [1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1000]


def test_bars_lie_on_their_side_of_the_middle():
    drawn = signed_bars([2.0, -1.0], 2.0)
    assert re.findall(r'x="([\d.]+)%" width="([\d.]+)%"', drawn) == [
        ("50.00", "50.00"),
        ("25.00", "25.00"),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"f1": [0.5]}, "F1 has 1 value for 11 thresholds; give one value per threshold"),
        ({"recall": np.full(11, 1.5)}, "recall has values outside the range from 0 to 1"),
        ({"chosen": float("nan")}, "or the chosen one, is not a number from"),
        ({"thresholds": np.linspace(1, 0, 11)}, "thresholds are not ascending; sort them"),
        ({"thresholds": []}, r"thresholds have shape \(0,\)"),
        ({"precision": ["high"] * 11}, "precision must be real numbers"),
    ],
)
def test_curves_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        make_curve(**changes)


def test_metrics_at_the_chosen_threshold_are_interpolated_where_defined():
    curve = make_curve(precision=[*np.ones(9), np.nan, np.nan], chosen=0.85)
    assert np.isnan(curve.at_chosen()["precision"])
    assert curve.at_chosen()["recall"] == pytest.approx(0.235)
    assert (
        make_curve(precision=[*np.ones(9), np.nan, np.nan], chosen=0.8).at_chosen()["precision"]
        == 1
    )


@pytest.mark.parametrize(
    ("truth", "predicted", "undefined"),
    [
        ([0, 0, 1], [0, 1, 2], {"precision"}),
        ([0, 1, 2], [0, 0, 1], {"recall"}),
        ([0, 0, 1], [0, 1, 1], set()),
    ],
)
def test_shares_of_no_pairs_are_undefined(truth, predicted, undefined):
    scores = _pair_scores(Partition(truth), Partition(predicted))
    assert {name for name, value in scores.items() if np.isnan(value)} == undefined


def test_data_that_do_not_fit_are_refused():
    cluster = WorstCluster("1", 1, None, None, [Row("r7", ["x"])])
    with pytest.raises(InputError, match="row r7 of the cluster has 1 cell for 2 columns"):
        WorstClusters(["a", "b"], [cluster])
    with pytest.raises(InputError, match="row 1 of the choice has 1 cell for 2 columns"):
        Choice(["a", "b"], [["x", "y"], ["z"]], 0)
    with pytest.raises(InputError, match="the size of a cluster is 0"):
        Sizes({1: 3, 0: 1})
    with pytest.raises(InputError, match="the number of clusters of size 2 is -1"):
        Sizes({1: 3}, {2: -1})
