"""Must-link and cannot-link pairs are obeyed, and change nothing else."""

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering

from coterie import clusterers
from coterie._core.lazy import members
from coterie.clusterers import (
    AverageLinkage,
    CompleteLinkage,
    EstimatorClusterer,
    Exact,
    Greedy,
    LeftLink,
    LocalSearch,
    Pivot,
    Relaxation,
    SearchRounding,
    SingleLinkage,
    SpanningForest,
)
from coterie.clusterers._base import PairClusterer
from coterie.clusterers.constraints import constrained_partition
from coterie.clusterers.together import transitive_closure
from coterie.exceptions import ItemSetError, PairError
from coterie.objectives import Correlation
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition
from tests.memory import limit_memory
from tests.partitions import all_partitions

FAMILY = [
    member()
    for member in members(clusterers).values()
    if issubclass(member, PairClusterer) and member is not EstimatorClusterer
]
CAPABLE = [
    *(each for each in FAMILY if each.maximises is Correlation or hasattr(each, "united")),
    LocalSearch(sweeps=4),
    Relaxation(SearchRounding()),
    Pivot(n_init=3),
    SingleLinkage(threshold=0.5, missing=1.0),
    CompleteLinkage(threshold=9.0),
    AverageLinkage(threshold=-0.5, missing=1.0),
]
LINKAGES = {
    SingleLinkage: max,
    CompleteLinkage: min,
    AverageLinkage: lambda s: mean(map(Fraction, s)),
}
UNABLE = [each for each in FAMILY if each not in CAPABLE]


def named(clusterer):
    return repr(clusterer)


