"""Learning in two stages, the second of which compares each pair with the pairs around it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from coterie._core.arguments import as_whole
from coterie._core.arrays import Bools, Floats, Ints
from coterie._core.progress import uninterrupted
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.exceptions import InputError, located
from coterie.features.context import ContextFeatures, context_columns
from coterie.features.given import GivenFeatures, Scaled
from coterie.features.operators import ScaledFeatures, stack
from coterie.features.stacked import Stacked
from coterie.items import ItemSet, PairFeatures
from coterie.learners.base import Examples, Learner
from coterie.learners.pairwise import scaled_logistic
from coterie.learners.parts import assign_parts, complement, subset_examples, subset_items
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition, PartitionLike
from coterie.similarities.context import ContextSimilarity, with_features

CONSTANT = 1e-9
"""A column of context counts as constant if its standard deviation is at most this value."""


def _if_learner_has(method: Any) -> Any:
    """Make a method available only if the inner learner has it."""
    return available_if(lambda outer: hasattr(outer.learner, method.__name__))(method)


class FirstStage(NamedTuple):
    """The fitted first stage, and the training examples of the second stage with their features."""

    examples: Examples
    featurizer: Featurizer
    learner: Learner


class WithContext(Learner):
    """Learn from the features of pairs and from features of their context.

    A first stage scores all candidate pairs of an item set. `ContextFeatures` compares the score of
    each pair with the scores of other pairs of its items. The second stage, which is `learner`, is
    trained on the pair features and these context features together. The context features are
    divided by their standard deviations.

    Scores of pairs that the first stage was trained on are too good, and the second stage would
    rely on them too much. So the training context is cross-fitted: the item sets are divided into
    folds, and the pairs of a fold are scored by a first stage that was fitted to the other folds.
    A single item set is divided by its clusters. Each first stage is then fitted without the items
    of one fold, and the score of a pair is the mean of two scores: by the stage fitted without its
    first item, and by the stage fitted without its second item. A fold may have a larger or smaller
    share of pairs together than the other folds, which would show in these scores. They are
    therefore shifted by the log-odds of a pair to be together in all examples, minus those in the
    training part. In prediction, the first stage is one that was fitted to all item sets. The
    featurizer is fitted once to all item sets, since it does not see the truth.

    Both stages take the candidate pairs of the learner's blocker.

    Parameters
    ----------
    learner
        The learner of the second stage. Its featurizer computes the pair features of both stages.
    first
        The learner of the first stage. It gets item sets that have these pair features in place of
        their items; if it has a featurizer, that one takes them as its input. None means logistic
        regression of the scaled features.
    n_folds
        The number of folds. If it is at least the number of item sets, each fold is one item set.
    random_state
        The seed of the random division into folds.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs: a `ContextSimilarity`.
    first_
        The first stage, fitted to all item sets.
    learner_
        The second stage.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> from coterie.learners import PairwiseClustering
    >>> train, test = make_item_sets(random_state=0), make_item_sets(random_state=1)
    >>> round(PairwiseClustering().fit(*train).score(*test), 2)
    0.62
    >>> round(WithContext(PairwiseClustering()).fit(*train).score(*test), 2)
    0.91
    """

    first_: Learner
    learner_: Learner

    def __init__(
        self,
        learner: Learner,
        first: Learner | None = None,
        n_folds: int = 10,
        random_state: int = 0,
    ) -> None:
        self.learner = learner
        self.first = first
        self.n_folds = n_folds
        self.random_state = random_state

    @property
    def _path_param(self) -> str | None:
        """The learner's parameter for which one fit gives the results of several values."""
        inner_name = getattr(self.learner, "_path_param", None)
        return None if inner_name is None else f"learner__{inner_name}"

    @_if_learner_has
    def fit_path(
        self, item_sets: Iterable[Any], partitions: Iterable[PartitionLike], values: Sequence[Any]
    ) -> list[Self]:
        """Fit once for each value of the learner's path parameter, which `_path_param` names.

        The context is computed only once. Returns fitted copies of this learner in the order of the
        values; the learner itself stays unfitted.
        """
        stage = self._fit_first_stage(self._examples(item_sets, partitions))
        path_learner: Any = self._second
        fitted: list[Self] = []
        for value, second in zip(
            values, path_learner.fit_path(*stage.examples, values), strict=True
        ):
            learner: Self = clone(self).set_params(**{str(self._path_param): value})
            learner._set_result(stage, second)
            fitted.append(learner)
        return fitted

    def _fit(self, examples: Examples) -> None:
        stage = self._fit_first_stage(examples)
        self._set_result(stage, self._second.fit(*stage.examples))

    def _set_result(self, stage: FirstStage, second: Learner) -> None:
        self.first_, self.learner_ = stage.learner, second
        self.similarity_ = ContextSimilarity(stage.featurizer, second.similarity_)
        self._finish()

    def _fit_first_stage(self, examples: Examples) -> FirstStage:
        """Fit the first stage, and add its context to the features of the training sets."""
        self._check_params()
        base = self._featurizer.fit(examples.item_sets)
        featurized = self._featurize(examples, base)
        contexts = [
            context_columns(scores)
            for scores in cross_fitted_scores(
                self._first, featurized, self.n_folds, self.random_state
            )
        ]
        scale = _standard_deviations(contexts)
        first = _fit_copy(self._first, featurized)
        context = ContextFeatures(ContextSimilarity(base, first.similarity_), self._blocker)
        sets = [
            _with_context_columns(item_set, columns, scale)
            for item_set, columns in zip(featurized.item_sets, contexts, strict=True)
        ]
        featurizer = Stacked((base, Scaled(context, scale)))
        return FirstStage(Examples(sets, featurized.truths), featurizer, first)

    def _featurize(self, examples: Examples, featurizer: Featurizer) -> Examples:
        """Compute the pair features of all item sets once, for all stages and folds."""
        sets = []
        for index, item_set in enumerate(examples.item_sets):
            with located(f"item set {index}"):
                sets.append(with_features(item_set, featurizer, self._blocker(item_set)))
        return Examples(sets, examples.truths)

    def _check_params(self) -> None:
        for name, learner in (("learner", self.learner), ("first", self.first)):
            if not isinstance(learner, Learner) and (name == "learner" or learner is not None):
                raise InputError(
                    f"{name} is {learner!r}; use a learner such as PairwiseClustering()"
                )
        if "featurizer" not in self.learner.get_params(deep=False):
            raise InputError(
                f"{type(self.learner).__name__} has no featurizer and cannot learn from context "
                "features; use a learner that has one, such as PairwiseClustering()"
            )
        as_whole("n_folds", self.n_folds, 2)
        as_whole("random_state", self.random_state)

    @property
    def _first(self) -> Learner:
        """The unfitted learner of the first stage."""
        if self.first is not None:
            first: Learner = clone(self.first)
            return first
        return scaled_logistic()

    @property
    def _second(self) -> Learner:
        """The unfitted learner of the second stage, for item sets of pair features."""
        learner: Learner = clone(self.learner)
        # With featurizer=None, a learner that needs a constant adds it to the pair features. If the
        # user gave a featurizer, that one decided on a constant, and no other is added.
        learner.set_params(featurizer=None if learner.featurizer is None else GivenFeatures())
        if "blocker" in learner.get_params(deep=False):
            learner.set_params(blocker=None)
        return learner

    @property
    def _featurizer(self) -> Featurizer:
        learner: Any = self.learner
        return GivenFeatures() if learner.featurizer is None else learner._featurizer  # noqa: SLF001

    @property
    def _blocker(self) -> Blocker:
        return self.learner._blocker  # noqa: SLF001

    @property
    def _predictor(self) -> Clusterer:
        return self.learner_._predictor  # noqa: SLF001


