"""Sampling of reference types against plain NumPy, exact sums and types that are known."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from coterie._kernels.dirichlet import repulsion as repelled
from coterie._kernels.dirichlet import types as common
from coterie._kernels.dirichlet import types_distances as by_distances
from coterie._kernels.dirichlet import types_vectors as by_vectors
from coterie.dirichlet.training import (
    MIN_GAP_SHARE,
    make_base,
    mean_gaps,
    prepare_distance_training,
    prepare_vector_training,
)
from coterie.exceptions import InputError

LABELS = [np.array([1, 0, 1, 0, 0]), np.array([2, 2, 0, 1])]
CASES = [(shared, repulsion) for shared in (False, True) for repulsion in (False, True)]


def make_sets(rng, n_dims=2):
    return [2.0 * rng.normal(size=(len(labels), n_dims)) for labels in LABELS]


def random_base(rng, n_dims=2):
    return make_base(rng.uniform(0.2, 1, n_dims), 1.3, rng.uniform(0.5, 2, n_dims))


def make_squares(matrices):
    """Squared city-block-like distances of points, that no Euclidean space has."""
    squares = [np.abs(x[:, None] - x) ** 1.2 + (x[:, None] != x) for x in matrices]
    return squares, [np.abs(x) + 0.1 for x in matrices]


def make(kind, rng, shared, repulsion):
    matrices, base = make_sets(rng), random_base(rng)
    options = {"shared": shared, "repulsion": repulsion}
    if kind == "vectors":
        return prepare_vector_training(matrices, LABELS, base, **options), matrices
    squares, origins = make_squares(matrices)
    return prepare_distance_training(squares, origins, LABELS, base, **options), (squares, origins)


def types_of_items(state, shared):
    """Return the precisions of the items of each set; units are sorted by set and cluster."""
    precisions, unit, types = state.precisions[state.of_unit], 0, []
    for labels in LABELS:
        set_types = np.empty((len(labels), precisions.shape[1]))
        for label in np.unique(labels):
            members = np.flatnonzero(labels == label)
            for item in members:
                set_types[item] = precisions[unit]
                unit += not shared
            unit += shared
        types.append(set_types)
    return types


def plain_log_prior(base, state):
    n_types, alpha = state.n_types[0], state.alpha[0]
    total = stats.expon.logpdf(alpha) + n_types * np.log(alpha)
    total -= np.log(alpha + np.arange(len(state.of_unit))).sum()
    total += special.gammaln(state.counts[:n_types]).sum()
    gammas = stats.gamma(base.shape, scale=1 / base.rate)
    return total + gammas.logpdf(state.precisions[:n_types]).sum()


def plain_log_repulsion(precisions, gaps):
    return -sum(1 / np.sqrt(precisions @ gap) for gap in gaps)


def plain_log_joint_vectors(base, state, matrices, shared, repulsion):
    total, first, gaps = plain_log_prior(base, state), 0, []
    types = types_of_items(state, shared)
    for matrix, labels, set_types in zip(matrices, LABELS, types, strict=True):
        means = state.means[first : first + labels.max() + 1]
        first += len(means)
        gaps += [(means[i] - means[j]) ** 2 for i in range(len(means)) for j in range(i)]
        total += stats.norm(0, base.tau0**-0.5).logpdf(means).sum()
        total += stats.norm(means[labels], set_types**-0.5).logpdf(matrix).sum()
    if repulsion:
        total += sum(plain_log_repulsion(t, gaps) for set_types in types for t in set_types)
    return total


def plain_log_marginal(square, origin, weights, tau0):
    """Return the log marginal of the items of one cluster in one dimension."""
    total = tau0 + weights.sum()
    spread = 0.5 * weights @ square @ weights + tau0 * weights @ origin
    logs = np.log(tau0) - np.log(total) + np.log(weights / (2 * np.pi)).sum()
    return 0.5 * (logs - spread / total)


def plain_log_joint_distances(base, state, data, shared, repulsion):
    total, gaps = plain_log_prior(base, state), []
    types = types_of_items(state, shared)
    for square, origin, labels, set_types in zip(*data, LABELS, types, strict=True):
        clusters = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        gaps += list(mean_gaps(square, clusters))
        for members in clusters:
            for dim in range(len(base.rate)):
                block = square[np.ix_(members, members)][:, :, dim]
                parts = block, origin[members, dim], set_types[members, dim], base.tau0[dim]
                total += plain_log_marginal(*parts)
    gaps = np.maximum(gaps, MIN_GAP_SHARE * np.mean(gaps, axis=0))
    if repulsion:
        total += sum(plain_log_repulsion(t, gaps) for set_types in types for t in set_types)
    return total


@pytest.mark.parametrize(("shared", "repulsion"), CASES)
@pytest.mark.parametrize("kind", ["vectors", "distances"])
def test_the_log_joint_is_that_of_plain_numpy(kind, shared, repulsion, rng):
    training, data = make(kind, rng, shared, repulsion)
    plain = {"vectors": plain_log_joint_vectors, "distances": plain_log_joint_distances}[kind]
    state = training.start(rng, 3)
    for _ in range(5):
        training.advance(state, rng, 1)
        expected = plain(training.base, state, data, shared, repulsion)
        sample = training.sample(state)
        assert sample.log_joint == pytest.approx(expected, rel=1e-10)
        assert sample.sizes.tolist() == np.bincount(state.of_unit).tolist()
        assert sample.alpha == state.alpha[0]


def test_euclidean_distances_give_the_marginal_of_vectors(rng):
    points, weights, tau0 = rng.normal(size=4), rng.gamma(2.0, size=4), 0.3
    covariance = np.diag(1 / weights) + 1 / tau0
    expected = stats.multivariate_normal(np.zeros(4), covariance).logpdf(points)
    square = (points[:, None] - points) ** 2
    assert plain_log_marginal(square, points**2, weights, tau0) == pytest.approx(expected)


def move(state, unit, kind):
    """Give a unit another of the types in use, which all stay in use."""
    state.counts[state.of_unit[unit]] -= 1
    state.counts[kind] += 1
    state.of_unit[unit] = kind


def started(training, rng):
    """A state in which every type has at least two units, so that none ends when one leaves."""
    while True:
        state = training.start(rng, 2)
        if state.n_types[0] > 1 and state.counts[: state.n_types[0]].min() > 1:
            return state


def new_slots(n_slots=6, n_dims=2):
    return common.Slots(np.ones((n_slots, n_dims)), np.zeros(n_slots))


def vector_weights(training, state, unit):
    units = training.units
    squares, log_weights = np.empty(2), np.empty(state.n_types[0])
    by_vectors.refresh(units, state)
    cluster = np.searchsorted(units.starts, unit, side="right") - 1
    by_vectors.residuals(units, state, cluster, unit, squares)
    common.leave(state, unit, new_slots())
    by_vectors.weigh_types(squares, units.sizes[unit], state, log_weights)
    return log_weights


def distance_evidence(training, state, unit):
    units = training.units
    by_distances.refresh(units, state)
    cluster = np.searchsorted(units.starts, unit, side="right") - 1
    spread, evidence = np.empty(2), by_distances.Evidence(*np.empty((4, 2)))
    by_distances.measure_spread(cluster, units, training.base, state, spread)
    by_distances.gather_evidence(cluster, unit, units, training.base, state, spread, evidence)
    return evidence


def distance_weights(training, state, unit):
    evidence, size = distance_evidence(training, state, unit), training.units.sizes[unit]
    common.leave(state, unit, new_slots())
    kinds = range(state.n_types[0])
    likelihoods = [
        by_distances.log_likelihood(state.precisions[k], state.log_dets[k], size, evidence)
        for k in kinds
    ]
    counts = state.counts[: state.n_types[0]]
    return np.log(counts) + likelihoods + size * state.log_repulsions[: len(counts)]


@pytest.mark.parametrize(("shared", "repulsion"), CASES)
@pytest.mark.parametrize("kind", ["vectors", "distances"])
def test_the_weights_of_types_are_ratios_of_the_joint(kind, shared, repulsion, rng):
    training, _ = make(kind, rng, shared, repulsion)
    weights_of = {"vectors": vector_weights, "distances": distance_weights}[kind]
    state = started(training, rng)
    for unit in range(len(training.units.sizes)):
        before, joints = state.of_unit[unit], []
        for kind_of_unit in range(state.n_types[0]):
            move(state, unit, kind_of_unit)
            joints.append(training.sample(state).log_joint)
        move(state, unit, before)
        weights = weights_of(training, state, unit)
        state.counts[before] += 1
        state.of_unit[unit] = before
        assert weights - weights[0] == pytest.approx(np.array(joints) - joints[0], abs=1e-8)


def test_a_new_type_of_an_item_weighs_as_a_student_t(rng):
    base, offsets = random_base(rng, 4), rng.normal(size=4)
    student = stats.t(2 * base.shape, scale=np.sqrt(base.rate / base.shape))
    log_rates = np.log(base.rate).sum()
    actual = by_vectors.log_integral(offsets**2, 1.0, base.shape, base.rate, log_rates)
    assert actual - 2 * np.log(2 * np.pi) == pytest.approx(student.logpdf(offsets).sum())


@pytest.mark.parametrize("n_items", [1.0, 3.0])
def test_the_integral_of_a_cluster_is_that_of_quadrature(n_items, rng):
    base, square = random_base(rng, 1), 1.7

    def density(t):
        prior = stats.gamma(base.shape, scale=1 / base.rate[0]).pdf(t)
        return prior * t ** (n_items / 2) * np.exp(-t * square / 2)

    log_rates = np.log(base.rate).sum()
    actual = by_vectors.log_integral(np.array([square]), n_items, 1.3, base.rate, log_rates)
    assert np.exp(actual) == pytest.approx(integrate.quad(density, 0, np.inf)[0])


@pytest.mark.parametrize("shared", [False, True])
def test_the_importance_of_a_slot_is_base_over_proposal(shared, rng):
    training, _ = make("distances", rng, shared, repulsion=False)
    base, state, unit = training.base, training.start(rng, 2), 1
    evidence, size = distance_evidence(training, state, unit), training.units.sizes[unit]
    proposal = by_distances.Proposal(np.empty((2, 2)), np.empty((2, 2)), np.empty(2))
    by_distances.fit_proposal(size, evidence, base, proposal)
    shapes = base.shape + size / 2, base.shape + (size - 1) / 2
    gammas = [stats.gamma(s, scale=1 / proposal.rates[:, i]) for i, s in enumerate(shapes)]
    t = rng.gamma(1.0, size=2)
    mixture = proposal.first_shares * gammas[0].pdf(t) + (1 - proposal.first_shares) * gammas[
        1
    ].pdf(t)
    constant = (base.shape * np.log(base.rate) - special.gammaln(base.shape)).sum()
    expected = stats.gamma(base.shape, scale=1 / base.rate).logpdf(t) - np.log(mixture)
    actual = by_distances.log_importance(t, size, base, proposal) + constant
    assert actual == pytest.approx(expected.sum())


def test_a_proposal_has_the_weights_that_it_says(rng):
    proposal = by_distances.Proposal(np.array([[5.0, 0.1]]), np.zeros((1, 2)), np.array([0.3]))
    base, proposals = random_base(rng, 1), np.empty((20_000, 1))
    for row in proposals:
        by_distances.propose(rng, 1.0, base, proposal, row)
    expected = 0.3 * (base.shape + 0.5) / 5 + 0.7 * base.shape / 0.1
    assert proposals.mean() == pytest.approx(expected, rel=0.04)


def test_a_slice_has_the_density(rng):
    evidence, norms = np.array([[2.0], [0.5], [1.0], [2.0], [0.3]]), np.array([[0.2], [1.5]])
    parameters = 1.5, 0.7, evidence, 1, norms, 2.0
    draws, t = np.empty(20_000), 1.0
    for place in range(len(draws)):
        t = common.slice_precision(rng, t, *parameters)
        draws[place] = np.log(t)
    grid = np.linspace(-12, 8, 4001)
    total = 0.5 + 2 * np.exp(grid)
    spread = 1 + 2 * np.exp(grid) + 0.3 * np.exp(2 * grid)
    expected = 1.5 * grid - 0.7 * np.exp(grid) - 0.5 * (np.log(total) + spread / total)
    expected -= 2 / np.sqrt(0.2 + 1.5 * np.exp(grid))
    actual = [common.log_density(u, *parameters) for u in grid[::100]]
    assert actual == pytest.approx(expected[::100])
    cdf = np.cumsum(np.exp(expected - expected.max()))
    thinned = draws[::10]
    assert stats.kstest(thinned, lambda u: np.interp(u, grid, cdf / cdf[-1])).pvalue > 0.001


def test_the_bound_of_the_repulsion_is_one(rng):
    gaps, centre = rng.exponential(size=(20, 3)), rng.gamma(1.0, size=3)
    ceiling = repelled.Ceiling(np.empty(3), np.empty(1))
    repelled.fit_ceiling(centre, gaps, ceiling)
    for t in (centre, 3 * centre):
        assert repelled.bound_log_repulsion(t, ceiling) == pytest.approx(
            repelled.log_repulsion(t, gaps)
        )
    for t in rng.gamma(0.5, size=(100, 3)):
        exact = plain_log_repulsion(t, gaps)
        assert repelled.log_repulsion(t, gaps) == pytest.approx(exact)
        assert exact <= repelled.bound_log_repulsion(t, ceiling) < 0
    repelled.fit_ceiling(centre, gaps[:0], ceiling)
    assert repelled.bound_log_repulsion(centre, ceiling) == 0


def test_many_dimensions_do_not_hold_single_types_apart(rng):
    labels, kinds = rng.integers(4, size=60), rng.integers(2, size=60)
    matrix = 3 * rng.normal(size=(4, 200))[labels]
    matrix += rng.normal(size=(60, 200)) * np.array([1.0, 0.3])[kinds][:, None]
    base = make_base(np.full(200, 0.1), 1.0, np.full(200, 0.3))
    for repulsion in (False, True):
        training = prepare_vector_training([matrix], [labels], base, repulsion=repulsion)
        state = training.start(rng, 60)
        training.advance(state, rng, 20)
        assert sorted(training.sample(state).sizes) == sorted(np.bincount(kinds))


def test_chains_in_threads_are_those_in_turn(rng):
    training, _ = make("distances", rng, shared=False, repulsion=True)

    def run(seed):
        generator = np.random.default_rng(seed)
        state = training.start(generator, 2)
        training.advance(state, generator, 200)
        return training.sample(state)

    with ThreadPoolExecutor(4) as pool:
        for actual, expected in zip(pool.map(run, range(4)), map(run, range(4)), strict=True):
            assert actual.log_joint == expected.log_joint
            assert np.array_equal(actual.precisions, expected.precisions)


def test_gaps_are_squared_distances_of_means(rng):
    points = rng.normal(size=(6, 3))
    clusters = [np.array([0, 3]), np.array([1]), np.array([2, 4, 5])]
    means = np.array([points[members].mean(axis=0) for members in clusters])
    expected = [(means[i] - means[j]) ** 2 for i, j in [(0, 1), (0, 2), (1, 2)]]
    assert mean_gaps((points[:, None] - points) ** 2, clusters) == pytest.approx(np.array(expected))


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), shared=st.booleans(), repulsion=st.booleans())
def test_the_order_of_items_does_not_matter(seed, shared, repulsion):
    rng = np.random.default_rng(seed)
    matrices, base = make_sets(rng), random_base(rng)
    orders = [rng.permutation(len(labels)) for labels in LABELS]
    shuffled = [labels[order] for labels, order in zip(LABELS, orders, strict=True)]
    options = {"shared": shared, "repulsion": repulsion}
    squares, origins = make_squares(matrices)
    one = prepare_distance_training(squares, origins, LABELS, base, **options)
    moved = [x[order] for x, order in zip(matrices, orders, strict=True)]
    other = prepare_distance_training(*make_squares(moved), shuffled, base, **options)
    state = one.start(rng, 1)
    assert one.sample(state).log_joint == pytest.approx(other.sample(state).log_joint)


@pytest.mark.parametrize("kind", ["vectors", "distances"])
def test_numbers_below_one_are_refused(kind, rng):
    training, _ = make(kind, rng, shared=False, repulsion=False)
    with pytest.raises(InputError, match="n_types is 0; give a whole number of at least 1"):
        training.start(rng, 0)
    with pytest.raises(InputError, match="n_auxiliary is 0; give a whole number of at least 1"):
        type(training)(training.units, training.base, 0)
