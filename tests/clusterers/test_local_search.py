"""Local search: what it promises, on both of its landscapes."""

import numpy as np
import pytest

from coterie.clusterers import Greedy, LocalSearch, _landscapes, _pieces
from coterie.clusterers._landscapes import DenseLandscape, landscape
from coterie.exceptions import InputError, PairError
from coterie.objectives import Correlation
from coterie.pairs import PairScores
from coterie.partition import Partition
from tests.clusterers.instances import (
    best_value,
    keeps_apart,
    make_apart,
    make_listed,
    make_scores,
    small_instances,
)


@pytest.fixture(params=["full matrix", "listed pairs"])
def form(request, monkeypatch):
    """Make every set go through one of the two forms."""
    share = 0.0 if request.param == "full matrix" else np.inf
    monkeypatch.setattr(_landscapes, "DENSE_SHARE", share)
    return request.param


@pytest.mark.usefixtures("form")
def test_small_sets_are_solved_almost_always():
    n_solved = 0
    instances = list(small_instances(150, seed=1))
    for scores in instances:
        solution, best = LocalSearch().solve(scores), best_value(scores)
        assert keeps_apart(solution.partition, scores)
        assert solution.value <= best + 1e-9
        n_solved += solution.value >= best - 1e-9
    assert n_solved >= 0.99 * len(instances)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("sweeps", [0, 5])
@pytest.mark.parametrize("kind", ["noise", "planted", "ties"])
def test_never_worse_than_its_start(rng, kind, sweeps):
    for n_items in (2, 10, 40):
        scores = make_listed(rng, n_items, kind, share=0.5)
        start = Partition(rng.integers(4, size=n_items))
        value = Correlation().value(start, scores)
        assert LocalSearch(start=start, sweeps=sweeps).solve(scores).value >= value
        greedy = Greedy().solve(scores).value
        assert LocalSearch(sweeps=sweeps).solve(scores).value >= greedy


@pytest.mark.usefixtures("form")
def test_no_move_of_one_item_gains(rng):
    for kind in ("noise", "planted"):
        scores = make_listed(rng, 40, kind, share=0.5)
        partition, matrix = LocalSearch(sweeps=3)(scores), scores.to_matrix()
        together = matrix @ np.eye(40)[partition.labels][:, : partition.n_clusters]
        current = together[np.arange(40), partition.labels]
        assert np.all(np.maximum(together.max(axis=1), 0) <= current + 1e-9)


def test_both_landscapes_sum_alike(rng, monkeypatch):
    scores = make_listed(rng, 30, "noise")
    dense = landscape(scores)
    monkeypatch.setattr(_landscapes, "DENSE_SHARE", np.inf)
    sparse = landscape(scores)
    assert isinstance(dense, DenseLandscape) != isinstance(sparse, DenseLandscape)
    labels = Partition(rng.integers(6, size=30)).labels
    value = Correlation().value(Partition(labels), scores)
    assert dense.value(labels) == pytest.approx(value)
    assert sparse.value(labels) == pytest.approx(value)
    joined = Partition(rng.integers(3, size=6)).labels
    expected = Correlation().value(Partition(joined[labels]), scores) - value
    assert dense.contract(labels, 6).value(joined) == pytest.approx(expected)
    assert sparse.contract(labels, 6).value(joined) == pytest.approx(expected)


@pytest.mark.usefixtures("form")
def test_kicks_find_what_moves_do_not(rng):
    scores = make_scores(rng, 120, "noise")
    assert LocalSearch(sweeps=30).solve(scores).value > LocalSearch(sweeps=0).solve(scores).value


def test_runs_repeat_and_threads_change_nothing(rng, monkeypatch):
    blocks = [make_scores(rng, 70, "noise") for _ in range(3)]
    pairs = np.concatenate([70 * k + block.pairs for k, block in enumerate(blocks)])
    scores = PairScores(210, pairs, np.concatenate([block.scores for block in blocks]))
    search = LocalSearch(sweeps=2, random_state=4)
    once = search(scores)
    assert search(scores) == once
    monkeypatch.setattr(_pieces, "PARALLEL_PAIRS", 0)
    assert search(scores) == once


def test_a_start_that_does_not_fit_is_refused(rng):
    scores = make_apart(rng, make_scores(rng, 5, "noise"), n_apart=1)
    with pytest.raises(InputError, match="covers 3 items"):
        LocalSearch(start=Partition([0, 0, 1]))(scores)
    with pytest.raises(PairError, match="the start has both items of a cannot-link pair"):
        LocalSearch(start=Partition([0] * 5))(scores)
    with pytest.raises(InputError, match="give a Partition"):
        LocalSearch(start=[0, 1])


def test_components_that_share_a_piece_are_not_joined(rng):
    """Sets of many small components, whose pairs between them are worse than nothing."""
    for number in range(150):
        n_items = int(rng.integers(8, 40))
        plain = make_scores(rng, n_items, "noise")
        scores = PairScores(n_items, None, plain.scores - 1.5)
        greedy = Greedy().solve(scores)
        assert LocalSearch().solve(scores).value >= greedy.value - 1e-9, number
        assert LocalSearch(start=greedy.partition).solve(scores).value >= greedy.value - 1e-9
        banned = make_apart(rng, scores, n_apart=6)
        assert keeps_apart(LocalSearch()(banned), banned)


def test_scores_that_only_forbid_do_not_hide_the_others(rng):
    plain = make_scores(rng, 60, "noise")
    values = plain.scores.copy()
    forbidden = rng.permutation(len(values))[:20]
    values[forbidden] = -1e13
    apart = PairScores(60, None, plain.scores, apart=plain.pairs[forbidden])
    partition = LocalSearch()(PairScores(60, None, values))
    assert keeps_apart(partition, apart)
    assert Correlation().value(partition, plain) == LocalSearch().solve(apart).value
