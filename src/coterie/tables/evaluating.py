"""The quality of a clustered table, measured against its column of true clusters."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from coterie import metrics
from coterie._core.arrays import Floats
from coterie._core.texts import pluralize
from coterie.partition import Partition
from coterie.tables.clustering import Clustering
from coterie.tables.divided import DividedClusters, divided_clusters

UNITS = {"pair_loss": "% of pairs"}
"""The units of metrics that are not shares."""

HEADLINE = ("pair_scores.precision", "pair_scores.recall", "pair_scores.f1", "b_cubed.f1")
"""The metrics that stand for all in a short description."""

PRECISION = "pair_scores.precision"

NO_TRUE_PAIRS = "no two rows truly belong together"
NO_PAIRS = "no two rows were predicted to belong together"
FEW_ENTITIES = "the interval needs at least two true clusters with pairs of rows"

N_DRAWS = 400
"""Number of bootstrap samples of entities for an interval."""


class Figure(NamedTuple):
    """A metric with its 95% interval over bootstrap samples of entities; None where unknown.

    `unit` is "" for shares from 0 to 1. The value is NaN if the rows cannot show it. `reason` says
    why the value or the interval is unknown.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    higher_is_better: bool = True
    unit: str = ""
    reason: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """A clustered table compared with its true clusters.

    Parameters
    ----------
    clustering
        The prediction.
    truth, predicted
        The true and the predicted clusters as partitions of all rows; rows of different sets are
        in different clusters.
    figures
        Metrics with their intervals.
    divided
        The true clusters that have rows in several sets.
    """

    clustering: Clustering
    truth: Partition
    predicted: Partition
    figures: tuple[Figure, ...]
    divided: DividedClusters = field(default_factory=DividedClusters)

    def __repr__(self) -> str:
        values = {figure.name: figure.value for figure in self.figures}
        scores = [
            f"{name} unknown" if isnan(values[name]) else f"{name} {values[name]:.3f}"
            for name in HEADLINE
            if name in values
        ]
        return f"Evaluation({', '.join([pluralize(len(self.truth), 'row'), *scores])})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as `coterie evaluate --json` prints them."""
        return {
            "rows": len(self.truth),
            "true_clusters": self.truth.n_clusters,
            "predicted_clusters": self.predicted.n_clusters,
            "clusters_divided_by_sets": self.divided.n_clusters,
            "true_pairs_across_sets": self.divided.share,
            "metrics": {
                figure.name: {
                    "value": None if isnan(figure.value) else figure.value,
                    "low": figure.low,
                    "high": figure.high,
                    **({"reason": figure.reason} if figure.reason else {}),
                }
                for figure in self.figures
            },
        }


def evaluate_clustering(clustering: Clustering, true_clusters: Sequence[str]) -> Evaluation:
    """Compare a clustering with the true cluster of each row."""
    names = [[true_clusters[row] for row in clustered.group.rows] for clustered in clustering.sets]
    truth = Partition.concatenate(map(Partition, names))
    predicted = Partition.concatenate(clustered.partition for clustered in clustering.sets)
    figures = tuple(_figures(truth, predicted))
    return Evaluation(clustering, truth, predicted, figures, divided_clusters(names))


def why_unmeasured(name: str, truth: Partition, predicted: Partition) -> str:
    """Return why a metric says nothing about a prediction; "" if it does.

    Without true pairs, precision is 0 for any predicted pair, and all other metrics of pairs are 0
    or 1 by convention. Precision without predicted pairs is a convention too.
    """
    if not name.startswith(("pair_scores.", "adjusted_rand_score")):
        return ""
    if not np.any(truth.sizes > 1):
        return "" if name == PRECISION and np.any(predicted.sizes > 1) else NO_TRUE_PAIRS
    return NO_PAIRS if name == PRECISION and not np.any(predicted.sizes > 1) else ""


