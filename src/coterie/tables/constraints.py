"""Must-link and cannot-link pairs of rows, named by their ids."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from coterie._core.files import FileName
from coterie._core.texts import quote
from coterie.exceptions import InputError, located
from coterie.tables.io.cells import as_text, id_text
from coterie.tables.io.delimited import DELIMITERS, read_rows
from coterie.tables.io.json_lines import json_objects, read_json_lines
from coterie.tables.io.parquet import read_parquet
from coterie.tables.io.sources import Source, read_source

Links: TypeAlias = list[tuple[int, int]]
"""Pairs of row indices."""

IdPairs: TypeAlias = "Iterable[tuple[Any, Any]] | PairFile"
"""Pairs of ids of rows."""

_AS_PAIRS = "give a list of pairs of ids, such as [('r1', 'r2')]"

LocatedRows: TypeAlias = list[tuple[str, Sequence[str]]]
"""Rows of a file, each with its place, such as "line 3", for errors."""


class PairFile:
    """A file with one pair of row ids per row, which is read when a model clusters a table.

    The first line of a CSV or TSV file is skipped as a header if none of its cells is a row id.

    Parameters
    ----------
    path : str or Path
        The name of a file with two columns, in any format of `read_table`; or "-".

    Attributes
    ----------
    n_pairs : int
        Number of pairs in the file when it was last read; 0 before.
    """

    def __init__(self, path: FileName) -> None:
        self.path = path
        self.n_pairs = 0

    def links(self, row_of: Mapping[str, int], *, are_apart: bool = False) -> Links:
        """Read the pairs as pairs of row indices; `row_of` has the index of each id.

        A row that is a cannot-link pair with itself is refused, and ignored as a must-link pair.
        """
        source = read_source(self.path, None, can_name=False)
        with located(source.name):
            rows = _rows(source, row_of)
            links = [_pair(row, row_of, place, are_apart=are_apart) for place, row in rows]
        self.n_pairs = len(links)
        return links


def as_links(pairs: IdPairs, ids: Sequence[Any], *, are_apart: bool = False) -> Links:
    """Return pairs of ids as pairs of row indices; ids are compared as text.

    `are_apart` says whether they are cannot-link pairs, which may not join a row with itself.

    >>> as_links([("b", "a"), ("a", 7)], ["a", "b", "7"])
    [(1, 0), (0, 2)]
    >>> as_links([("a", "c")], ["a", "b"])
    Traceback (most recent call last):
    coterie.exceptions.InputError: pair 0 has the id c, but no row has this id; correct it
    or drop the pair
    """
    row_of = _rows_by_id([as_text(name) for name in ids])
    if isinstance(pairs, PairFile):
        return pairs.links(row_of, are_apart=are_apart)
    if isinstance(pairs, str | bytes | Mapping) or not isinstance(pairs, Iterable):
        raise InputError(f"the pairs are of type {type(pairs).__name__}; {_AS_PAIRS}")
    return [
        _pair(_two_texts(pair, f"pair {count}"), row_of, f"pair {count}", are_apart=are_apart)
        for count, pair in enumerate(pairs)
    ]


def _rows(source: Source, row_of: Mapping[str, int]) -> LocatedRows:
    if source.format in DELIMITERS:
        return _delimited_rows(source, row_of)
    if source.format == "parquet":
        columns, places = read_parquet(source.data, long_cells=True), None
    else:
        columns = read_json_lines(source.data, long_cells=True)
        places = [f"line {line}" for line, _record in json_objects(source.data)]
    _refuse_width(len(columns), "the table")
    rows = zip(*columns.values(), strict=True)
    return [(places[n] if places else f"row {n}", row) for n, row in enumerate(rows)]


def _delimited_rows(source: Source, row_of: Mapping[str, int]) -> LocatedRows:
    rows = read_rows(source.data, DELIMITERS[source.format])
    if not rows:
        raise InputError("the file is empty; it must have two columns of ids")
    for line, row in rows:
        _refuse_width(len(row), f"line {line}")
    has_header = not any(cell in row_of for cell in rows[0][1])
    return [(f"line {line}", row) for line, row in rows[has_header:]]


def _refuse_width(width: int, place: str) -> None:
    if width != 2:
        cells = "column" if place == "the table" else "cell"
        raise InputError(f"{place} has {width} {cells}{'s' * (width != 1)}; give two ids per row")


def _rows_by_id(ids: Sequence[str]) -> dict[str, int]:
    row_of: dict[str, int] = {}
    for row, name in enumerate(ids):
        if row_of.setdefault(name, row) != row:
            raise InputError(
                f"rows {row_of[name]} and {row} have the same id {quote(name)}; make ids unique"
            )
    return row_of


def _two_texts(pair: Any, place: str) -> list[str]:
    parts = list(pair) if isinstance(pair, Iterable) and not isinstance(pair, str | bytes) else []
    if len(parts) != 2:
        raise InputError(f"{place} is {pair!r}, not two ids; {_AS_PAIRS}")
    with located(place):
        return [id_text(part, "an id") for part in parts]


def _pair(
    ids: Sequence[str], row_of: Mapping[str, int], place: str, *, are_apart: bool
) -> tuple[int, int]:
    for name in ids:
        if name not in row_of:
            raise InputError(
                f"{place} has the id {quote(name)}, but no row has this id; correct it or drop "
                "the pair"
            )
    if are_apart and ids[0] == ids[1]:
        raise InputError(
            f"{place}: {quote(ids[0])} is in a cannot-link pair with itself; drop this pair"
        )
    return row_of[ids[0]], row_of[ids[1]]
