"""What scikit-learn asks of a learner as an estimator, and calls that fail with a sentence."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.base import clone

from coterie.exceptions import InputError
from coterie.learners.base import Learner


def check_constructor(learner: Learner) -> None:
    """Check that the constructor keeps whatever it is given, even what makes no sense."""
    given = {name: object() for name in learner.get_params(deep=False)}
    try:
        made: Learner = type(learner)(**given)
    except Exception as error:
        raise AssertionError(
            f"the constructor of {name_of(learner)} looks at its parameters: {error!r}; check them "
            "in fit"
        ) from error
    for name, value in made.get_params(deep=False).items():
        assert value is given[name], f"{name_of(learner)} does not keep the {name} that it is given"
    _check_no_results(made, "its constructor")


def _check_no_results(learner: Learner, source: str) -> None:
    results = [name for name in vars(learner) if name.endswith("_")]
    assert not results, f"{name_of(learner)} has {results} by {source}; only fit leaves results"


def check_params(learner: Learner) -> None:
    """Check clones, and that what `get_params` returns can be set."""
    params, before = learner.get_params(deep=False), described(learner)
    copy = cloned(learner)
    _check_no_results(copy, "clone")
    assert described(copy) == before, f"{name_of(learner)}: a clone has other parameters"
    assert copy.set_params(**params) is copy, f"{name_of(learner)}: set_params does not return it"
    for name, value in copy.get_params(deep=False).items():
        assert value is params[name], f"{name_of(learner)}: {name} was set, but is another"
    copy.set_params(**learner.get_params())
    assert described(copy) == before, f"{name_of(learner)}: its own parameters change it when set"
    for unknown in ("nothing", *(f"{name}__nothing" for name in params)):
        message = f"{name_of(learner)} takes a parameter {unknown!r}, which it does not have"
        assert_raises(lambda name: copy.set_params(**{name: 0}), unknown, ValueError, message)


def check_nested(learner: Learner) -> None:
    """Check that `a__b` is set in a copy of a, and only there."""
    for name, value in learner.get_params().items():
        if "__" in name:
            copy = cloned(learner)
            call = partial(copy.set_params, **{name: value})
            called(learner, f"set {name} to {value!r}", call)
            _check_set(copy, name, _other(value))


def _check_set(learner: Learner, name: str, value: Any) -> None:
    outer = name.partition("__")[0]
    owner = learner.get_params(deep=False)[outer]
    before = repr(owner)
    try:
        learner.set_params(**{name: value})
    except InputError:  # another value of the same kind may be out of range
        return
    found = learner.get_params()[name]
    assert found == value, f"{name_of(learner)}: {name} was set to {value!r}, but is {found!r}"
    assert repr(owner) == before, f"{name_of(learner)}: setting {name} changes the {outer} given"
    # As scikit-learn does it: first the value is set, then what is inside, in whatever order.
    learner.set_params(**{name: value, outer: owner})
    found = learner.get_params()[name]
    assert found == value, f"{name_of(learner)}: {name} is lost where {outer} is set too"


def _other(value: Any) -> Any:
    """Return another value of the same kind, where one is likely to be allowed."""
    if isinstance(value, bool):
        return not value
    return type(value)(2 * value + 1) if isinstance(value, int | float) else value


def described(learner: Learner) -> dict[str, str]:
    """Return the parameters as texts, with the results that fit should not leave in them."""
    return {name: _described(value) for name, value in learner.get_params().items()}


def _described(value: Any) -> str:
    results = [name for name in getattr(value, "__dict__", {}) if name.endswith("_")]
    return f"{re.sub(' at 0x[0-9a-f]+', '', repr(value))} {results}"


def cloned(learner: Learner) -> Learner:
    """Clone a learner."""
    copy: Learner = called(learner, "clone", lambda: clone(learner))
    return copy


def called(learner: Learner, what: str, call: Callable[[], Any]) -> Any:
    """Call what must not fail."""
    try:
        return call()
    except Exception as error:
        raise AssertionError(f"{name_of(learner)} fails to {what}: {error!r}") from error


def assert_raises(
    call: Callable[[Any], object], given: object, expected: type[Exception], message: str
) -> Exception:
    """Check that a call raises what it should, and return that."""
    try:
        call(given)
    except expected as error:
        return error
    except Exception as other:
        raise AssertionError(
            f"{message}, or fails by {other!r}; raise {expected.__name__}"
        ) from other
    raise AssertionError(f"{message}; raise {expected.__name__}")


def name_of(learner: Learner) -> str:
    """Return the name of its class."""
    return type(learner).__name__
