"""Losses against their definitions, over all partitions and all link structures of small sets."""

import itertools

import numpy as np
import pytest

from coterie import PairScores, Partition, losses
from coterie._types import LinearLoss, MergedLoss, SearchedLoss
from coterie.clusterers.left_link import LeftLink as LeftLinkClusterer
from coterie.clusterers.spanning_forest import SpanningForest
from coterie.exceptions import InputError
from coterie.losses import LinkLoss, MitreLoss, PairLoss, TraceLoss
from coterie.metrics import mitre_loss, pair_loss, trace_loss
from coterie.objectives import Correlation, Forest, KMeans, LeftLink
from tests.partitions import all_partitions

LINKS = [LinkLoss(), LinkLoss(LeftLink(0.5)), LinkLoss(Forest())]
LINEAR = [PairLoss(), TraceLoss(), *LINKS]
EVERY = [*LINEAR, MitreLoss()]


def partitions(n_items):
    return [Partition(labels) for labels in all_partitions(n_items)]


def random_scores(rng, n_items, share=1.0):
    pairs = np.argwhere(np.triu(rng.random((n_items, n_items)) < share, 1))
    if share == 1.0:
        return PairScores(n_items, None, rng.normal(size=len(pairs)), rng.normal(size=n_items))
    return PairScores(n_items, rng.permutation(pairs), rng.normal(size=len(pairs)))


def test_the_family_is_complete():
    assert {type(loss).__name__ for loss in EVERY} == set(losses.__all__)


@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_the_truth_loses_nothing_and_all_others_something(loss, rng):
    for n_items in range(6):
        for truth, predicted in itertools.product(partitions(n_items), repeat=2):
            cost = loss(truth, predicted)
            assert isinstance(cost, float)
            finer = isinstance(loss, TraceLoss) and is_finer(predicted, truth)
            if predicted == truth or finer:
                assert cost == pytest.approx(0.0, abs=1e-12)
            else:
                assert 1e-9 < cost <= 100
            renamed = Partition(rng.permutation(20)[predicted.labels])
            assert loss(truth, renamed) == cost


def is_finer(predicted, truth):
    return not np.any(predicted.together() & ~truth.together())


@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_losses_are_frozen_values(loss):
    assert loss == type(loss)(*vars(loss).values())
    with pytest.raises(AttributeError):
        loss.scale = 1


@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_other_items_are_refused(loss):
    with pytest.raises(InputError, match="one label per item"):
        loss(Partition([0, 0]), Partition([0, 0, 1]))


@pytest.mark.parametrize(
    ("loss", "metric"),
    [(PairLoss(), pair_loss), (TraceLoss(), trace_loss), (MitreLoss(), mitre_loss)],
)
def test_metrics_give_the_same(loss, metric):
    for truth, predicted in itertools.product(partitions(5), repeat=2):
        assert loss(truth, predicted) == metric(truth, predicted)


@pytest.mark.parametrize("loss", [PairLoss(), TraceLoss()], ids=repr)
def test_linear_losses_are_base_plus_costs_at_the_weights(loss, rng):
    assert isinstance(loss, LinearLoss)
    for n_items in range(7):
        scores = random_scores(rng, n_items)
        truths = partitions(n_items) if n_items < 6 else [Partition([0, 1, 0, 2, 1, 0])]
        for truth in truths:
            base, costs = loss.linearize(truth, None)
            for predicted in partitions(n_items):
                weights = loss.objective.weights(predicted, scores)
                assert base + costs @ weights == pytest.approx(loss(truth, predicted), abs=1e-9)


@pytest.mark.parametrize("loss", [PairLoss(), TraceLoss()], ids=repr)
def test_augmented_scores_find_the_partition_of_most_loss_and_value(loss, rng):
    for n_items in range(1, 7):
        scores, objective = random_scores(rng, n_items), loss.objective
        truth = Partition(rng.integers(3, size=n_items))
        base, costs = loss.linearize(truth, None)
        shifted = scores.plus(costs)
        values = [base + objective.value(p, shifted) for p in partitions(n_items)]
        expected = [loss(truth, p) + objective.value(p, scores) for p in partitions(n_items)]
        np.testing.assert_allclose(values, expected, atol=1e-9)
        assert np.argmax(values) == np.argmax(expected)


