"""Writing tables to files."""

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
from coterie.tables.io import formulas
from coterie.tables.io.cells import as_results, is_numeric, result_text, rounded
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
    escape_formulas: bool = False,
) -> None:
    """Write a table to a file that `read_table` reads back; equal tables give equal bytes.

    Parameters
    ----------
    path : str or Path
        The name of a file, which ends as for `read_table`; "-" is standard output. An existing
        file is replaced only when the new one is complete.
    table : Table, mapping of names to columns, list of dicts, or data frame
        The columns of a mapping hold texts or numbers, or None for missing values. Numbers are
        rounded to six decimal places. A list of dicts written as JSON lines, and a table of pyarrow
        written as Parquet, keep their types; everything else is written as text.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        The format, if the file name does not end in one of these; by default CSV on standard
        output.
    escape_formulas : bool
        Whether cells and column names that a spreadsheet could run as formulas get an apostrophe in
        front: those that start with =, +, -, @, a tab or the end of a line, except numbers such as
        -5. It is for CSV and TSV only, and `read_table` does not undo it.

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
    format_ = named_format(path, format) or ("csv" if is_stream else None)
    kind = require_format(path, format_)
    refuse_escaping(kind, is_escaping=escape_formulas)
    blocks = _blocks(table, kind, is_escaping=escape_formulas)
    with _standard_output() if is_stream else _replaced(path) as stream:
        for block in blocks:
            stream.write(block)


@dataclass(frozen=True, eq=False)
class _Output:
    """A table as text, and those of its columns that are numbers."""

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
        texts[name] = [result_text(value) for value in results]
        if is_numeric(results):
            numbers[name] = [rounded(v) if isinstance(v, float) else None for v in results]
    return _Output(Table(texts), numbers)


def refuse_escaping(format_: str | None, *, is_escaping: bool) -> None:
    """Refuse to escape formulas in a format whose cells no spreadsheet runs."""
    if is_escaping and format_ is not None and format_ not in DELIMITERS:
        raise InputError(
            f"`escape_formulas=` is for csv and tsv, but the format is {format_}, in which texts "
            "are never formulas; leave it out"
        )


def _blocks(table: Any, kind: str, *, is_escaping: bool = False) -> Iterable[bytes]:
    if kind == "jsonl" and isinstance(table, list):
        return (f"{_encode(record)}\n".encode() for record in table)
    if kind == "parquet":
        return [_parquet(table if is_arrow(table) else _arrow_table(_as_output(table)))]
    output = _as_output(table)
    if kind == "jsonl":
        return (block.encode() for block in _json_lines(output))
    texts = formulas.escape_formulas(output.table) if is_escaping else output.table
    lines = _delimited(texts, DELIMITERS[kind])
    return (block.encode() for block in lines)


def _delimited(table: Table, delimiter: str) -> Iterator[str]:
    """Yield the header and the rows, with quotes around cells that need them.

    The csv module is slower, and some versions of it do not quote carriage returns.
    """
    special = re.compile(f'["\r\n\ufeff{delimiter}]')
    # A first name with a brace is quoted, because a file that starts with a brace looks like JSON.
    is_quoted = [special.search(name) or name.startswith("{") for name in table.names]
    header = [
        _quoted(name) if needs_quotes else name
        for name, needs_quotes in zip(table.names, is_quoted, strict=True)
    ]
    yield delimiter.join(header) + "\n"
    is_single = len(table.names) == 1
    columns = [_quoted_cells(table[name], special, is_single=is_single) for name in table.names]
    for rows in _row_blocks(columns):
        yield "".join(f"{delimiter.join(row)}\n" for row in rows)


def _quoted_cells(
    texts: Sequence[str], special: re.Pattern[str], *, is_single: bool
) -> Sequence[str]:
    if special.search("".join(texts)):
        texts = [_quoted(text) if special.search(text) else text for text in texts]
    # In a table of one column, an empty cell would give a blank line, which is not read as a row.
    return [text or '""' for text in texts] if is_single else texts


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
        # No name and no time in the header of the file, so that equal tables give equal files.
        with gzip.GzipFile("", "wb", 6, stream, mtime=0) as compressed:
            yield compressed


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    """Write to standard output; a reader that stops early is not an error."""
    try:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        discard_output()
    except (OSError, AttributeError) as error:  # AttributeError: a notebook has replaced it
        discard_output()
        raise InputError(
            f"standard output cannot be written to: {error}; give a file name instead"
        ) from error
