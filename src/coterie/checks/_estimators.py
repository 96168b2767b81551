"""Checks of learners as estimators of scikit-learn, and calls with a message if they fail."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.base import clone

from coterie.checks._assertions import assert_raises
from coterie.exceptions import InputError
from coterie.learners.base import Learner


def check_constructor(learner: Learner) -> None:
    """Check that the constructor stores all arguments as they are, even invalid ones."""
    arguments = {name: object() for name in learner.get_params(deep=False)}
    try:
        new_learner: Learner = type(learner)(**arguments)
    except Exception as error:
        raise AssertionError(
            f"the constructor of {name_of(learner)} does more than store its parameters, and "
            f"fails: {error!r}; check the parameters in fit"
        ) from error
    for name, value in new_learner.get_params(deep=False).items():
        is_stored = value is arguments[name]
        assert is_stored, f"the constructor of {name_of(learner)} does not store the {name}"
    _check_no_results(new_learner, "its constructor")


def _check_no_results(learner: Learner, source: str) -> None:
    results = [name for name in vars(learner) if name.endswith("_")]
    assert not results, f"{name_of(learner)} has {results} from {source}; set results only in fit"


def check_params(learner: Learner) -> None:
    """Check that a learner can be cloned, and that `set_params` takes what `get_params` returns."""
    params, before = learner.get_params(deep=False), descriptions_of(learner)
    copy = cloned(learner)
    _check_no_results(copy, "clone")
    assert descriptions_of(copy) == before, f"{name_of(learner)}: a clone has other parameters"
    assert copy.set_params(**params) is copy, f"{name_of(learner)}: set_params must return self"
    for name, value in copy.get_params(deep=False).items():
        assert value is params[name], f"{name_of(learner)}: set_params does not store the {name}"
    copy.set_params(**learner.get_params())
    assert descriptions_of(copy) == before, (
        f"{name_of(learner)}: set_params(**get_params()) changes it"
    )
    for unknown in ("nothing", *(f"{name}__nothing" for name in params)):
        case = f"{name_of(learner)}, set_params with the unknown parameter {unknown!r}"
        assert_raises(lambda name: copy.set_params(**{name: 0}), unknown, ValueError, case)


def check_nested(learner: Learner) -> None:
    """Check that setting `a__b` replaces a by a copy with another b, and leaves a unchanged."""
    for name, value in learner.get_params().items():
        if "__" in name:
            copy = cloned(learner)
            call = partial(copy.set_params, **{name: value})
            checked_call(learner, f"set {name} to {value!r}", call)
            _check_set(copy, name, _different(value))


def _check_set(learner: Learner, name: str, value: Any) -> None:
    outer = name.partition("__")[0]
    owner = learner.get_params(deep=False)[outer]
    before = repr(owner)
    try:
        learner.set_params(**{name: value})
    except InputError:  # another value of the same kind may be out of range
        return
    result = learner.get_params()[name]
    assert result == value, f"{name_of(learner)}: {name} was set to {value!r}, but is {result!r}"
    message = f"{name_of(learner)}: setting {name} changes the original {outer}"
    assert repr(owner) == before, message
    # As in scikit-learn, the outer value is set before its parts, in any order of the arguments.
    learner.set_params(**{name: value, outer: owner})
    result = learner.get_params()[name]
    assert result == value, f"{name_of(learner)}: {name} is lost if {outer} is set too"


def _different(value: Any) -> Any:
    """Return a different value of the same kind, if one is likely to be valid."""
    if isinstance(value, bool):
        return not value
    return type(value)(2 * value + 1) if isinstance(value, int | float) else value


def descriptions_of(learner: Learner) -> dict[str, str]:
    """Return the parameters as texts, with any attributes that fit has set in their values."""
    return {name: _description_of(value) for name, value in learner.get_params().items()}


def _description_of(value: Any) -> str:
    results = [name for name in getattr(value, "__dict__", {}) if name.endswith("_")]
    return f"{re.sub(' at 0x[0-9a-f]+', '', repr(value))} {results}"


def cloned(learner: Learner) -> Learner:
    """Clone a learner."""
    copy: Learner = checked_call(learner, "clone", lambda: clone(learner))
    return copy


def checked_call(learner: Learner, action: str, call: Callable[[], Any]) -> Any:
    """Return the result of a call that must not raise an error."""
    try:
        return call()
    except Exception as error:
        raise AssertionError(f"{name_of(learner)} fails to {action}: {error!r}") from error


def name_of(learner: Learner) -> str:
    """Return the name of the class of a learner."""
    return type(learner).__name__
