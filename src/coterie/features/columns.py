"""Columns of item sets: their values by name, tokens of a value, and missing values."""

from collections.abc import Collection
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from coterie.exceptions import InputError, ItemSetError
from coterie.items import Columns, PairFeatures


def column_of(
    items: Any, name: Any, caller: str, error: type[InputError] = ItemSetError
) -> list[Any]:
    """Return the values of a column, one per item.

    `error` is the class of errors; `caller` is named in them if the items have no columns.

    >>> column_of(Columns({"name": ["Ann", "Bob"]}), "town", "SharedKeys")
    Traceback (most recent call last):
    coterie.exceptions.ItemSetError: there is no column 'town'; the columns are name
    """
    if isinstance(items, PairFeatures | np.ndarray | tuple) or sp.issparse(items):
        raise error(
            f"{caller} compares columns, but the items are {describe_items(items)}; give a data "
            "frame or a mapping of names to columns"
        )
    table = items if isinstance(items, Columns) else nw.from_native(items, eager_only=True)
    names = list(table) if isinstance(table, Columns) else table.columns
    if not isinstance(name, str) or name not in names:
        raise error(f"there is no column {name!r}; the columns are {', '.join(names)}")
    values = nw.from_native(table[name], series_only=True, pass_through=True)
    return values.to_list() if isinstance(values, nw.Series) else list(values)


def describe_items(items: Any) -> str:
    """Return a phrase to follow `the items are` in an error message."""
    if isinstance(items, PairFeatures):
        return "features of pairs"
    is_matrix = isinstance(items, np.ndarray) or sp.issparse(items)
    return "vectors" if is_matrix else f"of type {type(items).__name__}"


def tokens_of(value: Any) -> Collection[Any]:
    """Return the tokens of a value: the members of a collection, or the value as the only one."""
    return value if isinstance(value, list | tuple | set | frozenset | np.ndarray) else (value,)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, an empty text, NaN, NaT or NA."""
    if value is None or (isinstance(value, str | bytes) and not value):
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - NaN and NaT alone differ from themselves
    except TypeError:  # the comparison of NA with itself is NA, which has no truth value
        return True
    except ValueError:  # an array of several values, which is a collection of tokens
        return False
