"""Protocols: the methods that Coterie expects of clusterers, losses, features and the like."""

from collections.abc import Sequence
from typing import Any, Protocol, Self, TypeAlias, runtime_checkable

from coterie._core.arrays import Floats, Ints, Pairs
from coterie.items import ItemSet
from coterie.pairs import PairScores
from coterie.partition import Partition

Relaxed: TypeAlias = Floats
"""An n × n matrix in place of a partition: the solution of a relaxation, for example YYᵀ."""


class LinearMap(Protocol):
    """A linear map, applied to a vector by `@`."""

    def __matmul__(self, vector: Floats, /) -> Floats: ...


@runtime_checkable
class Features(Protocol):
    """Features of pairs as a linear operator of shape (pairs, columns)."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def T(self) -> LinearMap: ...  # noqa: N802

    @property
    def diagonal(self) -> "Features": ...

    def __matmul__(self, coef: Floats, /) -> Floats: ...


class Objective(Protocol):
    """The function that a clusterer maximises: it gives each pair a weight in a partition."""

    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats: ...

    def self_weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats: ...

    def value(self, partition: Partition | Relaxed, scores: PairScores) -> float: ...

    def scale(self, n_items: int) -> float: ...


class SolutionLike(Protocol):
    """A result of a clusterer: a partition, its value and a proven upper bound on any value."""

    @property
    def partition(self) -> Partition: ...

    @property
    def value(self) -> float: ...

    @property
    def bound(self) -> float: ...

    @property
    def status(self) -> str: ...

    @property
    def relaxed(self) -> Relaxed | None: ...

    @property
    def weights(self) -> Floats: ...

    @property
    def self_weights(self) -> Floats: ...


class Clusterer(Protocol):
    """A frozen callable that partitions items according to the scores of their pairs."""

    @property
    def objective(self) -> Objective | None: ...

    def __call__(self, scores: PairScores, /) -> Partition: ...

    def solve(self, scores: PairScores, /) -> SolutionLike: ...


class Loss(Protocol):
    """The error of a predicted partition, from 0 to 100; the truth itself has loss 0."""

    def __call__(self, truth: Partition, predicted: Partition, /) -> float: ...


@runtime_checkable
class LinearLoss(Protocol):
    """A loss that is linear in the weights of an objective: `base + costs @ weights`."""

    @property
    def objective(self) -> Objective: ...

    def linearize(self, truth: Partition, pairs: Pairs | None, /) -> tuple[float, Floats]: ...


class MergeSearch(Protocol):
    """A loss that is updated as clusters merge; a cluster is identified by any of its items."""

    def gain(self, first: Ints, second: Ints, /) -> Floats: ...

    def merge(self, first: int, second: int, /) -> None: ...


@runtime_checkable
class SearchedLoss(Protocol):
    """A non-linear loss that can be updated merge by merge, starting from singletons."""

    def search(self, truth: Partition, /) -> MergeSearch: ...


@runtime_checkable
class MergedLoss(SearchedLoss, Protocol):
    """A searched loss with a fast greedy search of its own.

    `merged` returns the labels that `gain` and `merge` would lead to. It merges the two clusters
    with the highest score plus gain (of equal ones, the first in row order) until no sum is above
    0. `matrix` holds the scores of the items above its diagonal, and -inf for cannot-link pairs;
    `merged` overwrites it.
    """

    def merged(self, truth: Partition, matrix: Floats, /) -> Ints: ...


class Blocker(Protocol):
    """A frozen callable that returns the candidate pairs of an item set; None means all pairs."""

    def __call__(self, item_set: ItemSet, /) -> Pairs | None: ...


class Featurizer(Protocol):
    """Computes features of pairs: `encode` reads each item once, `compare` combines two items.

    `fit` returns a fitted copy and leaves the featurizer unchanged. `names` has one name per
    column.
    """

    @property
    def names(self) -> tuple[str, ...]: ...

    def fit(self, item_sets: Sequence[ItemSet], /) -> Self: ...

    def encode(self, item_set: ItemSet, /) -> Any: ...

    def compare(self, encoded: Any, pairs: Pairs | None, /) -> Features: ...

    def __call__(self, item_set: ItemSet, pairs: Pairs | None, /) -> Features: ...


class Similarity(Protocol):
    """A learned, frozen callable that scores pairs: the higher, the more likely together.

    `pair_scores` returns the same scores as `PairScores`, together with the score of each item
    with itself and the `n_clusters` of the item set.
    """

    def __call__(self, item_set: ItemSet, pairs: Pairs | None, /) -> Floats: ...

    def pair_scores(self, item_set: ItemSet, pairs: Pairs | None, /) -> PairScores: ...
