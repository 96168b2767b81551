"""Tables written to files."""

import gzip
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from coterie._core.files import STREAM, FileName, discard_output, replacing
from coterie.exceptions import InputError, located
from coterie.tables.io.cells import as_results, is_numeric, rounded, written
from coterie.tables.io.delimited import DELIMITERS
from coterie.tables.io.frames import as_table, is_arrow
from coterie.tables.io.parquet import load_pyarrow
from coterie.tables.io.sources import is_gzip_name, named_format, require_format
from coterie.tables.table import Table

_BLOCK = 10_000


def write_table(
    path: FileName,
    table: Any,
    *,
    format: str | None = None,  # noqa: A002
) -> None:
    """Write a table, so that `read_table` reads the same one; equal tables make equal bytes.

    Parameters
    ----------
    path : str or Path
        The name of a file, whose suffix tells the format as for `read_table`; "-" is standard
        output. A file appears when it is whole, and till then the one that was there stays.
    table : Table, mapping of names to columns, list of dicts, or data frame
        The columns of a mapping are texts or numbers, or None where they are missing. Numbers are
        rounded to six places. Dicts as JSON lines and a table of pyarrow as Parquet are written as
        they are, and all else as text.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        The format, where the name does not tell it; CSV on standard output.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "people.csv")
    ...     write_table(file, {"name": ["Ann", "Bob, the"], "confidence": [0.5, None]})
    ...     print(file.read_text())
    name,confidence
    Ann,0.5
    "Bob, the",
    """
    is_stream = str(path) == STREAM
    found = named_format(path, format) or ("csv" if is_stream else None)
    blocks = _blocks(table, require_format(path, found))
    with _standard_output() if is_stream else _replaced(path) as stream:
        for block in blocks:
            stream.write(block)


@dataclass(frozen=True, eq=False)
class _Output:
    """A table, and the columns of it that are numbers."""

    table: Table
    numbers: Mapping[str, list[float | None]]


def _as_output(table: Any) -> _Output:
    if not isinstance(table, Mapping):
        return _Output(as_table(table), {})
    texts: dict[str, Sequence[str]] = {}
    numbers = {}
    for name, values in table.items():
        if set(map(type, values)) == {str}:
            texts[name] = values
            continue
        with located(f"column {name!r}"):
            results = as_results(values)
        texts[name] = [written(value) for value in results]
        if is_numeric(results):
            numbers[name] = [rounded(v) if isinstance(v, float) else None for v in results]
    return _Output(Table(texts), numbers)


def _blocks(table: Any, kind: str) -> Iterable[bytes]:
    if kind == "jsonl" and isinstance(table, list):
        return (f"{_encode(record)}\n".encode() for record in table)
    if kind == "parquet":
        return [_parquet(table if is_arrow(table) else _arrow_table(_as_output(table)))]
    output = _as_output(table)
    lines = _json_lines(output) if kind == "jsonl" else _delimited(output.table, DELIMITERS[kind])
    return (block.encode() for block in lines)


def _delimited(table: Table, delimiter: str) -> Iterator[str]:
    """Yield a header and rows; cells are quoted where `csv` needs it, and carriage returns too.

    Not by `csv`, which in some versions does not quote these, and is slower.
    """
    special = re.compile(f'["\r\n\ufeff{delimiter}]')
    # A file that starts with a quote is not taken for JSON, as one that starts with a brace is.
    is_quoted = [special.search(name) or name.startswith("{") for name in table.names]
    header = [_quoted(n) if quoted else n for n, quoted in zip(table.names, is_quoted, strict=True)]
    yield delimiter.join(header) + "\n"
    columns = [_cells(table[name], special, alone=len(table.names) == 1) for name in table.names]
    for rows in _row_blocks(columns):
        yield "".join(f"{delimiter.join(row)}\n" for row in rows)


def _cells(texts: Sequence[str], special: re.Pattern[str], *, alone: bool) -> Sequence[str]:
    if special.search("".join(texts)):
        texts = [_quoted(text) if special.search(text) else text for text in texts]
    # The line of a single empty cell would be blank, which is no row.
    return [text or '""' for text in texts] if alone else texts


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


_encode = json.JSONEncoder(ensure_ascii=False).encode


def _json_lines(output: _Output) -> Iterator[str]:
    names = output.table.names
    columns = [output.numbers.get(name, output.table[name]) for name in names]
    for rows in _row_blocks(columns):
        yield "".join(_encode(dict(zip(names, row, strict=True))) + "\n" for row in rows)


def _row_blocks(columns: Sequence[Sequence[Any]]) -> Iterator[Iterator[tuple[Any, ...]]]:
    for start in range(0, len(columns[0]), _BLOCK):
        yield zip(*(column[start : start + _BLOCK] for column in columns), strict=True)


def _arrow_table(output: _Output) -> Any:
    arrow, _ = load_pyarrow()
    columns = {
        name: arrow.array(output.numbers[name], arrow.float64())
        if name in output.numbers
        else arrow.array(output.table[name], arrow.string())
        for name in output.table.names
    }
    return arrow.table(columns)


def _parquet(frame: Any) -> bytes:
    stream = io.BytesIO()
    load_pyarrow()[1].write_table(frame, stream)
    return stream.getvalue()


@contextmanager
def _replaced(path: FileName) -> Iterator[BinaryIO | gzip.GzipFile]:
    with replacing(path) as stream:
        if not is_gzip_name(path):
            yield stream
            return
        # Without a name and a time, so that equal tables are equal files.
        with gzip.GzipFile("", "wb", 6, stream, mtime=0) as compressed:
            yield compressed


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    """Write to standard output; that its reader has seen enough is no error."""
    try:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        discard_output()
    except (OSError, AttributeError) as error:  # the latter where a notebook has taken its place
        discard_output()
        raise InputError(f"standard output cannot be written: {error}; give a file") from error
