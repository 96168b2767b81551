"""What the automatic choice is validated on, as far as there is enough for it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Ints
from coterie.learners.auto.folds import Fold, folds_of_entities, folds_of_sets, joined
from coterie.learners.base import Examples
from coterie.pairs import count_pairs

LEAST_SETS = 5
"""From how many item sets on these are held out, …"""

LEAST_SHARE = 0.5
"""… if at least this share of the items of the others is of other entities."""

LEAST_ENTITIES = 50
"""If not, and of fewer item sets, from how many entities on these are held out."""

N_PARTS = 5
"""Into how many parts the entities of few item sets are divided."""

MANY_PAIRS = 500_000
"""From how many pairs on …"""

FEW_FOLDS = 3
"""… there are at most so many folds."""


class Plan(NamedTuple):
    """What is held out.

    Parameters
    ----------
    folds
        What is fitted to and held out at a time. Without folds nothing can be validated, and every
        candidate has its default operating point.
    pooled
        Whether entities are held out, whose scores are put together to those of whole item sets.
    why
        Why there are no folds.
    """

    folds: Sequence[Fold]
    pooled: bool = False
    why: str = ""


def planned(
    examples: Examples,
    entities: list[Ints],
    n_folds: int,
    random_state: int,
    *,
    named: bool = False,
) -> Plan:
    """Say what to hold out of the item sets; `named` says that entities mean the same in all.

    Entities of one item set tell of others of the same item set. Of the next item set they tell
    too little where that differs from those before, as few item sets do from each other.
    """
    telling = np.flatnonzero([len(truth) > 1 for truth in examples.truths])
    if len(telling) >= LEAST_SETS:
        return _of_many(examples, entities, telling, n_folds, random_state)
    n_entities = _count(entities, telling) if len(telling) else 0
    if n_entities >= LEAST_ENTITIES and (named or len(telling) == 1):
        folds = folds_of_entities(examples, entities, telling, N_PARTS, random_state)
        return Plan(folds, pooled=True)
    return Plan([], why=_few_sets(examples, len(telling), n_entities))


def _of_many(
    examples: Examples, entities: list[Ints], numbers: Ints, n_folds: int, random_state: int
) -> Plan:
    """Hold out item sets; or entities, if too little would be left without those of the sets."""
    n_pairs = sum(count_pairs(len(truth)) for truth in examples.truths)
    most = n_folds if n_pairs <= MANY_PAIRS else min(n_folds, FEW_FOLDS)
    folds = folds_of_sets(examples, entities, numbers, most, random_state)
    if min(fold.share for fold in folds) >= LEAST_SHARE:
        return Plan(folds)
    n_entities = _count(entities, numbers)
    if n_entities >= LEAST_ENTITIES:
        folds = folds_of_entities(examples, entities, numbers, most, random_state)
        return Plan(folds, pooled=True)
    in_all = f"{n_entities} {'entity' if n_entities == 1 else 'entities'} in all"
    return Plan([], why=f"item sets of {in_all}, fewer than {LEAST_ENTITIES}")


def _count(entities: list[Ints], numbers: Ints) -> int:
    """Count the different entities of some item sets."""
    return len(np.unique(joined(entities, numbers)))


def _few_sets(examples: Examples, n_telling: int, n_entities: int) -> str:
    n_sets = len(examples.truths)
    more = f" with {n_telling} of more than one item" if n_telling < n_sets else ""
    sets = f"{n_sets} item set{'s'[: n_sets != 1]}{more}, fewer than {LEAST_SETS}"
    if n_entities >= LEAST_ENTITIES:
        return f"{sets}, of entities that are not named"
    known = f"{n_entities} {'entity' if n_entities == 1 else 'entities'}"
    return f"{sets}, of {known}, fewer than {LEAST_ENTITIES}"
