"""What all configurable values share with scikit-learn: their parameters by name."""

from dataclasses import fields
from typing import Any, Self


class Value:
    """A frozen dataclass whose fields are its parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn asks for them; deep, of inner values too.

        >>> from coterie.features import GivenFeatures, WithConstant
        >>> sorted(WithConstant(GivenFeatures()).get_params())
        ['featurizer', 'featurizer__n_columns', 'featurizer__of_pairs']
        """
        own = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        inner: dict[str, Any] = {}
        for name, value in own.items():
            if deep and hasattr(value, "get_params"):
                inner |= {f"{name}__{key}": part for key, part in value.get_params().items()}
        return own | inner

    def __sklearn_clone__(self) -> Self:
        # What cannot change needs no copy; scikit-learn would take the views of its arrays amiss.
        return self
