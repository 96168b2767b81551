"""The five tables on which other tools were measured: read in halves, with their pairs compared."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Literal, NamedTuple

import numpy as np

from coterie.blocking import learn_blocking
from coterie.features.operators import to_matrix
from coterie.features.records import RecordFeatures
from coterie.items import ItemSet
from coterie.learners.auto.entities import as_entities
from coterie.learners.base import Examples
from coterie.partition import Partition
from coterie.tables.cross_fitting import compare_cross_fitted
from coterie.tables.groups import group_rows
from coterie.tables.io.reading import read_table
from coterie.tables.schema import Schema, infer_schema
from coterie.tables.settings import MIN_ENTITIES
from coterie.tables.table import Table
from coterie.toolkit import Blocker
from coterie_papers.corpora.linkage import PEERS, load_peers

CLUSTER = "cluster_id"
SEEDS = (0, 1, 2)
"""The seeds of the three splits."""


class Halves(NamedTuple):
    """A table with half of the true clusters to train on, and a table with the others."""

    train: Table
    test: Table


@dataclass(frozen=True, eq=False)
class ComparedHalves:
    """Both halves of a table as item sets with the features of their pairs.

    Parameters
    ----------
    train, test
        One item set each, in random order, because rows of one cluster may be next to each other in
        the file.
    seconds
        The CPU seconds of each half for choosing blocking keys and comparing pairs.
    """

    train: Examples
    test: Examples
    seconds: tuple[float, float]


def read_halves(name: str, folder: Path | None, seed: int) -> Halves:
    """Read a table and divide its clusters into halves.

    The columns are those that the other tools were given, and the ids of the file if it has some;
    ids are not compared.
    """
    record_table = PEERS[name]
    (file,) = record_table.source.files
    file_table = read_table(record_table.source.find(folder) / file)
    dropped = {*file_table.names} - {"id", *record_table.columns, record_table.cluster}
    table = file_table.without(dropped)

    def read_half(split: Literal["train", "test"]) -> Table:
        # The ids of the item set are the numbers of its rows.
        (item_set,) = load_peers(name, folder, split, seed).item_sets
        return table.take(int(str(row)) for row in item_set.ids or ())

    return Halves(read_half("train"), read_half("test"))


@lru_cache(maxsize=1)
def compare_halves(name: str, folder: Path | None, seed: int) -> ComparedHalves:
    """Compare the pairs of both halves as `coterie fit` does, once for all learners.

    Blocking keys and the rarity of values are learned from the training half alone.
    """
    tables = read_halves(name, folder, seed)
    start = process_time()
    schema = infer_schema(tables.train, cluster=CLUSTER)
    train, test = (_shuffle(*_read_items(half, schema), seed) for half in tables)
    blocking = learn_blocking(*train, schema.columns)
    featurizer = RecordFeatures(schema.fields, min_entities=MIN_ENTITIES)
    entities = as_entities(None, train.truths)
    candidate_pairs = [blocking.blocker(item_set) for item_set in train.item_sets]
    # Cross-fitted: the features of a training row are made without the rows of its own entity.
    sets = compare_cross_fitted(featurizer, train.item_sets, entities, candidate_pairs)
    fitted = featurizer.fit(*train)
    train_end = process_time()
    compared_test = _with_features(test, fitted, blocking.blocker)
    seconds = train_end - start, process_time() - train_end
    return ComparedHalves(Examples(sets, train.truths), compared_test, seconds)


def _read_items(table: Table, schema: Schema) -> tuple[ItemSet, Partition]:
    (group,) = group_rows(table, schema, labelled=True)
    assert group.truth is not None  # noqa: S101 - the table is labelled
    return group.item_set, group.truth


def _shuffle(item_set: ItemSet, truth: Partition, seed: int) -> Examples:
    order = np.random.default_rng(seed).permutation(len(truth))
    return Examples([item_set.reordered(order)], [Partition(truth.labels[order])])


def _with_features(examples: Examples, featurizer: RecordFeatures, blocker: Blocker) -> Examples:
    (item_set,) = examples.item_sets
    pairs = blocker(item_set)
    features = to_matrix(featurizer(item_set, pairs))
    return Examples([ItemSet.from_pair_features(features, len(item_set), pairs)], examples.truths)
