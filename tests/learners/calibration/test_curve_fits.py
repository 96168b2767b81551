"""The curves of calibrations against independent fits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from coterie.exceptions import InputError
from coterie.learners import PAV, Platt

METHODS = [Platt(), PAV()]

points = st.lists(
    st.tuples(st.integers(-50, 50), st.sampled_from([0.0, 1.0])), min_size=1, max_size=30
).map(lambda pairs: (np.array([s / 7.0 for s, _ in pairs]), np.array([t for _, t in pairs])))


def platt_by_scipy(scores, targets):
    """Return slope and intercept of Platt 1999 by a general optimiser."""
    n_ones = targets.sum()
    ones, zeros = (n_ones + 1) / (n_ones + 2), 1 / (len(targets) - n_ones + 2)
    smoothed = targets * ones + (1 - targets) * zeros

    def loss(params):
        odds = params[0] * scores + params[1]
        return np.mean(np.logaddexp(0.0, odds) - smoothed * odds)

    result = minimize(loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 0})
    return result.x


@pytest.mark.parametrize("shares", [False, True])
def test_platt_is_the_most_likely_curve(rng, shares):
    scores = rng.normal(2.0, 3.0, size=200)
    chances = expit(0.8 * scores - 1.5)
    targets = rng.binomial(4, chances) / 4.0 if shares else (rng.random(200) < chances) * 1.0
    curve = Platt().fit(scores, targets)
    assert np.allclose([curve.slope, curve.intercept], platt_by_scipy(scores, targets), atol=1e-5)


@given(points=points, scale=st.floats(0.01, 100.0), shift=st.floats(-100.0, 100.0))
def test_platt_does_not_see_scale_and_shift(points, scale, shift):
    scores, targets = points
    plain, moved = Platt().fit(scores, targets), Platt().fit(scale * scores + shift, targets)
    assert np.allclose(plain(scores), moved(scale * scores + shift), atol=1e-5)


@given(points=points)
def test_pav_sees_the_order_of_scores_alone(points):
    scores, targets = points
    plain, moved = PAV().fit(scores, targets), PAV().fit(np.exp(scores), targets)
    assert np.allclose(moved.scores, np.exp(plain.scores))
    assert np.allclose(moved.probabilities, plain.probabilities)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_tiny_scores_are_told_apart(method):
    curve = method.fit([0.0, 1e-20, 2e-20, 3e-20], [0, 0, 1, 1])
    assert curve([0.0])[0] < 0.4
    assert curve([3e-20])[0] > 0.6


@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(points=points)
def test_curves_never_fall_and_nothing_is_certain(method, points):
    scores, targets = points
    probabilities = method.fit(scores, targets)(np.linspace(-9.0, 9.0, 101))
    assert np.all(np.diff(probabilities) >= 0)
    fitted = method.fit(scores, targets)(scores)
    assert np.all((fitted > 0) & (fitted < 1))


def plain_isotonic(scores, targets):
    """Return the level at each i: the maximum over a ≤ i of min over b ≥ i of mean(a..b)."""
    groups = [targets[scores == score] for score in np.unique(scores)]
    n = len(groups)
    means = [
        [np.concatenate(groups[a : b + 1]).mean() if a <= b else np.nan for b in range(n)]
        for a in range(n)
    ]
    return np.array([max(min(means[a][i:]) for a in range(i + 1)) for i in range(n)])


@given(points=points)
def test_pav_is_isotonic_regression_but_for_sure_ends(points):
    scores, targets = points
    expected = plain_isotonic(scores, targets)
    levels = PAV().fit(scores, targets)(np.unique(scores))
    inner = (expected > expected[0]) & (expected < expected[-1])
    assert np.allclose(levels[inner], expected[inner])
    n_first = sum(scores <= np.unique(scores)[expected == expected[0]][-1])
    n_last = sum(scores >= np.unique(scores)[expected == expected[-1]][0])
    below = expected[expected < expected[-1]].max(initial=0.0)
    above = expected[expected > expected[0]].min(initial=1.0)
    if expected[0] < expected[-1]:
        assert levels[0] == pytest.approx(min(max(expected[0], 1 / (n_first + 2)), above))
        assert levels[-1] == pytest.approx(max(min(expected[-1], 1 - 1 / (n_last + 2)), below))
    else:
        level = np.clip(expected[0], 1 / (n_first + 2), 1 - 1 / (n_last + 2))
        assert np.allclose(levels, level)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_few_and_one_sided_points(method):
    assert method.fit([], [])([-1.0, 3.0]).tolist() == [0.5, 0.5]
    ones = method.fit([1.0, 2.0, 3.0], [1, 1, 1])([1.0, 9.0])
    assert np.allclose(ones, 4 / 5)
    same = method.fit([2.0] * 8, [1] * 2 + [0] * 6)([0.0, 9.0])
    assert same[0] == same[1]
    assert 0.25 <= same[0] < 0.35


def test_scores_that_mislead_count_for_nothing():
    curve = Platt().fit([0.0, 1.0, 2.0, 3.0], [1, 1, 0, 0])
    assert curve.slope == 0
    assert curve([0.0])[0] == pytest.approx(0.5)


def test_perfect_scores_have_a_finite_slope():
    curve = Platt().fit(np.arange(1000.0), np.arange(1000) >= 500)
    assert 0 < curve.slope < 10
    assert curve([0.0])[0] < 0.01
    assert curve([999.0])[0] > 0.99


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize(
    ("scores", "targets", "message"),
    [
        ([0.0, 1.0], [1.0], "give one target per score"),
        ([[0.0]], [[1.0]], "give one target per score"),
        ([0.0, np.nan], [0, 1], "some scores are NaN"),
        ([0.0, 1.0], [0, 2], "some targets are not numbers from 0 to 1"),
        ([0.0, 1.0], [0, np.nan], "some targets are not numbers from 0 to 1"),
    ],
)
def test_refusals(method, scores, targets, message):
    with pytest.raises(InputError, match=message):
        method.fit(scores, targets)
