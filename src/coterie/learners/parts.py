"""Parts of examples: item sets that are held out, and whole clusters of an item set."""

from collections.abc import Iterable
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Ints
from coterie.exceptions import InputError, ItemSetError
from coterie.features.operators import taken, written
from coterie.items import ItemSet, PairFeatures, is_operator, take_items
from coterie.learners.base import Examples
from coterie.metrics import Scores
from coterie.pairs import all_pairs, condensed_positions
from coterie.partition import Partition


def assign_parts(truth: Partition, n_parts: int, random_state: int) -> Ints:
    """Divide clusters, whole, among parts of near-equal numbers of items; return each item's part.

    Clusters come in random order, and each goes to the part that has the fewest items.

    Examples
    --------
    >>> assign_parts(Partition([0, 0, 1, 1]), n_parts=2, random_state=0).tolist()
    [0, 0, 1, 1]
    """
    rng = np.random.default_rng(random_state)
    sizes = np.zeros(n_parts, dtype=np.intp)
    owners = np.empty(truth.n_clusters, dtype=np.intp)
    for cluster in rng.permutation(truth.n_clusters):
        owners[cluster] = np.argmin(sizes)
        sizes[owners[cluster]] += truth.sizes[cluster]
    return owners[truth.labels]


def subset_items(item_set: ItemSet, truth: Partition, numbers: Ints) -> tuple[ItemSet, Partition]:
    """Take some items, by ascending numbers, and what the truth says of them."""
    own = Partition(truth.labels[numbers])
    ids = None if item_set.ids is None else [item_set.ids[number] for number in numbers]
    known = None if item_set.n_clusters is None else own.n_clusters
    items = _taken(item_set.items, numbers)
    return replace(item_set, items=items, ids=ids, n_clusters=known), own


def _taken(items: Any, numbers: Ints) -> Any:
    if isinstance(items, PairFeatures):
        return _taken_pairs(items, numbers)
    return take_items(items, numbers)


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


def as_held_out(held_out: Any, n_sets: int) -> Ints:
    """Take the numbers of some item sets, but not of all, in ascending order."""
    if isinstance(held_out, str) or not isinstance(held_out, Iterable):
        raise InputError(f"held_out is {held_out!r}; give a list of numbers of item sets")
    numbers = sorted(as_whole("a number of held_out", each, 0, n_sets - 1) for each in held_out)
    if len(set(numbers)) < len(numbers):
        raise InputError(f"held_out has {numbers}; give each number once")
    if not 0 < len(numbers) < n_sets:
        raise InputError(
            f"held_out has {len(numbers)} of {n_sets} item sets; hold at least one out, and leave "
            "at least one to fit to"
        )
    return np.array(numbers, dtype=np.intp)


def complement(n_sets: int, numbers: Ints) -> Ints:
    """Return the numbers of all other item sets."""
    return np.setdiff1d(np.arange(n_sets), numbers)


def subset_examples(examples: Examples, numbers: Ints) -> Examples:
    """Return the examples of some numbers."""
    return Examples(*([part[number] for number in numbers] for part in examples))


def random_folds(n_sets: int, n_folds: int, random_state: int) -> list[Ints]:
    """Divide the numbers of item sets at random into parts of nearly one size, each sorted."""
    if n_sets < 2:
        raise ItemSetError(f"there is {n_sets} item set; give at least 2, to hold one of them out")
    rng = np.random.default_rng(as_whole("random_state", random_state))
    n_parts = min(as_whole("n_folds", n_folds, 2), n_sets)
    return [np.sort(part) for part in np.array_split(rng.permutation(n_sets), n_parts)]


def as_metric_value(value: Any) -> float:
    """Take what a metric says; of three-part scores the F1."""
    return as_real("the metric", value.f1 if isinstance(value, Scores) else value, low=-inf)