@pytest.mark.parametrize("loss", LINEAR, ids=repr)
def test_listed_pairs_are_counted_alone_and_in_any_order(loss, rng):
    """A blocked set: its linear loss is that of its pairs, and still 0 for the truth."""
    for _ in range(20):
        scores = random_scores(rng, 6, share=0.5)
        truth = Partition(rng.integers(3, size=6))
        base, costs = loss.linearize(truth, scores.listed)
        assert costs.shape == scores.scores.shape
        truly = base + costs @ loss.objective.weights(truth, scores)
        assert truly == pytest.approx(0.0, abs=1e-9)
        shuffled = rng.permutation(len(costs))
        again = loss.linearize(truth, scores.listed[shuffled])
        assert again[0] == base
        np.testing.assert_array_equal(again[1], costs[shuffled])
    everything = PairScores(5, None, np.zeros(10)).pairs
    truth = Partition([0, 1, 0, 2, 1])
    for listed_result, condensed in zip(
        loss.linearize(truth, everything), loss.linearize(truth, None), strict=True
    ):
        np.testing.assert_allclose(listed_result, condensed)


def test_the_pair_loss_counts_listed_pairs_and_takes_relaxed_weights(rng):
    truth, pairs = Partition([0, 0, 1, 1]), np.array([(0, 1), (1, 2), (0, 3)])
    base, costs = PairLoss().linearize(truth, pairs)
    for relaxed in rng.random((20, 3)):
        expected = 100 / 3 * np.abs(relaxed - [1, 0, 0]).sum()
        assert base + costs @ relaxed == pytest.approx(expected)
    base, costs = PairLoss().linearize(truth, np.empty((0, 2), dtype=np.intp))
    assert (base, costs.size) == (0.0, 0)


def indicator(partition):
    y = np.equal.outer(partition.labels, np.arange(partition.n_clusters)).astype(float)
    return y / np.sqrt(partition.sizes)


def test_the_relaxed_trace_loss_is_eq_16(rng):
    """For partitions and for any matrix with orthonormal columns."""
    loss, objective = TraceLoss(), KMeans()
    for n_items in range(1, 7):
        truth = Partition(rng.integers(3, size=n_items))
        base, costs, diagonal = loss.linearize_relaxed(truth, None)
        scores = random_scores(rng, n_items)
        y = indicator(truth)
        z = np.linalg.qr(rng.normal(size=(n_items, n_items)))[0][:, : truth.n_clusters]
        forms = [z @ z.T, *(indicator(p) @ indicator(p).T for p in partitions(n_items))]
        for predicted, matrix in zip([z @ z.T, *partitions(n_items)], forms, strict=True):
            expected = 100 * (1 - np.trace(y.T @ matrix @ y) / truth.n_clusters)
            linear_loss = base + costs @ objective.weights(predicted, scores)
            linear_loss += diagonal @ objective.self_weights(predicted, scores)
            assert linear_loss == pytest.approx(expected, abs=1e-9)
        shifted = scores.to_matrix() - 100 / truth.n_clusters * y @ y.T
        np.testing.assert_allclose(scores.plus(costs, diagonal).to_matrix(), shifted, atol=1e-12)


def left_structures(n_items, allowed):
    """Every choice of a left link, or None for the dummy, for each item."""
    options = [[None, *(j for j in range(i) if (j, i) in allowed)] for i in range(n_items)]
    for choice in itertools.product(*options):
        yield [(j, i) for i, j in enumerate(choice) if j is not None]


def forests(n_items, allowed):
    """Every set of edges without a cycle."""
    for count in range(n_items):
        for edges in itertools.combinations(sorted(allowed), count):
            if Partition.from_links(edges, n_items).n_clusters == n_items - count:
                yield list(edges)


def left_violations(truth, links):
    """Σ 1 − C(i, j), with C(i, dummy) = 1 iff i is the first of its true cluster."""
    left = {i: j for j, i in links}
    wrong = 0
    for item in range(len(truth)):
        if item in left:
            wrong += truth.labels[left[item]] != truth.labels[item]
        else:
            wrong += truth.labels[item] in truth.labels[:item]
    return wrong


