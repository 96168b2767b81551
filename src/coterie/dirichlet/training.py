"""Sampling reference types given the true clusters (Daumé & Marcu 2004, eq. 2).

An item is N(y, diag(1 / t)), with the mean y of its cluster and the precisions t of its type. Means
y are N(0, diag(1 / tau0)). Types come from a Dirichlet process whose base is Gam(shape, rate) in
each dimension, and whose concentration has the prior Gam(1, 1). With repulsion, the joint has the
factor exp(-Σ 1 / ‖y_k - y_k'‖_t) for each item, where the sum is over the pairs of clusters of its
item set. Each unit has one type. A unit is an item, or a whole cluster if its items share their
type.

A chain is a state that `start` makes and `advance` changes in place. Chains share nothing that
changes, and the kernels release the interpreter's lock, so chains may run in threads if each has
its own generator.
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

MIN_GAP_SHARE = 1e-6
"""The least squared distance of two means in a dimension, as a share of the mean squared distance.

It applies to items with distances. If these are not Euclidean, the computed one may be negative.
"""

N_FREE_SWEEPS = 100
"""The number of first sweeps without repulsion, in a chain with repulsion."""


class TypeSample(NamedTuple):
    """The reference types in one state of a chain."""

    precisions: Floats
    """The precisions, one row per type and one column per dimension."""
    sizes: Ints
    """The number of units of each type."""
    alpha: float
    """The concentration of the Dirichlet process of types."""
    log_joint: float
    """The log joint density of the state and the items; unnormalised with repulsion."""


def make_base(tau0: Any, shape: float, rate: Any) -> Base:
    """Convert the parameters of the base distributions to arrays, one number per dimension.

    >>> make_base([1, 2], 2, [0.5, 0.5]).tau0
    array([1., 2.])
    """
    return Base(_as_float_array(tau0), float(shape), _as_float_array(rate))


@dataclass(frozen=True, eq=False)
class VectorTraining:
    """Chains over the types of vectors, which draw the means of the clusters too.

    Parameters
    ----------
    units : VectorUnits
        The items; see `prepare_vector_training`.
    base : Base
        The base distributions of means and precisions.
    n_auxiliary : int
        The number of new types that a unit may choose from (the paper's R).
    """

    units: VectorUnits
    base: Base
    n_auxiliary: int = 6

    def __post_init__(self) -> None:
        as_whole("n_auxiliary", self.n_auxiliary, 1)

    def start(self, rng: np.random.Generator, n_types: int) -> TypeState:
        """Draw the types of the units at random, and everything else given these.

        With repulsion, the chain starts with some sweeps without it. Only these integrate the
        precisions out, so that single units can leave types that fit none of their units.
        """
        n_clusters = len(self.units.starts) - 1
        state = _random_types(rng, n_types, len(self.units.sizes), n_clusters, self.base)
        begin_vectors(rng, self.units, self.base, state)
        if len(self.units.sets) < len(self.units.starts):
            free = self.units._replace(sets=_as_int_array(range(n_clusters + 1)))
            sweep_vectors(rng, N_FREE_SWEEPS, self.n_auxiliary, free, self.base, state)
        return state

    def advance(self, state: TypeState, rng: np.random.Generator, n_sweeps: int) -> None:
        """Change the state in place by sweeps, each of which draws every variable once."""
        sweep_vectors(rng, n_sweeps, self.n_auxiliary, self.units, self.base, state)

    def sample(self, state: TypeState) -> TypeSample:
        """Return a copy of the types, and the log joint density of the state."""
        return _sample(state, log_joint_vectors(self.units, self.base, state))


@dataclass(frozen=True, eq=False)
class DistanceTraining:
    """Chains over the types of items with distances; the means are integrated out.

    Parameters
    ----------
    units : DistanceUnits
        The items; see `prepare_distance_training`.
    base : Base
        The base distributions of means and precisions.
    n_auxiliary : int
        The number of new types that a unit may choose from (the paper's R).
    """

    units: DistanceUnits
    base: Base
    n_auxiliary: int = 6

    def __post_init__(self) -> None:
        as_whole("n_auxiliary", self.n_auxiliary, 1)

    def start(self, rng: np.random.Generator, n_types: int) -> TypeState:
        """Draw the types of the units at random, and everything else given these."""
        state = _random_types(rng, n_types, len(self.units.sizes), 0, self.base)
        begin_distances(rng, self.units, self.base, state)
        return state

    def advance(self, state: TypeState, rng: np.random.Generator, n_sweeps: int) -> None:
        """Change the state in place by sweeps, each of which draws every variable once."""
        sweep_distances(rng, n_sweeps, self.n_auxiliary, self.units, self.base, state)

    def sample(self, state: TypeState) -> TypeSample:
        """Return a copy of the types, and the log joint density of the state."""
        return _sample(state, log_joint_distances(self.units, self.base, state))


def prepare_vector_training(
    matrices: Sequence[Floats],
    labels: Sequence[Ints],
    base: Base,
    *,
    shared: bool = False,
    repulsion: bool = False,
    n_auxiliary: int = 6,
) -> VectorTraining:
    """Prepare chains for centred vectors, given one matrix and one label array per item set.

    >>> import numpy as np
    >>> base = make_base([0.1], 1.0, [1.0])
    >>> vectors, labels = np.array([[0.0], [0.1], [4.0]]), np.array([0, 0, 1])
    >>> training = prepare_vector_training([vectors], [labels], base)
    >>> rng = np.random.default_rng(0)
    >>> state = training.start(rng, 2)
    >>> training.advance(state, rng, 10)
    >>> int(training.sample(state).sizes.sum())
    3
    """
    sizes, centres, scatters, counts, sets = [], [], [], [], [0]
    for matrix, item_labels in zip(matrices, labels, strict=True):
        clusters = _cluster_members(item_labels)
        for members in clusters:
            rows = matrix[members][None] if shared else matrix[members][:, None]
            mean = rows.mean(axis=1)
            sizes.append(np.full(len(rows), rows.shape[1]))
            centres.append(mean)
            scatters.append(((rows - mean[:, None]) ** 2).sum(axis=1))
            counts.append(len(rows))
        sets.append(sets[-1] + len(clusters))
    units = VectorUnits(
        _as_float_array(np.concatenate(sizes)),
        _as_float_array(np.concatenate(centres)),
        _as_float_array(np.concatenate(scatters)),
        _offsets(counts),
        # Only means of the same set repel each other, so one set per cluster means no repulsion.
        _as_int_array(sets if repulsion else range(len(counts) + 1)),
    )
    return VectorTraining(units, base, n_auxiliary)


def prepare_distance_training(
    squares: Sequence[Floats],
    origins: Sequence[Floats],
    labels: Sequence[Ints],
    base: Base,
    *,
    shared: bool = False,
    repulsion: bool = False,
    n_auxiliary: int = 6,
) -> DistanceTraining:
    """Prepare chains for squared distances between items, and of items from the origin.

    Parameters
    ----------
    squares : sequence of (n, n, F) arrays
        Squared distances of the items of each item set, symmetric and non-negative, one layer per
        dimension; they need not be metric.
    origins : sequence of (n, F) arrays
        Squared distances from the origin, around which the means of clusters vary by 1 / tau0.
    labels : sequence of (n,) arrays
        The true cluster of each item.
    base : Base
        The base distributions of means and precisions.
    shared : bool
        Whether all items of a cluster have the same type.
    repulsion : bool
        Whether the joint has the factor that keeps the means of clusters apart.
    n_auxiliary : int
        The number of new types that a unit may choose from.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([0.0, 0.1, 4.0])
    >>> squares = ((points[:, None] - points) ** 2)[:, :, None]
    >>> origins = (points**2)[:, None]
    >>> base = make_base([0.1], 1.0, [1.0])
    >>> training = prepare_distance_training([squares], [origins], [np.array([0, 0, 1])], base)
    >>> rng = np.random.default_rng(0)
    >>> state = training.start(rng, 2)
    >>> training.advance(state, rng, 10)
    >>> int(training.sample(state).sizes.sum())
    3
    """
    sizes, sums, blocks, counts, gaps = [], [], [], [], []
    for square, origin, item_labels in zip(squares, origins, labels, strict=True):
        clusters = _cluster_members(item_labels)
        for members in clusters:
            block = _unit_distances(square, members, shared)
            blocks.append(block.reshape(len(block) ** 2, block.shape[-1]))
            counts.append(len(block))
            sizes.append(np.full(len(block), len(members) / len(block)))
            sums.append(origin[members].sum(axis=0, keepdims=True) if shared else origin[members])
        gaps.append(mean_gaps(square, clusters)[: None if repulsion else 0])
    units = DistanceUnits(
        _as_float_array(np.concatenate(sizes)),
        _offsets(counts),
        _offsets([len(block) for block in blocks]),
        _as_float_array(np.concatenate(blocks)),
        _as_float_array(np.concatenate(sums)),
        _as_float_array(_raise_to_positive(np.concatenate(gaps))),
    )
    return DistanceTraining(units, base, n_auxiliary)


def mean_gaps(square: Floats, clusters: Sequence[Ints]) -> Floats:
    """Return the squared distances of the means of all pairs of clusters, by dimension.

    Σ_ij s(i, j) / (I J) - Σ_{i<i'} s(i, i') / I² - Σ_{j<j'} s(j, j') / J², where I and J are the
    sizes of the clusters (section 3; the paper prints 1 / (I J) in place of 1 / I² and 1 / J²).

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
    first, second = np.triu_indices(len(clusters), 1)
    gaps: Floats = means[first, second] - half[first] - half[second]
    return gaps


def _raise_to_positive(gaps: Floats) -> Floats:
    """Raise squared distances of means to at least a small share of their mean, by dimension."""
    if not gaps.size:
        return gaps
    means = gaps.mean(axis=0)
    return np.maximum(gaps, MIN_GAP_SHARE * np.where(means > 0.0, means, 1.0))


def _unit_distances(square: Floats, members: Ints, shared: bool) -> Floats:
    """Return the sums of squared distances within and between the units of a cluster."""
    block: Floats = square[np.ix_(members, members)]
    if shared:
        return np.asarray(0.5 * block.sum(axis=(0, 1), keepdims=True))
    diagonal = np.arange(len(members))
    block[diagonal, diagonal] = 0.0
    return block


def _cluster_members(labels: Ints) -> list[Ints]:
    """Return the item indices of each cluster."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(np.asarray(labels)[order])) + 1)


def _random_types(
    rng: np.random.Generator, n_types: int, n_units: int, n_clusters: int, base: Base
) -> TypeState:
    """Return a state of random types, with precisions at their prior means and means at 0."""
    draws = rng.integers(as_whole("n_types", n_types, 1), size=n_units)
    # Types without any unit are left out, and the others are numbered from 0 on.
    types, type_of_unit, counts = np.unique(draws, return_inverse=True, return_counts=True)
    n_dims = len(base.rate)
    state = TypeState(
        type_of_unit.astype(np.intp),
        np.zeros(n_units, dtype=np.intp),
        np.array([len(types)], dtype=np.intp),
        np.tile(base.shape / base.rate, (n_units, 1)),
        np.zeros(n_units),
        np.zeros(n_units),
        np.ones(1),
        np.zeros((n_clusters, n_dims)),
    )
    state.counts[: len(types)] = counts
    return state


def _sample(state: TypeState, log_joint: float) -> TypeSample:
    n_types, alpha = int(state.n_types[0]), float(state.alpha[0])
    precisions, counts = state.precisions[:n_types].copy(), state.counts[:n_types].copy()
    return TypeSample(precisions, counts, alpha, log_joint)


def _offsets(counts: Sequence[int]) -> Ints:
    return _as_int_array(np.cumsum([0, *counts]))


def _as_int_array(numbers: Any) -> Ints:
    return read_only(np.array(numbers, dtype=np.intp))


def _as_float_array(numbers: Any) -> Floats:
    return read_only(np.array(numbers, dtype=np.float64, order="C"))
