"""Random tables of people, files of them in all formats, and models that cluster them."""

import atexit
import csv
import gzip
import io
import json
import random
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from coterie import tables
from tests.people import people
from tests.tables.fuzzed import random_column

NAMES = ("surname", "birth_date", "email")
LEARNERS = ("logistic", "boosted", "left-linking")
FORMATS = ("csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz")
ODD_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2**53 + 1, 2**70, 10**400, 1.5, 1e308, 5e-324, -0.0),
    *(float("nan"), float("inf"), "", " ", "\ud800", "\0", [], [None], [[1]], {}, {"a": {"b": []}}),
]
"""Values of JSON lines; Python writes and reads NaN and infinity, which JSON does not have."""

ODD_TYPES: list[pa.DataType] = [
    *(pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float64(), pa.binary()),
    *(pa.large_string(), pa.date32(), pa.time64("us"), pa.timestamp("ns"), pa.duration("s")),
    *(pa.timestamp("us", "Asia/Kathmandu"), pa.decimal128(38, 10), pa.list_(pa.int64())),
    *(pa.struct([("a", pa.string()), ("b", pa.list_(pa.float64()))]), pa.binary(3)),
    *(pa.map_(pa.string(), pa.int64()), pa.dictionary(pa.int32(), pa.string()), pa.date64()),
]


@cache
def model_file(learner: str = "logistic") -> Path:
    """Fit a model to a table of people, and return its file."""
    folder = Path(mkdtemp(prefix="models-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    rows = people(80, 1, NAMES)
    tables.fit(rows, cluster="who", learner=learner).save(folder / "people.coterie")
    return folder / "people.coterie"


@cache
def _pool(seed: int) -> dict[str, list[str]]:
    return people(60, seed, NAMES)


def random_people(rng: random.Random, n_rows: int | None = None) -> dict[str, list[str]]:
    """Return the columns of some people, in any order and with or without unusual cells."""
    pool = _pool(rng.choice([2, 3]))
    count = n_rows or rng.choice([1, 2, 3, 8, 20, 40])
    chosen = rng.sample(range(60), count)
    table = {name: [cells[row] for row in chosen] for name, cells in pool.items()}
    for name in NAMES:
        if rng.random() < 0.3:
            odd = random_column(rng, count)
            share = rng.choice([0.1, 1.0])
            pairs = zip(table[name], odd, strict=True)
            table[name] = [other if rng.random() < share else cell for cell, other in pairs]
    if rng.random() < 0.1:
        # More equal rows than a block holds take other ways through the code.
        copies = rng.choice([2, 30])
        for name, cells in table.items():
            table[name] = [
                f"{cell}-{copy}" if name == "id" else cell
                for copy in range(copies)
                for cell in cells
            ]
    return table


def encoded(rows: Sequence[dict[str, Any]] | dict[str, list[Any]], format_: str) -> bytes:
    """Return the bytes of a file of a table of texts."""
    assert isinstance(rows, dict)
    kind = format_.removesuffix(".gz")
    if kind == "parquet":
        return parquet_bytes(pa.table(rows))
    if kind == "jsonl":
        text = json_text(rows)
    else:
        stream = io.StringIO()
        writer = csv.writer(stream, "excel-tab" if kind == "tsv" else "excel")
        writer.writerows([list(rows), *zip(*rows.values(), strict=True)])
        text = stream.getvalue()
    data = text.encode("utf-8", "surrogatepass")
    return gzip.compress(data, 1, mtime=0) if format_.endswith(".gz") else data


def json_text(table: dict[str, list[Any]]) -> str:
    """Return the rows of a table as JSON lines."""
    rows = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def parquet_bytes(table: pa.Table) -> bytes:
    """Return a file of Parquet."""
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def odd_array(rng: random.Random, count: int) -> pa.Array:
    """Return a column of any type of Arrow, with missing values."""
    cells: dict[str, Any] = {
        "str": [rng.choice(["a", "é", "", None]) for _ in range(count)],
        "int": [rng.choice([0, 1, 100, None]) for _ in range(count)],
        "list": [rng.choice([[1, 2], [], None]) for _ in range(count)],
        "struct": [rng.choice([{"a": "x", "b": [1.5]}, {"a": None, "b": []}, None])] * count,
        "map": [rng.choice([[("k", 1)], [], None]) for _ in range(count)],
        "bytes": [rng.choice([b"abc", b"\xff\0\xfe", None]) for _ in range(count)],
        "none": [None] * count,
    }
    kind = rng.choice(ODD_TYPES)
    for values in cells.values():
        try:
            return pa.array(values, kind)
        except (pa.ArrowException, TypeError, ValueError):
            pass
    return pa.nulls(count, kind)
