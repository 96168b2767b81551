"""Training of reference types: the preparation of item sets for chains, and the chains."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.dirichlet.types import Base
from coterie.dirichlet.categories import fit_categories
from coterie.dirichlet.priors import NormalPrior
from coterie.dirichlet.sampler import Sampler
from coterie.dirichlet.space import Space, origin_distances
from coterie.dirichlet.training import (
    DistanceTraining,
    TypeSample,
    VectorTraining,
    make_base,
    prepare_distance_training,
    prepare_vector_training,
)
from coterie.dirichlet.types import MAX_PRECISION_RATIO, ReferenceTypes
from coterie.exceptions import FeatureError, located
from coterie.features.differences import distance_flags
from coterie.items import ItemSet
from coterie.learners.base import Examples

N_KEPT = 24
"""The number of samples of reference types that a fitted learner keeps."""
FEATURES_PER_SHAPE = 20.0
"""The number of features for which the default shape of the prior of precisions is 1."""
MIN_VARIANCE = 1e-60
"""The least variance; the square of a smaller one could not be a float."""
N_FIRST_TYPES = (5, 25, 10)
"""The number of types that chains start with, in turn; a single type rarely splits."""

MIN_FEATURE_SHARE = 1e-2
"""The least variance of a feature, as a share of the lower quartile over features."""
MIN_PART_SHARE = 1e-6
"""The least variance within or between clusters, as a share of their sum."""


class Moments(NamedTuple):
    """The centre of cluster means, and the variances within clusters and of cluster means."""

    centre: Floats
    within: Floats
    between: Floats

    @classmethod
    def of_vectors(cls, matrices: Sequence[Floats], labels: Sequence[Ints]) -> Self:
        """Estimate the moments from vectors and the labels of their clusters."""
        n_features = matrices[0].shape[1]
        scatter, means = np.zeros(n_features), [np.empty((0, n_features))]
        for matrix, item_labels in zip(matrices, labels, strict=True):
            means.append(_averages(item_labels) @ matrix)
            scatter += np.square(matrix - means[-1][item_labels]).sum(axis=0)
        all_means = np.concatenate(means)
        centre = _mean(all_means)
        spread = np.square(all_means - centre).sum(axis=0) / max(1, len(all_means) - 1)
        return cls(centre, *_variances(scatter, spread, _sizes(labels)))

    @classmethod
    def of_distances(cls, squares: Sequence[Floats], labels: Sequence[Ints]) -> Self:
        """Estimate the moments from squared distances, (n, n, n_features), and cluster labels."""
        n_features = squares[0].shape[2]
        scatter, squared_norms = np.zeros(n_features), [np.empty((0, n_features))]
        for square, item_labels in zip(squares, labels, strict=True):
            if not len(item_labels):
                continue
            averages = _averages(item_labels)
            inside = 0.5 * np.einsum("ki,ijf,kj->kf", averages, square, averages, optimize=True)
            scatter += np.bincount(item_labels) @ inside
            from_centre = square.mean(axis=1) - 0.5 * square.mean(axis=(0, 1))
            squared_norms.append(np.maximum(averages @ from_centre - inside, 0.0))
        spread = _mean(np.concatenate(squared_norms))
        return cls(np.zeros(n_features), *_variances(scatter, spread, _sizes(labels)))


class TypeDraw(NamedTuple):
    """A sample of reference types in training."""

    chain: int
    sweep: int
    objective: float
    """The log joint of types and items."""
    n_types: int
    alpha: float
    """The concentration of the Dirichlet process of types."""


@dataclass(frozen=True, eq=False)
class ChainTask:
    """The data and the moments that all training chains share."""

    space: Space
    moments: Moments
    training: VectorTraining | DistanceTraining
    n_items: int


class TypeChain:
    """A chain over reference types; its index selects the number of types that it starts with."""

    def __init__(self, task: ChainTask, index: int, sampler: Sampler) -> None:
        self.index, self._training, self._sampler = index, task.training, sampler
        self._rng = np.random.default_rng([sampler.random_state, index])
        self._n_sweeps = 0
        self.samples: list[TypeSample] = []
        if task.n_items:
            self._state = self._training.start(self._rng, N_FIRST_TYPES[index % len(N_FIRST_TYPES)])

    def advance(self, until: int) -> None:
        """Continue until the chain has made `until` sweeps in total."""
        burn_in, spacing = self._sampler.burn_in, self._sampler.spacing
        while self._n_sweeps < until:
            n_after_burn_in = self._n_sweeps - burn_in
            stop = (
                burn_in
                if n_after_burn_in < 0
                else self._n_sweeps - n_after_burn_in % spacing + spacing
            )
            step = min(stop, until) - self._n_sweeps
            self._training.advance(self._state, self._rng, step)
            self._n_sweeps += step
            n_after_burn_in = self._n_sweeps - burn_in
            if n_after_burn_in > 0 and n_after_burn_in % spacing == 0:
                self.samples.append(self._training.sample(self._state))

    def history(self) -> list[TypeDraw]:
        """Return a summary of each sample."""
        burn_in, spacing = self._sampler.burn_in, self._sampler.spacing
        return [
            TypeDraw(
                self.index,
                burn_in + (index + 1) * spacing,
                sample.log_joint,
                len(sample.sizes),
                sample.alpha,
            )
            for index, sample in enumerate(self.samples)
        ]


def thin_samples(task: ChainTask, chains: Sequence[TypeChain]) -> list[ReferenceTypes]:
    """Return samples of types, evenly spread over those of all chains."""
    samples = [sample for chain in chains for sample in chain.samples]
    if not samples:  # all item sets are empty
        return [ReferenceTypes(1.0 / task.moments.within)]
    indices = np.linspace(0, len(samples) - 1, min(N_KEPT, len(samples))).round().astype(int)
    # Beyond these limits, rounding would lose the smaller precisions in sums.
    limits = (
        1.0 / (MAX_PRECISION_RATIO * task.moments.between),
        MAX_PRECISION_RATIO / task.moments.between,
    )
    return [
        ReferenceTypes(
            np.clip(samples[index].precisions, *limits), samples[index].sizes, samples[index].alpha
        )
        for index in indices
    ]


def prepare_task(prior: NormalPrior, examples: Examples) -> ChainTask:
    """Prepare the training sets, as vectors or as distances."""
    space = Space(prior.featurizer, prior.categorical)
    if prior.featurizer is not None:
        space = replace(space, featurizer=prior.featurizer.fit(examples.item_sets))
        if not all(distance_flags(space.featurizer) or ()):
            raise FeatureError(
                f"{prior.featurizer!r} has columns that are similarities, but distances are "
                f"required; use AsDistances({prior.featurizer!r})"
            )
    # Empty item sets are left out, since an empty list has no columns.
    non_empty = [index for index, item_set in enumerate(examples.item_sets) if len(item_set)] or [0]
    by_distance = {index: space.sees_distances(examples.item_sets[index]) for index in non_empty}
    for index in non_empty:
        if by_distance[index] != by_distance[non_empty[0]]:
            raise FeatureError(
                f"item set {index}: some item sets have vectors and others have pair "
                "features; use one kind for all"
            )
    sets = {index: examples.item_sets[index] for index in non_empty}
    labels = [examples.truths[index].labels.astype(np.intp) for index in non_empty]
    prepare = _with_distances if by_distance[non_empty[0]] else _with_vectors
    return prepare(prior, space, sets, labels)


def _with_vectors(
    prior: NormalPrior, space: Space, sets: Mapping[int, ItemSet], labels: list[Ints]
) -> ChainTask:
    parts = _convert_all(sets, space.vectors)
    _refuse_different_widths(sets, [vectors.shape[1] for vectors, _ in parts])
    matrices = [vectors for vectors, _ in parts]
    moments = Moments.of_vectors(matrices, labels)
    space = replace(space, centre=moments.centre, by_distance=False)
    if prior.categorical:
        space = replace(space, categories=fit_categories([codes for _, codes in parts], labels))
    centred = [matrix - moments.centre for matrix in matrices]
    training = prepare_vector_training(
        centred,
        labels,
        _base(prior, moments),
        shared=prior.type_per_cluster,
        repulsion=prior.repulsion,
    )
    return ChainTask(space, moments, training, sum(map(len, labels)))


def _with_distances(
    prior: NormalPrior, space: Space, sets: Mapping[int, ItemSet], labels: list[Ints]
) -> ChainTask:
    squares = _convert_all(sets, space.squares)
    _refuse_different_widths(sets, [square.shape[2] for square in squares])
    moments = Moments.of_distances(squares, labels)
    furthest = np.sqrt(np.max([square.max(axis=(0, 1), initial=0.0) for square in squares], axis=0))
    space = replace(space, furthest=furthest, by_distance=True)
    training = prepare_distance_training(
        squares,
        [origin_distances(square) for square in squares],
        labels,
        _base(prior, moments),
        shared=prior.type_per_cluster,
        repulsion=prior.repulsion,
    )
    return ChainTask(space, moments, training, sum(map(len, labels)))


def _convert_all(sets: Mapping[int, ItemSet], convert: Callable[[ItemSet], Any]) -> list[Any]:
    converted = []
    for index, item_set in sets.items():
        with located(f"item set {index}"):
            converted.append(convert(item_set))
    return converted


def _refuse_different_widths(sets: Mapping[int, ItemSet], widths: Sequence[int]) -> None:
    """Refuse item sets with different numbers of features."""
    first = next(iter(sets))
    for index, width in zip(sets, widths, strict=True):
        if width != widths[0]:
            raise FeatureError(
                f"item set {index}: there are {width} features, but item set {first} has "
                f"{widths[0]}; give all item sets the same features"
            )


def _base(prior: NormalPrior, moments: Moments) -> Base:
    n_features = len(moments.within)
    shape = max(1, n_features) / FEATURES_PER_SHAPE if prior.shape is None else prior.shape
    rates = shape * moments.within if prior.rate is None else np.full(n_features, prior.rate)
    for values in (moments.within, moments.between, rates):
        if not np.all((values > MIN_VARIANCE) & (values < 1.0 / MIN_VARIANCE)):
            raise FeatureError(
                "the features, or the rate of the prior, are too small or too large to "
                "compute with; scale the features to a variance near 1, and leave out the "
                "rate or give one near 1"
            )
    return make_base(1.0 / moments.between, shape, rates)


def _averages(labels: Ints) -> Floats:
    """Return the matrix whose product with items gives the mean of each cluster."""
    members = (np.arange(labels.max(initial=-1) + 1)[:, None] == labels).astype(np.float64)
    averages: Floats = members / members.sum(axis=1, keepdims=True)
    return averages


def _sizes(labels: Sequence[Ints]) -> Ints:
    """Return the sizes of the clusters of all item sets."""
    return np.concatenate([np.bincount(item_labels) for item_labels in labels])


def _mean(rows: Floats) -> Floats:
    mean: Floats = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
    return mean


def _variances(scatter: Floats, spread: Floats, sizes: Ints) -> tuple[Floats, Floats]:
    """Return the variance within clusters and that of cluster means, corrected for their noise."""
    freedom = int(sizes.sum()) - len(sizes)
    # If all clusters have one item, the variance within is unknown; a tenth leaves room for it.
    within = scatter / freedom if freedom else 0.1 * spread
    noise = within * np.mean(1.0 / np.maximum(sizes, 1)) if len(sizes) else 0.0
    between = np.maximum(spread - noise, 0.05 * spread)
    total = within + spread
    return (
        _raise_to_minimum(np.maximum(within, MIN_PART_SHARE * total)),
        _raise_to_minimum(np.maximum(between, MIN_PART_SHARE * total)),
    )


def _raise_to_minimum(variances: Floats) -> Floats:
    """Raise variances near 0, so that constant training features do not dominate all others."""
    positive = variances[variances > 0.0]
    if not positive.size:
        return np.ones(len(variances))
    # A quantile, as the mean would depend on the features with the largest units only.
    return np.maximum(variances, MIN_FEATURE_SHARE * np.quantile(positive, 0.25, method="lower"))
