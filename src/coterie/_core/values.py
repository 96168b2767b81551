"""The base class of configurable values: parameters by name, as in scikit-learn."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, Self

from coterie._core.plain import as_plain, refuse_other_types
from coterie.exceptions import CoterieError, InputError


class Value:
    """A frozen dataclass whose fields are its parameters.

    Parameters of plain types are checked before the `__post_init__` of the class.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__post_init__" in vars(cls):
            cls.__post_init__ = _checked(cls.__post_init__)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        _check_plain(self)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name as scikit-learn does, of inner values too if `deep`.

        >>> from coterie.features import GivenFeatures, WithConstant
        >>> sorted(WithConstant(GivenFeatures()).get_params())
        ['featurizer', 'featurizer__n_columns', 'featurizer__of_pairs']
        """
        params = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        inner_params: dict[str, Any] = {}
        for name, value in params.items():
            if deep and hasattr(value, "get_params"):
                inner_params |= {f"{name}__{key}": p for key, p in value.get_params().items()}
        return params | inner_params

    def __sklearn_clone__(self) -> Self:
        # A frozen value needs no copy. scikit-learn's own clone would fail, as the constructor
        # replaces the arrays that it receives by read-only views.
        return self


def _checked(check: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return the `__post_init__` that also checks plain types, and explains other errors."""

    @wraps(check)
    def post_init(self: Any) -> None:
        _check_plain(self)
        try:
            check(self)
        except CoterieError:
            raise
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            name = type(self).__name__
            message = f"{name} does not take these arguments: {str(error)[:300]}"
            raise InputError(f"{message}; see help({name})") from error

    return post_init


def _check_plain(value: Any) -> None:
    make = type(value)
    arguments = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
    refuse_other_types(make, arguments)
    for name, argument in arguments.items():
        plain = as_plain(make, name, argument)
        if plain is not argument:
            object.__setattr__(value, name, plain)
