"""The efforts: levels of work that go into learning from a table."""

from collections.abc import Mapping
from typing import NamedTuple

QUICK, NORMAL, THOROUGH = EFFORTS = ("quick", "normal", "thorough")
"""The efforts, from the least work to the most."""


class Effort(NamedTuple):
    """The work that goes into learning from a sample of pairs.

    Parameters
    ----------
    n_pairs
        The largest number of pairs in the sample.
    n_folds
        The number of parts of the entities, of which each is held out in turn.
    slugs
        The families of learners that the automatic choice compares.
    """

    n_pairs: int
    n_folds: int
    slugs: tuple[str, ...]


SAMPLED: Mapping[str, Effort] = {
    QUICK: Effort(15_000, 3, ("logistic", "boosted")),
    NORMAL: Effort(30_000, 3, ("logistic", "forest", "boosted")),
}
"""The efforts that learn from a sample; "thorough" learns from all pairs."""