@st.composite
def instances(draw, max_items=7, *, ties=True):
    """Draw scores of some or all pairs, links, and pairs apart, which some partition keeps."""
    labels = np.array(draw(st.lists(st.integers(0, 3), min_size=2, max_size=max_items)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = all_pairs(len(labels))
    values = rng.normal(size=len(pairs))
    if ties and draw(st.booleans()):
        values = np.round(values)
    is_scored = rng.random(len(pairs)) < draw(st.sampled_from([1.0, 0.5, 0.1]))
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    chosen = rng.random(len(pairs)) < draw(st.sampled_from([1.0, 0.4]))
    scores = PairScores(len(labels), rng.permutation(pairs[is_scored]), values[is_scored])
    if is_scored.all():
        scores = PairScores(len(labels), None, values)
    return scores, pairs[same & chosen], pairs[~same & chosen]


def holds(partition, together, apart):
    return partition.together(together).all() and not partition.together(apart).any()


def groups_of(links, n_items):
    groups = [{item} for item in range(n_items)]
    for i, j in np.asarray(links).tolist():
        a, b = (next(g for g in groups if item in g) for item in (i, j))
        if a is not b:
            groups.remove(b)
            a |= b
    return [sorted(group) for group in groups]


def agglomerated(score, clusters, threshold=-np.inf, n_clusters=1):
    """Join the best two clusters again and again, every score computed anew."""
    while len(clusters) > n_clusters:
        best, a, b = max(
            ((score(a, b), a, b) for a, b in combinations(clusters, 2)), key=lambda join: join[0]
        )
        if best <= threshold or best == -np.inf:
            break
        clusters = [c for c in clusters if c not in (a, b)] + [a + b]
    return Partition.from_clusters(clusters)


def between(combine, scores, missing, apart):
    """Return the score of two clusters, computed of all pairs of their items."""
    score_of = {
        tuple(pair): s for pair, s in zip(scores.pairs.tolist(), scores.scores, strict=True)
    }
    banned = set(map(tuple, np.asarray(apart).tolist()))

    def score(a, b):
        pairs = [(min(i, j), max(i, j)) for i in a for j in b]
        if banned & set(pairs):
            return -np.inf
        return combine([score_of.get(pair, missing) for pair in pairs])

    return score


@pytest.mark.parametrize("clusterer", CAPABLE, ids=named)
@settings(max_examples=40)
@given(instances())
def test_constraints_hold(clusterer, drawn):
    scores, together, apart = drawn
    assert holds(constrained_partition(clusterer, scores, together), together, apart[:0])
    if clusterer.keeps_apart:
        assert holds(constrained_partition(clusterer, scores, together, apart), together, apart)
        assert holds(constrained_partition(clusterer, scores, None, apart), together[:0], apart)
    elif len(apart):
        with pytest.raises(
            PairError, match=f"{type(clusterer).__name__} does not support cannot-link pairs"
        ):
            constrained_partition(clusterer, scores, together, apart)


@given(instances())
def test_exact_is_the_best_of_all_partitions_that_keep_them(drawn):
    scores, together, apart = drawn
    partition = constrained_partition(Exact(), scores, together, apart)
    candidates = map(Partition, all_partitions(scores.n_items))
    best = max(Correlation().value(p, scores) for p in candidates if holds(p, together, apart))
    assert Correlation().value(partition, scores) == pytest.approx(best, abs=1e-9)


@given(instances(ties=False))
def test_greedy_merges_from_the_groups_on(drawn):
    scores, together, apart = drawn
    gain = between(sum, scores, 0.0, apart)
    expected = agglomerated(gain, groups_of(together, scores.n_items), threshold=1e-12)
    assert constrained_partition(Greedy(), scores, together, apart) == expected


@pytest.mark.parametrize("kind", LINKAGES)
@given(
    instances(9, ties=False),
    st.floats(-1.5, 1.5).map(lambda x: round(x, 3)),
    st.sampled_from([-0.777, 0.0123, 2.5]),
)
def test_linkage_with_a_threshold_starts_from_the_groups(kind, drawn, threshold, missing):
    scores, together, apart = drawn
    apart = apart if kind.keeps_apart else apart[:0]
    score = between(LINKAGES[kind], scores, missing, apart)
    clusterer = kind(threshold=threshold, missing=missing)
    partition = constrained_partition(clusterer, scores, together, apart)
    if scores.listed is None or missing <= threshold:  # else absent pairs tie, in any order
        assert partition == agglomerated(score, groups_of(together, scores.n_items), threshold)
    clusters = [cluster.tolist() for cluster in partition.clusters]
    assert all(score(a, b) <= threshold + 1e-12 for a, b in combinations(clusters, 2))


@pytest.mark.parametrize("kind", LINKAGES)
@given(instances(9, ties=False), st.data())
def test_linkage_into_some_clusters_starts_from_the_groups(kind, drawn, data):
    scores, together, _ = drawn
    scores = PairScores(scores.n_items, None, scores.to_condensed() + 1e-3 * noise(scores.n_items))
    groups = groups_of(together, scores.n_items)
    k = data.draw(st.integers(1, len(groups)))
    score = between(LINKAGES[kind], scores, 0.0, [])
    expected = agglomerated(score, groups, n_clusters=k)
    assert constrained_partition(kind(n_clusters=k), scores, together) == expected
    with_n_clusters = PairScores(scores.n_items, None, scores.scores, n_clusters=k)
    assert constrained_partition(kind(), with_n_clusters, together) == expected
    assert constrained_partition(
        kind(threshold=99.0), with_n_clusters, together
    ) == Partition.from_clusters(groups)


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
@given(instances(9, ties=False), st.data())
def test_linkage_into_some_clusters_keeps_groups_apart(kind, drawn, data):
    scores, together, apart = drawn
    scores = PairScores(scores.n_items, None, scores.to_condensed() + 1e-3 * noise(scores.n_items))
    groups = groups_of(together, scores.n_items)
    k = data.draw(st.integers(1, len(groups)))
    score = between(LINKAGES[kind], scores, 0.0, apart)
    expected = agglomerated(score, groups, n_clusters=k)
    if expected.n_clusters == k:
        assert constrained_partition(kind(n_clusters=k), scores, together, apart) == expected
    else:
        with pytest.raises(ItemSetError, match=f"makes at least {expected.n_clusters} clusters"):
            constrained_partition(kind(n_clusters=k), scores, together, apart)


def noise(n_items):
    """Return a random number per pair, to make the scores of absent pairs distinct."""
    return np.random.default_rng(0).normal(size=n_items * (n_items - 1) // 2)


@pytest.mark.parametrize("kind", LINKAGES)
def test_more_clusters_than_groups_are_refused(kind):
    scores = PairScores(4, None, np.arange(6.0))
    with pytest.raises(ItemSetError, match="leave 2 groups for 3 clusters; drop"):
        constrained_partition(kind(n_clusters=3), scores, [(0, 1), (2, 3)])
    assert constrained_partition(kind(n_clusters=2), scores, [(0, 3), (1, 2)]) == Partition(
        [0, 1, 1, 0]
    )


@pytest.mark.parametrize("kind", [CompleteLinkage, AverageLinkage])
@given(instances(9, ties=False), st.integers(1, 9))
def test_linkage_of_clusters_of_some_size_starts_from_the_groups(kind, drawn, max_size):
    scores, together, apart = drawn
    scores = PairScores(scores.n_items, None, scores.to_condensed() + 1e-3 * noise(scores.n_items))
    groups = groups_of(together, scores.n_items)
    score = between(LINKAGES[kind], scores, 0.0, apart)
    clusterer = kind(threshold=-1.0, max_size=max_size)
    if max(map(len, groups)) > max_size:
        with pytest.raises(ItemSetError, match=f"items, but max_size is {max_size}; drop some"):
            constrained_partition(clusterer, scores, together, apart)
    else:
        expected = agglomerated(
            lambda a, b: score(a, b) if len(a) + len(b) <= max_size else -np.inf, groups, -1.0
        )
        assert constrained_partition(clusterer, scores, together, apart) == expected


def test_the_mean_of_a_linkage_is_that_of_whole_groups():
    """Item 0 is near 1 alone: the mean with the group of 1, 2 and 3 is below the threshold."""
    scores = PairScores(4, [(0, 1), (2, 3)], [2.0, -7.0])
    assert AverageLinkage(threshold=1.0)(scores) == Partition([0, 0, 1, 2])
    partition = constrained_partition(AverageLinkage(threshold=1.0), scores, [(1, 2), (2, 3)])
    assert partition == Partition([0, 1, 1, 1])
    partition = constrained_partition(AverageLinkage(threshold=0.6), scores, [(1, 2), (2, 3)])
    assert partition == Partition([0, 0, 0, 0])


def test_a_mean_at_the_threshold_does_not_join_the_groups():
    scores = PairScores(4, None, [9.0, 0.1, 0.2, 0.3, 0.2, 9.0])
    links = [(0, 1), (2, 3)]
    assert constrained_partition(AverageLinkage(threshold=0.2), scores, links) == Partition(
        [0, 0, 1, 1]
    )
    assert constrained_partition(AverageLinkage(threshold=0.19), scores, links) == Partition(
        [0, 0, 0, 0]
    )


@given(instances())
def test_forests_join_what_positive_pairs_and_links_connect(drawn):
    scores, together, _ = drawn
    links = np.concatenate([scores.pairs[scores.scores > 0], together])
    expected = Partition.from_clusters(groups_of(links, scores.n_items))
    assert constrained_partition(SpanningForest(), scores, together) == expected


@pytest.mark.parametrize("clusterer", [*CAPABLE, LeftLink()], ids=named)
@settings(max_examples=20)
@given(instances())
def test_without_constraints_nothing_changes(clusterer, drawn):
    scores, _, _ = drawn
    plain = clusterer(scores)
    assert constrained_partition(clusterer, scores) == plain
    assert constrained_partition(clusterer, scores, [], np.empty((0, 2), dtype=int)) == plain
    # A must-link pair of an item with itself changes nothing.
    assert constrained_partition(clusterer, scores, [(0, 0)]) == plain


def test_pairs_apart_of_the_scores_hold_too():
    scores = PairScores(4, None, np.ones(6), apart=[(0, 1)])
    partition = constrained_partition(Greedy(), scores, [(1, 2)], [(2, 3)])
    assert holds(partition, [(1, 2)], [(0, 1), (2, 3)])
    with pytest.raises(
        PairError, match="0 and 1 are a cannot-link pair, but must-link pairs connect them: 0 = 1"
    ):
        constrained_partition(Greedy(), scores, [(1, 0)])


@pytest.mark.parametrize("clusterer", CAPABLE, ids=named)
@settings(max_examples=20)
@given(instances(), st.randoms(use_true_random=False))
def test_order_direction_and_repeats_of_pairs_do_not_matter(clusterer, drawn, random):
    scores, together, apart = drawn
    apart = apart if clusterer.keeps_apart else apart[:0]

    def shuffled(pairs):
        turned = [random.sample(pair, 2) for pair in pairs.tolist() * 2]
        return random.sample(turned, len(turned))

    expected = constrained_partition(clusterer, scores, together, apart)
    assert constrained_partition(clusterer, scores, shuffled(together), shuffled(apart)) == expected


@given(st.integers(3, 9), st.randoms(use_true_random=False))
def test_a_contradiction_names_a_shortest_chain(n_items, random):
    pairs = all_pairs(n_items).tolist()
    links = random.sample(pairs, random.randint(1, len(pairs)))
    steps = distances(links, n_items)
    i, j = random.choice([(i, j) for i, j in pairs if np.isfinite(steps[i, j])])
    scores = PairScores(n_items, None, np.zeros(len(pairs)))
    with pytest.raises(PairError) as refused:
        constrained_partition(Greedy(), scores, links, [(j, i)])
    message = str(refused.value)
    assert message.startswith(f"items {i} and {j} are a cannot-link pair, but ")
    assert message.endswith(f" = {j}; drop one of these pairs")
    path = [int(item) for item in re.search("them: (.*); drop", message)[1].split(" = ")]
    assert path[0] == i
    assert len(path) - 1 == steps[i, j]
    assert all(sorted(link) in links for link in pairwise(path))


def distances(links, n_items):
    """Count the links between all items, by Floyd and Warshall."""
    steps = np.where(np.eye(n_items, dtype=bool), 0.0, np.inf)
    for i, j in links:
        steps[i, j] = steps[j, i] = 1.0
    for k in range(n_items):
        steps = np.minimum(steps, steps[:, [k]] + steps[[k]])
    return steps


def test_a_long_chain_is_shortened():
    scores = PairScores(30, [], [])
    links = [(i, i + 1) for i in range(29)]
    message = r"them: 0 = 1 = 2 = 3 = 4 = 5 = … \(18 more\) … = 24 = 25 = 26 = 27 = 28 = 29;"
    with pytest.raises(PairError, match=message):
        constrained_partition(Greedy(), scores, links, [(0, 29)])


def test_pairs_that_do_not_fit_are_refused():
    scores = PairScores(3, None, np.zeros(3))
    with pytest.raises(
        PairError, match="item 1 is in a cannot-link pair with itself; drop this pair"
    ):
        constrained_partition(Greedy(), scores, cannot_link=[(0, 2), (1, 1), (2, 2)])
    with pytest.raises(PairError, match=r"must_link: pair 1 is \(0, 3\), but there are 3 items"):
        constrained_partition(Greedy(), scores, [(0, 1), (0, 3)])
    with pytest.raises(PairError, match=r"cannot_link: pairs have shape \(2,\)"):
        constrained_partition(Greedy(), scores, cannot_link=[0, 1])


@pytest.mark.parametrize("clusterer", UNABLE, ids=named)
def test_who_cannot_hold_items_together_says_so(clusterer):
    scores = PairScores(3, None, np.ones(3), n_clusters=2)
    class_names = [type(member).__name__ for member in FAMILY if member in CAPABLE]
    names = f"{', '.join(class_names[:-1])} or {class_names[-1]}"
    with pytest.raises(PairError, match=f"does not support must-link pairs; use {names}$"):
        constrained_partition(clusterer, scores, [(0, 1)])


@pytest.mark.parametrize("clusterer", FAMILY, ids=named)
def test_who_cannot_keep_items_apart_names_who_can(clusterer):
    scores = PairScores(3, None, np.ones(3), n_clusters=2, apart=[(0, 2)])
    if clusterer.keeps_apart:
        assert holds(clusterer(scores), [], [(0, 2)])
        return
    class_names = [type(member).__name__ for member in FAMILY if member.keeps_apart]
    names = f"{', '.join(class_names[:-1])} or {class_names[-1]}"
    with pytest.raises(PairError, match=f"does not support cannot-link pairs; use {names}$"):
        clusterer(scores)


def test_estimators_and_functions_cannot_hold_items_together():
    scores = PairScores(3, None, np.ones(3), n_clusters=2)
    average = EstimatorClusterer(AgglomerativeClustering(metric="precomputed", linkage="average"))
    for clusterer in (average, lambda scores: Partition([0, 0, 1])):
        with pytest.raises(PairError, match="does not support must-link pairs"):
            constrained_partition(clusterer, scores, [(0, 1)])


def test_left_linking_keeps_pairs_apart():
    scores = PairScores(3, None, np.ones(3))
    assert constrained_partition(LeftLink(), scores, cannot_link=[(0, 2)]) == Partition([0, 0, 1])


def test_a_start_is_refused_where_items_are_held_together():
    scores = PairScores(3, None, np.ones(3))
    search = LocalSearch(start=Partition([0, 1, 2]))
    assert constrained_partition(search, scores, cannot_link=[(0, 1)]).n_clusters == 2
    with pytest.raises(PairError, match="does not support must-link pairs; leave out start"):
        constrained_partition(search, scores, [(0, 1)])


@dataclass(frozen=True)
class Stubborn:
    """A clusterer of the user's own that always answers the same."""

    answer: Partition
    objective = None

    def __call__(self, scores):
        return self.answer

    def united(self, scores, links):
        return scores


def test_what_a_clusterer_broke_is_not_returned():
    scores = PairScores(4, None, np.ones(6))
    stubborn = Stubborn(Partition([0, 0, 1, 1]))
    assert constrained_partition(stubborn, scores, [(0, 1)], [(1, 2)]) == stubborn.answer
    with pytest.raises(PairError, match="Stubborn separated the must-link pair \\(1, 2\\)"):
        constrained_partition(stubborn, scores, [(0, 1), (1, 2)])
    with pytest.raises(PairError, match="Stubborn joined the cannot-link pair \\(2, 3\\)"):
        constrained_partition(stubborn, scores, cannot_link=[(0, 2), (2, 3)])


def test_groups_of_too_many_pairs_are_refused(monkeypatch):
    limit_memory(monkeypatch, 1e6)
    scores = PairScores(400, [], [])
    links = np.column_stack([np.zeros(399, dtype=int), np.arange(1, 400)])
    with pytest.raises(ItemSetError, match="list of 79,800 must-link pairs takes"):
        constrained_partition(AverageLinkage(), scores, links)
    assert constrained_partition(SingleLinkage(), scores, links).n_clusters == 1


@given(instances(12))
def test_closure_lists_every_pair_inside_the_groups_once(drawn):
    scores, together, _ = drawn
    groups = groups_of(together, scores.n_items)
    expected = [pair for group in groups for pair in combinations(group, 2)]
    assert sorted(map(tuple, transitive_closure(together, scores.n_items).tolist())) == sorted(
        expected
    )
