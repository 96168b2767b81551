"""Tables written to files: read back unchanged, never half-written, with equal bytes."""

import gzip
import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from coterie.exceptions import InputError
from coterie.tables.io.reading import read_table
from coterie.tables.io.writing import write_table
from coterie.tables.table import Table

FORMATS = ["csv", "tsv", "jsonl", "parquet", "csv.gz", "tsv.gz", "jsonl.gz", "ndjson"]
SOUND = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
AWKWARD = st.sampled_from(["", '"', ",", "\t", "\r", "\n", "\r\n", " ", "\ufeff", "{", "\u2028"])
CELLS = st.lists(AWKWARD | st.text(SOUND, max_size=3), max_size=4).map("".join)
NAMES = CELLS.filter(str.strip)


@st.composite
def tables(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    n_rows = draw(st.integers(1, 4))
    column = st.lists(CELLS, min_size=n_rows, max_size=n_rows)
    return Table({name: draw(column) for name in names})


@pytest.mark.parametrize("suffix", FORMATS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(table=tables())
def test_a_written_table_is_read_back_unchanged(tmp_path, suffix, table):
    write_table(tmp_path / f"t.{suffix}", table)
    assert read_table(tmp_path / f"t.{suffix}") == table


def test_tables_of_several_blocks_are_read_back_unchanged(tmp_path):
    table = Table({"a": [str(i) for i in range(25_001)], "b": [f"{i}, x" for i in range(25_001)]})
    for suffix in ("csv", "jsonl.gz"):
        write_table(tmp_path / f"t.{suffix}", table)
        assert read_table(tmp_path / f"t.{suffix}") == table


def test_csv_is_not_taken_for_json(tmp_path, monkeypatch):
    table = Table({"{a}": ["{}"], "b": ["1"]})
    write_table(tmp_path / "t.csv", table)
    with (tmp_path / "t.csv").open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert read_table("-") == table


def test_csv_has_quotes_only_where_they_are_needed(tmp_path):
    write_table(tmp_path / "t.csv", Table({"a b": ["1", "x,y", ' "q" '], "c": ["", "=1", "\r"]}))
    content = (tmp_path / "t.csv").read_bytes()
    assert content == b'a b,c\n1,\n"x,y",=1\n" ""q"" ","\r"\n'


def test_numbers_are_written_to_six_decimal_places(tmp_path):
    columns = {
        "id": ["a", None, "c"],
        "confidence": [0.12345678, None, float("nan")],
        "whole": [1, -1e-9, 12.0],
    }
    write_table(tmp_path / "t.csv", columns)
    assert (tmp_path / "t.csv").read_text() == (
        "id,confidence,whole\na,0.123457,1.0\n,,0.0\nc,,12.0\n"
    )
    write_table(tmp_path / "t.jsonl", columns)
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert rows[0] == {"id": "a", "confidence": 0.123457, "whole": 1.0}
    assert [row["confidence"] for row in rows] == [0.123457, None, None]
    write_table(tmp_path / "t.parquet", columns)
    table = parquet.read_table(tmp_path / "t.parquet")
    assert [str(kind) for kind in table.schema.types] == ["string", "double", "double"]
    assert table["confidence"].to_pylist() == [0.123457, None, None]


@pytest.mark.parametrize("suffix", FORMATS)
def test_equal_tables_make_equal_files(tmp_path, monkeypatch, suffix):
    table = Table({"a": ["1", "2"]})
    write_table(tmp_path / f"one.{suffix}", table)
    monkeypatch.setattr("time.time", lambda: 2e9)
    write_table(tmp_path / f"two.{suffix}", table)
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


def test_gzip_files_contain_no_name_and_no_time(tmp_path):
    write_table(tmp_path / "secret.csv.gz", Table({"a": ["1"]}))
    content = (tmp_path / "secret.csv.gz").read_bytes()
    assert gzip.decompress(content) == b"a\n1\n"
    assert content[3:8] == b"\0" * 5


@pytest.mark.parametrize(
    ("name", "columns", "message"),
    [
        ("t.csv", {"a": [1.0, "x"]}, "column 'a': the column mixes strings and numbers"),
        ("t.csv", {"a": ["x", 1j]}, "column 'a': row 1 is 1j"),
        ("t.csv", {"a": [True]}, "column 'a': row 0 is True"),
        ("t.csv", {"a": [float("inf")]}, "column 'a': row 0 is inf"),
        ("t.csv", {"a": ["x"], "b": ["x", "y"]}, "column 'b' has 2 rows, but column 'a' has 1"),
        ("t.csv", {"a": ["\ud800"]}, "column 'a', row 0 contains half of a surrogate pair"),
        ("t.csv", {" ": ["x"]}, "the name of a column is ' '"),
        ("t.csv", {}, "there are no columns"),
        ("t.csv", [["x"]], "row 1 is of type list"),
        ("t.xlsx", {"a": ["x"]}, "the format of .* is unknown"),
        ("t.parquet.gz", {"a": ["x"]}, "remove the .gz"),
        ("none/t.csv", {"a": ["x"]}, "there is no folder"),
    ],
)
def test_a_failed_write_leaves_the_old_file(tmp_path, name, columns, message):
    old = tmp_path / "t.csv"
    old.write_text("old")
    with pytest.raises(InputError, match=message):
        write_table(tmp_path / name, columns)
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def run(code, **options):
    program = f"from coterie.tables.io.writing import write_table; {code}"
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", program], stderr=subprocess.PIPE, **options
    )


def test_tables_are_written_to_standard_output(capfdbinary):
    table = Table({"a": ["1"], "b": ["é"]})
    write_table("-", table)
    write_table("-", table, format="tsv")
    write_table("-", table, format="jsonl")
    out = capfdbinary.readouterr().out
    assert out.decode() == 'a,b\n1,é\na\tb\n1\té\n{"a": "1", "b": "é"}\n'


def test_a_reader_that_stops_early_is_not_an_error():
    job = run("write_table('-', {'a': ['x' * 1000] * 20000})", stdout=subprocess.PIPE)
    assert job.stdout.readline() == b"a\n"
    job.stdout.close()
    assert (job.wait(), job.stderr.read()) == (0, b"")
    job.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")  # noqa: PTH110
def test_a_full_output_is_an_error():
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        job = run("write_table('-', {'a': ['x']})", stdout=full)
        errors = job.communicate()[1].decode()
    assert job.returncode == 1
    assert "InputError: standard output cannot be written" in errors
    assert "Exception ignored" not in errors
