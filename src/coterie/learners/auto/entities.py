"""Entities: what clusters of different item sets are of, by names that mean the same in all."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Ints
from coterie.exceptions import InputError, located
from coterie.partition import Partition, label_codes

EntityNames: TypeAlias = Sequence[Hashable] | NDArray[np.generic]


def as_entities(entities: Iterable[EntityNames] | None, truths: Sequence[Partition]) -> list[Ints]:
    """Give each item the number of its entity; None makes every cluster one of its own.

    Examples
    --------
    >>> truths = [Partition([0, 0, 1]), Partition([0, 1])]
    >>> [each.tolist() for each in as_entities(None, truths)]
    [[0, 0, 1], [2, 3]]
    >>> [each.tolist() for each in as_entities([["Ann", "Ann", "Bo"], ["Bo", "Cy"]], truths)]
    [[0, 0, 1], [1, 2]]
    """
    ends = np.cumsum([len(truth) for truth in truths])[:-1]
    if entities is None:
        return np.split(Partition.concatenate(truths).labels, ends)
    names = _as_names(entities, truths)
    numbers = np.split(label_codes([name for each in names for name in each]), ends)
    for at, (own, truth) in enumerate(zip(numbers, truths, strict=True)):
        with located(f"item set {at}"):
            _refuse_torn(own, truth, names[at])
    return numbers


def _as_names(entities: Iterable[EntityNames], truths: Sequence[Partition]) -> list[list[Hashable]]:
    if isinstance(entities, Partition | str) or not isinstance(entities, Iterable):
        raise InputError(
            f"entities are of type {type(entities).__name__}; give a list with the names of the "
            "entities of each item set"
        )
    given = list(entities)
    if len(given) != len(truths):
        raise InputError(
            f"there are {len(truths)} item sets and entities of {len(given)}; give them of each"
        )
    names = []
    for at, (own, truth) in enumerate(zip(given, truths, strict=True)):
        with located(f"item set {at}"):
            names.append(_as_list(own, len(truth)))
    return names


def _as_list(names: EntityNames, n_items: int) -> list[Hashable]:
    if isinstance(names, Partition):
        raise InputError(
            "its entities are a Partition, whose names mean nothing in other item sets; give a "
            "list of one name an item"
        )
    label_codes(names)  # an error numbers the item within the set
    listed: list[Hashable] = (
        np.asarray(names).tolist() if hasattr(names, "__array__") else list(names)
    )
    if len(listed) != n_items:
        raise InputError(
            f"it has {n_items} items, but the entities of {len(listed)}; give one name an item"
        )
    return listed


def _refuse_torn(numbers: Ints, truth: Partition, names: Sequence[Hashable]) -> None:
    """Refuse a cluster of several entities: it could not be held out whole."""
    firsts = np.array([cluster[0] for cluster in truth.clusters], dtype=np.intp)[truth.labels]
    torn = np.flatnonzero(numbers != numbers[firsts])
    if torn.size:
        one, other = int(firsts[torn[0]]), int(torn[0])
        raise InputError(
            f"items {one} and {other} are of one cluster, but of the entities {names[one]!r} and "
            f"{names[other]!r}; give all items of a cluster one entity"
        )
