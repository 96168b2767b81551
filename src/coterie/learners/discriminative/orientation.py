"""Which columns of pair features are distances, as the item sets to learn from show it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Bools, Floats
from coterie._types import Features, Featurizer
from coterie.features.differences import AsDistances, distance_flags
from coterie.features.operators import taken, written
from coterie.features.operators.blocks import row_blocks

CONSTANT = 1e-13
"""A column varies if random weights, which sum to 0, sum it to more than this share of its size."""


def as_distances(
    featurizer: Featurizer, features: Sequence[Features], together: Sequence[Bools]
) -> AsDistances:
    """Wrap a fitted featurizer so that all its columns grow with distance.

    Where it does not tell which columns do, those that are higher on average for pairs that are
    apart are taken to, less their lowest value seen if that is below 0; the others are subtracted
    from their highest.
    """
    said = distance_flags(featurizer)
    if said is None:
        similar = _similar(features, together)
        lowest, highest = _range(features)
        origin = np.where(similar, highest, np.minimum(lowest, 0.0))
        return AsDistances(featurizer, similar, origin)
    return AsDistances(featurizer, ~np.asarray(said, dtype=np.bool_))


def varying(features: Sequence[Features]) -> Bools:
    """Tell of each column whether it varies over all pairs, without writing them out."""
    ends = np.cumsum([each.shape[0] for each in features])
    if not ends[-1]:
        return np.zeros(features[0].shape[1], dtype=np.bool_)
    weights = np.random.default_rng(0).normal(size=ends[-1])
    weights -= weights.mean()
    parts = zip(features, np.split(weights, ends[:-1]), strict=True)
    sums, sizes = np.zeros(features[0].shape[1]), np.zeros(features[0].shape[1])
    for each, own in parts:
        sums += each.T @ own
        sizes += np.abs(each.T @ np.ones(len(own)))
    found: Bools = np.abs(sums) > CONSTANT * np.maximum(sizes, 1e-300)
    return found


def _similar(features: Sequence[Features], together: Sequence[Bools]) -> Bools:
    """Tell of each column whether it is higher on average for pairs that are together."""
    inside, outside = _mean(features, together), _mean(features, [~each for each in together])
    return inside > outside


def _mean(features: Sequence[Features], chosen: Sequence[Bools]) -> Floats:
    total = sum(each.T @ own.astype(np.float64) for each, own in zip(features, chosen, strict=True))
    return np.asarray(total / max(sum(int(np.count_nonzero(own)) for own in chosen), 1))


def _range(features: Sequence[Features]) -> tuple[Floats, Floats]:
    """Return the lowest and the highest value of each column, 0 without pairs."""
    lowest, highest = (np.full(features[0].shape[1], end) for end in (np.inf, -np.inf))
    for each in features:
        for rows in row_blocks(*each.shape):
            block = written(taken(each, np.arange(rows.start, rows.stop)))
            lowest = np.minimum(lowest, _dense(block.min(axis=0)))
            highest = np.maximum(highest, _dense(block.max(axis=0)))
    known = np.isfinite(highest)
    return np.where(known, lowest, 0.0), np.where(known, highest, 0.0)


def _dense(row: Any) -> Floats:
    return np.asarray(row.toarray() if sp.issparse(row) else row, dtype=np.float64).ravel()
