"""Which items train and which are held out, and what scores each pair, in cross-validation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Bools, Floats
from coterie.learners.auto.plan import ValidationPlan
from coterie.learners.sampled.pools import PairPool, PairSample
from coterie.learners.sampled.scorers import PairScorer


@dataclass(frozen=True, eq=False)
class ItemFolds:
    """The folds of the items of all sets.

    Parameters
    ----------
    is_training
        For each fold and item, whether the item trains.
    of_item
        The fold that holds each item out; −1 for none.
    """

    is_training: Bools
    of_item: NDArray[np.int8]

    @classmethod
    def of(cls, plan: ValidationPlan, pool: PairPool) -> Self:
        """Return the folds of a plan."""
        n_items = int(pool.offsets[-1])
        is_training = np.zeros((len(plan.folds), n_items), dtype=np.bool_)
        of_item = np.full(n_items, -1, dtype=np.int8)
        for number, fold in enumerate(plan.folds):
            for index, items in fold.training_items.items():
                is_training[number, pool.offsets[index] + items] = True
            for held_out in fold.held_out:
                members = np.arange(len(held_out.truth))
                if held_out.items is not None:
                    members = held_out.items
                of_item[pool.offsets[held_out.set_index] + members] = number
        return cls(is_training, of_item)

    def __len__(self) -> int:
        return len(self.is_training)

    def of_pairs(self, ends: NDArray[np.int32]) -> NDArray[np.int8]:
        """Return the fold whose learner scores each pair: one that holds out one of its items.

        Half of the pairs across two folds are scored by each of the two, as a hash of the pair
        says. So each score is that of one learner, as scores of new rows are.
        """
        first, second = self.of_item[ends].T
        folds: NDArray[np.int8] = np.where(ends.sum(axis=1) % 2 == 0, first, second)
        return folds

    def training_sample(self, sample: PairSample, fold: int) -> PairSample:
        """Return the pairs whose items both train in a fold."""
        return sample.take(self.is_training[fold][sample.ends].all(axis=1))

    def held_out_scores(
        self, scorers: Sequence[PairScorer], matrix: NDArray[np.floating], ends: NDArray[np.int32]
    ) -> Floats:
        """Score pairs, each by the scorer of its fold."""
        folds = self.of_pairs(ends)
        scores = np.zeros(len(ends))
        for fold, scorer in enumerate(scorers):
            rows = np.flatnonzero(folds == fold)
            if len(rows):
                scores[rows] = scorer(matrix[rows])
        return scores
