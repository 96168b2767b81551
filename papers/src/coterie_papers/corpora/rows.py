"""Item sets from the rows of tables."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from coterie.datasets.corpus import Corpus
from coterie.items import ItemSet
from coterie.partition import Partition


class CorpusRow(NamedTuple):
    """An item: the name of its item set, its id, its cluster, and its values by column."""

    item_set: str
    id: Hashable
    cluster: Hashable
    values: Mapping[str, Any]


def corpus_of_rows(rows: Iterable[CorpusRow | None]) -> Corpus:
    """Make one item set of the rows with the same `item_set`; rows that are None are left out.

    The sets are in the order of their first rows, and their items in the order of the rows.

    >>> ann, bob = ({"name": name} for name in ("Ann", "Bob"))
    >>> corpus_of_rows([CorpusRow("a", 7, "x", ann), CorpusRow("a", 8, "y", bob)])
    Corpus(item_sets=[ItemSet(2 items, columns name)], partitions=[Partition([0, 1])])
    """
    rows_by_set: dict[str, list[CorpusRow]] = {}
    for row in rows:
        if row is not None:
            rows_by_set.setdefault(row.item_set, []).append(row)
    sets = rows_by_set.values()
    return Corpus(list(map(_item_set, sets)), list(map(_truth, sets)))


def _item_set(rows: list[CorpusRow]) -> ItemSet:
    columns = {name: [row.values[name] for row in rows] for name in rows[0].values}
    return ItemSet(columns, ids=[row.id for row in rows])


def _truth(rows: list[CorpusRow]) -> Partition:
    return Partition([row.cluster for row in rows])
