"""Chains over partitions: their posterior against enumeration, their sums, their slots."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie._kernels.dirichlet.clusters import (
    as_state,
    open_cluster,
    rebuild,
    retire,
    sum_distances,
)
from coterie._kernels.dirichlet.densities import log_joint, weigh
from coterie.dirichlet.chains import Chain, Moves, Schedule, initial_labels, run_chains, start_chain
from tests.dirichlet import enumeration
from tests.dirichlet.enumeration import Items, Model, canonical, of_distances, of_vectors
from tests.partitions import all_partitions

PRECISIONS = np.array([[2.0, 1.0], [0.5, 6.0]])
SHARES = np.array([0.3, 0.7])
TAU = np.array([0.5, 0.25])
PSEUDO = (np.array([0.4, 1.1]), np.array([0.8, 0.5, 0.2]))
ONE_CLUSTER, SINGLETONS = 0, 1
"""The numbers of chains that start there."""


def model_of(shared, alpha=1.3, pseudo=PSEUDO):
    return Model(PRECISIONS, SHARES, TAU, alpha, shared, pseudo)


def vectors_of(n_items, seed=0):
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(len(pseudo), size=n_items) for pseudo in PSEUDO])
    return of_vectors(rng.normal(size=(n_items, 2)) * 1.5, values)


def distances_of(n_items, seed=0):
    """Items whose squared distances are those of no points, nor of any metric."""
    rng = np.random.default_rng(seed)
    squares = rng.exponential(size=(n_items, n_items, 2)) * 4
    squares = np.triu(squares.transpose(2, 0, 1), 1)
    squares = np.ascontiguousarray((squares + squares.transpose(0, 2, 1)).transpose(1, 2, 0))
    return Items(
        None, squares, rng.exponential(size=(n_items, 2)) * 2, vectors_of(n_items, seed).values
    )


ITEMS = {
    "vectors": vectors_of,
    "Euclidean distances": lambda n, seed=0: of_distances(vectors_of(n, seed)),
    "distances": distances_of,
}
MOVES = {
    3: Moves(3),
    2: Moves(2),
    8: Moves(8, n_auxiliary=3),
}
each_sharing = pytest.mark.parametrize("shared", [False, True], ids=["type per item", "shared"])
each_kind = pytest.mark.parametrize("kind", ITEMS)


def chain_of(items, model, moves, schedule, number=ONE_CLUSTER, seed=0):
    return start_chain(number, items.observed(model), model.mixture, moves, schedule, seed)


def total_variation(model, items, moves, number, n_samples):
    """Return the total variation distance of a chain's samples from the enumerated posterior."""
    chain = chain_of(items, model, moves, Schedule(100, n_samples, 1), number)
    chain.advance(chain.schedule.n_sweeps)
    truth = enumeration.posterior(model, items)
    counts = Counter(canonical(labels) for labels in chain.labels.tolist())
    assert counts.keys() <= truth.keys()
    return 0.5 * sum(abs(truth[labels] - counts[labels] / n_samples) for labels in truth)


WALKS = [
    ("vectors", 3),
    ("vectors", 2),
    ("vectors", 8),
    ("Euclidean distances", 3),
    ("distances", 3),
]


