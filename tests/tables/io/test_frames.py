"""Tables from data frames: every library gives the same text, and gets its own type back."""

import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.exceptions import InputError
from coterie.tables.io import cells
from coterie.tables.io.cells import as_text
from coterie.tables.io.frames import as_table, with_columns
from coterie.tables.table import Table


def records_of(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


MAKERS = {
    "pandas": pd.DataFrame,
    "pandas indexed": lambda columns: pd.DataFrame(columns).set_axis([5, 5, 2]),
    "pandas objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": pa.table,
    "mapping": dict,
    "mapping of series": lambda columns: {k: pl.Series(v) for k, v in columns.items()},
    "mapping of pandas": lambda columns: dict(pd.DataFrame(columns)),
    "records": records_of,
}

NAIVE = datetime(2020, 5, 17, 13, 30, 0, 250)  # noqa: DTZ001
MIDNIGHT = datetime(2020, 5, 17)  # noqa: DTZ001
SAME = {
    "text": (["NA", "", "01"], ["NA", "", "01"]),
    "text with gaps": (["x", None, "True"], ["x", "", "True"]),
    "whole": ([1, 2**62, -3], ["1", str(2**62), "-3"]),
    "whole with gaps": ([1, None, 3], ["1", "", "3"]),
    "real": ([0.5, 2.0, 1e300], ["0.5", "2", "1e+300"]),
    "real with gaps": ([0.1, None, -0.0], ["0.1", "", "0"]),
    "large": ([2.0**53, 2.0**53 - 1, float("inf")], ["9007199254740992.0", str(2**53 - 1), "inf"]),
    "truth": ([True, False, True], ["true", "false", "true"]),
    "truth with gaps": ([True, None, False], ["true", "", "false"]),
    "times": ([NAIVE, MIDNIGHT, None], ["2020-05-17T13:30:00.000250", "2020-05-17T00:00:00", ""]),
    "days": ([MIDNIGHT, None, MIDNIGHT], ["2020-05-17", "", "2020-05-17"]),
    "zoned": (
        [datetime(2020, 5, 17, 1, tzinfo=UTC), None, datetime(2020, 5, 17, tzinfo=UTC)],
        ["2020-05-17T01:00:00+00:00", "", "2020-05-17T00:00:00+00:00"],
    ),
    "dates": ([date(1999, 1, 2), None, date(2000, 1, 1)], ["1999-01-02", "", "2000-01-01"]),
    "clock": ([time(1, 2), None, time(3, 4, 5)], ["01:02:00", "", "03:04:05"]),
    "spans": ([timedelta(days=1), None, timedelta(seconds=0.5)], ["86400", "", "0.5"]),
    "decimal": ([Decimal("1.50"), None, Decimal("20.00")], ["1.50", "", "20.00"]),
    "lists": ([["a", "b"], None, []], ["a; b", "", ""]),
    "lists of numbers": ([[1, 2], None, [3]], ["1; 2", "", "3"]),
    "empty": ([None, None, None], ["", "", ""]),
}


@pytest.mark.parametrize("kind", SAME)
@pytest.mark.parametrize("maker", MAKERS)
def test_all_kinds_of_tables_give_the_same_text(maker, kind):
    values, texts = SAME[kind]
    frame = MAKERS[maker]({"id": ["x", "y", "z"], kind: values})
    assert as_table(frame) == Table({"id": ["x", "y", "z"], kind: texts})


@pytest.mark.parametrize("maker", ["pandas", "polars", "pyarrow"])
def test_short_numbers_keep_their_digits(maker):
    frame = MAKERS[maker]({"a": np.array([0.1, 2, np.nan], np.float32)})
    assert as_table(frame)["a"] == ("0.1", "2", "")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.Categorical(["x", None, "y"])}),
        pl.DataFrame({"a": pl.Series(["x", None, "y"], dtype=pl.Categorical)}),
        pl.DataFrame({"a": pl.Series(["x", None, "y"], dtype=pl.Enum(["y", "x"]))}),
        pa.table({"a": pa.array(["x", None, "y"]).dictionary_encode()}),
    ],
)
def test_categories_are_their_text(frame):
    assert as_table(frame)["a"] == ("x", "", "y")


