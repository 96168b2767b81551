"""Tables: in Markdown, in the terminal, as CSV and as JSON."""

import csv
import io
import json

import numpy as np
import pytest
from rich.console import Console

from coterie.exceptions import InputError
from coterie.toolkit import time_text
from coterie_papers.engine.encoding import decode_number
from coterie_papers.engine.tables import Entry, Table
from coterie_papers.supervised_kmeans.published import SUPERVISED_KMEANS

ROWS = {
    "Δ_M": {"C_G": 40.04, "PCC": Entry(52.0, note="p = 0.03"), "Default": 51},
    "Δ_P [C_R*]": {"C_G": np.float64(2.8851), "PCC": float("nan"), "extra": "n/a"},
}
PUBLISHED = {"Δ_P [C_R*]": {"C_G": 2.89, "PCC": 3.1}, "Δ_M": {"C_G": 41.3, "other": 7}}


@pytest.fixture
def table():
    return Table.from_rows("Results [x]", ROWS, PUBLISHED, notes=["A note [y]."], digits=(1, 2))


def terminal_text(table, width=100):
    stream = io.StringIO()
    Console(file=stream, width=width).print(table.to_rich())
    return stream.getvalue()


def test_rows_and_columns_come_from_our_figures_and_then_the_papers(table):
    assert table.rows == ("Δ_M", "Δ_P [C_R*]")
    assert table.columns == ("C_G", "PCC", "Default", "extra", "other")
    assert table.entries[0][:3] == (Entry(40.04, 41.3), Entry(52.0, None, "p = 0.03"), Entry(51))
    assert table.entries[1][2] == Entry()


def test_markdown(table):
    assert table.to_markdown().splitlines() == [
        "**Results [x]**",
        "",
        "| ours (paper) | C_G | PCC | Default | extra | other |",
        "|:--|--:|--:|--:|--:|--:|",
        "| Δ_M | 40.0 (41.3) | 52.0 (–), p = 0.03 | 51 | – | – (7) |",
        "| Δ_P [C_R\\*] | 2.89 (2.89) | nan (3.1) | – | n/a | – (–) |",
        "",
        "A note [y].",
    ]


def test_a_table_without_a_paper():
    table = Table.from_rows("Ours", {"a|b": {"x": 0.25}}, digits=3)
    assert table.to_markdown().splitlines()[2:] == ["|  | x |", "|:--|--:|", "| a\\|b | 0.250 |"]
    assert "paper" not in terminal_text(table)


def test_nothing_breaks_a_row_of_markdown():
    rows = {"two\nlines": {"a\r\n b": Entry(1.0, note="p = 0.1\n\nso")}}
    table = Table.from_rows("C_R* and\nC_G*", rows, notes=["C_R*:\n\n* not a list"], data="*.")
    assert table.to_markdown().splitlines() == [
        "**C_R\\* and C_G\\***",
        "",
        "|  | a b |",
        "|:--|--:|",
        "| two lines | 1.0, p = 0.1 so |",
        "",
        "Data: \\*.",
        "",
        "C_R\\*: \\* not a list",
    ]


def test_a_terminal_shows_all_figures_and_notes(table):
    lines = terminal_text(table).splitlines()
    assert lines[0].rstrip() == "Results [x]"
    assert lines[-1] == "A note [y]."
    heading, _, first, note, second = [line.split() for line in lines[2:7]]
    assert heading == ["ours", "(paper)", "C_G", "PCC", "Default", "extra", "other"]
    assert first == ["Δ_M", "40.0", "(41.3)", "52.0", "(–)", "51", "–", "–", "(7)"]
    assert note == ["p", "=", "0.03"]
    assert second[:5] == ["Δ_P", "[C_R*]", "2.89", "(2.89)", "nan"]


def test_brackets_of_a_column_are_aligned(table):
    lines = [line for line in terminal_text(table).splitlines() if "Δ_" in line]
    assert len({line.index(")") for line in lines}) == 1


def test_the_largest_table_fits_an_old_terminal():
    published = SUPERVISED_KMEANS["table3"]
    table = Table.from_rows("Table 3", published, published)
    text = terminal_text(table, width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert "43.3 (43.3)" in text


def test_csv_has_all_digits(table, tmp_path):
    table.to_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == [
        "", "C_G", "C_G, paper", "PCC", "PCC, paper", "PCC, note", "Default", "extra",
        "other", "other, paper",
    ]  # fmt: skip
    assert rows[0][""] == "Δ_M"
    assert rows[0]["C_G"] == "40.04"
    assert rows[0]["PCC, note"] == "p = 0.03"
    assert rows[0]["PCC, paper"] == ""
    assert rows[1]["C_G"] == "2.8851"
    assert rows[1]["Default"] == ""
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_entries_and_digits_must_match_the_names():
    with pytest.raises(
        InputError, match=r"1 row names and 2 column names, but its rows have \[1\]"
    ):
        Table("t", ["a"], ["x", "y"], [[Entry(1)]])
    with pytest.raises(InputError, match=r"1 rows, but digits has 2 numbers"):
        Table("t", ["a"], ["x"], [[Entry(1)]], digits=[1, 2])


@pytest.mark.parametrize("digits", [2, (1, 2)])
def test_a_table_is_restored_from_json(digits):
    table = Table.from_rows(
        "Results [x]", ROWS, PUBLISHED, notes=["A note."], digits=digits, data="the paper's own."
    )
    text = json.dumps(table.to_json(), allow_nan=False)
    restored = Table.from_json(json.loads(text, object_hook=decode_number))
    assert restored.to_markdown() == table.to_markdown()
    assert restored.entries[0] == table.entries[0]
    assert np.isnan(restored.entries[1][1].value)
    assert restored.data == "the paper's own."


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (99.4, "99 s"), (100, "2 min"), (3570, "1 h 0 min"), (7260, "2 h 1 min")],
)
def test_times(seconds, text):
    assert time_text(seconds) == text
