"""Tables read from files."""

from typing import Any

from coterie._core.files import FileName
from coterie.exceptions import located
from coterie.tables.io.delimited import DELIMITERS, read_delimited
from coterie.tables.io.frames import TypedTable
from coterie.tables.io.json_lines import json_records, read_json_lines
from coterie.tables.io.parquet import parquet_frame, read_parquet
from coterie.tables.io.sources import Source, read_source
from coterie.tables.table import Table


def read_table(path: FileName, *, format: str | None = None) -> Table:  # noqa: A002
    r"""Read a table with every cell as text, just as it is written; nothing is guessed.

    Text is UTF-8, or UTF-16 with a byte-order mark. In JSON lines and Parquet, where cells have
    types, missing values are the empty text, and lists are their values joined by "; ".

    Parameters
    ----------
    path : str or Path
        The name of a file that ends in .csv, .tsv, .jsonl, .ndjson or .parquet, each but the last
        also with .gz; "-" is standard input, whose format is told by its first bytes.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        The format, where the name does not tell it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "people.csv")
    ...     _ = file.write_text("name,postcode\nNA,01234\n")
    ...     read_table(file)["postcode"]
    ('01234',)
    """
    return _table(read_source(path, format))


def read_typed(
    path: FileName,
    *,
    format: str | None = None,  # noqa: A002
    to: str | None = None,
) -> TypedTable:
    """Read a table as `read_table` does, and beside it the frame to write to another file.

    Parameters
    ----------
    path, format
        As of `read_table`.
    to : {"csv", "tsv", "jsonl", "parquet"}, optional
        The format to be written. If it is that of the file, cells keep their types: the frame is a
        list of dicts of JSON, or a table of pyarrow. Otherwise it is a dict of columns of text.
    """
    source = read_source(path, format)
    table = _table(source)
    is_typed = source.format == to and to not in DELIMITERS
    return TypedTable(table, _typed_frame(source) if is_typed else dict(table.columns))


def _table(source: Source) -> Table:
    with located(source.name):
        columns = _columns(source)
    return Table(columns, source.name)


def _typed_frame(source: Source) -> Any:
    with located(source.name):
        return (parquet_frame if source.format == "parquet" else json_records)(source.data)


def _columns(source: Source) -> dict[str, list[str]]:
    if source.format in DELIMITERS:
        return read_delimited(source.data, DELIMITERS[source.format])
    return (read_parquet if source.format == "parquet" else read_json_lines)(source.data)
