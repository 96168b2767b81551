"""A run of boosting, and early stopping by held-out item sets."""

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
from coterie._types import Clusterer
from coterie.exceptions import InputError, InterruptedWarning, ItemSetError
from coterie.learners.base import Examples
from coterie.learners.boosting.pair_sets import FeaturizedPairs
from coterie.learners.boosting.risks import Risk
from coterie.learners.boosting.trees import TreeGrower
from coterie.learners.parts import as_metric_value, complement, subset_examples
from coterie.metrics import b_cubed, scorer
from coterie.similarities.trees import Trees

MAX_SCORE = 20.0
"""Bound on the absolute value of the constant score that is used if no tree can be grown."""


class Round(NamedTuple):
    """A round of boosting; `objective` is the value of the objective before its tree is added."""

    objective: float


@dataclass(eq=False)
class BoostingRun:
    """The trees grown so far, with all that is needed to grow more."""

    objective: Risk
    grower: TreeGrower
    data: FeaturizedPairs
    random_state: int
    trees: list[Trees] = field(default_factory=list, init=False)
    history: list[Round] = field(default_factory=list, init=False)
    first_score: float = field(init=False)
    _current_round: Round = field(init=False)

    def __post_init__(self) -> None:
        self.first_score = self.objective.first_score(self.data.pairs)

    def run(self, n_rounds: int, stacklevel: int) -> None:
        """Grow at most `n_rounds` trees; an interrupt ends the run early, with a warning.

        If no tree can be grown, all pairs get the one score that minimises the objective.
        `stacklevel` is that of `warnings.warn` in the caller.
        """
        try:
            for _ in self.rounds(n_rounds):
                pass
        except KeyboardInterrupt:
            message = f"the fit was interrupted after {len(self.trees)} of {n_rounds} rounds"
            warnings.warn(message, InterruptedWarning, stacklevel=stacklevel + 1)
        else:
            if not self.trees and len(self.data.pairs):
                self.first_score = self._best_constant()

    def rounds(self, n_rounds: int) -> Iterator[int]:
        """Grow at most `n_rounds` trees, and yield the number of trees after each."""
        if not self.data.matrix.size:
            return
        trees = self.grower.grow(self.data.matrix, self._derivatives, self.random_state)
        for tree in islice(trees, n_rounds):
            self.trees.append(tree)
            self.history.append(self._current_round)
            objective = self._current_round.objective
            report("fit", len(self.trees), n_rounds, f"objective {objective:.5g}")
            yield len(self.trees)

    def _derivatives(self, tree_scores: Floats) -> tuple[Floats, Floats]:
        value, gradient, curvature = self.objective.descend(
            self.data.pairs, tree_scores + self.first_score
        )
        # It becomes part of the history only if the next tree can be split.
        self._current_round = Round(value)
        return gradient, curvature

    def _best_constant(self) -> float:
        """Return the score that minimises the objective if all pairs have it."""
        pairs = self.data.pairs

        def objective(score: float) -> float:
            return self.objective.descend(pairs, np.full(len(pairs), score)).value

        minimum = minimize_scalar(objective, bounds=(-MAX_SCORE, MAX_SCORE), method="bounded")
        return float(minimum.x) if minimum.fun < objective(self.first_score) else self.first_score


__all__ = ["Stopping"]


@dataclass(frozen=True)
class Stopping(Value):
    """Hold out some item sets, and stop when their predictions no longer improve.

    The number of trees is the one with the best mean of the metric over the held-out sets,
    clustered as in prediction. Then as many trees are grown on all item sets.

    Parameters
    ----------
    metric
        A metric of `coterie.metrics` (F1 if it has three parts), or a function of the true and the
        predicted partition with an attribute `greater_is_better`.
    share
        The share of the item sets to hold out; at least one is held out.
    every
        Number of rounds between two evaluations.
    patience
        Number of evaluations without an improvement after which growing stops.

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
        scorer(self.metric)  # refuses metrics of unknown direction
        if not 0 < as_real("share", self.share, high=1.0) < 1:
            raise InputError(f"share is {self.share}; use a number above 0 and below 1")
        as_whole("every", self.every, 1)
        as_whole("patience", self.patience, 1)

    def divide(self, examples: Examples, random_state: int) -> tuple[Examples, Examples]:
        """Draw the item sets to hold out, and return them and the training sets."""
        n_sets = len(examples.truths)
        if n_sets < 2:
            raise ItemSetError(
                f"there is only {n_sets} item set, so none can be held out; give at least 2, "
                "or stopping=None"
            )
        # Predictions of a set of one item are always right, so such sets are held out last.
        has_pairs = np.array([len(truth) > 1 for truth in examples.truths])
        order = np.random.default_rng(random_state).permutation(n_sets)
        order = order[np.argsort(~has_pairs[order], kind="stable")]
        held_out = np.sort(order[: min(max(round(self.share * n_sets), 1), n_sets - 1)])
        training = complement(n_sets, held_out)
        return subset_examples(examples, held_out), subset_examples(examples, training)


class StoppingMonitor:
    """Evaluates the trees so far on held-out item sets, at regular intervals of rounds."""

    def __init__(self, stopping: Stopping, clusterer: Clusterer, data: FeaturizedPairs) -> None:
        self._stopping, self._clusterer, self._data = stopping, clusterer, data
        self._tree_scores, self._n_added = np.zeros(len(data.pairs)), 0
        self._best_count, self._best_value, self._n_worse = 0, -inf, 0

    def best_count(self, run: BoostingRun) -> int:
        """Return the best number of trees, after evaluating the last ones."""
        if len(run.trees) > self._n_added:
            self._evaluate(run)
        return max(self._best_count, 1)

    def should_stop(self, run: BoostingRun) -> bool:
        """Evaluate the trees if an evaluation is due, and return whether to stop."""
        if not len(run.trees) % self._stopping.every:
            self._evaluate(run)
        return self._n_worse >= self._stopping.patience

    def _evaluate(self, run: BoostingRun) -> None:
        n_trees = len(run.trees)
        new_trees = Trees.joined(run.trees[self._n_added : n_trees])
        self._tree_scores += new_trees(self._data.matrix)
        self._n_added = n_trees
        value = self._signed_mean(self._tree_scores + run.first_score)
        if value > self._best_value:
            self._best_count, self._best_value, self._n_worse = n_trees, value, 0
        else:
            self._n_worse += 1

    def _signed_mean(self, scores: Floats) -> float:
        """Return the mean of the metric over the held-out sets, negated if lower is better."""
        metric = self._stopping.metric
        values = []
        for pair_set in self._data.pairs.sets:
            predicted = self._clusterer(pair_set.pair_scores(scores[pair_set.rows]))
            values.append(as_metric_value(metric(pair_set.truth, predicted)))
        mean = float(np.mean(values))
        return mean if metric.greater_is_better else -mean
