"""What a paper claims, and whether it is seen here: one line a claim, with its significance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie.experiments.tables import Entry, Table, p_text
from coterie.metrics import compare

LEVEL = 0.05
"""The p-value below which a difference counts as significant."""

NOTE = (
    "A claim that one is better is seen where it is better by this much; a claim that two are "
    "level is seen where no difference is significant (p below 0.05), which few tests can show."
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
        Of a two-sided paired test; None where there is nothing to test.
    level
        Whether the claim is that they are level, not that the first is better.
    """

    text: str
    gain: float
    p_value: float | None = None
    level: bool = False

    @classmethod
    def of(
        cls,
        text: str,
        first: Sequence[float],
        second: Sequence[float],
        test: str,
        *,
        lower: bool = False,
        level: bool = False,
    ) -> "Claim":
        """Compare paired scores by a test of `metrics.compare`; `lower` where less is better."""
        gain = float(np.mean(first) - np.mean(second))
        p_value = compare(first, second, test).p_value  # type: ignore[arg-type]
        return cls(text, -gain if lower else gain, p_value, level)

    @property
    def verdict(self) -> str:
        """What is seen of the claim."""
        significant = self.p_value is not None and self.p_value < LEVEL
        if self.level:
            return "no: they differ" if significant else "yes: level"
        if self.p_value is None:
            return "yes" if self.gain > 0 else "no"
        if significant:
            return "yes" if self.gain > 0 else "no: the reverse"
        return "not significant"


def claims_table(claims: Sequence[Claim], data: str, digits: int = 2) -> Table:
    """Show what a paper claims, and what is seen of it."""
    rows = {
        claim.text: {
            "seen": Entry(claim.verdict),
            "better by": Entry(
                claim.gain, note="" if claim.p_value is None else p_text(claim.p_value)
            ),
        }
        for claim in claims
    }
    return Table.beside("What the paper claims", rows, notes=[NOTE], digits=digits, data=data)
