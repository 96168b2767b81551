"""Small sets of scores of every kind, and slow clusterers to compare with."""

from functools import cache

import numpy as np

from coterie.pairs import PairScores, all_pairs, upper_triangle
from coterie.partition import Partition
from tests.partitions import all_partitions


def make_scores(rng, n_items, kind):
    """Make scores of all pairs: noise, planted clusters, or few different values (ties)."""
    truth = rng.integers(3, size=n_items)
    matrix = rng.normal(size=(n_items, n_items))
    if kind == "planted":
        matrix += np.where(truth[:, None] == truth, 1.0, -1.0)
    if kind == "ties":
        matrix = np.round(matrix)
    return PairScores.from_matrix(np.triu(matrix, 1) + np.triu(matrix, 1).T)


def make_listed(rng, n_items, kind, share=0.6):
    """Make scores of some pairs, in no order."""
    scores = make_scores(rng, n_items, kind)
    chosen = rng.permutation(len(scores.scores))[: round(share * len(scores.scores))]
    return PairScores(n_items, scores.pairs[chosen], scores.scores[chosen])


def make_apart(rng, scores, n_apart=2):
    """Add pairs that must be apart, listed or not."""
    ends = [rng.choice(scores.n_items, 2, replace=False) for _ in range(n_apart)]
    return PairScores(scores.n_items, scores.listed, scores.scores, apart=ends)


def small_instances(count, seed=0, max_items=8):
    """Yield sets of 2 to `max_items` items: complete or listed, some with apart pairs."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        n_items = int(rng.integers(2, max_items + 1))
        make = make_scores if number % 2 else make_listed
        scores = make(rng, n_items, ("noise", "planted", "ties")[number % 3])
        yield make_apart(rng, scores) if number % 5 == 0 else scores


def instance(number):
    """Make one of 1,000 instances of up to 8 items."""
    rng = np.random.default_rng(number)
    n_items = int(rng.integers(1, 9))
    pairs = all_pairs(n_items)
    kind = number % 5
    truth = rng.integers(0, 3, n_items)
    values = rng.normal(size=len(pairs))
    if kind == 1:
        values += np.where(truth[pairs[:, 0]] == truth[pairs[:, 1]], 1.0, -1.0)
    elif kind == 2:
        values = rng.integers(-2, 3, len(pairs)).astype(float)
    scored_pairs, apart = None, None
    if kind == 3:
        scored_pairs = rng.permutation(pairs)[: len(pairs) * 2 // 3]
        values = rng.normal(0.3, 1.0, len(scored_pairs))
    if kind == 4 or number % 7 == 0:
        apart = rng.permutation(pairs)[: n_items // 2]
        values = values + 0.5
    return PairScores(n_items, scored_pairs, values, apart=apart)


def planted(n_items, seed=0, sd=1.0, per_cluster=8):
    """Make ±1 of a random truth plus noise."""
    rng = np.random.default_rng(seed)
    scores = np.triu(rng.normal(0, sd, (n_items, n_items)), 1)
    truth = rng.integers(0, max(2, n_items // per_cluster), n_items)
    scores += np.triu(np.where(truth[:, None] == truth[None, :], 1.0, -1.0), 1)
    return PairScores(n_items, None, scores[np.triu_indices(n_items, 1)])


@cache
def every_together(n_items):
    """Return, for each partition and each pair, whether the partition joins the pair."""
    rows = [Partition(labels).together() for labels in all_partitions(n_items)]
    return np.array(rows).reshape(len(rows), -1)


def best_value(scores):
    """Return the highest correlation value of any partition that keeps apart what must be."""
    matrix = scores.to_matrix()
    if scores.apart is not None:
        first, second = scores.apart.T
        matrix[first, second] = -1e9
    return float((every_together(scores.n_items) @ upper_triangle(matrix)).max())


def keeps_apart(partition, scores):
    return scores.apart is None or not partition.together(scores.apart).any()


def naive_greedy(scores, extra=lambda labels: 0.0):
    """Merge the best two clusters, trying all; equal gains by the earliest listed pair."""
    pairs, values = scores.pairs, scores.scores
    labels = np.arange(scores.n_items)
    while True:
        best = None
        for a in np.unique(labels):
            for b in np.unique(labels[labels > a]):
                merged = np.where(labels == b, a, labels)
                if not keeps_apart(Partition(merged), scores):
                    continue
                across = np.isin(labels[pairs], [a, b]).all(1) & (
                    labels[pairs[:, 0]] != labels[pairs[:, 1]]
                )
                gain = values[across].sum() + extra(merged) - extra(labels)
                rank = min(map(tuple, pairs[across].tolist()), default=(scores.n_items,) * 2)
                if gain > 0 and (best is None or (-gain, rank) < best[:2]):
                    best = (-gain, rank, merged)
        if best is None:
            return Partition(labels)
        labels = best[2]
