"""The online rule in plain Python, and helpers for tests of streams."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

from coterie.blocking import AllPairs
from coterie.clusterers import LeftLink, SumLink
from coterie.features import GivenFeatures, WithConstant
from coterie.items import Columns
from coterie.model import Model
from coterie.pairs import PairScores, all_pairs
from coterie.similarities import LinearSimilarity
from coterie.stream import Assignment, RunnerUp, Stream

CUTS = st.lists(st.integers(1, 4), max_size=12)
"""Sizes of the blocks that items are added in; all further items are added one by one."""

SIMILARITY = LinearSimilarity(WithConstant(GivenFeatures()), [1.0, -0.5, 2.0, -0.25])


@dataclass(frozen=True, eq=False)
class MatrixSimilarity:
    """Scores from a matrix; a column of the items holds the indices of its rows."""

    matrix: Any

    def __call__(self, item_set, pairs=None):
        items = item_set.items
        numbers = items["number"] if isinstance(items, Columns) else items[:, 0]
        indices = np.arange(len(self.matrix))[np.asarray(numbers, dtype=int)]
        first, second = indices[all_pairs(len(item_set)) if pairs is None else pairs].T
        return self.matrix[first, second]

    def pair_scores(self, item_set, pairs=None):
        return PairScores(len(item_set), pairs, self(item_set, pairs))


def symmetric(values):
    return np.triu(values, 1) + np.triu(values, 1).T


def random_scores(n_items):
    return symmetric(np.random.default_rng(n_items).normal(0.5, size=(n_items, n_items)))


def item_numbers(matrix):
    return np.arange(len(matrix), dtype=float)[:, None]


def stream_of(scores, clusterer, rule=None):
    return Stream(Model(AllPairs(), MatrixSimilarity(scores), clusterer), rule)


def feed(stream, items, cuts=()):
    """Add blocks of items of the sizes `cuts`, then single items."""
    n_items = items.shape[0] if sp.issparse(items) else len(items)
    assignments, start = [], 0
    for cut in cuts:
        assignments += stream.add_many(items[start : start + cut])
        start += cut
    return assignments + [stream.add(items[index]) for index in range(start, n_items)]


def labels(assignments):
    return [assignment.cluster for assignment in assignments]


def plain_assignments(matrix, clusterer, candidates):
    """Decide item by item; an option is a cluster of candidates, or None for a new cluster."""
    assignments, n_clusters = [], 0
    for item, lefts in enumerate(candidates):
        options = {None: [(0.0, -1)]}
        for left in lefts:
            options.setdefault(assignments[left].cluster, []).append((matrix[item, left], left))
        best = best_option(options, clusterer)
        chances = probabilities(options, clusterer, best)
        linked = None if best is None else max(options[best], key=lambda o: (o[0], -o[1]))[1]
        del options[best]
        second = best_option(options, clusterer) if options else None
        runner_up = RunnerUp(second, chances[second]) if options else None
        cluster = n_clusters if best is None else best
        assignments.append(Assignment(cluster, chances[best], linked, runner_up))
        n_clusters += best is None
    return assignments


def best_option(options, clusterer):
    if clusterer == LeftLink(0):
        return max(options, key=lambda c: max((score, -left) for score, left in options[c]))
    top = max(score for links in options.values() for score, _ in links)
    return max(
        options, key=lambda c: (total_weight(options[c], top, clusterer), c is None, -(c or 0))
    )


def total_weight(links, top, clusterer):
    """Add scores in the order of the candidates, as clusterers do, so that ties are the same."""
    result = 0.0
    for score, _ in links:
        sums = isinstance(clusterer, SumLink)
        result += score if sums else math.exp((score - top) / clusterer.gamma)
    return result


def probabilities(options, clusterer, best):
    if isinstance(clusterer, SumLink):
        return dict.fromkeys(options)
    if not clusterer.gamma:
        return {cluster: float(cluster == best) for cluster in options}
    top = max(score for links in options.values() for score, _ in links)
    totals = {cluster: total_weight(links, top, clusterer) for cluster, links in options.items()}
    return {cluster: value / sum(totals.values()) for cluster, value in totals.items()}


def assert_same(assignments, expected):
    def decision(a):
        return a.cluster, a.linked_to, a.runner_up and a.runner_up.cluster

    def chances(a):
        values = [a.probability, a.runner_up and a.runner_up.probability]
        return [-1.0 if value is None else value for value in values]

    assert list(map(decision, assignments)) == list(map(decision, expected))
    for actual, correct in zip(assignments, expected, strict=True):
        assert (actual.runner_up is None) == (correct.runner_up is None)
        assert chances(actual) == pytest.approx(chances(correct), rel=1e-12)
