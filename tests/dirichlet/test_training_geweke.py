"""Geweke's joint distribution test of the samplers of reference types.

The joint of parameters and data is drawn in two ways: forward from the prior, and by a chain that
makes one sweep of the sampler and then draws the data anew. Means of functions must agree.
"""

from functools import cache

import numpy as np
import pytest

from coterie._core.arrays import read_only
from coterie.dirichlet.training import make_base, prepare_distance_training, prepare_vector_training

N_DIMS = 2
LABELS = np.array([0, 0, 1, 1, 2])
STARTS = [0, 2, 4]
PAIRS = [0, 0, 1], [1, 2, 2]
BASE = make_base([0.4, 0.8], 2.5, [1.5, 1.0])
CASES = [(shared, repulsion) for shared in (False, True) for repulsion in (False, True)]
N_FORWARD, N_SWEEPS = 50_000, 6_000


def units_of_items(shared):
    return LABELS if shared else np.arange(len(LABELS))


def draw_forward(rng, n, shared):
    """Draw concentration, types of items, their precisions, means and items, n times."""
    n_units = units_of_items(shared)[-1] + 1
    alpha = rng.exponential(size=n)
    kinds, n_types = np.zeros((n, n_units), dtype=int), np.ones(n, dtype=int)
    for unit in range(1, n_units):
        fresh = rng.random(n) * (alpha + unit) < alpha
        copied = kinds[np.arange(n), rng.integers(unit, size=n)]
        kinds[:, unit] = np.where(fresh, n_types, copied)
        n_types += fresh
    bank = rng.gamma(BASE.shape, 1 / BASE.rate, size=(n, n_units, N_DIMS))
    types = np.take_along_axis(bank, kinds[:, :, None], axis=1)[:, units_of_items(shared)]
    means = rng.normal(size=(n, 3, N_DIMS)) / np.sqrt(BASE.tau0)
    items = means[:, LABELS] + rng.normal(size=types.shape) / np.sqrt(types)
    return alpha, n_types, types, means, items


def log_repulsion(types, centres):
    norms = np.einsum("...nf,...mf->...nm", types, squared_gaps(centres))
    return -(norms**-0.5).sum(axis=(-1, -2))


def squared_gaps(centres):
    return (centres[..., PAIRS[0], :] - centres[..., PAIRS[1], :]) ** 2


def centroids(items):
    return np.stack([items[..., members_of(k), :].mean(axis=-2) for k in range(3)], axis=-2)


def functions(alpha, n_types, types, items):
    """Return the functions whose means are compared, one column per function."""
    logs = np.log(types)
    apart = np.log((items[..., 0, :] - items[..., 1, :]) ** 2)
    same = (logs[..., [0, 0], 0] == logs[..., [1, 3], 0]) + 0.0
    columns = [
        np.log(alpha),
        alpha / (1 + alpha),
        n_types,
        *np.moveaxis(logs[..., 0, :], -1, 0),
        *np.moveaxis((types[..., -1, :]) ** 0.5, -1, 0),
        *np.moveaxis(same, -1, 0),
        *np.moveaxis(same * apart, -1, 0),
        *np.moveaxis(logs[..., 0, :] * apart, -1, 0),
        logs.mean(axis=-2)[..., 0] ** 2,
        np.log1p(items[..., 0, 0] ** 2),
        apart[..., 1],
        np.log1p((items[..., 0, 0] - items[..., 4, 0]) ** 2),
        n_types * logs[..., 2, 1],
    ]
    return np.stack([np.asarray(c, dtype=float) for c in columns], axis=-1)


@cache
def forward(kind, shared, repulsion):
    """Return means of the functions and their standard errors, by rejection, because R ≤ 1."""
    rng = np.random.default_rng(7)
    alpha, n_types, types, means, items = draw_forward(rng, N_FORWARD, shared)
    is_accepted = np.ones(N_FORWARD, dtype=bool)
    if repulsion:
        centres = means if kind == "vectors" else centroids(items)
        is_accepted = np.log(rng.random(N_FORWARD)) < log_repulsion(types, centres)
    values = functions(alpha, n_types, types, items)[is_accepted]
    return values.mean(axis=0), values.std(axis=0) / np.sqrt(len(values))


class Vectors:
    """The chain for vectors: items are drawn given the means, which the sampler has."""

    def __init__(self, shared, repulsion):
        self.shared = shared
        blank = np.zeros((len(LABELS), N_DIMS))
        options = {"shared": shared, "repulsion": repulsion}
        self.training = prepare_vector_training([blank], [LABELS], BASE, **options)
        units = self.training.units
        self.centres, self.scatters = np.zeros((2, *units.centres.shape))
        views = {"centres": read_only(self.centres), "scatters": read_only(self.scatters)}
        self.training = type(self.training)(units._replace(**views), BASE)

    def redraw(self, rng, state, types, items):
        items = state.means[LABELS] + rng.normal(size=types.shape) / np.sqrt(types)
        self.centres[:] = centroids(items) if self.shared else items
        if self.shared:
            squares = (items - self.centres[LABELS]) ** 2
            np.add.reduceat(squares, STARTS, axis=0, out=self.scatters)
        return items


