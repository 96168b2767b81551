"""Training of reference types: item sets as chains see them, and the chains."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.dirichlet.types import Base
from coterie.dirichlet.categories import fit_categories
from coterie.dirichlet.priors import NormalPrior
from coterie.dirichlet.sampler import Sampler
from coterie.dirichlet.space import Space, origins_of
from coterie.dirichlet.training import (
    DistanceTraining,
    TypeSample,
    VectorTraining,
    base_of,
    distance_training,
    vector_training,
)
from coterie.dirichlet.types import MOST, ReferenceTypes
from coterie.exceptions import FeatureError, located
from coterie.features.differences import distance_flags
from coterie.items import ItemSet
from coterie.learners.base import Examples

KEPT = 24
"""How many samples of reference types a fitted learner keeps."""
FEATURES_PER_SHAPE = 20.0
"""How many features make the shape of the prior of precisions 1, where none is given."""
SMALLEST = 1e-60
"""Of variances, whose squares must be numbers too."""
FIRST_TYPES = (5, 25, 10)
"""How many types chains start with, in turn: from one alone, single items rarely part."""

LEAST = 1e-2
"""The least variance of a feature, as a share of the lower quartile over features."""
LEAST_SHARE = 1e-6
"""The least variance within or between clusters, as a share of both."""


class Moments(NamedTuple):
    """Where cluster means are, and the variances of items within clusters and of cluster means."""

    centre: Floats
    within: Floats
    between: Floats

    @classmethod
    def of_vectors(cls, matrices: Sequence[Floats], labels: Sequence[Ints]) -> Self:
        """Take them from vectors and their clusters."""
        n_features = matrices[0].shape[1]
        scatter, means = np.zeros(n_features), [np.empty((0, n_features))]
        for matrix, own in zip(matrices, labels, strict=True):
            means.append(_averages(own) @ matrix)
            scatter += np.square(matrix - means[-1][own]).sum(axis=0)
        found = np.concatenate(means)
        centre = _mean(found)
        spread = np.square(found - centre).sum(axis=0) / max(1, len(found) - 1)
        return cls(centre, *_variances(scatter, spread, _sizes(labels)))

    @classmethod
    def of_distances(cls, squares: Sequence[Floats], labels: Sequence[Ints]) -> Self:
        """Take them from squared distances, (n, n, features), and the clusters of items."""
        n_features = squares[0].shape[2]
        scatter, gaps = np.zeros(n_features), [np.empty((0, n_features))]
        for square, own in zip(squares, labels, strict=True):
            if not len(own):
                continue
            averages = _averages(own)
            inside = 0.5 * np.einsum("ki,ijf,kj->kf", averages, square, averages, optimize=True)
            scatter += np.bincount(own) @ inside
            from_all = square.mean(axis=1) - 0.5 * square.mean(axis=(0, 1))
            gaps.append(np.maximum(averages @ from_all - inside, 0.0))
        spread = _mean(np.concatenate(gaps))
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
    """All that training chains need."""

    space: Space
    moments: Moments
    training: VectorTraining | DistanceTraining
    n_items: int


class TypeChain:
    """A chain over reference types; its number says where it starts."""

    def __init__(self, task: ChainTask, number: int, sampler: Sampler) -> None:
        self.number, self._training, self._sampler = number, task.training, sampler
        self._rng = np.random.default_rng([sampler.random_state, number])
        self._done = 0
        self.samples: list[TypeSample] = []
        if task.n_items:
            self._state = self._training.start(self._rng, FIRST_TYPES[number % len(FIRST_TYPES)])

    def advance(self, until: int) -> None:
        """Go on until a number of sweeps is done."""
        burn_in, spacing = self._sampler.burn_in, self._sampler.spacing
        while self._done < until:
            past = self._done - burn_in
            stop = burn_in if past < 0 else self._done - past % spacing + spacing
            step = min(stop, until) - self._done
            self._training.advance(self._state, self._rng, step)
            self._done += step
            past = self._done - burn_in
            if past > 0 and past % spacing == 0:
                self.samples.append(self._training.sample(self._state))

    def history(self) -> list[TypeDraw]:
        """Return the samples in short."""
        burn_in, spacing = self._sampler.burn_in, self._sampler.spacing
        return [
            TypeDraw(
                self.number,
                burn_in + (at + 1) * spacing,
                sample.log_joint,
                len(sample.sizes),
                sample.alpha,
            )
            for at, sample in enumerate(self.samples)
        ]


def thin_samples(task: ChainTask, chains: Sequence[TypeChain]) -> list[ReferenceTypes]:
    """Thin the samples of all chains."""
    samples = [sample for chain in chains for sample in chain.samples]
    if not samples:  # there was nothing to learn from
        return [ReferenceTypes(1.0 / task.moments.within)]
    places = np.linspace(0, len(samples) - 1, min(KEPT, len(samples))).round().astype(int)
    # Beyond, sums of precisions would lose the lesser ones to rounding.
    limits = 1.0 / (MOST * task.moments.between), MOST / task.moments.between
    return [
        ReferenceTypes(
            np.clip(samples[at].precisions, *limits), samples[at].sizes, samples[at].alpha
        )
        for at in places
    ]


def prepare_task(prior: NormalPrior, examples: Examples) -> ChainTask:
    """Read the training sets, as vectors or as distances."""
    space = Space(prior.featurizer, prior.categorical)
    if prior.featurizer is not None:
        space = replace(space, featurizer=prior.featurizer.fit(examples.item_sets))
        if not all(distance_flags(space.featurizer) or ()):
            raise FeatureError(
                f"{prior.featurizer!r} has columns that grow with likeness, but distances are "
                f"needed; give AsDistances({prior.featurizer!r})"
            )
    # An empty item set may be a list of nothing, which has no columns either.
    shown = [at for at, item_set in enumerate(examples.item_sets) if len(item_set)] or [0]
    by_distance = {at: space.sees_distances(examples.item_sets[at]) for at in shown}
    for number in shown:
        if by_distance[number] != by_distance[shown[0]]:
            raise FeatureError(
                f"item set {number}: vectors and features of pairs are mixed; give one kind"
            )
    sets = {at: examples.item_sets[at] for at in shown}
    labels = [examples.truths[at].labels.astype(np.intp) for at in shown]
    prepare = _with_distances if by_distance[shown[0]] else _with_vectors
    return prepare(prior, space, sets, labels)


def _with_vectors(
    prior: NormalPrior, space: Space, sets: Mapping[int, ItemSet], labels: list[Ints]
) -> ChainTask:
    read = _read(sets, space.vectors)
    _refuse_unlike(sets, [vectors.shape[1] for vectors, _ in read])
    matrices = [vectors for vectors, _ in read]
    moments = Moments.of_vectors(matrices, labels)
    space = replace(space, centre=moments.centre, by_distance=False)
    if prior.categorical:
        space = replace(space, categories=fit_categories([codes for _, codes in read], labels))
    centred = [matrix - moments.centre for matrix in matrices]
    training = vector_training(
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
    squares = _read(sets, space.squares)
    _refuse_unlike(sets, [square.shape[2] for square in squares])
    moments = Moments.of_distances(squares, labels)
    furthest = np.sqrt(np.max([square.max(axis=(0, 1), initial=0.0) for square in squares], axis=0))
    space = replace(space, furthest=furthest, by_distance=True)
    training = distance_training(
        squares,
        [origins_of(square) for square in squares],
        labels,
        _base(prior, moments),
        shared=prior.type_per_cluster,
        repulsion=prior.repulsion,
    )
    return ChainTask(space, moments, training, sum(map(len, labels)))


def _read(sets: Mapping[int, ItemSet], read: Callable[[ItemSet], Any]) -> list[Any]:
    found = []
    for number, item_set in sets.items():
        with located(f"item set {number}"):
            found.append(read(item_set))
    return found


def _refuse_unlike(sets: Mapping[int, ItemSet], widths: Sequence[int]) -> None:
    """Refuse item sets that differ in their number of features."""
    first = next(iter(sets))
    for number, width in zip(sets, widths, strict=True):
        if width != widths[0]:
            raise FeatureError(
                f"item set {number}: there are {width} features, in item set {first} "
                f"{widths[0]}; give the same number for all"
            )


def _base(prior: NormalPrior, moments: Moments) -> Base:
    n_features = len(moments.within)
    shape = max(1, n_features) / FEATURES_PER_SHAPE if prior.shape is None else prior.shape
    rates = shape * moments.within if prior.rate is None else np.full(n_features, prior.rate)
    for numbers in (moments.within, moments.between, rates):
        if not np.all((numbers > SMALLEST) & (numbers < 1.0 / SMALLEST)):
            raise FeatureError(
                "features or the rate of the prior are so small or large that their products are "
                "beyond what numbers hold; scale them to a variance near 1"
            )
    return base_of(1.0 / moments.between, shape, rates)


def _averages(labels: Ints) -> Floats:
    """Return the matrix that takes the mean over each cluster."""
    members = (np.arange(labels.max(initial=-1) + 1)[:, None] == labels).astype(np.float64)
    averages: Floats = members / members.sum(axis=1, keepdims=True)
    return averages


def _sizes(labels: Sequence[Ints]) -> Ints:
    """Return the sizes of all clusters."""
    return np.concatenate([np.bincount(own) for own in labels])


def _mean(rows: Floats) -> Floats:
    mean: Floats = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
    return mean


def _variances(scatter: Floats, spread: Floats, sizes: Ints) -> tuple[Floats, Floats]:
    """Return the variance within clusters and that of true means, whose estimates have noise."""
    freedom = int(sizes.sum()) - len(sizes)
    # Where every item is alone, nothing tells them apart; a tenth leaves room for clusters.
    within = scatter / freedom if freedom else 0.1 * spread
    noise = within * np.mean(1.0 / np.maximum(sizes, 1)) if len(sizes) else 0.0
    between = np.maximum(spread - noise, 0.05 * spread)
    total = within + spread
    return (
        _floored(np.maximum(within, LEAST_SHARE * total)),
        _floored(np.maximum(between, LEAST_SHARE * total)),
    )


def _floored(variances: Floats) -> Floats:
    """Keep features apart from 0: those that do not vary in training would decide everything."""
    known = variances[variances > 0.0]
    if not known.size:
        return np.ones(len(variances))
    # Not by the mean, which is that of the features in the largest units.
    return np.maximum(variances, LEAST * np.quantile(known, 0.25, method="lower"))
