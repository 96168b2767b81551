"""The folds on which the automatic choice validates its candidates."""

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
    """An item set, or some of its items, held out of training.

    `set_index` is the index of the item set among all examples. `items` has the indices of its
    held-out items; None means all items.
    """

    set_index: int
    item_set: ItemSet
    truth: Partition
    items: Ints | None = None

    def scores(self, model: Model) -> PairScores:
        """Score the pairs that have at least one held-out item."""
        if self.items is None:
            return model.scores(self.item_set)
        blocked_pairs = model.blocker(self.item_set)
        pairs = all_pairs(len(self.item_set)) if blocked_pairs is None else blocked_pairs
        is_held_out = np.isin(pairs, self.items).any(axis=1)
        return model.similarity.pair_scores(self.item_set, pairs[is_held_out])


@dataclass(frozen=True, eq=False)
class Fold:
    """The training items and the held-out items of one round of cross-validation.

    Parameters
    ----------
    name
        Description of what is held out, for messages.
    examples
        All item sets.
    training_items
        For each item set used for training, by its index: the indices of its training items.
    held_out
        The item sets to predict.
    """

    name: str
    examples: Examples
    training_items: Mapping[int, Ints]
    held_out: list[HeldOut]

    @property
    def training_examples(self) -> Examples:
        """The training items as item sets, copied anew at each access to save memory."""
        subsets = [
            self._subset(index) for index, items in self.training_items.items() if len(items)
        ]
        return Examples([item_set for item_set, _ in subsets], [truth for _, truth in subsets])

    @property
    def share(self) -> float:
        """The share of the items of the training sets that are training items."""
        n_items = sum(len(self.examples.truths[index]) for index in self.training_items)
        return sum(map(len, self.training_items.values())) / n_items

    def _subset(self, index: int) -> tuple[ItemSet, Partition]:
        item_set, truth = self.examples.item_sets[index], self.examples.truths[index]
        items = self.training_items[index]
        if len(items) == len(truth):
            return item_set, truth
        return subset_items(item_set, truth, items)


def item_set_folds(
    examples: Examples, entities: Sequence[Ints], indices: Ints, n_folds: int, random_state: int
) -> list[Fold]:
    """Hold out whole item sets: divide those at `indices` at random into folds of similar size.

    The training items of a fold are the items of all other folds, except those whose entities also
    occur in the fold.
    """
    folds = []
    for fold in random_folds(len(indices), n_folds, random_state):
        held_out_sets = indices[fold]
        held_out_entities = _concatenate_entities(entities, held_out_sets)
        training_items = {
            index: np.flatnonzero(~np.isin(entities[index], held_out_entities))
            for index in np.delete(indices, fold).tolist()
        }
        held_out = [
            HeldOut(index, examples.item_sets[index], examples.truths[index])
            for index in held_out_sets
        ]
        name = f"item sets {held_out_sets.tolist()}"
        folds.append(Fold(name, examples, training_items, held_out))
    return folds


def entity_folds(
    examples: Examples, entities: Sequence[Ints], indices: Ints, n_parts: int, random_state: int
) -> list[Fold]:
    """Hold out entities: divide those of the item sets at `indices` into parts of similar size.

    The training items of a fold are the items of the other parts. The fold then scores all pairs
    that have an item of its part, also those whose other item was a training item. `pool_scores`
    combines these scores of all folds into scores of whole item sets. A part scored by itself would
    have fewer records of other entities than a new item set, and candidates that join too much
    would seem good.
    """
    set_sizes = [len(entities[index]) for index in indices]
    entity_of_item = Partition(_concatenate_entities(entities, indices))
    parts = np.split(assign_parts(entity_of_item, n_parts, random_state), np.cumsum(set_sizes)[:-1])
    parts_of_sets = dict(zip(indices.tolist(), parts, strict=True))
    folds = []
    for part in range(n_parts):
        training_items = {
            index: np.flatnonzero(item_parts != part) for index, item_parts in parts_of_sets.items()
        }
        held_out_items = {
            index: np.flatnonzero(item_parts == part) for index, item_parts in parts_of_sets.items()
        }
        held_out = [
            HeldOut(index, examples.item_sets[index], examples.truths[index], items)
            for index, items in held_out_items.items()
            if len(items)
        ]
        folds.append(Fold(f"part {part} of the entities", examples, training_items, held_out))
    return folds


def _concatenate_entities(entities: Sequence[Ints], indices: Ints) -> Ints:
    """Return the entities of the items of some item sets, one set after the other."""
    return np.concatenate([entities[index] for index in indices])


