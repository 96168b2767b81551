"""Checks of the numbers that users pass as arguments."""

from math import inf, isfinite
from numbers import Real
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Floats, read_only
from coterie.exceptions import InputError


def as_whole(
    name: str,
    value: int,
    low: int = 0,
    high: int | None = None,
    error: type[InputError] = InputError,
) -> int:
    """Return a whole number from `low` to `high` as an int; raise an error for anything else.

    >>> as_whole("n_items", -1)
    Traceback (most recent call last):
    coterie.exceptions.InputError: n_items is -1; give a whole number of at least 0
    """
    try:
        number = index(value)
    except TypeError:
        number = low - 1
    if number < low or (high is not None and number > high):
        bounds = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise error(f"{name} is {value!r}; give a whole number {bounds}")
    return number


def as_real(name: str, value: float, low: float = 0.0, high: float = float("inf")) -> float:
    """Return a finite number from `low` to `high` as a float; raise an error for anything else.

    >>> as_real("noise", 2, high=1)
    Traceback (most recent call last):
    coterie.exceptions.InputError: noise is 2; give a finite number from 0 to 1
    """
    if not _is_between(value, low, high):
        bounds = f"from {low:g} to {high:g}" if isfinite(high) else f"of at least {low:g}"
        raise InputError(f"{name} is {value!r}; give a finite number {bounds}")
    return float(value)


def as_positive(name: str, value: float) -> float:
    """Return a finite number above 0 as a float; raise an error for anything else.

    >>> as_positive("C", 0)
    Traceback (most recent call last):
    coterie.exceptions.InputError: C is 0; give a finite number above 0
    """
    if not _is_between(value, 0.0, inf) or not value:
        raise InputError(f"{name} is {value!r}; give a finite number above 0")
    return float(value)


def _is_between(value: float, low: float, high: float) -> bool:
    """Return whether a value is a finite number from `low` to `high`."""
    try:
        return isfinite(value) and low <= value <= high
    except (TypeError, ValueError, OverflowError):
        return False


def refuse_class(name: str, value: object) -> None:
    """Raise an error if `value` is a class instead of an object of that class."""
    if isinstance(value, type):
        raise InputError(f"{name} is the class {value.__name__}; give {value.__name__}()")


def as_floats(name: str, values: Any, error: type[InputError] = InputError) -> Floats:
    """Return real numbers as a read-only float64 array of any shape; NaN is allowed.

    >>> as_floats("scores", ["1", "2"])
    Traceback (most recent call last):
    coterie.exceptions.InputError: scores must be real numbers in an array or a list
    """
    try:
        array = np.asarray(values)
        numbers = array.astype(np.float64, copy=False) if _is_real(array) else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None or isinstance(values, np.ma.MaskedArray):
        raise error(f"{name} must be real numbers in an array or a list")
    return read_only(numbers)


def _is_real(array: NDArray[Any]) -> bool:
    if array.dtype == object:
        return all(isinstance(value, Real) for value in array.flat)
    return array.dtype.kind in "biuf"