class Distances:
    """The chain for Euclidean distances: items are drawn given new means, which are dropped."""

    def __init__(self, shared, repulsion):
        self.shared, self.repulsion = shared, repulsion
        blank = np.ones((len(LABELS), len(LABELS), N_DIMS))
        options = {"shared": shared, "repulsion": repulsion}
        arguments = [blank], [blank[0]], [LABELS], BASE
        self.training = prepare_distance_training(*arguments, **options)
        units = self.training.units
        self.squares, self.origins, self.gaps = map(np.copy, units[3:])
        views = [read_only(array) for array in (self.squares, self.origins, self.gaps)]
        self.training = type(self.training)(type(units)(*units[:3], *views), BASE)
        clusters = [members_of(cluster) for cluster in range(3)]
        self.pairs = np.array([(i, j) for members in clusters for i in members for j in members]).T

    def redraw(self, rng, state, types, items):
        draws = draw_items(rng, types)
        if self.repulsion and items is not None:
            gain = log_repulsion(types, centroids(draws)) - log_repulsion(types, centroids(items))
            draws = draws if np.log(rng.random()) < gain else items
        squares = (draws[self.pairs[0]] - draws[self.pairs[1]]) ** 2
        if self.shared:
            np.add.reduceat(squares / 2, [0, 4, 8], axis=0, out=self.squares)
            np.add.reduceat(draws**2, STARTS, axis=0, out=self.origins)
        else:
            self.squares[:], self.origins[:] = squares, draws**2
        if self.repulsion:
            self.gaps[:] = squared_gaps(centroids(draws))
        return draws


def members_of(cluster):
    return np.flatnonzero(cluster == LABELS)


def draw_items(rng, types):
    means = rng.normal(size=(3, N_DIMS)) / np.sqrt(BASE.tau0)
    return means[LABELS] + rng.normal(size=types.shape) / np.sqrt(types)


CHAINS = {"vectors": Vectors, "distances": Distances}


def successive(chain, rng, n_sweeps):
    """Return means of the functions along the chain, and their standard errors by batches."""
    units = units_of_items(chain.shared)
    state = chain.training.start(rng, 1)
    values, items = [], None
    for _ in range(n_sweeps):
        types = state.precisions[state.of_unit][units]
        items = chain.redraw(rng, state, types, items)
        chain.training.advance(state, rng, 1)
        types = state.precisions[state.of_unit][units]
        values.append((state.alpha[0], state.n_types[0], types, items))
    columns = functions(*map(np.array, zip(*values[n_sweeps // 20 :], strict=True)))
    batches = np.array([part.mean(axis=0) for part in np.array_split(columns, 40)])
    return columns.mean(axis=0), batches.std(axis=0, ddof=1) / np.sqrt(len(batches))


def z_scores(kind, chain_options, model_options, n_sweeps=N_SWEEPS):
    """Compare the chain of a sampler with forward draws from the supposed model."""
    means, error = successive(CHAINS[kind](*chain_options), np.random.default_rng(3), n_sweeps)
    expected, spread = forward(kind, *model_options)
    # A function may be constant: items of one cluster share their type.
    return (means - expected) / (np.hypot(error, spread) + 1e-12)


@pytest.mark.parametrize(("shared", "repulsion"), CASES)
@pytest.mark.parametrize("kind", ["vectors", "distances"])
def test_the_chain_has_the_joint_distribution(kind, shared, repulsion):
    assert np.abs(z_scores(kind, (shared, repulsion), (shared, repulsion))).max() < 4


@pytest.mark.parametrize("kind", ["vectors", "distances"])
def test_a_sampler_of_another_model_is_found_out(kind):
    assert np.abs(z_scores(kind, (False, False), (False, True))).max() > 8
    assert np.abs(z_scores(kind, (True, False), (False, False), n_sweeps=2000)).max() > 8


@pytest.mark.parametrize("kind", ["vectors", "distances"])
def test_a_sampler_with_a_wrong_half_is_found_out(kind):
    chain = CHAINS[kind](shared=False, repulsion=False)
    wrong = BASE._replace(shape=BASE.shape + 0.5)
    chain.training = type(chain.training)(chain.training.units, wrong)
    means, error = successive(chain, np.random.default_rng(3), 2000)
    expected, spread = forward(kind, shared=False, repulsion=False)
    assert np.abs((means - expected) / np.hypot(error, spread)).max() > 8
