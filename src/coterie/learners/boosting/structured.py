"""Boosted trees of the features of pairs, grown by what a clustering loses."""

from collections.abc import Iterable
from typing import Any, Self

from sklearn.base import clone

from coterie._core.arguments import as_whole, refuse_class
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.exceptions import InputError
from coterie.learners.base import Examples, Learner, as_examples
from coterie.learners.boosting.pair_sets import pair_sets
from coterie.learners.boosting.risks import LeftLinkRisk, Risk
from coterie.learners.boosting.stopping import BoostingRun, Round, Stopping, Watch
from coterie.learners.boosting.trees import TreeGrower, default_trees
from coterie.partition import PartitionLike
from coterie.similarities.trees import Trees, TreeSimilarity

LEFT_LINKS = LeftLinkRisk()


class StructuredBoosting(Learner):
    """Grow trees of pair features, each by what the clustering of the training sets loses.

    A pair scores F = start + Σ trees. Each round takes the slopes g and the bends h of the
    objective by the score of every pair, and fits a tree to −g/h with weights h: gradient boosting
    (Friedman 2001, with Newton steps) in the space of scores. Where the objective is that of
    left-linking or of correlation clustering, trees are spent on the pairs that clusters turn on,
    not on the many that never compete; `LogisticRisk` is the plain boosted classifier of pairs.

    Parameters
    ----------
    objective
        `LeftLinkRisk`, for items that come in order; `CorrelationRisk`, or `LogisticRisk`.
    trees
        `LightTrees` or `HistogramTrees`; None stands for the former where LightGBM is installed,
        else for the latter.
    n_rounds
        How many trees to grow, at most.
    stopping
        `Stopping`, to find the number of trees on item sets that are held out at first; None grows
        all.
    clusterer
        Partitions the items by the scores; None stands for that of the objective.
    featurizer
        Computes the features of pairs. None takes those of the item sets (of pairs, or products of
        item vectors); no constant is needed.
    blocker
        Says which pairs are looked at; None stands for all.
    random_state
        Seed of the columns and the item sets that are drawn.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs; its trees are arrays, and need none of the libraries.
    n_rounds_
        The number of trees: fewer than asked for where no leaf could be split any more. Where there
        are none, all pairs score the one number that loses least.
    trees_
        What grew them.
    history_
        One named tuple a round, with the `objective` before its tree was added.

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
        """Fit once for several numbers of rounds, and return a fitted learner for each.

        A learner with few trees is what `fit` makes of that number. With `stopping`, which finds
        the number itself, there is no path.
        """
        if self.stopping is not None:
            raise InputError(
                "stopping finds the number of rounds itself; give stopping=None to fit for several"
            )
        counts = [as_whole("n_rounds", count, 1) for count in n_rounds]
        if not counts:
            raise InputError("there are no n_rounds; give at least one")
        growth = self._growth(as_examples(item_sets, partitions))
        growth.run(max(counts), stacklevel=3)
        fitted = []
        for count in counts:
            learner = clone(self).set_params(n_rounds=count)
            learner._keep(growth, count)  # noqa: SLF001
            fitted.append(learner)
        return fitted

    def _fit(self, examples: Examples) -> None:
        n_rounds = as_whole("n_rounds", self.n_rounds, 1)
        if self.stopping is not None:
            n_rounds = self._stopped(examples, n_rounds)
        growth = self._growth(examples)
        growth.run(n_rounds, stacklevel=4)
        self._keep(growth, n_rounds)

    def _stopped(self, examples: Examples, n_rounds: int) -> int:
        """Find the number of rounds on item sets that are held out."""
        refuse_class("stopping", self.stopping)
        if not isinstance(self.stopping, Stopping):
            raise InputError(f"stopping is {self.stopping!r}; give Stopping() or None")
        held_out, rest = self.stopping.divide(examples, as_whole("random_state", self.random_state))
        growth = self._growth(rest)
        watched = pair_sets(held_out, growth.featurizer, self._blocker)
        watch = Watch(self.stopping, self._predictor, *watched)
        for _ in growth.rounds(n_rounds):
            if watch.has_seen_enough(growth):
                break
        return watch.best(growth)

    def _growth(self, examples: Examples) -> BoostingRun:
        refuse_class("objective", self.objective)
        if not isinstance(self.objective, Risk):
            raise InputError(
                f"the objective is {self.objective!r}; give one such as LeftLinkRisk()"
            )
        refuse_class("trees", self.trees)
        if not (self.trees is None or isinstance(self.trees, TreeGrower)):
            raise InputError(f"trees are {self.trees!r}; give LightTrees() or HistogramTrees()")
        grower = default_trees() if self.trees is None else self.trees
        featurizer = self._featurizer.fit(examples.item_sets)
        pairs, matrix = pair_sets(examples, featurizer, self._blocker)
        seed = as_whole("random_state", self.random_state)
        return BoostingRun(self.objective, grower, featurizer, pairs, matrix, seed)

    def _keep(self, growth: BoostingRun, n_rounds: int) -> None:
        trees = Trees.joined(growth.trees[:n_rounds])
        self.similarity_ = TreeSimilarity(growth.featurizer, trees, growth.first_score)
        self.n_rounds_, self.trees_ = len(trees), growth.grower
        self.history_ = growth.history[:n_rounds]
        self._finish()

    @property
    def _path_param(self) -> str | None:
        return "n_rounds" if self.stopping is None else None

    @property
    def _predictor(self) -> Clusterer:
        return self.objective.clusterer if self.clusterer is None else self.clusterer
