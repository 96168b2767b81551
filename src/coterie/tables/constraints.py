"""Pairs of rows that must be together, or apart."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from coterie._core.files import FileName
from coterie.clusterers.together import contradiction, shown_chain
from coterie.exceptions import InputError, located
from coterie.tables.io.cells import as_text
from coterie.tables.io.delimited import DELIMITERS, read_rows
from coterie.tables.io.json_lines import json_objects, read_json_lines
from coterie.tables.io.parquet import read_parquet
from coterie.tables.io.sources import Source, read_source

Links: TypeAlias = list[tuple[int, int]]
"""Pairs of numbers of rows."""

Placed: TypeAlias = list[tuple[str, Sequence[str]]]
"""Rows of a file, each with where it is."""


def read_links(path: FileName, ids: Sequence[str]) -> Links:
    """Read a file of two columns of ids as pairs of numbers of rows.

    The first line of CSV and TSV is a header if neither of its cells is one of the ids.

    Parameters
    ----------
    path : str or Path
        The name of a file in any format of `read_table`, or "-".
    ids : sequence of str
        The id of each row.
    """
    numbers = _numbered(ids)
    source = read_source(path, None)
    with located(source.name):
        return [_pair(row, numbers, place) for place, row in _rows(source, numbers)]


def as_links(pairs: Iterable[Any], ids: Sequence[Any]) -> Links:
    """Take pairs of ids as pairs of numbers of rows; ids are compared as text.

    >>> as_links([("b", "a"), ("a", 7)], ["a", "b", "7"])
    [(1, 0), (0, 2)]
    >>> as_links([("a", "c")], ["a", "b"])
    Traceback (most recent call last):
    coterie.exceptions.InputError: pair 0 has the id c, which no row has; correct it or drop
    the pair
    """
    numbers = _numbered([as_text(own) for own in ids])
    return [
        _pair(_two_texts(pair, f"pair {count}"), numbers, f"pair {count}")
        for count, pair in enumerate(pairs)
    ]


def refuse_contradictions(together: Links, apart: Links, ids: Sequence[str]) -> None:
    """Refuse a pair that must be apart if links of together join it, and name the shortest chain.

    >>> refuse_contradictions([(0, 1), (2, 1)], [(0, 2)], ["a", "b", "c"])
    Traceback (most recent call last):
    coterie.exceptions.InputError: a and c must be apart, but a = b = c must be together; drop one
    of these
    """
    links, pairs = (np.array(each, dtype=np.intp).reshape(-1, 2) for each in (together, apart))
    path = [shown(ids[item]) for item in contradiction(links, pairs, len(ids))]
    if len(path) == 1:
        raise InputError(f"{path[0]} must be apart from itself; drop this pair")
    if path:
        raise InputError(
            f"{path[0]} and {path[-1]} must be apart, but {shown_chain(path)} must be together; "
            "drop one of these"
        )


def shown(text: str, most: int = 40) -> str:
    """Show an id in an error: in one line, and not all of a long one."""
    plain = text if text.isprintable() and text.strip() == text != "" else repr(text)
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def _rows(source: Source, numbers: Mapping[str, int]) -> Placed:
    if source.format in DELIMITERS:
        return _delimited_rows(source, numbers)
    if source.format == "parquet":
        columns, places = read_parquet(source.data), None
    else:
        columns = read_json_lines(source.data)
        places = [f"line {line}" for line, _record in json_objects(source.data)]
    _refuse_width(len(columns), "the table")
    rows = zip(*columns.values(), strict=True)
    return [(places[n] if places else f"row {n}", row) for n, row in enumerate(rows)]


def _delimited_rows(source: Source, numbers: Mapping[str, int]) -> Placed:
    rows = read_rows(source.data, DELIMITERS[source.format])
    if not rows:
        raise InputError("the file is empty; give two columns of ids")
    for line, row in rows:
        _refuse_width(len(row), f"line {line}")
    has_header = not any(cell in numbers for cell in rows[0][1])
    return [(f"line {line}", row) for line, row in rows[has_header:]]


def _refuse_width(width: int, place: str) -> None:
    if width != 2:
        cells = "column" if place == "the table" else "cell"
        raise InputError(f"{place} has {width} {cells}{'s' * (width != 1)}; give two ids a row")


def _numbered(ids: Sequence[str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for row, own in enumerate(ids):
        if numbers.setdefault(own, row) != row:
            raise InputError(
                f"rows {numbers[own]} and {row} both have the id {shown(own)}; give each its own"
            )
    return numbers


def _two_texts(pair: Any, place: str) -> list[str]:
    parts = list(pair) if isinstance(pair, Iterable) and not isinstance(pair, str | bytes) else []
    if len(parts) != 2:
        raise InputError(f"{place} is {pair!r}; give two ids")
    with located(place):
        return [as_text(part) for part in parts]


def _pair(row: Sequence[str], numbers: Mapping[str, int], place: str) -> tuple[int, int]:
    for own in row:
        if own not in numbers:
            raise InputError(
                f"{place} has the id {shown(own)}, which no row has; correct it or drop the pair"
            )
    return numbers[row[0]], numbers[row[1]]
