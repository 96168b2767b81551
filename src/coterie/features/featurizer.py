"""What all featurizers share: the call and the parameters."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

from numpy.typing import ArrayLike

from coterie._core.values import Value
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError
from coterie.items import ItemSet, as_item_set

Given = TypeVar("Given")


class PairFeaturizer(Value, ABC):
    """A frozen callable from an item set and some of its pairs to features.

    `encode` looks at each item once, `compare` at each pair; calling it does both. One that learns
    from item sets says so by `fit`, which returns a fitted value.
    """

    one_by_one: ClassVar[bool] = False
    """Whether dense features are written of listed pairs, which are no matter of other pairs."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """One name a column."""

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:  # noqa: ARG002
        """Return the featurizer fitted to item sets: itself, unless the kind learns from them."""
        return self

    def with_given(self, featurizer: Featurizer) -> Featurizer:
        """Return it with another in place of `GivenFeatures`, however deep that is inside it."""
        inner = getattr(self, "featurizer", None)
        if inner is None:
            return self
        return replace(self, featurizer=inner.with_given(featurizer))  # type: ignore[type-var]

    @abstractmethod
    def encode(self, item_set: ItemSet) -> Any:
        """Read each item once."""

    @abstractmethod
    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs, None for all, of what `encode` returned."""

    def __call__(self, item_set: ItemSet, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs of an item set, None for all."""
        return self.compare(self.encode(as_item_set(item_set)), pairs)


def as_featurizer(value: Given) -> Given:
    """Check that a value is a featurizer.

    >>> as_featurizer("given")
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: the featurizer is 'given'; give a value with fit, encode and
    compare, such as GivenFeatures()
    """
    parts = (getattr(value, name, None) for name in ("fit", "encode", "compare"))
    if isinstance(value, type) or not all(callable(part) for part in parts):
        shown = f"the class {value.__name__}" if isinstance(value, type) else repr(value)
        raise FeatureError(
            f"the featurizer is {shown}; give a value with fit, encode and compare, such as "
            "GivenFeatures()"
        )
    return value
