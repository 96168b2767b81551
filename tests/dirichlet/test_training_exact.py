"""Sampling of reference types against sums over all partitions, and types that are known."""

from collections import Counter

import numpy as np
import pytest
from scipy import integrate, special

from coterie import Partition
from coterie._core.arrays import read_only
from coterie.dirichlet.training import (
    DistanceTraining,
    make_base,
    prepare_distance_training,
    prepare_vector_training,
)
from tests.partitions import all_partitions


def log_urn(n_units, n_types):
    """Return log ∫ exp(-α) α^J Γ(α) / Γ(α + U) dα."""

    def density(alpha):
        return np.exp(-alpha) * alpha**n_types / np.prod(alpha + np.arange(n_units))

    return np.log(integrate.quad(density, 0, np.inf)[0])


def partition_frequencies(training, rng, n_sweeps):
    state, counts, frequencies = training.start(rng, 2), Counter(), Counter()
    for _ in range(n_sweeps):
        training.advance(state, rng, 1)
        counts[tuple(state.of_unit.tolist())] += 1
    for kinds, count in counts.items():
        frequencies[Partition(kinds)] += count / n_sweeps
    return frequencies


def total_variation(exact, frequencies):
    weights = np.exp(np.array(list(exact.values())) - max(exact.values()))
    shares = dict(zip(exact, weights / weights.sum(), strict=True))
    assert max(shares.values()) < 0.5
    return 0.5 * sum(abs(shares[key] - frequencies[Partition(key)]) for key in exact)


def test_types_of_vectors_have_their_exact_distribution(rng):
    offsets = np.array([0.1, 0.15, 1.0, 4.0])
    base = make_base([1e12], 0.6, [0.2])
    training = prepare_vector_training([offsets[:, None]], [np.zeros(4, dtype=int)], base)
    exact = {}
    for labels in all_partitions(4):
        kinds = [offsets[np.array(labels) == label] for label in range(max(labels) + 1)]
        total = log_urn(4, len(kinds))
        for type_offsets in kinds:
            size = len(type_offsets)
            shape, rate = 0.6 + size / 2, 0.2 + (type_offsets**2).sum() / 2
            total += special.gammaln(size) + special.gammaln(shape) - special.gammaln(0.6)
            total += 0.6 * np.log(0.2) - shape * np.log(rate)
        exact[tuple(labels)] = total
    frequencies = partition_frequencies(training, rng, 20_000)
    assert total_variation(exact, frequencies) < 0.02


def exact_distance_types(training, data, labels):
    """Return the log probability of each partition by types, summed over a grid of precisions."""
    (square,), (origin,) = data
    base, gaps = training.base, training.units.gaps
    logs = np.linspace(-6, 5, 111)
    precisions = np.exp(logs)
    prior = base.shape * logs - base.rate[0] * precisions
    exact = {}
    for kinds in all_partitions(len(labels)):
        n_types = max(kinds) + 1
        grid = np.stack(np.meshgrid(*[precisions] * n_types, indexing="ij"), axis=-1)
        weights = grid[..., kinds]
        total = sum(np.meshgrid(*[prior] * n_types, indexing="ij"))
        for label in np.unique(labels):
            cluster_weights = weights[..., labels == label]
            block = square[np.ix_(labels == label, labels == label)][:, :, 0]
            sums = base.tau0[0] + cluster_weights.sum(axis=-1)
            spread = 0.5 * np.einsum("...i,ij,...j->...", cluster_weights, block, cluster_weights)
            spread = spread + base.tau0[0] * cluster_weights @ origin[labels == label, 0]
            log_products = np.log(cluster_weights).sum(axis=-1)
            total = total + 0.5 * (log_products - np.log(sums) - spread / sums)
        for gap in gaps:
            total = total - (1 / np.sqrt(weights * gap)).sum(axis=-1)
        constant = base.shape * np.log(base.rate[0]) - special.gammaln(base.shape)
        urn = log_urn(len(labels), n_types) + special.gammaln(np.bincount(kinds)).sum()
        step = n_types * (constant + np.log(logs[1] - logs[0]))
        exact[tuple(kinds)] = urn + step + special.logsumexp(total)
    return exact


@pytest.mark.parametrize(("repulsion", "n_auxiliary"), [(False, 1), (False, 6), (True, 6)])
def test_types_of_distances_have_their_exact_distribution(repulsion, n_auxiliary, rng):
    labels = np.array([0, 0, 1])
    square = np.array([[0, 3.0, 2.0], [3.0, 0, 9.0], [2.0, 9.0, 0]])[:, :, None]
    data = [square], [np.array([[0.1], [0.2], [6.0]])]
    options = {"repulsion": repulsion, "n_auxiliary": n_auxiliary}
    training = prepare_distance_training(*data, [labels], make_base([0.5], 0.8, [0.4]), **options)
    frequencies = partition_frequencies(training, rng, 20_000)
    assert total_variation(exact_distance_types(training, data, labels), frequencies) < 0.02


