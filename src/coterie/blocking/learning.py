"""Choosing blocking keys by a partition: high recall of true pairs with few candidate pairs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from coterie import blocking
from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Ints
from coterie._core.indices import upper_triangle
from coterie._core.lazy import members
from coterie._core.texts import pluralize
from coterie.blocking._base import as_column_names, sorted_union
from coterie.blocking._choosing import KeyCandidate, KeySelection, TruePairs, candidates_of
from coterie.blocking._keys import MAX_BLOCK, LabelledSample, TextKey
from coterie.blocking._tables import TextTable
from coterie.blocking.all_pairs import ALL_UP_TO, AllIfSmall
from coterie.blocking.nearest_texts import NearestTexts
from coterie.blocking.recall import Recall
from coterie.blocking.union import Union
from coterie.exceptions import InputError, located
from coterie.features.columns import column_of
from coterie.items import ItemSet, as_item_sets
from coterie.pairs import count_pairs
from coterie.partition import Partition, PartitionLike, as_partitions

__all__ = ["LearnedBlocking", "learn_blocking"]

MOST_ROWS = 8_000
"""The largest number of rows that keys are chosen by."""

MOST_CELLS = 64_000
"""The largest number of cells that keys are chosen by, unless that is below 2,000 rows."""

MOST_GROWTH = 40
"""The largest ratio of the size of the larger table to that of the sample."""

BLOCKS = MAX_BLOCK, 1_000
"""The bounds of the largest block; between them, it is twice the size of the largest cluster."""

MOST_TOGETHER = 200
"""The largest number of rows of one cluster that keys are chosen by."""

FIRST_NEIGHBOURS = 5
"""The number of nearest rows by all columns that each row is always paired with."""


class KeyRow(NamedTuple):
    """A key that was tried, with its estimated number of pairs in a larger table."""

    key: TextKey
    pairs: int
    true_pairs: int
    chosen: bool


class Foresight(NamedTuple):
    """An estimate for a larger table: its rows, its candidate pairs and their recall."""

    n_rows: int
    n_pairs: int
    recall: float


@dataclass(frozen=True, repr=False)
class LearnedBlocking:
    """A blocker whose keys were chosen by a partition, with estimates of its quality."""

    blocker: AllIfSmall
    all_pairs: bool
    """True if the training item sets are so small that all of their pairs are candidates."""
    recall: Recall
    """The recall of the keys for the rows that they were chosen by."""
    held_out_recall: Recall
    """The recall, for one half of the clusters, of keys that were chosen by the other half."""
    n_pairs: int
    """The number of candidate pairs among the rows that the keys were chosen by."""
    foreseen: Foresight
    """The estimates for a larger table."""
    table: tuple[KeyRow, ...]
    """The keys that were tried, chosen ones first."""

    def __repr__(self) -> str:
        n_keys = pluralize(sum(row.chosen for row in self.table), "key")
        return f"LearnedBlocking({n_keys}, {self.recall.pairs:.3f} of the true pairs)"


def learn_blocking(
    item_sets: Iterable[Any],
    partitions: Sequence[PartitionLike],
    columns: Sequence[str],
    *,
    recall: float = 0.99,
    all_pairs_up_to: int = ALL_UP_TO,
    n_rows: int = 100_000,
) -> LearnedBlocking:
    """Choose blocking keys of columns of texts that find true pairs with few candidate pairs.

    The first key is always `NearestTexts` of all columns. Further keys are chosen greedily: each is
    the one that finds most new true pairs per candidate pair, until the share `recall` of the true
    pairs is found, counted both by pairs and by rows. Then cheap keys may be added that find true
    pairs for the second time, and superfluous keys are dropped. Because blocks of common values
    grow with the table, all counts are estimates for a table of `n_rows` rows, but of at most 40
    times the training rows. There are at most 200 candidate pairs per row, even if the recall then
    stays below `recall`.

    Parameters
    ----------
    item_sets
        Item sets with columns of texts.
    partitions
        Their correct partitions.
    columns
        Names of the columns that keys may read.
    recall
        The share of the true pairs that the keys must find.
    all_pairs_up_to
        The largest number of pairs of an item set for which the blocker lists all pairs.
    n_rows
        The number of rows of the largest table that the blocker is meant for.

    Examples
    --------
    >>> from coterie.datasets import make_records
    >>> records = make_records(400, random_state=1)
    >>> learned = learn_blocking(*records, ["surname", "phone", "email"], recall=0.9)
    >>> learned.all_pairs, learned.recall.pairs > 0.9, learned.n_pairs < 4000
    (True, True, True)
    """
    sets = as_item_sets(item_sets)
    truths = as_partitions(partitions, [len(item_set) for item_set in sets])
    names, recall = as_column_names(columns), as_real("recall", recall, high=1.0)
    limit = as_whole("all_pairs_up_to", all_pairs_up_to)
    cells, labels = _pool(sets, truths, names)
    sample = _draw_sample(cells, labels, as_whole("n_rows", n_rows, 1))
    truth = _true_pairs(sample.labels)
    candidates = candidates_of([*first_keys(names), *candidate_keys(names)], sample, truth)
    selection = _selection(candidates, truth, sample)
    keys = selection.choose(recall)
    n_pairs, training_recall = _evaluate(keys, sample, truth)
    return LearnedBlocking(
        blocker=AllIfSmall(Union(keys, sample.max_block), limit),
        all_pairs=sum(count_pairs(len(item_set)) for item_set in sets) <= limit,
        recall=training_recall,
        held_out_recall=_held_out_recall(candidates, truth, sample, recall),
        n_pairs=n_pairs,
        foreseen=Foresight(round(selection.n_rows), round(selection.n_pairs), selection.recall),
        table=_table(candidates, keys, sample.scale),
    )


def first_keys(columns: Sequence[str]) -> list[TextKey]:
    """Return the keys of which exactly one is always chosen first."""
    return [NearestTexts(tuple(columns), FIRST_NEIGHBOURS, size) for size in (3, 4)]


def candidate_keys(columns: Sequence[str]) -> list[TextKey]:
    """Return all keys, of all classes, that may be chosen for a table of these columns."""
    blockers = (member for member in members(blocking).values() if isinstance(member, type))
    classes = sorted(
        (blocker for blocker in blockers if issubclass(blocker, TextKey)), key=lambda cls: cls.turn
    )
    keys = [key for column in columns for cls in classes for key in cls.of_column(column)]
    return keys + [key for cls in classes for key in cls.of_columns(columns)]


def _pool(
    sets: Sequence[ItemSet], truths: Sequence[Partition], names: Sequence[str]
) -> tuple[dict[str, list[Any]], Ints]:
    """Concatenate the rows of all item sets, and make the labels of their clusters distinct."""
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for index, item_set in enumerate(sets):
        with located(f"item set {index}"):
            for name in names if len(item_set) else ():
                columns[name] += column_of(item_set.items, name, "learn_blocking")
    return columns, Partition.concatenate(truths).labels


def _draw_sample(columns: dict[str, list[Any]], labels: Ints, n_rows: int) -> LabelledSample:
    """Draw clusters, and only some rows of large ones, from the rows sorted by content."""
    if not len(labels) or np.bincount(labels).max() < 2:
        raise InputError(
            "no two rows are in the same cluster; give a partition with at least one cluster "
            "of two or more rows"
        )
    table = TextTable(columns, len(labels))
    max_rows = min(MOST_ROWS, max(2_000, MOST_CELLS // len(columns)))
    rows = table.order[_draw_rows(labels[table.order], max_rows)]
    cells = {name: [values[row] for row in rows.tolist()] for name, values in columns.items()}
    scale = max(min(n_rows, MOST_GROWTH * len(rows)), len(labels)) / len(rows)
    sample = TextTable(cells, len(rows))
    sample_labels = Partition(labels[rows][sample.order]).labels
    max_block = int(np.clip(2 * np.bincount(labels).max(), *BLOCKS))
    return LabelledSample(sample, sample_labels, scale, max_block)


def _draw_rows(labels: Ints, max_rows: int) -> Ints:
    """Draw clusters until they have `max_rows` rows; return the indices of their rows.

    A larger cluster than MOST_TOGETHER is represented by this number of its rows.
    """
    shuffled = np.random.default_rng(0).permutation(len(labels))
    by_label = shuffled[np.argsort(labels[shuffled], kind="stable")]
    clusters = np.split(by_label, np.flatnonzero(np.diff(labels[by_label])) + 1)
    order = np.random.default_rng(1).permutation(len(clusters))
    drawn = [clusters[index][:MOST_TOGETHER] for index in order]
    n_drawn = int(np.searchsorted(np.cumsum([len(rows) for rows in drawn]), max_rows)) + 1
    return np.sort(np.concatenate(drawn[:n_drawn]))


def _true_pairs(labels: Ints) -> TruePairs:
    """Return the pairs of rows of one cluster, with their weights.

    The weight of a pair is the sum of two shares: of all pairs, and of all rows in clusters. By the
    latter, the few pairs of small clusters weigh more.
    """
    clusters = [rows for rows in Partition(labels).clusters if len(rows) > 1]
    by_cluster = [_pairs_within(rows, len(labels)) for rows in clusters]
    row_shares = np.concatenate(
        [
            np.full(len(pair_ids), 1.0 / (len(rows) - 1))
            for pair_ids, rows in zip(by_cluster, clusters, strict=True)
        ]
    )
    pair_ids = np.concatenate(by_cluster)
    order = np.argsort(pair_ids)
    weights = row_shares / row_shares.sum() + 1.0 / len(pair_ids)
    return TruePairs(pair_ids[order], weights[order])


def _pairs_within(rows: Ints, n_rows: int) -> Ints:
    return upper_triangle(np.add.outer(rows * n_rows, rows))


def _selection(
    candidates: Sequence[KeyCandidate], truth: TruePairs, sample: LabelledSample
) -> KeySelection:
    return KeySelection(candidates, truth, sample.scale * sample.table.n_rows, sample.scale)


def _evaluate(
    keys: Sequence[TextKey], sample: LabelledSample, truth: TruePairs
) -> tuple[int, Recall]:
    """Return the number of candidate pairs of keys within the sample, and their recall."""
    candidate_ids = truth.ids[:0]
    for key in keys:
        blocked = key.block(sample.table, sample.max_block)
        candidate_ids = sorted_union(candidate_ids, blocked.pair_ids)
    is_found = np.isin(truth.ids, candidate_ids, assume_unique=True)
    n_rows = sample.table.n_rows
    first, second = np.divmod(truth.ids, n_rows)
    links = sp.coo_array(
        (np.ones(is_found.sum()), (first[is_found], second[is_found])), shape=(n_rows, n_rows)
    )
    component = connected_components(links, directed=False)[1]
    is_connected = component[first] == component[second]
    return len(candidate_ids), Recall(float(is_found.mean()), float(is_connected.mean()))


def _held_out_recall(
    candidates: Sequence[KeyCandidate], truth: TruePairs, sample: LabelledSample, recall: float
) -> Recall:
    """Choose keys by the true pairs of every other cluster, and evaluate them on the rest."""
    labels = sample.labels[truth.ids // sample.table.n_rows]
    training = np.isin(labels, np.unique(labels)[::2])
    if training.all():
        return Recall(float("nan"), float("nan"))
    new_index = np.cumsum(training) - 1
    restricted = [c._replace(hits=new_index[c.hits[training[c.hits]]]) for c in candidates]
    training_pairs = TruePairs(truth.ids[training], truth.weights[training])
    keys = _selection(restricted, training_pairs, sample).choose(recall)
    held_out_pairs = TruePairs(truth.ids[~training], truth.weights[~training])
    return _evaluate(keys, sample, held_out_pairs)[1]


def _table(
    candidates: Sequence[KeyCandidate], keys: Sequence[TextKey], scale: float
) -> tuple[KeyRow, ...]:
    rows = [
        KeyRow(
            candidate.key,
            round(scale * len(candidate.hits) + candidate.weight * len(candidate.others)),
            len(candidate.hits),
            candidate.key in keys,
        )
        for candidate in candidates
    ]
    return tuple(sorted(rows, key=lambda row: (not row.chosen, -row.true_pairs, row.pairs)))
