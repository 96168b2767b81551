"""The slopes and bends of risks, against finite differences and brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from coterie.clusterers import AverageLinkage, Exact, Greedy, LeftLink
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.learners.boosting.pair_sets import PairSets
from coterie.learners.boosting.risks import CorrelationRisk, LeftLinkRisk, LogisticRisk
from coterie.objectives import Correlation
from coterie.partition import Partition

STEP = 1e-6


def blank(n_items):
    return ItemSet(np.zeros((n_items, 1)))


def made(seed, sizes=(5, 1, 4), listed=False):
    """Item sets with random truths and scores; of some only two thirds of the pairs are listed."""
    rng = np.random.default_rng(seed)
    truths = [Partition(rng.integers(0, 3, size)) for size in sizes]
    pairs = [None] * len(sizes)
    if listed:
        every = [np.column_stack(np.triu_indices(size, 1)) for size in sizes]
        pairs = [p[rng.permutation(len(p))[: (2 * len(p) + 2) // 3]] for p in every]
    sets = PairSets.of([blank(size) for size in sizes], truths, pairs)
    return sets, rng.normal(-0.5, 1.5, len(sets))


def plain_left_link(sets, scores, gamma):
    """Σ over items of γ log Σ exp((F + δ)/γ) less the same over right links, in plain Python."""
    total = 0.0
    for each in sets.sets:
        own, labels, candidates = scores[each.at], each.truth.labels, each.candidates
        for item in range(len(labels)):
            span = slice(candidates.starts[item], candidates.starts[item + 1])
            links, lefts = own[span], candidates.lefts[span]
            right = labels[lefts] == labels[item]
            dummy = float(right.any())
            every = np.append(links + ~right, dummy)
            good = links[right] if right.any() else np.zeros(1)
            if gamma:
                total += gamma * (logsumexp(every / gamma) - logsumexp(good / gamma))
            else:
                total += every.max() - good.max()
    return total


def slopes_by_differences(value, scores):
    moves = STEP * np.eye(len(scores))
    return np.array([(value(scores + m) - value(scores - m)) / (2 * STEP) for m in moves])


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("gamma", [0.05, 0.3, 1.0])
def test_left_links_are_valued_and_sloped_as_written(gamma, listed):
    sets, scores = made(3, listed=listed)
    found = LeftLinkRisk(gamma).descend(sets, scores)
    assert found.value == pytest.approx(plain_left_link(sets, scores, gamma), rel=1e-12)
    expected = slopes_by_differences(lambda f: plain_left_link(sets, f, gamma), scores)
    np.testing.assert_allclose(found.slopes, expected, atol=1e-7)


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.5, 1.0]))
@settings(max_examples=30, deadline=None)
def test_bends_bound_the_second_derivative(seed, gamma):
    sets, scores = made(seed)
    risk = LeftLinkRisk(gamma, floor=1e-9)
    bends = risk.descend(sets, scores).bends
    for k in range(len(scores)):
        move = 1e-5 * np.eye(len(scores))[k]
        ahead, behind = (risk.descend(sets, scores + s * move).slopes[k] for s in (1, -1))
        assert (ahead - behind) / 2e-5 <= bends[k] + 1e-5
    assert np.all(LeftLinkRisk(gamma, floor=0.7).descend(sets, scores).bends >= 0.7)


def test_the_bend_of_a_wrong_link_is_its_second_derivative():
    sets, scores = made(1, sizes=(4,))
    wrong = ~sets.together
    risk = LeftLinkRisk(0.5, floor=1e-12)
    for k in np.flatnonzero(wrong):
        move = 1e-5 * np.eye(len(scores))[k]
        ahead, behind = (risk.descend(sets, scores + s * move).slopes[k] for s in (1, -1))
        bend = risk.descend(sets, scores).bends[k]
        assert (ahead - behind) / 2e-5 == pytest.approx(bend, abs=1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_no_temperature_is_the_limit(seed):
    sets, scores = made(seed)
    limit, near = (LeftLinkRisk(gamma).descend(sets, scores) for gamma in (0.0, 1e-8))
    assert near.value == pytest.approx(limit.value, abs=1e-5)
    np.testing.assert_allclose(near.slopes, limit.slopes, atol=1e-5)
    assert limit.value == pytest.approx(plain_left_link(sets, scores, 0.0), abs=1e-12)
    assert set(np.unique(limit.slopes)) <= {-1.0, 0.0, 1.0}


def test_the_limit_is_a_sub_gradient_of_the_worst_part():
    """With every item alone the risk is convex, and a sub-gradient never overshoots."""
    sets = PairSets.of([blank(5)], [Partition(range(5))], [None])
    rng = np.random.default_rng(0)
    risk = LeftLinkRisk(0.0)
    for _ in range(50):
        here, there = rng.normal(size=(2, len(sets)))
        at, other = risk.descend(sets, here), risk.descend(sets, there)
        assert other.value >= at.value + at.slopes @ (there - here) - 1e-12


def test_huge_scores_overflow_nothing():
    sets, scores = made(5)
    for gamma in (0.0, 1e-3, 1.0):
        found = LeftLinkRisk(gamma).descend(sets, scores * 1e5)
        assert np.isfinite(found.value)
        assert np.isfinite(found.slopes).all()
        assert np.isfinite(found.bends).all()


@pytest.mark.parametrize("listed", [False, True])
def test_pairs_are_sloped_by_their_probability(listed):
    sets, scores = made(2, listed=listed)
    risk = LogisticRisk()
    found = risk.descend(sets, scores)
    expected = slopes_by_differences(lambda f: risk.descend(sets, f).value, scores)
    np.testing.assert_allclose(found.slopes, expected, atol=1e-7)
    sides = np.where(sets.together, 1.0, -1.0)
    assert found.value == pytest.approx(np.log1p(np.exp(-sides * scores)).sum())
    odds = 1 / (1 + np.exp(-scores))
    np.testing.assert_allclose(found.bends, odds * (1 - odds))


def test_the_first_score_of_pairs_is_their_log_odds():
    sets, _ = made(2)
    share = (sets.together.sum() + 0.5) / (len(sets) + 1)
    assert LogisticRisk().first_score(sets) == pytest.approx(np.log(share / (1 - share)))
    assert LeftLinkRisk(start=-2.0).first_score(sets) == -2.0
    alone = PairSets.of([blank(3)], [Partition([0, 1, 2])], [None])
    assert np.isfinite(LogisticRisk().first_score(alone))


def partitions(n_items):
    return {Partition(labels) for labels in product(range(n_items), repeat=n_items)}


@pytest.mark.parametrize("seed", range(4))
def test_the_hinge_is_that_of_the_worst_partition(seed):
    """Brute force over all partitions, with the exact clusterer in the loop."""
    sets, scores = made(seed, sizes=(4, 3))
    found = CorrelationRisk(0.0, margin=0.7, clusterer=Exact()).descend(sets, scores)
    total, slopes = 0.0, np.empty(len(scores))
    for each in sets.sets:
        scored, truth = each.scored(scores[each.at]), each.together(each.truth)
        right = Correlation().value(each.truth, scored)

        def lost(other, scored=scored, truth=truth, right=right, each=each):
            wrong = np.count_nonzero(each.together(other) != truth)
            return Correlation().value(other, scored) + 0.7 * wrong - right

        worst = max(partitions(len(each.truth)), key=lost)
        total += lost(worst)
        slopes[each.at] = each.together(worst).astype(float) - truth
    assert found.value == pytest.approx(total)
    np.testing.assert_array_equal(found.slopes, slopes)


def test_the_share_mixes_hinge_and_pairs():
    sets, scores = made(4, listed=True)
    hinge, pairs = (CorrelationRisk(share).descend(sets, scores) for share in (0.0, 1.0))
    mixed = CorrelationRisk(0.25).descend(sets, scores)
    for part in ("value", "slopes"):
        expected = 0.75 * getattr(hinge, part) + 0.25 * getattr(pairs, part)
        np.testing.assert_allclose(getattr(mixed, part), expected)
    plain = LogisticRisk().descend(sets, scores)
    assert pairs.value == pytest.approx(plain.value)
    np.testing.assert_allclose(pairs.slopes, plain.slopes)
    np.testing.assert_allclose(mixed.bends, np.maximum(plain.bends, 0.1))


def test_each_risk_knows_what_predicts():
    assert LeftLinkRisk(0.3).clusterer == LeftLink(0.3)
    assert LogisticRisk().clusterer == Greedy()
    assert CorrelationRisk(clusterer=Exact()).clusterer == Exact()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LeftLinkRisk(gamma=-1.0), r"gamma"),
        (lambda: LeftLinkRisk(gamma=1e-200), r"give 0, or at least 1e-12"),
        (lambda: LeftLinkRisk(floor=0.0), r"floor is 0; give a number above 0"),
        (lambda: CorrelationRisk(share=1.5), r"share"),
        (lambda: CorrelationRisk(clusterer=AverageLinkage()), r"maximises correlation"),
        (lambda: CorrelationRisk(floor=0.0), r"floor is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
