"""Spectral clustering against full eigenvector computations and enumeration."""

import numpy as np
import pytest
from scipy.linalg import eigh

from coterie.clusterers import spectral
from coterie.clusterers.kmeans import KernelKMeans
from coterie.clusterers.spectral import (
    DiscreteSpectral,
    Eigenpairs,
    Spectral,
    proven_bound,
    top_eigenpairs,
)
from coterie.exceptions import InputError, ItemSetError
from coterie.objectives import KMeans
from coterie.pairs import PairScores
from coterie.partition import Partition
from tests.partitions import all_partitions


def symmetric(rng, n_items):
    matrix = rng.normal(size=(n_items, n_items))
    return matrix + matrix.T


def test_the_bound_holds_for_every_partition(rng):
    for _ in range(30):
        n_items = int(rng.integers(1, 7))
        k = int(rng.integers(1, n_items + 1))
        scores = PairScores.from_matrix(symmetric(rng, n_items), n_clusters=k)
        solution = Spectral().solve(scores)
        best = max(
            KMeans().value(Partition(labels), scores)
            for labels in all_partitions(n_items)
            if len(set(labels)) == k
        )
        assert solution.bound >= best
        assert solution.bound == pytest.approx(eigh(scores.to_matrix())[0][-k:].sum(), abs=1e-6)
        assert solution.value == KMeans().value(solution.partition, scores) <= best + 1e-9
        assert solution.partition.n_clusters == k


def test_the_relaxed_weights_reach_the_bound(rng):
    scores = PairScores.from_matrix(symmetric(rng, 40), n_clusters=5)
    solution = Spectral().solve(scores)
    value = scores.scores @ solution.weights + scores.diagonal @ solution.self_weights
    assert value == pytest.approx(solution.bound, rel=1e-7)
    relaxed = solution.relaxed
    np.testing.assert_allclose(relaxed @ relaxed, relaxed, atol=1e-12)
    assert np.trace(relaxed) == pytest.approx(5)


def test_discrete_has_the_partition_and_its_weights(rng):
    scores = PairScores.from_matrix(symmetric(rng, 40), n_clusters=5)
    relaxed, discrete = Spectral().solve(scores), DiscreteSpectral().solve(scores)
    assert discrete.relaxed is None
    assert discrete.partition == relaxed.partition == Spectral()(scores)
    assert discrete.partition == DiscreteSpectral()(scores)
    assert discrete.bound == relaxed.bound
    weights = KMeans().weights(discrete.partition, scores)
    np.testing.assert_array_equal(discrete.weights, weights)
    projection = PairScores.from_matrix(relaxed.relaxed, n_clusters=5)
    assert discrete.partition == KernelKMeans(n_init=5)(projection)


def test_planted_clusters_are_exact(rng):
    labels = rng.permutation(np.repeat([0, 1, 2], [5, 9, 6]))
    scores = PairScores.from_matrix(1.0 * (labels[:, None] == labels), n_clusters=3)
    for clusterer in (Spectral(), DiscreteSpectral()):
        solution = clusterer.solve(scores)
        assert solution.partition == Partition(labels)
        assert solution.status == "exact"


def large_cases():
    """Matrices of 600 items: a smooth one, repeated eigenvalues, low rank, nothing at all."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(600, 3))
    block = symmetric(rng, 60)
    smooth = np.exp(-0.5 * ((points[:, None] - points) ** 2).sum(axis=2))
    smooth = (smooth + smooth.T) / 2
    very_negative = smooth - 1000.0
    return {
        "smooth": smooth,
        "very negative": very_negative,
        "noise": symmetric(rng, 600),
        "equal blocks": np.kron(np.eye(10), block),
        "ones": np.ones((600, 600)),
        "identity": np.eye(600),
        "zero": np.zeros((600, 600)),
    }


@pytest.mark.parametrize("case", large_cases())
def test_many_items_have_the_right_eigenvectors(case):
    """ARPACK alone misses repeated eigenvalues, as of equal blocks, and fails for zeros."""
    matrix = large_cases()[case]
    values = eigh(matrix, eigvals_only=True)[-12:]
    top = top_eigenpairs(matrix, 12, seed=0)
    scale = np.linalg.norm(matrix)
    np.testing.assert_allclose(top.values, values, atol=1e-9 * scale)
    np.testing.assert_allclose(top.vectors.T @ top.vectors, np.eye(12), atol=1e-9)
    np.testing.assert_allclose(
        matrix @ top.vectors, top.vectors * top.values, atol=1e-7 * max(scale, 1e-300)
    )
    assert np.all(top.vectors[np.abs(top.vectors).argmax(axis=0), np.arange(12)] > 0)
    again = top_eigenpairs(matrix, 12, seed=0)
    np.testing.assert_array_equal(top.vectors, again.vectors)
    assert values.sum() <= proven_bound(matrix, top) <= values.sum() + 1e-8 * scale


def test_arpack_alone_would_miss_repeated_eigenvalues():
    """The reason for the check of the search: without it the case above would pass unseen."""
    matrix = large_cases()["equal blocks"]
    rng = np.random.default_rng(0)
    alone = spectral._search(matrix.dot, 600, 12, 1e-10, rng)
    assert alone.values.sum() < eigh(matrix, eigvals_only=True)[-12:].sum() - 1.0
    assert spectral._lanczos(matrix, 12, np.random.default_rng(0)) is None


def test_the_bound_does_not_trust_the_eigenvectors(rng):
    """Of the wrong eigenvectors the sum is too small; the proof fails and the bound is right."""
    matrix = symmetric(rng, 30)
    values, vectors = eigh(matrix)
    missed = Eigenpairs(values[[25, 26, 28]], vectors[:, [25, 26, 28]])
    assert proven_bound(matrix, missed) >= values[-3:].sum()


def test_numbers_are_checked():
    scores = PairScores(3, None, [1.0, 2.0, 3.0])
    for kind in (Spectral, DiscreteSpectral):
        with pytest.raises(ItemSetError, match="not known"):
            kind()(scores)
        with pytest.raises(ItemSetError, match="use at most"):
            kind(n_clusters=4).solve(scores)
        with pytest.raises(InputError, match="random_state"):
            kind(random_state=-1)
    with pytest.raises(InputError, match="n_init"):
        DiscreteSpectral(n_init=0)
    assert list(Spectral().get_params()) == ["n_clusters", "random_state"]
    assert list(DiscreteSpectral().get_params()) == ["n_clusters", "n_init", "random_state"]


@pytest.mark.parametrize("clusterer", [Spectral(2), DiscreteSpectral(2)])
@pytest.mark.parametrize("huge", [1e100, 1e200])
def test_one_huge_score_among_ordinary_ones_loses_no_item(clusterer, huge, rng):
    for _ in range(10):
        scores = rng.normal(size=66)
        scores[3] = huge
        partition = clusterer(PairScores(12, None, scores))
        assert len(partition) == 12
        assert partition.labels[0] == partition.labels[4]
