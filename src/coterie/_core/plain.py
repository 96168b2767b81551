"""Checks of all parameters of a class whose annotation is a plain type, such as `bool`."""

from collections.abc import Mapping
from functools import cache
from inspect import signature
from typing import Any, get_args

import numpy as np

from coterie._core.arguments import as_flag
from coterie.exceptions import InputError

EXACT = 2**53
"""Up to this size, every whole number is a float."""


def refuse_other_types(make: type, arguments: Mapping[str, Any]) -> None:
    """Raise an error for arguments of a class that do not fit a plain annotation.

    Parameters annotated `bool`, without None, must be True or False, and those annotated `int`
    cannot be arrays. The class checks everything else.

    >>> from coterie.learners import SGD
    >>> refuse_other_types(SGD, {"average": "no"})
    Traceback (most recent call last):
    coterie.exceptions.InputError: average is 'no'; give True or False
    """
    types = plain_types(make)
    for name, value in arguments.items():
        kind = None if value is None and name in optional(make) else types.get(name)
        if kind is bool and name not in optional(make):
            as_flag(name, value)
        if kind is int and isinstance(value, np.ndarray):
            raise InputError(f"{name} is {value!r}; give a whole number")


def as_plain(make: type, name: str, value: Any) -> Any:
    """Return an argument as an int or a float of Python if kernels would not take it as it is.

    True is the number 1, and whole numbers beyond 64 bits are floats if the parameter is one.

    >>> from coterie.learners import SGD
    >>> as_plain(SGD, "start", True), as_plain(SGD, "start", 2**70), as_plain(SGD, "start", 2)
    (1.0, 1.1805916207174113e+21, 2)
    """
    kind = plain_types(make).get(name)
    if kind is int and isinstance(value, bool | np.integer | np.bool_):
        return int(value)
    is_whole = isinstance(value, int | np.bool_)
    if kind is float and is_whole and (isinstance(value, bool | np.bool_) or abs(value) > EXACT):
        try:
            return float(value)
        except OverflowError:
            return value
    return value


@cache
def plain_types(make: type) -> dict[str, type]:
    """Return the parameters of a class that are annotated bool, int or float, perhaps or None."""
    types = {}
    for name, parameter in signature(make).parameters.items():
        options = get_args(parameter.annotation) or (parameter.annotation,)
        plain = [option for option in options if option is not type(None)]
        if len(plain) == 1 and plain[0] in (bool, int, float):
            types[name] = plain[0]
    return types


@cache
def optional(make: type) -> set[str]:
    """Return the parameters of a class whose annotation says that they may be None."""
    parameters = signature(make).parameters.items()
    return {name for name, value in parameters if type(None) in get_args(value.annotation)}
