"""Tables in all formats, whole and damaged, through the commands."""

import csv
import gzip
import io
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa

from coterie.tables import load, read_table
from coterie.tables.predictions import COLUMNS, is_predicted
from tests.fuzz.cases import ACCEPTED, REFUSED, require
from tests.fuzz.checked_commands import run
from tests.fuzz.damage import damaged
from tests.fuzz.inputs import (
    FORMATS,
    LEARNERS,
    NAMES,
    ODD_VALUES,
    encoded,
    json_text,
    model_file,
    odd_array,
    parquet_bytes,
    random_people,
)
from tests.tables.fuzzed import HEADERS, random_column, random_table, similar_table

COMMANDS = ["predict"] * 8 + ["evaluate", "explain", "clusters", "report", "init", "plan"]


def prepare() -> None:
    """Fit the models, and compile the kernels that predict."""
    rng = random.Random(0)  # noqa: S311
    for learner in LEARNERS:
        load(model_file(learner)).predict(random_people(rng, 40))


def case(rng: random.Random, folder: Path) -> str:
    """Give a random file to a random command."""
    model, columns = model_and_table(rng, folder)
    if model is None:
        return REFUSED
    format_ = rng.choice(FORMATS)
    data, is_whole = file_of(rng, columns, format_)
    path = folder / f"in.{format_}"
    path.write_bytes(data)
    command = rng.choice(COMMANDS)
    if command == "predict":
        output = folder / f"out.{rng.choice([*FORMATS[:4], format_])}"
        options = rng.choice([[], [], ["--keep"], ["--json"], ["--max-size", "none"]])
        options = rng.choice([options, options, options, ["--max-block", "2"]])
        if not run("predict", model, path, *options, output=output):
            return REFUSED
        check_prediction(path, output, load(model).schema.id)
        if is_whole and not columns.keys() & {*COLUMNS}:
            check_texts(columns, output)
            check_order(rng, model, columns)
        return ACCEPTED
    return ACCEPTED if run_other(rng, command, model, path) else REFUSED


def model_and_table(rng: random.Random, folder: Path) -> tuple[Path | None, dict[str, list[str]]]:
    """Return a model and a table that it may be able to cluster."""
    if rng.random() < 0.03:
        learned = random_table(rng)
        (folder / "train.csv").write_bytes(encoded(learned, "csv"))
        model = folder / "m.coterie"
        words = ("--cluster", "who", "--learner", rng.choice(["logistic", "left-linking"]))
        is_fitted = run("fit", folder / "train.csv", *words, output=model)
        return model if is_fitted else None, similar_table(rng, learned)
    columns = random_people(rng)
    count = len(columns["id"])
    for name in ("who", "id"):
        if rng.random() < 0.3:
            del columns[name]
    if rng.random() < 0.2:
        name = rng.choice([*HEADERS, *COLUMNS, "id"])
        columns[name] = random_column(rng, count)
    if rng.random() < 0.05:
        columns |= {name: random_column(rng, count) for name in COLUMNS}
    if rng.random() < 0.02:
        columns |= {f"column {number}": ["x"] * count for number in range(1000)}
    if rng.random() < 0.01:
        # Two long texts: what takes quadratic time shows itself.
        for row in range(min(count, 2)):
            length = rng.choice([5_000, 50_000, 400_000])
            columns[rng.choice(NAMES)][row] = rng.choice(["ab", "ac", "a b ", "é1"]) * length
    return model_file(rng.choice(LEARNERS)), columns


def file_of(rng: random.Random, columns: dict[str, list[str]], format_: str) -> tuple[bytes, bool]:
    """Return a file of the table, and whether it is whole and holds the texts alone."""
    way = rng.choices(["whole", "types", "structure", "bytes"], [3, 2, 2, 3])[0]
    if way == "types" and format_ in ("parquet", "jsonl"):
        return typed(rng, columns, format_), False
    data = encoded(columns, format_)
    if way == "bytes":
        return damaged(rng, data), False
    if way == "structure" and format_ != "parquet":
        text = gzip.decompress(data) if format_.endswith(".gz") else data
        changed = restructured(rng, text)
        return gzip.compress(changed, 1) if format_.endswith(".gz") else changed, False
    return data, way == "whole"


def typed(rng: random.Random, columns: dict[str, list[Any]], format_: str) -> bytes:
    """Return a file in which some columns hold other values than texts."""
    count = len(next(iter(columns.values())))
    names = rng.sample(list(columns), rng.randrange(1, len(columns) + 1))
    if format_ == "parquet":
        return parquet_bytes(
            pa.table(columns | {name: odd_array(rng, count) for name in names[:2]})
        )
    values = rng.sample(ODD_VALUES, 3)
    for name in names:
        columns = columns | {
            name: [rng.choice(values) if rng.random() < 0.3 else cell for cell in columns[name]]
        }
    return json_text(columns).encode("utf-8", "surrogatepass")


