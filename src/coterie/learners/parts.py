"""Subsets of training examples: folds of item sets, and parts of an item set by its clusters."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from coterie._core.arguments import as_list, as_real, as_whole
from coterie._core.arrays import Ints
from coterie.exceptions import InputError, ItemSetError
from coterie.features.operators import select_rows, to_matrix
from coterie.items import ItemSet, PairFeatures, is_operator, take_items
from coterie.learners.base import Examples
from coterie.metrics import Scores
from coterie.pairs import all_pairs, condensed_positions
from coterie.partition import Partition


def assign_parts(truth: Partition, n_parts: int, random_state: int) -> Ints:
    """Divide the clusters into parts with similar numbers of items, and return each item's part.

    All items of a cluster get the same part. Clusters are taken in random order, and each one is
    added to the part that has the fewest items so far.

    Examples
    --------
    >>> assign_parts(Partition([0, 0, 1, 1]), n_parts=2, random_state=0).tolist()
    [0, 0, 1, 1]
    """
    rng = np.random.default_rng(random_state)
    sizes = np.zeros(n_parts, dtype=np.intp)
    part_of_cluster = np.empty(truth.n_clusters, dtype=np.intp)
    for cluster in rng.permutation(truth.n_clusters):
        part_of_cluster[cluster] = np.argmin(sizes)
        sizes[part_of_cluster[cluster]] += truth.sizes[cluster]
    return part_of_cluster[truth.labels]


def subset_items(item_set: ItemSet, truth: Partition, indices: Ints) -> tuple[ItemSet, Partition]:
    """Return the items at ascending indices as an item set, and their part of the truth."""
    subset_truth = Partition(truth.labels[indices])
    ids = None if item_set.ids is None else [item_set.ids[index] for index in indices]
    n_clusters = None if item_set.n_clusters is None else subset_truth.n_clusters
    items = _subset_values(item_set.items, indices)
    return replace(item_set, items=items, ids=ids, n_clusters=n_clusters), subset_truth


def _subset_values(items: Any, indices: Ints) -> Any:
    if isinstance(items, PairFeatures):
        return _subset_pairs(items, indices)
    return take_items(items, indices)


def _subset_pairs(items: PairFeatures, indices: Ints) -> PairFeatures:
    """Return the features of the pairs of the items at `indices`."""
    if items.pairs is None:
        pairs = None
        rows = condensed_positions(indices[all_pairs(len(indices))], items.n_items)
    else:
        rows = np.flatnonzero(np.isin(items.pairs, indices).all(axis=1))
        pairs = np.searchsorted(indices, items.pairs[rows])
    if is_operator(items.features):  # an operator still has the old indices of the items
        features = to_matrix(select_rows(items.features, rows))
    else:
        features = items.features[rows]
    return PairFeatures(features, len(indices), pairs)


def as_held_out(held_out: Any, n_sets: int) -> Ints:
    """Validate the indices of held-out item sets, and return them sorted.

    At least one item set must be held out, and at least one must be left for training.
    """
    given = as_list("held_out", held_out, "a list of indices of item sets")
    indices = sorted(as_whole("an index in held_out", index, 0, n_sets - 1) for index in given)
    if len(set(indices)) < len(indices):
        raise InputError(f"held_out has {indices}; give each index once")
    if not 0 < len(indices) < n_sets:
        raise InputError(
            f"held_out has {len(indices)} of {n_sets} item sets; hold out at least one, and leave "
            "at least one for training"
        )
    return np.array(indices, dtype=np.intp)


def complement(n_sets: int, indices: Ints) -> Ints:
    """Return the indices of all other item sets, in ascending order."""
    return np.setdiff1d(np.arange(n_sets), indices)


def subset_examples(examples: Examples, indices: Ints) -> Examples:
    """Return the examples at some indices."""
    return Examples(*([column[index] for index in indices] for column in examples))


def random_folds(n_sets: int, n_folds: int, random_state: int) -> list[Ints]:
    """Divide the indices of item sets at random into folds of similar size, each sorted."""
    if n_sets < 2:
        raise ItemSetError(
            f"there is {n_sets} item set; give at least 2, so that one can be held out"
        )
    rng = np.random.default_rng(as_whole("random_state", random_state))
    n_parts = min(as_whole("n_folds", n_folds, 2), n_sets)
    return [np.sort(part) for part in np.array_split(rng.permutation(n_sets), n_parts)]


def as_metric_value(value: Any) -> float:
    """Return the value of a metric as a float; for a metric with three parts, this is the F1."""
    return as_real("the metric", value.f1 if isinstance(value, Scores) else value, low=-inf)
