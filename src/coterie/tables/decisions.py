"""The calibration and the threshold with which a table is clustered, by its statistics."""

from typing import Any

from coterie.calibrations import ClusterCalibration
from coterie.sized_calibrations import SizedCalibration, TableCalibration
from coterie.tables.statistics import EDGES, TableStatistics


def calibration_for(
    calibration: Any, statistics: TableStatistics
) -> ClusterCalibration | TableCalibration:
    """Return the calibration for a table that has some statistics."""
    assert isinstance(calibration, ClusterCalibration)  # noqa: S101
    if not isinstance(calibration, SizedCalibration):  # of a model of Coterie 0.2 or before
        return calibration
    return calibration.at(statistics.n_different, EDGES, statistics.histogram)


def threshold_of(calibration: ClusterCalibration) -> float:
    """Return the score of the model from which rows are linked; 0 unless the table is larger."""
    return calibration.threshold if isinstance(calibration, TableCalibration) else 0.0
