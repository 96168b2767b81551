"""Several featurizers of the same items, their columns side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from numpy.typing import ArrayLike

from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError
from coterie.features.differences import distance_flags
from coterie.features.featurizer import PairFeaturizer, as_featurizer
from coterie.features.operators import stack
from coterie.items import ItemSet

__all__ = ["Stacked"]


@dataclass(frozen=True, eq=False)
class Stacked(PairFeaturizer):
    """Join the columns of several featurizers side by side.

    Parameters
    ----------
    featurizers
        The featurizers that compute the columns. No two columns may have the same name.

    Examples
    --------
    >>> from coterie.features import NameFeatures, SoftTFIDF
    >>> names = ItemSet({"name": ["Ann Lee", "A. Lee", "Bob Ray"]})
    >>> featurizer = Stacked((NameFeatures(), SoftTFIDF())).fit([names])
    >>> featurizer.names[-2:]
    ('share of longer matched', 'soft TF-IDF')
    >>> featurizer(names, None)
    StackedFeatures(3 pairs × 38 columns)
    """

    featurizers: tuple[Featurizer, ...]

    def __post_init__(self) -> None:
        featurizers: Any = self.featurizers
        if not isinstance(featurizers, list | tuple) or not featurizers:
            raise FeatureError(
                f"featurizers are {featurizers!r}; give a list of at least one featurizer"
            )
        object.__setattr__(self, "featurizers", tuple(map(as_featurizer, featurizers)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(name for featurizer in self.featurizers for name in featurizer.names)

    @property
    def distances(self) -> tuple[bool, ...] | None:
        """One flag per column, True if it grows with distance; None if some are not known."""
        flags: list[bool] = []
        for featurizer in self.featurizers:
            part_flags = distance_flags(featurizer)
            if part_flags is None:
                return None
            flags += part_flags
        return tuple(flags)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit each of the featurizers."""
        fitted = replace(
            self, featurizers=tuple(featurizer.fit(item_sets) for featurizer in self.featurizers)
        )
        names = fitted.names
        if len(set(names)) < len(names):
            duplicate = next(name for name in names if names.count(name) > 1)
            raise FeatureError(
                f"two columns are called {duplicate!r}; stack featurizers whose columns have "
                "different names"
            )
        return fitted

    def encode(self, item_set: ItemSet) -> tuple[Any, ...]:
        """Encode the items with each of the featurizers."""
        return tuple(featurizer.encode(item_set) for featurizer in self.featurizers)

    def compare(self, encoded: tuple[Any, ...], pairs: ArrayLike | None) -> Features:
        """Return the features of pairs (None: all pairs)."""
        return stack(
            [
                featurizer.compare(part, pairs)  # type: ignore[arg-type]
                for featurizer, part in zip(self.featurizers, encoded, strict=True)
            ]
        )
