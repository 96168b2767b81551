"""What a paper claims, and whether it is seen here: one line a claim, with its significance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from coterie.exceptions import InputError
from coterie.metrics import Comparison, compare
from coterie_papers.engine.tables import Entry, Table, p_text

Test: TypeAlias = Literal["t", "wilcoxon", "sign"]

SIGNIFICANCE_LEVEL = 0.05
"""The p-value below which a difference counts as significant."""

UNCLEAR = "not significant"
"""The verdict on what is better as claimed, but not significantly."""

UNTESTED = "not tested"
"""How a verdict ends where no test was made, or none could have been significant."""

NOTE = (
    "Yes: better as claimed, significantly (p below 0.05); or, of what is claimed to be level, not "
    "significantly different, which is no proof of it. Mixed: the test finds the one better, the "
    "mean the other. Not tested: there is nothing to test, or so few item sets that even a win on "
    "all of them would not be significant; yes and no then go by the mean alone. Spread: on how "
    "many item sets the first is better, where nothing else is said."
)


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, and what was found of it.

    Parameters
    ----------
    text
        What the paper claims, and where: "Δ_M: SVM-cluster better than PCC (Table 1)".
    gain
        By how much the first is better than the second, in the unit of their scores.
    p_value
        Of a two-sided test; None where there is none that could be significant.
    equal
        Whether the claim is that they are level, not that the first is better.
    spread
        How evenly the gain is spread: "3 of 4".
    direction
        Above 0 where the test finds the first better, below 0 where the second; None where that is
        for the gain to tell.

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
        """Compare paired scores by a test of `metrics.compare`; `lower` where less is better."""
        sign = 1.0 if lower else -1.0
        ours, others = (sign * np.asarray(scores, dtype=np.float64) for scores in (first, second))
        # Wins can be counted where a t-test would be refused.
        used: Test = test if least_p(test, len(ours)) < SIGNIFICANCE_LEVEL else "sign"
        compared = compare(ours, others, used)
        return cls.from_comparison(text, -compared.difference, compared, used, equal=equal)

    @classmethod
    def from_comparison(
        cls,
        text: str,
        gain: float,
        compared: Comparison,
        test: Test = "wilcoxon",
        *,
        equal: bool = False,
        n_tests: int = 1,
    ) -> "Claim":
        """Take a gain however measured, and the test of losses that says how certain it is.

        `n_tests` is the number of tests after which its p-value was corrected.
        """
        n_sets = compared.wins + compared.ties + compared.losses
        tested = n_tests * least_p(test, n_sets) < SIGNIFICANCE_LEVEL
        ahead = compared.wins - compared.losses if test == "sign" else -compared.statistic
        spread = f"{compared.wins} of {n_sets}" + f", {compared.ties} tied" * (compared.ties > 0)
        p_value = compared.p_value if tested else None
        return cls(text, gain + 0.0, p_value, equal, spread, ahead)  # no −0

    @property
    def verdict(self) -> str:
        """What is seen of the claim."""
        better = self.gain > 0
        if self.p_value is None:
            return UNTESTED if self.equal else f"{'yes' if better else 'no'}, {UNTESTED}"
        significant = self.p_value < SIGNIFICANCE_LEVEL
        if self.equal:
            return "no: they differ" if significant else "yes: level"
        if not significant:
            return UNCLEAR if better else "no"
        if self.direction is not None and self.direction * self.gain <= 0:
            return "mixed"
        return "yes" if better else "no: the reverse"


def least_p(test: Test, n_sets: int) -> float:
    """Return the least p-value that a two-sided test over item sets can have.

    It is that of a win on all of them, by as much on each in a t-test.

    >>> least_p("wilcoxon", 5), least_p("sign", 6), least_p("t", 2)
    (0.0625, 0.03125, 0.0)
    """
    return 0.0 if test == "t" and n_sets > 1 else min(1.0, 2.0 ** (1 - n_sets))


def claims_table(
    claims: Sequence[Claim], data: str, digits: int = 2, notes: Sequence[str] = ()
) -> Table:
    """Show what a paper claims, and what is seen of it; no two claims may have one text."""
    texts = [claim.text for claim in claims]
    twice = next((text for text in texts if texts.count(text) > 1), None)
    if twice is not None:
        raise InputError(f"two claims have the text {twice!r}; give each its own")
    spread = any(claim.spread for claim in claims)
    rows = {claim.text: _row(claim, spread) for claim in claims}
    title = "What the paper claims"
    return Table.from_rows(title, rows, notes=[NOTE, *notes], digits=digits, data=data)


def _row(claim: Claim, spread: bool) -> dict[str, Entry]:
    note = "" if claim.p_value is None else p_text(claim.p_value)
    row = {"seen": Entry(claim.verdict), "better by": Entry(claim.gain, note=note)}
    return {**row, "spread": Entry(claim.spread or None)} if spread else row
