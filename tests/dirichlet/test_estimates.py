"""Estimates against enumeration of all partitions."""

import numpy as np
import pytest

from coterie._core.arrays import read_only
from coterie._kernels.dirichlet.partitions import (
    least_variation,
    mean_variations,
    within_cluster_scores,
)
from coterie.clusterers import Exact
from coterie.dirichlet.estimates import (
    CANDIDATES,
    MaximumPosterior,
    MinimumPairLoss,
    MinimumVariation,
    _thin,
)
from coterie.dirichlet.posterior import Posterior
from coterie.metrics import variation_of_information
from coterie.pairs import PairScores
from coterie.partition import Partition
from tests.partitions import all_partitions

ESTIMATES = [MaximumPosterior(), MinimumPairLoss(), MinimumVariation()]


def random_posterior(rng, n_items, n_samples=None, n_labels=3, noise=0.4):
    """Samples about one partition, or noise alone."""
    shape = (2, int(rng.integers(1, 8)) if n_samples is None else n_samples, n_items)
    labels = rng.integers(n_labels, size=shape)
    base = rng.integers(n_labels, size=n_items)
    labels = np.where(rng.random(shape) < noise, labels, base)
    return Posterior(labels, rng.normal(size=shape[:2]))


def posteriors(rng, count):
    for number in range(count):
        n_items = int(rng.integers(1, 7))
        yield random_posterior(rng, n_items, noise=(0.3, 1.0)[number % 2])


def as_rows(partitions):
    return read_only(np.array([p.labels for p in partitions], dtype=np.int32))


def expected_variation(posterior, partition):
    return np.mean(
        [variation_of_information(Partition(row), partition) for row in posterior.samples]
    )


def expected_pair_loss(posterior, partition):
    return np.mean(
        [np.sum(Partition(row).together() != partition.together()) for row in posterior.samples]
    )


def test_maximum_posterior_is_the_first_of_the_best_samples(rng):
    for posterior in posteriors(rng, 20):
        joint = posterior.log_joint
        chain, sample = next(zip(*np.nonzero(joint == joint.max()), strict=True))
        best = Partition(posterior.labels[chain, sample])
        assert MaximumPosterior().partition(posterior) == best
    tied = Posterior([[[0, 0], [0, 1]], [[0, 1], [0, 0]]], [[1.0, 2.0], [2.0, 2.0]])
    assert MaximumPosterior().partition(tied) == Partition([0, 1])


def test_no_partition_has_a_smaller_expected_pair_loss(rng):
    for posterior in posteriors(rng, 60):
        loss = expected_pair_loss(posterior, MinimumPairLoss().partition(posterior))
        partitions = map(Partition, all_partitions(posterior.n_items))
        assert loss == pytest.approx(min(expected_pair_loss(posterior, p) for p in partitions))


def test_pair_loss_is_never_worse_than_a_sample(rng):
    for _ in range(5):
        posterior = random_posterior(rng, 40, n_samples=10, n_labels=6)
        loss = expected_pair_loss(posterior, MinimumPairLoss().partition(posterior))
        samples = posterior.partitions()
        assert loss <= min(expected_pair_loss(posterior, p) for p in samples) + 1e-9


def test_the_best_sample_is_taken_where_the_search_fails(rng, monkeypatch):
    posterior = random_posterior(rng, 20, n_samples=10)
    monkeypatch.setattr(
        "coterie.dirichlet.estimates.LocalSearch", lambda: lambda s: Partition(range(s.n_items))
    )
    best = min(posterior.partitions(), key=lambda p: expected_pair_loss(posterior, p))
    assert MinimumPairLoss().partition(posterior) == best


def test_the_search_for_the_least_variation_almost_always_finds_it(rng):
    hits = 0
    for posterior in posteriors(rng, 200):
        rows = as_rows([Partition(labels) for labels in all_partitions(posterior.n_items)])
        least = mean_variations(*posterior.distinct, rows).min()
        estimate = as_rows([MinimumVariation().partition(posterior)])
        variation = mean_variations(*posterior.distinct, estimate)[0]
        assert variation >= least - 1e-12
        hits += variation <= least + 1e-9
    assert hits >= 190


