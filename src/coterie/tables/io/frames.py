"""Tables from data frames, and columns added to data frames."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from coterie.exceptions import InputError, located
from coterie.tables.io.cells import Result, as_results, as_texts, is_numeric, written
from coterie.tables.io.json_lines import gathered
from coterie.tables.table import Table, check_name

_REMEDY = (
    "give a data frame of pandas, polars or pyarrow, a mapping of names to columns, or a list of "
    "dicts"
)


def as_table(frame: Any, name: str = "the table") -> Table:
    """Make a table of text; the same values make the same text whatever holds them.

    Missing values are the empty text. Whole numbers have no decimal point, truth values are "true"
    and "false", times are in ISO format (dates only if all of a column are midnight), and a list is
    its values joined by "; ". The index of pandas is not part of the table.

    Parameters
    ----------
    frame : data frame of pandas, polars or pyarrow, mapping of columns, list of dicts, or Table
        A table is returned as it is.
    name : str
        What errors call the table.

    Examples
    --------
    >>> as_table({"id": [1.0, 2.0], "name": ["Ann", None]})["id"]
    ('1', '2')
    """
    if isinstance(frame, Table):
        return frame
    with located(name):
        columns = text_columns(frame)
    return Table(columns, name)


class TypedTable(NamedTuple):
    """A table of text, and the frame that it is the text of."""

    table: Table
    frame: Any


def as_typed(frame: Any) -> TypedTable:
    """Make a table of text, and keep the frame; what `read_typed` returns stays as it is."""
    return frame if isinstance(frame, TypedTable) else TypedTable(as_table(frame), frame)


def text_columns(frame: Any) -> dict[str, list[str]]:
    """Make text of all cells of a frame."""
    texts = {}
    for name, values in _columns(frame).items():
        check_name(name)
        with located(f"column {name!r}"):
            texts[name] = as_texts(_listed(values))
    return texts


def with_columns(frame: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return the same kind of frame with more columns at its end; one already there is replaced.

    The frame that is given does not change. The values of a column are texts or numbers, or None
    where they are missing; in a `Table`, numbers are text of six places.

    >>> with_columns({"name": ["Ann", "Bob"]}, {"confidence": [0.9, None]})
    {'name': ['Ann', 'Bob'], 'confidence': [0.9, None]}
    """
    results = {name: _checked(name, values, _count(frame)) for name, values in columns.items()}
    if isinstance(frame, Table):
        return frame.with_columns({n: [written(v) for v in own] for n, own in results.items()})
    if isinstance(frame, Mapping):
        return {**{name: _listed(values) for name, values in frame.items()}, **results}
    if isinstance(frame, list | tuple):
        return [
            {**record, **{name: values[row] for name, values in results.items()}}
            for row, record in enumerate(_records(frame))
        ]
    return _with_series(_native(frame), results)


def _with_series(frame: nw.DataFrame[Any], results: Mapping[str, list[Result]]) -> Any:
    added = [
        nw.new_series(
            name,
            values,
            nw.Float64() if is_numeric(values) else nw.String(),
            backend=frame.implementation,
        )
        for name, values in results.items()
    ]
    return frame.with_columns(*added).to_native()


def _checked(name: Any, values: Sequence[Any], count: int) -> list[Result]:
    check_name(name)
    with located(f"column {name!r}"):
        results = as_results(_listed(values))
        if len(results) != count:
            raise InputError(f"there are {len(results)} values for {count} rows; give one a row")
    return results


def _count(frame: Any) -> int:
    if isinstance(frame, Mapping):
        return len(_listed(next(iter(frame.values())))) if frame else 0
    return len(frame) if isinstance(frame, Table | list | tuple) else len(_native(frame))


def _columns(frame: Any) -> Mapping[Any, Any]:
    if isinstance(frame, Mapping):
        return frame
    if isinstance(frame, list | tuple):
        return gathered(_records(frame), missing=None)
    native = _native(frame)
    return {name: native[name] for name in native.columns}


def _records(frame: Sequence[Any]) -> Sequence[Mapping[str, Any]]:
    for row, record in enumerate(frame):
        if not isinstance(record, Mapping):
            raise InputError(f"row {row} is of type {type(record).__name__}; {_REMEDY}")
    return frame


def _native(frame: Any) -> nw.DataFrame[Any]:
    try:
        native: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
        names = native.columns
    except DuplicateError as error:
        raise InputError("two columns have the same name; rename one") from error
    except TypeError as error:
        advice = "collect it first" if hasattr(frame, "collect") else _REMEDY
        raise InputError(f"the table is of type {type(frame).__name__}; {advice}") from error
    for name in names:
        check_name(name)
    return native


def _listed(values: Any) -> list[Any]:
    """Return the values of a column as Python has them."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    try:
        if isinstance(series, nw.Series):
            return _series_values(series)
        return _array_values(values) if isinstance(values, np.ndarray) else _sequence(values)
    except (ValueError, OverflowError, KeyError) as error:  # the last for unknown time zones
        if isinstance(error, InputError):
            raise
        raise InputError(f"the values cannot be read ({error}); make text of them") from error


def _series_values(series: nw.Series[Any]) -> list[Any]:
    kind = series.dtype
    if series.implementation.is_pyarrow():  # which without pandas makes no times of nanoseconds
        if isinstance(kind, nw.Datetime):
            return series.dt.truncate("1us").to_list()
        if isinstance(kind, nw.Duration):
            spans = series.dt.total_microseconds().to_list()
            return [own if own is None else timedelta(microseconds=own) for own in spans]
    values = series.to_list()
    if kind == nw.Float32:
        return [value if value is None else np.float32(value) for value in values]
    return values


def _array_values(array: np.ndarray[Any, Any]) -> list[Any]:
    if array.ndim != 1:
        raise InputError(f"there is an array of {array.ndim} dimensions; give one of 1")
    return list(array)


def _sequence(values: Any) -> list[Any]:
    if isinstance(values, str | bytes | Mapping):
        raise InputError(f"there is one {type(values).__name__}; give a list of values")
    try:
        return list(values)
    except TypeError as error:
        raise InputError(f"there is {values!r}; give a list of values") from error


def is_arrow(frame: Any) -> bool:
    """Tell whether a frame is a table of pyarrow."""
    native = nw.from_native(frame, eager_only=True, pass_through=True)
    return isinstance(native, nw.DataFrame) and native.implementation.is_pyarrow()


def column_names(frame: Any) -> tuple[Any, ...]:
    """Return the names of the columns of a frame."""
    return frame.names if isinstance(frame, Table) else tuple(_columns(frame))


def column(frame: Any, name: str) -> list[Any]:
    """Return the values of a column of a frame."""
    return list(frame[name]) if isinstance(frame, Table) else _listed(_columns(frame)[name])


def renamed(frame: Any, names: Mapping[str, str]) -> Any:
    """Return the same kind of frame with other names for some columns."""
    if isinstance(frame, Table):
        columns = {names.get(name, name): cells for name, cells in frame.columns.items()}
        return Table(columns, frame.name)
    if isinstance(frame, Mapping):
        return {names.get(name, name): cells for name, cells in frame.items()}
    if isinstance(frame, list | tuple):
        return [{names.get(name, name): cell for name, cell in row.items()} for row in frame]
    return nw.from_native(frame, eager_only=True).rename(dict(names)).to_native()
