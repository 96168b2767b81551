"""The base class of featurizers, and the check that a value is one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

from numpy.typing import ArrayLike

from coterie._core.values import Value
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError
from coterie.items import ItemSet, as_item_set

AnyFeaturizer = TypeVar("AnyFeaturizer")


class PairFeaturizer(Value, ABC):
    """A frozen callable that computes the features of some pairs of an item set.

    `encode` reads each item once, and `compare` computes the features of each pair; calling the
    featurizer does both. A featurizer that learns from item sets overrides `fit`, which returns a
    fitted value.
    """

    one_by_one: ClassVar[bool] = False
    """True if features are dense and those of a pair do not depend on the other compared pairs.

    Callers may then compare many pairs in batches.
    """

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the features."""

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:  # noqa: ARG002
        """Return the featurizer fitted to item sets: itself, unless it learns from them."""
        return self

    def with_given(self, featurizer: Featurizer) -> Featurizer:
        """Return a copy with `featurizer` in place of `GivenFeatures`.

        In nested featurizers, such as `Scaled(WithConstant(GivenFeatures()))`, it replaces the
        innermost one. Featurizers without `GivenFeatures` are returned unchanged.
        """
        inner = getattr(self, "featurizer", None)
        if inner is None:
            return self
        return replace(self, featurizer=inner.with_given(featurizer))  # type: ignore[type-var]

    @abstractmethod
    def encode(self, item_set: ItemSet) -> Any:
        """Read each item once, and return what `compare` needs of the items."""

    @abstractmethod
    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs (None: all pairs) from what `encode` returned."""

    def __call__(self, item_set: ItemSet, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs (None: all pairs) of an item set."""
        return self.compare(self.encode(as_item_set(item_set)), pairs)


def as_featurizer(value: AnyFeaturizer) -> AnyFeaturizer:
    """Return the value, or raise an error if it is not a featurizer.

    >>> as_featurizer("given")
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: the featurizer is 'given'; give an object with the methods
    fit, encode and compare, such as GivenFeatures()
    """
    methods = (getattr(value, name, None) for name in ("fit", "encode", "compare"))
    if isinstance(value, type) or not all(map(callable, methods)):
        description = f"the class {value.__name__}" if isinstance(value, type) else repr(value)
        raise FeatureError(
            f"the featurizer is {description}; give an object with the methods fit, encode and "
            "compare, such as GivenFeatures()"
        )
    return value
