"""Geweke's joint distribution test of the sampler of partitions.

The joint of partition, types and items is drawn in two ways: forward from the prior, and by a chain
that makes one sweep of the sampler and then draws the items anew. Means of functions must agree.
"""

from functools import cache

import numpy as np
import pytest

from coterie._kernels.dirichlet.clusters import as_state
from coterie.dirichlet.chains import Chain, Moves, Schedule
from tests.dirichlet.enumeration import Model, of_distances, of_vectors

N_ITEMS, N_SLOTS = 6, 12
MODEL = Model(
    np.array([[1.5, 0.6], [0.4, 3.0]]),
    np.array([0.35, 0.65]),
    np.array([0.5, 0.3]),
    1.2,
    shared=False,
    pseudo=(np.array([0.6, 1.4]),),
)
N_FORWARD, N_SWEEPS, N_BATCHES = 100_000, 5_000, 50
LIMIT = 4.0
MOVES = [
    Moves(2, n_scans=1, n_splits=2),
    Moves(3, n_scans=1, n_splits=2),
    Moves(8, n_auxiliary=2, n_scans=1, n_splits=2),
]
each_sharing = pytest.mark.parametrize("shared", [False, True], ids=["type per item", "shared"])


def draw_partitions(rng, n):
    """Seat items one after the other at the tables of a restaurant, n times."""
    labels, n_clusters = np.zeros((n, N_ITEMS), dtype=np.intp), np.ones(n, dtype=np.intp)
    for item in range(1, N_ITEMS):
        fresh = rng.random(n) * (MODEL.alpha + item) < MODEL.alpha
        copied = labels[np.arange(n), rng.integers(item, size=n)]
        labels[:, item] = np.where(fresh, n_clusters, copied)
        n_clusters += fresh
    return labels


def draw_kinds(rng, labels, shared):
    """Draw types of items, or of the clusters that they are in; one row per partition."""
    kinds = (rng.random((len(labels), N_SLOTS)) < MODEL.shares[1]).astype(np.intp)
    return kinds[np.arange(len(labels))[:, None], labels] if shared else kinds[:, :N_ITEMS]


def draw_items(rng, labels, kinds):
    """Draw a mean and the probabilities of values for each cluster, then vectors and values."""
    n, rows = len(labels), np.arange(len(labels))[:, None]
    means = (rng.normal(size=(n, N_SLOTS, 2)) / np.sqrt(MODEL.tau))[rows, labels]
    vectors = means + rng.normal(size=means.shape) / np.sqrt(MODEL.precisions[kinds])
    ones = rng.beta(*MODEL.pseudo[0][::-1], size=(n, N_SLOTS))[rows, labels]
    return vectors, (rng.random(ones.shape) < ones).astype(np.intp)


def functions(labels, kinds, vectors, values):
    """Return the functions whose means are compared, one row per draw, one column per function."""
    together = labels[:, :, None] == labels[:, None, :]
    sizes = together.sum(axis=2)
    largest = sizes.max(axis=1)
    n_clusters = (1 / sizes).sum(axis=1)
    squares = np.log1p(vectors**2)
    apart = np.log1p((vectors[:, 0] - vectors[:, 1]) ** 2)
    columns = [
        n_clusters,
        n_clusters**2,
        largest,
        (largest == N_ITEMS) + 0.0,
        (sizes == 1).sum(axis=1),
        together[:, 0, 1],
        together[:, 2, 5],
        together[:, 0, 1] & together[:, 1, 3],
        (kinds == 0).mean(axis=1),
        (kinds[:, 0] == kinds[:, 1]) & together[:, 0, 1],
        values.mean(axis=1),
        (values[:, 0] == values[:, 1]) & together[:, 0, 1],
        *squares.mean(axis=1).T,
        *apart.T,
        apart[:, 0] * together[:, 0, 1],
        squares[:, :, 1].mean(axis=1) * n_clusters,
        squares[:, 0, 0] * (kinds[:, 0] == 0),
    ]
    return np.stack([np.asarray(column, dtype=float) for column in columns], axis=1)


@cache
def forward(shared):
    """The means of the functions and their variance, drawn from the prior."""
    rng = np.random.default_rng(7)
    labels = draw_partitions(rng, N_FORWARD)
    kinds = draw_kinds(rng, labels, shared)
    values = functions(labels, kinds, *draw_items(rng, labels, kinds))
    return values.mean(axis=0), values.var(axis=0) / N_FORWARD


def successive(moves, model, distances=False):
    """Alternate one sweep and a new draw of the items; return the functions after each draw."""
    rng, mixture = np.random.default_rng(5), model.mixture
    labels = draw_partitions(rng, 1)
    kinds = draw_kinds(rng, labels, model.shared)
    state = as_state(labels[0], kinds[0], N_SLOTS, mixture)
    draws = []
    for _ in range(N_SWEEPS):
        if model.shared:
            kinds = draw_kinds(rng, labels, shared=True)
        vectors, values = draw_items(rng, labels, kinds)
        draws.append((labels, kinds, vectors, values))
        items = of_vectors(vectors[0], values.T)
        observed = (of_distances(items) if distances else items).observed(model)
        state.progress[:] = 0
        Chain(observed, mixture, moves, Schedule(0, 1, 1), state, rng).advance(1)
        labels, kinds = state.labels[None].copy(), state.types[None].copy()
    return functions(*(np.concatenate(column) for column in zip(*draws, strict=True)))


def z_scores(values, shared):
    """Return the distances of the means from those of the prior, in standard errors by batches."""
    means, variances = forward(shared)
    batches = values.reshape(N_BATCHES, -1, values.shape[1]).mean(axis=1)
    errors = np.sqrt(batches.var(axis=0, ddof=1) / N_BATCHES + variances)
    return (batches.mean(axis=0) - means) / errors


@each_sharing
@pytest.mark.parametrize("moves", MOVES, ids=repr)
def test_sweeps_keep_the_joint_distribution(moves, shared):
    values = successive(moves, MODEL._replace(shared=shared))
    assert np.abs(z_scores(values, shared)).max() < LIMIT


def test_sweeps_over_distances_keep_the_joint_distribution():
    values = successive(MOVES[1], MODEL, distances=True)
    assert np.abs(z_scores(values, shared=False)).max() < LIMIT


def test_a_wrong_concentration_is_found_out():
    values = successive(MOVES[0], MODEL._replace(alpha=1.3 * MODEL.alpha))
    assert np.abs(z_scores(values, shared=False)).max() > LIMIT
