"""What all learners share: the door, the prediction, the score and the parameters."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import is_dataclass, replace
from typing import Any, NamedTuple, Self

from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from coterie._core.arguments import refuse_class
from coterie._types import Blocker, Clusterer, Featurizer, Similarity
from coterie.blocking import AllPairs
from coterie.exceptions import InputError, InterruptedWarning, ItemSetError, PartitionError, located
from coterie.features.featurizer import as_featurizer
from coterie.features.given import GivenFeatures, WithConstant
from coterie.items import ItemSet, as_item_sets
from coterie.metrics import b_cubed, macro
from coterie.model import Model
from coterie.partition import Partition, PartitionLike, as_partition


class Examples(NamedTuple):
    """Item sets and their truths, checked."""

    item_sets: list[ItemSet]
    truths: list[Partition]


class Learner(BaseEstimator):  # type: ignore[misc]
    """A scikit-learn estimator whose samples are item sets, and whose targets are partitions.

    A member defines `_fit(examples)`, which sets `similarity_` and what else it found, and
    `_predictor`, the clusterer that predicts with it. What learns by another way than `fit`, or
    warns before `fit` is done, ends with `_finish`.
    """

    similarity_: Similarity
    _prediction_params: tuple[str, ...] = ()
    """The parameters that matter in prediction only: changing them asks for no new fit."""
    _adds_constant: bool = True
    """Whether the features that item sets come with get a constant beside them."""

    def fit(self, item_sets: Iterable[Any], partitions: Iterable[PartitionLike]) -> Self:
        """Learn from item sets and their correct partitions.

        Parameters
        ----------
        item_sets
            A list of item sets, or of anything that `ItemSet` takes.
        partitions
            The correct partition of each: a `Partition`, or one label an item.
        """
        examples = as_examples(item_sets, partitions)
        self._fit(examples)
        self._finish()
        return self

    def predict(self, item_sets: Iterable[Any]) -> list[Partition]:
        """Partition item sets."""
        return self.to_model().predict(item_sets)

    def score(self, item_sets: Iterable[Any], partitions: Iterable[PartitionLike]) -> float:
        """Return the mean B-cubed F1 over item sets: higher is better."""
        examples = as_examples(item_sets, partitions)
        return macro(b_cubed, examples.truths, self.predict(examples.item_sets)).f1

    def to_model(self) -> Model:
        """Return what predicts: a value that can be saved."""
        check_is_fitted(self, "similarity_")
        return Model(self._fitted_blocker, self.similarity_, self._predictor)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `a__b` sets the parameter b of the value a, in a copy of that value."""
        own = self.get_params(deep=False)
        # A value comes before the parameters of that value.
        for name in sorted(params, key=lambda name: name.count("__")):
            value = params[name]
            first, _, rest = name.partition("__")
            if first not in own:
                raise InputError(
                    f"{type(self).__name__} has no parameter {first!r}; it has {', '.join(own)}"
                )
            own[first] = _replaced(own[first], rest, value, name) if rest else value
            setattr(self, first, own[first])
        return self

    def __sklearn_clone__(self) -> Self:
        """Make an unfitted copy; frozen values are shared, estimators copied."""
        params = self.get_params(deep=False)
        return type(self)(
            **{
                name: clone(value) if isinstance(value, BaseEstimator) else value
                for name, value in params.items()
            }
        )

    def _finish(self) -> None:
        """Keep the blocker as it is now, by which the similarity was learned."""
        self._fitted_blocker = self._blocker

    @abstractmethod
    def _fit(self, examples: Examples) -> None: ...

    @property
    @abstractmethod
    def _predictor(self) -> Clusterer: ...

    @property
    def _blocker(self) -> Blocker:
        blocker: Blocker | None = getattr(self, "blocker", None)
        refuse_class("blocker", blocker)
        if blocker is not None and not callable(blocker):
            raise InputError(
                f"blocker is of type {type(blocker).__name__}; give one such as Window(10)"
            )
        return AllPairs() if blocker is None else blocker

    @property
    def _featurizer(self) -> Featurizer:
        featurizer: Featurizer | None = getattr(self, "featurizer", None)
        if featurizer is not None:
            return as_featurizer(featurizer)
        return WithConstant(GivenFeatures()) if self._adds_constant else GivenFeatures()


def warn_of_interrupt(stacklevel: int) -> None:
    """Warn that a fit was cut short; `stacklevel` is that of `warnings.warn` in the caller."""
    warnings.warn(
        "the fit was interrupted; the model is the best found so far",
        InterruptedWarning,
        stacklevel=stacklevel + 1,
    )


def as_examples(item_sets: Iterable[Any], partitions: Iterable[PartitionLike]) -> Examples:
    """Take item sets and their partitions; an error names the set at fault."""
    sets = as_item_sets(item_sets)
    given = _as_list(partitions)
    if len(sets) != len(given):
        raise PartitionError(
            f"there are {len(sets)} item sets and {len(given)} partitions; give one for each"
        )
    if not sets:
        raise ItemSetError("there are no item sets; give at least one")
    truths = []
    for number, (item_set, partition) in enumerate(zip(sets, given, strict=True)):
        with located(f"item set {number}"):
            truths.append(as_partition(partition, len(item_set)))
    return Examples(sets, truths)


def _as_list(partitions: Iterable[PartitionLike]) -> Sequence[PartitionLike]:
    if isinstance(partitions, Partition | str) or not isinstance(partitions, Iterable):
        raise PartitionError(
            f"expected a list of partitions, got one {type(partitions).__name__}; wrap it in a list"
        )
    return list(partitions)


def _replaced(value: Any, rest: str, new: Any, name: str) -> Any:
    """Copy a frozen value with one parameter changed, however deep."""
    first, _, deeper = rest.partition("__")
    known = value.get_params(deep=False) if hasattr(value, "get_params") else {}
    if first not in known:
        hint = "; set that first" if value is None else ""
        raise InputError(f"{name!r} names no parameter of {value!r}{hint}")
    if deeper:
        new = _replaced(known[first], deeper, new, name)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{first: new})
    return clone(value).set_params(**{first: new})