@each_sharing
@pytest.mark.parametrize("n_splits", [0, 2])
@pytest.mark.parametrize(("kind", "algorithm"), WALKS)
def test_chains_have_the_enumerated_posterior(kind, algorithm, n_splits, shared):
    moves = MOVES[algorithm]._replace(n_scans=n_splits // 2, n_splits=n_splits)
    number = SINGLETONS if n_splits else ONE_CLUSTER
    model, items = model_of(shared), ITEMS[kind](4)
    assert total_variation(model, items, moves, number, 12_000) < 0.02


@pytest.mark.parametrize("number", [ONE_CLUSTER, SINGLETONS])
@pytest.mark.parametrize("algorithm", MOVES)
def test_chains_over_six_items_have_the_enumerated_posterior(algorithm, number):
    moves = MOVES[algorithm]._replace(n_splits=number)
    model, spread = model_of(number == SINGLETONS, alpha=0.4), vectors_of(6, seed=4)
    items = of_vectors(2 * spread.vectors, spread.values)  # fewer partitions to tell apart
    assert total_variation(model, items, moves, number, 40_000) < 0.02


def test_chains_without_categorical_dimensions_have_the_enumerated_posterior():
    model = model_of(shared=False, pseudo=())
    items = vectors_of(4)._replace(values=np.empty((4, 0), dtype=int))
    assert total_variation(model, items, MOVES[2], ONE_CLUSTER, 12_000) < 0.02


def test_a_chain_with_a_wrong_concentration_is_found_out():
    model, items = model_of(shared=False), vectors_of(4)
    chain = chain_of(items, model, MOVES[3], Schedule(100, 12_000, 1))
    chain.advance(chain.schedule.n_sweeps)
    counts = Counter(canonical(labels) for labels in chain.labels.tolist())
    wrong = enumeration.posterior(model._replace(alpha=1.3 * model.alpha), items)
    assert 0.5 * sum(abs(wrong[labels] - counts[labels] / 12_000) for labels in wrong) > 0.02


# The log joint and its increments.


def built(items, model, labels, kinds, n_slots=None):
    n_slots = max(labels, default=-1) + 2 if n_slots is None else n_slots
    state = as_state(np.array(labels, dtype=np.intp), np.array(kinds), n_slots, model.mixture)
    rebuild(state, items.observed(model), model.mixture)
    return state


@each_sharing
@each_kind
def test_log_joints_are_those_of_the_plain_twin(kind, shared):
    model, items = model_of(shared), ITEMS[kind](5)
    rng = np.random.default_rng(1)
    for labels in all_partitions(5):
        kinds = rng.integers(2, size=5)
        state = built(items, model, labels, kinds)
        actual = log_joint(state, model.mixture, items.vectors is not None)
        item_types = None if shared else kinds
        assert_allclose(actual, enumeration.log_joint(model, items, labels, item_types), rtol=1e-10)


@each_sharing
@each_kind
def test_weights_of_an_item_are_differences_of_the_log_joint(kind, shared):
    model, items = model_of(shared), ITEMS[kind](4, seed=2)
    mixture, observed = model.mixture, items.observed(model)
    rng = np.random.default_rng(2)
    for labels in all_partitions(3):
        kinds = rng.integers(2, size=3)
        state = built(items.take(np.arange(3)), model, labels, kinds)
        slots, logs = state.active[: max(labels) + 2], np.empty(2 * (max(labels) + 2))
        sum_distances(state, observed, mixture, 3)
        weigh(state, observed, mixture, 3, slots, logs)
        logs = logs.reshape(-1, 2)
        item_types = None if shared else kinds
        before = enumeration.log_joint(model, items.take(np.arange(3)), labels, item_types)
        for label, slot in enumerate(slots):
            by_type = [(None, np.logaddexp(*logs[label]))] if shared else enumerate(logs[label])
            for kind_of_it, log in by_type:
                now = None if shared else [*kinds, kind_of_it]
                share = 0.0 if shared else np.log(SHARES[kind_of_it])
                gain = enumeration.log_joint(model, items, [*labels, label], now) - before
                weight = state.log_sizes[slot] + share + log - np.log(model.alpha + 3)
                assert_allclose(weight, gain, rtol=1e-9, atol=1e-9)


@each_sharing
@pytest.mark.parametrize("algorithm", MOVES)
def test_the_log_joint_of_a_sample_is_that_of_its_labels(algorithm, shared):
    model, items = model_of(shared), vectors_of(8)
    moves = MOVES[algorithm]._replace(n_scans=1, n_splits=2)
    for n_samples in range(1, 30):
        chain = chain_of(items, model, moves, Schedule(5, n_samples, 1), SINGLETONS)
        chain.advance(chain.schedule.n_sweeps)
        item_types = None if shared else chain.state.types
        last = enumeration.log_joint(model, items, canonical(chain.labels[-1].tolist()), item_types)
        assert_allclose(chain.log_joint[-1], last, rtol=1e-9)


@each_sharing
def test_distances_of_vectors_walk_like_the_vectors(shared):
    model, items = model_of(shared), vectors_of(20)
    moves, schedule = Moves(3, n_scans=1, n_splits=2), Schedule(0, 200, 1)
    chains = [chain_of(data, model, moves, schedule, 2) for data in (items, of_distances(items))]
    for chain in chains:
        chain.advance(200)
    assert_array_equal(chains[0].labels, chains[1].labels)
    assert_allclose(chains[0].log_joint, chains[1].log_joint, rtol=1e-9)
    assert len({canonical(labels) for labels in chains[0].labels.tolist()}) > 50


# Slots, schedules and chains.


@each_sharing
@pytest.mark.parametrize(("kind", "algorithm"), WALKS)
def test_the_number_of_slots_does_not_change_a_walk(kind, algorithm, shared):
    model, items = model_of(shared, alpha=3.0), ITEMS[kind](20)
    moves = MOVES[algorithm]._replace(n_scans=1, n_splits=2)
    chains = []
    for n_slots in (2, 200):
        state = built(items, model, [0] * 20, [0] * 20, n_slots)
        rng, schedule = np.random.default_rng(0), Schedule(0, 50, 1)
        chain = Chain(items.observed(model), model.mixture, moves, schedule, state, rng)
        chain.advance(50)
        chains.append(chain)
    few, many = chains
    assert 2 < len(few.state.sizes) < len(many.state.sizes) == 200
    assert_array_equal(few.labels, many.labels)
    assert_array_equal(few.log_joint, many.log_joint)


def assert_sound(state, n_items):
    """Slots are listed once, and clusters are the slots of items."""
    n_slots, n_clusters = len(state.sizes), state.n_clusters[0]
    assert_array_equal(state.positions[state.active], np.arange(n_slots))
    sizes = np.bincount(state.labels, minlength=n_slots)
    assert_array_equal(np.sort(state.active[:n_clusters]), np.flatnonzero(sizes))
    assert_array_equal(state.sizes[state.active[:n_clusters]], sizes[state.active[:n_clusters]])
    assert state.sizes[state.active[n_clusters]] == 0
    assert sizes.sum() == n_items


@each_sharing
@pytest.mark.parametrize(("kind", "algorithm"), WALKS)
def test_states_stay_sound_and_their_sums_what_items_give(kind, algorithm, shared):
    model, items = model_of(shared), ITEMS[kind](12)
    moves = MOVES[algorithm]._replace(n_scans=1, n_splits=3)
    chain = chain_of(items, model, moves, Schedule(0, 40, 1), SINGLETONS)
    for until in range(1, 41):
        chain.advance(until)
        assert_sound(chain.state, 12)
        labels = canonical(chain.state.labels.tolist())
        fresh = built(items, model, labels, chain.state.types)
        where = chain.state.labels[[labels.index(k) for k in range(max(labels) + 1)]]
        for name in ("p", "q", "r", "counts", "log_sizes"):
            actual, expected = getattr(chain.state, name), getattr(fresh, name)
            assert_allclose(actual[where], expected[: len(where)], rtol=1e-9, atol=1e-9)


def test_slots_come_and_go():
    model, rng = model_of(shared=False), np.random.default_rng(0)
    state = built(vectors_of(0), model, [], [], 12)
    open_slots = []
    for _ in range(300):
        if open_slots and (len(open_slots) == 10 or rng.random() < 0.5):
            slot = open_slots.pop(rng.integers(len(open_slots)))
            retire(state, model.mixture, True, slot)
            assert state.active[state.n_clusters[0]] == slot
        else:
            ready = state.active[state.n_clusters[0]]
            assert state.sizes[ready] == 0
            open_slots.append(open_cluster(state, model.mixture, True))
            assert open_slots[-1] == ready
        assert_array_equal(state.positions[state.active], np.arange(12))
        assert set(state.active[: state.n_clusters[0]]) == set(open_slots)


@each_kind
@each_sharing
@pytest.mark.parametrize("n_items", [0, 1])
def test_no_items_and_one_have_one_partition(kind, n_items, shared):
    model, items = model_of(shared), ITEMS[kind](n_items)
    for algorithm in (3,) if items.vectors is None else MOVES:
        moves = MOVES[algorithm]._replace(n_scans=1, n_splits=2)
        for number in range(3):
            chain = chain_of(items, model, moves, Schedule(2, 5, 2), number)
            chain.advance(chain.schedule.n_sweeps)
            assert chain.labels.shape == (5, n_items)
            assert chain.state.n_clusters[0] == n_items
            if shared or not n_items:
                joint = enumeration.log_joint(model, items, [0]) if n_items else 0.0
                assert_allclose(chain.log_joint, joint, rtol=1e-12)


def test_chains_start_together_apart_and_between():
    rng = np.random.default_rng(0)
    starts = [initial_labels(number, 100, rng) for number in range(4)]
    assert [len(set(labels.tolist())) for labels in starts] == [1, 100, 10, 1]
    assert all(canonical(labels.tolist()) == tuple(labels) for labels in starts)


def test_a_schedule_keeps_samples_at_its_spacing_after_the_burn_in():
    model, items = model_of(shared=False), vectors_of(10)
    dense = chain_of(items, model, MOVES[2], Schedule(0, 37, 1))
    thinned = chain_of(items, model, MOVES[2], Schedule(7, 10, 3))
    dense.advance(37)
    for until in (1, 2, 9, 30, 37):
        thinned.advance(until)
    assert_array_equal(thinned.labels, dense.labels[9::3])
    assert_array_equal(thinned.log_joint, dense.log_joint[9::3])


@pytest.mark.parametrize("algorithm", MOVES)
def test_neither_workers_nor_order_change_chains(algorithm):
    model, items = model_of(shared=False), vectors_of(30)
    moves = MOVES[algorithm]._replace(n_scans=1, n_splits=2)

    def chains(numbers, n_jobs):
        walks = [chain_of(items, model, moves, Schedule(4, 12, 1), n, seed=5) for n in numbers]
        run_chains(walks, 16, n_jobs, "walk")
        return dict(zip(numbers, walks, strict=True))

    alone = chains([0, 1, 2, 3], 1)
    for reruns in (chains([0, 1, 2, 3], 2), chains([3, 1, 0, 2], 2), chains([2], 1)):
        for number, chain in reruns.items():
            assert_array_equal(chain.labels, alone[number].labels)
            assert_array_equal(chain.log_joint, alone[number].log_joint)
    assert not np.array_equal(alone[0].labels, alone[3].labels)
