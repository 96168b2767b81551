"""What the automatic choice is validated on: item sets or entities that are held out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Ints
from coterie.items import ItemSet
from coterie.learners.base import Examples
from coterie.learners.parts import assign_parts, random_folds, subset_items
from coterie.model import Model
from coterie.pairs import PairScores, all_pairs, count_pairs
from coterie.partition import Partition


class HeldOut(NamedTuple):
    """An item set to predict, by its number; of `items`, None for all, pairs are scored."""

    number: int
    item_set: ItemSet
    truth: Partition
    items: Ints | None = None

    def scores(self, model: Model) -> PairScores:
        """Score the pairs of which at least one item is held out."""
        if self.items is None:
            return model.scores(self.item_set)
        listed = model.blocker(self.item_set)
        pairs = all_pairs(len(self.item_set)) if listed is None else listed
        touching = np.isin(pairs, self.items).any(axis=1)
        return model.similarity.pair_scores(self.item_set, pairs[touching])


@dataclass(frozen=True, eq=False)
class Fold:
    """What is fitted to, and what is then predicted.

    Parameters
    ----------
    name
        What is held out, for messages.
    examples
        All item sets.
    rest
        Which items of which of them are fitted to, by numbers.
    held_out
        What is predicted.
    """

    name: str
    examples: Examples
    rest: Mapping[int, Ints]
    held_out: list[HeldOut]

    @property
    def fitted_to(self) -> Examples:
        """What is fitted to; parts of item sets are made only now, because they are copies."""
        both = [self._left_of(number) for number, items in self.rest.items() if len(items)]
        return Examples([item_set for item_set, _ in both], [truth for _, truth in both])

    @property
    def share(self) -> float:
        """The share of the items of the sets that are fitted to which is left of them."""
        whole = sum(len(self.examples.truths[number]) for number in self.rest)
        return sum(map(len, self.rest.values())) / whole

    def _left_of(self, number: int) -> tuple[ItemSet, Partition]:
        item_set, truth = self.examples.item_sets[number], self.examples.truths[number]
        items = self.rest[number]
        return (
            subset_items(item_set, truth, items) if len(items) < len(truth) else (item_set, truth)
        )


def joined(entities: Sequence[Ints], numbers: Ints) -> Ints:
    """Return the entities of the items of some item sets, one set after the other."""
    return np.concatenate([entities[number] for number in numbers])


def item_set_folds(
    examples: Examples, entities: Sequence[Ints], numbers: Ints, n_folds: int, random_state: int
) -> list[Fold]:
    """Divide the item sets of some numbers at random into parts of nearly one size.

    The items of all other parts are fitted to, but those whose entities are held out.
    """
    folds = []
    for part in random_folds(len(numbers), n_folds, random_state):
        own = numbers[part]
        gone = joined(entities, own)
        rest = {
            number: np.flatnonzero(~np.isin(entities[number], gone))
            for number in np.delete(numbers, part).tolist()
        }
        held_out = [HeldOut(each, examples.item_sets[each], examples.truths[each]) for each in own]
        folds.append(Fold(f"item sets {own.tolist()}", examples, rest, held_out))
    return folds


def entity_folds(
    examples: Examples, entities: Sequence[Ints], numbers: Ints, n_parts: int, random_state: int
) -> list[Fold]:
    """Divide the entities of the item sets of some numbers into parts of nearly as many items.

    The items of all other parts are fitted to, and the pairs of which one item is of the part are
    scored. `pooled` then puts the scores of whole item sets together: a part alone would have fewer
    strangers to be told from, and a candidate that joins too much would pass.
    """
    entity = Partition(joined(entities, numbers))
    ends = np.cumsum([len(entities[number]) for number in numbers])[:-1]
    parts = np.split(assign_parts(entity, n_parts, random_state), ends)
    owners = dict(zip(numbers.tolist(), parts, strict=True))
    folds = []
    for part in range(n_parts):
        rest = {number: np.flatnonzero(own != part) for number, own in owners.items()}
        judged = {number: np.flatnonzero(own == part) for number, own in owners.items()}
        held_out = [
            HeldOut(number, examples.item_sets[number], examples.truths[number], items)
            for number, items in judged.items()
            if len(items)
        ]
        folds.append(Fold(f"part {part} of the entities", examples, rest, held_out))
    return folds


def pool_scores(scored: Sequence[PairScores]) -> PairScores:
    """Put scores of pairs of the same items together: the mean, where a pair was scored twice.

    A pair of two parts was scored without either of them.
    """
    n_items = scored[0].n_items
    keys = np.concatenate([each.pairs[:, 0] * n_items + each.pairs[:, 1] for each in scored])
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.append(True, np.diff(keys[order]) > 0)[: len(keys)])
    sums = np.add.reduceat(np.concatenate([each.scores for each in scored])[order], first)
    counts = np.diff(np.append(first, len(keys)))
    found = keys[order][first]
    pairs = (
        None if len(found) == count_pairs(n_items) else np.column_stack(np.divmod(found, n_items))
    )
    return PairScores(n_items, pairs, sums / counts, None, scored[0].n_clusters)


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


class ValidationPlan(NamedTuple):
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


def plan_validation(
    examples: Examples,
    entities: list[Ints],
    n_folds: int,
    random_state: int,
    *,
    named: bool = False,
) -> ValidationPlan:
    """Say what to hold out of the item sets; `named` says that entities mean the same in all.

    Entities of one item set tell of others of the same item set. Of the next item set they tell
    too little where that differs from those before, as few item sets do from each other.
    """
    telling = np.flatnonzero([len(truth) > 1 for truth in examples.truths])
    if len(telling) >= LEAST_SETS:
        return _of_many(examples, entities, telling, n_folds, random_state)
    n_entities = _count(entities, telling) if len(telling) else 0
    if n_entities >= LEAST_ENTITIES and (named or len(telling) == 1):
        folds = entity_folds(examples, entities, telling, N_PARTS, random_state)
        return ValidationPlan(folds, pooled=True)
    return ValidationPlan([], why=_few_sets(examples, len(telling), n_entities))


def _of_many(
    examples: Examples, entities: list[Ints], numbers: Ints, n_folds: int, random_state: int
) -> ValidationPlan:
    """Hold out item sets; or entities, if too little would be left without those of the sets."""
    n_pairs = sum(count_pairs(len(truth)) for truth in examples.truths)
    most = n_folds if n_pairs <= MANY_PAIRS else min(n_folds, FEW_FOLDS)
    folds = item_set_folds(examples, entities, numbers, most, random_state)
    if min(fold.share for fold in folds) >= LEAST_SHARE:
        return ValidationPlan(folds)
    n_entities = _count(entities, numbers)
    if n_entities >= LEAST_ENTITIES:
        folds = entity_folds(examples, entities, numbers, most, random_state)
        return ValidationPlan(folds, pooled=True)
    in_all = f"{n_entities} {'entity' if n_entities == 1 else 'entities'} in all"
    return ValidationPlan([], why=f"item sets of {in_all}, fewer than {LEAST_ENTITIES}")


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
