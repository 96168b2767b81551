"""What a report shows, in plain values."""

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

_LARGEST = 1e100
"""Above this, the distance of two thresholds may be no number."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Figures over the operating point, and the point that was chosen.

    Parameters
    ----------
    thresholds
        The operating points, finite and ascending.
    precision, recall, f1, b_cubed
        One figure from 0 to 1 for each threshold, of pairs and (B-cubed F1) of items; NaN where it
        is not defined.
    chosen
        The threshold that the model uses.

    Examples
    --------
    >>> curve = Curve([0.2, 0.6], [0.8, 0.9], [1.0, 0.7], [0.9, 0.8], [0.9, 0.8], chosen=0.4)
    >>> curve.at_chosen()["recall"]
    0.85
    >>> Curve([0.2, 0.6], [0.8], [1.0, 0.7], [0.9, 0.8], [0.9, 0.8], chosen=0.4)
    Traceback (most recent call last):
    coterie.exceptions.InputError: precision has 1 figures for 2 thresholds; give one for each
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
            _check_figures(name, values, len(self.thresholds))

    def lines(self) -> dict[str, Floats]:
        """Return the figures by the name that the page gives them."""
        own = (self.precision, self.recall, self.f1, self.b_cubed)
        return dict(zip(("precision", "recall", "F1", "B-cubed F1"), own, strict=True))

    def at_chosen(self) -> dict[str, float]:
        """Return the figures at the chosen threshold, between its two neighbours on a line."""
        return {name: self._between(values) for name, values in self.lines().items()}

    def _between(self, values: Floats) -> float:
        known = np.isfinite(values)
        if not known.any():
            return float("nan")
        return float(np.interp(self.chosen, self.thresholds[known], values[known]))


def _check_thresholds(thresholds: Floats, chosen: float) -> None:
    if thresholds.ndim != 1 or not len(thresholds):
        raise InputError(f"thresholds have shape {thresholds.shape}; give a list of at least one")
    every = np.append(thresholds, chosen)
    if not (np.abs(every) <= _LARGEST).all():
        raise InputError(f"a threshold or the chosen one is not within ±{_LARGEST:g}; leave it out")
    if (np.diff(thresholds) < 0).any():
        raise InputError("thresholds are not ascending; sort them, and their figures with them")


def _check_figures(name: str, values: Floats, n: int) -> None:
    if values.shape != (n,):
        raise InputError(f"{name} has {values.size} figures for {n} thresholds; give one for each")
    if ((values < 0) | (values > 1) | np.isinf(values)).any():
        raise InputError(f"{name} has figures beyond 0 and 1; give shares, or NaN where undefined")


@dataclass(frozen=True)
class Quality:
    """What was measured against the true clusters."""

    metrics: Sequence[Figure]
    curve: Curve | None = None


@dataclass(frozen=True)
class Sizes:
    """How many clusters have each size, as predicted and, where known, in truth.

    >>> Sizes({1: 20, 2: 4}).n_clusters
    24
    """

    predicted: Mapping[int, int]
    true: Mapping[int, int] | None = None

    def __post_init__(self) -> None:
        for counts in (self.predicted, self.true or {}):
            for size, count in counts.items():
                as_whole("the size of a cluster", size, 1)
                as_whole(f"the number of clusters of size {size}", count)

    @property
    def n_clusters(self) -> int:
        """The number of predicted clusters."""
        return sum(self.predicted.values())


@dataclass(frozen=True)
class FieldWeight:
    """What a field adds to the score, on average: of pairs that were joined, and of those refused.

    None where there is no such pair.
    """

    name: str
    kind: str
    mean_for: float | None
    mean_against: float | None


@dataclass(frozen=True)
class Choice:
    """What was compared before one was chosen: a table, the row that was chosen, and why.

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
            _check_width(f"row {number} of the choice", row, self.headings)


@dataclass(frozen=True)
class Row:
    """A row of the table: its id, cells, and what joined it to its cluster."""

    id: str
    values: Sequence[str]
    true_cluster: str | None = None
    linked_to: str | None = None
    confidence: float | None = None


@dataclass(frozen=True)
class WorstCluster:
    """A doubtful cluster; its rows may be fewer than its size, the most doubtful first."""

    cluster_id: str
    size: int
    weakest_link: float | None
    disagreement: float | None
    rows: Sequence[Row]


@dataclass(frozen=True)
class WorstClusters:
    """The most doubtful clusters, worst first, and the columns of the table that they show."""

    columns: Sequence[str]
    clusters: Sequence[WorstCluster]

    def __post_init__(self) -> None:
        for cluster in self.clusters:
            for row in cluster.rows:
                _check_width(f"row {row.id} of the cluster", row.values, self.columns)


def _check_width(what: str, cells: Sequence[str], columns: Sequence[str]) -> None:
    if len(cells) != len(columns):
        raise InputError(
            f"{what} has {len(cells)} cells for {len(columns)} columns; give one for each"
        )


@dataclass(frozen=True, repr=False)
class ReportData:
    """All that a report shows.

    Parameters
    ----------
    title
        The heading of the page.
    facts
        What the report is about, in pairs of a name and a text: model, learner, table, date.
    sizes
        How large the clusters are.
    worst
        The clusters that are worth a look.
    quality
        What was measured; None where the true clusters are not known.
    fields
        What each field adds to the score; empty where the similarity is no sum over fields.
    choice
        What the learner compared; None where nothing was.
    blocking
        How the pairs to look at were found, in pairs of a name and a text.
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
