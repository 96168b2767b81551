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
    """Put the columns of several featurizers side by side.

    Parameters
    ----------
    featurizers
        Compute the columns, each its own; names of columns must differ.

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
        given: Any = self.featurizers
        if not isinstance(given, list | tuple) or not given:
            raise FeatureError(f"featurizers are {given!r}; give a list of at least one")
        object.__setattr__(self, "featurizers", tuple(as_featurizer(each) for each in given))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(name for each in self.featurizers for name in each.names)

    @property
    def distances(self) -> tuple[bool, ...] | None:
        """Whether each column grows with distance; None if one of the featurizers cannot tell."""
        said: list[bool] = []
        for each in self.featurizers:
            own = distance_flags(each)
            if own is None:
                return None
            said += own
        return tuple(said)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit each of the featurizers."""
        fitted = replace(self, featurizers=tuple(each.fit(item_sets) for each in self.featurizers))
        names = fitted.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise FeatureError(
                f"two columns are called {twice!r}; stack featurizers of other names"
            )
        return fitted

    def encode(self, item_set: ItemSet) -> tuple[Any, ...]:
        """Read each item once a featurizer."""
        return tuple(each.encode(item_set) for each in self.featurizers)

    def compare(self, encoded: tuple[Any, ...], pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs, None for all."""
        return stack(
            [
                each.compare(own, pairs)  # type: ignore[arg-type]
                for each, own in zip(self.featurizers, encoded, strict=True)
            ]
        )
