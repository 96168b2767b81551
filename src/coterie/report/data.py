"""The contents of a report as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coterie._core.arguments import as_floats, as_whole
from coterie._core.arrays import Floats
from coterie._core.texts import pluralize
from coterie.exceptions import InputError
from coterie.tables import Figure

__all__ = [
    "Choice",
    "Curve",
    "FieldWeight",
    "Quality",
    "ReportData",
    "Row",
    "Sizes",
    "WorstCluster",
    "WorstClusters",
]

_MAX_THRESHOLD = 1e100
"""Largest absolute value of a threshold; differences of larger ones could overflow."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Metrics at several thresholds, and the threshold of the model.

    Parameters
    ----------
    thresholds
        The thresholds, finite and ascending.
    precision, recall, f1, b_cubed
        One value from 0 to 1 per threshold, NaN where undefined. The first three are metrics of
        pairs, the last is B-cubed F1.
    chosen
        The threshold of the model.

    Examples
    --------
    >>> curve = Curve([0.2, 0.6], [0.8, 0.9], [1.0, 0.7], [0.9, 0.8], [0.9, 0.8], chosen=0.4)
    >>> curve.at_chosen()["recall"]
    0.85
    >>> Curve([0.2, 0.6], [0.8], [1.0, 0.7], [0.9, 0.8], [0.9, 0.8], chosen=0.4)
    Traceback (most recent call last):
    coterie.exceptions.InputError: precision has 1 value for 2 thresholds; give one value per
    threshold
    """

    thresholds: Floats
    precision: Floats
    recall: Floats
    f1: Floats
    b_cubed: Floats
    chosen: float

    def __post_init__(self) -> None:
        for name in ("thresholds", "precision", "recall", "f1", "b_cubed"):
            object.__setattr__(self, name, as_floats(name, getattr(self, name)))
        _check_thresholds(self.thresholds, self.chosen)
        for name, values in self.lines().items():
            _check_shares(name, values, len(self.thresholds))

    def lines(self) -> dict[str, Floats]:
        """Return the values of each metric by its name on the page."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "F1": self.f1,
            "B-cubed F1": self.b_cubed,
        }

    def at_chosen(self) -> dict[str, float]:
        """Return the metrics at the threshold of the model, by linear interpolation.

        A metric is NaN if it is undefined at one of the two nearest thresholds.
        """
        return {
            name: float(np.interp(self.chosen, self.thresholds, values))
            for name, values in self.lines().items()
        }


def _check_thresholds(thresholds: Floats, chosen: float) -> None:
    if thresholds.ndim != 1 or not len(thresholds):
        raise InputError(
            f"thresholds have shape {thresholds.shape}; give a list of at least one number"
        )
    if not (np.abs(np.append(thresholds, chosen)) <= _MAX_THRESHOLD).all():
        raise InputError(
            "one of the thresholds, or the chosen one, is not a number from "
            f"{-_MAX_THRESHOLD:g} to {_MAX_THRESHOLD:g}; give thresholds in this range"
        )
    if (np.diff(thresholds) < 0).any():
        raise InputError(
            "thresholds are not ascending; sort them, together with the values of the metrics"
        )


def _check_shares(name: str, values: Floats, n_thresholds: int) -> None:
    if values.shape != (n_thresholds,):
        raise InputError(
            f"{name} has {pluralize(values.size, 'value')} for "
            f"{pluralize(n_thresholds, 'threshold')}; give one value per threshold"
        )
    if ((values < 0) | (values > 1) | np.isinf(values)).any():
        raise InputError(
            f"{name} has values outside the range from 0 to 1; give numbers from 0 to 1, or "
            "NaN for undefined values"
        )


@dataclass(frozen=True)
class Quality:
    """The quality of the predicted clusters, measured with the true clusters.

    `curve` is None if quality was not measured at other thresholds.
    """

    metrics: Sequence[Figure]
    curve: Curve | None = None


