"""Tables read from files."""

from coterie._files import FileName
from coterie.exceptions import located
from coterie.tables._delimited import DELIMITERS, read_delimited
from coterie.tables._json_lines import read_json_lines
from coterie.tables._parquet import read_parquet
from coterie.tables._sources import Source, read_source
from coterie.tables._table import Table


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
    source = read_source(path, format)
    with located(source.name):
        columns = _columns(source)
    return Table(columns, source.name)


def _columns(source: Source) -> dict[str, list[str]]:
    if source.format in DELIMITERS:
        return read_delimited(source.data, DELIMITERS[source.format])
    return (read_parquet if source.format == "parquet" else read_json_lines)(source.data)
