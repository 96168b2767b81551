"""How well a table was clustered, by what it says itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie import metrics
from coterie._core.arrays import Floats
from coterie.partition import Partition
from coterie.tables.clustering import Clustering

UNITS = {"pair_loss": "% of pairs"}
"""What metrics count that are no shares."""

N_DRAWS = 400
"""How often entities are drawn anew for an interval."""


class Figure(NamedTuple):
    """A metric, and the interval that holds 95 of 100 draws of entities; None where unknown.

    `unit` is what it counts, of one that is no share.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    higher_is_better: bool = True
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A table that was clustered, and how well.

    Parameters
    ----------
    clustering
        What was predicted.
    truth, predicted
        Both as partitions of all rows; those of different sets are in different clusters.
    figures
        Metrics with their intervals.
    """

    clustering: Clustering
    truth: Partition
    predicted: Partition
    figures: tuple[Figure, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as `coterie evaluate --json` prints them."""
        return {
            "rows": len(self.truth),
            "true_clusters": self.truth.n_clusters,
            "predicted_clusters": self.predicted.n_clusters,
            "metrics": {
                each.name: {"value": each.value, "low": each.low, "high": each.high}
                for each in self.figures
            },
        }


def evaluated(clustering: Clustering, clusters: Sequence[str]) -> Evaluation:
    """Compare what was predicted with the clusters that the rows are said to be in."""
    truths = [Partition([clusters[row] for row in each.group.rows]) for each in clustering.found]
    truth = Partition.concatenate(truths)
    predicted = Partition.concatenate(each.partition for each in clustering.found)
    return Evaluation(clustering, truth, predicted, tuple(_figures(truth, predicted)))


def _figures(truth: Partition, predicted: Partition) -> list[Figure]:
    found = _intervals(truth, predicted)
    for name in ("pair_scores", "b_cubed"):
        scores = getattr(metrics, name)(truth, predicted)
        for part, value in scores._asdict().items():
            figure = found[f"{name}.{part}"]
            found[f"{name}.{part}"] = figure._replace(value=float(value))
    others = ("adjusted_rand_score", "pair_loss", "variation_of_information")
    for name in others:
        metric = getattr(metrics, name)
        value = float(metric(truth, predicted))
        better = bool(metric.greater_is_better)
        found[name] = Figure(name, value, None, None, better, UNITS.get(name, ""))
    return list(found.values())


def _intervals(truth: Partition, predicted: Partition) -> dict[str, Figure]:
    """Draw true clusters anew, each time with what was predicted of their items."""
    parts = _parts(truth, predicted)
    rng = np.random.default_rng(0)
    drawn = np.stack(
        [parts @ rng.poisson(1.0, truth.n_clusters).astype(np.float64) for _ in range(N_DRAWS)]
    )
    figures = {}
    for name, (good, said, true, good_recall) in {
        "pair_scores": (0, 1, 2, 0),
        "b_cubed": (3, 5, 5, 4),
    }.items():
        precision = _ratio(drawn[:, good], drawn[:, said])
        recall = _ratio(drawn[:, good_recall], drawn[:, true])
        f1 = _ratio(2.0 * precision * recall, precision + recall)
        for part, values in (("precision", precision), ("recall", recall), ("f1", f1)):
            low, high = np.quantile(values, [0.025, 0.975])
            figures[f"{name}.{part}"] = Figure(f"{name}.{part}", 0.0, float(low), float(high))
    return figures


def _parts(truth: Partition, predicted: Partition) -> Floats:
    """Return what each true cluster adds to the sums that metrics are ratios of.

    Pairs together in both, predicted, true; precisions and recalls of items, and their number. The
    pairs of a predicted cluster are divided among the true ones by their shares of its items.
    """
    cells, counts = np.unique(
        truth.labels * max(predicted.n_clusters, 1) + predicted.labels, return_counts=True
    )
    owners, clusters = np.divmod(cells, max(predicted.n_clusters, 1))
    said, true = predicted.sizes[clusters].astype(float), truth.sizes[owners].astype(float)
    shared = counts.astype(float)
    columns = [
        shared * (shared - 1.0) / 2.0,
        shared * (said - 1.0) / 2.0,
        shared * (true - 1.0) / 2.0,
        shared**2 / said,
        shared**2 / true,
        shared,
    ]
    return np.stack([np.bincount(owners, each, truth.n_clusters) for each in columns])


def _ratio(above: Any, below: Any) -> Floats:
    return np.asarray(np.divide(above, below, out=np.ones_like(below), where=below > 0))
