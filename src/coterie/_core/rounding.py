"""What counts as rounding."""

from coterie._core.arrays import Floats


def rounding(scores: Floats, *others: float) -> float:
    """Return the difference of two values that is no difference: 1e-9 of what is at stake.

    At stake is the sum of the positive scores, above which no partition has a value, or any other
    number that is larger. Negative scores are not: one that forbids may be as large as it likes.
    """
    stake = float(scores[scores > 0].sum())
    return 1e-9 * max([stake, *map(abs, others)])


def below_all(scores: Floats) -> float:
    """Return a score that no sum of others outweighs: whoever joins such a pair only loses."""
    return -2.0 * float(scores[scores > 0].sum()) or -1.0
