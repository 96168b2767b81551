"""The report of a table that a model of tables has clustered."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coterie import metrics
from coterie._core.arrays import Bools, Floats, Ints
from coterie._core.renaming import renamed_parameters
from coterie._core.texts import pluralize
from coterie._types import Clusterer
from coterie.clusterers.constraints import partition_under_checked_constraints
from coterie.clusterers.thresholds import partitions_at, subtract_threshold
from coterie.features.records import WHOLE_RECORD
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie.report.data import (
    Choice,
    Curve,
    FieldWeight,
    Quality,
    ReportData,
    Row,
    Sizes,
    WorstCluster,
    WorstClusters,
)
from coterie.tables import Clustering, Evaluation, Table, TableModel
from coterie.tables.clustering import ClusteredSet, Doubt
from coterie.tables.constraints import IdPairs
from coterie.tables.explaining import field_contributions, is_additive
from coterie.tables.io.frames import as_table
from coterie.tables.links import RowConstraints

__all__ = ["report_of"]

N_WORST, N_ROWS = 20, 30
"""Number of doubtful clusters in the report, and of rows of each."""

N_PAIRS = 500
"""Number of joined pairs, and of refused pairs, by which the weight of fields is measured."""

N_THRESHOLDS, SPREAD = 20, 8.0
"""Number of thresholds besides 0; they leave up to `SPREAD` times more or fewer pairs."""

MOST_ROWS = 20_000
"""Largest number of rows for which curves are computed."""


@renamed_parameters(together="must_link", apart="cannot_link")
def report_of(
    model: TableModel,
    frame: Any,
    *,
    cluster: str | None = None,
    id: str | None = None,  # noqa: A002
    must_link: IdPairs = (),
    cannot_link: IdPairs = (),
) -> ReportData:
    """Cluster a table, and collect the data of a report about the result.

    Parameters
    ----------
    model
        The model.
    frame
        The table, as for `TableModel.predict`.
    cluster
        The column that holds the true clusters. By default, that of the training table if this
        table has it; without one, quality is not measured.
    id, must_link, cannot_link
        As for `TableModel.predict`.
    """
    table = as_table(frame)
    if cluster is None and model.schema.cluster in table.names:
        cluster = model.schema.cluster
    options: Any = {"id": id, "must_link": must_link, "cannot_link": cannot_link}
    if cluster is None:
        evaluation, truths = None, None
        clustering = model.cluster(table, **options)
    else:
        evaluation, truths = model.evaluate(table, cluster, **options), table[cluster]
        clustering = evaluation.clustering
    return ReportData(
        f"Clusters of {table.name}",
        _facts(model, table, clustering, has_curve=evaluation is None or len(table) <= MOST_ROWS),
        _sizes(clustering, evaluation),
        _worst(model, table, clustering, truths),
        None if evaluation is None else _quality(model, evaluation, len(table)),
        _fields(model, clustering),
        Choice(**model.facts["choice"]) if "choice" in model.facts else None,
        _blocking(model.facts.get("blocking", {}), clustering),
    )


def _facts(
    model: TableModel, table: Table, clustering: Clustering, *, has_curve: bool
) -> list[tuple[str, str]]:
    facts = model.facts
    lines = [
        ("table", f"{table.name}, {len(table):,} rows"),
        ("clusters", f"{len(set(clustering.cluster_ids)):,}"),
        ("learner", str(facts.get("learner", "unknown"))),
        (
            "training table",
            f"{facts.get('rows', 0):,} rows in {facts.get('clusters', 0):,} clusters",
        ),
        ("metric of the choice", str(facts.get("metric", "unknown"))),
    ]
    if not has_curve:
        lines.append(("threshold", f"not varied, because there are over {MOST_ROWS:,} rows"))
    for name in RowConstraints._fields:
        count = sum(len(getattr(clustered.constraints, name)) for clustered in clustering.sets)
        if count:
            lines.append((name.replace("_", "-"), f"{pluralize(count, 'pair')} of rows"))
    return lines


def _sizes(clustering: Clustering, evaluation: Evaluation | None) -> Sizes:
    predicted = np.concatenate([clustered.partition.sizes for clustered in clustering.sets])
    true = None if evaluation is None else _count_sizes(evaluation.truth.sizes)
    return Sizes(_count_sizes(predicted), true)


def _count_sizes(sizes: Ints) -> dict[int, int]:
    return dict(sorted(Counter(sizes.tolist()).items()))


def _quality(model: TableModel, evaluation: Evaluation, n_rows: int) -> Quality:
    curve = _curve(model, evaluation) if n_rows <= MOST_ROWS else None
    return Quality(evaluation.figures, curve)


def _curve(model: TableModel, evaluation: Evaluation) -> Curve:
    """Cluster again at other thresholds, and measure each result."""
    sets = evaluation.clustering.sets
    truths = _truths_by_set(evaluation.truth, sets)
    thresholds = _thresholds(sets, truths)
    by_set = [_partitions(model.model.clusterer, clustered, thresholds) for clustered in sets]
    truth = Partition.concatenate(truths)
    lines: list[tuple[float, ...]] = []
    for partitions in zip(*by_set, strict=True):
        predicted = Partition.concatenate(partitions)
        b_cubed = metrics.b_cubed(truth, predicted)
        lines.append((*metrics.pair_scores(truth, predicted), b_cubed.f1))
    precision, recall, f1, b_cubed_f1 = np.array(lines, dtype=np.float64).T
    return Curve(thresholds, precision, recall, f1, b_cubed_f1, chosen=0.0)


def _partitions(
    clusterer: Clusterer, clustered: ClusteredSet, thresholds: Floats
) -> list[Partition]:
    """Return the predicted clusters of a set at each threshold, under the same constraints."""
    scores, constraints = clustered.scores, clustered.constraints
    if not any(map(len, constraints)):
        return list(partitions_at(clusterer, scores, thresholds))
    return [
        partition_under_checked_constraints(
            clusterer, subtract_threshold(scores, threshold), *constraints
        )
        for threshold in thresholds
    ]


def _truths_by_set(truth: Partition, sets: Sequence[ClusteredSet]) -> list[Partition]:
    """Split the true partition of all rows, which lists one set after the other, by sets."""
    ends = np.cumsum([len(clustered.partition) for clustered in sets])[:-1]
    return [Partition(labels) for labels in np.split(truth.labels, ends)]


def _thresholds(sets: Sequence[ClusteredSet], truths: Sequence[Partition]) -> Floats:
    """Return 0, and quantiles of the scores around the share of pairs that belong together."""
    scores = np.concatenate([clustered.scores.scores for clustered in sets])
    together = np.concatenate(
        [
            truth.together(clustered.scores.listed)
            for clustered, truth in zip(sets, truths, strict=True)
        ]
    )
    if not together.any():
        return np.zeros(1)
    shares = together.mean() * np.geomspace(1.0 / SPREAD, SPREAD, N_THRESHOLDS)
    return np.unique(np.append(np.quantile(scores, 1.0 - np.minimum(shares, 1.0)), 0.0))


def _fields(model: TableModel, clustering: Clustering) -> list[FieldWeight]:
    """Measure the weight of each field: its mean contribution to the scores of some pairs."""
    if not is_additive(model.model):
        return []
    joined = _mean_contributions(model, clustering, together=True)
    refused = _mean_contributions(model, clustering, together=False)
    names = [*(joined or refused)]
    kinds = {**model.schema.kinds, WHOLE_RECORD: "the words of all fields"}
    return [
        FieldWeight(name, kinds.get(name, ""), joined.get(name), refused.get(name))
        for name in names
    ]


def _mean_contributions(
    model: TableModel, clustering: Clustering, *, together: bool
) -> dict[str, float]:
    """Return the mean contribution of each field to the scores of joined pairs, or refused ones."""
    sums: dict[str, float] = {}
    n_pairs = 0
    for item_set, pairs in _draw_pairs(clustering, together=together):
        _bias, parts = field_contributions(model.model, item_set, pairs)
        for name, values in parts.items():
            sums[name] = sums.get(name, 0.0) + float(values.sum())
        n_pairs += len(pairs)
    return {name: total / n_pairs for name, total in sums.items()}


def _draw_pairs(clustering: Clustering, *, together: bool) -> Iterator[tuple[ItemSet, Any]]:
    """Draw pairs that are in one cluster, or not; yield item sets of their rows, and the pairs."""
    rng = np.random.default_rng(0)
    n_left = N_PAIRS
    for index in rng.permutation(len(clustering.sets)):
        clustered = clustering.sets[index]
        matches: Bools = clustered.partition.together(clustered.scores.listed) == together
        positions = np.flatnonzero(matches)
        if not len(positions):
            continue
        drawn = rng.choice(positions, min(n_left, len(positions)), replace=False)
        pairs = clustered.scores.pairs[np.sort(drawn)]
        rows, items_of_pairs = np.unique(pairs, return_inverse=True)
        items = clustered.group.item_set.items
        columns = {name: [items[name][row] for row in rows] for name in items}
        yield ItemSet(columns), items_of_pairs.reshape(-1, 2)
        n_left -= len(pairs)
        if not n_left:
            return


def _blocking(facts: dict[str, Any], clustering: Clustering) -> list[tuple[str, str]]:
    n_pairs = sum(len(clustered.scores.scores) for clustered in clustering.sets)
    compares_all = all(clustered.scores.listed is None for clustered in clustering.sets)
    lines = [("compared pairs", f"{n_pairs:,}{', which are all pairs' if compares_all else ''}")]
    for name, key in (
        ("true pairs found by the keys", "recall"),
        ("the same, of held-out entities", "held_out_recall"),
    ):
        if facts.get(key) is not None:
            lines.append((name, f"{facts[key]:.3f}"))
    return lines + [(f"key {count}", key) for count, key in enumerate(facts.get("keys", ()), 1)]


def _worst(
    model: TableModel, table: Table, clustering: Clustering, truths: Sequence[str] | None
) -> WorstClusters:
    added = clustering.columns()
    columns = model.schema.columns
    clusters = []
    for doubt in clustering.doubts()[:N_WORST]:
        rows = [
            Row(
                clustering.ids[row],
                [table.columns[name][row] for name in columns],
                None if truths is None else truths[row],
                added["linked_to"][row] or None,
                added["confidence"][row],
            )
            for row in doubt.rows[:N_ROWS]
        ]
        clusters.append(_worst_cluster(doubt, rows))
    return WorstClusters(columns, clusters)


def _worst_cluster(doubt: Doubt, rows: list[Row]) -> WorstCluster:
    weakest = doubt.weakest if np.isfinite(doubt.weakest) else None
    return WorstCluster(doubt.cluster_id, len(doubt.rows), weakest, doubt.disagreement, rows)
