"""Learning from a partition which keys find its pairs at the least cost."""

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
from coterie.blocking._base import as_names, merged
from coterie.blocking._choosing import Candidate, Choice, Truth, candidates_of
from coterie.blocking._keys import MAX_BLOCK, Sample, TextKey
from coterie.blocking._tables import TextTable
from coterie.blocking.all_pairs import ALL_UP_TO, AllIfSmall
from coterie.blocking.nearest_texts import NearestTexts
from coterie.blocking.union import Union
from coterie.exceptions import InputError, located
from coterie.features.columns import column_of
from coterie.items import ItemSet, as_item_sets
from coterie.pairs import count_pairs
from coterie.partition import Partition, PartitionLike, as_partitions

__all__ = ["LearnedBlocking", "learn_blocking"]

MOST_ROWS = 8_000
"""From how many rows is learned at most."""

MOST_CELLS = 64_000
"""From how many cells of a table of many columns is learned, but from 2,000 rows at least."""

MOST_GROWTH = 40
"""How many times as large a table may be, for which anything is foreseen."""

BLOCKS = MAX_BLOCK, 1_000
"""How many rows a block may have at least and at most: twice those of the largest cluster."""

MOST_TOGETHER = 200
"""From how many rows of one cluster is learned at most."""


FIRST_NEIGHBOURS = 5
"""With how many of the rows that are nearest by all columns each row is paired in any case."""


class KeyRow(NamedTuple):
    """A key that was tried, with the pairs that it lists in the foreseen table."""

    key: TextKey
    pairs: int
    true_pairs: int
    chosen: bool


class Recall(NamedTuple):
    """Which share of the true pairs is listed, and of which the two are connected by such pairs."""

    pairs: float
    connected: float


class Foresight(NamedTuple):
    """How many rows a large table has, how many pairs are listed, and what is found of the true."""

    n_rows: int
    n_pairs: int
    recall: float


@dataclass(frozen=True)
class LearnedBlocking:
    """A blocker that was learned, and how well it does."""

    blocker: AllIfSmall
    all_pairs: bool
    """Whether the training item sets are so small that all of their pairs are looked at."""
    recall: Recall
    """What the keys find in the rows that they were learned from."""
    held_out_recall: Recall
    """What keys chosen by half of the clusters find of the others."""
    n_pairs: int
    """How many pairs the keys list in the rows that they were learned from."""
    foreseen: Foresight
    """What they are expected to do in a large table."""
    table: tuple[KeyRow, ...]
    """The keys that were tried, those that were chosen first."""