@dataclass(frozen=True)
class Sizes:
    """The number of clusters of each size; `true` is None if the true clusters are unknown.

    >>> Sizes({1: 20, 2: 4}).n_clusters
    24
    """

    predicted: Mapping[int, int]
    true: Mapping[int, int] | None = None

    def __post_init__(self) -> None:
        for counts_by_size in (self.predicted, self.true or {}):
            for size, count in counts_by_size.items():
                as_whole("the size of a cluster", size, 1)
                as_whole(f"the number of clusters of size {size}", count)

    @property
    def n_clusters(self) -> int:
        """The number of predicted clusters."""
        return sum(self.predicted.values())


@dataclass(frozen=True)
class FieldWeight:
    """The mean contribution of a field to the scores of pairs of rows.

    `mean_for` is the mean over pairs in the same cluster, `mean_against` over pairs in different
    clusters; None if there is no such pair.
    """

    name: str
    kind: str
    mean_for: float | None
    mean_against: float | None


@dataclass(frozen=True)
class Choice:
    """The candidates that were compared, as a table, and the candidate that was chosen.

    `chosen` is the index of its row, and `reason` a sentence that says why it was chosen.

    >>> Choice(["learner", "F1"], [["boosted", "0.97"]], chosen=1)
    Traceback (most recent call last):
    coterie.exceptions.InputError: the chosen row is 1; give a whole number from 0 to 0
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    chosen: int
    reason: str = ""

    def __post_init__(self) -> None:
        as_whole("the chosen row", self.chosen, 0, len(self.rows) - 1)
        for number, row in enumerate(self.rows):
            _check_n_cells(f"row {number} of the choice", row, self.headings)


@dataclass(frozen=True)
class Row:
    """A row of the clustered table.

    `linked_to` is the id of the row that it has its strongest link to, and `confidence` the
    confidence of its cluster.
    """

    id: str
    values: Sequence[str]
    true_cluster: str | None = None
    linked_to: str | None = None
    confidence: float | None = None


@dataclass(frozen=True)
class WorstCluster:
    """A doubtful cluster; `rows` may hold only the first of its rows.

    `weakest_link` is the lowest score of the links that hold the cluster together. `disagreement`
    is the share of its pairs that score below 0 or were not compared.
    """

    cluster_id: str
    size: int
    weakest_link: float | None
    disagreement: float | None
    rows: Sequence[Row]


@dataclass(frozen=True)
class WorstClusters:
    """The most doubtful clusters of two or more rows, worst first.

    `columns` are the names of the columns of which their rows have values.
    """

    columns: Sequence[str]
    clusters: Sequence[WorstCluster]

    def __post_init__(self) -> None:
        for cluster in self.clusters:
            for row in cluster.rows:
                _check_n_cells(f"row {row.id} of the cluster", row.values, self.columns)


def _check_n_cells(row_name: str, cells: Sequence[str], columns: Sequence[str]) -> None:
    if len(cells) != len(columns):
        raise InputError(
            f"{row_name} has {pluralize(len(cells), 'cell')} for "
            f"{pluralize(len(columns), 'column')}; give one cell per column"
        )


@dataclass(frozen=True, repr=False)
class ReportData:
    """The contents of a report.

    Parameters
    ----------
    title
        The heading of the page.
    facts
        Facts about the table and the model: pairs of a name and a text.
    sizes
        The sizes of the clusters.
    worst
        The most doubtful clusters.
    quality
        The quality of the clusters; None if the true clusters are unknown.
    fields
        The contribution of each field to the scores; empty if scores are not sums over fields.
    choice
        The candidates that the learner compared; None if unknown.
    blocking
        Facts about the candidate pairs: pairs of a name and a text.
    """

    title: str
    facts: Sequence[tuple[str, str]]
    sizes: Sizes
    worst: WorstClusters
    quality: Quality | None = None
    fields: Sequence[FieldWeight] = ()
    choice: Choice | None = None
    blocking: Sequence[tuple[str, str]] = ()

    def __repr__(self) -> str:
        return f"ReportData({self.title!r}, {pluralize(self.sizes.n_clusters, 'cluster')})"
