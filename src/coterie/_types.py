"""The protocols that the families of Coterie keep: what one part may ask of another."""

from collections.abc import Sequence
from typing import Any, Protocol, Self, TypeAlias, runtime_checkable

from coterie._core.arrays import Floats, Ints, Pairs
from coterie.items import ItemSet
from coterie.pairs import PairScores
from coterie.partition import Partition

Relaxed: TypeAlias = Floats
"""An n × n matrix in place of a partition: the solution of a relaxation, such as YYᵀ."""


class LinearMap(Protocol):
    """Something that multiplies a vector."""

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
    """What a clusterer maximises: the weight that each pair gets in a partition."""

    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats: ...

    def self_weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats: ...

    def value(self, partition: Partition | Relaxed, scores: PairScores) -> float: ...

    def scale(self, n_items: int) -> float: ...


class SolutionLike(Protocol):
    """What a clusterer found: a partition, its value and a proven bound on any value."""

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
    """A frozen callable that partitions items by the scores of their pairs."""

    @property
    def objective(self) -> Objective | None: ...

    def __call__(self, scores: PairScores, /) -> Partition: ...

    def solve(self, scores: PairScores, /) -> SolutionLike: ...


class Loss(Protocol):
    """How bad a predicted partition is, 0 to 100; the truth itself costs 0."""

    def __call__(self, truth: Partition, predicted: Partition, /) -> float: ...


@runtime_checkable
class LinearLoss(Protocol):
    """A loss that is linear in an objective's weights: `base + costs @ weights`."""

    @property
    def objective(self) -> Objective: ...

    def linearize(self, truth: Partition, pairs: Pairs | None, /) -> tuple[float, Floats]: ...


class MergeSearch(Protocol):
    """A loss followed through merges of clusters; a cluster is called by any of its items."""

    def gain(self, first: Ints, second: Ints, /) -> Floats: ...

    def merge(self, first: int, second: int, /) -> None: ...


@runtime_checkable
class SearchedLoss(Protocol):
    """A loss that is not linear, but can be followed through merges from all singletons."""

    def search(self, truth: Partition, /) -> MergeSearch: ...


@runtime_checkable
class MergedLoss(SearchedLoss, Protocol):
    """A searched loss that can also make all merges of a greedy search itself, to be faster.

    `merged` labels the items as merging by `gain` and `merge` would: the two clusters of the
    highest score plus gain, the first in row order among equals, until none is above 0. `matrix`
    has the scores of items above its diagonal, -inf for those that must be apart; it is used up.
    """

    def merged(self, truth: Partition, matrix: Floats, /) -> Ints: ...


class Blocker(Protocol):
    """A frozen callable that says which pairs of an item set are looked at; None stands for all."""

    def __call__(self, item_set: ItemSet, /) -> Pairs | None: ...


class Featurizer(Protocol):
    """Computes features of pairs: `encode` looks at each item once, `compare` at each pair.

    `fit` returns a fitted value and leaves its own as it was; `names` has one name a column.
    """

    @property
    def names(self) -> tuple[str, ...]: ...

    def fit(self, item_sets: Sequence[ItemSet], /) -> Self: ...

    def encode(self, item_set: ItemSet, /) -> Any: ...

    def compare(self, encoded: Any, pairs: Pairs | None, /) -> Features: ...

    def __call__(self, item_set: ItemSet, pairs: Pairs | None, /) -> Features: ...


class Similarity(Protocol):
    """A learned, frozen callable that scores pairs; higher stands for together.

    `pair_scores` gives the same as `PairScores`, with what items score with themselves and the
    number of clusters of the item set.
    """

    def __call__(self, item_set: ItemSet, pairs: Pairs | None, /) -> Floats: ...

    def pair_scores(self, item_set: ItemSet, pairs: Pairs | None, /) -> PairScores: ...
