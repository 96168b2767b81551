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


def read_table(
    path: FileName,
    *,
    format: str | None = None,  # noqa: A002
    long_cells: bool = False,
) -> Table:
    r"""Read a table; every cell is the text in the file, and no types are guessed.

    Text files are UTF-8, or UTF-16 with a byte-order mark. JSON lines and Parquet have typed cells:
    there, missing values become the empty text, and lists their values joined by "; ".

    Parameters
    ----------
    path : str or Path
        The name of a file. It ends in .csv, .tsv, .jsonl or .ndjson, with or without .gz, or in
        .parquet. "-" is standard input, whose format is recognised by its first bytes.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        The format, if the file name does not end in one of these.
    long_cells : bool
        Whether cells may have more than 1,048,576 characters.

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
    return _table(read_source(path, format), long_cells=long_cells)


def read_typed(
    path: FileName,
    *,
    format: str | None = None,  # noqa: A002
    to: str | None = None,
    long_cells: bool = False,
) -> TypedTable:
    """Read a table as `read_table` does, and also as a frame that keeps the types of cells.

    Parameters
    ----------
    path, format, long_cells
        As for `read_table`.
    to : {"csv", "tsv", "jsonl", "parquet"}, optional
        The format in which the frame will be written. If it is the format of the file, cells keep
        their types: the frame is a list of JSON objects, or a table of pyarrow. Otherwise it is a
        dict of columns of text.
    """
    source = read_source(path, format)
    table = _table(source, long_cells=long_cells)
    is_typed = source.format == to and to not in DELIMITERS
    return TypedTable(table, _typed_frame(source) if is_typed else dict(table.columns))


def _table(source: Source, *, long_cells: bool) -> Table:
    with located(source.name):
        columns = _columns(source, long_cells=long_cells)
    return Table(columns, source.name)


def _typed_frame(source: Source) -> Any:
    with located(source.name):
        return (parquet_frame if source.format == "parquet" else json_records)(source.data)


def _columns(source: Source, *, long_cells: bool) -> dict[str, list[str]]:
    if source.format in DELIMITERS:
        return read_delimited(source.data, DELIMITERS[source.format], long_cells=long_cells)
    read = read_parquet if source.format == "parquet" else read_json_lines
    return read(source.data, long_cells=long_cells)