def learn_blocking(
    item_sets: Iterable[Any],
    partitions: Sequence[PartitionLike],
    columns: Sequence[str],
    *,
    recall: float = 0.99,
    all_pairs_up_to: int = ALL_UP_TO,
    n_rows: int = 100_000,
) -> LearnedBlocking:
    """Choose keys of columns of texts that find the pairs of known clusters at the least cost.

    The first key is `NearestTexts` of all columns, in any case. Others are taken one by one, first
    that which finds most new pairs of a cluster for the pairs it lists, until the share `recall` of
    them is found, counted both by pairs and by rows; then further ones that cost little for what
    they find, even if again. Those that are not needed are left out. What a key finds and lists is
    foreseen for a table of `n_rows` rows (40 times those given, at most), as blocks of common
    values grow with the table. At most 200 pairs a row may be listed; where that is not enough for
    `recall`, as many are found as it allows.

    Parameters
    ----------
    item_sets
        Item sets with columns of texts.
    partitions
        Their correct partitions.
    columns
        Names of the columns that keys may read.
    recall
        Which share of the pairs that are together is to be found.
    all_pairs_up_to
        Up to how many pairs of an item set the blocker takes all, instead of those of the keys.
    n_rows
        How many rows the largest table may have for which the blocker is meant.

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
    names, recall = as_names(columns), as_real("recall", recall, high=1.0)
    limit = as_whole("all_pairs_up_to", all_pairs_up_to)
    rows, labels = _pooled(sets, truths, names)
    sample = _sample(rows, labels, as_whole("n_rows", n_rows, 1))
    truth = _truth(sample.labels)
    candidates = candidates_of([*first_keys(names), *candidate_keys(names)], sample, truth)
    choice = _choice(candidates, truth, sample)
    keys = choice.choose(recall)
    n_pairs, found = _found(keys, sample, truth)
    return LearnedBlocking(
        blocker=AllIfSmall(Union(keys, sample.max_block), limit),
        all_pairs=sum(count_pairs(len(item_set)) for item_set in sets) <= limit,
        recall=found,
        held_out_recall=_held_out(candidates, truth, sample, recall),
        n_pairs=n_pairs,
        foreseen=Foresight(round(choice.n_rows), round(choice.n_pairs), choice.recall),
        table=_table(candidates, keys, sample.scale),
    )


def first_keys(columns: Sequence[str]) -> list[TextKey]:
    """Return the keys of which one is chosen in any case, whatever the others find."""
    return [NearestTexts(tuple(columns), FIRST_NEIGHBOURS, size) for size in (3, 4)]


def candidate_keys(columns: Sequence[str]) -> list[TextKey]:
    """Return the keys of all kinds that may be chosen for a table of these columns."""
    family = (each for each in members(blocking).values() if isinstance(each, type))
    kinds = sorted(
        (each for each in family if issubclass(each, TextKey)), key=lambda kind: kind.turn
    )
    of_one = [key for column in columns for kind in kinds for key in kind.of_column(column)]
    return of_one + [key for kind in kinds for key in kind.of_columns(columns)]


def _pooled(
    sets: Sequence[ItemSet], truths: Sequence[Partition], names: Sequence[str]
) -> tuple[dict[str, list[Any]], Ints]:
    """Put the rows of all item sets in one table, and number their clusters on."""
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, item_set in enumerate(sets):
        with located(f"item set {number}"):
            for name in names if len(item_set) else ():
                columns[name] += column_of(item_set.items, name, "learn_blocking")
    return columns, Partition.concatenate(truths).labels


def _sample(columns: dict[str, list[Any]], labels: Ints, n_rows: int) -> Sample:
    """Take some clusters, and of large ones some rows, by the order of their content."""
    if not len(labels) or np.bincount(labels).max() < 2:
        raise InputError("no two rows are in one cluster; give a partition with some that are")
    table = TextTable(columns, len(labels))
    most = min(MOST_ROWS, max(2_000, MOST_CELLS // len(columns)))
    ordered = table.order[_some(labels[table.order], most)]
    rows = {name: [values[row] for row in ordered.tolist()] for name, values in columns.items()}
    scale = max(min(n_rows, MOST_GROWTH * len(ordered)), len(labels)) / len(ordered)
    few = TextTable(rows, len(ordered))
    own = Partition(labels[ordered][few.order]).labels
    return Sample(few, own, scale, int(np.clip(2 * np.bincount(labels).max(), *BLOCKS)))


def _some(labels: Ints, most: int) -> Ints:
    """Return the places of the rows of some clusters, drawn at random where there are many."""
    shuffled = np.random.default_rng(0).permutation(len(labels))
    by_label = shuffled[np.argsort(labels[shuffled], kind="stable")]
    clusters = np.split(by_label, np.flatnonzero(np.diff(labels[by_label])) + 1)
    order = np.random.default_rng(1).permutation(len(clusters))
    some = [clusters[number][:MOST_TOGETHER] for number in order]
    enough = int(np.searchsorted(np.cumsum([len(rows) for rows in some]), most)) + 1
    return np.sort(np.concatenate(some[:enough]))


def _truth(labels: Ints) -> Truth:
    """Return the pairs that are together; small clusters weigh more than their pairs."""
    clusters = [rows for rows in Partition(labels).clusters if len(rows) > 1]
    keys = [_pairs_within(rows, len(labels)) for rows in clusters]
    by_row = [
        np.full(len(own), 1.0 / (len(rows) - 1)) for own, rows in zip(keys, clusters, strict=True)
    ]
    weights = np.concatenate(by_row)
    every = np.concatenate(keys)
    order = np.argsort(every)
    return Truth(every[order], (weights / weights.sum() + 1.0 / len(every))[order])


def _pairs_within(rows: Ints, n_rows: int) -> Ints:
    return upper_triangle(np.add.outer(rows * n_rows, rows))


def _choice(candidates: Sequence[Candidate], truth: Truth, sample: Sample) -> Choice:
    return Choice(candidates, truth, sample.scale * sample.table.n_rows, sample.scale)


def _found(keys: Sequence[TextKey], sample: Sample, truth: Truth) -> tuple[int, Recall]:
    """Look with keys at the sample as it is: how many pairs they list, and how many true ones."""
    listed = truth.keys[:0]
    for key in keys:
        listed = merged(listed, key.look(sample.table, sample.max_block).keys)
    covered = np.isin(truth.keys, listed, assume_unique=True)
    n_rows = sample.table.n_rows
    first, second = np.divmod(truth.keys, n_rows)
    links = sp.coo_array(
        (np.ones(covered.sum()), (first[covered], second[covered])), shape=(n_rows, n_rows)
    )
    joined = connected_components(links, directed=False)[1]
    return len(listed), Recall(
        float(covered.mean()), float((joined[first] == joined[second]).mean())
    )


def _held_out(
    candidates: Sequence[Candidate], truth: Truth, sample: Sample, recall: float
) -> Recall:
    """Choose keys by the pairs of half of the clusters, and look for those of the others."""
    labels = sample.labels[truth.keys // sample.table.n_rows]
    known = np.isin(labels, np.unique(labels)[::2])
    if known.all():
        return Recall(float("nan"), float("nan"))
    numbers = np.cumsum(known) - 1
    own = [one._replace(hits=numbers[one.hits[known[one.hits]]]) for one in candidates]
    choice = _choice(own, Truth(truth.keys[known], truth.weights[known]), sample)
    keys = choice.choose(recall)
    return _found(keys, sample, Truth(truth.keys[~known], truth.weights[~known]))[1]


def _table(
    candidates: Sequence[Candidate], keys: Sequence[TextKey], scale: float
) -> tuple[KeyRow, ...]:
    rows = [
        KeyRow(
            one.key,
            round(scale * len(one.hits) + one.weight * len(one.others)),
            len(one.hits),
            one.key in keys,
        )
        for one in candidates
    ]
    return tuple(sorted(rows, key=lambda row: (not row.chosen, -row.true_pairs, row.pairs)))
