"""Tables whose cells are delimited by commas or tabs."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from threading import Lock

from coterie.exceptions import InputError
from coterie.tables.io.sources import decoding, text_lines

MAX_CELL = 10 * 2**20
"""How many characters a cell may have; an open quote would take all that follows."""

DELIMITERS = {"csv": ",", "tsv": "\t"}

_BLOCK = 200
"""How many rows are read at a time; a few are still in the cache when they become columns."""
_limit = Lock()


OTHERS = {";": "semicolons", "\t": "tabs", ",": "commas"}
"""What else cells are often set apart by."""


def read_delimited(data: bytes, delimiter: str) -> dict[str, list[str]]:
    r"""Read the columns below a header, every cell as it is written.

    >>> read_delimited(b'id,name\n007,"Bond, James"\n', ",")
    {'id': ['007'], 'name': ['Bond, James']}
    """
    with _long_cells():
        try:
            return _columns(data, delimiter)
        except (csv.Error, UnicodeDecodeError, _UnequalError):
            _explain(data, delimiter)
            raise


def read_rows(data: bytes, delimiter: str) -> list[tuple[int, list[str]]]:
    """Read all rows, the first too, each with the number of the line that it starts at."""
    with _long_cells():
        return list(_numbered(data, delimiter))


class _UnequalError(Exception):
    """Rows have different numbers of cells."""


@contextmanager
def _long_cells() -> Iterator[None]:
    """Raise the limit of the csv module, which all of the program shares, for a while."""
    with _limit:
        before = csv.field_size_limit(MAX_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _columns(data: bytes, delimiter: str) -> dict[str, list[str]]:
    rows = filter(None, csv.reader(text_lines(data, ""), delimiter=delimiter, strict=True))
    names = next(rows, None)
    _check_header(names)
    columns: dict[str, list[str]] = {name: [] for name in names or ()}
    while block := list(islice(rows, _BLOCK)):
        if set(map(len, block)) != {len(columns)}:
            raise _UnequalError
        for column, cells in zip(columns.values(), zip(*block, strict=True), strict=True):
            column.extend(cells)
    if not any(columns.values()):
        raise InputError("there is a header but no rows; give at least one row")
    return columns


def _check_header(names: list[str] | None) -> None:
    if names is None:
        raise InputError("the file is empty; give a table with a header")
    first: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if not name.strip():
            raise InputError(f"column number {number} has no name in the header; give it one")
        if first.setdefault(name, number) != number:
            raise InputError(
                f"columns number {first[name]} and {number} are both named {name!r}; rename one"
            )


def _explain(data: bytes, delimiter: str) -> None:
    """Go through the rows once more, slowly, to say at which line the fault is."""
    rows = _numbered(data, delimiter)
    _line, header = next(rows)
    others = [name for other, name in OTHERS.items() if len(header) == 1 and other in header[0]]
    advice = (
        f"it has {others[0]}: set cells apart by commas, or by tabs in a file called .tsv"
        if others
        else "give each row as many, and quote cells with delimiters in them"
    )
    for line, row in rows:
        if len(row) != len(header):
            raise InputError(
                f"line {line} has {len(row)} cell{'s' * (len(row) != 1)}, but the header has "
                f"{len(header)}; {advice}"
            )


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
        return "has a quote that is never closed; close it"
    if "field limit" in reason:
        return f"has a cell of over {MAX_CELL} characters; shorten it, or close an open quote"
    if "expected after" in reason:
        return "has text after a closing quote; double the quotes that are inside a cell"
    return f"cannot be read ({reason}); quote its cells"
