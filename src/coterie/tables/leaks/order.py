"""Numbers in cells, and whether rows of a cluster have neighbouring ones."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from coterie._core.arrays import Floats, Ints

NEAREST = 3
"""The number of larger values, and of smaller ones, that count as neighbours."""

_DIGIT = re.compile(r"\d")


def numbers_of(texts: Sequence[str]) -> Floats | None:
    """Return the number in each cell, NaN where there is none; None if most have none.

    Texts that differ only in digits, such as times in ISO format, are read by their digits.

    >>> numbers_of(["1.5", "", "-2"])
    array([ 1.5,  nan, -2. ])
    >>> numbers_of(["R-001", "R-002"])
    array([1., 2.])
    """
    n_filled = sum(bool(text.strip()) for text in texts)
    if 2 * n_filled < len(texts) or not n_filled:
        return None
    numbers = np.array([_as_number(text) for text in texts])
    if np.isfinite(numbers).sum() > 0.9 * n_filled:
        return numbers
    shapes = [_DIGIT.sub("0", text) for text in texts]
    [(shape, count)] = Counter(shape for shape in shapes if shape.strip()).most_common(1)
    if count < 0.9 * n_filled or not 0 < shape.count("0") < 16:
        return None
    return np.array(
        [
            float("".join(_DIGIT.findall(text))) if its_shape == shape else math.nan
            for text, its_shape in zip(texts, shapes, strict=True)
        ]
    )


def _as_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def nearness(numbers: Floats, labels: Ints) -> float | None:
    """Return how much more often than by chance a mate of a row has a neighbouring number.

    The result is 1 if it always has, and 0 if it has as often as by chance. None means that rows
    have the same number too often, or that too few of them have mates.
    """
    has_number = np.isfinite(numbers)
    ranks = np.unique(numbers[has_number], return_inverse=True)[1].reshape(-1)
    clusters = np.unique(labels[has_number], return_inverse=True)[1].reshape(-1)
    if len(ranks) < 2 or ranks.max() < 0.3 * len(ranks):
        return None
    sizes = np.bincount(clusters)
    n_links = len(np.unique(ranks * len(sizes) + clusters)) - len(sizes)
    if n_links < max(20, (len(ranks) - len(sizes)) / 2):
        return None
    order = np.lexsort((ranks, clusters))
    gaps = np.where(np.diff(clusters[order]) == 0, np.diff(ranks[order]), len(ranks))
    ends = np.concatenate([[len(ranks)], gaps, [len(ranks)]])
    is_near = np.minimum(ends[:-1], ends[1:]) <= NEAREST
    n_mates = sizes[clusters[order]] - 1
    has_mates = n_mates > 0
    # Each of the 2 · NEAREST neighbours is a mate with probability n_mates / (n − 1).
    by_chance = 1.0 - (1.0 - n_mates[has_mates] / (len(ranks) - 1)) ** (2 * NEAREST)
    chance = float(by_chance.mean())
    return (float(is_near[has_mates].mean()) - chance) / max(1.0 - chance, 1e-9)
