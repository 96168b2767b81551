"""The gradient and curvature of risks, against finite differences and brute force."""

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


def make_pairs(seed, sizes=(5, 1, 4), blocked=False):
    """Make item sets with random truths and scores, of two thirds of the pairs if `blocked`."""
    rng = np.random.default_rng(seed)
    truths = [Partition(rng.integers(0, 3, size)) for size in sizes]
    pairs = [None] * len(sizes)
    if blocked:
        all_pairs = [np.column_stack(np.triu_indices(size, 1)) for size in sizes]
        pairs = [p[rng.permutation(len(p))[: (2 * len(p) + 2) // 3]] for p in all_pairs]
    sets = PairSets.of([blank(size) for size in sizes], truths, pairs)
    return sets, rng.normal(-0.5, 1.5, len(sets))


def plain_left_link(sets, scores, gamma):
    """Compute the loss of left-linking in plain Python."""
    total = 0.0
    for pair_set in sets.sets:
        labels, candidates = pair_set.truth.labels, pair_set.candidates
        set_scores = scores[pair_set.rows]
        for item in range(len(labels)):
            span = slice(candidates.starts[item], candidates.starts[item + 1])
            links, lefts = set_scores[span], candidates.lefts[span]
            is_right = labels[lefts] == labels[item]
            dummy = float(is_right.any())
            augmented = np.append(links + ~is_right, dummy)
            right_links = links[is_right] if is_right.any() else np.zeros(1)
            if gamma:
                total += gamma * (logsumexp(augmented / gamma) - logsumexp(right_links / gamma))
            else:
                total += augmented.max() - right_links.max()
    return total


def numerical_gradient(value, scores):
    moves = STEP * np.eye(len(scores))
    return np.array([(value(scores + m) - value(scores - m)) / (2 * STEP) for m in moves])


@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("gamma", [0.05, 0.3, 1.0])
def test_the_left_link_risk_has_its_value_and_gradient(gamma, blocked):
    sets, scores = make_pairs(3, blocked=blocked)
    risk = LeftLinkRisk(gamma).descend(sets, scores)
    assert risk.value == pytest.approx(plain_left_link(sets, scores, gamma), rel=1e-12)
    expected = numerical_gradient(lambda f: plain_left_link(sets, f, gamma), scores)
    np.testing.assert_allclose(risk.gradient, expected, atol=1e-7)


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.5, 1.0]))
@settings(max_examples=30, deadline=None)
def test_the_curvature_bounds_the_second_derivative(seed, gamma):
    sets, scores = make_pairs(seed)
    risk = LeftLinkRisk(gamma, floor=1e-9)
    curvature = risk.descend(sets, scores).curvature
    for k in range(len(scores)):
        move = 1e-5 * np.eye(len(scores))[k]
        ahead, behind = (risk.descend(sets, scores + s * move).gradient[k] for s in (1, -1))
        assert (ahead - behind) / 2e-5 <= curvature[k] + 1e-5
    assert np.all(LeftLinkRisk(gamma, floor=0.7).descend(sets, scores).curvature >= 0.7)


