"""Parts of an item set: some of its items, whole clusters at a time."""

from dataclasses import replace
from typing import Any

import numpy as np

from coterie._core.arrays import Ints
from coterie.features.operators import taken, written
from coterie.items import ItemSet, PairFeatures, at, is_operator
from coterie.pairs import all_pairs, condensed_positions
from coterie.partition import Partition


def part_of_each(truth: Partition, n_parts: int, random_state: int) -> Ints:
    """Divide clusters, whole, among parts of near-equal numbers of items; return each item's part.

    Clusters come in random order, and each goes to the part that has the fewest items.

    Examples
    --------
    >>> part_of_each(Partition([0, 0, 1, 1]), n_parts=2, random_state=0).tolist()
    [0, 0, 1, 1]
    """
    rng = np.random.default_rng(random_state)
    sizes = np.zeros(n_parts, dtype=np.intp)
    owners = np.empty(truth.n_clusters, dtype=np.intp)
    for cluster in rng.permutation(truth.n_clusters):
        owners[cluster] = np.argmin(sizes)
        sizes[owners[cluster]] += truth.sizes[cluster]
    return owners[truth.labels]


def taken_of(item_set: ItemSet, truth: Partition, numbers: Ints) -> tuple[ItemSet, Partition]:
    """Take some items, by ascending numbers, and what the truth says of them."""
    own = Partition(truth.labels[numbers])
    ids = None if item_set.ids is None else [item_set.ids[number] for number in numbers]
    known = None if item_set.n_clusters is None else own.n_clusters
    items = _taken(item_set.items, numbers)
    return replace(item_set, items=items, ids=ids, n_clusters=known), own


def _taken(items: Any, numbers: Ints) -> Any:
    return _taken_pairs(items, numbers) if isinstance(items, PairFeatures) else at(items, numbers)


def _taken_pairs(items: PairFeatures, numbers: Ints) -> PairFeatures:
    """Take the features of the pairs both of whose items are taken."""
    if items.pairs is None:
        pairs = None
        rows = condensed_positions(numbers[all_pairs(len(numbers))], items.n_items)
    else:
        rows = np.flatnonzero(np.isin(items.pairs, numbers).all(axis=1))
        pairs = np.searchsorted(numbers, items.pairs[rows])
    if is_operator(items.features):  # which knows its items by the numbers of before
        features = written(taken(items.features, rows))
    else:
        features = items.features[rows]
    return PairFeatures(features, len(numbers), pairs)
