"""The protocols that the families of Coterie keep: what one part may ask of another."""

from typing import Protocol, TypeAlias, runtime_checkable

from coterie._arrays import Floats
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
