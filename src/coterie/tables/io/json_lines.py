"""Tables of one JSON object a line."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from coterie.exceptions import InputError
from coterie.tables.io import sources
from coterie.tables.io.cells import as_text
from coterie.tables.io.sources import decoding, text_lines


def read_json_lines(data: bytes) -> dict[str, list[str]]:
    r"""Read one row an object; numbers stay as they are written.

    >>> read_json_lines(b'{"id": 1.50, "tags": ["a", "b"]}\n{"id": null}')
    {'id': ['1.50', ''], 'tags': ['a; b', '']}
    """
    columns = gathered((_texts(line, record) for line, record in json_objects(data)), missing="")
    if not columns:
        raise InputError("the file has no values; write one JSON object a line")
    return columns


def json_records(data: bytes) -> list[dict[str, Any]]:
    r"""Read one row an object, with values as JSON has them.

    >>> json_records(b'{"id": 1.50, "tags": ["a", "b"]}\n{"id": null}')
    [{'id': 1.5, 'tags': ['a', 'b']}, {'id': None}]
    """
    return [json.loads(line) for line in text_lines(data, "\n") if line.strip()]


def json_objects(data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the object of each line that is not blank, with the number of the line."""
    with decoding(data):
        for number, line in enumerate(text_lines(data, "\n"), 1):
            if line.strip():
                yield number, _object(line, number)


def gathered(records: Iterable[Mapping[str, Any]], missing: Any) -> dict[str, list[Any]]:
    """Put records in columns, in the order in which their keys are first seen."""
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
            f"there are {n_columns} different keys in {n_rows} records, too many for a table; give "
            "all records the same keys"
        )


def _texts(line: int, record: dict[str, Any]) -> dict[str, str]:
    for key, value in record.items():
        if type(value) is not str:
            try:
                record[key] = as_text(value)
            except InputError as error:
                raise InputError(f"line {line}: the value of {key!r} is {error}") from error
    return record


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        value = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise InputError(
            f"line {number} is no JSON object ({error.msg} at character {error.pos + 1}); write "
            "one object a line"
        ) from error
    except RecursionError as error:
        raise InputError(f"line {number} is nested too deeply; write flat objects") from error
    except _TwiceError as error:
        raise InputError(f"line {number} has the key {error} twice; rename one") from error
    if not isinstance(value, dict):
        raise InputError(f"line {number} is JSON, but no object; write one object a line")
    return value


class _TwiceError(Exception):
    """An object has a key more than once."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        counts = Counter(key for key, _value in pairs)
        raise _TwiceError(repr(counts.most_common(1)[0][0]))
    return record


_DECODER = json.JSONDecoder(
    parse_float=str,
    parse_int=str,
    parse_constant={"NaN": None, "Infinity": "inf", "-Infinity": "-inf"}.get,
    object_pairs_hook=_unique,
)
