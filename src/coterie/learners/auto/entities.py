"""Entities of items, by names that mean the same in all item sets."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Ints
from coterie.exceptions import InputError, located
from coterie.partition import Partition, label_codes

EntityNames: TypeAlias = Sequence[Hashable] | NDArray[np.generic]


def as_entities(entities: Iterable[EntityNames] | None, truths: Sequence[Partition]) -> list[Ints]:
    """Return the index of the entity of each item; None makes every cluster an entity of its own.

    Examples
    --------
    >>> truths = [Partition([0, 0, 1]), Partition([0, 1])]
    >>> [indices.tolist() for indices in as_entities(None, truths)]
    [[0, 0, 1], [2, 3]]
    >>> names = [["Ann", "Ann", "Bo"], ["Bo", "Cy"]]
    >>> [indices.tolist() for indices in as_entities(names, truths)]
    [[0, 0, 1], [1, 2]]
    """
    boundaries = np.cumsum([len(truth) for truth in truths])[:-1]
    if entities is None:
        return np.split(Partition.concatenate(truths).labels, boundaries)
    names = _as_names(entities, truths)
    codes = label_codes([name for set_names in names for name in set_names])
    entities_of_sets = np.split(codes, boundaries)
    for index, (set_entities, truth) in enumerate(zip(entities_of_sets, truths, strict=True)):
        with located(f"item set {index}"):
            _refuse_split_clusters(set_entities, truth, names[index])
    return entities_of_sets


def _as_names(entities: Iterable[EntityNames], truths: Sequence[Partition]) -> list[list[Hashable]]:
    if isinstance(entities, Partition | str) or not isinstance(entities, Iterable):
        raise InputError(
            f"entities are of type {type(entities).__name__}; give a list with one list of "
            "entity names per item set"
        )
    names_of_sets = list(entities)
    if len(names_of_sets) != len(truths):
        raise InputError(
            f"there are {len(truths)} item sets, but entity names for {len(names_of_sets)}; give "
            "one list of entity names per item set"
        )
    names = []
    for index, (set_names, truth) in enumerate(zip(names_of_sets, truths, strict=True)):
        with located(f"item set {index}"):
            names.append(_as_list(set_names, len(truth)))
    return names


def _as_list(names: EntityNames, n_items: int) -> list[Hashable]:
    if isinstance(names, Partition):
        raise InputError(
            "the entities are a Partition, whose labels mean nothing in "
            "other item sets; give a list with one name per item"
        )
    label_codes(names)  # its errors have the index of the item within the set
    name_list: list[Hashable] = (
        np.asarray(names).tolist() if hasattr(names, "__array__") else list(names)
    )
    if len(name_list) != n_items:
        raise InputError(
            f"{len(name_list)} entity names for {n_items} items; give one name per item"
        )
    return name_list


def _refuse_split_clusters(entities: Ints, truth: Partition, names: Sequence[Hashable]) -> None:
    """Refuse a cluster with items of several entities: it could not be held out as a whole."""
    first_items = np.array([items[0] for items in truth.clusters], dtype=np.intp)[truth.labels]
    deviating = np.flatnonzero(entities != entities[first_items])
    if deviating.size:
        second = int(deviating[0])
        first = int(first_items[second])
        raise InputError(
            f"items {first} and {second} are in the same cluster, but have the entities "
            f"{names[first]!r} and {names[second]!r}; give all items of a cluster the same entity"
        )
