"""Components are clustered alone as they are among others; the order of pairs changes nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from coterie.clusterers import (
    AverageLinkage,
    CompleteLinkage,
    Exact,
    Greedy,
    LeftLink,
    SingleLinkage,
    SpanningForest,
)
from coterie.clusterers.second_look import decide
from coterie.pairs import PairScores
from coterie.partition import Partition

CLUSTERERS = [
    AverageLinkage(threshold=0.0, missing=-1.0),
    AverageLinkage(threshold=0.0, missing=-1.0, max_size=3, size_cost=0.5),
    CompleteLinkage(threshold=0.0, missing=-1.0),
    SingleLinkage(threshold=0.0),
    Exact(),
    Greedy(),
    LeftLink(),
    SpanningForest(),
]
EXACT_TIES = CLUSTERERS[3:]
"""Average and complete linkage resolve ties by the share of pairs that are scored."""
NONE = np.empty((0, 2), dtype=np.intp)


def random_scores(seed, n_groups, *, has_ties=False):
    """Score random pairs in groups of items, which are shuffled, and some pairs between them."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, n_groups)
    groups = np.repeat(np.arange(n_groups), sizes)
    first, second = np.triu_indices(len(groups), 1)
    is_inside = groups[first] == groups[second]
    chosen = rng.random(len(first)) < np.where(is_inside, rng.choice([0.3, 0.9]), 0.05)
    scores = rng.normal(0.3, 1.5, chosen.sum())
    scores = np.where(is_inside[chosen], scores, -np.abs(scores))
    scores = np.round(scores) if has_ties else scores
    items = rng.permutation(len(groups))
    return PairScores(len(groups), items[np.column_stack([first, second])[chosen]], scores)


def components(scores):
    """Return the items of each component of the pairs that score above 0."""
    above = scores.pairs[scores.scores > 0]
    graph = coo_array((np.ones(len(above)), above.T), shape=(scores.n_items, scores.n_items))
    return Partition(connected_components(graph, directed=False)[1]).clusters


def among(scores, items):
    """Return the scores of the pairs of some items."""
    index = np.full(scores.n_items, -1)
    index[items] = np.arange(len(items))
    inside = (index[scores.pairs] >= 0).all(axis=1)
    return PairScores(len(items), index[scores.pairs[inside]], scores.scores[inside])


def score_of_pairs(scores):
    return dict(zip(map(tuple, scores.pairs.tolist()), scores.scores.tolist(), strict=True))


def clustered_alone(cluster, scores):
    labels = np.empty(scores.n_items, dtype=np.intp)
    for items in components(scores):
        labels[items] = items[cluster(among(scores, items)).labels]
    return Partition(labels)


SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("clusterer", CLUSTERERS, ids=str)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n_groups=st.integers(1, 12))
def test_a_component_alone_is_clustered_as_among_others(clusterer, seed, n_groups):
    scores = random_scores(seed, n_groups, has_ties=clusterer in EXACT_TIES and seed % 2 == 1)
    assert clustered_alone(clusterer, scores) == clusterer(scores)


@pytest.mark.parametrize("clusterer", CLUSTERERS, ids=str)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n_groups=st.integers(1, 12))
def test_the_order_of_pairs_changes_nothing(clusterer, seed, n_groups):
    scores = random_scores(seed, n_groups, has_ties=seed % 2 == 1)
    order = np.random.default_rng(seed).permutation(len(scores.scores))
    shuffled = PairScores(scores.n_items, scores.pairs[order], scores.scores[order])
    assert clusterer(shuffled) == clusterer(scores)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n_groups=st.integers(1, 12))
def test_a_component_alone_has_the_second_look_that_it_has_among_others(seed, n_groups):
    scores = random_scores(seed, n_groups)
    clusterer = AverageLinkage(threshold=0.0, missing=-1.0)

    def decided(scores, items):
        def score(pairs):
            return np.sin(items[pairs].prod(axis=1))

        return decide(clusterer, scores, score, NONE, NONE)

    whole = decided(scores, np.arange(scores.n_items))
    labels = np.empty(scores.n_items, dtype=np.intp)
    for items in components(scores):
        alone = decided(among(scores, items), items)
        labels[items] = items[alone.partition.labels]
        assert score_of_pairs(alone.scores) == score_of_pairs(among(whole.scores, items))
    assert Partition(labels) == whole.partition
