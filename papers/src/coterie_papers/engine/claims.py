"""The claims of a paper and whether the results confirm them, with their significance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from coterie.exceptions import InputError
from coterie.metrics import Comparison, compare
from coterie_papers.engine.tables import Entry, Table, p_text

Test: TypeAlias = Literal["t", "wilcoxon", "sign"]

SIGNIFICANCE_LEVEL = 0.05
"""A difference is significant if its p-value is below this level."""

UNCLEAR = "not significant"
"""The verdict if the first is better as claimed, but not significantly."""

UNTESTED = "not tested"
"""The end of a verdict if there was no test, or if no result of it could be significant."""

NOTE = (
    "Yes: the first is better as claimed, and the difference is significant (p below 0.05). For a "
    "claim that two methods are level, yes means that the test found no significant difference; "
    "this does not prove that there is none. Not significant: better as claimed, but p is 0.05 or "
    "more. Mixed: by the test one is better, by the mean the other. Not tested: there is nothing "
    "to test, or there are so few item sets that even a win on all of them would not be "
    "significant; yes and no then follow from the mean alone. Spread: the number of item sets on "
    "which the first is better, unless a note says otherwise."
)
"""The note below each table of claims, which explains its verdicts."""


@dataclass(frozen=True)
class Claim:
    """A claim that a first method is better than a second one or equal to it, and the result.

    Parameters
    ----------
    text
        The claim, and its place in the paper: "Table 1: SVM-cluster better than PCC in Δ_M".
    gain
        The difference by which the first is better than the second, in the unit of their scores.
    p_value
        The p-value of a two-sided test; None if there was no test that could be significant.
    equal
        Whether the claim is that the two are equal, not that the first is better.
    spread
        The number of item sets on which the first is better: "3 of 4".
    direction
        Above 0 if the test finds the first better, below 0 if it finds the second better; None if
        the test has the direction of the gain.

    Examples
    --------
    >>> Claim.of("Greedy loses less", [1, 2, 1, 2], [3, 5, 4, 6], "t", lower=True).verdict
    'yes'
    >>> claim = Claim.of("Greedy loses less", [1, 2, 1, 2], [3, 5, 4, 6], "sign", lower=True)
    >>> claim.verdict, claim.spread
    ('yes, not tested', '4 of 4')
    """

    text: str
    gain: float
    p_value: float | None = None
    equal: bool = False
    spread: str = ""
    direction: float | None = None

    @classmethod
    def of(
        cls,
        text: str,
        first: Sequence[float],
        second: Sequence[float],
        test: Test,
        *,
        lower: bool = False,
        equal: bool = False,
    ) -> "Claim":
        """Compare paired scores by a test of `metrics.compare`.

        `lower` says whether lower scores are better.
        """
        # `compare` takes losses, of which lower ones are better.
        sign = 1.0 if lower else -1.0
        losses, others = (sign * np.asarray(scores, dtype=np.float64) for scores in (first, second))
        # Too few sets for a significant test: a sign test still counts the wins, where a t-test of
        # one set would be refused.
        feasible: Test = test if least_p(test, len(losses)) < SIGNIFICANCE_LEVEL else "sign"
        comparison = compare(losses, others, feasible)
        return cls.from_comparison(text, -comparison.difference, comparison, feasible, equal=equal)

    @classmethod
    def from_comparison(
        cls,
        text: str,
        gain: float,
        comparison: Comparison,
        test: Test = "wilcoxon",
        *,
        equal: bool = False,
        n_tests: int = 1,
    ) -> "Claim":
        """Combine a gain, in any unit, with the comparison of losses that tests it.

        `n_tests` is the number of tests for which the p-value of the comparison was corrected.
        """
        n_sets = comparison.wins + comparison.ties + comparison.losses
        is_testable = n_tests * least_p(test, n_sets) < SIGNIFICANCE_LEVEL
        p_value = comparison.p_value if is_testable else None
        sign_test = test == "sign"
        direction = comparison.wins - comparison.losses if sign_test else -comparison.statistic
        ties = f", {comparison.ties} tied" if comparison.ties else ""
        spread = f"{comparison.wins} of {n_sets}{ties}"
        return cls(text, gain + 0.0, p_value, equal, spread, direction)  # + 0.0 turns −0.0 into 0.0

    @property
    def verdict(self) -> str:
        """The verdict in a few words: whether the results confirm the claim."""
        better = self.gain > 0
        if self.p_value is None:
            return UNTESTED if self.equal else f"{'yes' if better else 'no'}, {UNTESTED}"
        significant = self.p_value < SIGNIFICANCE_LEVEL
        if self.equal:
            return "no: significant difference" if significant else "yes: no significant difference"
        if not significant:
            return UNCLEAR if better else "no"
        if self.direction is not None and self.direction * self.gain <= 0:
            return "mixed"
        return "yes" if better else "no: the reverse"


def least_p(test: Test, n_sets: int) -> float:
    """Return the smallest p-value that a two-sided test over item sets can have.

    It is the p-value of a win on all item sets; for a t-test, of wins by the same difference.

    >>> least_p("wilcoxon", 5), least_p("sign", 6), least_p("t", 2)
    (0.0625, 0.03125, 0.0)
    """
    return 0.0 if test == "t" and n_sets > 1 else min(1.0, 2.0 ** (1 - n_sets))


def claims_table(
    claims: Sequence[Claim], data: str, digits: int = 2, notes: Sequence[str] = ()
) -> Table:
    """Return a table of the claims of a paper, one row per claim; their texts must differ."""
    texts = [claim.text for claim in claims]
    repeated = next((text for text in texts if texts.count(text) > 1), None)
    if repeated is not None:
        raise InputError(f"two claims have the text {repeated!r}; give each claim another text")
    with_spread = any(claim.spread for claim in claims)
    rows = {claim.text: _row(claim, with_spread) for claim in claims}
    title = "What the paper claims"
    return Table.from_rows(title, rows, notes=[NOTE, *notes], digits=digits, data=data)


def _row(claim: Claim, with_spread: bool) -> dict[str, Entry]:
    note = "" if claim.p_value is None else p_text(claim.p_value)
    row = {"confirmed": Entry(claim.verdict), "better by": Entry(claim.gain, note=note)}
    return {**row, "spread": Entry(claim.spread or None)} if with_spread else row
