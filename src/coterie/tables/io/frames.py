"""Data frames as tables of text, and columns added to data frames."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import PurePath
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from coterie.exceptions import InputError, located
from coterie.tables.io.cells import (
    Result,
    as_results,
    as_texts,
    is_numeric,
    refuse_long_cells,
    result_text,
)
from coterie.tables.io.json_lines import as_columns
from coterie.tables.table import Table, check_name

_REMEDY = (
    "give a data frame of pandas, polars or pyarrow, a mapping of names to columns, or a list of "
    "dicts"
)


def as_table(frame: Any, name: str = "the table") -> Table:
    """Convert a data frame to a table of text; equal values give equal text in any kind of frame.

    Missing values become the empty text. Whole numbers have no decimal point; truth values become
    "true" and "false"; times are in ISO format, without the time of day if it is midnight in the
    whole column; a list becomes its values joined by "; ". The index of pandas is ignored. Cells of
    more than `cells.MAX_CELL` characters are refused, except in a `Table`.

    Parameters
    ----------
    frame : data frame of pandas, polars or pyarrow, mapping of columns, list of dicts, or Table
        A `Table` is returned unchanged.
    name : str
        The name of the table in errors.

    Examples
    --------
    >>> as_table({"id": [1.0, 2.0], "name": ["Ann", None]})["id"]
    ('1', '2')
    """
    if isinstance(frame, Table):
        return frame
    with located(name):
        columns = text_columns(frame)
        refuse_long_cells(columns, "give the columns as a coterie.tables.Table, which allows it")
    return Table(columns, name)


class TypedTable(NamedTuple):
    """A table of text, and the data frame that it was converted from."""

    table: Table
    frame: Any

    def __repr__(self) -> str:
        return f"TypedTable({self.table!r}, frame of type {type(self.frame).__name__})"


def as_typed(frame: Any) -> TypedTable:
    """Convert a data frame to a table of text and keep both; return a `TypedTable` unchanged."""
    return frame if isinstance(frame, TypedTable) else TypedTable(as_table(frame), frame)


def text_columns(frame: Any) -> dict[str, list[str]]:
    """Return the columns of a frame with all cells as text."""
    texts = {}
    for name, values in _columns(frame).items():
        check_name(name)
        with located(f"column {name!r}"):
            texts[name] = as_texts(_cells(values))
    return texts


def with_columns(frame: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return a frame of the same type with columns added at its end, or replaced in place.

    The original frame does not change. The values of a column are texts or numbers, or None where
    they are missing; a `Table` holds numbers as text with six decimal places.

    >>> with_columns({"name": ["Ann", "Bob"]}, {"confidence": [0.9, None]})
    {'name': ['Ann', 'Bob'], 'confidence': [0.9, None]}
    """
    results = {name: _checked(name, values, _count(frame)) for name, values in columns.items()}
    if isinstance(frame, Table):
        return frame.with_columns(
            {name: [result_text(value) for value in values] for name, values in results.items()}
        )
    if isinstance(frame, Mapping):
        return {**{name: _cells(values) for name, values in frame.items()}, **results}
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
        results = as_results(_cells(values))
        if len(results) != count:
            raise InputError(
                f"there are {len(results)} values for {count} rows; give one value per row"
            )
    return results


def _count(frame: Any) -> int:
    if isinstance(frame, Mapping):
        return len(_cells(next(iter(frame.values())))) if frame else 0
    return len(frame) if isinstance(frame, Table | list | tuple) else len(_native(frame))


def _columns(frame: Any) -> Mapping[Any, Any]:
    if isinstance(frame, Mapping):
        return frame
    if isinstance(frame, list | tuple):
        return as_columns(_records(frame), missing=None)
    native = _native(frame)
    return {name: native[name] for name in native.columns}


def _records(frame: Sequence[Any]) -> Sequence[Mapping[str, Any]]:
    for row, record in enumerate(frame, 1):
        if not isinstance(record, Mapping):
            raise InputError(f"row {row} is of type {type(record).__name__}; {_REMEDY}")
    return frame


def _native(frame: Any) -> nw.DataFrame[Any]:
    try:
        native: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
        names = native.columns
    except DuplicateError as error:
        # The attribute `columns` of pyarrow is a list of values, that of pandas has the names.
        names = frame.column_names if isinstance(frame.columns, list) else list(frame.columns)
        name = Counter(names).most_common(1)[0][0]
        raise InputError(f"two columns have the name {name!r}; rename one of them") from error
    except TypeError as error:
        raise InputError(f"it is of type {type(frame).__name__}; {_advice(frame)}") from error
    for name in names:
        check_name(name)
    return native


def _advice(frame: Any) -> str:
    if isinstance(frame, str | PurePath):
        return "read the file first, for example with pandas.read_csv or coterie.tables.read_table"
    return "call its collect() first" if hasattr(frame, "collect") else _REMEDY


def _cells(values: Any) -> list[Any]:
    """Return the values of a column as a list of Python objects."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    try:
        if isinstance(series, nw.Series):
            return _series_values(series)
        return _array_values(values) if isinstance(values, np.ndarray) else _sequence(values)
    except (ValueError, OverflowError, KeyError) as error:  # KeyError: an unknown time zone
        if isinstance(error, InputError):
            raise
        raise InputError(f"the values cannot be read ({error}); convert them to text") from error


def _series_values(series: nw.Series[Any]) -> list[Any]:
    kind = series.dtype
    if series.implementation.is_pyarrow():  # needs pandas for times in nanoseconds
        if isinstance(kind, nw.Datetime):
            return series.dt.truncate("1us").to_list()
        if isinstance(kind, nw.Duration):
            spans = series.dt.total_microseconds().to_list()
            return [
                None if microseconds is None else timedelta(microseconds=microseconds)
                for microseconds in spans
            ]
    values = series.to_list()
    if kind == nw.Float32:
        return [value if value is None else np.float32(value) for value in values]
    return values


def _array_values(array: np.ndarray[Any, Any]) -> list[Any]:
    if array.ndim != 1:
        raise InputError(f"the array has {array.ndim} dimensions; give an array of one dimension")
    return list(array)


def _sequence(values: Any) -> list[Any]:
    if isinstance(values, str | bytes | Mapping):
        raise InputError(
            f"the column is a single {type(values).__name__}; give a list with one value per row"
        )
    try:
        return list(values)
    except TypeError as error:
        raise InputError(f"the column is {values!r}; give a list with one value per row") from error


def is_arrow(frame: Any) -> bool:
    """Return whether a frame is a table of pyarrow."""
    native = nw.from_native(frame, eager_only=True, pass_through=True)
    return isinstance(native, nw.DataFrame) and native.implementation.is_pyarrow()


def column(frame: Any, name: str) -> list[Any]:
    """Return the values of a column of a frame."""
    return list(frame[name]) if isinstance(frame, Table) else _cells(_columns(frame)[name])


def renamed(frame: Any, names: Mapping[str, str]) -> Any:
    """Return a frame of the same type in which some columns have other names."""
    if not names:
        return frame
    if isinstance(frame, Table):
        columns = {names.get(name, name): cells for name, cells in frame.columns.items()}
        return Table(columns, frame.name)
    if isinstance(frame, Mapping):
        return {names.get(name, name): cells for name, cells in frame.items()}
    if isinstance(frame, list | tuple):
        return [{names.get(name, name): cell for name, cell in row.items()} for row in frame]
    return nw.from_native(frame, eager_only=True).rename(dict(names)).to_native()
