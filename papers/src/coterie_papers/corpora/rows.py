"""Rows of tables as item sets of columns."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from coterie.datasets.corpus import Corpus
from coterie.items import ItemSet
from coterie.partition import Partition


class CorpusRow(NamedTuple):
    """An item: the set that it is in, its id, its cluster, and its value in each column."""

    item_set: str
    id: Hashable
    cluster: Hashable
    values: Mapping[str, Any]


def corpus_of_rows(rows: Iterable[CorpusRow | None]) -> Corpus:
    """Make an item set of the rows of each set; None stands for a row that is not wanted.

    The sets are in the order in which they first appear, their items in that of the rows.

    >>> ann, bob = ({"name": name} for name in ("Ann", "Bob"))
    >>> corpus_of_rows([CorpusRow("a", 7, "x", ann), CorpusRow("a", 8, "y", bob)])
    Corpus(item_sets=[ItemSet(2 items, columns name)], partitions=[Partition([0, 1])])
    """
    sets: dict[str, list[CorpusRow]] = {}
    for row in rows:
        if row is not None:
            sets.setdefault(row.item_set, []).append(row)
    return Corpus([_item_set(own) for own in sets.values()], [_truth(own) for own in sets.values()])


def _item_set(rows: list[CorpusRow]) -> ItemSet:
    columns = {name: [row.values[name] for row in rows] for name in rows[0].values}
    return ItemSet(columns, ids=[row.id for row in rows])


def _truth(rows: list[CorpusRow]) -> Partition:
    return Partition([row.cluster for row in rows])
