"""The five tables on which other tools were measured: in halves, and with their pairs compared."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Literal, NamedTuple

import numpy as np

from coterie.blocking import learn_blocking
from coterie.features.operators import written
from coterie.features.records import RecordFeatures
from coterie.items import ItemSet
from coterie.learners.auto.entities import as_entities
from coterie.learners.base import Examples
from coterie.partition import Partition
from coterie.tables.cross_fitting import compare_cross_fitted
from coterie.tables.groups import group_rows
from coterie.tables.io.reading import read_table
from coterie.tables.schema import Schema, infer_schema
from coterie.tables.table import Table
from coterie.toolkit import Blocker
from coterie_papers.corpora.linkage import PEERS, load_peers

CLUSTER = "cluster_id"
SEEDS = (0, 1, 2)


class Halves(NamedTuple):
    """A table of half of the true clusters to learn from, and one of the others."""

    train: Table
    test: Table


@dataclass(frozen=True, eq=False)
class Compared:
    """Both halves of a table as item sets with the features of their pairs.

    Parameters
    ----------
    train, test
        One item set each, in random order: that of a file may tell what belongs together.
    seconds
        How long choosing keys and comparing took of either half, by CPU.
    """

    train: Examples
    test: Examples
    seconds: tuple[float, float]


def halves(name: str, folder: Path | None, seed: int) -> Halves:
    """Read a table and divide its clusters; no column is left but those that the tools were given.

    Rows have the ids of the file, if it has some, which are not compared.
    """
    known = PEERS[name]
    (file,) = known.source.files
    whole = read_table(known.source.find(folder) / file)
    others = {*whole.names} - {"id", *known.columns, known.cluster}
    table = whole.without(others)

    def half(split: Literal["train", "test"]) -> Table:
        (item_set,) = load_peers(name, folder, split, seed).item_sets
        return table.take(int(str(row)) for row in item_set.ids or ())

    return Halves(half("train"), half("test"))


@lru_cache(maxsize=1)
def compared(name: str, folder: Path | None, seed: int) -> Compared:
    """Compare the pairs of both halves as `coterie fit` does, once for all learners.

    Keys, and how rare values are, are learned from the first half alone.
    """
    tables = halves(name, folder, seed)
    since = process_time()
    schema = infer_schema(tables.train, cluster=CLUSTER)
    train, test = (_shuffled(*_items(each, schema), seed) for each in (tables.train, tables.test))
    blocking = learn_blocking(*train, schema.columns)
    featurizer = RecordFeatures(schema.fields)
    entities, blocks = as_entities(None, train.truths), map(blocking.blocker, train.item_sets)
    sets = compare_cross_fitted(featurizer, train.item_sets, entities, list(blocks))
    learned = featurizer.fit(*train)
    between = process_time()
    new = _with_features(test, learned, blocking.blocker)
    seconds = between - since, process_time() - between
    return Compared(Examples(sets, train.truths), new, seconds)


def _items(table: Table, schema: Schema) -> tuple[ItemSet, Partition]:
    (group,) = group_rows(table, schema, labelled=True)
    assert group.truth is not None  # noqa: S101 - the table is labelled
    return group.item_set, group.truth


def _shuffled(item_set: ItemSet, truth: Partition, seed: int) -> Examples:
    order = np.random.default_rng(seed).permutation(len(truth))
    return Examples([item_set.reordered(order)], [Partition(truth.labels[order])])


def _with_features(examples: Examples, featurizer: RecordFeatures, blocker: Blocker) -> Examples:
    (item_set,) = examples.item_sets
    pairs = blocker(item_set)
    features = written(featurizer(item_set, pairs))
    return Examples([ItemSet.from_pair_features(features, len(item_set), pairs)], examples.truths)
