"""Claims of papers: their verdicts, the tests behind them, and the table that shows them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from coterie.exceptions import InputError
from coterie.experiments.claims import Claim, claims_table

SCORES = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=3, max_size=12
).filter(lambda pairs: len({a - b for a, b in pairs}) > 1)


@pytest.mark.parametrize(
    ("gain", "p_value", "level", "verdict"),
    [
        (1.0, 0.01, False, "yes"),
        (1.0, 0.05, False, "not significant"),
        (1.0, None, False, "yes"),
        (0.0, None, False, "no"),
        (-1.0, 0.01, False, "no: the reverse"),
        (-1.0, 0.5, False, "no"),
        (-1.0, None, False, "no"),
        (1.0, 0.01, True, "no: they differ"),
        (-1.0, 0.01, True, "no: they differ"),
        (-1.0, 0.05, True, "yes: level"),
        (1.0, None, True, "yes: level"),
    ],
)
def test_a_verdict_follows_from_gain_and_significance(gain, p_value, level, verdict):
    assert Claim("a", gain, p_value, level).verdict == verdict


@given(SCORES)
def test_scores_are_compared_by_scipys_paired_t_test(pairs):
    first, second = np.array(pairs, dtype=float).T
    claim = Claim.of("a", first, second, "t")
    assert claim.gain == pytest.approx(first.mean() - second.mean())
    assert claim.p_value == pytest.approx(stats.ttest_rel(first, second).pvalue)


@given(SCORES)
def test_where_less_is_better_the_gain_turns_and_the_test_does_not(pairs):
    first, second = np.array(pairs, dtype=float).T
    higher = Claim.of("a", first, second, "wilcoxon")
    lower = Claim.of("a", first, second, "wilcoxon", lower=True, level=True)
    assert (lower.gain, lower.p_value) == (-higher.gain, higher.p_value)
    assert lower.level
    assert not higher.level


def test_scores_without_a_difference_are_level():
    assert Claim.of("a", [1.0, 2.0], [1.0, 2.0], "t", level=True).verdict == "yes: level"


def test_the_table_has_a_row_for_each_claim():
    claims = [Claim("a wins", 1.234, 0.0001), Claim("b wins", -2.0), Claim("level", 0.1, 0.6, True)]
    table = claims_table(claims, "made up.", digits=1)
    assert (tuple(table.rows), tuple(table.columns)) == (
        ("a wins", "b wins", "level"),
        ("seen", "better by"),
    )
    shown = table.to_markdown()
    assert "| a wins | yes | 1.2, p < 0.001 |" in shown
    assert "| b wins | no | -2.0 |" in shown
    assert "| level | yes: level | 0.1, p = 0.600 |" in shown
    assert table.data == "made up."


def test_no_claim_is_lost_behind_another():
    with pytest.raises(InputError, match="two claims have the text 'a'; give each its own"):
        claims_table([Claim("a", 1.0), Claim("b", 1.0), Claim("a", 2.0)], "made up.")
