"""The report of a table that a model of tables has clustered."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coterie import metrics
from coterie._core.arrays import Bools, Floats, Ints
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
from coterie.tables.clustering import Doubt, Found
from coterie.tables.constraints import IdPairs
from coterie.tables.explaining import field_contributions, is_additive
from coterie.tables.io.frames import as_table
from coterie.tables.links import Told

__all__ = ["report_of"]

N_WORST, N_ROWS = 20, 30
"""How many clusters are shown, and how many rows of each."""

N_PAIRS = 500
"""Of how many pairs that were joined, and that were refused, fields are weighed."""

N_THRESHOLDS, SPREAD = 20, 8.0
"""How many operating points there are beside 0, and how many times more pairs they leave."""

MOST_ROWS = 20_000
"""Up to how many rows curves are computed."""


def report_of(
    model: TableModel,
    frame: Any,
    *,
    cluster: str | None = None,
    id: str | None = None,  # noqa: A002
    together: IdPairs = (),
    apart: IdPairs = (),
) -> ReportData:
    """Cluster a table, and gather what is to be shown of it.

    Parameters
    ----------
    model
        The model.
    frame
        The table, as for `TableModel.predict`.
    cluster
        The column that says which rows belong together; None takes that of the model, if it is
        there. Without one, quality is not measured.
    id, together, apart
        As for `TableModel.predict`.
    """
    table = as_table(frame)
    if cluster is None and model.schema.cluster in table.names:
        cluster = model.schema.cluster
    told: dict[str, IdPairs] = {"together": together, "apart": apart}
    found = None if cluster is None else model.evaluate(table, cluster, id=id, **told)
    clustering = model.cluster(table, id=id, **told) if found is None else found.clustering
    truths = None if cluster is None else table[cluster]
    return ReportData(
        f"Clusters of {table.name}",
        _facts(model, table, clustering, has_curve=found is None or len(table) <= MOST_ROWS),
        _sizes(clustering, found),
        _worst(model, table, clustering, truths),
        None if found is None else _quality(model, found, len(table)),
        _fields(model, clustering),
        Choice(**model.facts["choice"]) if "choice" in model.facts else None,
        _blocking(model.facts.get("blocking", {}), clustering),
    )


def _facts(
    model: TableModel, table: Table, clustering: Clustering, *, has_curve: bool
) -> list[tuple[str, str]]:
    facts = model.facts
    shown = [
        ("table", f"{table.name}, {len(table):,} rows"),
        ("clusters", f"{len(set(clustering.cluster_ids)):,}"),
        ("learner", str(facts.get("learner", "unknown"))),
        ("learned from", f"{facts.get('rows', 0):,} rows in {facts.get('clusters', 0):,} clusters"),
        ("chosen by", str(facts.get("metric", "unknown"))),
    ]
    if not has_curve:
        shown.append(("operating point", f"not varied, for there are over {MOST_ROWS:,} rows"))
    for how in Told._fields:
        count = sum(len(getattr(each.told, how)) for each in clustering.found)
        if count:
            shown.append((f"told to be {how}", f"{pluralize(count, 'pair')} of rows"))
    return shown


def _sizes(clustering: Clustering, evaluation: Evaluation | None) -> Sizes:
    predicted = np.concatenate([found.partition.sizes for found in clustering.found])
    true = None if evaluation is None else _counted(evaluation.truth.sizes)
    return Sizes(_counted(predicted), true)


def _counted(sizes: Ints) -> dict[int, int]:
    return dict(sorted(Counter(sizes.tolist()).items()))


def _quality(model: TableModel, found: Evaluation, n_rows: int) -> Quality:
    return Quality(found.figures, _curve(model, found) if n_rows <= MOST_ROWS else None)


def _curve(model: TableModel, evaluation: Evaluation) -> Curve:
    """Cluster once more at other operating points."""
    found = evaluation.clustering.found
    truths = _restricted(evaluation.truth, found)
    thresholds = _thresholds(found, truths)
    by_set = [_partitions(model.model.clusterer, each, thresholds) for each in found]
    truth = Partition.concatenate(truths)
    lines: list[tuple[float, ...]] = []
    for own in zip(*by_set, strict=True):
        predicted = Partition.concatenate(own)
        b_cubed = metrics.b_cubed(truth, predicted)
        lines.append((*metrics.pair_scores(truth, predicted), b_cubed.f1))
    precision, recall, f1, b_cubed_f1 = np.array(lines, dtype=np.float64).T
    return Curve(thresholds, precision, recall, f1, b_cubed_f1, chosen=0.0)


def _partitions(clusterer: Clusterer, found: Found, thresholds: Floats) -> list[Partition]:
    """Return what is predicted of a set at each operating point, with what was told."""
    if not any(map(len, found.told)):
        return list(partitions_at(clusterer, found.scores, thresholds))
    return [
        partition_under_checked_constraints(
            clusterer, subtract_threshold(found.scores, own), *found.told
        )
        for own in thresholds
    ]


def _restricted(truth: Partition, found: Sequence[Found]) -> list[Partition]:
    """Divide a partition of the rows of all sets, one set after the other, among these."""
    ends = np.cumsum([len(each.partition) for each in found])[:-1]
    return [Partition(labels) for labels in np.split(truth.labels, ends)]


def _thresholds(found: Sequence[Found], truths: Sequence[Partition]) -> Floats:
    """Return 0, and quantiles of the scores around the share of pairs that belong together."""
    scores = np.concatenate([each.scores.scores for each in found])
    together = np.concatenate(
        [truth.together(each.scores.listed) for each, truth in zip(found, truths, strict=True)]
    )
    if not together.any():
        return np.zeros(1)
    shares = together.mean() * np.geomspace(1.0 / SPREAD, SPREAD, N_THRESHOLDS)
    return np.unique(np.append(np.quantile(scores, 1.0 - np.minimum(shares, 1.0)), 0.0))


def _fields(model: TableModel, clustering: Clustering) -> list[FieldWeight]:
    """Weigh each field by what it adds to the scores of some pairs."""
    if not is_additive(model.model):
        return []
    joined, refused = (_means(model, clustering, together=side) for side in (True, False))
    names = [*(joined or refused)]
    kinds = {**model.schema.kinds, WHOLE_RECORD: "the words of all fields"}
    return [
        FieldWeight(name, kinds.get(name, ""), joined.get(name), refused.get(name))
        for name in names
    ]


def _means(model: TableModel, clustering: Clustering, *, together: bool) -> dict[str, float]:
    """Return the mean part of each field in the scores of pairs that were joined, or refused."""
    sums: dict[str, float] = {}
    n_pairs = 0
    for item_set, pairs in _some_pairs(clustering, together=together):
        _bias, parts = field_contributions(model.model, item_set, pairs)
        for name, values in parts.items():
            sums[name] = sums.get(name, 0.0) + float(values.sum())
        n_pairs += len(pairs)
    return {name: total / n_pairs for name, total in sums.items()}


def _some_pairs(clustering: Clustering, *, together: bool) -> Iterator[tuple[ItemSet, Any]]:
    """Yield some pairs of sets drawn at random, as those of sets of their rows alone."""
    rng = np.random.default_rng(0)
    left = N_PAIRS
    for number in rng.permutation(len(clustering.found)):
        found = clustering.found[number]
        wanted: Bools = found.partition.together(found.scores.listed) == together
        places = np.flatnonzero(wanted)
        if not len(places):
            continue
        taken = found.scores.pairs[np.sort(rng.choice(places, min(left, len(places)), False))]
        rows, numbers = np.unique(taken, return_inverse=True)
        items = found.group.item_set.items
        columns = {name: [items[name][row] for row in rows] for name in items}
        yield ItemSet(columns), numbers.reshape(-1, 2)
        left -= len(taken)
        if not left:
            return


def _blocking(facts: dict[str, Any], clustering: Clustering) -> list[tuple[str, str]]:
    n_pairs = sum(len(found.scores.scores) for found in clustering.found)
    are_all = all(found.scores.listed is None for found in clustering.found)
    told = [("pairs looked at", f"{n_pairs:,}{', all of them' if are_all else ''}")]
    for name, key in (("recall", "recall"), ("recall of held-out entities", "held_out_recall")):
        if facts.get(key) is not None:
            told.append((f"{name}, by keys", f"{facts[key]:.3f}"))
    return told + [(f"key {number}", key) for number, key in enumerate(facts.get("keys", ()), 1)]


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