def cross_fitted_scores(
    learner: Learner, examples: Examples, n_folds: int, random_state: int
) -> list[PairScores]:
    """Score the pairs of each item set by a learner that was fitted without them."""
    has_pairs = np.array([item_set.items.features.shape[0] > 0 for item_set in examples.item_sets])
    if np.count_nonzero(has_pairs) < 2:
        return [
            _cross_fit_within_set(learner, item_set, truth, n_folds, random_state)
            for item_set, truth in zip(*examples, strict=True)
        ]
    scores_by_index: dict[int, PairScores] = {}
    odds = log_odds(examples)
    for fold in _folds(has_pairs, n_folds, random_state):
        training = subset_examples(examples, complement(len(has_pairs), fold))
        similarity, shift = _fit_copy(learner, training).similarity_, odds - log_odds(training)
        for index in fold.tolist():
            scores = similarity.pair_scores(examples.item_sets[index], None)
            scores_by_index[index] = PairScores(
                scores.n_items, scores.listed, scores.scores + shift
            )
    return [scores_by_index[index] for index in range(len(scores_by_index))]


def log_odds(examples: Examples) -> float:
    """Return the log-odds of a pair to be together, with half a pair added to each class."""
    together = [
        truth.together(item_set.items.pairs) for item_set, truth in zip(*examples, strict=True)
    ]
    n_pairs, n_together = sum(map(len, together)), sum(map(np.count_nonzero, together))
    return float(np.log((n_together + 0.5) / (n_pairs - n_together + 0.5)))