def test_the_curvature_of_a_wrong_link_is_its_second_derivative():
    sets, scores = make_pairs(1, sizes=(4,))
    wrong = ~sets.together
    risk = LeftLinkRisk(0.5, floor=1e-12)
    for k in np.flatnonzero(wrong):
        move = 1e-5 * np.eye(len(scores))[k]
        ahead, behind = (risk.descend(sets, scores + s * move).gradient[k] for s in (1, -1))
        curvature = risk.descend(sets, scores).curvature[k]
        assert (ahead - behind) / 2e-5 == pytest.approx(curvature, abs=1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_zero_temperature_is_the_limit(seed):
    sets, scores = make_pairs(seed)
    limit, near = (LeftLinkRisk(gamma).descend(sets, scores) for gamma in (0.0, 1e-8))
    assert near.value == pytest.approx(limit.value, abs=1e-5)
    np.testing.assert_allclose(near.gradient, limit.gradient, atol=1e-5)
    assert limit.value == pytest.approx(plain_left_link(sets, scores, 0.0), abs=1e-12)
    assert set(np.unique(limit.gradient)) <= {-1.0, 0.0, 1.0}


def test_the_gradient_of_the_limit_is_a_sub_gradient():
    """If every item is a cluster, the risk is convex, and lies above its tangents."""
    sets = PairSets.of([blank(5)], [Partition(range(5))], [None])
    rng = np.random.default_rng(0)
    risk = LeftLinkRisk(0.0)
    for _ in range(50):
        x, y = rng.normal(size=(2, len(sets)))
        at_x, at_y = risk.descend(sets, x), risk.descend(sets, y)
        assert at_y.value >= at_x.value + at_x.gradient @ (y - x) - 1e-12


def test_huge_scores_overflow_nothing():
    sets, scores = make_pairs(5)
    for gamma in (0.0, 1e-3, 1.0):
        risk = LeftLinkRisk(gamma).descend(sets, scores * 1e5)
        assert np.isfinite(risk.value)
        assert np.isfinite(risk.gradient).all()
        assert np.isfinite(risk.curvature).all()


@pytest.mark.parametrize("blocked", [False, True])
def test_the_logistic_risk_has_its_value_and_derivatives(blocked):
    sets, scores = make_pairs(2, blocked=blocked)
    risk = LogisticRisk()
    derivatives = risk.descend(sets, scores)
    expected = numerical_gradient(lambda f: risk.descend(sets, f).value, scores)
    np.testing.assert_allclose(derivatives.gradient, expected, atol=1e-7)
    signs = np.where(sets.together, 1.0, -1.0)
    assert derivatives.value == pytest.approx(np.log1p(np.exp(-signs * scores)).sum())
    probabilities = 1 / (1 + np.exp(-scores))
    np.testing.assert_allclose(derivatives.curvature, probabilities * (1 - probabilities))


def test_the_first_score_of_pairs_is_their_log_odds():
    sets, _ = make_pairs(2)
    share = (sets.together.sum() + 0.5) / (len(sets) + 1)
    assert LogisticRisk().first_score(sets) == pytest.approx(np.log(share / (1 - share)))
    assert LeftLinkRisk(start=-2.0).first_score(sets) == -2.0
    all_apart = PairSets.of([blank(3)], [Partition([0, 1, 2])], [None])
    assert np.isfinite(LogisticRisk().first_score(all_apart))


def partitions(n_items):
    return {Partition(labels) for labels in product(range(n_items), repeat=n_items)}


@pytest.mark.parametrize("seed", range(4))
def test_the_hinge_is_that_of_the_worst_partition(seed):
    """Brute force over all partitions, with the exact clusterer in the loop."""
    sets, scores = make_pairs(seed, sizes=(4, 3))
    risk = CorrelationRisk(0.0, margin=0.7, clusterer=Exact()).descend(sets, scores)
    total, gradient = 0.0, np.empty(len(scores))
    for pair_set in sets.sets:
        set_scores = pair_set.pair_scores(scores[pair_set.rows])
        truth = pair_set.is_together(pair_set.truth)
        true_value = Correlation().value(pair_set.truth, set_scores)

        def hinge(
            partition, set_scores=set_scores, truth=truth, value=true_value, pair_set=pair_set
        ):
            n_wrong = np.count_nonzero(pair_set.is_together(partition) != truth)
            return Correlation().value(partition, set_scores) + 0.7 * n_wrong - value

        worst = max(partitions(len(pair_set.truth)), key=hinge)
        total += hinge(worst)
        gradient[pair_set.rows] = pair_set.is_together(worst).astype(float) - truth
    assert risk.value == pytest.approx(total)
    np.testing.assert_array_equal(risk.gradient, gradient)


def test_the_share_mixes_the_hinge_and_the_logistic_loss():
    sets, scores = make_pairs(4, blocked=True)
    hinge, pairs = (CorrelationRisk(share).descend(sets, scores) for share in (0.0, 1.0))
    mixed = CorrelationRisk(0.25).descend(sets, scores)
    for part in ("value", "gradient"):
        expected = 0.75 * getattr(hinge, part) + 0.25 * getattr(pairs, part)
        np.testing.assert_allclose(getattr(mixed, part), expected)
    logistic = LogisticRisk().descend(sets, scores)
    assert pairs.value == pytest.approx(logistic.value)
    np.testing.assert_allclose(pairs.gradient, logistic.gradient)
    np.testing.assert_allclose(mixed.curvature, np.maximum(logistic.curvature, 0.1))


def test_each_risk_has_its_clusterer():
    assert LeftLinkRisk(0.3).clusterer == LeftLink(0.3)
    assert LogisticRisk().clusterer == Greedy()
    assert CorrelationRisk(clusterer=Exact()).clusterer == Exact()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LeftLinkRisk(gamma=-1.0), r"gamma"),
        (lambda: LeftLinkRisk(gamma=1e-200), r"use 0, or at least 1e-12"),
        (lambda: LeftLinkRisk(floor=0.0), r"floor is 0; use a number above 0"),
        (lambda: CorrelationRisk(share=1.5), r"share"),
        (lambda: CorrelationRisk(clusterer=AverageLinkage()), "for correlation clustering"),
        (lambda: CorrelationRisk(floor=0.0), r"floor is 0"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
