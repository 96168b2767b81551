"""The base class of all learners: checked input, prediction, score and parameters."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import is_dataclass, replace
from typing import Any, NamedTuple, Self

from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from coterie._core.arguments import as_list, refuse_uncallable
from coterie._core.arrays import Pairs
from coterie._core.plain import refuse_other_types
from coterie._types import Blocker, Clusterer, Featurizer, Similarity
from coterie.blocking import AllPairs
from coterie.exceptions import InputError, InterruptedWarning, ItemSetError, PartitionError, located
from coterie.features.featurizer import as_featurizer
from coterie.features.given import GivenFeatures, WithConstant
from coterie.items import ItemSet, as_item_sets
from coterie.metrics import b_cubed, macro
from coterie.model import Model
from coterie.pairs import all_pairs, as_pairs
from coterie.partition import Partition, PartitionLike, as_partition


class Examples(NamedTuple):
    """Item sets and their correct partitions, after validation."""

    item_sets: list[ItemSet]
    truths: list[Partition]


class Learner(BaseEstimator):  # type: ignore[misc]
    """A scikit-learn estimator whose samples are item sets, and whose targets are partitions.

    A subclass defines `_fit(examples)`, which sets `similarity_` and other fitted attributes, and
    `_predictor`, the clusterer of predictions. A method that learns without calling `fit`, or warns
    before `fit` returns, calls `_finish` at its end.
    """

    similarity_: Similarity
    _prediction_params: tuple[str, ...] = ()
    """The parameters that only predictions depend on; no new fit is needed after a change."""
    _adds_constant: bool = True
    """True if the default featurizer adds a constant feature to the features of the item sets."""

    def fit(self, item_sets: Iterable[Any], partitions: Iterable[PartitionLike]) -> Self:
        """Learn from item sets and their correct partitions.

        Parameters
        ----------
        item_sets
            A list of item sets, or of anything that `ItemSet` takes.
        partitions
            The correct partition of each item set: a `Partition`, or one label per item.
        """
        examples = self._examples(item_sets, partitions)
        self._fit(examples)
        self._finish()
        return self

    def predict(self, item_sets: Iterable[Any]) -> list[Partition]:
        """Return the predicted partition of each item set."""
        return self.to_model().predict(item_sets)

    def score(self, item_sets: Iterable[Any], partitions: Iterable[PartitionLike]) -> float:
        """Return the mean B-cubed F1 over item sets; higher is better."""
        examples = as_examples(item_sets, partitions)
        return macro(b_cubed, examples.truths, self.predict(examples.item_sets)).f1

    def to_model(self) -> Model:
        """Return the fitted model, which predicts and can be saved."""
        check_is_fitted(self, "similarity_")
        return Model(self._fitted_blocker, self.similarity_, self._predictor)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `a__b` sets the parameter b of the value a, in a copy of that value."""
        values = self.get_params(deep=False)
        # A parameter is set before its own parameters: `a` before `a__b`.
        for path in sorted(params, key=lambda path: path.count("__")):
            name, _, inner_path = path.partition("__")
            if name not in values:
                raise InputError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(values)}"
                )
            new_value = params[path]
            if inner_path:
                new_value = _replace_param(values[name], inner_path, new_value, path)
            values[name] = new_value
            setattr(self, name, new_value)
        return self

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy; frozen values are shared, and estimators are cloned."""
        params = self.get_params(deep=False)
        return type(self)(
            **{
                name: clone(value) if isinstance(value, BaseEstimator) else value
                for name, value in params.items()
            }
        )

    def _examples(self, item_sets: Iterable[Any], partitions: Iterable[PartitionLike]) -> Examples:
        """Validate what is to be learned from, and the types of the parameters."""
        refuse_other_types(type(self), self.get_params(deep=False))
        return as_examples(item_sets, partitions)

    def _finish(self) -> None:
        """Keep the current blocker, which chose the pairs in training, for predictions."""
        self._fitted_blocker = self._blocker

    @abstractmethod
    def _fit(self, examples: Examples) -> None: ...

    @property
    @abstractmethod
    def _predictor(self) -> Clusterer: ...

    @property
    def _blocker(self) -> Blocker:
        blocker: Blocker | None = getattr(self, "blocker", None)
        if blocker is None:
            return AllPairs()
        refuse_uncallable("blocker", blocker, 1, "Window(10)")
        return blocker

    @property
    def _featurizer(self) -> Featurizer:
        featurizer: Featurizer | None = getattr(self, "featurizer", None)
        if featurizer is not None:
            return as_featurizer(featurizer)
        return WithConstant(GivenFeatures()) if self._adds_constant else GivenFeatures()


def warn_of_interrupt(stacklevel: int) -> None:
    """Warn that a fit was interrupted; `stacklevel` is that of `warnings.warn` in the caller."""
    warnings.warn(
        "the fit was interrupted; the model is the best found so far",
        InterruptedWarning,
        stacklevel=stacklevel + 1,
    )


def as_examples(item_sets: Iterable[Any], partitions: Iterable[PartitionLike]) -> Examples:
    """Validate item sets and their partitions; an error names the index of the item set."""
    sets = as_item_sets(item_sets)
    partition_list = _as_list(partitions)
    if len(sets) != len(partition_list):
        raise PartitionError(
            f"there are {len(sets)} item sets and {len(partition_list)} partitions; give one "
            "partition per item set"
        )
    if not sets:
        raise ItemSetError("there are no item sets; give at least one")
    truths = []
    for index, (item_set, partition) in enumerate(zip(sets, partition_list, strict=True)):
        with located(f"item set {index}"):
            truths.append(as_partition(partition, len(item_set)))
    return Examples(sets, truths)


def _as_list(partitions: Iterable[PartitionLike]) -> Sequence[PartitionLike]:
    if isinstance(partitions, Partition | str) or not isinstance(partitions, Iterable):
        raise PartitionError(
            f"expected a list of partitions, got one {type(partitions).__name__}; wrap it in a list"
        )
    return as_list("partitions", partitions, "a list of partitions")


def _replace_param(value: Any, path: str, new_value: Any, full_path: str) -> Any:
    """Return a copy of a value with one parameter replaced, whose path may be nested as in `a__b`.

    `full_path` is the path as the user wrote it, for the error.
    """
    name, _, inner_path = path.partition("__")
    params = value.get_params(deep=False) if hasattr(value, "get_params") else {}
    if name not in params:
        if value is None:
            raise InputError(
                f"{full_path!r} cannot be set, because the object that it belongs to is None; "
                "set that object first"
            )
        raise InputError(
            f"{full_path!r} is not a parameter of {value!r}; use a name that get_params() lists"
        )
    if inner_path:
        new_value = _replace_param(params[name], inner_path, new_value, full_path)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{name: new_value})
    return clone(value).set_params(**{name: new_value})


def candidate_pairs(blocker: Blocker, item_set: ItemSet) -> Pairs | None:
    """Return the pairs that a blocker lists, after a check; None means all pairs.

    An array stays an array, even of all pairs: given features may have another order.
    """
    listed = blocker(item_set)
    checked = as_pairs(listed, len(item_set))
    return all_pairs(len(item_set)) if checked is None and listed is not None else checked
