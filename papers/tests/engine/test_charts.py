"""Charts: their bars, lines and axes, the same bytes in every run, and missing Matplotlib."""

import logging
import sys
import xml.etree.ElementTree as ET

import pytest

from coterie.exceptions import InputError
from coterie_papers.engine.charts import COLOURS, MARKERS, Bars, Curves, Lines
from coterie_papers.engine.storage import write_tables
from coterie_papers.engine.tables import Table

NAN = float("nan")
PANELS = {
    "People": {"Coterie": [90.0, NAN, 70.0], "paper": [85.0, 60.0, NAN]},
    "Places": {"Coterie": [50.0, NAN, 30.0], "paper": [45.0, 20.0, NAN]},
}
BARS = Bars("F1 of approaches", ["one", "two", "three"], PANELS, ("", "F1"))
LINES = Lines("F1 by size", ["10", "20", "30"], PANELS, ("size", "F1"))
CURVES = Curves("Time by size", ["10", "20", "500"], PANELS, ("size", "seconds"))


@pytest.mark.parametrize("chart", [BARS, LINES, CURVES])
def test_charts_are_svg_of_the_same_bytes(chart, tmp_path):
    chart.write(tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_bytes()
    assert svg == chart.to_svg()
    assert b"<dc:date>" not in svg
    root = ET.fromstring(svg)  # noqa: S314
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for colour in COLOURS[:2]:
        assert colour.lower().encode() in svg.lower()


def drawn_axes(chart):
    from matplotlib.figure import Figure

    figure = Figure(figsize=chart._size(), layout="constrained")
    chart._fill(figure)
    return figure, figure.axes


def test_bars_start_at_zero_and_have_the_lengths_of_their_numbers():
    figure, (people, places) = drawn_axes(BARS)
    assert people.get_xlim()[0] == 0.0
    assert people.get_xlim() == places.get_xlim()
    assert people.get_xlim()[1] > 90.0  # although the bars of the last panel are shorter
    assert [bar.get_width() for bar in people.patches] == [90.0, 70.0, 85.0, 60.0]
    assert {bar.get_x() for bar in people.patches} == {0.0}
    middles = [bar.get_y() + bar.get_height() / 2 for bar in people.patches]
    assert len({round(y, 6) for y in middles}) == 4  # no bar covers another one
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["Coterie", "paper"]


def test_lines_go_through_their_numbers_in_one_range():
    _, (people, places) = drawn_axes(LINES)
    assert people.get_ylim() == places.get_ylim()
    low, high = people.get_ylim()
    assert low < 20.0
    assert high > 90.0
    assert LINES.limits == (20, 90)
    assert people.lines[1].get_ydata()[:2].tolist() == [85.0, 60.0]
    assert len({line.get_marker() for line in people.lines}) == 2
    assert len(set(COLOURS)) == len(set(MARKERS)) == 7


def test_the_places_of_curves_are_at_their_numbers():
    figure, (people, places) = drawn_axes(CURVES)
    assert {people.get_xscale(), people.get_yscale()} == {"log"}
    assert people.lines[0].get_xdata().tolist() == [10.0, 20.0, 500.0]
    assert people.lines[1].get_ydata()[:2].tolist() == [85.0, 60.0]
    figure.draw_without_rendering()
    assert [label.get_text() for label in people.get_xticklabels()] == ["10", "20", "500"]
    assert {"20", "50"} <= {label.get_text() for label in people.get_yticklabels()}
    assert people.get_ylim() == places.get_ylim()


@pytest.mark.parametrize(
    ("places", "values", "message"),
    [
        (["10", "many"], [1.0, 2.0], "not numbers .*'many'.*; give numbers, or use Lines"),
        (["10", "20"], [NAN, -2.0], "has the number -2, but logarithmic axes need"),
        (["0", "20"], [NAN, 1.0], "has the number 0, but logarithmic axes need"),
    ],
)
def test_curves_need_positive_numbers(places, values, message):
    with pytest.raises(InputError, match=message):
        Curves("t", places, {"p": {"a": values}})


def test_nothing_of_a_chart_overlaps():
    """The legend is beside the panels, and the titles of panels are below the chart's title."""
    for chart in (BARS, LINES, CURVES):
        figure, axes = drawn_axes(chart)
        figure.draw_without_rendering()
        legend = figure.legends[0].get_window_extent()
        title = figure._suptitle.get_window_extent()
        for panel in axes:
            assert not legend.overlaps(panel.get_tightbbox())
            assert not title.overlaps(panel.title.get_window_extent())
        assert figure.bbox.contains(legend.x1 - 1, legend.y1 - 1)


def test_a_chart_is_written_beside_its_table(tmp_path):
    table = Table.from_rows("t", {"a": {"x": 1.0}}, chart=BARS)
    write_tables(tmp_path, "figure", [table], [])
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"figure.csv", "figure.md", "figure.svg", "figure.json"}
    write_tables(tmp_path, "figure", [Table.from_rows("t", {"a": {"x": 1.0}})], [])
    assert not (tmp_path / "figure.svg").exists()  # it would belong to the old table


def test_without_matplotlib_a_warning_says_how_to_install_it(tmp_path, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with caplog.at_level(logging.WARNING):
        BARS.write(tmp_path / "chart.svg")
    assert list(tmp_path.iterdir()) == []
    (record,) = caplog.records
    assert "chart.svg is not drawn" in record.getMessage()
    assert "pip install 'coterie[charts]'" in record.getMessage()


def test_panels_need_the_same_series_with_one_number_per_place():
    with pytest.raises(
        InputError, match=r"'p' .* the series a with \[2\] .*; give .* with 3 numbers"
    ):
        Bars("t", ["x", "y", "z"], {"p": {"a": [1.0, 2.0]}})
    with pytest.raises(
        InputError, match=r"the panel 'q' of .* has the series b with \[1\] numbers"
    ):
        Lines("t", ["x"], {"p": {"a": [1.0]}, "q": {"b": [1.0]}})
    with pytest.raises(InputError, match="no panels"):
        Bars("t", ["x"], {})
