"""Tables read from files: their cells without changes, or one clear error."""

import codecs
import csv
import errno
import gzip
import io
import os
import sys
import threading
import zlib
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from coterie.exceptions import InputError
from coterie.tables.io import cells, delimited, sources
from coterie.tables.io.reading import read_table, read_typed
from coterie.tables.table import Table
from tests.memory import limit_memory

PEOPLE = 'id,name,zip\n1,"O""Neil, Ann",01234\n2,NA,\n'
EXPECTED = Table({"id": ["1", "2"], "name": ['O"Neil, Ann', "NA"], "zip": ["01234", ""]})


@pytest.fixture
def read(tmp_path):
    """Return a function that writes content to a file and reads it as a table."""

    def read_content(content, name="t.csv", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, **options)

    return read_content


@pytest.fixture
def piped(monkeypatch):
    """Return a function that reads content as a table from standard input."""

    def read_content(content, **options):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return read_table("-", **options)

    return read_content


def as_parquet(columns, **options):
    stream = io.BytesIO()
    parquet.write_table(pa.table(columns), stream, **options)
    return stream.getvalue()


JSON = '{"id": 1, "name": "O\\"Neil, Ann", "zip": "01234"}\n\n{"id": 2, "zip": null, "name": "NA"}'
SAME = {
    "t.csv": PEOPLE.encode(),
    "T.CSV": PEOPLE.encode(),
    "t.tsv": b'id\tname\tzip\n1\t"O""Neil, Ann"\t01234\n2\tNA\t\n',
    "t.jsonl": JSON.encode(),
    "t.ndjson": JSON.encode(),
    "t.csv.gz": gzip.compress(PEOPLE.encode(), mtime=0),
    "t.jsonl.gz": gzip.compress(JSON.encode(), mtime=0),
    "t.parquet": as_parquet({"id": [1, 2], "name": ['O"Neil, Ann', "NA"], "zip": ["01234", None]}),
    "bom.csv": codecs.BOM_UTF8 + PEOPLE.encode(),
    "utf16.csv": PEOPLE.encode("utf-16"),
    "utf16be.csv": codecs.BOM_UTF16_BE + PEOPLE.encode("utf-16-be"),
    "windows.csv": PEOPLE.replace("\n", "\r\n").encode(),
    "mac.csv": PEOPLE.replace("\n", "\r").encode(),
    "blank.csv": PEOPLE.replace("\n", "\n\n").encode(),
    "open.csv": PEOPLE.rstrip().encode(),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_table_in_every_format(read, name):
    assert read(SAME[name], name) == EXPECTED


@pytest.mark.parametrize("name", SAME)
def test_the_format_of_standard_input_is_recognized(piped, name):
    assert piped(SAME[name]) == EXPECTED


def test_the_format_of_a_pipe_is_recognized(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(SAME["t.jsonl"],))
    writer.start()
    assert read_table(tmp_path / "pipe") == EXPECTED
    writer.join()


def test_a_given_format_overrides_the_file_name(read, piped):
    assert read(SAME["t.tsv"], "t.csv", format="tsv") == EXPECTED
    assert read(SAME["t.csv"], "table", format="csv") == EXPECTED
    assert piped(b"a\tb\n1\t2\n", format="csv").names == ("a\tb",)


def test_cells_are_read_without_any_conversion(read):
    texts = ["NA", "null", "01234", "12345678901234567890", "1.0", "1e5", " x ", "TRUE", "=1+1"]
    assert read("a\n" + "\n".join(texts))["a"] == tuple(texts)


def test_newlines_and_blanks_in_cells_are_kept(read):
    table = read('a,b\n"1\r\n2\n\n3\r",  x \n')
    assert table == Table({"a": ["1\r\n2\n\n3\r"], "b": ["  x "]})


def test_a_quoted_empty_cell_is_a_row(read):
    assert read('a\n1\n""\n\n2\n')["a"] == ("1", "", "2")


def test_the_name_of_a_table_is_that_of_its_file(read, piped, tmp_path):
    assert read(PEOPLE).name == str(tmp_path / "t.csv")
    assert piped(PEOPLE.encode()).name == "standard input"


def test_values_of_json_lines_become_text(read):
    table = read(
        '{"a": 12345678901234567890123, "b": 1.10, "c": true, "d": ["x", 2, null, false]}\r\n'
        '{"e": 1e400, "a": "\\u00e9", "b": NaN, "c": Infinity, "d": []}\n',
        "t.jsonl",
    )
    assert table == Table(
        {
            "a": ["12345678901234567890123", "é"],
            "b": ["1.10", ""],
            "c": ["true", "inf"],
            "d": ["x; 2; false", ""],
            "e": ["", "1e400"],
        }
    )


def test_values_of_parquet_become_text(read):
    table = read(
        as_parquet(
            {
                "day": np.array(["2020-05-17", "NaT"], "datetime64[ms]"),
                "date": [date(1999, 1, 2), None],
                "time": pa.array([1_600_000_000_123_456_789, None], pa.timestamp("ns")),
                "tags": [["a", "b"], None],
                "kind": pa.array(["x", None]).dictionary_encode(),
                "float": [2.0, 0.5],
                "__index_level_0__": [7, 8],
            }
        ),
        "t.parquet",
    )
    assert table == Table(
        {
            "day": ["2020-05-17", ""],
            "date": ["1999-01-02", ""],
            "time": ["2020-09-13T12:26:40.123456", ""],
            "tags": ["a; b", ""],
            "kind": ["x", ""],
            "float": ["2", "0.5"],
        }
    )


BAD = {
    "empty": ("t.csv", b"", "the file is empty"),
    "blank": ("t.csv", b"\n\n", "the file is empty"),
    "no rows": ("t.csv", b"a,b\n", "a header but no rows"),
    "short": ("t.csv", b'a,b\n"1\n2",3\n\n4\n', "line 5 has 1 cell, but the header has 2"),
    "long": ("t.csv", b"a,b\n1,2\n1,2,3\n", "line 3 has 3 cells, but the header has 2"),
    "late": ("t.csv", b"a,b\n" + b"1,2\n" * 999 + b"1\n", "line 1001 has 1 cell"),
    "twice": ("t.csv", b"a,b,a\n1,2,3\n", "columns 1 and 3 are both called 'a'"),
    "unnamed": ("t.csv", b"a, ,c\n1,2,3\n", "column 2 has no name"),
    "NUL": ("t.csv", b"a,b\n1,2\n1,\0\n", "line 3 has a NUL byte"),
    "NUL in UTF-16": ("t.csv", "a\n1\n\0".encode("utf-16"), "line 3 has a NUL byte"),
    "open quote": (
        "t.csv",
        b'a,b\n1,2\n1,"2\n3,4\n',
        "starts at line 3 has an opening quote without",
    ),
    "open header": ("t.csv", b'"a,b\n1,2\n', "starts at line 1 has an opening quote without"),
    "after a quote": ("t.csv", b'a,b\n1,2\n1,"2" x\n', "starts at line 3 has text after a closing"),
    "Latin-1": (
        "t.csv",
        "a,b\n1,2\r\né,3\n".encode("latin-1"),
        "line 3 has the byte 0xe9 .byte 10",
    ),
    "Latin-1 header": ("t.csv", "é,b\n1,2\n".encode("latin-1"), "line 1 has the byte 0xe9"),
    "cut UTF-8": ("t.csv", "a\né".encode()[:-1], "line 2 has the byte 0xc3"),
    "cut UTF-16": (
        "t.csv",
        "a\nb".encode("utf-16")[:-1],
        "line 2 has the byte .* UTF-16 text; save",
    ),
    "no gzip": ("t.csv.gz", PEOPLE.encode(), "the gzip file is damaged"),
    "cut gzip": (
        "t.csv.gz",
        gzip.compress(PEOPLE.encode(), mtime=0)[:-9],
        "the gzip file is damaged",
    ),
    "no format": ("t.xlsx", b"PK", "the format of .* is unknown"),
    "gzip of Parquet": ("t.parquet.gz", b"", "remove the .gz"),
    "no object": ("t.jsonl", b'{"a": 1}\n\n[1]\n', "line 3 is JSON, but not an object"),
    "no JSON": ("t.jsonl", b'{"a": 1}\n{"a": \n', "line 2 is not valid JSON"),
    "leading zero": ("t.jsonl", b'{"a": 01}', "line 1 is not valid JSON"),
    "nested": ("t.jsonl", b'{"a": 1}\n{"b": {"c": 1}}\n', "line 2: the value of 'b' is a record"),
    "lists": ("t.jsonl", b'{"b": [[1]]}\n', "line 1: the value of 'b' is a list of lists"),
    "deep": ("t.jsonl", b'{"a": ' + b"[" * 99999, "line 1 is nested too deeply"),
    "key twice": ("t.jsonl", b'{"a": 1, "b": 1, "a": 2}', "line 1 has the key 'a' twice"),
    "no key": ("t.jsonl", b'{"": 1}', "the name of a column is ''"),
    "surrogate": (
        "t.jsonl",
        b'{"a": "\\ud800"}',
        "column 'a', row 0 contains half of a surrogate pair",
    ),
    "NUL in JSON": ("t.jsonl", b'{"a": "\\u0000"}', "column 'a', row 0 contains the character NUL"),
    "no keys": ("t.jsonl", b"{}\n{}\n", "the file has no values"),
    "Latin-1 JSON": ("t.jsonl", b'{"a": 1}\n{"a": "\xe9"}', "line 2 has the byte 0xe9"),
    "no Parquet": ("t.parquet", b"PAR1PAR1", "the Parquet file is damaged"),
    "Parquet bytes": ("t.parquet", as_parquet({"a": [b"x"]}), "column 'a': row 0 is bytes"),
    "Parquet record": ("t.parquet", as_parquet({"a": [{"b": 1}]}), "column 'a': row 0 is a record"),
    "Parquet without rows": ("t.parquet", as_parquet({"a": pa.array([], "string")}), "no rows"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_in_one_line(read, tmp_path, case):
    name, content, message = BAD[case]
    with pytest.raises(InputError, match=message) as caught:
        read(content, name)
    assert "\n" not in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)
    assert ";" in str(caught.value)


def test_files_that_cannot_be_read_are_refused(tmp_path, monkeypatch):
    (tmp_path / "folder.csv").mkdir()
    for path, message in {
        tmp_path / "none.csv": "there is no file",
        tmp_path / "folder.csv": "is a folder",
        tmp_path / ("x" * 300 + ".csv"): "cannot be read",
        3: "the file name is 3",
        "": "the file name is ''",
    }.items():
        with pytest.raises(InputError, match=message):
            read_table(path)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input cannot be read"):
        read_table("-")


class Zeros(io.RawIOBase):
    """An endless file of NUL bytes, such as /dev/zero, that counts how many are read."""

    n_read = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        assert self.n_read < 2**24, "reading does not end"
        self.n_read += len(buffer)
        buffer[:] = bytes(len(buffer))
        return len(buffer)


def test_a_file_without_end_is_refused_at_its_first_nul_byte(monkeypatch):
    zeros = Zeros()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(zeros)))
    with pytest.raises(InputError, match="standard input: line 1 has a NUL byte"):
        read_table("-")
    assert zeros.n_read <= 2 * 2**20