def _figures(truth: Partition, predicted: Partition) -> list[Figure]:
    figures = {}
    intervals = _intervals(truth, predicted)
    for name in ("pair_scores", "b_cubed"):
        scores = getattr(metrics, name)(truth, predicted)
        for part, value in scores._asdict().items():
            path = f"{name}.{part}"
            figures[path] = _with_interval(Figure(path, float(value)), intervals[path])
    for name in ("adjusted_rand_score", "pair_loss", "variation_of_information"):
        metric = getattr(metrics, name)
        value = float(metric(truth, predicted))
        better = bool(metric.greater_is_better)
        figures[name] = Figure(name, value, None, None, better, UNITS.get(name, ""))
    for name, figure in figures.items():
        reason = why_unmeasured(name, truth, predicted)
        if reason:
            figures[name] = figure._replace(value=nan, low=None, high=None, reason=reason)
    return list(figures.values())


def _with_interval(figure: Figure, values: Floats) -> Figure:
    """Add the interval of the values in bootstrap samples that have one; it holds the value."""
    defined = values[np.isfinite(values)]
    if not len(defined):
        return figure._replace(reason=FEW_ENTITIES)
    low, high = np.quantile(defined, [0.025, 0.975])
    return figure._replace(low=min(float(low), figure.value), high=max(float(high), figure.value))


def _intervals(truth: Partition, predicted: Partition) -> dict[str, Floats]:
    """Return precision, recall and F1 in bootstrap samples of true clusters.

    They are NaN where they are not defined, and wherever fewer than two clusters count: the samples
    would then be equal, whatever the uncertainty is.
    """
    parts = _parts(truth, predicted)
    rng = np.random.default_rng(0)
    drawn = np.stack(
        [parts @ rng.poisson(1.0, truth.n_clusters).astype(np.float64) for _ in range(N_DRAWS)]
    )
    samples = {}
    # The columns of `_parts`: numerators and denominators of precision and of recall.
    for name, (right, predicted_total, true_total, right_of_recall) in {
        "pair_scores": (0, 1, 2, 0),
        "b_cubed": (3, 5, 5, 4),
    }.items():
        precision = _ratio(drawn[:, right], drawn[:, predicted_total])
        recall = _ratio(drawn[:, right_of_recall], drawn[:, true_total])
        has_pairs = [np.sum(parts[total] > 0) > 1 for total in (predicted_total, true_total)]
        samples[f"{name}.precision"] = precision if has_pairs[0] else np.full(N_DRAWS, np.nan)
        samples[f"{name}.recall"] = recall if has_pairs[1] else np.full(N_DRAWS, np.nan)
        # Without predicted pairs, F1 is 0; so it is without right ones.
        found = np.nan_to_num(precision)
        f1 = np.where(found + recall == 0.0, 0.0, _ratio(2.0 * found * recall, found + recall))
        samples[f"{name}.f1"] = f1 if has_pairs[1] else np.full(N_DRAWS, np.nan)
    return samples


def _parts(truth: Partition, predicted: Partition) -> Floats:
    """Return the terms that each true cluster adds to the sums of which metrics are ratios.

    The columns: pairs together in both partitions, predicted pairs, true pairs; sum of the
    precisions and of the recalls of items, number of items. The pairs of a predicted cluster are
    divided among true clusters in proportion to their items in it.
    """
    cells, counts = np.unique(
        truth.labels * max(predicted.n_clusters, 1) + predicted.labels, return_counts=True
    )
    true_labels, labels = np.divmod(cells, max(predicted.n_clusters, 1))
    predicted_sizes = predicted.sizes[labels].astype(float)
    true_sizes = truth.sizes[true_labels].astype(float)
    shared = counts.astype(float)
    columns = [
        shared * (shared - 1.0) / 2.0,
        shared * (predicted_sizes - 1.0) / 2.0,
        shared * (true_sizes - 1.0) / 2.0,
        shared**2 / predicted_sizes,
        shared**2 / true_sizes,
        shared,
    ]
    return np.stack([np.bincount(true_labels, column, truth.n_clusters) for column in columns])


def _ratio(numerator: Any, denominator: Any) -> Floats:
    """Divide; a ratio without a denominator is NaN."""
    unknown = np.full_like(denominator, np.nan)
    return np.asarray(np.divide(numerator, denominator, out=unknown, where=denominator > 0))