def test_mean_variations_are_those_of_the_metric(rng):
    for posterior in (*posteriors(rng, 10), random_posterior(rng, 30, n_labels=9)):
        candidates = [Partition(rng.integers(4, size=posterior.n_items)) for _ in range(5)]
        actual = mean_variations(*posterior.distinct, as_rows(candidates))
        expected = [expected_variation(posterior, candidate) for candidate in candidates]
        assert actual == pytest.approx(expected, abs=1e-12)


def slow_least_variation(posterior, labels):
    """Go through items in index order; take the best move of all, as long as one helps."""
    still, item = 0, 0
    while still < len(labels):
        old = labels[item]
        choices = sorted({*labels, max(labels) + 1})
        moves = [Partition([*labels[:item], choice, *labels[item + 1 :]]) for choice in choices]
        losses = mean_variations(*posterior.distinct, as_rows(moves))
        moved = losses.min() < losses[choices.index(old)] - 1e-9
        labels[item] = choices[losses.argmin()] if moved else old
        still, item = (1 if moved else still + 1), (item + 1) % len(labels)
    return Partition(labels)


@pytest.mark.parametrize("n_items", [1, 2, 6, 12])
def test_moves_are_those_of_a_slow_twin_and_lower_the_mean(rng, n_items):
    for _ in range(4):
        posterior = random_posterior(rng, n_items, n_samples=5, n_labels=4, noise=0.5)
        # Uneven weights leave no ties between moves.
        samples, _ = posterior.distinct
        shares = rng.integers(1, 50, size=len(samples))
        rows = np.repeat(samples, shares, axis=0)[None]
        posterior = Posterior(rows, np.zeros(rows.shape[:2]))
        start = as_rows([Partition(rng.integers(4, size=n_items))])
        end = least_variation(*posterior.distinct, start[0])
        before = mean_variations(*posterior.distinct, start)[0]
        after = mean_variations(*posterior.distinct, as_rows([Partition(end)]))[0]
        assert after <= before + 1e-12
        slow = slow_least_variation(posterior, start[0].tolist())
        assert after == pytest.approx(expected_variation(posterior, slow), abs=1e-9)


def test_variation_is_never_worse_than_a_sample(rng):
    posterior = random_posterior(rng, 40, n_samples=20, n_labels=6)
    loss = expected_variation(posterior, MinimumVariation().partition(posterior))
    samples = posterior.partitions()
    assert loss <= min(expected_variation(posterior, p) for p in samples) + 1e-9


def test_many_samples_are_thin_evenly():
    samples = np.arange(1001, dtype=np.int32)[:, None]
    thinned = _thin(samples, CANDIDATES)[:, 0]
    assert len(set(thinned.tolist())) == CANDIDATES
    assert (thinned[0], thinned[-1]) == (0, 1000)
    assert set(np.diff(thinned).tolist()) <= {5, 6}
    assert np.array_equal(_thin(samples[:7], CANDIDATES), samples[:7])


def test_scores_inside_samples(rng):
    posterior = random_posterior(rng, 12, n_samples=6, n_labels=4)
    matrix = rng.normal(size=(12, 12))
    scores = PairScores.from_matrix(np.triu(matrix, 1) + np.triu(matrix, 1).T)
    samples = posterior.distinct.labels
    expected = [scores.scores @ Partition(row).together() for row in samples]
    assert within_cluster_scores(samples, read_only(scores.to_matrix())) == pytest.approx(expected)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_correlation_clustering_of_the_scores_is_the_estimate(rng, estimate):
    for posterior in posteriors(rng, 20):
        scores = PairScores(posterior.n_items, None, estimate.scores(posterior))
        solution, partition = Exact().solve(scores), estimate.partition(posterior)
        value = scores.scores @ partition.together()
        assert solution.value == pytest.approx(value)
        if not isinstance(estimate, MinimumPairLoss):
            assert solution.partition == partition


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("n_items", [0, 1])
def test_no_pairs(estimate, n_items):
    posterior = Posterior(np.zeros((1, 2, n_items), dtype=int), np.zeros((1, 2)))
    assert estimate.partition(posterior) == Partition([0] * n_items)
    assert estimate.scores(posterior).shape == (0,)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_sure_posteriors_are_their_partition(estimate):
    posterior = Posterior(np.tile([0, 1, 0, 2, 1], (2, 5, 1)), np.zeros((2, 5)))
    assert estimate.partition(posterior) == Partition([0, 1, 0, 2, 1])
    assert estimate.get_params() == {}