TYPES = np.array([[1.0, 10.0], [10.0, 1.0], [100.0, 100.0]])


def known_types(rng, n_clusters, size, types, shared):
    labels = np.repeat(np.arange(n_clusters), size)
    kinds = rng.integers(3, size=n_clusters if shared else len(labels))
    kinds = kinds[labels] if shared else kinds
    means = 4.0 * rng.normal(size=(n_clusters, types.shape[1]))[labels]
    return means + rng.normal(size=means.shape) / np.sqrt(types[kinds]), labels


def recovered(training, rng, n_sweeps):
    """Return the mean precisions of the three largest types, in the order of `TYPES`."""
    state, total = training.start(rng, 1), np.zeros((3, len(training.base.rate)))
    training.advance(state, rng, n_sweeps)
    for _ in range(n_sweeps):
        training.advance(state, rng, 1)
        precisions, sizes, *_ = training.sample(state)
        largest = precisions[np.argsort(-sizes)[:3]]
        total += largest[np.argsort(largest[:, 0])]
    return total / n_sweeps


@pytest.mark.parametrize("kind", ["vectors", "distances"])
def test_separate_types_are_recovered(kind, rng):
    matrix, labels = known_types(rng, 400, 8, TYPES, shared=True)
    base = make_base([1 / 16] * 2, 0.5, [0.05] * 2)
    if kind == "vectors":
        training = prepare_vector_training([matrix], [labels], base, shared=True)
    else:
        sets = np.array_split(np.arange(len(labels)), 10)
        squares = [(matrix[members][:, None] - matrix[members]) ** 2 for members in sets]
        origins = [matrix[members] ** 2 for members in sets]
        parts = [labels[members] for members in sets]
        training = prepare_distance_training(squares, origins, parts, base, shared=True)
    assert recovered(training, rng, 100) == pytest.approx(TYPES, rel=0.1)


def test_types_of_items_are_recovered(rng):
    types = np.repeat(TYPES, 4, axis=1)
    matrix, labels = known_types(rng, 300, 20, types, shared=False)
    base = make_base([1 / 16] * 8, 0.5, [0.05] * 8)
    training = prepare_vector_training([matrix], [labels], base)
    assert recovered(training, rng, 30) == pytest.approx(types, rel=0.1)


def log_integral_of_single_items(origins, base, gaps):
    """Return log ∫ G(t) Π p(item | t) R(t) dt for single-item clusters, on a grid."""
    logs = np.linspace(-9, 6, 301)
    t = np.exp(logs)
    log_terms = np.zeros((2, len(t)))
    for dim in range(2):
        share = base.tau0[dim] * t / (base.tau0[dim] + t)
        log_terms[dim] = base.shape * logs - base.rate[dim] * t
        for origin in origins[:, dim]:
            log_terms[dim] += 0.5 * (np.log(share / base.tau0[dim]) - share * origin)
    norms = t[:, None, None] * gaps[:, 0] + t[None, :, None] * gaps[:, 1]
    repulsion = -len(origins) * (norms**-0.5).sum(axis=-1)
    total = special.logsumexp(log_terms[0][:, None] + log_terms[1] + repulsion)
    constants = base.shape * np.log(base.rate) - special.gammaln(base.shape)
    return total + constants.sum() + 2 * np.log(logs[1] - logs[0])


def test_unlike_gaps_leave_types_their_exact_distribution(rng):
    labels, base = np.arange(3), make_base([0.5, 0.2], 0.7, [0.4, 0.8])
    origins = np.array([[0.1, 30.0], [20.0, 0.2], [1.0, 1.0]])
    training = prepare_distance_training(
        [np.ones((3, 3, 2))], [origins], [labels], base, repulsion=True
    )
    # One dimension tells one pair of clusters apart, the other the other.
    gaps = np.array([[9.0, 0.01], [0.01, 9.0]])
    units = training.units._replace(gaps=read_only(gaps))
    exact = {}
    for kinds in all_partitions(3):
        total = log_urn(3, max(kinds) + 1) + special.gammaln(np.bincount(kinds)).sum()
        for kind in set(kinds):
            total += log_integral_of_single_items(origins[np.array(kinds) == kind], base, gaps)
        exact[tuple(kinds)] = total
    frequencies = partition_frequencies(DistanceTraining(units, base), rng, 20_000)
    assert total_variation(exact, frequencies) < 0.02
