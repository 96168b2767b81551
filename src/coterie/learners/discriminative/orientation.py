"""The columns of pair features that are distances, similarities or constant in training sets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Bools, Floats
from coterie._types import Features, Featurizer
from coterie.features.differences import AsDistances, distance_flags
from coterie.features.operators import select_rows, to_matrix
from coterie.features.operators.blocks import row_blocks

CONSTANT_TOL = 1e-13
"""The largest share of its absolute sum that a constant column may have under weights of sum 0."""


def as_distances(
    featurizer: Featurizer, features: Sequence[Features], together: Sequence[Bools]
) -> AsDistances:
    """Wrap a fitted featurizer so that all its columns grow with distance.

    If the featurizer does not declare which columns are distances, columns that are higher on
    average for pairs that are apart count as distances; if their lowest training value is negative,
    it is subtracted. All other columns are subtracted from their highest training value.
    """
    is_distance = distance_flags(featurizer)
    if is_distance is None:
        similar = _are_similarities(features, together)
        lowest, highest = _range(features)
        origin = np.where(similar, highest, np.minimum(lowest, 0.0))
        return AsDistances(featurizer, similar, origin)
    return AsDistances(featurizer, ~np.asarray(is_distance, dtype=np.bool_))


def find_varying_columns(features: Sequence[Features]) -> Bools:
    """Return for each column whether it varies over all pairs, without writing the columns out."""
    ends = np.cumsum([operator.shape[0] for operator in features])
    if not ends[-1]:
        return np.zeros(features[0].shape[1], dtype=np.bool_)
    # Random weights of sum 0 sum a constant column to 0, and any other almost surely to more.
    weights = np.random.default_rng(0).normal(size=ends[-1])
    weights -= weights.mean()
    parts = zip(features, np.split(weights, ends[:-1]), strict=True)
    sums, sizes = np.zeros(features[0].shape[1]), np.zeros(features[0].shape[1])
    for operator, operator_weights in parts:
        sums += operator.T @ operator_weights
        sizes += np.abs(operator.T @ np.ones(len(operator_weights)))
    varies: Bools = np.abs(sums) > CONSTANT_TOL * np.maximum(sizes, 1e-300)
    return varies


def _are_similarities(features: Sequence[Features], together: Sequence[Bools]) -> Bools:
    """Return for each column whether it is higher on average for pairs that are together."""
    inside, outside = _mean(features, together), _mean(features, [~flags for flags in together])
    return inside > outside


def _mean(features: Sequence[Features], selected: Sequence[Bools]) -> Floats:
    """Return the mean of each column over the selected pairs."""
    sums = [
        operator.T @ rows.astype(np.float64)
        for operator, rows in zip(features, selected, strict=True)
    ]
    n_selected = sum(int(np.count_nonzero(rows)) for rows in selected)
    return np.asarray(sum(sums) / max(n_selected, 1))


def _range(features: Sequence[Features]) -> tuple[Floats, Floats]:
    """Return the lowest and the highest value of each column, or 0 if there are no pairs."""
    lowest, highest = (np.full(features[0].shape[1], end) for end in (np.inf, -np.inf))
    for operator in features:
        for rows in row_blocks(*operator.shape):
            block = to_matrix(select_rows(operator, np.arange(rows.start, rows.stop)))
            lowest = np.minimum(lowest, _dense(block.min(axis=0)))
            highest = np.maximum(highest, _dense(block.max(axis=0)))
    has_values = np.isfinite(highest)
    return np.where(has_values, lowest, 0.0), np.where(has_values, highest, 0.0)


def _dense(row: Any) -> Floats:
    return np.asarray(row.toarray() if sp.issparse(row) else row, dtype=np.float64).ravel()
