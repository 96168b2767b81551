"""Linkage against naive agglomeration, SciPy and the rules of the stop."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

from coterie.clusterers._base import PairClusterer
from coterie.clusterers._pieces import DENSE_SHARE
from coterie.clusterers.linkage import AverageLinkage, CompleteLinkage, SingleLinkage
from coterie.exceptions import InputError, ItemSetError, PairError
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition
from tests.clusterers.instances import keeps_apart

SCORES = {
    SingleLinkage: max,
    CompleteLinkage: min,
    AverageLinkage: lambda s: mean(map(Fraction, s)),
}
KINDS = list(SCORES)
METHODS = {SingleLinkage: "single", CompleteLinkage: "complete", AverageLinkage: "average"}


def naive(kind, scores, missing, threshold=-np.inf, n_clusters=1, apart=()):
    """Join the best two clusters again and again, every score computed anew."""
    score_of = {
        tuple(pair): s for pair, s in zip(scores.pairs.tolist(), scores.scores, strict=True)
    }
    clusters = [[item] for item in range(scores.n_items)]

    def score(a, b):
        pairs = [(min(i, j), max(i, j)) for i in a for j in b]
        if any(pair in apart for pair in pairs):
            return -np.inf
        return SCORES[kind]([score_of.get(pair, missing) for pair in pairs])

    while len(clusters) > n_clusters:
        best, a, b = max(
            ((score(a, b), a, b) for a, b in combinations(clusters, 2)), key=lambda join: join[0]
        )
        if best <= threshold or best == -np.inf:
            break
        clusters = [c for c in clusters if c not in (a, b)] + [a + b]
    return Partition.from_clusters(clusters)


def random_scores(rng, n_items, share=1.0, apart=None):
    pairs = all_pairs(n_items)
    pairs = pairs[rng.random(len(pairs)) < share]
    return PairScores(n_items, pairs, rng.normal(size=len(pairs)), apart=apart)


def filled(scores, missing):
    """List all pairs, absent ones with the missing score."""
    dense = np.full((scores.n_items, scores.n_items), missing)
    first, second = scores.pairs.T
    dense[first, second] = dense[second, first] = scores.scores
    np.fill_diagonal(dense, 0.0)
    return PairScores.from_matrix(dense)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [1.0, 0.6, 0.2])
def test_threshold_equals_naive_agglomeration(kind, share, rng):
    for _ in range(60):
        scores = random_scores(rng, int(rng.integers(1, 9)), share)
        threshold = float(rng.normal(scale=0.5))
        for missing in (threshold, threshold - 0.4):
            expected = naive(kind, scores, missing, threshold)
            assert kind(threshold=threshold, missing=missing)(scores) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_absent_pairs_above_the_threshold_are_like_listed_ones(kind, rng):
    for _ in range(60):
        scores = random_scores(rng, int(rng.integers(1, 9)), 0.5)
        clusterer = kind(threshold=float(rng.normal(scale=0.5)) - 0.5, missing=0.7)
        assert clusterer(scores) == clusterer(filled(scores, 0.7))


@pytest.mark.parametrize("kind", KINDS)
def test_number_of_clusters_equals_naive_agglomeration(kind, rng):
    for _ in range(60):
        n_items = int(rng.integers(1, 9))
        scores = random_scores(rng, n_items)
        k = int(rng.integers(1, n_items + 1))
        assert kind(n_clusters=k)(scores) == naive(kind, scores, 0.0, n_clusters=k)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [0.0, -10.0, 10.0])
def test_number_of_clusters_is_met_with_absent_pairs(kind, missing, rng):
    for share in (0.0, 0.1, 0.5):
        scores = random_scores(rng, 12, share)
        partitions = [kind(n_clusters=k, missing=missing)(scores) for k in range(1, 13)]
        assert [p.n_clusters for p in partitions] == list(range(1, 13))
        for coarse, fine in pairwise(partitions):
            assert all(len(set(coarse.labels[c].tolist())) == 1 for c in fine.clusters)


def test_absent_pairs_of_single_linkage_join_at_their_level(rng):
    """Above, at and below the missing score, k clusters are those of a dense set."""
    for _ in range(40):
        scores = random_scores(rng, 8, 0.6)
        dense = filled(scores, 0.3)
        for threshold in (-1.0, 0.2, 0.3, 0.5):
            cut = SingleLinkage(threshold=threshold, missing=0.3)(scores)
            assert cut == SingleLinkage(threshold=threshold)(dense)
            again = SingleLinkage(n_clusters=cut.n_clusters, missing=0.3)(scores)
            assert again == cut


def test_absent_pairs_of_an_item_listed_with_all_others():
    """Item 0 is absent from no pair, so that missing pairs cannot connect it."""
    scores = PairScores(5, [(0, 1), (0, 2), (0, 3), (0, 4)], [-1.0, -2.0, -3.0, -4.0])
    assert SingleLinkage(threshold=-0.5)(scores) == Partition([0, 1, 1, 1, 1])
    assert SingleLinkage(n_clusters=2)(scores) == Partition([0, 1, 1, 1, 1])
    assert SingleLinkage(n_clusters=1)(scores).n_clusters == 1
    assert SingleLinkage(n_clusters=3)(scores) == Partition([0, 1, 1, 1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_cuts_equal_scipy(kind, rng):
    points = rng.normal(size=(300, 3))
    distances = np.linalg.norm(points[:, None] - points, axis=2)[np.triu_indices(300, 1)]
    tree = linkage(distances, METHODS[kind])
    scores = PairScores(300, None, -distances)
    for k in (1, 2, 7, 60, 299, 300):
        expected = Partition(fcluster(tree, k, "maxclust"))
        assert kind(n_clusters=k)(scores) == expected
    for height in (0.3, 0.8, 1.5):
        assert kind(threshold=-height)(scores) == Partition(fcluster(tree, height, "distance"))


@given(st.lists(st.integers(-3, 3), min_size=15, max_size=15), st.integers(-2, 2))
def test_a_score_equal_to_the_threshold_does_not_join(values, threshold):
    """With ties any order may be right, but none joins at the threshold or stops above it."""
    scores = PairScores(6, None, values)
    matrix = scores.to_matrix()
    for kind in KINDS:
        clusters = kind(threshold=threshold)(scores).clusters
        score = SCORES[kind]
        for a, b in combinations(clusters, 2):
            assert score(matrix[np.ix_(a, b)].ravel().tolist()) <= threshold
        if kind is CompleteLinkage:
            inside = Partition.from_clusters([c.tolist() for c in clusters]).together()
            assert np.all(scores.scores[inside] > threshold)


def test_the_cut_is_not_moved_by_rounding():
    tenth = 0.1
    scores = PairScores(4, None, [1e9, tenth, -1.0, -1.0, -1.0, np.nextafter(tenth, 1)])
    for kind in KINDS:
        assert kind(threshold=tenth)(scores) == Partition([0, 0, 1, 1])
        assert kind(threshold=np.nextafter(tenth, 1))(scores) == Partition([0, 0, 1, 2])


def test_means_that_are_zero_up_to_rounding_do_not_join():
    scores = PairScores.from_matrix(
        [[0, 9, 9, 0.1], [9, 0, 9, 0.2], [9, 9, 0, -0.3], [0.1, 0.2, -0.3, 0]]
    )
    assert (0.1 + 0.2 - 0.3) / 3 > 0
    assert AverageLinkage()(scores) == Partition([0, 0, 0, 1])


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
def test_apart_pairs_are_never_joined(kind, rng):
    for trial in range(80):
        n_items = int(rng.integers(2, 8))
        pairs = all_pairs(n_items)
        apart = pairs[rng.random(len(pairs)) < 0.25]
        scores = random_scores(rng, n_items, (1.0, 0.5)[trial % 2], apart)
        barred = {tuple(pair) for pair in apart.tolist()}
        threshold = float(rng.normal()) - 1.0
        expected = naive(kind, scores, -9.0, threshold, apart=barred)
        assert kind(threshold=threshold, missing=-9.0)(scores) == expected


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
def test_apart_pairs_limit_the_number_of_clusters(kind, rng):
    for _ in range(60):
        n_items = int(rng.integers(2, 8))
        pairs = all_pairs(n_items)
        apart = pairs[rng.random(len(pairs)) < 0.25]
        scores = random_scores(rng, n_items, apart=apart)
        barred = {tuple(pair) for pair in apart.tolist()}
        fewest = naive(kind, scores, 0.0, apart=barred)
        assert kind(threshold=-1e9)(scores) == fewest
        least = fewest.n_clusters
        k = int(rng.integers(least, n_items + 1))
        assert kind(n_clusters=k)(scores) == naive(kind, scores, 0.0, n_clusters=k, apart=barred)
        if least > 1:
            with pytest.raises(
                ItemSetError, match=f"at least {least} clusters .* n_clusters is {least - 1};"
            ):
                kind(n_clusters=least - 1)(scores)


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
def test_apart_pairs_of_a_set_without_scores(kind):
    scores = PairScores(3, [], [], apart=[(0, 1)])
    assert kind(threshold=-1)(scores).together([(0, 1)]).tolist() == [False]
    assert kind(n_clusters=2)(scores).n_clusters == 2


def test_single_linkage_refuses_apart_pairs():
    with pytest.raises(PairError, match="does not support cannot-link pairs"):
        SingleLinkage()(PairScores(2, None, [1.0], apart=[(0, 1)]))


@pytest.mark.parametrize("kind", KINDS)
def test_the_stop_rule_goes_from_the_constructor_to_the_set(kind):
    matrix = [[0, 3, 1], [3, 0, 1], [1, 1, 0]]
    plain, with_n_clusters = (
        PairScores.from_matrix(matrix),
        PairScores.from_matrix(matrix, n_clusters=3),
    )
    assert kind()(plain).n_clusters == 1
    assert kind()(with_n_clusters).n_clusters == 3
    assert kind(threshold=2)(with_n_clusters).n_clusters == 2
    assert kind(n_clusters=1)(with_n_clusters).n_clusters == 1
    assert kind(threshold=2, n_clusters=1)(with_n_clusters).n_clusters == 1


@pytest.mark.parametrize("kind", KINDS)
def test_small_sets_and_refusals(kind):
    clusterer: PairClusterer = kind()
    assert clusterer.objective is None
    assert len(clusterer(PairScores(0, None, []))) == 0
    assert clusterer(PairScores(1, None, [])) == Partition([0])
    assert kind(n_clusters=1)(PairScores(1, None, [])) == Partition([0])
    assert np.isnan(clusterer.solve(PairScores(2, None, [1.0])).value)
    with pytest.raises(ItemSetError, match="use at most"):
        kind(n_clusters=3)(PairScores(2, None, [1.0]))
    with pytest.raises(InputError, match="threshold"):
        kind(threshold=float("nan"))
    with pytest.raises(InputError, match="missing"):
        kind(missing=float("inf"))
    with pytest.raises(InputError, match="n_clusters"):
        kind(n_clusters=0)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_scores_still_give_k_clusters(kind):
    for score in (0.0, -1.0, 2.0):
        scores = PairScores(7, None, np.full(21, score))
        assert [kind(n_clusters=k)(scores).n_clusters for k in range(1, 8)] == list(range(1, 8))
        assert kind()(scores).n_clusters == (1 if score > 0 else 7)


# Listed pairs, few of all.


def sparse_scores(rng, n_items, degree, ties=False, apart=False):
    """List pairs of which the items have some number on the average, in no order."""
    ends = rng.integers(n_items, size=(int(degree * n_items / 2) + 1, 2))
    pairs = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    pairs = rng.permutation(pairs)
    values = rng.normal(0.4, 1.0, len(pairs))
    barred = rng.permutation(pairs)[: n_items // 10] if apart else None
    if apart:
        barred = np.concatenate([barred, [[0, n_items - 1], [1, n_items - 1]]])
    return PairScores(n_items, pairs, np.round(values) if ties else values, apart=barred)


def dense_twin(clusterer, scores, threshold):
    """Cut the tree over all pairs, absent ones listed."""
    dense_scores = filled(scores, clusterer.missing)
    dense_scores = PairScores(scores.n_items, None, dense_scores.scores, apart=scores.apart)
    return replace(clusterer, threshold=threshold)(dense_scores)


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
@pytest.mark.parametrize("below", [0.0, 0.05, 1.0, 50.0])
def test_listed_pairs_are_enough(kind, below, rng):
    for trial in range(30):
        n_items = int(rng.integers(60, 250))
        scores = sparse_scores(rng, n_items, (2, 4, 6)[trial % 3], apart=trial % 2 == 0)
        assert len(scores.scores) < DENSE_SHARE * n_items**2
        threshold = float(rng.normal(scale=0.4))
        max_size = None if trial % 4 < 2 else int(rng.integers(1, 9))
        clusterer = kind(threshold=threshold, missing=threshold - below, max_size=max_size)
        partition = clusterer(scores)
        assert partition == dense_twin(clusterer, scores, threshold)
        assert keeps_apart(partition, scores)
        assert max_size is None or max(map(len, partition.clusters)) <= max_size


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
def test_few_listed_pairs_equal_naive_agglomeration(kind, rng):
    for trial in range(6):
        scores = sparse_scores(rng, 40, 2, apart=trial % 2 == 0)
        assert len(scores.scores) < DENSE_SHARE * 40**2
        barred = () if scores.apart is None else {tuple(pair) for pair in scores.apart.tolist()}
        for missing in (0.0, -0.3, -1e9):
            expected = naive(kind, scores, missing, 0.0, apart=barred)
            assert kind(missing=missing)(scores) == expected


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
def test_listed_pairs_in_another_order_and_other_items_first(kind, rng):
    for ties in (True, False):
        scores = sparse_scores(rng, 150, 5, ties=ties)
        clusterer = kind(missing=-0.2)
        partition = clusterer(scores)
        order = rng.permutation(len(scores.scores))
        shuffled = PairScores(150, scores.pairs[order], scores.scores[order])
        assert clusterer(shuffled) == partition
        if not ties:
            names = rng.permutation(150)
            renamed = PairScores(150, names[scores.pairs], scores.scores)
            assert clusterer(renamed) == Partition(partition.labels[np.argsort(names)])


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
def test_ties_of_listed_pairs_leave_nothing_to_join(kind, rng):
    for _ in range(10):
        scores = sparse_scores(rng, 90, 4, ties=True)
        matrix = filled(scores, -0.25).to_matrix()
        clusters = kind(missing=-0.25)(scores).clusters
        for a, b in combinations(clusters, 2):
            assert SCORES[kind](matrix[np.ix_(a, b)].ravel().tolist()) <= 0


def test_the_earliest_listed_pair_joins_first():
    """Item 9 is as near to 4 as to 7; far items make the listed pairs few."""
    for kind in (CompleteLinkage, AverageLinkage):
        scores = PairScores(60, [(7, 9), (4, 9)], [1.0, 1.0])
        partition = kind(missing=-2.0)(scores)
        assert partition.together([(4, 9), (7, 9)]).tolist() == [True, False]


@pytest.mark.parametrize("others", [[(4, 5)], [(i, i + 1) for i in range(4, 400)]])
def test_a_mean_of_listed_pairs_is_not_moved_by_rounding(others):
    """Nor by others of a far larger score, whether all pairs are looked at or the listed ones."""
    pairs = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3), *others]

    def joins(with_3, threshold=0.0):
        values = [9.0, 9.0, 9.0, *with_3, *[1e15] * len(others)]
        clusterer = AverageLinkage(threshold=threshold, missing=-1.0)
        partition = clusterer(PairScores(500, pairs, values))
        assert partition.together([(0, 2), (4, 5)]).all()
        return partition.together([(0, 3)]).tolist() == [True]

    assert not joins([0.1, 0.2, -0.3])
    assert joins([0.1, 0.2, -0.3 + 1e-9])
    assert not joins([0.1, 0.1, 0.1], threshold=0.1)
    assert joins([0.1, 0.1, 0.1], threshold=np.nextafter(0.1, 0))


@pytest.mark.parametrize("missing", [0.0, -0.5])
def test_a_large_component_of_listed_pairs_needs_no_matrix(missing):
    """All pairs of 60,000 items would be 14 GB; a star joins in time that is nearly linear."""
    n_items = 60_000
    star = np.column_stack([np.zeros(n_items - 1, dtype=int), np.arange(1, n_items)])
    partition = AverageLinkage(missing=missing)(PairScores(n_items, star, np.ones(n_items - 1)))
    assert partition.n_clusters == (1 if missing == 0 else n_items - 2)
    assert CompleteLinkage()(PairScores(n_items, star, np.ones(n_items - 1))) == Partition(
        np.maximum(np.arange(n_items) - 1, 0)
    )


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
def test_joins_are_cut_at_every_level_above(kind, rng):
    for _ in range(10):
        scores = sparse_scores(rng, 120, 5, apart=True)
        clusterer = kind(missing=-0.6, max_size=7)
        joins = clusterer.joins(scores, -0.5)
        for threshold in (-0.5, -0.1, 0.0, 0.8, 9.0):
            expected = replace(clusterer, threshold=threshold)(scores)
            assert Partition(joins.labels(threshold)) == expected


@pytest.mark.parametrize("clusterer", [AverageLinkage, CompleteLinkage])
def test_a_size_limit_that_no_kernel_can_hold_is_no_limit(clusterer, rng):
    values = rng.normal(size=10)
    for pairs in (None, all_pairs(5)[::2]):
        scores = PairScores(5, pairs, values[:: 1 if pairs is None else 2])
        assert clusterer(max_size=2**70)(scores) == clusterer()(scores)


@pytest.mark.parametrize("cost", [np.zeros(0), np.ones(2), np.array([np.inf]), "x", None, -1])
def test_a_size_cost_that_is_not_a_number_is_refused(cost):
    with pytest.raises(InputError, match=r"size_cost is .*; give a finite number of at least 0"):
        AverageLinkage(size_cost=cost)
