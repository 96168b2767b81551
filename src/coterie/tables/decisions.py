"""The calibration and the threshold with which a table is clustered, by its size and scores."""

from typing import Any

import numpy as np

from coterie._core.arrays import Floats, Ints, read_only
from coterie.calibrations import ClusterCalibration
from coterie.pairs import PairScores
from coterie.sized_calibrations import SizedCalibration, TableCalibration

EDGES: Floats = read_only(np.arange(-320, 321) / 16.0)
"""The limits of the bins in which the scores of candidate pairs are counted."""


def calibration_for(
    calibration: Any, n_rows: int, candidates: PairScores
) -> ClusterCalibration | TableCalibration:
    """Return the calibration for a table of so many different rows and these candidate pairs."""
    assert isinstance(calibration, ClusterCalibration)  # noqa: S101
    if not isinstance(calibration, SizedCalibration):  # of a model of Coterie 0.2 or before
        return calibration
    return calibration.at(n_rows, EDGES, histogram(candidates))


def threshold_of(calibration: ClusterCalibration) -> float:
    """Return the score of the model from which rows are linked; 0 unless the table is larger."""
    return calibration.threshold if isinstance(calibration, TableCalibration) else 0.0


def histogram(candidates: PairScores) -> Ints:
    """Count candidate pairs by score."""
    bins = np.searchsorted(EDGES, candidates.scores, side="right")
    return np.bincount(bins, minlength=len(EDGES) + 1)