def test_nanoseconds_are_cut_to_microseconds():
    moments = np.array(["2020-05-17T00:00:01.123456789", "1960-01-01T00:00:00.000000001", "NaT"])
    times = moments.astype("datetime64[ns]")
    texts = ("2020-05-17T00:00:01.123456", "1960-01-01T00:00:00", "")
    for frame in (pd.DataFrame({"a": times}), pl.DataFrame({"a": times}), pa.table({"a": times})):
        assert as_table(frame)["a"] == texts
    assert as_table({"a": times})["a"] == as_table({"a": list(times)})["a"] == texts


WITHOUT_PANDAS = """
import importlib.abc, sys
class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "pandas":
            raise ImportError(name)
sys.meta_path.insert(0, Hidden())
import pyarrow as pa
from coterie.tables.io import cells
from coterie.tables.io.frames import as_table
kinds = [pa.timestamp("ns"), pa.timestamp("ns", tz="UTC"), pa.duration("ns")]
for kind in kinds:
    print(*as_table(pa.table({"a": pa.array([1_600_000_000_123_456_789, None], kind)}))["a"])
"""


def test_nanoseconds_can_be_read_without_pandas():
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", WITHOUT_PANDAS], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.split() == [
        "2020-09-13T12:26:40.123456",
        "2020-09-13T12:26:40.123456+00:00",
        "1600000000.123456",
    ]


class Colour(StrEnum):
    RED = "red"


class Mixed(str, Enum):  # noqa: UP042
    RED = "red"


class Size(IntEnum):
    BIG = 3


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (pd.NA, ""),
        (pd.NaT, ""),
        (np.datetime64("NaT"), ""),
        (np.datetime64("2020-05-17T01:00", "ns"), "2020-05-17T01:00:00"),
        (np.timedelta64(1500, "ms"), "1.5"),
        (np.timedelta64(5, "ns"), "0"),
        (np.float32(0.1), "0.1"),
        (np.float64(3), "3"),
        (np.int8(3), "3"),
        (np.True_, "true"),
        (np.str_("x"), "x"),
        (Colour.RED, "red"),
        (Mixed.RED, "red"),
        (Size.BIG, "3"),
        (Decimal("1E+3"), "1000"),
        (Decimal("NaN"), ""),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (("a", None, 2.0), "a; 2"),
        ({"b", "a"}, "a; b"),
        (np.array([1.5, 2]), "1.5; 2"),
        (np.array(4), "4"),
    ],
)
def test_single_values_are_written_as_text(value, text):
    assert as_text(value) == text
    assert type(as_text(value)) is str


@given(st.floats())
def test_numbers_keep_their_value(number):
    text = as_text(number)
    assert text == "" if np.isnan(number) else float(text) == number


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.text("xy"), min_size=1), min_size=1))
def test_records_have_the_union_of_keys(records):
    table = as_table(records)
    assert list(table.names) == list(dict.fromkeys(key for record in records for key in record))
    for row, record in enumerate(records):
        assert {name: table[name][row] for name in table.names} == {
            name: record.get(name, "") for name in table.names
        }


