"""The online rule in plain Python, and what the tests of streams share."""

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
"""How many items come together; all that follow come one by one."""

SIMILARITY = LinearSimilarity(WithConstant(GivenFeatures()), [1.0, -0.5, 2.0, -0.25])


@dataclass(frozen=True, eq=False)
class Looked:
    """Scores looked up in a matrix, by a column of the items that has their numbers."""

    matrix: Any

    def __call__(self, item_set, pairs=None):
        items = item_set.items
        numbers = items["number"] if isinstance(items, Columns) else items[:, 0]
        known = np.arange(len(self.matrix))[np.asarray(numbers, dtype=int)]
        first, second = known[all_pairs(len(item_set)) if pairs is None else pairs].T
        return self.matrix[first, second]

    def pair_scores(self, item_set, pairs=None):
        return PairScores(len(item_set), pairs, self(item_set, pairs))


def symmetric(values):
    return np.triu(values, 1) + np.triu(values, 1).T


def random_scores(n_items):
    return symmetric(np.random.default_rng(n_items).normal(0.5, size=(n_items, n_items)))


def numbered(matrix):
    return np.arange(len(matrix), dtype=float)[:, None]


def stream_of(scores, clusterer, rule=None):
    return Stream(Model(AllPairs(), Looked(scores), clusterer), rule)


def fed(stream, items, cuts=()):
    """Add items in pieces of some sizes, then one by one."""
    n_items = items.shape[0] if sp.issparse(items) else len(items)
    found, start = [], 0
    for cut in cuts:
        found += stream.add_many(items[start : start + cut])
        start += cut
    return found + [stream.add(items[place]) for place in range(start, n_items)]


def labels(assignments):
    return [each.cluster for each in assignments]


def online(matrix, clusterer, candidates):
    """Decide item by item, with one option a cluster of candidates, and None for a new one."""
    found, n_clusters = [], 0
    for item, lefts in enumerate(candidates):
        options = {None: [(0.0, -1)]}
        for left in lefts:
            options.setdefault(found[left].cluster, []).append((matrix[item, left], left))
        best = pick(options, clusterer)
        chances = chances_of(options, clusterer, best)
        linked = None if best is None else max(options[best], key=lambda o: (o[0], -o[1]))[1]
        del options[best]
        second = pick(options, clusterer) if options else None
        runner_up = RunnerUp(second, chances[second]) if options else None
        cluster = n_clusters if best is None else best
        found.append(Assignment(cluster, chances[best], linked, runner_up))
        n_clusters += best is None
    return found


def pick(options, clusterer):
    if clusterer == LeftLink(0):
        return max(options, key=lambda c: max((score, -left) for score, left in options[c]))
    top = max(score for own in options.values() for score, _ in own)
    return max(options, key=lambda c: (total(options[c], top, clusterer), c is None, -(c or 0)))


def total(own, top, clusterer):
    """Add in the order of the candidates, as in batch, so that ties are the same ones."""
    result = 0.0
    for score, _ in own:
        sums = isinstance(clusterer, SumLink)
        result += score if sums else math.exp((score - top) / clusterer.gamma)
    return result


def chances_of(options, clusterer, best):
    if isinstance(clusterer, SumLink):
        return dict.fromkeys(options)
    if not clusterer.gamma:
        return {cluster: float(cluster == best) for cluster in options}
    top = max(score for own in options.values() for score, _ in own)
    measures = {cluster: total(own, top, clusterer) for cluster, own in options.items()}
    return {cluster: own / sum(measures.values()) for cluster, own in measures.items()}


def assert_same(found, expected):
    def shape(each):
        return each.cluster, each.linked_to, each.runner_up and each.runner_up.cluster

    def chances(each):
        both = [each.probability, each.runner_up and each.runner_up.probability]
        return [-1.0 if chance is None else chance for chance in both]

    assert [shape(each) for each in found] == [shape(each) for each in expected]
    for own, wanted in zip(found, expected, strict=True):
        assert (own.runner_up is None) == (wanted.runner_up is None)
        assert chances(own) == pytest.approx(chances(wanted), rel=1e-12)
