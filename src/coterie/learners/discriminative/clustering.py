"""Supervised discriminative clustering, which trains a distance together with a clusterer."""

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
from coterie.learners.base import Examples, Learner, warn_of_interrupt
from coterie.learners.discriminative.orientation import as_distances, find_varying_columns
from coterie.learners.discriminative.runs import (
    Criterion,
    DiscriminativeRun,
    DistanceSet,
    Iterate,
    stops_at_threshold,
    takes_n_clusters,
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

    The SDC learner of Li & Roth 2005 starts with random weights. It clusters the training sets with
    the current distance, moves the weights against the gradient of the weighted clustering error
    (eq. 3, averaged over item sets), divides them by their sum, and repeats. After `max_iter`
    clusterings, or as soon as one is correct, it keeps the weights of the best clustering. The
    error may rise from one iteration to the next.

    Features must grow with distance. Columns that a featurizer declares to be similarities, such as
    those of `NameFeatures`, are turned into distances 1 − φ. Among the features that come with item
    sets, columns that are higher on average for pairs that are together count as similarities.
    Columns that are constant over all training pairs get the weight 0. With `literal` of
    `PaperUpdate`, features are used unchanged.

    Clusterers that stop at a threshold (correlation clustering, and linkage if the number of
    clusters is not given) take the scores τ − d, where τ has the best F1 over training pairs and is
    chosen again for each distance d. All other clusterers take the scores D − d, where D is the
    largest distance of the item set. If such a clusterer requires the number of clusters and an
    item set does not give it, training takes it from the truth. Linkage that is trained with given
    numbers of clusters gets a τ as well, for item sets without one.

    Parameters
    ----------
    clusterer
        Partitions the items in training and in prediction: any clusterer.
    learning_rate
        The step size against the gradient, for weights that sum to 1.
    max_iter
        The largest number of clusterings of the training sets.
    update
        `PaperUpdate` or `ExactUpdate`, with parameters for the signs of weights and the distance.
    featurizer
        Computes the features of pairs. None means the pair features of the item sets, or absolute
        differences of their item vectors (squared ones with the distance `Euclidean`).
    blocker
        Chooses the candidate pairs; None means all pairs.
    n_init
        The number of starts from random weights; the best iterate of all starts is kept.
    random_state
        The seed of the initial weights.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs, τ − d or D − d.
    coef_
        The weights of the distance, one per feature.
    history_
        One `Iterate` per clustering, for the start that has the best one.
    best_iter_
        The index of the best iterate in `history_`.

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
            The correct partition of each item set: a `Partition`, or one label per item.
        metric
            The metric that selects the best iterate, such as `coterie.metrics.pair_scores` (by its
            F1); None means the weighted clustering error.
        held_out
            The indices of item sets that are not learned from, but select the best iterate; None
            means that the training sets select it.
        coef_init
            Initial weights of the distance, one per feature, which replace the first random ones.
            They may come from a pair classifier of the same distances; a learning rate of 1 then
            adapts them to the clusterer.
        """
        self._learn(self._examples(item_sets, partitions), Criterion(metric), held_out, coef_init)
        return self

    def _fit(self, examples: Examples) -> None:
        self._learn(examples, Criterion())

    def _learn(
        self,
        examples: Examples,
        criterion: Criterion,
        held_out: Iterable[int] | None = None,
        coef_init: ArrayLike | None = None,
    ) -> None:
        n_init = as_whole("n_init", self.n_init, 1)
        random_state = as_whole("random_state", self.random_state)
        self._check_params()
        featurizer, run = self._start(examples, criterion, held_out)
        first_start = None if coef_init is None else _as_coef(coef_init, run)
        histories: list[list[Iterate]] = []
        interrupted = False
        try:
            for start_index in range(n_init):
                histories.append([])
                rng = np.random.default_rng([random_state, start_index])
                start = self.update.drawn(len(run.free), rng)
                if first_start is not None and not start_index:
                    start = first_start
                for iterate in run.iterates(start):
                    histories[-1].append(iterate)
                    n_done = start_index * run.max_iter + len(histories[-1])
                    report("fit", n_done, n_init * run.max_iter, f"error {iterate.objective:.4g}")
        except KeyboardInterrupt:
            if not histories[0]:
                raise
            interrupted = True
        self._set_result(featurizer, [history for history in histories if history])
        if not interrupted:
            self._add_threshold(run)
        else:
            warn_of_interrupt(stacklevel=3)

    def _check_params(self) -> None:
        refuse_class("clusterer", self.clusterer)
        if not hasattr(self.clusterer, "objective"):
            raise InputError(
                f"clusterer is {self.clusterer!r}; use one of coterie.clusterers, such as "
                "SingleLinkage()"
            )
        if not isinstance(self.update, Update):
            raise InputError(f"update is {self.update!r}; use PaperUpdate() or ExactUpdate()")

    def _start(
        self, examples: Examples, criterion: Criterion, held_out: Iterable[int] | None
    ) -> tuple[Featurizer, DiscriminativeRun]:
        """Compute the features of all item sets, once for all iterations."""
        n_sets = len(examples.truths)
        held_out_indices = (
            np.empty(0, np.intp) if held_out is None else as_held_out(held_out, n_sets)
        )
        training_indices = complement(n_sets, held_out_indices)
        featurizer = self._featurizer.fit([examples.item_sets[index] for index in training_indices])
        sets = self._sets(examples, featurizer)
        training_sets = [sets[index] for index in training_indices]
        free = np.ones(training_sets[0].features.shape[1], dtype=np.bool_)
        if not self.update.literal:
            features = [example.features for example in training_sets]
            free = find_varying_columns(features)
            together = [example.truth.together(example.pairs) for example in training_sets]
            featurizer = as_distances(featurizer, features, together)
            sets = [replace(s, features=featurizer.turned(s.features)) for s in sets]
        n_clusters = [sets[index].n_clusters for index in training_indices]
        if takes_n_clusters(self.clusterer) and not stops_at_threshold(self.clusterer, n_clusters):
            sets = [s.with_n_clusters() for s in sets]
        run = DiscriminativeRun(
            [sets[index] for index in training_indices],
            [sets[index] for index in held_out_indices],
            criterion,
            self.clusterer,
            self.update,
            as_positive("learning_rate", self.learning_rate),
            as_whole("max_iter", self.max_iter, 1),
            free,
        )
        return featurizer, run

    def _sets(self, examples: Examples, featurizer: Featurizer) -> list[DistanceSet]:
        sets = []
        for index, (item_set, truth) in enumerate(zip(*examples, strict=True)):
            with located(f"item set {index}"):
                pairs = self._blocker(item_set)
                features = featurizer(item_set, pairs)
                refuse_wrong_row_count(features, count_pairs(len(item_set), pairs))
                sets.append(DistanceSet(features, pairs, truth, item_set.n_clusters))
        return sets

    def _set_result(self, featurizer: Featurizer, histories: list[list[Iterate]]) -> None:
        """Set the fitted attributes to the best iterate, the first one of the least regret."""
        self.history_ = min(
            histories, key=lambda history: min(iterate.regret for iterate in history)
        )
        regrets = [iterate.regret for iterate in self.history_]
        self.best_iter_ = regrets.index(min(regrets))
        best = self.history_[self.best_iter_]
        self.similarity_ = DistanceSimilarity(
            featurizer, best.coef, best.threshold, self.update.distance
        )
        self.coef_ = self.similarity_.coef
        self._trained = self.clusterer
        self._finish()

    def _add_threshold(self, run: DiscriminativeRun) -> None:
        """Choose a threshold for item sets without n_clusters, if all training sets had one."""
        if not run.uses_threshold and stops_at_threshold(self.clusterer, [None]):
            threshold = run.choose_threshold(self.coef_).threshold
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
            f"coef_init has shape {coef.shape}; give {len(run.free)} numbers, one per feature"
        )
    if not (np.isfinite(coef).all() and run.initial_coef(coef).any()):
        raise InputError(
            "coef_init must be finite, and above 0 for at least one feature that varies between "
            "pairs; give finite weights, positive for features that grow with distance"
        )
    return coef
