"""JSON lines: tables with one JSON object per line."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from coterie._core.texts import quote
from coterie.exceptions import InputError
from coterie.tables.io import sources
from coterie.tables.io.cells import as_text, refuse_long
from coterie.tables.io.sources import decoding, text_lines


def read_json_lines(data: bytes, *, long_cells: bool = False) -> dict[str, list[str]]:
    r"""Read one row per object; numbers keep the digits of the file.

    With `long_cells`, cells may have more than `cells.MAX_CELL` characters.

    >>> read_json_lines(b'{"id": 1.50, "tags": ["a", "b"]}\n{"id": null}')
    {'id': ['1.50', ''], 'tags': ['a; b', '']}
    """
    records = (_texts(line, record, long_cells=long_cells) for line, record in json_objects(data))
    columns = as_columns(records, missing="")
    if not columns:
        raise InputError("the file has no values; write one JSON object per line")
    return columns


def json_records(data: bytes) -> list[dict[str, Any]]:
    r"""Read one row per object; values keep the types of JSON.

    >>> json_records(b'{"id": 1.50, "tags": ["a", "b"]}\n{"id": null}')
    [{'id': 1.5, 'tags': ['a', 'b']}, {'id': None}]
    """
    lines = enumerate(text_lines(data, "\n"), 1)
    return [_typed(line, number) for number, line in lines if line.strip()]


def _typed(line: str, number: int) -> dict[str, Any]:
    """Return a JSON object that was read as text before."""
    try:
        record: dict[str, Any] = json.loads(line)
    except ValueError as error:  # Python refuses to convert more than a few thousand digits
        raise InputError(
            f"line {number} has a number with too many digits; write it as a string, in quotes"
        ) from error
    return record


def json_objects(data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the object of each line that is not blank, with the line number."""
    with decoding(data):
        for number, line in enumerate(text_lines(data, "\n"), 1):
            if line.strip():
                yield number, _object(line, number)


def as_columns(records: Iterable[Mapping[str, Any]], missing: Any) -> dict[str, list[Any]]:
    """Turn records into columns, in the order in which their keys first appear."""
    columns: dict[str, list[Any]] = {}
    count = 0
    for count, record in enumerate(records, 1):
        for key, value in record.items():
            column = columns.get(key)
            if column is None:
                column = columns[key] = []
                _refuse_many(len(columns), count)
            if len(column) < count - 1:
                column.extend([missing] * (count - 1 - len(column)))
            column.append(value)
    _refuse_many(len(columns), count)
    for column in columns.values():
        column.extend([missing] * (count - len(column)))
    return columns


def _refuse_many(n_columns: int, n_rows: int) -> None:
    if n_columns * n_rows > sources.MAX_CELLS:
        raise InputError(
            f"there are {n_columns:,} different keys in {n_rows:,} records, too many for a table; "
            "give all records the same keys"
        )


def _texts(line: int, record: dict[str, Any], *, long_cells: bool) -> dict[str, str]:
    for key, value in record.items():
        if type(value) is not str:
            try:
                record[key] = as_text(value)
            except InputError as error:
                raise InputError(f"line {line}: the value of {key!r} is {error}") from error
        if not long_cells:
            refuse_long(f"line {line}, column {quote(key)}", record[key])
    return record


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        value = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise InputError(
            f"line {number} is not valid JSON ({error.msg} at character {error.pos + 1}); write "
            "one JSON object per line"
        ) from error
    except RecursionError as error:
        raise InputError(
            f"line {number} is nested too deeply; write objects without nested objects"
        ) from error
    except _DuplicateKeyError as error:
        raise InputError(f"line {number} has the key {error} twice; rename one of them") from error
    if not isinstance(value, dict):
        raise InputError(
            f"line {number} is JSON, but not an object; write one JSON object per line"
        )
    return value


class _DuplicateKeyError(Exception):
    """A JSON object has a key more than once."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        counts = Counter(key for key, _value in pairs)
        raise _DuplicateKeyError(repr(counts.most_common(1)[0][0]))
    return record


_DECODER = json.JSONDecoder(
    parse_float=str,
    parse_int=str,
    parse_constant={"NaN": None, "Infinity": "inf", "-Infinity": "-inf"}.get,
    object_pairs_hook=_unique,
)