def forest_violations(truth, edges):
    signs = [1 if truth.labels[i] == truth.labels[j] else -1 for i, j in edges]
    return len(truth) - truth.n_clusters - sum(signs)


def structures(loss, n_items, allowed=None):
    """Return all sets of links, and a function that counts violations by definition."""
    allowed = set(itertools.combinations(range(n_items), 2)) if allowed is None else allowed
    if isinstance(loss.objective, Forest):
        return list(forests(n_items, allowed)), forest_violations
    return list(left_structures(n_items, allowed)), left_violations


@pytest.mark.parametrize("loss", LINKS, ids=repr)
def test_a_call_takes_the_least_violating_links_of_the_predicted_clusters(loss):
    for n_items in range(1, 6):
        link_sets, violations = structures(loss, n_items)
        closures = [Partition.from_links(links, n_items) for links in link_sets]
        truths = partitions(n_items)
        if n_items == 5:
            truths = truths[::7]
        for truth in truths:
            least = {}
            for links, closure in zip(link_sets, closures, strict=True):
                cost = violations(truth, links)
                least[closure] = min(cost, least.get(closure, cost))
            assert {p: loss(truth, p) for p in partitions(n_items)} == least


@pytest.mark.parametrize("loss", LINKS, ids=repr)
def test_base_and_costs_count_the_violations_of_any_links(loss):
    n_items = 5
    link_sets, violations = structures(loss, n_items)
    pair = {p: k for k, p in enumerate(itertools.combinations(range(n_items), 2))}
    for truth in partitions(n_items)[::5]:
        base, costs = loss.linearize(truth, None)
        for links in link_sets:
            linear_loss = base + sum(costs[pair[link]] for link in links)
            assert linear_loss == violations(truth, links)