def test_a_nul_byte_after_the_first_block_is_located(read):
    content = b"a\n" + b"x\n" * 2**20 + b"\0"
    with pytest.raises(InputError, match="line 1048578 has a NUL byte"):
        read(content)
    assert read("a\nx\n".encode("utf-16"))["a"][0] == "x"


@pytest.mark.parametrize("name", ["-", "t.csv"])
def test_too_little_memory_of_the_system_is_not_blamed_on_the_file(name, monkeypatch, tmp_path):
    def fail(*_args, **_kwargs):
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    (tmp_path / "t.csv").write_text("a\nx\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sources, "_bounded", fail)
    with pytest.raises(
        MemoryError, match=f"while it read {'standard input' if name == '-' else name}"
    ):
        read_table(name)


def test_an_unknown_format_is_refused(read):
    with pytest.raises(InputError, match="'xml'; use one of csv, tsv, jsonl, parquet"):
        read(PEOPLE, format="xml")


def test_cells_beyond_the_limit_are_refused(read, monkeypatch):
    before = csv.field_size_limit()
    assert len(read("a\n" + "x" * 1_000_000)["a"][0]) == 1_000_000
    assert csv.field_size_limit() == before
    monkeypatch.setattr(cells, "MAX_CELL", 100)
    long = "x" * 101
    for name, content, place in [
        ("t.csv", f"a,b\n1,2\n3,{long}\n", "line 3, column b"),
        ("t.csv.gz", gzip.compress(f"a,b\n1,{long}\n".encode()), "line 2, column b"),
        ("t.csv", f'a,b\n"1\n2",3\n4,"{long}"\n5\n', "line 4, column b"),
        ("t.csv", f"a,{long}\n1,2\n", "line 1, the name of column 2"),
        ("t.tsv", f"a\tb\n{long}\t2\n", "line 2, column a"),
        ("t.jsonl", f'{{"a": "1"}}\n\n{{"a": "{long}"}}\n', "line 3, column a"),
        ("t.jsonl", f'{{"a": ["1", "{long}"]}}\n', "line 1, column a"),
        ("t.parquet", as_parquet({"a": ["1", long]}), "column a, row 1"),
    ]:
        with pytest.raises(InputError, match=f"{name}: {place} has 10. characters, more than 100"):
            read(content, name)
        allowed = content if "5\n" not in str(content) else content.replace("5\n", "")
        assert long in str(read(allowed, name, long_cells=True).columns)
    assert len(read("a\n" + "x" * 100)["a"][0]) == 100
    assert csv.field_size_limit() == before


def test_an_open_quote_is_named_however_long_the_rest_of_the_file_is(read, monkeypatch):
    monkeypatch.setattr(cells, "MAX_CELL", 100)
    content = 'a,b\n1,2\n1,"2\n' + "3,4\n" * 100
    for long_cells in (False, True):
        with pytest.raises(InputError, match="starts at line 3 has an opening quote without"):
            read(content, long_cells=long_cells)


def test_too_large_a_table_is_refused_however_small_its_file(read, monkeypatch):
    bomb = gzip.compress(b"a\n" + b"x\n" * 2**20, mtime=0)
    keys = "".join(f'{{"k{i}": 1}}\n' for i in range(1000))
    monkeypatch.setattr(sources, "MAX_BYTES", 2**20)
    monkeypatch.setattr(sources, "MAX_CELLS", 10**5)
    for name, content, message in [
        ("t.csv.gz", bomb, "larger than 1,048,576 bytes"),
        ("t.csv", b"x" * (2**20 + 1), "larger than 1,048,576 bytes"),
        ("t.jsonl", keys, "different keys in .* records, too many"),
        ("t.parquet", as_parquet({"a": [1] * (10**5 + 1)}), "100,001 rows, 1 columns"),
    ]:
        with pytest.raises(InputError, match=f"{name}: .*{message}"):
            read(content, name)


def test_a_gzip_file_that_expands_too_much_is_refused_on_the_way(read, monkeypatch):
    monkeypatch.setattr(sources, "SAFE_BYTES", 3 * 2**20)
    n_read = []

    def count_reads(self, size=-1):
        n_read.append(size)
        return read_block(self, size)

    read_block = gzip.GzipFile.read
    monkeypatch.setattr(gzip.GzipFile, "read", count_reads)
    bomb = gzip.compress(b"a\n" + b"x\n" * 2**24, mtime=0)
    with pytest.raises(InputError, match=r"t.csv.gz: the [\d,]+ bytes .* over .* with gunzip"):
        read(bomb, "t.csv.gz")
    most = sources.MAX_RATIO * len(bomb)
    assert sum(n_read) <= most + 2 * 2**20 < 2**25
    # The second limit: little text, however much it expands.
    assert len(read(gzip.compress(b"a\n" + b"x\n" * 2**20, mtime=0), "t.csv.gz")) == 2**20


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "t.csv",
            b"a\n" + b"x" * 2**21,
            "needs over 4 MB of memory, but .* only 3 MB more .`ulimit -v`",
        ),
        (
            "t.csv.gz",
            gzip.compress(b"a\n" + b"x" * 2**21, mtime=0),
            "needs over 4 MB of memory, but .* only 3 MB more .`ulimit -v`",
        ),
        ("t.csv", b"a,b\n" + b"x,y\n" * 2**17, "a table of over .* rows and 2 columns needs"),
        ("t.parquet", as_parquet({"a": [None] * 2**18}), "a table of 262,144 rows and 1 column"),
        (
            "t.parquet",
            as_parquet({"a": pa.DictionaryArray.from_arrays([0] * 1000, ["x" * 10_000])}),
            "a table with over 10,000,000 bytes of text needs",
        ),
    ],
)
def test_what_exceeds_memory_is_refused_before_it_is_read(
    read, name, content, message, monkeypatch
):
    limit_memory(monkeypatch, 3 * 2**20)
    with pytest.raises(InputError, match=f"{name}: .*{message}") as caught:
        read(content, name, long_cells=True)
    assert "raise the limit" in str(caught.value) or "split the table" in str(caught.value)


