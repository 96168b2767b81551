"""The picture of the demonstration: it is an SVG drawing that shows each chosen row twice."""

from xml.etree import ElementTree as ET

from coterie.demo.picture import COLOURS, COLUMNS, draw_picture
from coterie.tables import Table

SVG = "{http://www.w3.org/2000/svg}"


def clustered_table(sizes, surname="Lee"):
    labels = [label for label, size in enumerate(sizes) for _ in range(size)]
    n_rows = len(labels)
    columns = {name: [f"{name} {row}" for row in range(n_rows)] for name in COLUMNS}
    columns["surname"] = [surname] * n_rows
    columns["cluster_id"] = [f"c{label}" for label in labels]
    columns["confidence"] = ["0.987"] * n_rows
    columns["reason"] = ["phone equal; " + "city similar, " * 9] * n_rows
    return Table(columns)


def texts_of(svg):
    return [node.text for node in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314


def test_rows_are_in_the_table_and_in_their_clusters():
    texts = texts_of(draw_picture(clustered_table([1, 3, 2, 3, 2])))
    assert (
        sum(text.startswith("phone") for text in texts) == 1 + 2 * 10
    )  # a heading, and two per row
    assert sum(text.startswith("98.7% sure: phone equal; city") for text in texts) == len(COLOURS)


def test_a_curve_leads_from_each_row_to_its_cluster():
    root = ET.fromstring(draw_picture(clustered_table([3, 2])))  # noqa: S314
    colours = [path.get("stroke") for path in root.iter(f"{SVG}path")]
    assert colours == [COLOURS[0]] * 3 + [COLOURS[1]] * 2


def test_texts_of_the_table_are_not_read_as_markup():
    texts = texts_of(draw_picture(clustered_table([3, 2], surname="</svg><script>")))
    assert texts.count("</svg><script>") == 5


def test_a_table_of_single_rows_has_an_empty_picture():
    assert len(texts_of(draw_picture(clustered_table([1, 1, 1])))) == 2 + len(COLUMNS)
