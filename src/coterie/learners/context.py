"""Learn in two stages: the second sees how each pair stands among the pairs of its items."""

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
from coterie.learners.base import Examples, Learner, as_examples
from coterie.learners.pairwise import scaled_logistic
from coterie.learners.parts import assign_parts, complement, subset_examples, subset_items
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition, PartitionLike
from coterie.similarities.context import ContextSimilarity, with_features

CONSTANT = 1e-9
"""A column of context that deviates by no more is constant."""


def _if_offered(method: Any) -> Any:
    """Offer a method only where the learner does."""
    return available_if(lambda own: hasattr(own.learner, method.__name__))(method)


class Stage(NamedTuple):
    """What the second stage learns from, what computes its features, and the first stage."""

    examples: Examples
    featurizer: Featurizer
    first: Learner


class WithContext(Learner):
    """Learn from the features of pairs and from their context, as a first stage sees it.

    The first stage scores all pairs of an item set; `ContextFeatures` of these scores, divided by
    their deviations, are put beside the features, and the learner learns from both.

    What a learner says of the pairs that it was fitted to is too good: a second stage would trust
    it, and be let down by new item sets. So the item sets are divided into folds, and the context
    of each is that of a first stage fitted to the other folds. A single item set has its clusters
    divided: each first stage is fitted without the items of one fold, and a pair scores the mean of
    the two that were fitted without its first and without its second item. What is left out has
    more pairs together than the rest, or fewer, and a stage that learned how many there are in the
    rest would tell that: so the difference of the log-odds is made good. In prediction, a first
    stage fitted to all item sets serves. (Only the featurizer is fitted once for all: it sees no
    truth.)

    Both stages look at the pairs that the learner's blocker lists.

    Parameters
    ----------
    learner
        Any learner with a featurizer, which computes the features of both stages.
    first
        The learner of the first stage. It meets item sets of pair features, those that the
        learner's featurizer computed; its own featurizer, if any, reads these. None stands for
        logistic regression over the scaled features.
    n_folds
        How many parts the item sets are divided into; as many as there are sets, or more, leave one
        set out at a time.
    random_state
        Seed of the division.

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
        """The parameter of the learner for all of whose values one fit is enough."""
        inner = getattr(self.learner, "_path_param", None)
        return None if inner is None else f"learner__{inner}"

    @_if_offered
    def fit_path(
        self, item_sets: Iterable[Any], partitions: Iterable[PartitionLike], values: Sequence[Any]
    ) -> list[Self]:
        """Fit for several values of the parameter that the learner's path walks.

        The context is computed once. Returns fitted copies of this learner in the order of the
        values; it is not fitted itself.
        """
        stage = self._begin(as_examples(item_sets, partitions))
        learner: Any = self._second
        fitted: list[Self] = []
        for value, each in zip(values, learner.fit_path(*stage.examples, values), strict=True):
            own: Self = clone(self).set_params(**{str(self._path_param): value})
            own._keep(stage, each)
            fitted.append(own)
        return fitted

    def _fit(self, examples: Examples) -> None:
        stage = self._begin(examples)
        self._keep(stage, self._second.fit(*stage.examples))

    def _keep(self, stage: Stage, second: Learner) -> None:
        self.first_, self.learner_ = stage.first, second
        self.similarity_ = ContextSimilarity(stage.featurizer, second.similarity_)
        self._finish()

    def _begin(self, examples: Examples) -> Stage:
        """Do all that comes before the second stage."""
        self._refuse_what_does_not_fit()
        base = self._featurizer.fit(examples.item_sets)
        given = self._given(examples, base)
        contexts = [
            context_columns(scores)
            for scores in cross_fitted_scores(self._first, given, self.n_folds, self.random_state)
        ]
        scale = _deviations(contexts)
        first = _fitted(self._first, given)
        seen = ContextFeatures(ContextSimilarity(base, first.similarity_), self._blocker)
        sets = [
            _with_columns(item_set, context, scale)
            for item_set, context in zip(given.item_sets, contexts, strict=True)
        ]
        both = Stacked((base, Scaled(seen, scale)))
        return Stage(Examples(sets, given.truths), both, first)

    def _given(self, examples: Examples, featurizer: Featurizer) -> Examples:
        """Compute the features of all item sets once, for all stages and folds."""
        sets = []
        for number, item_set in enumerate(examples.item_sets):
            with located(f"item set {number}"):
                sets.append(with_features(item_set, featurizer, self._blocker(item_set)))
        return Examples(sets, examples.truths)

    def _refuse_what_does_not_fit(self) -> None:
        for name, learner in (("learner", self.learner), ("first", self.first)):
            if not isinstance(learner, Learner) and (name == "learner" or learner is not None):
                raise InputError(
                    f"{name} is {learner!r}; give a learner such as PairwiseClustering()"
                )
        if "featurizer" not in self.learner.get_params(deep=False):
            raise InputError(
                f"{type(self.learner).__name__} has no featurizer, so that it cannot learn from "
                "further features; give a learner that has one, such as PairwiseClustering()"
            )
        as_whole("n_folds", self.n_folds, 2)
        as_whole("random_state", self.random_state)

    @property
    def _first(self) -> Learner:
        if self.first is not None:
            first: Learner = clone(self.first)
            return first
        return scaled_logistic()

    @property
    def _second(self) -> Learner:
        """The learner, unfitted, for item sets of pair features."""
        learner: Learner = clone(self.learner)
        # Left to itself, it adds the constant that it did not get from its own featurizer.
        learner.set_params(featurizer=None if learner.featurizer is None else GivenFeatures())
        if "blocker" in learner.get_params(deep=False):
            learner.set_params(blocker=None)
        return learner

    @property
    def _featurizer(self) -> Featurizer:
        own: Any = self.learner
        return GivenFeatures() if own.featurizer is None else own._featurizer  # noqa: SLF001

    @property
    def _blocker(self) -> Blocker:
        return self.learner._blocker  # noqa: SLF001

    @property
    def _predictor(self) -> Clusterer:
        return self.learner_._predictor  # noqa: SLF001


def cross_fitted_scores(
    first: Learner, given: Examples, n_folds: int, random_state: int
) -> list[PairScores]:
    """Score the pairs of each item set by a learner that was fitted without them."""
    has_pairs = np.array([item_set.items.features.shape[0] > 0 for item_set in given.item_sets])
    if np.count_nonzero(has_pairs) < 2:
        both = zip(*given, strict=True)
        return [_scored_by_parts(first, *each, n_folds, random_state) for each in both]
    scored: dict[int, PairScores] = {}
    odds = log_odds(given)
    for fold in _folds(has_pairs, n_folds, random_state):
        rest = subset_examples(given, complement(len(has_pairs), fold))
        similarity, gap = _fitted(first, rest).similarity_, odds - log_odds(rest)
        for number in fold.tolist():
            own = similarity.pair_scores(given.item_sets[number], None)
            scored[number] = PairScores(own.n_items, own.listed, own.scores + gap)
    return [scored[number] for number in range(len(scored))]


def log_odds(given: Examples) -> float:
    """Return the log-odds of a pair to be together, half a pair added to either side."""
    together = [
        truth.together(item_set.items.pairs) for item_set, truth in zip(*given, strict=True)
    ]
    n_pairs, n_together = sum(map(len, together)), sum(map(np.count_nonzero, together))
    return float(np.log((n_together + 0.5) / (n_pairs - n_together + 0.5)))


def _folds(has_pairs: Bools, n_folds: int, random_state: int) -> list[Ints]:
    """Divide the numbers of item sets at random, those with pairs evenly."""
    drawn = np.random.default_rng(random_state).permutation(np.flatnonzero(has_pairs))
    order = np.concatenate([drawn, np.flatnonzero(~has_pairs)])
    n_parts = min(n_folds, len(drawn))
    return [order[part::n_parts] for part in range(n_parts)]


def _scored_by_parts(
    first: Learner, item_set: ItemSet, truth: Partition, n_folds: int, random_state: int
) -> PairScores:
    """Score the pairs of one item set by learners that were fitted without one of their items."""
    pairs = item_set.items.pairs
    ends = all_pairs(len(item_set)) if pairs is None else pairs
    n_parts = min(n_folds, truth.n_clusters)
    if n_parts < 2:  # there is nothing to fit to without them
        return PairScores(len(item_set), pairs, np.zeros(len(ends)))
    parts = assign_parts(truth, n_parts, random_state)
    scores, odds = np.zeros(len(ends)), log_odds(Examples([item_set], [truth]))
    for part in range(n_parts):
        others, of_others = subset_items(item_set, truth, np.flatnonzero(parts != part))
        rest = Examples([others], [of_others])
        similarity, gap = _fitted(first, rest).similarity_, odds - log_odds(rest)
        # Half a score for each of the two items that the learner was fitted without.
        shares = 0.5 * np.count_nonzero(parts[ends] == part, axis=1)
        scores += shares * (similarity(item_set, None) + gap)
    return PairScores(len(item_set), pairs, scores)


def _fitted(learner: Learner, examples: Examples) -> Learner:
    """Fit a copy; where the user ends that, all ends."""
    copy: Learner = clone(learner)
    with uninterrupted():
        return copy.fit(*examples)


def _deviations(contexts: Sequence[Floats]) -> Floats:
    """Return the standard deviation of each column over all pairs, and 1 in place of 0."""
    rows = np.vstack(contexts)
    deviations: Floats = rows.std(axis=0) if len(rows) else np.zeros(rows.shape[1])
    return np.where(deviations > CONSTANT, deviations, 1.0)


def _with_columns(item_set: ItemSet, context: Floats, scale: Floats) -> ItemSet:
    """Put the context beside the features of pairs that an item set comes with."""
    given: PairFeatures = item_set.items
    features = stack([given.features, ScaledFeatures(context, scale)])
    return replace(item_set, items=replace(given, features=features))
