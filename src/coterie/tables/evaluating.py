"""The quality of a clustered table, measured against its column of true clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie import metrics
from coterie._core.arrays import Floats
from coterie._core.texts import pluralize
from coterie.partition import Partition
from coterie.tables.clustering import Clustering

UNITS = {"pair_loss": "% of pairs"}
"""The units of metrics that are not shares."""

HEADLINE = ("pair_scores.precision", "pair_scores.recall", "pair_scores.f1", "b_cubed.f1")
"""The metrics that stand for all in a short description."""

N_DRAWS = 400
"""Number of bootstrap samples of entities for an interval."""


class Figure(NamedTuple):
    """A metric with its 95% interval over bootstrap samples of entities; None where unknown.

    `unit` is "" for shares from 0 to 1.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    higher_is_better: bool = True
    unit: str = ""


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
    """

    clustering: Clustering
    truth: Partition
    predicted: Partition
    figures: tuple[Figure, ...]

    def __repr__(self) -> str:
        values = {figure.name: figure.value for figure in self.figures}
        scores = ", ".join(f"{name} {values[name]:.3f}" for name in HEADLINE if name in values)
        return f"Evaluation({pluralize(len(self.truth), 'row')}, {scores})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as `coterie evaluate --json` prints them."""
        return {
            "rows": len(self.truth),
            "true_clusters": self.truth.n_clusters,
            "predicted_clusters": self.predicted.n_clusters,
            "metrics": {
                figure.name: {"value": figure.value, "low": figure.low, "high": figure.high}
                for figure in self.figures
            },
        }


def evaluate_clustering(clustering: Clustering, true_clusters: Sequence[str]) -> Evaluation:
    """Compare a clustering with the true cluster of each row."""
    truth = Partition.concatenate(
        Partition([true_clusters[row] for row in clustered.group.rows])
        for clustered in clustering.sets
    )
    predicted = Partition.concatenate(clustered.partition for clustered in clustering.sets)
    return Evaluation(clustering, truth, predicted, tuple(_figures(truth, predicted)))


def _figures(truth: Partition, predicted: Partition) -> list[Figure]:
    figures = _intervals(truth, predicted)
    for name in ("pair_scores", "b_cubed"):
        scores = getattr(metrics, name)(truth, predicted)
        for part, value in scores._asdict().items():
            figure = figures[f"{name}.{part}"]
            figures[f"{name}.{part}"] = figure._replace(value=float(value))
    for name in ("adjusted_rand_score", "pair_loss", "variation_of_information"):
        metric = getattr(metrics, name)
        value = float(metric(truth, predicted))
        better = bool(metric.greater_is_better)
        figures[name] = Figure(name, value, None, None, better, UNITS.get(name, ""))
    return list(figures.values())


def _intervals(truth: Partition, predicted: Partition) -> dict[str, Figure]:
    """Return the intervals of precision, recall and F1, by a bootstrap over true clusters."""
    parts = _parts(truth, predicted)
    rng = np.random.default_rng(0)
    drawn = np.stack(
        [parts @ rng.poisson(1.0, truth.n_clusters).astype(np.float64) for _ in range(N_DRAWS)]
    )
    figures = {}
    # The columns of `_parts`: numerators and denominators of precision and of recall.
    for name, (right, predicted_total, true_total, right_of_recall) in {
        "pair_scores": (0, 1, 2, 0),
        "b_cubed": (3, 5, 5, 4),
    }.items():
        precision = _ratio(drawn[:, right], drawn[:, predicted_total])
        recall = _ratio(drawn[:, right_of_recall], drawn[:, true_total])
        f1 = _ratio(2.0 * precision * recall, precision + recall)
        for part, values in (("precision", precision), ("recall", recall), ("f1", f1)):
            low, high = np.quantile(values, [0.025, 0.975])
            figures[f"{name}.{part}"] = Figure(f"{name}.{part}", 0.0, float(low), float(high))
    return figures


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
    ones = np.ones_like(denominator)
    return np.asarray(np.divide(numerator, denominator, out=ones, where=denominator > 0))
