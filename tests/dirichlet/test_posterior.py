"""Posteriors against plain counts."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.dirichlet.diagnostics import effective_sample_size, r_hat
from coterie.dirichlet.posterior import Posterior
from coterie.exceptions import InputError, PartitionError
from coterie.partition import Partition


def random_posterior(rng, n_items, n_chains=2, n_samples=8, n_labels=3):
    labels = rng.integers(n_labels, size=(n_chains, n_samples, n_items))
    return Posterior(labels, rng.normal(size=(n_chains, n_samples)))


@pytest.mark.parametrize("n_items", [0, 1, 2, 7, 30])
def test_same_as_plain_counts(rng, n_items):
    labels = rng.integers(4, size=(3, 6, n_items)) * 10
    posterior = Posterior(labels, np.zeros((3, 6)))
    rows = labels.reshape(18, n_items)
    partitions = [Partition(row) for row in rows]
    relabelled = posterior.labels.reshape(18, n_items)
    assert [row.tolist() for row in relabelled] == [p.labels.tolist() for p in partitions]
    together = np.mean([row[:, None] == row for row in rows], axis=0)
    assert np.array_equal(posterior.pair_probabilities, together)
    assert posterior.n_clusters.ravel().tolist() == [p.n_clusters for p in partitions]
    counts = Counter(p.n_clusters for p in partitions)
    assert posterior.cluster_counts() == pytest.approx({k: v / 18 for k, v in counts.items()})
    shares = {p: count / 18 for p, count in Counter(partitions).items()}
    assert posterior.partitions() == pytest.approx(shares)
    values = list(posterior.partitions().values())
    assert values == sorted(values, reverse=True)


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_names_and_the_order_of_samples_do_not_matter(seed, n_items):
    rng = np.random.default_rng(seed)
    posterior = random_posterior(rng, n_items)
    names = rng.permutation(50) * 10**12
    order = rng.permutation(posterior.labels.shape[1])
    other = Posterior(names[posterior.labels[:, order]], posterior.log_joint[:, order])
    assert np.array_equal(other.labels, posterior.labels[:, order])
    assert np.array_equal(other.pair_probabilities, posterior.pair_probabilities)
    assert other.partitions() == posterior.partitions()


def test_diagnostics_are_those_of_the_three_quantities(rng):
    posterior = random_posterior(rng, 5, n_chains=3, n_samples=20)
    diagnostics = posterior.diagnostics()
    i, j = diagnostics.pair
    distances = np.abs(posterior.pair_probabilities - 0.5)
    np.fill_diagonal(distances, 1)
    assert distances[i, j] == pytest.approx(distances.min())
    assert i < j
    pair = posterior.labels[..., i] == posterior.labels[..., j]
    expected = [
        measure(chains)
        for chains in (posterior.log_joint, posterior.n_clusters, pair)
        for measure in (effective_sample_size, r_hat)
    ]
    assert [*diagnostics[:4], *diagnostics[5:]] == expected


def test_the_first_of_equally_unsure_pairs():
    """Probabilities of 0.4 and 0.6 are equally far from ½, however they are rounded."""
    labels = [[0, 0, 0, 1]] * 4 + [[0, 0, 1, 1]] * 1 + [[0, 1, 2, 2]] * 5
    labels = np.array(labels)[None]
    assert Posterior(labels, np.zeros((1, 10))).diagnostics().pair == (0, 1)
    for shares in [(4, 6), (6, 4)]:
        rows = [[0, 0, 1, 2]] * shares[0] + [[0, 1, 2, 2]] * shares[1]
        assert Posterior([rows], np.zeros((1, 10))).diagnostics().pair == (0, 1)


@pytest.mark.parametrize("labels", [[0, 0, 1], [0], []])
def test_no_unsure_pair(labels):
    posterior = Posterior(np.tile(np.array(labels, dtype=int), (2, 6, 1)), np.zeros((2, 6)))
    diagnostics = posterior.diagnostics()
    assert diagnostics.pair is None
    assert (diagnostics.ess_pair, diagnostics.r_hat_pair) == (12, 1)
    assert diagnostics.ess_n_clusters == 12


def test_repr(rng):
    labels = np.zeros((2, 3, 4), dtype=int)
    posterior = Posterior(labels, np.zeros((2, 3)))
    assert repr(posterior) == "Posterior(2 chains × 3 samples of 4 items, 1 clusters)"
    labels[0, 0] = [0, 1, 2, 0]
    posterior = Posterior(labels, np.zeros((2, 3)))
    assert repr(posterior) == "Posterior(2 chains × 3 samples of 4 items, 1 to 3 clusters)"


def test_nothing_can_be_changed(rng):
    posterior = random_posterior(rng, 4)
    for array in (posterior.labels, posterior.log_joint, posterior.pair_probabilities):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    "labels", [[[0, 1]], np.zeros((0, 3, 2), int), np.zeros((2, 0, 2), int), [[[0, -1]]], [[[0.5]]]]
)
def test_bad_labels_are_refused(labels):
    with pytest.raises(PartitionError, match="labels"):
        Posterior(labels, [[0.0]])


@pytest.mark.parametrize("log_joint", [[0.0], [[0.0, 1.0]], [[np.nan]], [[-np.inf]]])
def test_bad_log_joints_are_refused(log_joint):
    with pytest.raises(InputError, match="log_joint"):
        Posterior([[[0, 1]]], log_joint)