def test_texts_of_parquet_are_counted_as_often_as_they_occur(read, monkeypatch):
    monkeypatch.setattr(sources, "MAX_BYTES", 10**6)
    repeated = {"a": ["x" * 1000] * 1001, "b": [["x"]] * 1001}
    for columns in (repeated, {**repeated, "a": pa.array(repeated["a"]).dictionary_encode()}):
        with pytest.raises(InputError, match="the texts of the table have over 1,001,000 bytes"):
            read(as_parquet(columns), "t.parquet")
    assert len(read(as_parquet({"a": ["x" * 1000, None] * 1000}), "t.parquet")) == 2000


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("malloc of size 9 failed")])
def test_too_little_memory_is_not_taken_for_damage(read, error, monkeypatch):
    def fail(_data):
        raise error

    monkeypatch.setattr("coterie.tables.io.parquet.parquet_frame", fail)
    with pytest.raises(InputError, match=r"needs more memory than there is.*split") as caught:
        read(SAME["t.parquet"], "t.parquet")
    assert str(error) in str(caught.value)


def test_numbers_with_too_many_digits_for_python_are_refused_where_types_are_kept(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n{"a": ' + "7" * 10_000 + "}\n")
    assert len(read_table(path)["a"][1]) == 10_000
    with pytest.raises(InputError, match="line 2 has a number with too many digits; write it as"):
        read_typed(path, to="jsonl")


def test_parquet_without_pyarrow_says_how_to_install_it(read, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        InputError, match=r"need pyarrow; install it with: pip install 'coterie\[parquet\]'"
    ):
        read(SAME["t.parquet"], "t.parquet")


def read_or_none(read, content, name):
    """Return a table, or None where it is refused in one line."""
    try:
        return read(content, name)
    except InputError as error:
        message = str(error)
    assert "\n" not in message
    return None


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.csv.gz", "t.parquet"])
def test_random_bytes_never_crash(read, name):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    for _ in range(100):
        content = rng.bytes(rng.integers(60))
        assert read_or_none(read, content, name) is None or name != "t.parquet"
        ascii_only = bytes(rng.choice(list(b'a1,"\t\n\r{}[]: \xc3\xa9'), 40).tolist())
        read_or_none(read, ascii_only, name)


@pytest.mark.parametrize("name", SAME)
def test_damaged_tables_never_crash(read, name):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    for _ in range(100):
        content = bytearray(SAME[name])
        for _ in range(rng.integers(1, 4)):
            place = rng.integers(len(content))
            cut = rng.choice([0, 1, 1, 9])
            content[place : place + cut] = rng.bytes(rng.choice([0, 1, 1, 4]))
        read_or_none(read, bytes(content), name)


def test_random_standard_input_never_crashes(piped):
    rng = np.random.default_rng(5)
    for _ in range(100):
        read_or_none(lambda content, _name: piped(content), rng.bytes(rng.integers(60)), "-")


@given(st.text(alphabet='ab,"\n\r\t é', max_size=30))
def test_the_fast_reader_agrees_with_the_slow_one(text):
    """Both readers return the same cells, or both fail."""
    data = text.encode()
    try:
        columns = delimited.read_delimited(data, ",")
    except InputError:
        return
    header, *rows = [row for _line, row in delimited.read_rows(data, ",")]
    assert list(columns) == header
    assert [list(row) for row in zip(*columns.values(), strict=True)] == rows
