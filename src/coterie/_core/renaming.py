"""Parameters that had another name in an earlier version, which still works."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def renamed_parameters(**new_names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take some keyword arguments by their former names too.

    >>> @renamed_parameters(together="must_link")
    ... def cluster(rows, must_link=()):
    ...     return must_link
    >>> cluster([], together=[(0, 1)])
    [(0, 1)]
    >>> cluster([], together=[], must_link=[])
    Traceback (most recent call last):
    TypeError: cluster() got both must_link= and together=, which is the former name of
    must_link=; use only must_link=
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def renaming(*args: P.args, **kwargs: P.kwargs) -> R:
            for old in new_names.keys() & kwargs.keys():
                _rename(kwargs, old, new_names[old], function.__name__)
            return function(*args, **kwargs)

        return renaming

    return decorate


def _rename(arguments: dict[str, Any], old: str, new: str, function: str) -> None:
    if new in arguments:
        raise TypeError(
            f"{function}() got both {new}= and {old}=, which is the former name of {new}=; use "
            f"only {new}="
        )
    arguments[new] = arguments.pop(old)
