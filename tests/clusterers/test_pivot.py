"""Random pivots against the rule written out and the published guarantee."""

import itertools

import numpy as np
import pytest

from coterie import PairScores, Partition
from coterie._kernels.correlation.pivot import condensed_pivots, listed_pivots, positive_neighbours
from coterie.clusterers.pivot import Pivot
from coterie.exceptions import InputError, PairError
from tests.partitions import all_partitions


def textbook(scores, order):
    matrix, labels = scores.to_matrix(), {}
    for pivot in order:
        if pivot not in labels:
            members = [i for i in order if i not in labels and (i == pivot or matrix[i, pivot] > 0)]
            labels.update(dict.fromkeys(members, pivot))
    return Partition([labels[item] for item in range(len(matrix))])


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_the_rule(share, rng):
    for n_items in (1, 2, 7, 30):
        pairs = np.argwhere(np.triu(rng.random((n_items, n_items)) < share, 1))
        values = rng.integers(-1, 2, size=len(pairs)).astype(float)
        scores = PairScores(n_items, rng.permutation(pairs), values)
        order = np.random.default_rng(5).permutation(n_items)
        assert Pivot(random_state=5)(scores) == textbook(scores, order)


def test_all_pairs_are_never_listed(rng):
    scores = PairScores(30, None, rng.normal(size=435))
    partitions = [Pivot(random_state=seed)(scores) for seed in range(5)]
    assert "pairs" not in scores.__dict__
    order = rng.permutation(435)
    shuffled = PairScores(30, scores.pairs[order], scores.scores[order])
    assert partitions == [Pivot(random_state=seed)(shuffled) for seed in range(5)]
    assert len(set(partitions)) > 1


def disagreements(signs, labels):
    return int(np.sum((signs > 0) != Partition(labels).together()))


@pytest.mark.parametrize("n_items", [4, 5, 6])
def test_on_signs_the_mean_of_all_orders_is_at_most_three_times_the_best(n_items, rng):
    """Ailon, Charikar & Newman 2008, with the mean taken over every order of the items."""
    n_pairs = n_items * (n_items - 1) // 2
    orders = np.array(list(itertools.permutations(range(n_items))), dtype=np.intp)
    ratios = []
    for share in (0.3, 0.5, 0.7, 0.7, 0.8):
        signs = np.where(rng.random(n_pairs) < share, 1.0, -1.0)
        signs.setflags(write=False)
        best = min(disagreements(signs, labels) for labels in all_partitions(n_items))
        costs = [disagreements(signs, condensed_pivots(n_items, signs, o)) for o in orders]
        assert np.mean(costs) <= 3 * best
        ratios.append(np.mean(costs) / max(best, 1))
    assert max(ratios) > 1


def test_the_guarantee_holds_over_seeds_too(rng):
    signs = np.where(rng.random(21) < 0.6, 1.0, -1.0)
    scores = PairScores(7, None, signs)
    best = min(disagreements(signs, labels) for labels in all_partitions(7))
    costs = [disagreements(signs, Pivot(random_state=s)(scores).labels) for s in range(300)]
    assert 0 < best <= np.mean(costs) <= 3 * best


def test_more_orders_are_never_worse(rng):
    scores = PairScores(25, None, rng.normal(size=300))
    values = [Pivot(n_init=n_init).solve(scores).value for n_init in range(1, 30)]
    assert np.all(np.diff(values) >= 0)
    assert values[-1] > values[0]
    rng = np.random.default_rng(0)
    tried = [textbook(scores, rng.permutation(25)) for _ in range(29)]
    assert values[-1] == max(Pivot().objective.value(partition, scores) for partition in tried)


def test_neighbours_are_those_of_positive_pairs():
    scores = PairScores(4, [(0, 2), (1, 2), (2, 3)], [1.0, 0.0, 2.0])
    starts, neighbours = positive_neighbours(4, scores.listed, scores.scores)
    assert starts.tolist() == [0, 1, 1, 3, 4]
    assert neighbours.tolist() == [2, 0, 3, 2]
    assert listed_pivots(starts, neighbours, np.array([1, 3, 0, 2])).tolist() == [0, 1, 3, 3]


def test_what_it_cannot_do_is_refused():
    with pytest.raises(PairError, match="Pivot does not support cannot-link pairs"):
        Pivot()(PairScores(2, None, [1.0], apart=[(0, 1)]))
    with pytest.raises(InputError, match="n_init is 0"):
        Pivot(n_init=0)
    with pytest.raises(InputError, match="random_state"):
        Pivot(random_state=None)
