"""Sampling reference types given the true clusters (Daumé & Marcu 2004, eq. 2).

Item n is N(y of its cluster, diag(1 / t of its type)), means y are N(0, diag(1 / tau0)), types come
from a Dirichlet process whose base is Gam(shape, rate) in each dimension and whose concentration
has the prior Gam(1, 1). With repulsion the joint has the factor Π_n exp(-Σ 1 / ‖y_k - y_k'‖_t), t
the type of item n, over the pairs of clusters of one item set. What has one type, a unit, is an
item, or a cluster where types are shared.

A chain is a state that `start` makes and `advance` changes in place. Nothing else is shared, and
the kernels release the interpreter's lock: chains may run in threads, each with its generator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats, Ints, read_only
from coterie._kernels.dirichlet.types import Base, TypeState
from coterie._kernels.dirichlet.types_distances import (
    DistanceUnits,
    begin_distances,
    log_joint_distances,
    sweep_distances,
)
from coterie._kernels.dirichlet.types_vectors import (
    VectorUnits,
    begin_vectors,
    log_joint_vectors,
    sweep_vectors,
)

CLOSEST = 1e-6
"""The least squared distance of two means in one dimension where distances are given, as a share of
the mean one.

Other distances than Euclidean ones may make it negative.
"""

N_FREE = 100
"""How many sweeps without repulsion a chain with it begins with."""


class TypeSample(NamedTuple):
    """The reference types at one moment of a chain."""

    precisions: Floats
    """One row a type, one column a dimension."""
    sizes: Ints
    """How many units have each type."""
    alpha: float
    """The concentration of the Dirichlet process of types."""
    log_joint: float
    """The log joint density of all that is drawn and of the items; unnormalised with repulsion."""


def base_of(tau0: Any, shape: float, rate: Any) -> Base:
    """Take the base distributions as arrays, one number a dimension.

    >>> base_of([1, 2], 2, [0.5, 0.5]).tau0
    array([1., 2.])
    """
    return Base(_frozen(tau0), float(shape), _frozen(rate))


@dataclass(frozen=True, eq=False)
class VectorTraining:
    """Chains over the types of vectors; the means of the clusters are drawn too.

    Parameters
    ----------
    units : VectorUnits
        The items; see `vector_training`.
    base : Base
        The base distributions of means and precisions.
    n_auxiliary : int
        How many new types a unit may choose from (the paper's R).
    """

    units: VectorUnits
    base: Base
    n_auxiliary: int = 6

    def __post_init__(self) -> None:
        as_whole("n_auxiliary", self.n_auxiliary, 1)

    def start(self, rng: np.random.Generator, n_types: int) -> TypeState:
        """Give the units types at random, and draw all else from its conditional.

        With repulsion the chain has some sweeps without it first: only there precisions are
        integrated out, and single units leave types that fit none of them.
        """
        n_clusters = len(self.units.starts) - 1
        state = _scattered(rng, n_types, len(self.units.sizes), n_clusters, self.base)
        begin_vectors(rng, self.units, self.base, state)
        if len(self.units.sets) < len(self.units.starts):
            free = self.units._replace(sets=_whole(range(n_clusters + 1)))
            sweep_vectors(rng, N_FREE, self.n_auxiliary, free, self.base, state)
        return state

    def advance(self, state: TypeState, rng: np.random.Generator, n_sweeps: int) -> None:
        """Draw everything once in each sweep; the state changes in place."""
        sweep_vectors(rng, n_sweeps, self.n_auxiliary, self.units, self.base, state)

    def sample(self, state: TypeState) -> TypeSample:
        """Return a copy of the types, and the log joint density of the state."""
        return _sample(state, log_joint_vectors(self.units, self.base, state))


@dataclass(frozen=True, eq=False)
class DistanceTraining:
    """Chains over the types of items known by distances; the means are integrated out.

    Parameters
    ----------
    units : DistanceUnits
        The items; see `distance_training`.
    base : Base
        The base distributions of means and precisions.
    n_auxiliary : int
        How many new types a unit may choose from (the paper's R).
    """

    units: DistanceUnits
    base: Base
    n_auxiliary: int = 6

    def __post_init__(self) -> None:
        as_whole("n_auxiliary", self.n_auxiliary, 1)

    def start(self, rng: np.random.Generator, n_types: int) -> TypeState:
        """Give the units types at random, and draw all else from its conditional."""
        state = _scattered(rng, n_types, len(self.units.sizes), 0, self.base)
        begin_distances(rng, self.units, self.base, state)
        return state

    def advance(self, state: TypeState, rng: np.random.Generator, n_sweeps: int) -> None:
        """Draw everything once in each sweep; the state changes in place."""
        sweep_distances(rng, n_sweeps, self.n_auxiliary, self.units, self.base, state)

    def sample(self, state: TypeState) -> TypeSample:
        """Return a copy of the types, and the log joint density of the state."""
        return _sample(state, log_joint_distances(self.units, self.base, state))


def vector_training(
    matrices: Sequence[Floats],
    labels: Sequence[Ints],
    base: Base,
    *,
    shared: bool = False,
    repulsion: bool = False,
    n_auxiliary: int = 6,
) -> VectorTraining:
    """Prepare chains for vectors, centred, one matrix and one array of labels an item set.

    >>> import numpy as np
    >>> base = base_of([0.1], 1.0, [1.0])
    >>> training = vector_training([np.array([[0.0], [0.1], [4.0]])], [np.array([0, 0, 1])], base)
    >>> rng = np.random.default_rng(0)
    >>> state = training.start(rng, 2)
    >>> training.advance(state, rng, 10)
    >>> int(training.sample(state).sizes.sum())
    3
    """
    sizes, centres, scatters, counts, sets = [], [], [], [], [0]
    for matrix, own in zip(matrices, labels, strict=True):
        clusters = _clusters(own)
        for members in clusters:
            rows = matrix[members][None] if shared else matrix[members][:, None]
            mean = rows.mean(axis=1)
            sizes.append(np.full(len(rows), rows.shape[1]))
            centres.append(mean)
            scatters.append(((rows - mean[:, None]) ** 2).sum(axis=1))
            counts.append(len(rows))
        sets.append(sets[-1] + len(clusters))
    units = VectorUnits(
        _frozen(np.concatenate(sizes)),
        _frozen(np.concatenate(centres)),
        _frozen(np.concatenate(scatters)),
        _ends(counts),
        # A cluster in a set of its own repels none.
        _whole(sets if repulsion else range(len(counts) + 1)),
    )
    return VectorTraining(units, base, n_auxiliary)


def distance_training(
    squares: Sequence[Floats],
    origins: Sequence[Floats],
    labels: Sequence[Ints],
    base: Base,
    *,
    shared: bool = False,
    repulsion: bool = False,
    n_auxiliary: int = 6,
) -> DistanceTraining:
    """Prepare chains for squared distances of items, and of items to the origin.

    Parameters
    ----------
    squares : sequence of (n, n, F) arrays
        Symmetric, non-negative, one an item set, one layer a dimension; any metric or none.
    origins : sequence of (n, F) arrays
        Squared distances to the origin, from which the means of clusters deviate by 1 / tau0.
    labels : sequence of (n,) arrays
        The true cluster of each item.
    base : Base
        The base distributions of means and precisions.
    shared : bool
        Whether all items of a cluster have one type.
    repulsion : bool
        Whether the joint has the factor that keeps the means of clusters apart.
    n_auxiliary : int
        How many new types a unit may choose from.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([0.0, 0.1, 4.0])
    >>> squares = ((points[:, None] - points) ** 2)[:, :, None]
    >>> origins = (points**2)[:, None]
    >>> base = base_of([0.1], 1.0, [1.0])
    >>> training = distance_training([squares], [origins], [np.array([0, 0, 1])], base)
    >>> rng = np.random.default_rng(0)
    >>> state = training.start(rng, 2)
    >>> training.advance(state, rng, 10)
    >>> int(training.sample(state).sizes.sum())
    3
    """
    sizes, sums, blocks, counts, gaps = [], [], [], [], []
    for square, origin, own in zip(squares, origins, labels, strict=True):
        clusters = _clusters(own)
        for members in clusters:
            block = _within(square, members, shared)
            blocks.append(block.reshape(len(block) ** 2, block.shape[-1]))
            counts.append(len(block))
            sizes.append(np.full(len(block), len(members) / len(block)))
            sums.append(origin[members].sum(axis=0, keepdims=True) if shared else origin[members])
        gaps.append(mean_gaps(square, clusters)[: None if repulsion else 0])
    units = DistanceUnits(
        _frozen(np.concatenate(sizes)),
        _ends(counts),
        _ends([len(block) for block in blocks]),
        _frozen(np.concatenate(blocks)),
        _frozen(np.concatenate(sums)),
        _frozen(_apart(np.concatenate(gaps))),
    )
    return DistanceTraining(units, base, n_auxiliary)


def mean_gaps(square: Floats, clusters: Sequence[Ints]) -> Floats:
    """Return the squared distances of the means of all pairs of clusters, by dimension.

    Σ_ij s(i, j) / (I J) - Σ_{i<i'} s(i, i') / I² - Σ_{j<j'} s(j, j') / J² (section 3, where 1 / I²
    stands for 1 / (I J)).

    >>> import numpy as np
    >>> points = np.array([0.0, 2.0, 5.0])
    >>> square = ((points[:, None] - points) ** 2)[:, :, None]
    >>> mean_gaps(square, [np.array([0, 1]), np.array([2])])
    array([[16.]])
    """
    averages = np.zeros((len(clusters), len(square)))
    for row, members in zip(averages, clusters, strict=True):
        row[members] = 1.0 / len(members)
    means = np.einsum("kif,li->klf", np.tensordot(averages, square, 1), averages, optimize=True)
    half = 0.5 * np.einsum("kkf->kf", means)
    left, right = np.triu_indices(len(clusters), 1)
    gaps: Floats = means[left, right] - half[left] - half[right]
    return gaps


def _apart(gaps: Floats) -> Floats:
    """Keep squared distances of means above 0: a small share of their mean in each dimension."""
    if not gaps.size:
        return gaps
    means = gaps.mean(axis=0)
    return np.maximum(gaps, CLOSEST * np.where(means > 0.0, means, 1.0))


def _within(square: Floats, members: Ints, shared: bool) -> Floats:
    """Return the sums of squared distances within and between the units of a cluster."""
    block: Floats = square[np.ix_(members, members)]
    if shared:
        return np.asarray(0.5 * block.sum(axis=(0, 1), keepdims=True))
    own = np.arange(len(members))
    block[own, own] = 0.0
    return block


def _clusters(labels: Ints) -> list[Ints]:
    """Return the items of each cluster."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(np.asarray(labels)[order])) + 1)


def _scattered(
    rng: np.random.Generator, n_types: int, n_units: int, n_clusters: int, base: Base
) -> TypeState:
    """Give the units types at random; precisions are the prior means, means are 0."""
    drawn = rng.integers(as_whole("n_types", n_types, 1), size=n_units)
    used, of_unit, counts = np.unique(drawn, return_inverse=True, return_counts=True)
    n_dims = len(base.rate)
    state = TypeState(
        of_unit.astype(np.intp),
        np.zeros(n_units, dtype=np.intp),
        np.array([len(used)], dtype=np.intp),
        np.tile(base.shape / base.rate, (n_units, 1)),
        np.zeros(n_units),
        np.zeros(n_units),
        np.ones(1),
        np.zeros((n_clusters, n_dims)),
    )
    state.counts[: len(used)] = counts
    return state


def _sample(state: TypeState, log_joint: float) -> TypeSample:
    used = slice(int(state.n_types[0]))
    alpha = float(state.alpha[0])
    return TypeSample(state.precisions[used].copy(), state.counts[used].copy(), alpha, log_joint)


def _ends(counts: Sequence[int]) -> Ints:
    return _whole(np.cumsum([0, *counts]))


def _whole(numbers: Any) -> Ints:
    return read_only(np.array(numbers, dtype=np.intp))


def _frozen(numbers: Any) -> Floats:
    return read_only(np.array(numbers, dtype=np.float64, order="C"))
