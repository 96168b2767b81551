"""The learner of boosted trees of pair features."""

import sys
from collections.abc import Iterable
from typing import Any, Self

from sklearn.base import clone

from coterie._core.arguments import as_whole, refuse_class
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.exceptions import InputError
from coterie.learners.base import Examples, Learner
from coterie.learners.boosting.pair_sets import featurize_pairs
from coterie.learners.boosting.risks import LeftLinkRisk, Risk
from coterie.learners.boosting.stopping import BoostingRun, Round, Stopping, StoppingMonitor
from coterie.learners.boosting.trees import TreeGrower, default_trees
from coterie.partition import PartitionLike
from coterie.similarities.trees import Trees, TreeSimilarity

LEFT_LINKS = LeftLinkRisk()


class StructuredBoosting(Learner):
    """Boost trees of pair features to minimise a clustering loss on the training sets.

    The score of a pair is F = start + Σ trees. Each round computes the gradient g and the curvature
    h of the objective by the score of every pair, and fits a tree to −g/h with weights h: gradient
    boosting (Friedman 2001, with Newton steps) in the space of scores. The objectives of
    left-linking and of correlation clustering concentrate on the pairs that decide the clusters,
    and ignore the many that never compete. `LogisticRisk` boosts a plain classifier of pairs.

    Parameters
    ----------
    objective
        The loss to minimise: `LeftLinkRisk`, for items in order; `CorrelationRisk`, or
        `LogisticRisk`.
    trees
        `LightTrees` or `HistogramTrees`; None means the former if LightGBM is installed, else the
        latter.
    n_rounds
        Largest number of trees.
    stopping
        `Stopping`, to find the best number of trees on held-out item sets first; None grows
        `n_rounds` trees.
    clusterer
        Partitions the items by the scores; None means the clusterer of the objective.
    featurizer
        Computes the features of pairs. None means the pair features of the item sets, or products
        of their item vectors; no constant is needed.
    blocker
        Chooses the candidate pairs; None means all pairs.
    random_state
        Seed of the random draws of columns and held-out item sets.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs; its trees are arrays, and predict without the library that
        grew them.
    n_rounds_
        The number of trees, which is less than `n_rounds` if no leaf could be split any more. If it
        is 0, all pairs have the same score, the one that minimises the objective.
    trees_
        The `LightTrees` or `HistogramTrees` that grew them.
    history_
        One named tuple per round, with the `objective` before its tree was added.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> from coterie.learners import CorrelationRisk
    >>> train, test = make_item_sets(random_state=0), make_item_sets(random_state=1)
    >>> learner = StructuredBoosting(CorrelationRisk(), n_rounds=50).fit(*train)
    >>> learner.history_[-1].objective < learner.history_[0].objective
    True
    """

    _prediction_params = ("clusterer",)
    _adds_constant = False

    n_rounds_: int
    trees_: TreeGrower
    history_: list[Round]

    def __init__(
        self,
        objective: Risk = LEFT_LINKS,
        trees: TreeGrower | None = None,
        n_rounds: int = 200,
        stopping: Stopping | None = None,
        clusterer: Clusterer | None = None,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        random_state: int = 0,
    ) -> None:
        self.objective = objective
        self.trees = trees
        self.n_rounds = n_rounds
        self.stopping = stopping
        self.clusterer = clusterer
        self.featurizer = featurizer
        self.blocker = blocker
        self.random_state = random_state

    def fit_path(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        n_rounds: Iterable[int],
    ) -> list[Self]:
        """Fit for several numbers of rounds at the cost of the largest; return a learner for each.

        Each learner is the same as if `fit` had been called with its `n_rounds`. Only possible
        without `stopping`.
        """
        if self.stopping is not None:
            raise InputError(
                "stopping already chooses the number of rounds; use stopping=None to fit "
                "with several values of n_rounds"
            )
        counts = [as_whole("n_rounds", count, 1, sys.maxsize) for count in n_rounds]
        if not counts:
            raise InputError("n_rounds is empty; give at least one number of rounds")
        run = self._prepare_run(self._examples(item_sets, partitions))
        run.run(max(counts), stacklevel=3)
        learners = []
        for count in counts:
            learner = clone(self).set_params(n_rounds=count)
            learner._set_results(run, count)  # noqa: SLF001
            learners.append(learner)
        return learners

    def _fit(self, examples: Examples) -> None:
        n_rounds = as_whole("n_rounds", self.n_rounds, 1, sys.maxsize)
        if self.stopping is not None:
            n_rounds = self._best_n_rounds(examples, n_rounds)
        run = self._prepare_run(examples)
        run.run(n_rounds, stacklevel=4)
        self._set_results(run, n_rounds)

    def _best_n_rounds(self, examples: Examples, n_rounds: int) -> int:
        """Return the number of rounds, at most `n_rounds`, that is best on held-out item sets."""
        refuse_class("stopping", self.stopping)
        if not isinstance(self.stopping, Stopping):
            raise InputError(f"stopping is {self.stopping!r}; use Stopping() or None")
        seed = as_whole("random_state", self.random_state)
        held_out, training = self.stopping.divide(examples, seed)
        run = self._prepare_run(training)
        held_out_pairs = featurize_pairs(held_out, run.data.featurizer, self._blocker)
        monitor = StoppingMonitor(self.stopping, self._predictor, held_out_pairs)
        for _ in run.rounds(n_rounds):
            if monitor.should_stop(run):
                break
        return monitor.best_count(run)

    def _prepare_run(self, examples: Examples) -> BoostingRun:
        refuse_class("objective", self.objective)
        if not isinstance(self.objective, Risk):
            raise InputError(
                f"the objective is {self.objective!r}; use a risk such as LeftLinkRisk()"
            )
        refuse_class("trees", self.trees)
        if not (self.trees is None or isinstance(self.trees, TreeGrower)):
            raise InputError(f"trees are {self.trees!r}; use LightTrees() or HistogramTrees()")
        grower = default_trees() if self.trees is None else self.trees
        featurizer = self._featurizer.fit(examples.item_sets)
        data = featurize_pairs(examples, featurizer, self._blocker)
        seed = as_whole("random_state", self.random_state)
        return BoostingRun(self.objective, grower, data, seed)

    def _set_results(self, run: BoostingRun, n_rounds: int) -> None:
        trees = Trees.joined(run.trees[:n_rounds])
        self.similarity_ = TreeSimilarity(run.data.featurizer, trees, run.first_score)
        self.n_rounds_, self.trees_ = len(trees), run.grower
        self.history_ = run.history[:n_rounds]
        self._finish()

    @property
    def _path_param(self) -> str | None:
        return "n_rounds" if self.stopping is None else None

    @property
    def _predictor(self) -> Clusterer:
        return self.objective.clusterer if self.clusterer is None else self.clusterer
