"""Tables read from files."""

from typing import Any, NamedTuple

from coterie._core.files import FileName
from coterie.exceptions import located
from coterie.tables.io.delimited import DELIMITERS, read_delimited
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
    return read_typed(path, format=format).table


class Typed(NamedTuple):
    """A table of text, and the file that it was read from."""

    table: Table
    source: Source

    def as_written(self) -> Any:
        """Return what the file holds with its types: a pyarrow table, or a list of dicts of JSON.

        That of a format without types is the table.
        """
        with located(self.source.name):
            if self.source.format == "parquet":
                return parquet_frame(self.source.data)
            if self.source.format == "jsonl":
                return json_records(self.source.data)
        return self.table


def read_typed(path: FileName, *, format: str | None = None) -> Typed:  # noqa: A002
    """Read a table as `read_table` does, and keep what its cells were before they were text."""
    source = read_source(path, format)
    with located(source.name):
        columns = _columns(source)
    return Typed(Table(columns, source.name), source)


def _columns(source: Source) -> dict[str, list[str]]:
    if source.format in DELIMITERS:
        return read_delimited(source.data, DELIMITERS[source.format])
    return (read_parquet if source.format == "parquet" else read_json_lines)(source.data)
