"""The second look at absent pairs: against linkage that knows the scores of all pairs."""

from itertools import combinations
from statistics import mean

import numpy as np
import pytest

from coterie.clusterers import AverageLinkage, Greedy, second_look
from coterie.clusterers.second_look import decide
from coterie.pairs import PairScores
from coterie.partition import Partition

NONE = np.empty((0, 2), dtype=np.intp)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


class Truth:
    """The scores of all pairs: high inside clusters, low between them."""

    def __init__(self, labels, rng, spread=0.5):
        self.labels = np.asarray(labels)
        n_items = len(self.labels)
        matrix = rng.normal(scale=spread, size=(n_items, n_items))
        self.matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
        self.matrix += np.where(self.labels[:, None] == self.labels, 2.0, -2.0)
        np.fill_diagonal(self.matrix, 0.0)
        self.asked = 0

    def score(self, pairs):
        self.asked += len(pairs)
        return self.matrix[pairs[:, 0], pairs[:, 1]]

    def listed(self, pairs):
        pairs = np.unique(np.sort(np.asarray(pairs), axis=1), axis=0)
        return PairScores(len(self.labels), pairs, self.matrix[pairs[:, 0], pairs[:, 1]])


def ring(items, n_next=3):
    """Pair each item with the next few, as a blocker does in a large block."""
    order = np.asarray(items)
    pairs = [np.column_stack([order, np.roll(order, step)]) for step in range(1, n_next + 1)]
    pairs = np.concatenate(pairs)
    return pairs[pairs[:, 0] != pairs[:, 1]]


def partition(clusterer, truth, scores, must_link=NONE, cannot_link=NONE):
    decision = decide(clusterer, scores, truth.score, must_link, cannot_link)
    assert len(decision.scores.pairs) == len(scores.pairs) + truth.asked
    return decision.partition


@pytest.mark.parametrize("size", [5, 150, 300, 301, 900])
def test_similar_items_with_few_listed_pairs_are_one_cluster(size, rng):
    labels = np.append(np.zeros(size, dtype=int), np.arange(1, 40))
    truth = Truth(labels, rng)
    scores = truth.listed(ring(rng.permutation(len(labels))).tolist() + ring(range(size)).tolist())
    clusterer = AverageLinkage(missing=-19.0)
    assert size < 50 or clusterer(scores).n_clusters > 40  # torn apart without a second look
    assert partition(clusterer, truth, scores) == Partition(labels)


def test_a_large_group_is_divided_where_its_scores_say_so(rng):
    labels = np.repeat([0, 1, 2], [700, 500, 4])
    truth = Truth(labels, rng)
    # A few wrong links hold all three together at first.
    for first, second in ((0, 700), (5, 705), (3, 1200), (701, 1201)):
        truth.matrix[first, second] = truth.matrix[second, first] = 3.0
    links = [ring(np.flatnonzero(labels == label)) for label in range(3)]
    links.append(np.array([(0, 700), (5, 705), (3, 1200), (701, 1201)]))
    scores = truth.listed(np.concatenate(links))
    assert partition(AverageLinkage(missing=-9.0), truth, scores) == Partition(labels)


def test_chains_and_stars_are_not_joined(rng):
    n_items = 60
    chain = np.column_stack([np.arange(n_items - 1), np.arange(1, n_items)])
    star = np.column_stack([np.zeros(n_items - 1, dtype=int), np.arange(1, n_items)])
    for links in (chain, star):
        linked = Truth(np.arange(n_items), rng, spread=0.1)
        linked.matrix[links[:, 0], links[:, 1]] = linked.matrix[links[:, 1], links[:, 0]] = 1.0
        found = partition(AverageLinkage(missing=-9.0), linked, linked.listed(links))
        assert found == AverageLinkage()(
            PairScores.from_matrix(linked.matrix - np.diag(np.diag(linked.matrix)))
        )
        assert found.sizes.max() == 2


def test_pairs_of_items_that_nothing_links_stay_evidence_against(rng):
    truth = Truth(np.zeros(6, dtype=int), rng)
    scores = truth.listed([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    assert partition(AverageLinkage(missing=-5.0), truth, scores) == Partition([0, 0, 0, 1, 1, 1])
    assert truth.asked == 0


def test_must_link_and_cannot_link_pairs_hold(rng):
    for size in (40, 400):
        labels = np.append(np.zeros(size, dtype=int), [1, 2])
        truth = Truth(labels, rng)
        scores = truth.listed(ring(range(size)))
        must_link, cannot_link = np.array([[3, size]]), np.array([[0, 7], [0, size + 1]])
        found = partition(AverageLinkage(missing=-9.0), truth, scores, must_link, cannot_link)
        assert found.labels[3] == found.labels[size]
        assert found.labels[0] != found.labels[7]
        assert found.sizes.max() >= 0.8 * size


def test_clusterers_that_do_not_count_absent_pairs_ask_for_none(rng):
    truth = Truth(np.zeros(50, dtype=int), rng)
    scores = truth.listed(ring(range(50)))
    for clusterer in (Greedy(), AverageLinkage(), AverageLinkage(missing=-9.0, n_clusters=3)):
        assert partition(clusterer, truth, scores) == clusterer(scores)
    assert truth.asked == 0


def test_the_number_of_scored_pairs_is_bounded(rng):
    truth = Truth(np.zeros(2_000, dtype=int), rng)
    scores = truth.listed(ring(range(2_000)))
    assert partition(AverageLinkage(missing=-19.0), truth, scores).n_clusters == 1
    assert truth.asked <= second_look.N_PARTNERS * 2_000


def naive_groups(scores, level):
    """Join the two groups of the highest mean of their scored pairs again and again."""
    score_of = dict(zip(map(tuple, scores.pairs.tolist()), scores.scores.tolist(), strict=True))
    groups = [[item] for item in range(scores.n_items)]

    def score(a, b):
        pairs = [(min(i, j), max(i, j)) for i in a for j in b]
        values = [score_of[pair] for pair in pairs if pair in score_of]
        return mean(values) if values else -np.inf

    while len(groups) > 1:
        best, a, b = max(
            ((score(a, b), a, b) for a, b in combinations(groups, 2)), key=lambda join: join[0]
        )
        if best <= level:
            break
        groups = [group for group in groups if group not in (a, b)] + [a + b]
    return Partition.from_clusters(groups)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.8])
def test_groups_equal_naive_agglomeration_of_the_scored_pairs(share, rng):
    for _ in range(15):
        n_items = int(rng.integers(3, 25))
        pairs = np.array(list(combinations(range(n_items), 2)))
        pairs = pairs[rng.random(len(pairs)) < share]
        scores = PairScores(n_items, pairs, rng.normal(size=len(pairs)))
        level = float(rng.normal(scale=0.3))
        groups = second_look._groups(AverageLinkage(missing=-9.0), scores, NONE, NONE, level)
        assert groups == naive_groups(scores, level)
