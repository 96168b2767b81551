"""CSV and TSV: tables whose cells are separated by commas or tabs."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from threading import Lock

from coterie._core.memory import bytes_text, memory_limit
from coterie._core.texts import quote
from coterie.exceptions import InputError
from coterie.tables.io import cells
from coterie.tables.io.cells import CELL_BYTES
from coterie.tables.io.sources import decoding, text_lines

DELIMITERS = {"csv": ",", "tsv": "\t"}

_BLOCK = 200
"""Rows that are read at a time: few enough to be still in the processor's cache when transposed."""
_ANY_LENGTH = 2**31 - 1
"""The largest limit that the csv module has on all systems."""

_limit = Lock()


OTHER_DELIMITERS = {";": "semicolons", "\t": "tabs", ",": "commas"}
"""Delimiters that a file may have in place of the expected one."""


def read_delimited(
    data: bytes, delimiter: str, *, long_cells: bool = False
) -> dict[str, list[str]]:
    r"""Read the columns of a table with a header; cells are not converted.

    With `long_cells`, cells may have more than `cells.MAX_CELL` characters.

    >>> read_delimited(b'id,name\n007,"Bond, James"\n', ",")
    {'id': ['007'], 'name': ['Bond, James']}
    """
    try:
        with _cells_up_to(_ANY_LENGTH if long_cells else cells.MAX_CELL):
            return _columns(data, delimiter)
    except (csv.Error, UnicodeDecodeError, _UnequalError):
        with _cells_up_to(_ANY_LENGTH):
            _explain(data, delimiter, long_cells=long_cells)
        raise


def read_rows(data: bytes, delimiter: str) -> list[tuple[int, list[str]]]:
    """Read all rows, including the first, each with the number of its first line."""
    with _cells_up_to(_ANY_LENGTH):
        return list(_numbered(data, delimiter))


class _UnequalError(Exception):
    """Rows have different numbers of cells."""


@contextmanager
def _cells_up_to(length: int) -> Iterator[None]:
    """Change the cell size limit of the csv module, which is global, for a while."""
    with _limit:
        before = csv.field_size_limit(length)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _columns(data: bytes, delimiter: str) -> dict[str, list[str]]:
    rows = filter(None, csv.reader(text_lines(data, ""), delimiter=delimiter, strict=True))
    names = next(rows, None)
    _check_header(names)
    columns: dict[str, list[str]] = {name: [] for name in names or ()}
    most_rows, limit = _most_rows(len(columns))
    n_rows = 0
    while block := list(islice(rows, _BLOCK)):
        if set(map(len, block)) != {len(columns)}:
            raise _UnequalError
        n_rows += len(block)
        if n_rows > most_rows:
            raise InputError(
                f"a table of over {n_rows:,} rows and {len(columns):,} columns needs more memory "
                f"than this process may take ({limit}); split the table into several files"
            )
        for column, texts in zip(columns.values(), zip(*block, strict=True), strict=True):
            column.extend(texts)
    if not any(columns.values()):
        raise InputError("the table has a header but no rows; it needs at least one row")
    return columns


def _most_rows(n_columns: int) -> tuple[float, str]:
    """Return the number of rows of text that memory can hold at most, and what limits it."""
    limit = memory_limit()
    return limit.n_bytes / (CELL_BYTES * n_columns), f"{bytes_text(limit.n_bytes)}, {limit.cause}"


def _check_header(names: list[str] | None) -> None:
    if names is None:
        raise InputError("the file is empty; it must have a header and at least one row")
    first: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if not name.strip():
            raise InputError(f"column {number} has no name in the header; give it a name")
        if first.setdefault(name, number) != number:
            raise InputError(
                f"columns {first[name]} and {number} are both called {name!r}; rename one of them"
            )


def _explain(data: bytes, delimiter: str, *, long_cells: bool) -> None:
    """Read the rows once more, slowly, and name the line of the fault in an error."""
    rows = _numbered(data, delimiter)
    line, header = next(rows)
    advice = (
        other_delimiter(header)
        or "give all rows the same number of cells, and quote cells that contain a delimiter"
    )
    if not long_cells:
        for number, name in enumerate(header, 1):
            cells.refuse_long(f"line {line}, the name of column {number}", name)
    for line, row in rows:
        if not long_cells:
            for name, text in zip(header, row, strict=False):
                cells.refuse_long(f"line {line}, column {quote(name)}", text)
        if len(row) != len(header):
            raise InputError(
                f"line {line} has {len(row)} cell{'s' * (len(row) != 1)}, but the header has "
                f"{len(header)}; {advice}"
            )


def other_delimiter(names: Sequence[str]) -> str | None:
    """Return advice on a single column whose name contains the delimiter of other formats."""
    for delimiter, name in OTHER_DELIMITERS.items():
        if len(names) == 1 and delimiter in names[0]:
            return (
                f"the cells seem to be separated by {name}; separate them by commas in a .csv "
                "file, or by tabs in a .tsv file"
            )
    return None


def _numbered(data: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    rows = csv.reader(text_lines(data, ""), delimiter=delimiter, strict=True)
    line = 1
    try:
        with decoding(data):
            for row in rows:
                if row:
                    yield line, row
                line = rows.line_num + 1
    except csv.Error as error:
        raise InputError(f"the row that starts at line {line} {_reason(error)}") from error


def _reason(error: csv.Error) -> str:
    reason = str(error)
    if "unexpected end" in reason:
        return "has an opening quote without a closing one; close it"
    if "expected after" in reason:
        return "has text after a closing quote; write quotes inside a cell twice"
    if "field limit" in reason:
        return f"has a cell of over {_ANY_LENGTH:,} characters; shorten it"
    return f"cannot be read ({reason}); put its cells in quotes"