@pytest.mark.parametrize("loss", LINKS, ids=repr)
def test_augmented_scores_find_the_links_of_most_loss_and_value(loss, rng):
    """For each partition the best (γ > 0: the γ-log-sum-exp) over its links of loss plus score."""
    for n_items in (1, 3, 4, 5):
        scores = PairScores(n_items, None, rng.normal(size=n_items * (n_items - 1) // 2))
        matrix, truth = scores.to_matrix(), Partition(rng.integers(2, size=n_items))
        link_sets, violations = structures(loss, n_items)
        base, costs = loss.linearize(truth, None)
        shifted = scores.plus(costs)
        totals = {}
        for links in link_sets:
            total = violations(truth, links) + sum(matrix[i, j] for i, j in links)
            totals.setdefault(Partition.from_links(links, n_items), []).append(total)
        gamma = getattr(loss.objective, "gamma", 0.0)
        expected = {p: soft_max(np.array(t), gamma) for p, t in totals.items()}
        for predicted in partitions(n_items):
            value = base + loss.objective.value(predicted, shifted)
            assert value == pytest.approx(expected[predicted], abs=1e-9)
        if gamma == 0:
            assert max(map(max, totals.values())) == pytest.approx(
                base + worst(loss, shifted).value, abs=1e-9
            )


def soft_max(totals, gamma):
    if gamma == 0:
        return totals.max()
    return totals.max() + gamma * np.log(np.exp((totals - totals.max()) / gamma).sum())


def worst(loss, shifted):
    forest = isinstance(loss.objective, Forest)
    return (SpanningForest() if forest else LeftLinkClusterer()).solve(shifted)


@pytest.mark.parametrize("loss", [LinkLoss(), LinkLoss(Forest())], ids=repr)
def test_the_weights_of_the_worst_links_give_their_violations(loss, rng):
    """As in training, loss = base + costs @ worst.weights, never below that of the best links."""
    for _ in range(30):
        scores = PairScores(6, None, rng.normal(size=15))
        truth = Partition(rng.integers(3, size=6))
        base, costs = loss.linearize(truth, None)
        solution = worst(loss, scores.plus(costs))
        links = [tuple(pair) for pair in scores.pairs[solution.weights > 0].tolist()]
        _, violations = structures(loss, 1)
        linear_loss = base + costs @ solution.weights
        assert linear_loss == violations(truth, links)
        assert linear_loss >= loss(truth, solution.partition)


def test_left_links_without_their_right_link_count_as_first_where_it_is_not_listed():
    truth = Partition([0, 0, 1, 1, 0])
    pairs = np.array([(0, 1), (0, 2), (1, 4)])
    base, costs = LinkLoss().linearize(truth, pairs)
    assert (base, costs.tolist()) == (2.0, [-1.0, 1.0, -1.0])
    base, costs = LinkLoss(Forest()).linearize(truth, pairs[:2])
    assert (base, costs.tolist()) == (1.0, [-1.0, 1.0])


@pytest.mark.parametrize("objective", [Correlation(), KMeans(), None, "left"])
def test_only_objectives_with_links_have_a_link_loss(objective):
    with pytest.raises(InputError, match="has no links"):
        LinkLoss(objective)


@pytest.mark.parametrize("n_items", [1, 2, 3, 7, 12])
def test_mitre_is_followed_through_merges(n_items, rng):
    assert isinstance(MitreLoss(), SearchedLoss)
    for n_labels in (1, 2, 4, n_items):
        truth = Partition(rng.permutation(n_items) % n_labels)
        search, labels = MitreLoss().search(truth), np.arange(n_items)
        for _ in range(n_items):
            items = np.arange(n_items)
            gains = search.gain(items[:, None], items[None, :])
            np.testing.assert_allclose(gains, naive_gains(truth, labels), atol=1e-9)
            np.testing.assert_array_equal(gains, gains.T)
            a, b = rng.integers(n_items, size=2)
            search.merge(a, b)
            labels[labels == labels[b]] = labels[a]
        np.testing.assert_array_equal(search.gain(items, items), 0.0)


def naive_gains(truth, labels):
    """The loss of each merge, evaluated as a whole, less that of no merge."""
    now = mitre_loss(truth, Partition(labels))
    gains = np.empty((len(labels), len(labels)))
    for a, b in np.ndindex(gains.shape):
        merged = np.where(labels == labels[b], labels[a], labels)
        gains[a, b] = mitre_loss(truth, Partition(merged)) - now
    return gains


def test_mitre_gains_add_up_to_the_loss(rng):
    truth = Partition(rng.integers(20, size=60))
    search, labels = MitreLoss().search(truth), np.arange(60)
    total = mitre_loss(truth, Partition(labels))
    while len(roots := np.unique(labels)) > 1:
        a, b = rng.choice(roots, size=2, replace=False)
        total += search.gain(np.array([a]), np.array([b]))[0]
        search.merge(a, b)
        labels[labels == b] = a
        assert total == pytest.approx(mitre_loss(truth, Partition(labels)), abs=1e-9)


@pytest.mark.parametrize("n_labels", [1, 3, 12, 40])
def test_mitre_merges_one_by_one_or_all_at_once(n_labels, rng):
    assert isinstance(MitreLoss(), MergedLoss)
    assert not isinstance(PairLoss(), MergedLoss)
    for scale in (0.0, 1.0, 5.0, 200.0):
        truth = Partition(rng.integers(n_labels, size=40))
        matrix = np.where(np.tri(40, dtype=bool), -np.inf, scale * rng.normal(size=(40, 40)))
        labels = merged_one_by_one(matrix.copy(), MitreLoss().search(truth))
        assert Partition(MitreLoss().merged(truth, matrix)) == Partition(labels)


def merged_one_by_one(matrix, search):
    """Add up rows and columns in place; what is gone scores -inf."""
    labels = items = np.arange(len(matrix))
    while True:
        gains = matrix + search.gain(items[:, None], items[None, :])
        a, b = divmod(int(gains.argmax()), len(items))
        if gains[a, b] <= 0:
            return labels
        full = np.maximum(matrix, matrix.T)
        full[a] = full[:, a] = full[a] + full[b]
        full[b] = full[:, b] = -np.inf
        matrix = np.where(np.tri(len(items), dtype=bool), -np.inf, full)
        labels = np.where(labels == b, a, labels)
        search.merge(a, b)


def test_mitre_merges_refuse_scores_of_other_items():
    with pytest.raises(InputError, match="covers 3 items"):
        MitreLoss().merged(Partition([0, 1, 1]), np.zeros((4, 4)))