def restructured(rng: random.Random, data: bytes) -> bytes:
    """Change what the lines of a text file mean."""
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    before, line, after = lines[:place], lines[place], lines[place + 1 :]
    text = data.decode("utf-8", "replace")
    ways = {
        "UTF-16": lambda: text.encode(rng.choice(["utf-16", "utf-16-le", "utf-32"])),
        "BOM": lambda: b"\xef\xbb\xbf" + data,
        "Latin-1": lambda: text.encode("latin-1", "replace"),
        "repeated line": lambda: b"\n".join([*before, line, line, *after]),
        "dropped line": lambda: b"\n".join([*before, *after]),
        "longer line": lambda: b"\n".join([*before, line + b",x", *after]),
        "shorter line": lambda: b"\n".join([*before, line[:5], *after]),
        "double header": lambda: lines[0] + b"," + data,
        "empty": lambda: rng.choice([b"", b"\n\n\n", b'""', b"{}", b"{}\n{}", b"[]", lines[0]]),
        "delimiter": lambda: data.replace(b",", rng.choice([b";", b"\t", b"|", b" "])),
        "line ends": lambda: data.replace(b"\n", rng.choice([b"\r", b"\r\n", b"\x0b", b"\x85"])),
        "deep": lambda: b'{"surname": ' + b"[" * 50_000 + b"]" * 50_000 + b"}\n" + data,
        "huge number": lambda: b'{"surname": ' + b"9" * 5000 + b"}\n" + data,
        "double key": lambda: b'{"surname": 1, "surname": 2}\n' + data,
        "gzip": lambda: gzip.compress(data, 1),
        "bomb": lambda: gzip.compress(data + b"x" * 10**8, 1),
        "large": lambda: data + (b"x" * 10_000 + b"\n") * 500,
    }  # fmt: skip
    return ways[rng.choice(list(ways))]()


def run_other(rng: random.Random, command: str, model: Path, path: Path) -> bool:
    """Run a command other than predict."""
    to_json = rng.choice([(), ("--json",)])
    if command == "explain":
        return run("explain", model, path, *rng.choice([("1", "2"), ("r001", "r002")]), *to_json)
    if command == "init":
        return run("init", path, output=Path(path.parent, "schema.toml"))
    if command == "plan":
        return run("plan", path, *rng.choice([(), ("--model", model)]), *to_json)
    if command == "report":
        return run("report", model, path, output=Path(path.parent, "report.html"))
    return run(command, model, path, *to_json)


def check_prediction(path: Path, output: Path, id_column: str | None) -> None:
    """Require all cells of the input, and ids of clusters that are ids of their rows."""
    before, after = read_table(path), read_table(output)
    added = [name for name in before.names if name in COLUMNS]
    names = [name for name in before.names if name not in COLUMNS]
    require(len(before) == len(after), f"{len(before)} rows became {len(after)}")
    require({*COLUMNS} <= {*after.names}, f"the columns are {after.names}")
    for name in names:
        require(before[name] == after[name], f"column changed: {name!r}")
    require(not added or is_predicted(before.names) or len(added) == 1, "columns were replaced")
    rows = map(str, range(1, len(before) + 1))
    ids = before[id_column] if id_column in names else tuple(rows)
    clusters = dict(zip(ids, after["cluster_id"], strict=True))
    sizes: dict[str, int] = {}
    for cluster in after["cluster_id"]:
        sizes[cluster] = sizes.get(cluster, 0) + 1
        require(clusters.get(cluster) == cluster, "a cluster_id is not of a row of the cluster")
    for row, cluster in clusters.items():
        place = ids.index(row)
        linked, confidence = after["linked_to"][place], after["confidence"][place]
        is_alone = sizes[cluster] == 1
        require(bool(linked) != is_alone, f"a row is linked to {linked!r}: {sizes[cluster]} rows")
        require(is_alone or clusters.get(linked) == cluster, "a row is linked to another cluster")
        require(0 <= float(confidence) <= 1, f"a confidence is {confidence}")
        require(after["reason"][place], "a reason is empty")


def check_texts(columns: dict[str, list[str]], output: Path) -> None:
    """Require the texts that were written, read without Coterie."""
    data = output.read_bytes()
    data = gzip.decompress(data) if output.suffix == ".gz" else data
    kind = output.name.split(".")[1]
    if kind == "parquet":
        from pyarrow import parquet

        after = parquet.read_table(io.BytesIO(data)).to_pydict()
    elif kind == "jsonl":
        # A line ends at a line feed only; texts may hold the other ends of lines.
        records = [json.loads(line) for line in data.decode().split("\n")[:-1]]
        after = {name: [record.get(name) for record in records] for name in columns}
    else:
        dialect = "excel-tab" if kind == "tsv" else "excel"
        csv.field_size_limit(2**30)
        rows = list(csv.reader(io.StringIO(data.decode(), newline=""), dialect, strict=True))
        header, *body = rows
        after = dict(zip(header, map(list, zip(*body, strict=True)), strict=True))
    for name, cells in columns.items():
        require([cell or "" for cell in after[name]] == cells, f"texts changed: column {name!r}")


def check_order(rng: random.Random, model: Path, columns: dict[str, list[str]]) -> None:
    """Require the same clusters for the rows in another order, in some of the cases."""
    if rng.random() < 0.8 or "id" not in columns:
        return
    loaded, order = load(model), rng.sample(range(len(columns["id"])), len(columns["id"]))
    if loaded.schema.id != "id":
        return
    shuffled = {name: [cells[row] for row in order] for name, cells in columns.items()}
    first, second = loaded.predict(columns), loaded.predict(shuffled)
    clusters = [
        dict(zip(table["id"], table["cluster_id"], strict=True)) for table in (first, second)
    ]
    require(clusters[0] == clusters[1], "the order of the rows changes the clusters")
