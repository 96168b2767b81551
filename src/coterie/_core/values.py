"""The base class of configurable values: parameters by name, as in scikit-learn."""

from dataclasses import fields
from typing import Any, Self


class Value:
    """A frozen dataclass whose fields are its parameters."""

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