def _folds(has_pairs: Bools, n_folds: int, random_state: int) -> list[Ints]:
    """Divide the indices of item sets at random, so that each fold has sets with pairs."""
    with_pairs = np.random.default_rng(random_state).permutation(np.flatnonzero(has_pairs))
    order = np.concatenate([with_pairs, np.flatnonzero(~has_pairs)])
    n_parts = min(n_folds, len(with_pairs))
    return [order[part::n_parts] for part in range(n_parts)]


def _cross_fit_within_set(
    learner: Learner, item_set: ItemSet, truth: Partition, n_folds: int, random_state: int
) -> PairScores:
    """Score the pairs of one item set by learners that were fitted without one of their items."""
    listed_pairs = item_set.items.pairs
    pairs = all_pairs(len(item_set)) if listed_pairs is None else listed_pairs
    n_parts = min(n_folds, truth.n_clusters)
    if n_parts < 2:  # without the only cluster, no items would be left for training
        return PairScores(len(item_set), listed_pairs, np.zeros(len(pairs)))
    parts = assign_parts(truth, n_parts, random_state)
    scores, odds = np.zeros(len(pairs)), log_odds(Examples([item_set], [truth]))
    for part in range(n_parts):
        subset, subset_truth = subset_items(item_set, truth, np.flatnonzero(parts != part))
        training = Examples([subset], [subset_truth])
        similarity, shift = _fit_copy(learner, training).similarity_, odds - log_odds(training)
        # Half of the score for each of the pair's two items that the learner was fitted without.
        shares = 0.5 * np.count_nonzero(parts[pairs] == part, axis=1)
        scores += shares * (similarity(item_set, None) + shift)
    return PairScores(len(item_set), listed_pairs, scores)


def _fit_copy(learner: Learner, examples: Examples) -> Learner:
    """Fit a copy of a learner; an interrupt (Ctrl-C) ends the fit of all stages and folds."""
    copy: Learner = clone(learner)
    with uninterrupted():
        return copy.fit(*examples)


def _standard_deviations(contexts: Sequence[Floats]) -> Floats:
    """Return the standard deviation of each column over all pairs, but 1 for constant columns."""
    rows = np.vstack(contexts)
    deviations: Floats = rows.std(axis=0) if len(rows) else np.zeros(rows.shape[1])
    return np.where(deviations > CONSTANT, deviations, 1.0)


def _with_context_columns(item_set: ItemSet, context: Floats, scale: Floats) -> ItemSet:
    """Append scaled columns of context to the pair features of an item set."""
    pair_features: PairFeatures = item_set.items
    features = stack([pair_features.features, ScaledFeatures(context, scale)])
    return replace(item_set, items=replace(pair_features, features=features))
