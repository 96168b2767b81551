"""The quality to expect of one clustered table, whose true clusters are not known."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from coterie._core.arrays import Floats
from coterie.calibrations import Confidences
from coterie.sized_calibrations import TableCalibration

COVERED = 1.645
"""Standard errors on either side of a value that hold the true one in 90% of cases."""

IMPURE_SHARE = 0.82
"""Share of right pairs in a wrong cluster, relative to one of which a single row is wrong."""

PRECISION_ERROR, RECALL_ERROR, ERROR_GROWTH = 0.5, 0.4, 0.15
"""Errors of log-odds beyond those of counts, and their growth with the logarithm of the size."""

SPREAD_FACTOR = 1.2
"""The ratio of the error of the number of wrong pairs to that of its smooth curve."""

LEAST, MOST = 1e-4, 1.0 - 1e-4


class Expected(NamedTuple):
    """A metric that is expected, with an interval that holds the true value in 90% of cases."""

    value: float
    low: float
    high: float


class ExpectedQuality(NamedTuple):
    """The expected precision and recall of the pairs of rows of a clustered table.

    Precision is the share of the found pairs that are right, and recall is the share of the true
    pairs that were found. None where it is unknown.
    """

    precision: Expected | None
    recall: Expected | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as `coterie predict --json` prints them."""
        return {
            name: None if expected is None else expected._asdict()
            for name, expected in self._asdict().items()
        }


def expected_quality(
    predictions: Sequence[tuple[Confidences, TableCalibration]], blocked_recall: float
) -> ExpectedQuality:
    """Return the expected quality of the sets of a table.

    `blocked_recall` is the share of the true pairs that candidate pairs can find.
    """
    n_pairs = np.array([_n_pairs(confidences) for confidences, _ in predictions])
    if not n_pairs.sum():
        return ExpectedQuality(None, None)
    n_right = sum(_n_right(confidences) for confidences, _ in predictions)
    weights = n_pairs / n_pairs.sum()
    growth, spread, recall = (
        float(weights @ [getattr(calibration, name) for _, calibration in predictions])
        for name in ("growth", "spread", "recall")
    )
    n_entities = max(calibration.n_entities for _, calibration in predictions)
    grown = ERROR_GROWTH * growth
    error = float(np.sqrt(PRECISION_ERROR**2 + grown**2 + (SPREAD_FACTOR * spread) ** 2))
    n_found = float(n_pairs.sum())
    precision = _expected(float(n_right) / n_found, error, n_found)
    if not n_entities:
        return ExpectedQuality(precision, None)
    n_missed = n_entities * (1.0 - recall) + 1.0
    error = float(np.sqrt(RECALL_ERROR**2 + grown**2 + 1.5 / n_missed))
    return ExpectedQuality(precision, _expected(recall * blocked_recall, error, n_found))


def _n_pairs(confidences: Confidences) -> float:
    sizes = confidences.partition.sizes.astype(np.float64)
    return float(np.sum(sizes * (sizes - 1.0)) / 2.0)


def _n_right(confidences: Confidences) -> float:
    """Return the expected number of right pairs in the clusters.

    All pairs of a right cluster are right. Of a wrong one, most rows are often of one entity.
    """
    sizes = confidences.partition.sizes.astype(np.float64)
    shares: Floats = IMPURE_SHARE * np.maximum(1.0 - 2.0 / sizes, 0.0)
    right = confidences.clusters + (1.0 - confidences.clusters) * shares
    return float(np.sum(right * sizes * (sizes - 1.0)) / 2.0)


def _expected(share: float, error: float, n_pairs: float) -> Expected:
    """Return a share of pairs with its interval; its log-odds have a standard error."""
    centre = float(logit(np.clip(share, LEAST, MOST)))
    low, high = expit(centre - COVERED * error), expit(centre + COVERED * error)
    if (1.0 - float(high)) * n_pairs < 1.0:  # less than one pair: perhaps none
        high = 1.0
    return Expected(share, min(float(low), share), max(float(high), share))
