"""The data of a report about a table that a model clustered."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coterie import metrics
from coterie._core.arrays import Bools, Floats, Ints
from coterie._core.renaming import renamed_parameters
from coterie._core.texts import pluralize
from coterie._types import Clusterer
from coterie.clusterers.second_look import decide
from coterie.clusterers.thresholds import lower_missing_score, partitions_at, subtract_threshold
from coterie.features.records import WHOLE_RECORD
from coterie.items import ItemSet
from coterie.pairs import count_pairs
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
from coterie.tables import Clustering, Evaluation, Table, TableModel, TableStatistics
from coterie.tables.clustering import ClusteredSet, Doubt
from coterie.tables.constraints import IdPairs
from coterie.tables.explaining import field_contributions, is_additive
from coterie.tables.io.frames import as_table
from coterie.tables.links import RowConstraints

__all__ = ["report_of"]

MAX_CLUSTERS, MAX_ROWS_PER_CLUSTER = 20, 30
"""Largest number of doubtful clusters in the report, and of rows of each."""

N_PAIRS = 500
"""Number of sampled pairs in the same cluster, and of pairs in different clusters."""

N_THRESHOLDS, MAX_RATIO = 20, 8.0
"""Number of thresholds besides 0, and the largest ratio between the number of scores above a
threshold and the number of true pairs, or the reverse."""

MOST_ROWS = 20_000
"""Largest number of rows for which quality is measured at other thresholds."""


@renamed_parameters(id_="id", together="must_link", apart="cannot_link")
def report_of(
    model: TableModel,
    frame: Any,
    *,
    cluster: str | None = None,
    id: str | None = None,  # noqa: A002
    must_link: IdPairs = (),
    cannot_link: IdPairs = (),
    statistics: TableStatistics | None = None,
) -> ReportData:
    """Cluster a table, and collect the data of a report about the result.

    Parameters
    ----------
    model
        The model.
    frame
        The table, as for `TableModel.predict`.
    cluster
        The column of true clusters. By default, that of the training table if this table has it;
        without one, the quality is not measured.
    id, must_link, cannot_link, statistics
        As for `TableModel.predict`.
    """
    table = as_table(frame)
    if cluster is None and model.schema.cluster in table.names:
        cluster = model.schema.cluster
    options: Any = {
        "id": id,
        "must_link": must_link,
        "cannot_link": cannot_link,
        "statistics": statistics,
    }
    if cluster is None:
        evaluation, truths = None, None
        clustering = model.cluster(table, **options)
    else:
        evaluation, truths = model.evaluate(table, cluster, **options), table[cluster]
        clustering = evaluation.clustering
    has_curve = evaluation is None or len(table) <= MOST_ROWS
    return ReportData(
        f"Clusters of {table.name}",
        _facts(model, table, clustering, has_curve=has_curve),
        _sizes(clustering, evaluation),
        _worst(model, table, clustering, truths),
        None if evaluation is None else _quality(model, evaluation, len(table)),
        _fields(model, clustering),
        Choice(**model.facts["choice"]) if "choice" in model.facts else None,
        _blocking(model.facts, clustering),
    )


def _facts(
    model: TableModel, table: Table, clustering: Clustering, *, has_curve: bool
) -> list[tuple[str, str]]:
    facts = model.facts
    n_rows = pluralize(facts.get("rows", 0), "row")
    n_clusters = pluralize(facts.get("clusters", 0), "true cluster")
    lines = [
        ("table", f"{table.name}, {pluralize(len(table), 'row')}"),
        ("clusters", f"{len(set(clustering.cluster_ids)):,}"),
        ("learner", str(facts.get("learner", "unknown"))),
        ("training table", f"{n_rows} in {n_clusters}"),
        ("metric for choosing the learner", str(facts.get("metric", "unknown"))),
    ]
    if not has_curve:
        reason = f"not measured, because the table has over {MOST_ROWS:,} rows"
        lines.append(("quality at other thresholds", reason))
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


def _pair_scores(truth: Partition, predicted: Partition) -> dict[str, float]:
    """Return the metrics of pairs; a share of no pairs at all is NaN.

    These are the precision if no two rows were predicted to belong together, and the recall if no
    two rows truly do.
    """
    scores = metrics.pair_scores(truth, predicted)._asdict()
    if not _has_pairs(predicted):
        scores["precision"] = np.nan
    if not _has_pairs(truth):
        scores["recall"] = np.nan
    return scores


def _has_pairs(partition: Partition) -> bool:
    return bool((partition.sizes > 1).any())


def _curve(model: TableModel, evaluation: Evaluation) -> Curve:
    """Cluster again at other thresholds, and measure each result."""
    sets = evaluation.clustering.sets
    truths = _truths_by_set(evaluation.truth, sets)
    thresholds = _thresholds(sets, truths)
    by_set = [_partitions(model.model.clusterer, clustered, thresholds) for clustered in sets]
    truth = Partition.concatenate(truths)
    scores: dict[str, list[float]] = {"precision": [], "recall": [], "f1": [], "b_cubed": []}
    for partitions in zip(*by_set, strict=True):
        predicted = Partition.concatenate(partitions)
        b_cubed = metrics.b_cubed(truth, predicted).f1
        for name, value in {**_pair_scores(truth, predicted), "b_cubed": b_cubed}.items():
            scores[name].append(value)
    # The model has subtracted its threshold from the scores, so it is 0 here.
    lines = {name: np.array(values, dtype=np.float64) for name, values in scores.items()}
    return Curve(thresholds, **lines, chosen=0.0)


def _partitions(
    clusterer: Clusterer, clustered: ClusteredSet, thresholds: Floats
) -> list[Partition]:
    """Return the clusters of a set at each threshold, under the constraints of the prediction."""
    scores, equal_rows = clustered.item_scores, clustered.equal_rows
    constraints = [equal_rows.items_of(pairs) for pairs in clustered.constraints]
    if scores.listed is None and not any(map(len, constraints)):
        partitions = partitions_at(clusterer, scores, thresholds)
    else:
        decisions = (
            decide(
                lower_missing_score(clusterer, threshold),
                subtract_threshold(scores, threshold),
                None,
                *constraints,
            )
            for threshold in thresholds
        )
        partitions = [decision.partition for decision in decisions]
    return [equal_rows.rows_together(partition) for partition in partitions]


def _truths_by_set(truth: Partition, sets: Sequence[ClusteredSet]) -> list[Partition]:
    """Split the true partition of all rows, in which one set follows the other, by sets."""
    ends = np.cumsum([len(clustered.partition) for clustered in sets])[:-1]
    return [Partition(labels) for labels in np.split(truth.labels, ends)]


def _thresholds(sets: Sequence[ClusteredSet], truths: Sequence[Partition]) -> Floats:
    """Return 0, and quantiles of the scores.

    If a share p of the candidate pairs is true, the quantiles leave shares from p / `MAX_RATIO` to
    p · `MAX_RATIO` above them.
    """
    scores = np.concatenate([clustered.scores.scores for clustered in sets])
    is_true_pair = np.concatenate(
        [
            truth.together(clustered.scores.listed)
            for clustered, truth in zip(sets, truths, strict=True)
        ]
    )
    if not is_true_pair.any():
        return np.zeros(1)
    shares = is_true_pair.mean() * np.geomspace(1.0 / MAX_RATIO, MAX_RATIO, N_THRESHOLDS)
    return np.unique(np.append(np.quantile(scores, 1.0 - np.minimum(shares, 1.0)), 0.0))


def _fields(model: TableModel, clustering: Clustering) -> list[FieldWeight]:
    """Return the mean contribution of each field to the scores of sampled pairs."""
    if not is_additive(model.model):
        return []
    in_same = _mean_contributions(clustering, together=True)
    in_different = _mean_contributions(clustering, together=False)
    kinds = {**model.schema.kinds, WHOLE_RECORD: "one text with the words of all columns"}
    return [
        FieldWeight(name, kinds.get(name, ""), in_same.get(name), in_different.get(name))
        for name in in_same or in_different
    ]


def _mean_contributions(clustering: Clustering, *, together: bool) -> dict[str, float]:
    """Return the mean contribution of each field to the scores of sampled pairs.

    The pairs are in the same cluster if `together`, else in different clusters.
    """
    sums: dict[str, float] = {}
    n_pairs = 0
    for clustered, item_set, pairs in _draw_pairs(clustering, together=together):
        _bias, parts = field_contributions(clustered.model, item_set, pairs)
        for name, values in parts.items():
            sums[name] = sums.get(name, 0.0) + float(values.sum())
        n_pairs += len(pairs)
    return {name: total / n_pairs for name, total in sums.items()}


def _draw_pairs(
    clustering: Clustering, *, together: bool
) -> Iterator[tuple[ClusteredSet, ItemSet, Any]]:
    """Draw compared pairs in the same cluster, or in different ones.

    Yield each set of rows with an item set of the rows of the drawn pairs, and these pairs.
    """
    rng = np.random.default_rng(0)
    n_missing = N_PAIRS
    for index in rng.permutation(len(clustering.sets)):
        clustered = clustering.sets[index]
        matches: Bools = clustered.partition.together(clustered.scores.listed) == together
        positions = np.flatnonzero(matches)
        if not len(positions):
            continue
        drawn = rng.choice(positions, min(n_missing, len(positions)), replace=False)
        pairs = clustered.scores.pairs[np.sort(drawn)]
        rows, items_of_pairs = np.unique(pairs, return_inverse=True)
        items = clustered.group.item_set.items
        columns = {name: [items[name][row] for row in rows] for name in items}
        yield clustered, ItemSet(columns), items_of_pairs.reshape(-1, 2)
        n_missing -= len(pairs)
        if not n_missing:
            return


def _blocking(facts: dict[str, Any], clustering: Clustering) -> list[tuple[str, str]]:
    blocking = facts.get("blocking", {})
    n_pairs = sum(len(clustered.scores.scores) for clustered in clustering.sets)
    compares_all = all(clustered.item_scores.listed is None for clustered in clustering.sets)
    n_all = sum(count_pairs(len(clustered.partition)) for clustered in clustering.sets)
    counts = f"{n_pairs:,} of {pluralize(n_all, 'pair')} of rows"
    lines = [("candidate pairs", counts + (", so the keys were not used" if compares_all else ""))]
    if shares := _shares_of_true_pairs(blocking):
        lines.append(("true pairs that the keys find", "; ".join(shares)))
    keys = enumerate(blocking.get("keys", ()), 1)
    return lines + [(f"key {number}", key) for number, key in keys]


def _shares_of_true_pairs(blocking: dict[str, Any]) -> list[str]:
    """Return the shares of the true pairs that keys find.

    The keys that one half of the true clusters chooses are measured on the other half.
    """
    recall, held_out_recall = blocking.get("recall"), blocking.get("held_out_recall")
    shares = [] if recall is None else [f"{recall:.1%} of those in the training table"]
    if held_out_recall is not None:
        shares.append(
            f"{held_out_recall:.1%} of those in one half of its clusters, if the keys are chosen "
            "with the other half"
        )
    return shares


def _worst(
    model: TableModel, table: Table, clustering: Clustering, truths: Sequence[str] | None
) -> WorstClusters:
    predictions = clustering.columns()
    columns = model.schema.columns
    clusters = []
    for doubt in clustering.doubts()[:MAX_CLUSTERS]:
        rows = [
            Row(
                clustering.ids[row],
                [table.columns[name][row] for name in columns],
                None if truths is None else truths[row],
                predictions["linked_to"][row] or None,
                predictions["confidence"][row],
            )
            for row in doubt.rows[:MAX_ROWS_PER_CLUSTER]
        ]
        clusters.append(_worst_cluster(doubt, rows))
    return WorstClusters(columns, clusters)


def _worst_cluster(doubt: Doubt, rows: list[Row]) -> WorstCluster:
    weakest = doubt.weakest if np.isfinite(doubt.weakest) else None
    return WorstCluster(doubt.cluster_id, len(doubt.rows), weakest, doubt.disagreement, rows)
