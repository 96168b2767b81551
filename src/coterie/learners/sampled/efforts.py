"""The efforts: levels of work that go into learning from a table."""

from collections.abc import Mapping
from typing import NamedTuple

QUICK, NORMAL, THOROUGH = EFFORTS = ("quick", "normal", "thorough")
"""The efforts, from the least work to the most."""

SHARE = 12
"""One of so many candidate pairs is learned from, where this is more than the least number."""


class Effort(NamedTuple):
    """The work that goes into learning from a sample of pairs.

    Parameters
    ----------
    least_pairs, most_pairs
        Bounds on the number of pairs in the sample.
    n_folds
        The number of parts of the entities, of which each is held out in turn.
    slugs
        The families of learners that the automatic choice compares.
    has_pilot
        Whether a first learner finds the pairs that are hard to tell apart, if there are many.
    """

    least_pairs: int
    most_pairs: int
    n_folds: int
    slugs: tuple[str, ...]
    has_pilot: bool

    def n_pairs(self, n_candidates: int) -> int:
        """Return the size of the sample of so many candidate pairs."""
        return min(max(n_candidates // SHARE, self.least_pairs), self.most_pairs)


SAMPLED: Mapping[str, Effort] = {
    QUICK: Effort(15_000, 15_000, 3, ("logistic", "boosted"), has_pilot=False),
    NORMAL: Effort(30_000, 120_000, 3, ("logistic", "forest", "boosted"), has_pilot=True),
}
"""The efforts that learn from a sample; "thorough" learns from all pairs."""
