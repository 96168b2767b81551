"""Values of any type as the text of cells."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from coterie._core.texts import quote
from coterie.exceptions import InputError
from coterie.features.columns import is_missing

Result: TypeAlias = str | float | None
"""A cell of a column that Coterie adds to a table."""

MAX_CELL = 2**20
"""The largest number of characters of a cell, unless long cells are allowed.

Longer ones are hardly ever meant: most are files put into a cell, or follow an unclosed quote.
"""

CELL_BYTES = 16
"""The least memory of a cell: a list and a tuple point to its text."""

ALLOW = "allow long cells with `long_cells=`"
"""The remedy for long cells that are right."""

_EXACT = 2**53
"""All whole numbers below this are exact as floating-point numbers."""


def as_text(value: Any) -> str:
    """Return one value as text; a missing value is the empty text.

    >>> [as_text(value) for value in ("NA", 12.0, 0.5, True, None, float("nan"), ["a", 3])]
    ['NA', '12', '0.5', 'true', '', '', 'a; 3']
    """
    kind = type(value)
    if kind not in _CONVERSIONS:
        kind = next(base for base in kind.__mro__ if base in _CONVERSIONS)
    return _CONVERSIONS[kind](value)


def id_text(value: Any, name: str) -> str:
    """Return an id as text; `name` is what an error calls it.

    >>> id_text(["a", {}], "first")
    Traceback (most recent call last):
    coterie.exceptions.InputError: first is a list of lists or records; use a list of strings
    or numbers
    """
    try:
        return as_text(value)
    except InputError as error:
        raise InputError(f"{name} is {error}") from error


def as_texts(values: Sequence[Any]) -> list[str]:
    """Return the values of a column as text; times become dates if all of them are midnight.

    >>> as_texts([datetime(2020, 5, 17), None])
    ['2020-05-17', '']
    >>> as_texts([{"a": 1}])
    Traceback (most recent call last):
    coterie.exceptions.InputError: row 0 is a record; put each of its fields in a separate column
    """
    kinds = set(map(type, values))
    if kinds <= {str}:
        return list(values)
    if np.datetime64 in kinds:
        values = [_as_datetime(v) if isinstance(v, np.datetime64) else v for v in values]
    try:
        texts = [value if type(value) is str else as_text(value) for value in values]
    except InputError:
        _explain(values)
        raise
    if any(issubclass(kind, datetime | np.datetime64) for kind in kinds):
        _drop_midnights(texts, values)
    return texts


def refuse_long(place: str, text: str, advice: str = ALLOW) -> None:
    """Refuse a cell that is too long; `place` says in an error where it is."""
    if len(text) > MAX_CELL:
        raise InputError(
            f"{place} has {len(text):,} characters, more than {MAX_CELL:,}; shorten the cell, or "
            f"{advice}"
        )


def refuse_long_cells(columns: Mapping[str, Sequence[str]], advice: str = ALLOW) -> None:
    """Refuse columns of text if any cell is too long, and name its column and row."""
    for name, cells in columns.items():
        if max(map(len, cells), default=0) > MAX_CELL:
            for row, text in enumerate(cells):
                refuse_long(f"column {quote(name)}, row {row}", text, advice)


def as_results(values: Sequence[Any]) -> list[Result]:
    """Check a column of results, which are all texts or all finite numbers; NaN becomes None.

    >>> as_results([1, float("nan"), None])
    [1.0, None, None]
    """
    results = [_result(value, row) for row, value in enumerate(values)]
    if any(isinstance(value, str) for value in results) and is_numeric(results):
        raise InputError("the column mixes strings and numbers; use only one of the two")
    return results


def is_numeric(results: Sequence[Result]) -> bool:
    """Return whether results are numbers; a column of only missing values counts as text."""
    return any(isinstance(value, float) for value in results)


def result_text(result: Result) -> str:
    """Return a result as text; numbers have six decimal places at most.

    >>> result_text(0.12345678), result_text(1.0), result_text(None), result_text("a")
    ('0.123457', '1.0', '', 'a')
    """
    if result is None:
        return ""
    return str.__str__(result) if isinstance(result, str) else repr(rounded(result))


def rounded(number: float) -> float:
    """Round to six decimal places; −0.0 becomes 0.0."""
    return round(number, 6) + 0.0


def _result(value: Any, row: int) -> Result:
    if value is None or isinstance(value, str):
        return value
    if type(value) is bool or not isinstance(value, Real) or math.isinf(value):
        raise InputError(f"row {row} is {value!r}; use a string, a finite number or None")
    return None if math.isnan(value) else float(value)


def _explain(values: Sequence[Any]) -> None:
    for row, value in enumerate(values):
        try:
            as_text(value)
        except InputError as error:
            raise InputError(f"row {row} is {error}") from error.__cause__


def _drop_midnights(texts: list[str], values: Sequence[Any]) -> None:
    rows = [row for row, v in enumerate(values) if isinstance(v, datetime) and texts[row]]
    if all(values[row].time() == time() for row in rows):
        for row in rows:
            texts[row] = texts[row][:10]


def _as_datetime(value: np.datetime64) -> Any:
    return value.astype("datetime64[us]").item()


def _whole(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError as error:  # Python refuses to print more than a few thousand digits
        raise InputError("a number with too many digits; convert it to text") from error


def _real(value: float) -> str:
    if value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return "" if math.isnan(value) else float.__repr__(value)


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _moment(value: datetime) -> str:
    """Return a time in ISO format to the microsecond, the finest unit that all frames share."""
    return "" if is_missing(value) else datetime.isoformat(value)


def _span(value: timedelta) -> str:
    return "" if is_missing(value) else _real(timedelta.total_seconds(value))


def _decimal(value: Decimal) -> str:
    return "" if value.is_nan() else format(value, "f")


def _scalar(value: np.generic) -> str:
    """Return a NumPy number by its shortest digits: the float32 nearest to 0.1 is "0.1"."""
    if isinstance(value, np.datetime64):
        return as_text(_as_datetime(value))
    if isinstance(value, np.timedelta64):
        return as_text(value.astype("timedelta64[us]").item())
    if isinstance(value, np.floating):
        return _real(float(str(value)))
    return as_text(value.item())


def _joined(values: Collection[Any]) -> str:
    texts = []
    for value in values:
        if isinstance(value, list | tuple | set | frozenset | np.ndarray | dict):
            raise InputError("a list of lists or records; use a list of strings or numbers")
        texts.append(as_text(value))
    return "; ".join(text for text in texts if text)


def _array(values: NDArray[Any]) -> str:
    return _joined(list(values)) if values.ndim else as_text(values.item())


def _unordered(values: Collection[Any]) -> str:
    return _joined(sorted(map(as_text, values)))


def _record(_value: Any) -> str:
    raise InputError("a record; put each of its fields in a separate column")


def _bytes(_value: Any) -> str:
    raise InputError("bytes; decode them to text")


def _other(value: Any) -> str:
    if is_missing(value):
        return ""
    raise InputError(f"of type {type(value).__name__}; convert it to text")


_CONVERSIONS: dict[type, Callable[[Any], str]] = {
    str: str.__str__,
    type(None): lambda _value: "",
    bool: _truth,
    int: _whole,
    float: _real,
    np.generic: _scalar,
    Decimal: _decimal,
    datetime: _moment,
    date: date.isoformat,
    time: time.isoformat,
    timedelta: _span,
    UUID: str,
    list: _joined,
    tuple: _joined,
    np.ndarray: _array,
    set: _unordered,
    frozenset: _unordered,
    dict: _record,
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
    object: _other,
}