def pool_scores(fold_scores: Sequence[PairScores]) -> PairScores:
    """Combine the scores that several folds gave to pairs of the same item set.

    A pair with items of two parts was scored by two folds, each of which had one of the items among
    its training items. Such a pair gets the mean of both scores.
    """
    n_items = fold_scores[0].n_items
    # A pair (i, j) has the key i · n_items + j.
    keys = np.concatenate([part.pairs[:, 0] * n_items + part.pairs[:, 1] for part in fold_scores])
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(keys[order]) > 0)[: len(keys)])
    sums = np.add.reduceat(np.concatenate([part.scores for part in fold_scores])[order], starts)
    counts = np.diff(np.append(starts, len(keys)))
    unique_keys = keys[order][starts]
    has_all_pairs = len(unique_keys) == count_pairs(n_items)
    pairs = None if has_all_pairs else np.column_stack(np.divmod(unique_keys, n_items))
    return PairScores(n_items, pairs, sums / counts, None, fold_scores[0].n_clusters)


MIN_SETS = 5
"""Smallest number of item sets for which whole item sets are held out."""

MIN_SHARE = 0.5
"""Smallest share of items that may be left for training when whole item sets are held out."""

MIN_ENTITIES = 50
"""Smallest number of entities for which entities are held out in place of item sets."""

N_PARTS = 5
"""Number of folds when the entities of few item sets are held out."""

MANY_PAIRS = 500_000
"""Number of pairs above which there are at most `FEW_FOLDS` folds."""

FEW_FOLDS = 3
"""Largest number of folds for item sets of many pairs."""


class ValidationPlan(NamedTuple):
    """The folds of the automatic choice.

    Parameters
    ----------
    examples
        All item sets; the chosen candidate is fitted to them in the end.
    folds
        The training items and the held-out items of each fold. Without folds nothing can be
        validated, and every candidate predicts by its default decision rule.
    holds_out_entities
        Whether the folds hold out entities, so that their scores have to be pooled, and not whole
        item sets.
    reason
        What the examples lack, where there are no folds.
    """

    examples: Examples
    folds: Sequence[Fold]
    holds_out_entities: bool = False
    reason: str = ""


def plan_validation(
    examples: Examples,
    entities: list[Ints],
    n_folds: int,
    random_state: int,
    *,
    named: bool = False,
) -> ValidationPlan:
    """Decide whether to hold out item sets or entities.

    `named` says that the entities have the same names in all item sets. Clusters of one item set
    show how well a candidate predicts other clusters of that set. Clusters of few item sets do not
    show how well it predicts a new item set, which may differ from all of them. So few item sets
    are divided only if their entities are named.
    """
    usable = np.flatnonzero([len(truth) > 1 for truth in examples.truths])
    if len(usable) >= MIN_SETS:
        return _plan_for_many_sets(examples, entities, usable, n_folds, random_state)
    n_entities = _count_entities(entities, usable) if len(usable) else 0
    if n_entities >= MIN_ENTITIES and (named or len(usable) == 1):
        folds = entity_folds(examples, entities, usable, N_PARTS, random_state)
        return ValidationPlan(examples, folds, holds_out_entities=True)
    reason = _describe_lack(len(examples.truths), len(usable), n_entities)
    return ValidationPlan(examples, [], reason=reason)


def _plan_for_many_sets(
    examples: Examples, entities: list[Ints], indices: Ints, n_folds: int, random_state: int
) -> ValidationPlan:
    """Hold out item sets, or entities if too few items of other entities are left for training."""
    n_pairs = sum(count_pairs(len(truth)) for truth in examples.truths)
    max_folds = n_folds if n_pairs <= MANY_PAIRS else min(n_folds, FEW_FOLDS)
    folds = item_set_folds(examples, entities, indices, max_folds, random_state)
    if min(fold.share for fold in folds) >= MIN_SHARE:
        return ValidationPlan(examples, folds)
    n_entities = _count_entities(entities, indices)
    if n_entities >= MIN_ENTITIES:
        folds = entity_folds(examples, entities, indices, max_folds, random_state)
        return ValidationPlan(examples, folds, holds_out_entities=True)
    reason = (
        f"needs at least {MIN_ENTITIES} entities, because the item sets share them "
        f"(got {n_entities})"
    )
    return ValidationPlan(examples, [], reason=reason)


def _count_entities(entities: list[Ints], indices: Ints) -> int:
    """Count the distinct entities of some item sets."""
    return len(np.unique(_concatenate_entities(entities, indices)))


def _describe_lack(n_sets: int, n_usable: int, n_entities: int) -> str:
    """Return what the examples lack to validate candidates on them."""
    if n_sets == 1:
        return f"needs at least {MIN_ENTITIES} entities (got {n_entities})"
    if n_usable == n_sets:
        sets = f"needs at least {MIN_SETS} item sets (got {n_sets})"
    else:
        sets = f"needs at least {MIN_SETS} item sets of two or more items (got {n_usable})"
    if n_entities >= MIN_ENTITIES:
        return f"{sets}, or entity names: fit(..., entities=names)"
    return f"{sets} or {MIN_ENTITIES} entities (got {n_entities})"
