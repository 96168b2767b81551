"""What the solvers of linear programs share: pairs to keep apart, and limits."""

from math import inf
from time import perf_counter

import numpy as np

from coterie._core.arguments import as_real
from coterie._core.arrays import Bools
from coterie.pairs import PairScores, condensed_positions, count_pairs

MAX_PROGRAM_ITEMS = 2000
"""Up to how many items a component fits in a linear program of all its pairs."""


def condensed_apart(scores: PairScores) -> Bools:
    """Say of all pairs in condensed order which must be apart."""
    apart = np.zeros(count_pairs(scores.n_items), np.bool_)
    if scores.apart is not None:
        apart[condensed_positions(scores.apart, scores.n_items)] = True
    return apart


def refuse_time_limit(time_limit: float | None) -> None:
    """Check a number of seconds; None stands for no limit."""
    if time_limit is not None:
        as_real("time_limit", time_limit)


def deadline_after(seconds: float | None) -> float:
    """Return the time of `perf_counter` at which a limit ends."""
    return inf if seconds is None else perf_counter() + seconds
