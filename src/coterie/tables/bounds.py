"""Checks of values from a file: their types, and bounds on their sizes."""

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeAlias

import numpy as np

from coterie._core.texts import one_line
from coterie.exceptions import InputError

Check: TypeAlias = Callable[[Any, str], None]
"""Raises an `InputError` for a wrong value; the second argument is the path of the value."""

SHOWN = 60
"""The number of characters of a value or of its path that an error shows."""


LARGEST = sys.float_info.max
"""The largest finite number; infinity is not a number that a model may hold."""


def refuse(path: str, value: Any, requirement: str) -> NoReturn:
    """Raise an error that a value is not as required."""
    shown = one_line(_described(value), SHOWN)
    raise InputError(
        f"{one_line(path, SHOWN)} is {shown}; it must be {requirement}, as in models that "
        "coterie.tables.fit returns"
    )


def whole(low: int, high: int | None) -> Check:
    """Require a whole number between bounds; without an upper one if it is None."""
    bounds = f"of at least {low}" if high is None else f"from {low} to {high}"

    def check(value: Any, path: str) -> None:
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not is_whole or value < low or (high is not None and value > high):
            refuse(path, value, f"a whole number {bounds}")

    return check


def number(low: float = -LARGEST, high: float = LARGEST) -> Check:
    """Require a finite number between bounds."""
    bounds = "" if (low, high) == (-LARGEST, LARGEST) else f" from {low:g} to {high:g}"

    def check(value: Any, path: str) -> None:
        if not _is_number(value) or not low <= value <= high:
            refuse(path, value, f"a finite number{bounds}")

    return check


def number_or_nan(value: Any, path: str) -> None:
    """Require a finite number, or NaN."""
    is_nan = isinstance(value, float) and math.isnan(value)
    if not is_nan and not (_is_number(value) and -LARGEST <= value <= LARGEST):
        refuse(path, value, "a finite number or NaN")


def number_or_infinity(value: Any, path: str) -> None:
    """Require a finite number, or infinity."""
    if value != math.inf:
        number()(value, path)


def truth_value(value: Any, path: str) -> None:
    """Require True or False."""
    if not isinstance(value, bool | np.bool_):
        refuse(path, value, "True or False")


def text(longest: int) -> Check:
    """Require a text of bounded length."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, str) or len(value) > longest:
            refuse(path, value, f"a text of at most {longest:,} characters")

    return check


def one_of(*values: str) -> Check:
    """Require one of some texts."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, str) or value not in values:
            refuse(path, value, f"one of {', '.join(values)}")

    return check


def optional(inner: Check) -> Check:
    """Require None, or what another check requires."""

    def check(value: Any, path: str) -> None:
        if value is not None:
            inner(value, path)

    return check


def many(inner: Check, least: int, most: int) -> Check:
    """Require a list or tuple of a bounded number of values, each checked."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, list | tuple) or not least <= len(value) <= most:
            refuse(path, value, f"a list of {least} to {most:,} values")
        for index, entry in enumerate(value):
            inner(entry, f"{path}[{index}]")

    return check


def distinct(inner: Check) -> Check:
    """Require a list that passes another check, of values that differ."""

    def check(value: Any, path: str) -> None:
        inner(value, path)
        if len(set(value)) < len(value):
            refuse(path, value, "a list without duplicates")

    return check


def mapping(inner: Check, most: int, longest: int) -> Check:
    """Require a mapping of a bounded number of texts of bounded length to checked values."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, Mapping) or len(value) > most:
            refuse(path, value, f"a mapping of at most {most:,} names")
        for key, entry in value.items():
            text(longest)(key, f"a name in {path}")
            inner(entry, f"{path}[{key[:SHOWN]!r}]")

    return check


def array(most: int) -> Check:
    """Require an array of a bounded number of finite numbers."""

    def check(value: Any, path: str) -> None:
        is_array = isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
        if not is_array or value.size > most or not np.isfinite(value).all():
            refuse(path, value, f"an array of at most {most:,} finite numbers")

    return check


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float | np.integer | np.floating)
    return is_number and not isinstance(value, bool)


def _described(value: Any) -> str:
    """Return a short description of a value, without writing out a large one."""
    if value is None or isinstance(value, bool | float):
        return str(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() < 100 else f"a number of {value.bit_length()} bits"
    if isinstance(value, str):
        return repr(value[:SHOWN]) if len(value) <= SHOWN else f"{value[:SHOWN]!r}…"
    size = f" of length {len(value)}" if hasattr(value, "__len__") else ""
    return f"a {type(value).__name__}{size}"
