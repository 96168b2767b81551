"""When boosting has done enough: what its trees reach on item sets that they were not grown on."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Floats
from coterie._core.values import Value
from coterie._types import Clusterer
from coterie.exceptions import InputError, ItemSetError
from coterie.learners.base import Examples
from coterie.learners.boosting.growth import Growth
from coterie.learners.boosting.pair_sets import PairSets
from coterie.learners.held_out import as_number, left_of, part_of
from coterie.metrics import b_cubed, scorer
from coterie.similarities.trees import Trees

__all__ = ["Stopping"]


@dataclass(frozen=True)
class Stopping(Value):
    """Hold some item sets out, and stop when they are predicted no better any more.

    The number of trees is the one at which the mean of the metric over the held-out sets was best,
    with the clusterer that predicts; then as many are grown on all item sets.

    Parameters
    ----------
    metric
        A metric of `coterie.metrics` (of three-part scores the F1 counts), or a function of truth
        and predicted partition with an attribute `greater_is_better`.
    share
        The share of the item sets to hold out, at least one.
    every
        After how many rounds to look.
    patience
        How many looks without a better one end it.

    Examples
    --------
    >>> Stopping(every=5).patience
    5
    """

    metric: Any = b_cubed
    share: float = 0.2
    every: int = 10
    patience: int = 5

    def __post_init__(self) -> None:
        scorer(self.metric)  # refuses what is no metric, or does not tell its direction
        if not 0 < as_real("share", self.share, high=1.0) < 1:
            raise InputError(f"share is {self.share}; give a share between 0 and 1")
        as_whole("every", self.every, 1)
        as_whole("patience", self.patience, 1)

    def divide(self, examples: Examples, random_state: int) -> tuple[Examples, Examples]:
        """Draw the item sets to hold out; return them, and the others."""
        n_sets = len(examples.truths)
        if n_sets < 2:
            raise ItemSetError(
                f"there is {n_sets} item set, so that none can be held out; give at least 2, or "
                "no stopping"
            )
        # A set of one item tells nothing, and comes last.
        telling = [len(truth) > 1 for truth in examples.truths]
        order = np.random.default_rng(random_state).permutation(n_sets)
        order = order[np.argsort(~np.array(telling)[order], kind="stable")]
        drawn = np.sort(order[: min(max(round(self.share * n_sets), 1), n_sets - 1)])
        return part_of(examples, drawn), part_of(examples, left_of(n_sets, drawn))


class Watch:
    """Looks now and then at what the trees so far reach on held-out item sets."""

    def __init__(
        self, stopping: Stopping, clusterer: Clusterer, pairs: PairSets, matrix: Floats
    ) -> None:
        self._stopping, self._clusterer = stopping, clusterer
        self._pairs, self._matrix = pairs, matrix
        self._scores, self._n_added = np.zeros(len(pairs)), 0
        self._best, self._top, self._n_worse = 0, -inf, 0

    def best(self, growth: Growth) -> int:
        """Return the number of trees that was best, after a look at the last ones."""
        if len(growth.trees) > self._n_added:
            self._look(growth)
        return max(self._best, 1)

    def has_seen_enough(self, growth: Growth) -> bool:
        """Look, where it is time to, and tell whether to stop."""
        if not len(growth.trees) % self._stopping.every:
            self._look(growth)
        return self._n_worse >= self._stopping.patience

    def _look(self, growth: Growth) -> None:
        done = len(growth.trees)
        self._scores += Trees.joined(growth.trees[self._n_added : done])(self._matrix)
        self._n_added = done
        reached = self._reached(self._scores + growth.first_score)
        if reached > self._top:
            self._best, self._top, self._n_worse = done, reached, 0
        else:
            self._n_worse += 1

    def _reached(self, scores: Floats) -> float:
        """Return the mean of the metric over the held-out sets; higher is better."""
        metric = self._stopping.metric
        found = []
        for each in self._pairs.sets:
            predicted = self._clusterer(each.scored(scores[each.at]))
            found.append(as_number(metric(each.truth, predicted)))
        mean = float(np.mean(found))
        return mean if metric.greater_is_better else -mean
