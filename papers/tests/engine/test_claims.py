"""Claims of papers: verdicts, significance tests, and the table of claims."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from coterie.exceptions import InputError
from coterie.metrics import compare
from coterie_papers.engine.claims import Claim, claims_table, least_p

SCORES = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=3, max_size=12
).filter(lambda pairs: len({a - b for a, b in pairs}) > 1)


@pytest.mark.parametrize(
    ("gain", "p_value", "equal", "verdict"),
    [
        (1.0, 0.01, False, "yes"),
        (1.0, 0.05, False, "not significant"),
        (1.0, None, False, "yes, not tested"),
        (0.0, None, False, "no, not tested"),
        (-1.0, 0.01, False, "no: the reverse"),
        (-1.0, 0.5, False, "no"),
        (-1.0, None, False, "no, not tested"),
        (1.0, 0.01, True, "no: significant difference"),
        (-1.0, 0.01, True, "no: significant difference"),
        (-1.0, 0.05, True, "yes: no significant difference"),
        (1.0, None, True, "not tested"),
    ],
)
@pytest.mark.parametrize("with_direction", [False, True])
def test_a_verdict_follows_from_gain_and_significance(
    gain, p_value, equal, verdict, with_direction
):
    direction = gain if with_direction else None
    assert Claim("a", gain, p_value, equal, direction=direction).verdict == verdict


@pytest.mark.parametrize(
    ("gain", "p_value", "equal", "verdict"),
    [
        (1.0, 0.01, False, "mixed"),
        (-1.0, 0.01, False, "mixed"),
        (1.0, 0.5, False, "not significant"),
        (-1.0, 0.5, False, "no"),
        (1.0, 0.01, True, "no: significant difference"),
        (1.0, None, False, "yes, not tested"),
    ],
)
def test_a_significant_test_against_the_mean_is_mixed(gain, p_value, equal, verdict):
    assert Claim("a", gain, p_value, equal, direction=-gain).verdict == verdict


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_one_large_win_against_many_losses_is_mixed(test):
    """The mean is much better, but 15 of 16 sets are a little worse."""
    losses = [1.1 + 0.01 * n for n in range(15)] + [0.0]
    others = [1.0] * 15 + [60.0]
    claim = Claim.of("a", losses, others, test, lower=True)
    assert claim.gain > 3
    assert claim.p_value < 0.01
    assert (claim.verdict, claim.spread) == ("mixed", "1 of 16")
    assert Claim.of("a", others, losses, test, lower=True).verdict == "mixed"
    negated = [[-loss for loss in method] for method in (losses, others)]
    assert Claim.of("a", *negated, test).verdict == "mixed"


@given(SCORES)
def test_a_t_test_is_never_mixed(pairs):
    first, second = np.array(pairs, dtype=float).T
    assert Claim.of("a", first, second, "t").verdict != "mixed"


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
@pytest.mark.parametrize("n_sets", range(1, 9))
def test_too_few_sets_are_not_tested(test, n_sets):
    """The smallest p-value is that of SciPy's test; below it, claims are not tested."""
    best = stats.binomtest(n_sets, n_sets).pvalue
    assert least_p(test, n_sets) == pytest.approx(best)
    assert least_p(test, n_sets) == compare(np.arange(n_sets), [99.0] * n_sets, test).p_value
    claim = Claim.of("a", np.arange(n_sets), [99.0] * n_sets, test, lower=True)
    assert claim.spread == f"{n_sets} of {n_sets}"
    expected = ("yes", best) if n_sets >= 6 else ("yes, not tested", None)
    assert (claim.verdict, claim.p_value) == expected
    equal = Claim.of("a", np.arange(n_sets), [99.0] * n_sets, test, equal=True)
    assert equal.verdict == ("no: significant difference" if n_sets >= 6 else "not tested")


def test_a_corrected_p_value_needs_more_sets():
    comparison = compare(np.arange(7), [99.0] * 7)  # p = 0.0156
    assert Claim.from_comparison("a", 1.0, comparison, n_tests=3).verdict == "yes"
    assert Claim.from_comparison("a", 1.0, comparison, n_tests=4).verdict == "yes, not tested"


def test_a_t_test_needs_two_sets():
    assert Claim.of("a", [2.0], [1.0], "t").verdict == "yes, not tested"
    assert Claim.of("a", [2.0, 3.0], [1.0, 2.0], "t").verdict == "yes"


def test_the_spread_counts_ties():
    claim = Claim.of("a", [1.0, 2.0, 3.0], [1.0, 2.0, 2.0], "wilcoxon")
    assert claim.spread == "1 of 3, 2 tied"


@given(SCORES)
def test_scores_are_compared_by_scipys_paired_t_test(pairs):
    first, second = np.array(pairs, dtype=float).T
    claim = Claim.of("a", first, second, "t")
    assert claim.gain == pytest.approx(first.mean() - second.mean())
    assert claim.p_value == pytest.approx(stats.ttest_rel(first, second).pvalue)


@given(SCORES)
def test_lower_scores_are_better_reverses_the_gain_but_not_the_test(pairs):
    first, second = np.array(pairs, dtype=float).T
    higher = Claim.of("a", first, second, "wilcoxon")
    lower = Claim.of("a", first, second, "wilcoxon", lower=True, equal=True)
    assert lower.gain == pytest.approx(-higher.gain)
    assert lower.p_value == higher.p_value
    if higher.p_value is not None:
        assert lower.direction == -higher.direction
        assert higher.p_value == pytest.approx(compare(first, second).p_value)
    assert lower.equal
    assert not higher.equal


def test_scores_without_a_difference_are_equal():
    claim = Claim.of("a", [1.0, 2.0], [1.0, 2.0], "t", lower=True, equal=True)
    assert claim.verdict == "yes: no significant difference"
    assert str(claim.gain) == "0.0"


def test_the_table_has_one_row_per_claim():
    claims = [Claim("a wins", 1.234, 0.0001), Claim("b wins", -2.0), Claim("equal", 0.1, 0.6, True)]
    table = claims_table(claims, "made up.", digits=1)
    assert (tuple(table.rows), tuple(table.columns)) == (
        ("a wins", "b wins", "equal"),
        ("confirmed", "better by"),
    )
    text = table.to_markdown()
    assert "| a wins | yes | 1.2, p < 0.001 |" in text
    assert "| b wins | no, not tested | -2.0 |" in text
    assert "| equal | yes: no significant difference | 0.1, p = 0.600 |" in text
    assert table.data == "made up."


def test_the_table_shows_the_spread_if_a_claim_has_one():
    claims = [Claim.of("a wins", [1.0, 2.0], [0.0, 0.0], "sign"), Claim("b wins", 1.0)]
    text = claims_table(claims, "made up.").to_markdown()
    assert "| a wins | yes, not tested | 1.50 | 2 of 2 |" in text
    assert "| b wins | yes, not tested | 1.00 | – |" in text


def test_claims_with_the_same_text_are_refused():
    with pytest.raises(
        InputError, match="two claims have the text 'a'; give each claim another text"
    ):
        claims_table([Claim("a", 1.0), Claim("b", 1.0), Claim("a", 2.0)], "made up.")
