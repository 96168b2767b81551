"""What a paper claims, and whether it is seen here: one line a claim, with its significance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from coterie.exceptions import InputError
from coterie.experiments.tables import Entry, Table, p_text
from coterie.metrics import compare

LEVEL = 0.05
"""The p-value below which a difference counts as significant."""

UNCLEAR = "not significant"
"""The verdict on what is better as claimed, but not significantly."""

NOTE = (
    "That one is better is seen where it is, significantly (p below 0.05) where that was tested; "
    "that two are level, where they do not differ significantly, which is no proof of it."
)


@dataclass(frozen=True)
class Claim:
    """A claim of a paper that was tested.

    Parameters
    ----------
    text
        What the paper claims, and where: "Δ_M: SVM-cluster better than PCC (Table 1)".
    gain
        By how much the first is better than the second, in the unit of their scores.
    p_value
        Of a two-sided test; None where there is nothing to test.
    level
        Whether the claim is that they are level, not that the first is better.
    spread
        How evenly the gain is spread: "3 of 4 pairs of sets".

    Examples
    --------
    >>> Claim.of("Greedy loses less", [1, 2, 1, 2], [3, 5, 4, 6], "t", lower=True).verdict
    'yes'
    """

    text: str
    gain: float
    p_value: float | None = None
    level: bool = False
    spread: str = ""

    @classmethod
    def of(
        cls,
        text: str,
        first: Sequence[float],
        second: Sequence[float],
        test: Literal["t", "wilcoxon", "sign"],
        *,
        lower: bool = False,
        level: bool = False,
    ) -> "Claim":
        """Compare paired scores by a test of `metrics.compare`; `lower` where less is better."""
        gain = float(np.mean(first) - np.mean(second))
        p_value = compare(first, second, test).p_value
        return cls(text, -gain if lower else gain, p_value, level)

    @property
    def verdict(self) -> str:
        """What is seen of the claim."""
        significant = self.p_value is not None and self.p_value < LEVEL
        if self.level:
            return "no: they differ" if significant else "yes: level"
        if self.gain <= 0:
            return "no: the reverse" if significant else "no"
        return "yes" if significant or self.p_value is None else UNCLEAR


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
    return Table.beside(title, rows, notes=[NOTE, *notes], digits=digits, data=data)


def _row(claim: Claim, spread: bool) -> dict[str, Entry]:
    note = "" if claim.p_value is None else p_text(claim.p_value)
    row = {"seen": Entry(claim.verdict), "better by": Entry(claim.gain, note=note)}
    return {**row, "spread": Entry(claim.spread or None)} if spread else row
