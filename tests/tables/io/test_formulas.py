"""Formulas in cells: with `escape_formulas`, no spreadsheet runs a cell of a CSV or TSV file."""

import csv

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coterie import tables as coterie_tables
from coterie.exceptions import InputError
from coterie.tables import Table, read_table, write_table
from tests.commands import error_of, run
from tests.people import people

SIGNS = "=+-@＝＋－＠﹦﹢﹣﹫"
STARTS = ("\t", "\r", "\n", *SIGNS)
SOUND = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
PARTS = st.sampled_from([*STARTS, " ", "\u00a0", "\ufeff", "'", '"', ",", ";", "1", ".", "e", "5"])
CELLS = st.lists(PARTS | st.text(SOUND, max_size=2), max_size=5).map("".join)


def is_number(text):
    """Return whether a text is a plain number, by Python's reading of it."""
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and set(text) <= set("0123456789+-.eE")


def is_dangerous(text):
    for character in text:
        if character in STARTS:
            return not is_number(text)
        if not (character.isspace() or character < " " or character in INVISIBLE):
            return False
    return False


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(names=st.lists(CELLS.filter(str.strip), min_size=1, max_size=3, unique=True), data=st.data())
def test_no_cell_is_dangerous_and_all_others_stay(tmp_path, suffix, names, data):
    cells = data.draw(st.lists(CELLS, min_size=len(names), max_size=len(names)))
    table = Table({name: [cell] for name, cell in zip(names, cells, strict=True)})
    escaped = [f"'{name}" if is_dangerous(name) else name for name in names]
    if len(set(escaped)) < len(escaped):
        return
    file = tmp_path / f"t.{suffix}"
    write_table(file, table, escape_formulas=True)
    after = read_table(file)
    written = (*after.names, *(after[name][0] for name in after.names))
    for text, before in zip(written, (*names, *cells), strict=True):
        assert not is_dangerous(text)
        assert text == (f"'{before}" if is_dangerous(before) else before)


@pytest.mark.parametrize("text", ["-5", "+3.2", "-1e5", "-.5", "+5.", "-1E-07", "5", ""])
def test_numbers_stay(tmp_path, text):
    write_table(tmp_path / "t.csv", {"x": [text, "a"]}, escape_formulas=True)
    assert read_table(tmp_path / "t.csv")["x"] == (text, "a")


@pytest.mark.parametrize(
    "text",
    [
        "=cmd|' /C calc'!A0",
        "-5+cmd|' /C calc'!A0",
        "+49 171 123456",
        "@SUM(1+1)",
        "\t=1",
        "\rx",
        "\nx",
        " =1",
        "\ufeff=1",
        "\u200b=1",
        "＝1+1",
        "－５",
        "-",
        "+-5",
        "-5\n",
        "-inf",
        "-0x10",
        '="a,b"',
    ],
)
def test_formulas_get_an_apostrophe_in_cells_and_names(tmp_path, text):
    write_table(tmp_path / "t.csv", {f"{text}x": [text], "y": [text]}, escape_formulas=True)
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as stream:
        assert list(csv.reader(stream)) == [[f"'{text}x", "y"], [f"'{text}"] * 2]


def test_it_is_off_by_default_and_numbers_of_python_stay(tmp_path):
    write_table(tmp_path / "t.csv", {"x": ["=1+1"], "y": [-0.5]})
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == "x,y\n=1+1,-0.5\n"
    write_table(tmp_path / "t.csv", {"x": ["=1+1"], "y": [-0.5]}, escape_formulas=True)
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == "x,y\n'=1+1,-0.5\n"


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "jsonl.gz"])
def test_other_formats_are_refused(tmp_path, suffix):
    with pytest.raises(InputError, match=r"`escape_formulas=` is for csv and tsv, but the format"):
        write_table(tmp_path / f"t.{suffix}", {"x": ["=1"]}, escape_formulas=True)
    assert list(tmp_path.iterdir()) == []


def test_columns_that_would_have_the_same_name_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"two columns would be called \"'=a\"; rename one"):
        write_table(tmp_path / "t.csv", {"=a": ["1"], "'=a": ["2"]}, escape_formulas=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formulas")
    table = Table(people(60, 0, ("given_name", "surname", "birth_date")))
    coterie_tables.fit(table, cluster="who", learner="logistic").save(folder / "m.coterie")
    ids = [f"={row}+1" for row in range(len(table))]
    write_table(folder / "new.csv", table.with_columns({"id": ids, "@x": ["-5"] * len(table)}))
    return folder


def test_predict_escapes_ids_wherever_they_are_written(folder, tmp_path):
    words = ("predict", folder / "m.coterie", folder / "new.csv", "-o")
    assert run(*words, tmp_path / "a.csv").exit_code == 0
    assert run(*words, tmp_path / "b.csv", "--escape-formulas").exit_code == 0
    plain, escaped = read_table(tmp_path / "a.csv"), read_table(tmp_path / "b.csv")
    assert [name.lstrip("'") for name in escaped.names] == list(plain.names)
    assert escaped["'@x"] == plain["@x"]
    for name in ("id", "cluster_id", "linked_to"):
        assert escaped[name] == tuple(f"'{cell}" if cell else "" for cell in plain[name])


def test_predict_refuses_it_for_other_formats_before_any_work(folder, tmp_path):
    words = ("predict", folder / "none.coterie", folder / "new.csv", "--escape-formulas", "-o")
    line = error_of(run(*words, tmp_path / "o.jsonl"))
    assert line == (
        "--escape-formulas is for csv and tsv, but the format is jsonl, in which texts are never "
        "formulas; leave it out"
    )
