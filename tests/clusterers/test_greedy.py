"""Greedy merging against a naive twin, between its own two kernels, and against a peer."""

import numpy as np
import pytest
from bioimage_cpp.graph import UndirectedGraph, multicut

from coterie.clusterers import Greedy, greedy
from coterie.exceptions import InputError
from coterie.losses import MitreLoss, PairLoss, TraceLoss
from coterie.metrics import b_cubed, mitre_loss
from coterie.objectives import Correlation
from coterie.pairs import PairScores
from coterie.partition import Partition
from tests.clusterers.instances import (
    best_value,
    keeps_apart,
    make_apart,
    make_listed,
    make_scores,
    naive_greedy,
    small_instances,
)

KINDS = ["noise", "planted", "ties"]


@pytest.fixture(params=["full matrix", "listed pairs"])
def kernel(request, monkeypatch):
    """Make listed sets go through one of the two kernels."""
    monkeypatch.setattr(greedy, "DENSE_SHARE", 0.0 if request.param == "full matrix" else np.inf)


@pytest.mark.parametrize("kind", KINDS)
def test_all_pairs_are_merged_as_by_trying_every_merge(rng, kind):
    for _ in range(60):
        scores = make_scores(rng, int(rng.integers(1, 9)), kind)
        assert Greedy()(scores) == naive_greedy(scores)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("kind", KINDS)
def test_listed_pairs_are_merged_as_by_trying_every_merge(rng, kind):
    for _ in range(60):
        scores = make_listed(rng, int(rng.integers(1, 9)), kind)
        assert greedy.greedy_labels(scores).tolist() == naive_greedy(scores).labels.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 1.0])
def test_both_kernels_give_the_same_partition(rng, monkeypatch, kind, share):
    scores = make_listed(rng, 150, kind, share)
    monkeypatch.setattr(greedy, "DENSE_SHARE", 0.0)
    full = Greedy()(scores)
    monkeypatch.setattr(greedy, "DENSE_SHARE", np.inf)
    with_absent_pairs = PairScores(
        151, scores.pairs, scores.scores
    )  # One item more: no longer all pairs.
    assert Greedy()(with_absent_pairs).labels[:-1].tolist() == full.labels.tolist()


def test_the_table_of_edges_is_made_anew_when_it_fills_up(rng, monkeypatch):
    """Merges that move many edges: all scores positive, one item after another is absorbed."""
    monkeypatch.setattr(greedy, "DENSE_SHARE", np.inf)
    pairs = np.array([(i, j) for i in range(60) for j in range(i + 1, 60)])[:-1]
    scores = rng.normal(0.5, 1.0, len(pairs))
    monkeypatch.setattr(greedy, "DENSE_SHARE", 0.0)
    expected = greedy.greedy_labels(PairScores(60, pairs, scores))
    monkeypatch.setattr(greedy, "DENSE_SHARE", np.inf)
    assert greedy.greedy_labels(PairScores(60, pairs, scores)).tolist() == expected.tolist()


@pytest.mark.parametrize(("n_items", "n_pairs"), [(30, 435), (200, 1000), (1000, 5000)])
def test_value_equals_that_of_a_peer(rng, n_items, n_pairs):
    """bioimage-cpp's greedy additive edge contraction, for distinct scores."""
    first, second = rng.integers(n_items, size=(2, 4 * n_pairs))
    keys = np.unique((first * n_items + second)[first < second])
    pairs = np.column_stack(np.divmod(rng.permutation(keys)[:n_pairs], n_items))
    scores = PairScores(n_items, pairs, rng.normal(size=len(pairs)))
    graph = UndirectedGraph.from_edges(n_items, pairs.astype(np.uint64))
    labels = multicut.GreedyAdditiveMulticut().optimize(
        multicut.MulticutObjective(graph, scores.scores)
    )
    expected = Correlation().value(Partition(labels.astype(np.int64)), scores)
    assert Greedy().solve(scores).value == pytest.approx(expected, rel=1e-12)


def test_apart_pairs_are_never_joined_and_nothing_else_changes():
    rng = np.random.default_rng(0)
    for plain in small_instances(200, seed=3):
        scores = make_apart(rng, plain)
        partition = Greedy()(scores)
        assert keeps_apart(partition, scores)
        assert partition == naive_greedy(scores)


def test_value_is_never_above_the_best():
    for scores in small_instances(100):
        solution = Greedy().solve(scores)
        assert solution.value <= best_value(scores) + 1e-9
        assert solution.status == "local"
        assert solution.bound == np.inf


def test_a_pair_loss_shifts_the_scores(rng):
    scores, truth = make_scores(rng, 8, "noise"), Partition(rng.integers(3, size=8))
    solution = Greedy().augmented(scores, PairLoss(), truth)
    base, costs = PairLoss().linearize(truth, None)
    assert solution.partition == Greedy()(scores.plus(costs))
    expected = Correlation().value(solution.partition, scores.plus(costs)) + base
    assert solution.value == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["noise", "planted"])
