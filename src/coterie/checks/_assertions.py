"""Assertions that the checks of several families make."""

from collections.abc import Callable
from typing import Any


def assert_raises(
    call: Callable[[Any], object], argument: object, expected: type[Exception], case: str
) -> Exception:
    """Check that a call raises an error of the expected class, and return the error.

    The case, such as `Greedy, scores of type list`, begins the message if the check fails.
    """
    try:
        call(argument)
    except expected as error:
        return error
    except Exception as wrong_error:
        raise AssertionError(
            f"{case}: this must raise {expected.__name__}, but raises {wrong_error!r}"
        ) from wrong_error
    raise AssertionError(f"{case}: this must raise {expected.__name__}, but raises no error")


def assert_frozen(value: Any) -> None:
    """Check that no parameter of a value can be set."""
    for name, parameter in value.get_params(deep=False).items():
        try:
            setattr(value, name, parameter)
        except AttributeError:
            continue
        raise AssertionError(
            f"{type(value).__name__} is not frozen: its {name} can be changed; make it a frozen "
            "dataclass"
        )
