"""Linkage against naive agglomeration, SciPy and the rules of the stop."""

from fractions import Fraction
from itertools import combinations, pairwise
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

from coterie.clusterers._base import PairClusterer
from coterie.clusterers.linkage import AverageLinkage, CompleteLinkage, SingleLinkage
from coterie.exceptions import InputError, ItemSetError, PairError
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition

SCORES = {
    SingleLinkage: max,
    CompleteLinkage: min,
    AverageLinkage: lambda s: mean(map(Fraction, s)),
}
KINDS = list(SCORES)
METHODS = {SingleLinkage: "single", CompleteLinkage: "complete", AverageLinkage: "average"}


def naive(kind, scores, missing, threshold=-np.inf, n_clusters=1, apart=()):
    """Join the best two clusters again and again, every score computed anew."""
    known = {tuple(pair): s for pair, s in zip(scores.pairs.tolist(), scores.scores, strict=True)}
    clusters = [[item] for item in range(scores.n_items)]

    def score(a, b):
        pairs = [(min(i, j), max(i, j)) for i in a for j in b]
        if any(pair in apart for pair in pairs):
            return -np.inf
        return SCORES[kind]([known.get(pair, missing) for pair in pairs])

    while len(clusters) > n_clusters:
        best, a, b = max(
            ((score(a, b), a, b) for a, b in combinations(clusters, 2)), key=lambda found: found[0]
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
        found = [kind(n_clusters=k, missing=missing)(scores) for k in range(1, 13)]
        assert [p.n_clusters for p in found] == list(range(1, 13))
        for coarse, fine in pairwise(found):
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
        every = all_pairs(n_items)
        apart = every[rng.random(len(every)) < 0.25]
        scores = random_scores(rng, n_items, (1.0, 0.5)[trial % 2], apart)
        barred = {tuple(pair) for pair in apart.tolist()}
        threshold = float(rng.normal()) - 1.0
        expected = naive(kind, scores, -9.0, threshold, apart=barred)
        assert kind(threshold=threshold, missing=-9.0)(scores) == expected


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
def test_apart_pairs_limit_the_number_of_clusters(kind, rng):
    for _ in range(60):
        n_items = int(rng.integers(2, 8))
        every = all_pairs(n_items)
        apart = every[rng.random(len(every)) < 0.25]
        scores = random_scores(rng, n_items, apart=apart)
        barred = {tuple(pair) for pair in apart.tolist()}
        fewest = naive(kind, scores, 0.0, apart=barred)
        assert kind(threshold=-1e9)(scores) == fewest
        least = fewest.n_clusters
        k = int(rng.integers(least, n_items + 1))
        assert kind(n_clusters=k)(scores) == naive(kind, scores, 0.0, n_clusters=k, apart=barred)
        if least > 1:
            with pytest.raises(
                ItemSetError, match=f"reaches {least} clusters, but not {least - 1}"
            ):
                kind(n_clusters=least - 1)(scores)


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
def test_apart_pairs_of_a_set_without_scores(kind):
    scores = PairScores(3, [], [], apart=[(0, 1)])
    assert kind(threshold=-1)(scores).together([(0, 1)]).tolist() == [False]
    assert kind(n_clusters=2)(scores).n_clusters == 2


def test_single_linkage_refuses_apart_pairs():
    with pytest.raises(PairError, match="cannot keep pairs apart"):
        SingleLinkage()(PairScores(2, None, [1.0], apart=[(0, 1)]))


@pytest.mark.parametrize("kind", KINDS)
def test_the_stop_rule_goes_from_the_constructor_to_the_set(kind):
    matrix = [[0, 3, 1], [3, 0, 1], [1, 1, 0]]
    plain, known = PairScores.from_matrix(matrix), PairScores.from_matrix(matrix, n_clusters=3)
    assert kind()(plain).n_clusters == 1
    assert kind()(known).n_clusters == 3
    assert kind(threshold=2)(known).n_clusters == 2
    assert kind(n_clusters=1)(known).n_clusters == 1
    assert kind(threshold=2, n_clusters=1)(known).n_clusters == 1


@pytest.mark.parametrize("kind", KINDS)
def test_small_sets_and_refusals(kind):
    clusterer: PairClusterer = kind()
    assert clusterer.objective is None
    assert len(clusterer(PairScores(0, None, []))) == 0
    assert clusterer(PairScores(1, None, [])) == Partition([0])
    assert kind(n_clusters=1)(PairScores(1, None, [])) == Partition([0])
    assert np.isnan(clusterer.solve(PairScores(2, None, [1.0])).value)
    with pytest.raises(ItemSetError, match="at most one an item"):
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