BAD = {
    "number": (7, "of type int; give a data frame"),
    "text": ("abc", "of type str; read the file first"),
    "array": (np.ones((2, 2)), "of type ndarray; give"),
    "lazy": (pl.LazyFrame({"a": [1]}), "of type LazyFrame; call its collect"),
    "series": (pd.Series([1]), "of type Series; give"),
    "list of numbers": ([{"a": 1}, 2], "row 2 is of type int"),
    "nothing": ([], "there are no columns"),
    "no columns": (pd.DataFrame(), "there are no columns"),
    "twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns have the name 'a'"),
    "twice in arrow": (pa.table([[1], [2]], names=["a", "a"]), "two columns have the name 'a'"),
    "numbered": (pd.DataFrame([[1, 2]]), "a column is named 0; its name must be text"),
    "levels": (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "is named"),
    "numbered key": ({1: ["x"]}, "a column is named 1"),
    "unnamed": ({"": ["x"]}, "the name of a column is ''"),
    "bytes": ({"a": ["x", b"y"]}, "column 'a': row 1 is bytes; decode"),
    "bytes in polars": (pl.DataFrame({"a": [b"y"]}), "column 'a': row 0 is bytes"),
    "record": (pl.DataFrame({"a": [{"b": 1}]}), "column 'a': row 0 is a record"),
    "record in arrow": (pa.table({"a": [{"b": 1}]}), "column 'a': row 0 is a record"),
    "lists": ({"a": [["x", ["y"]]]}, "column 'a': row 0 is a list of lists"),
    "object": ({"a": [None, object()]}, "column 'a': row 1 is of type object; convert it to text"),
    "complex": ({"a": [1j]}, "column 'a': row 0 is of type complex"),
    "digits": ({"a": [10**5000]}, "column 'a': row 0 is a number with too many digits"),
    "one text": ({"a": "xyz"}, "column 'a': the column is a single str; give a list"),
    "one number": ({"a": 7}, "column 'a': the column is 7; give a list"),
    "matrix": ({"a": np.ones((1, 2))}, "column 'a': the array has 2 dimensions"),
    "lengths": ({"a": ["x"], "b": []}, "column 'b' has 0 rows, but column 'a' has 1"),
    "surrogate": ({"a": ["x", "\udcff"]}, "column 'a', row 1 contains half of a surrogate pair"),
    "NUL": ({"a": ["x", "\0"]}, "column 'a', row 1 contains the character NUL"),
    "year": (
        pa.table({"a": pa.array([2**60], pa.timestamp("ms"))}),
        "column 'a': the values cannot be read",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_values_that_are_not_tables_are_refused_in_one_line(case):
    frame, message = BAD[case]
    with pytest.raises(InputError, match=f"^people: .*{message}") as caught:
        as_table(frame, "people")
    assert "\n" not in str(caught.value)


def test_a_table_is_returned_as_it_is():
    table = Table({"a": ["x"]})
    assert as_table(table) is table
    assert as_table({"a": ["x"]}, "people").name == "people"


NEW = {"cluster_id": ["p", None, "q"], "confidence": [0.123456789, None, 1.0], "why": [None] * 3}


@pytest.mark.parametrize("maker", MAKERS)
def test_the_same_kind_of_frame_comes_back(maker):
    columns = {"id": ["x", "y", "z"], "n": [1, 2, 3]}
    frame = MAKERS[maker](columns)
    before = as_table(frame)
    extended = with_columns(frame, NEW)
    assert type(extended) is type(frame)
    assert as_table(frame) == before
    assert as_table(extended).names == ("id", "n", "cluster_id", "confidence", "why")
    assert as_table(extended)["cluster_id"] == ("p", "", "q")
    assert as_table(extended)["confidence"] == ("0.123456789", "", "1")
    assert as_table(extended)["why"] == ("", "", "")


def test_pandas_keeps_its_index_and_types():
    frame = pd.DataFrame({"id": ["x", "y", "z"]}, index=[5, 5, 2])
    extended = with_columns(frame, NEW)
    assert extended.index.tolist() == [5, 5, 2]
    assert extended["confidence"].dtype == float
    assert extended["cluster_id"].dtype == extended["why"].dtype == "str"
    assert list(frame.columns) == ["id"]
    categorical = with_columns(frame.astype("category"), NEW)
    assert categorical["id"].dtype == "category"


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
def test_new_columns_have_types(kind):
    extended = with_columns(kind({"id": ["x", "y", "z"]}), NEW)
    types = [
        str(dtype).lower()
        for dtype in (extended.schema.types if kind is pa.table else extended.dtypes)
    ]
    assert types[1:] in (["string", "double", "string"], ["string", "float64", "string"])


def test_mappings_and_records_get_plain_lists():
    mapping = {"id": ("x", "y")}
    assert with_columns(mapping, {"n": np.array([0.5, 1])}) == {"id": ["x", "y"], "n": [0.5, 1.0]}
    assert mapping == {"id": ("x", "y")}
    records = [{"id": "x"}, {}]
    assert with_columns(records, {"id": ["p", "q"]}) == [{"id": "p"}, {"id": "q"}]
    assert records == [{"id": "x"}, {}]


def test_a_table_gets_columns_of_text():
    extended = with_columns(Table({"id": ["x", "y", "z"]}, "people"), NEW)
    assert extended.name == "people"
    assert extended["confidence"] == ("0.123457", "", "1.0")
    assert with_columns(extended, {"id": ["1", "2", "3"]}).names == extended.names


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": ["x"]}, "column 'a': there are 1 values for 2 rows"),
        ({"a": ["x", 1.0]}, "column 'a': the column mixes strings and numbers"),
        ({"a": [1.0, float("-inf")]}, "column 'a': row 1 is -inf"),
        ({"a": [["x"], "y"]}, "column 'a': row 0 is"),
        ({7: ["x", "y"]}, "a column is named 7"),
    ],
)
@pytest.mark.parametrize("maker", [pd.DataFrame, pl.DataFrame, pa.table, dict, records_of, Table])
def test_bad_columns_are_refused(maker, columns, message):
    with pytest.raises(InputError, match=message):
        with_columns(maker({"id": ["x", "y"]}), columns)


