import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from coterie import metrics
from coterie.exceptions import InputError
from coterie.metrics.significance import _holm

# Finley & Joachims 2008, Table 3: losses of the Iterative- and the Spectral-trained model.
TABLE_3 = {
    "WebKB-L": ([45.3, 59.8, 53.1, 47.3], [53.3, 56.7, 46.6, 60.2]),
    "WebKB-N": ([63.0, 69.9, 68.8, 72.6], [61.4, 56.8, 58.2, 66.2]),
    "News": (
        [23.7, 12.7, 28.1, 3.8, 15.2, 35.9, 3.7, 3.6, 22.7, 20.4, 24.6, 20.2, 16.1, 12.2,
         19.7, 4.6, 15.0, 19.4, 19.0, 5.8, 4.8],
        [20.6, 22.2, 28.7, 3.8, 14.3, 30.4, 2.4, 4.6, 9.5, 20.4, 23.7, 15.8, 13.8, 11.9,
         14.9, 6.3, 16.2, 20.3, 19.0, 11.6, 5.8],
    ),
    "Synth": ([43.3, 53.4, 56.0, 39.3, 40.3], [55.6, 58.7, 56.7, 59.5, 63.4]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("data", "record", "w", "used", "p_value"),
    [
        ("WebKB-L", (2, 0, 2), 4, 4, None),
        ("WebKB-N", (0, 0, 4), 10, 4, 1 / 16),  # printed W = 4: a misprint
        ("News", (8, 3, 10), 30, 18, 0.26),
        ("Synth", (5, 0, 0), 15, 5, 1 / 32),
    ],
)
def test_table_4_of_supervised_k_means(data, record, w, used, p_value):
    side = "less" if record[0] > record[2] else "greater"
    comparison = metrics.compare(*TABLE_3[data], test="wilcoxon", alternative=side)
    assert (comparison.wins, comparison.ties, comparison.losses) == record
    assert comparison.n_used == used
    # The printed losses are rounded, which ties ranks on News that were not tied in the paper.
    assert abs(comparison.statistic) == pytest.approx(w, abs=1 if data == "News" else 1e-9)
    if p_value is not None:
        assert comparison.p_value == pytest.approx(p_value, abs=0.005)


def test_eight_wins_are_significant_by_the_sign_test():
    linked = TABLE_3["WebKB-L"][0] + TABLE_3["WebKB-L"][1]
    plain = TABLE_3["WebKB-N"][0] + TABLE_3["WebKB-N"][1]
    comparison = metrics.compare(linked, plain, test="sign")
    assert (comparison.statistic, comparison.wins) == (8, 8)
    assert comparison.p_value == pytest.approx(2 / 2**8)


values = st.lists(st.integers(-4, 4), min_size=1, max_size=8)


@settings(max_examples=60)
@given(values, st.sampled_from(["less", "greater", "two-sided"]))
def test_wilcoxon_is_exact_with_tied_ranks(differences, alternative):
    used = np.array([d for d in differences if d], dtype=float)
    comparison = metrics.compare(differences, np.zeros(len(differences)), alternative=alternative)
    if not len(used):
        assert comparison.p_value == 1.0
        return
    ranks = stats.rankdata(abs(used))
    sums = [np.dot(s, ranks) for s in itertools.product([0, 1], repeat=len(used))]
    rank_sum = ranks[used > 0].sum()
    low, high = np.mean(np.array(sums) <= rank_sum), np.mean(np.array(sums) >= rank_sum)
    expected = {"less": low, "greater": high, "two-sided": min(1.0, 2 * min(low, high))}
    assert comparison.p_value == pytest.approx(expected[alternative])


@pytest.mark.parametrize("alternative", ["less", "greater", "two-sided"])
def test_scipy_agrees(alternative, rng):
    for _ in range(20):
        a, b = rng.normal(size=(2, 30))
        t = metrics.compare(a, b, test="t", alternative=alternative)
        expected = stats.ttest_rel(a, b, alternative=alternative)
        assert (t.statistic, t.p_value) == pytest.approx((expected.statistic, expected.pvalue))
        w = metrics.compare(a, b, alternative=alternative)
        exact = stats.wilcoxon(a, b, alternative=alternative, method="exact")
        assert w.p_value == pytest.approx(exact.pvalue)


def test_many_differences_use_the_normal_approximation(rng):
    a = rng.normal(size=600)
    expected = stats.wilcoxon(a, method="asymptotic").pvalue
    assert metrics.compare(a, np.zeros(600)).p_value == pytest.approx(expected)


def test_holm_corrects_over_systems():
    losses = np.zeros(6)
    others = {"a": np.ones(6), "b": [1, 1, 1, 1, 1, -2], "c": [1, -1, 1, -1, 1, -1]}
    plain = [metrics.compare(losses, o).p_value for o in others.values()]
    p_values = [c.p_value for c in metrics.compare_all(losses, others).values()]
    assert p_values[0] == pytest.approx(min(1, 3 * plain[0]))
    assert p_values[1] == pytest.approx(min(1, max(p_values[0], 2 * plain[1])))
    assert p_values == sorted(p_values)
    assert metrics.compare_all(losses, {}) == {}


def test_holm_never_orders_p_values_anew():
    assert _holm([0.5, 0.01, 0.012]) == pytest.approx([0.5, 0.03, 0.03])
    assert _holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_equal_systems_do_not_differ(test):
    comparison = metrics.compare([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], test=test)
    assert comparison.p_value == 1.0
    assert comparison.ties == 3


def test_constant_differences_are_certain():
    comparison = metrics.compare([1.0, 2.0], [2.0, 3.0], test="t")
    assert (comparison.statistic, comparison.p_value) == (-np.inf, 0.0)


def test_rounding_errors_make_no_difference():
    tenths, integers = [0.3, 0.2, 0.5], [3, 2, 5]
    other_tenths, other_integers = [0.2, 0.1, 0.6], [2, 1, 6]
    rounded, exact = (
        metrics.compare(tenths, other_tenths),
        metrics.compare(integers, other_integers),
    )
    assert (rounded.p_value, rounded.statistic) == (exact.p_value, exact.statistic)
    assert metrics.compare([0.1 + 0.2], [0.3]).ties == 1
    assert metrics.compare([0.3, 0.2, 0.9], [0.1, 0.0, 0.7], test="t").statistic == np.inf


def test_own_tests_are_taken():
    comparison = metrics.compare([1.0], [2.0], test=lambda differences, side: (differences[0], 0.5))
    assert (comparison.statistic, comparison.p_value) == (-1.0, 0.5)


def test_bootstrap_interval_covers_and_repeats(rng):
    a, b = rng.normal(1.0, 1.0, 200), rng.normal(0.0, 1.0, 200)
    low, high = metrics.bootstrap_interval(a, b)
    assert low < np.mean(a - b) < high
    assert (low, high) == metrics.bootstrap_interval(a, b)
    wide = metrics.bootstrap_interval(a, b, level=0.99)
    assert wide[0] < low < high < wide[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.compare([1.0], [1.0, 2.0]), "give each system one loss"),
        (lambda: metrics.compare([np.nan], [1.0]), "NaN or infinite"),
        (lambda: metrics.compare([1.0], [1.0], test="z"), "give one of 't', 'wilcoxon', 'sign'"),
        (lambda: metrics.compare([1.0], [1.0], alternative="better"), "'two-sided', 'less'"),
        (lambda: metrics.compare([1.0], [2.0], test="t"), "needs at least two item sets"),
        (lambda: metrics.bootstrap_interval([]), "at least one item set"),
        (lambda: metrics.compare(["a"], ["b"]), "losses must be real numbers"),
        (lambda: metrics.compare([1.0], [1.0], test=["t"]), r"test is \['t'\]"),
        (lambda: metrics.compare_all([1.0], [[1.0]]), "give a dict"),
        (lambda: metrics.compare_all([1.0], {"x": [1.0, 2.0]}), "system 'x': the losses have"),
        (lambda: metrics.bootstrap_interval([1.0], n_samples=0), "n_samples is 0"),
        (lambda: metrics.bootstrap_interval([1.0], random_state=-1), "random_state is -1"),
        (lambda: metrics.bootstrap_interval([1.0], level=2), "give a finite number from 0 to 1"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
