"""Left-linking against the rule of the paper written out, and against enumeration."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import PairScores, Partition
from coterie._kernels.linking.links import left_link, left_link_labels
from coterie.clusterers._pieces import labels_by_piece, pieces
from coterie.clusterers.left_link import LeftLink, _cannot_links_by_item
from coterie.exceptions import InputError
from tests.partitions import all_partitions

GAMMAS = [0.0, 0.05, 0.4, 1.0]


def textbook(scores, gamma):
    """The online rule, item by item and cluster by cluster."""
    links = {
        tuple(pair): score for pair, score in zip(scores.pairs.tolist(), scores.scores, strict=True)
    }
    apart = set() if scores.apart is None else set(map(tuple, scores.apart.tolist()))
    clusters = []
    for item in range(scores.n_items):
        free = [c for c in clusters if not any((j, item) in apart for j in c)]
        options = [(measure(c, item, links, gamma), -first_link(c, item, links), c) for c in free]
        best = max(options, key=lambda o: o[:2], default=(-math.inf, 0, None))
        if best[0] > 0:
            best[2].append(item)
        else:
            clusters.append([item])
    return Partition.from_clusters(clusters)


def measure(cluster, item, links, gamma):
    link_scores = [links[j, item] for j in cluster if (j, item) in links]
    if not link_scores:
        return -math.inf
    top = max(link_scores)
    if gamma == 0:
        return top
    return top + gamma * math.log(sum(math.exp((s - top) / gamma) for s in link_scores))


def first_link(cluster, item, links):
    """The smallest index of the best links: what wins at γ = 0 among equals."""
    candidates = [(-links[j, item], j) for j in cluster if (j, item) in links]
    return min(candidates)[1] if candidates else 0


def random_scores(rng, n_items, share=1.0, integers=False):
    chosen = [p for p in itertools.combinations(range(n_items), 2) if rng.random() < share]
    values = rng.normal(-0.3, size=len(chosen))
    if integers:
        values = rng.integers(-2, 3, size=len(chosen)).astype(float)
    order = rng.permutation(len(chosen))
    pairs = np.array(chosen, dtype=np.intp).reshape(-1, 2)
    return PairScores(n_items, pairs[order], values[order])


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_the_online_rule(gamma, share, rng):
    for n_items in [*range(1, 9), 40]:
        scores = random_scores(rng, n_items, share)
        assert LeftLink(gamma)(scores) == textbook(scores, gamma)


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_equal_scores_go_to_the_dummy_then_to_the_smallest_index(share, rng):
    for _ in range(200):
        scores = random_scores(rng, 7, share, integers=True)
        assert LeftLink()(scores) == textbook(scores, 0.0)
    assert LeftLink()(PairScores(3, None, [0.0, 0.0, 0.0])).n_clusters == 3
    assert LeftLink()(PairScores(3, None, [-1.0, 2.0, 2.0])) == Partition([0, 1, 0])
    # With γ > 0 a tie of the dummy with one link of score 0, and of two clusters.
    assert LeftLink(gamma=1)(PairScores(2, None, [0.0])).n_clusters == 2
    assert LeftLink(gamma=1)(PairScores(3, None, [-1.0, 2.0, 2.0])) == Partition([0, 1, 0])
    backwards = PairScores(3, [(1, 2), (0, 2)], [2.0, 2.0])
    assert LeftLink(gamma=1)(backwards) == LeftLink()(backwards) == Partition([0, 1, 0])


@pytest.mark.parametrize("gamma", GAMMAS)
def test_all_pairs_are_never_listed(gamma, rng):
    for n_items in (2, 5, 30):
        scores = PairScores(n_items, None, rng.normal(size=n_items * (n_items - 1) // 2))
        partition = LeftLink(gamma)(scores)
        assert "pairs" not in scores.__dict__
        order = rng.permutation(len(scores.scores))
        shuffled = PairScores(n_items, scores.pairs[order], scores.scores[order])
        assert LeftLink(gamma)(shuffled) == partition


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_apart_items_are_never_joined(gamma, share, rng):
    joined = 0
    for _ in range(60):
        free = random_scores(rng, 8, share)
        apart = rng.integers(8, size=(4, 2))
        apart = apart[apart[:, 0] != apart[:, 1]]
        scores = PairScores(8, free.listed, free.scores + 0.8, apart=apart)
        partition = LeftLink(gamma)(scores)
        assert partition == textbook(scores, gamma)
        assert not partition.together(apart).any()
        joined += partition.n_clusters < 8
    assert joined > 30


def test_an_item_kept_out_of_its_best_cluster_takes_the_next_best():
    scores = PairScores(4, None, [-9, -9, 3000.0, -9, 1.0, 2.0], apart=[(0, 3)])
    for gamma in (0.0, 0.01):
        assert LeftLink(gamma)(scores) == Partition([0, 1, 2, 2])


def test_an_apart_pair_that_binds_nothing_changes_nothing(rng):
    """At γ = 0 sets with and without apart pairs go different ways through the kernels."""
    for share in (0.4, 1.0):
        scores = random_scores(rng, 30, share, integers=True)
        partition = LeftLink()(scores)
        other = np.flatnonzero(partition.labels != partition.labels[0])[0]
        constrained = PairScores(30, scores.listed, scores.scores, apart=[(0, other)])
        assert LeftLink()(constrained) == partition
        assert LeftLink().solve(constrained).status == "local"


@pytest.mark.parametrize("share", [0.4, 1.0])
def test_max_left_link_is_the_best_of_all_partitions(share, rng):
    for n_items in range(1, 8):
        scores = random_scores(rng, n_items, share)
        solution = LeftLink().solve(scores)
        best = max(
            LeftLink().objective.value(Partition(labels), scores)
            for labels in all_partitions(n_items)
        )
        assert solution.value == pytest.approx(best, abs=1e-12)
        assert solution.bound == pytest.approx(best, abs=1e-12)
        assert solution.status == "exact"


@pytest.mark.parametrize("gamma", [0.2, 1.0])
def test_with_gamma_the_rule_never_exceeds_the_best_and_proves_nothing(gamma, rng):
    for _ in range(20):
        scores = random_scores(rng, 6)
        solution = LeftLink(gamma).solve(scores)
        best = max(
            LeftLink(gamma).objective.value(Partition(labels), scores)
            for labels in all_partitions(6)
        )
        assert solution.value <= best + 1e-12
        assert (solution.status, solution.bound) == ("local", math.inf)


def test_scores_and_temperatures_of_any_size(rng):
    """No overflow at γ = 1e-3 with scores of 1e3; as γ falls the result is that of γ = 0."""
    scores = PairScores(40, None, 1e3 * rng.normal(-1.0, size=780))
    assert LeftLink(gamma=1e-3)(scores) == LeftLink()(scores)
    huge = PairScores(3, None, [1e308, -1e308, 1e308])
    assert LeftLink(gamma=5e-324)(huge) == LeftLink()(huge) == Partition([0, 0, 0])
    tiny = PairScores(3, None, [1e-20, -9.0, 1e-20])
    assert LeftLink(gamma=1.0)(tiny) == LeftLink()(tiny) == Partition([0, 0, 0])
    low = PairScores(3, None, [-1e308, -1e308, -1e308])
    assert LeftLink(gamma=1e-3)(low).n_clusters == 3


def split(clusterer, scores, above):
    """Solve the components of the pairs above a level on their own."""
    parts = pieces(scores, above=above)
    return Partition(labels_by_piece(lambda s: clusterer(s).labels, parts, scores.n_items))


def test_components_of_positive_pairs_may_be_split_at_gamma_0_alone(rng):
    # Item 2 has measure exp(-0.1) + exp(-0.2) = 1.72 > 1 of joining {0, 1}, by no positive pair.
    scores = PairScores(4, [(0, 1), (0, 2), (1, 2)], [1.0, -0.1, -0.2])
    assert LeftLink(gamma=1)(scores) == Partition([0, 0, 0, 1])
    assert split(LeftLink(gamma=1), scores, above=0.0) == Partition([0, 0, 1, 2])
    assert split(LeftLink(gamma=1), scores, above=-np.inf) == Partition([0, 0, 0, 1])
    for _ in range(30):
        sparse = random_scores(rng, 12, share=0.15)
        for clusterer in (LeftLink(), LeftLink(gamma=0.5)):
            assert split(clusterer, sparse, above=-np.inf) == clusterer(sparse)
        assert split(LeftLink(), sparse, above=0.0) == LeftLink()(sparse)


@given(st.data())
def test_large_blocks_are_sorted_like_small_ones(data):
    """Pairs are sorted by blocks of 4,096 later items, then by item."""
    n_items = 9000
    ends = st.tuples(st.integers(0, n_items - 1), st.integers(0, n_items - 1))
    links = data.draw(st.lists(ends.map(sorted).map(tuple), max_size=30, unique=True))
    links = [link for link in links if link[0] != link[1]]
    scores = PairScores(n_items, links, np.linspace(-1, 1, len(links)))
    assert LeftLink(gamma=1.0)(scores) == textbook_sparse(scores, 1.0)


def textbook_sparse(scores, gamma):
    """The rule on the items with pairs alone; all others are alone."""
    items, pairs = np.unique(scores.pairs, return_inverse=True)
    small = PairScores(len(items), pairs.reshape(-1, 2), scores.scores)
    labels = np.arange(scores.n_items, 2 * scores.n_items)
    labels[items] = textbook(small, gamma).labels
    return Partition(labels)


@pytest.mark.parametrize("gamma", [0.0, 0.3])
def test_one_item_can_be_decided_alone(gamma, rng):
    """As in a stream, the kernel is called once per item."""
    scores = PairScores(25, None, rng.normal(-0.5, size=300))
    matrix = scores.to_matrix()
    labels, totals, count = np.empty(25, np.int32), np.zeros(25), 0
    nobody = np.empty(0, np.int32)
    for item in range(25):
        lefts = np.arange(item, dtype=np.int32)
        links = matrix[item, :item].copy()
        label = left_link(item, lefts, links, labels, gamma, totals, nobody)
        labels[item] = count if label < 0 else label
        count += label < 0
        assert not totals.any()
    assert Partition(labels) == LeftLink(gamma)(scores)


def test_every_kind_of_set_is_compiled_once(rng):
    values = rng.normal(size=(3, 2))[:, 0]
    for pairs in ([(0, 1), (0, 2), (1, 2)], [(1, 2), (0, 2), (0, 1)]):
        for apart in (None, [(0, 3)]):
            LeftLink(gamma=0.5)(PairScores(4, pairs, values, apart=apart))
    assert len(left_link_labels.signatures) == 1


def test_apart_pairs_are_grouped_by_later_item():
    scores = PairScores(5, [(0, 1)], [1.0], apart=[(3, 1), (0, 3), (0, 1)])
    starts, lefts = _cannot_links_by_item(scores)
    assert starts.tolist() == [0, 0, 1, 1, 3, 3]
    assert (lefts[0], set(lefts[1:].tolist())) == (0, {0, 1})


@pytest.mark.parametrize("gamma", [-0.1, math.nan, math.inf, "0"])
def test_bad_temperatures_are_refused(gamma):
    with pytest.raises(InputError, match="gamma"):
        LeftLink(gamma)
