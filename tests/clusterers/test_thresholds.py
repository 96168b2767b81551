"""Partitions at many thresholds, against the clusterer at each of them."""

import numpy as np
import pytest

from coterie.clusterers import AverageLinkage, CompleteLinkage, Greedy
from coterie.clusterers.thresholds import lower_missing_score, partitions_at, subtract_threshold
from coterie.pairs import PairScores, all_pairs


def make_scores(rng, n_items, share, apart):
    pairs = all_pairs(n_items)
    pairs = pairs[rng.random(len(pairs)) < share] if share < 1 else None
    n_pairs = n_items * (n_items - 1) // 2 if pairs is None else len(pairs)
    barred = [(0, 1), (2, n_items - 1)] if apart else None
    return PairScores(n_items, pairs, rng.normal(size=n_pairs), apart=barred)


@pytest.mark.parametrize("kind", [AverageLinkage, CompleteLinkage])
@pytest.mark.parametrize("share", [1.0, 0.4, 0.05])
@pytest.mark.parametrize("missing", [0.0, -0.45, 0.3])
def test_cuts_are_those_of_the_clusterer_at_each_threshold(kind, share, missing):
    rng = np.random.default_rng(0)
    for trial in range(8):
        scores = make_scores(rng, 60, share, apart=trial % 2 == 0)
        clusterer = kind(missing=missing, max_size=None if trial % 4 < 2 else 6)
        thresholds = np.append(rng.normal(size=6), [0.0, -0.45])
        if share < 1:
            # Below their score absent pairs tie, and join in any order.
            thresholds = thresholds[thresholds >= missing]
        partitions = partitions_at(clusterer, scores, thresholds)
        expected = [
            lower_missing_score(clusterer, threshold)(subtract_threshold(scores, threshold))
            for threshold in thresholds
        ]
        assert partitions == expected


def test_linkage_joins_once_for_all_thresholds(monkeypatch):
    calls = []
    joins = AverageLinkage.joins

    def counted(self, scores, above):
        calls.append(above)
        return joins(self, scores, above)

    monkeypatch.setattr(AverageLinkage, "joins", counted)
    scores = make_scores(np.random.default_rng(0), 40, 0.3, apart=False)
    partitions_at(AverageLinkage(missing=-1.0, max_size=9), scores, np.array([0.5, -0.5, 0.0]))
    assert calls == [-0.5]
    partitions_at(AverageLinkage(missing=-1.0), scores, np.array([-1.5, 0.5, -2.0]))
    assert calls[1:] == [-2.0, 0.5]


def test_no_items_and_no_thresholds():
    clusterer = AverageLinkage(missing=-1.0)
    assert [len(p) for p in partitions_at(clusterer, PairScores(0, None, []), np.zeros(2))] == [
        0,
        0,
    ]
    scores = make_scores(np.random.default_rng(0), 9, 0.5, apart=False)
    assert partitions_at(clusterer, scores, np.empty(0)) == []


def test_an_absent_pair_falls_with_the_others_to_nothing():
    assert lower_missing_score(AverageLinkage(missing=-0.5), -0.5).missing == 0.0
    assert lower_missing_score(AverageLinkage(missing=-0.5), 0.25).missing == -0.75
    assert lower_missing_score(AverageLinkage(), 0.25).missing == 0.0


def test_a_clusterer_of_the_users_own_is_asked_at_each_threshold():
    scores = make_scores(np.random.default_rng(0), 9, 1.0, apart=False)
    thresholds = np.array([0.5, -0.5])
    partitions = partitions_at(Greedy().__call__, scores, thresholds)
    assert partitions == partitions_at(Greedy(), scores, thresholds)
