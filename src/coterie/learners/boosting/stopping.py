"""Trees that are grown one after the other, and when held-out item sets say that it is enough."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Floats
from coterie._core.progress import report
from coterie._core.values import Value
from coterie._types import Clusterer, Featurizer
from coterie.exceptions import InputError, InterruptedWarning, ItemSetError
from coterie.learners.base import Examples
from coterie.learners.boosting.pair_sets import PairSets
from coterie.learners.boosting.risks import Risk
from coterie.learners.boosting.trees import TreeGrower
from coterie.learners.parts import as_metric_value, complement, subset_examples
from coterie.metrics import b_cubed, scorer
from coterie.similarities.trees import Trees

LARGEST = 20.0
"""How far from 0 a score is sought that is the same for all pairs."""


class Round(NamedTuple):
    """The objective that a round of boosting found: that of the trees before its own."""

    objective: float


@dataclass(eq=False)
class BoostingRun:
    """The trees so far, and what makes more of them."""

    objective: Risk
    grower: TreeGrower
    featurizer: Featurizer
    pairs: PairSets
    matrix: Floats
    random_state: int
    trees: list[Trees] = field(default_factory=list, init=False)
    history: list[Round] = field(default_factory=list, init=False)
    first_score: float = field(init=False)
    _seen: Round = field(init=False)

    def __post_init__(self) -> None:
        self.first_score = self.objective.first_score(self.pairs)

    def run(self, n_rounds: int, stacklevel: int) -> None:
        """Grow so many trees; an interrupt leaves those that are there, with a warning.

        Where none can be grown, all pairs score the one number that loses least. `stacklevel` is
        that of `warnings.warn` in the caller.
        """
        try:
            for _ in self.rounds(n_rounds):
                pass
        except KeyboardInterrupt:
            message = f"the fit was interrupted after {len(self.trees)} of {n_rounds} rounds"
            warnings.warn(message, InterruptedWarning, stacklevel=stacklevel + 1)
        else:
            if not self.trees and len(self.pairs):
                self.first_score = self._best_constant()

    def rounds(self, n_rounds: int) -> Iterator[int]:
        """Grow at most so many trees, and yield after each how many there are."""
        if not self.matrix.size:
            return
        grown = self.grower.grow(self.matrix, self._steps, self.random_state)
        for tree in islice(grown, n_rounds):
            self.trees.append(tree)
            self.history.append(self._seen)
            report("fit", len(self.trees), n_rounds, f"objective {self._seen.objective:.5g}")
            yield len(self.trees)

    def _steps(self, scores: Floats) -> tuple[Floats, Floats]:
        value, slopes, bends = self.objective.descend(self.pairs, scores + self.first_score)
        self._seen = Round(value)  # of a tree that may yet prove to have no split
        return slopes, bends

    def _best_constant(self) -> float:
        """Return the score that loses least where all pairs have it; the first one among equals."""

        def lost(score: float) -> float:
            return self.objective.descend(self.pairs, np.full(len(self.pairs), score)).value

        found = minimize_scalar(lost, bounds=(-LARGEST, LARGEST), method="bounded")
        return float(found.x) if found.fun < lost(self.first_score) else self.first_score


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
        return subset_examples(examples, drawn), subset_examples(
            examples, complement(n_sets, drawn)
        )


class Watch:
    """Looks now and then at what the trees so far reach on held-out item sets."""

    def __init__(
        self, stopping: Stopping, clusterer: Clusterer, pairs: PairSets, matrix: Floats
    ) -> None:
        self._stopping, self._clusterer = stopping, clusterer
        self._pairs, self._matrix = pairs, matrix
        self._scores, self._n_added = np.zeros(len(pairs)), 0
        self._best, self._top, self._n_worse = 0, -inf, 0

    def best(self, growth: BoostingRun) -> int:
        """Return the number of trees that was best, after a look at the last ones."""
        if len(growth.trees) > self._n_added:
            self._look(growth)
        return max(self._best, 1)

    def has_seen_enough(self, growth: BoostingRun) -> bool:
        """Look, where it is time to, and tell whether to stop."""
        if not len(growth.trees) % self._stopping.every:
            self._look(growth)
        return self._n_worse >= self._stopping.patience

    def _look(self, growth: BoostingRun) -> None:
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
            found.append(as_metric_value(metric(each.truth, predicted)))
        mean = float(np.mean(found))
        return mean if metric.greater_is_better else -mean