def test_the_mitre_loss_is_followed_as_if_evaluated_at_every_merge(rng, kind):
    for _ in range(40):
        n_items = int(rng.integers(1, 9))
        scores, truth = make_scores(rng, n_items, kind), Partition(rng.integers(3, size=n_items))
        scores = PairScores(n_items, None, 20 * scores.scores)
        solution = Greedy().augmented(scores, MitreLoss(), truth)
        naive = naive_greedy(scores, lambda labels, t=truth: mitre_loss(t, labels))
        assert solution.partition == naive
        value = Correlation().value(naive, scores) + mitre_loss(truth, naive)
        assert solution.value == pytest.approx(value)


class Followed:
    """The MITRE loss without merges of its own, so that it is followed by a search."""

    def __call__(self, truth, predicted):
        return mitre_loss(truth, predicted)

    def search(self, truth):
        return MitreLoss().search(truth)


def mitre_scores(rng, n_items, kind):
    """Make scores in the range of the loss, whose changes are multiples of 200 / links."""
    scores = make_scores(rng, n_items, "planted").scores
    scale = rng.choice([1.0, 10.0, 100.0])
    shift = rng.choice([-1.0, -0.3, 0.3])
    if kind == "ties":
        return np.round(2 * scores + shift) * scale
    if kind == "sums that round":  # Scores differ, gains do not: 1e-15 is lost beside the change.
        return np.round(2 * scores + shift) * scale + 1e-15 * rng.normal(size=len(scores))
    return scale * (scores + shift)


def mitre_truths(rng, n_items):
    yield Partition(np.arange(n_items))
    yield Partition(np.zeros(n_items, dtype=int))
    for n_clusters in (2, 4, 1 + n_items // 2):
        yield Partition(rng.integers(n_clusters, size=n_items))


@pytest.mark.parametrize("kind", ["noise", "ties", "sums that round"])
@pytest.mark.parametrize("n_items", [0, 1, 2, 3, 5, 8, 13, 30, 70])
def test_the_merges_with_the_mitre_loss_are_those_of_its_search(rng, n_items, kind):
    pairs = PairScores(n_items, None, np.zeros(n_items * (n_items - 1) // 2)).pairs
    for _ in range(200 // (n_items + 20)):
        for truth in mitre_truths(rng, n_items):
            values = mitre_scores(rng, n_items, kind)
            some = rng.random(len(pairs)) < 0.5
            apart = pairs[rng.random(len(pairs)) < 1 / (n_items + 1)]
            for scores in (
                PairScores(n_items, None, values),
                PairScores(n_items, pairs[some], values[some]),
                PairScores(n_items, None, values, apart=apart),
                PairScores(n_items, pairs[some], values[some], apart=apart),
            ):
                solution = Greedy().augmented(scores, MitreLoss(), truth)
                followed = Greedy().augmented(scores, Followed(), truth)
                assert solution.partition == followed.partition
                assert solution.value == followed.value
                assert keeps_apart(solution.partition, scores)


def test_absent_pairs_merge_for_the_sake_of_the_mitre_loss():
    """Pairs without a score, of items that are not together in the truth, cost nothing to join."""
    truth = Partition([0, 0, 1, 2])
    scores = PairScores(4, [(0, 1)], [101.0])
    assert Greedy().augmented(scores, MitreLoss(), truth).partition == Partition([0, 0, 0, 0])


def test_a_loss_of_ones_own_is_evaluated_inside_the_search(rng):
    def loss(truth, predicted):
        return 100 * (1 - b_cubed(truth, predicted).f1)

    for _ in range(10):
        scores, truth = make_scores(rng, 6, "noise"), Partition(rng.integers(3, size=6))
        scores = make_apart(rng, PairScores(6, None, 20 * scores.scores))
        naive = naive_greedy(scores, lambda labels, t=truth: loss(t, labels))
        assert Greedy().augmented(scores, loss, truth).partition == naive


def test_a_loss_of_another_objective_is_refused(rng):
    scores = make_scores(rng, 4, "noise")
    with pytest.raises(InputError, match="linear in the weights of KMeans"):
        Greedy().augmented(scores, TraceLoss(), Partition([0, 0, 1, 1]))


def test_long_chains_are_merged_as_short_ones(monkeypatch):
    """A cluster of many items whose lists are empty is not walked through again and again."""
    monkeypatch.setattr(greedy, "DENSE_SHARE", np.inf)
    items = np.arange(199_999)
    scores = PairScores(200_000, np.column_stack([items, items + 1]), np.ones(199_999))
    assert Greedy()(scores).n_clusters == 1


def test_the_value_with_a_loss_counts_listed_pairs():
    scores = PairScores(4, [(0, 1), (2, 3)], [1.0, -1.0])
    truth = Partition([0, 0, 1, 1])
    solution = Greedy().augmented(scores, PairLoss(), truth)
    base, costs = PairLoss().linearize(truth, scores.listed)
    assert solution.value == base + (scores.scores + costs) @ solution.weights
    with pytest.raises(InputError, match="covers 2 items"):
        Greedy().augmented(scores, MitreLoss(), Partition([0, 1]))