def test_rows_and_columns_of_a_table_can_be_selected():
    table = Table({"a": ["1", "2", "3"], "b": ["x", "y", "z"]}, "people")
    assert table.take([2, 0, 2]) == Table({"a": ["3", "1", "3"], "b": ["z", "x", "z"]})
    assert table.take(np.array([1]))["b"] == ("y",)
    assert len(table.take([])) == 0
    assert table.without(["a"]) == Table({"b": ["x", "y", "z"]})
    assert table.take([0]).without({"b"}).name == "people"
    assert table.with_columns({"c": ["", "", ""], "a": ["4", "5", "6"]}).names == ("a", "b", "c")
    assert table["a"] == ("1", "2", "3")


def test_tables_are_equal_by_their_columns_in_order():
    table = Table({"a": ["1"], "b": ["2"]})
    assert table == Table({"a": ("1",), "b": ("2",)}, "another name")
    assert table != Table({"b": ["2"], "a": ["1"]})
    assert table != {"a": ["1"], "b": ["2"]}
    assert len({table, Table({"a": ["1"], "b": ["2"]})}) == 1
    assert repr(table) == "Table(1 rows, columns a, b)"


def test_tables_do_not_change():
    cells = ["1", "2"]
    table = Table({"a": cells})
    cells.append("3")
    assert len(table) == 2
    with pytest.raises(TypeError):
        table.columns["a"] = ("3",)
    with pytest.raises(AttributeError):
        table.name = "x"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda table: table["c"], "people has no column 'c'; its columns are a, b"),
        (lambda table: table.without(["a", "c"]), "people has no column 'c'"),
        (lambda table: table.without(["a", "b"]), "people: there are no columns"),
        (lambda table: table.take([0, 2]), "people has no row 2; its rows run from 0 to 1"),
        (lambda table: table.take([-1]), "people has no row -1"),
        (lambda table: table.with_columns({"c": ["1"]}), "people: column 'c' has 1 rows, but"),
        (lambda table: table.with_columns({"c": [1, 2]}), "people: column 'c', row 0 is of type"),
        (lambda table: table.with_columns({"c": "12"}), "people: column 'c' is a single string"),
    ],
)
def test_errors_name_the_rows_and_columns_that_a_table_lacks(act, message):
    with pytest.raises(InputError, match=message):
        act(Table({"a": ["1", "2"], "b": ["x", "y"]}, "people"))


def test_cells_of_frames_are_limited_too(monkeypatch):
    monkeypatch.setattr(cells, "MAX_CELL", 100)
    columns = {"a": ["1", "2"], "b": ["x" * 100, "x" * 101]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for frame in (columns, rows, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        with pytest.raises(
            InputError, match=r"the table: column b, row 1 has 101 .*give .*coterie\.tables\.Table"
        ):
            as_table(frame)
    assert as_table(Table(columns)) == Table(columns)
