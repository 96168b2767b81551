"""The distance at which to stop joining, chosen by what it makes of the training sets."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats
from coterie.metrics import macro, pair_scores
from coterie.partition import Partition

COARSE, FINE = 16, 6
"""How many thresholds are tried over all distances, and each time around the best so far."""


class Chosen(NamedTuple):
    """A threshold, and what it makes of the training sets."""

    threshold: float
    partitions: list[Partition]
    f1: float


def best_threshold(
    distances: Sequence[Floats],
    truths: Sequence[Partition],
    cluster: Callable[[float], list[Partition]],
    offset: float = 0.0,
) -> Chosen:
    """Return the threshold whose clustering has the highest mean F1 over pairs.

    Thresholds lie between neighbouring distances. First come those below which the number of pairs
    grows by equal factors, then some around the best so far, until these are known; of equally good
    neighbours the middle one is taken. A better one further away may be missed. An offset is added
    to all.
    """
    places, counts = np.unique(np.concatenate(distances), return_counts=True)
    if not len(places):
        return _tried(offset, truths, cluster)
    # None of the distances is below the first threshold, and all are below the last.
    between = np.concatenate([places[:1], (places[1:] + places[:-1]) / 2, [places[-1] + 1.0]])
    between += offset
    below = np.concatenate([[0], np.cumsum(counts)])
    wanted = np.append(np.searchsorted(below, np.geomspace(1, below[-1], COARSE).round()), 0)
    tried: dict[int, Chosen] = {}
    while any(number not in tried for number in wanted.tolist()):
        for number in sorted(set(wanted.tolist()) - tried.keys()):
            tried[number] = _tried(float(between[number]), truths, cluster)
        known = sorted(tried)
        first, last = _plateau([tried[number].f1 for number in known])
        low, high = known[max(first - 1, 0)], known[min(last + 1, len(known) - 1)]
        wanted = np.linspace(low, high, FINE + 2).round().astype(np.intp)
    return tried[known[(first + last) // 2]]


def _plateau(values: Sequence[float]) -> tuple[int, int]:
    """Return the places of the first and the last of neighbours that are all the highest.

    >>> _plateau([0.1, 0.5, 0.5, 0.2, 0.5])
    (1, 2)
    """
    first = last = values.index(max(values))
    while last + 1 < len(values) and values[last + 1] == values[first]:
        last += 1
    return first, last


def _tried(
    threshold: float, truths: Sequence[Partition], cluster: Callable[[float], list[Partition]]
) -> Chosen:
    partitions = cluster(threshold)
    return Chosen(threshold, partitions, macro(pair_scores, truths, partitions).f1)
