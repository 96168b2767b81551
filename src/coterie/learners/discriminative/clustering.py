"""Supervised discriminative clustering: train a distance with the clusterer in the loop."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats, as_positive, as_whole, refuse_class
from coterie._core.arrays import Floats
from coterie._core.progress import report
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.clusterers import SingleLinkage
from coterie.exceptions import InputError, located
from coterie.features.differences import AbsoluteDifferences, SquaredDifferences
from coterie.learners.base import Examples, Learner, as_examples, warn_of_interrupt
from coterie.learners.discriminative.orientation import as_distances, varying
from coterie.learners.discriminative.runs import (
    DiscriminativeRun,
    DistanceSet,
    Iterate,
    Judge,
    stops_at_threshold,
    takes_number,
)
from coterie.learners.discriminative.updates import PaperUpdate, Update
from coterie.learners.linking.link_sets import refuse_wrong_row_count
from coterie.learners.parts import as_held_out, complement
from coterie.pairs import count_pairs
from coterie.partition import PartitionLike
from coterie.similarities import DistanceSimilarity

SINGLE_LINKAGE = SingleLinkage()
PAPER_UPDATE = PaperUpdate()


class DiscriminativeClustering(Learner):
    """Learn a distance of pairs under which a clusterer reproduces the given partitions (SDC).

    The SDC learner of Li & Roth 2005: from random weights on, it clusters the training sets with
    the distance so far, moves the weights against the gradient of the weighted clustering error
    (eq. 3) and divides them by their sum; after `max_iter` clusterings, or as soon as one is right,
    the weights of the best one are kept. Nothing makes the error fall from one to the next. With
    several item sets, it is their mean.

    Features must grow with distance. Featurizers that know which columns do not, such as
    `NameFeatures`, have them turned around (1 − φ); of features that come with the item sets, the
    columns are taken to be similarities that are higher on average for pairs that are together.
    Columns that are the same for all training pairs get the weight 0. See `PaperUpdate` for
    features as they are.

    Clusterers that stop at a threshold (linkage where the number of clusters is not given, and
    those of correlation clustering) see τ − d, with the τ of the best F1 over training pairs, found
    anew for each distance. All others see D − d with D the largest distance of the item set; where
    a clusterer must know the number of clusters and the item set does not, training takes that of
    the truth. Linkage that was trained with the numbers of clusters gets a τ as well, for item sets
    without one.

    Parameters
    ----------
    clusterer
        Partitions the items in training and in prediction: any clusterer.
    learning_rate
        How far to go against the gradient. Weights sum to 1.
    max_iter
        How many clusterings of the training sets to make.
    update
        `PaperUpdate` or `ExactUpdate`, which know the sign of the weights and the distance.
    featurizer
        Computes the features of pairs. None takes those of the item sets: of pairs as they are, of
        item vectors the absolute differences (squares with the distance `Euclidean`).
    blocker
        Says which pairs are looked at; None stands for all.
    n_init
        From how many random weights to start; the best iterate of all is kept.
    random_state
        Seed of the first weights.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs: nearer than τ or D.
    coef_
        The weights of the distance, one a feature.
    history_
        One `Iterate` a clustering, of the start that has the best.
    best_iter_
        The number of the one that was kept, from 0 on.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> train, test = make_item_sets(random_state=0), make_item_sets(random_state=1)
    >>> learner = DiscriminativeClustering(n_init=5).fit(*train)
    >>> learner.history_[0].objective >= learner.history_[learner.best_iter_].objective
    True
    >>> round(learner.score(*test), 2)
    0.88
    """

    similarity_: DistanceSimilarity
    coef_: Floats
    history_: list[Iterate]
    best_iter_: int

    def __init__(
        self,
        clusterer: Clusterer = SINGLE_LINKAGE,
        learning_rate: float = 100.0,
        max_iter: int = 20,
        update: Update = PAPER_UPDATE,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        n_init: int = 1,
        random_state: int = 0,
    ) -> None:
        self.clusterer = clusterer
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.update = update
        self.featurizer = featurizer
        self.blocker = blocker
        self.n_init = n_init
        self.random_state = random_state

    def fit(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        *,
        metric: Any = None,
        held_out: Iterable[int] | None = None,
        coef_init: ArrayLike | None = None,
    ) -> Self:
        """Learn from item sets and their correct partitions.

        An interrupt (Ctrl-C) keeps the best iterate so far, with a warning.

        Parameters
        ----------
        item_sets
            A list of item sets, or of anything that `ItemSet` takes.
        partitions
            The correct partition of each: a `Partition`, or one label an item.
        metric
            What the best iterate is told by, a metric such as `coterie.metrics.pair_scores` (of
            which F1 counts); None stands for the weighted clustering error.
        held_out
            The numbers of item sets that are not learned from, but tell the best iterate; None lets
            the training sets do so.
        coef_init
            Weights of the distance to start from, one a feature, in place of the first random
            ones: what a pair classifier of the same distances found, say, which a learning rate of
            1 then adapts to the clusterer.
        """
        self._learn(as_examples(item_sets, partitions), Judge(metric), held_out, coef_init)
        return self

    def _fit(self, examples: Examples) -> None:
        self._learn(examples, Judge())

    def _learn(
        self,
        examples: Examples,
        judge: Judge,
        held_out: Iterable[int] | None = None,
        coef_init: ArrayLike | None = None,
    ) -> None:
        n_init = as_whole("n_init", self.n_init, 1)
        random_state = as_whole("random_state", self.random_state)
        self._refuse_what_does_not_fit()
        featurizer, run = self._start(examples, judge, held_out)
        given = None if coef_init is None else _as_coef(coef_init, run)
        histories: list[list[Iterate]] = []
        interrupted = False
        try:
            for number in range(n_init):
                histories.append([])
                rng = np.random.default_rng([random_state, number])
                start = self.update.drawn(len(run.free), rng) if number or given is None else given
                for iterate in run.iterates(start):
                    histories[-1].append(iterate)
                    done = number * run.max_iter + len(histories[-1])
                    report("fit", done, n_init * run.max_iter, f"error {iterate.objective:.4g}")
        except KeyboardInterrupt:
            if not histories[0]:
                raise
            interrupted = True
        self._keep(featurizer, [history for history in histories if history])
        if not interrupted:
            self._find_threshold(run)
        else:
            warn_of_interrupt(stacklevel=3)

    def _refuse_what_does_not_fit(self) -> None:
        refuse_class("clusterer", self.clusterer)
        if not hasattr(self.clusterer, "objective"):
            raise InputError(
                f"the clusterer is {self.clusterer!r}; give one of coterie.clusterers, such as "
                "SingleLinkage()"
            )
        if not isinstance(self.update, Update):
            raise InputError(f"update is {self.update!r}; give PaperUpdate() or ExactUpdate()")

    def _start(
        self, examples: Examples, judge: Judge, held_out: Iterable[int] | None
    ) -> tuple[Featurizer, DiscriminativeRun]:
        """Compute the features, once for all iterations."""
        n_sets = len(examples.truths)
        judged = np.empty(0, np.intp) if held_out is None else as_held_out(held_out, n_sets)
        taught = complement(n_sets, judged)
        featurizer = self._featurizer.fit([examples.item_sets[at] for at in taught])
        sets = self._sets(examples, featurizer)
        shown = [sets[at] for at in taught]
        free = np.ones(shown[0].features.shape[1], dtype=np.bool_)
        if not self.update.literal:
            features = [each.features for each in shown]
            free = varying(features)
            together = [each.truth.together(each.pairs) for each in shown]
            featurizer = as_distances(featurizer, features, together)
            sets = [replace(each, features=featurizer.turned(each.features)) for each in sets]
        numbers = [sets[at].n_clusters for at in taught]
        if takes_number(self.clusterer) and not stops_at_threshold(self.clusterer, numbers):
            sets = [each.counted() for each in sets]
        run = DiscriminativeRun(
            [sets[at] for at in taught],
            [sets[at] for at in judged],
            judge,
            self.clusterer,
            self.update,
            as_positive("learning_rate", self.learning_rate),
            as_whole("max_iter", self.max_iter, 1),
            free,
        )
        return featurizer, run

    def _sets(self, examples: Examples, featurizer: Featurizer) -> list[DistanceSet]:
        sets = []
        for number, (item_set, truth) in enumerate(zip(*examples, strict=True)):
            with located(f"item set {number}"):
                pairs = self._blocker(item_set)
                features = featurizer(item_set, pairs)
                refuse_wrong_row_count(features, count_pairs(len(item_set), pairs))
                sets.append(DistanceSet(features, pairs, truth, item_set.n_clusters))
        return sets

    def _keep(self, featurizer: Featurizer, histories: list[list[Iterate]]) -> None:
        """Keep the best iterate: the first of the least regret."""
        self.history_ = min(histories, key=lambda history: min(each.regret for each in history))
        regrets = [each.regret for each in self.history_]
        self.best_iter_ = regrets.index(min(regrets))
        best = self.history_[self.best_iter_]
        self.similarity_ = DistanceSimilarity(
            featurizer, best.coef, best.threshold, self.update.distance
        )
        self.coef_ = self.similarity_.coef
        self._trained = self.clusterer
        self._finish()

    def _find_threshold(self, run: DiscriminativeRun) -> None:
        """Find where linkage stops if others do not tell their number of clusters, as these did."""
        if not run.stops and stops_at_threshold(self.clusterer, [None]):
            threshold = run.stop(self.coef_).threshold
            self.similarity_ = replace(self.similarity_, threshold=threshold)

    @property
    def _featurizer(self) -> Featurizer:
        if self.featurizer is not None:
            return super()._featurizer
        return AbsoluteDifferences() if self.update.distance.additive else SquaredDifferences()

    @property
    def _predictor(self) -> Clusterer:
        return self._trained


def _as_coef(coef_init: ArrayLike, run: DiscriminativeRun) -> Floats:
    coef = as_floats("coef_init", coef_init)
    if coef.shape != run.free.shape:
        raise InputError(
            f"coef_init has shape {coef.shape}; give {len(run.free)} numbers, one a feature"
        )
    if not (np.isfinite(coef).all() and run.started(coef).any()):
        raise InputError(
            "coef_init has an infinite number, a NaN, or no weight above 0 of a feature that "
            "varies; give finite numbers, of which more is further apart"
        )
    return coef
