"""Checks of the numbers that users pass as arguments."""

import sys
from collections.abc import Callable
from inspect import signature
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
    high: float | None = None,
    error: type[InputError] = InputError,
) -> int:
    """Return a whole number from `low` to `high` as an int; raise an error for anything else.

    None as `high` means the largest size of a list, except for seeds, which may be larger.

    >>> as_whole("n_items", -1)
    Traceback (most recent call last):
    coterie.exceptions.InputError: n_items is -1; give a whole number of at least 0
    """
    try:
        # NumPy counts arrays of one number as numbers, but much of it refuses them later.
        number = low - 1 if _is_array(value) else index(value)
    except TypeError:
        number = low - 1
    # Seeds may have any size. Nothing can be counted beyond the largest size of a list.
    highest = (inf if name == "random_state" else sys.maxsize) if high is None else high
    if not low <= number <= highest:
        is_open = high is None and number < low
        bounds = f"of at least {low}" if is_open or highest == inf else f"from {low} to {highest}"
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


def is_single(value: Any) -> bool:
    """Return whether a value has no length; arrays without a dimension have a `__len__` that fails.

    >>> [is_single(value) for value in (3, np.array(3), [3], "3")]
    [True, True, False, False]
    """
    return not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray)


def _is_between(value: float, low: float, high: float) -> bool:
    """Return whether a value is a finite number from `low` to `high`."""
    if _is_array(value):
        return False
    try:
        return isfinite(value) and low <= value <= high
    except (TypeError, ValueError, OverflowError):
        return False


def refuse_class(name: str, value: object) -> None:
    """Raise an error if `value` is a class instead of an object of that class."""
    if isinstance(value, type):
        raise InputError(f"{name} is the class {value.__name__}; give {value.__name__}()")


def refuse_uncallable(name: str, value: Any, n_arguments: int, example: str) -> None:
    """Raise an error unless `value` can be called with this number of arguments.

    >>> refuse_uncallable("blocker", lambda: None, 1, "Window(10)")
    Traceback (most recent call last):
    coterie.exceptions.InputError: blocker cannot be called with 1 argument; give a blocker such
    as Window(10)
    """
    refuse_class(name, value)
    if not callable(value):
        raise InputError(
            f"{name} is of type {type(value).__name__}; give a {name} such as {example}"
        )
    if not takes_arguments(value, n_arguments):
        count = "1 argument" if n_arguments == 1 else f"{n_arguments} arguments"
        raise InputError(f"{name} cannot be called with {count}; give a {name} such as {example}")


def takes_arguments(function: Callable[..., Any], n_arguments: int) -> bool:
    """Return whether a function can be called with this number of arguments."""
    try:
        parameters = signature(function)
    except (TypeError, ValueError):  # a function of C without a signature
        return True
    try:
        parameters.bind(*[None] * n_arguments)
    except TypeError:
        return False
    return True


def as_list(name: str, values: Any, example: str) -> list[Any]:
    """Return the values of a list or another iterable; raise an error for anything else.

    >>> as_list("held_out", 3, "a list of indices")
    Traceback (most recent call last):
    coterie.exceptions.InputError: held_out is 3; give a list of indices
    """
    try:
        if not isinstance(values, str | bytes):
            return list(values)
    except TypeError:
        pass
    raise InputError(f"{name} is {values!r}; give {example}")


def as_flag(name: str, value: object) -> bool:
    """Return True or False as a bool; raise an error for anything else.

    >>> as_flag("widen", 3)
    Traceback (most recent call last):
    coterie.exceptions.InputError: widen is 3; give True or False
    """
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} is {value!r}; give True or False")
    return bool(value)


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
