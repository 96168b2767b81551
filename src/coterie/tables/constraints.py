"""Pairs of rows that must be together, or apart."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from coterie._core.files import FileName
from coterie._core.texts import quote
from coterie.exceptions import InputError, located
from coterie.tables.io.cells import as_text
from coterie.tables.io.delimited import DELIMITERS, read_rows
from coterie.tables.io.json_lines import json_objects, read_json_lines
from coterie.tables.io.parquet import read_parquet
from coterie.tables.io.sources import Source, read_source

Links: TypeAlias = list[tuple[int, int]]
"""Pairs of numbers of rows."""

IdPairs: TypeAlias = "Iterable[tuple[Any, Any]] | PairFile"
"""Pairs of ids of rows."""

Placed: TypeAlias = list[tuple[str, Sequence[str]]]
"""Rows of a file, each with where it is."""


class PairFile:
    """Pairs of ids of rows in a file, which is read when a model clusters these rows.

    The first line of CSV and TSV is a header if neither of its cells is the id of a row.

    Parameters
    ----------
    path : str or Path
        The name of a file of two columns in any format of `read_table`, or "-".

    Attributes
    ----------
    n_pairs : int
        How many pairs the file had when it was last read; 0 before.
    """

    def __init__(self, path: FileName) -> None:
        self.path = path
        self.n_pairs = 0

    def links(self, numbers: Mapping[str, int]) -> Links:
        """Read the pairs as pairs of numbers of rows, by the ids of these."""
        source = read_source(self.path, None)
        with located(source.name):
            links = [_pair(row, numbers, place) for place, row in _rows(source, numbers)]
        self.n_pairs = len(links)
        return links


def as_links(pairs: IdPairs, ids: Sequence[Any]) -> Links:
    """Take pairs of ids as pairs of numbers of rows; ids are compared as text.

    >>> as_links([("b", "a"), ("a", 7)], ["a", "b", "7"])
    [(1, 0), (0, 2)]
    >>> as_links([("a", "c")], ["a", "b"])
    Traceback (most recent call last):
    coterie.exceptions.InputError: pair 0 has the id c, which no row has; correct it or drop
    the pair
    """
    numbers = _numbered([as_text(own) for own in ids])
    if isinstance(pairs, PairFile):
        return pairs.links(numbers)
    return [
        _pair(_two_texts(pair, f"pair {count}"), numbers, f"pair {count}")
        for count, pair in enumerate(pairs)
    ]


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
                f"rows {numbers[own]} and {row} both have the id {quote(own)}; give each its own"
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
                f"{place} has the id {quote(own)}, which no row has; correct it or drop the pair"
            )
    return numbers[row[0]], numbers[row[1]]
