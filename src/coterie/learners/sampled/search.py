"""The automatic choice from a sample of pairs: a fraction of the work of learning from all."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import islice
from math import inf, isinf
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import numpy as np
from joblib import cpu_count
from threadpoolctl import threadpool_limits

from coterie._core.arrays import Bools, Floats, Ints
from coterie._core.compilation import Deadline
from coterie._core.progress import report
from coterie._types import Clusterer
from coterie.clusterers import AverageLinkage
from coterie.clusterers.thresholds import lower_missing_score, subtract_threshold
from coterie.features.given import GivenFeatures
from coterie.learners.auto.candidates import SizeLimit
from coterie.learners.auto.choice import (
    ChosenLearner,
    HeldOutScores,
    Result,
    Tried,
    choose_simplest,
    sign_of,
    standard_error,
)
from coterie.learners.auto.decoding import measure_rules
from coterie.learners.auto.families import Family
from coterie.learners.auto.plan import ValidationPlan
from coterie.learners.sampled import logistic
from coterie.learners.sampled.efforts import SAMPLED
from coterie.learners.sampled.folds import ItemFolds
from coterie.learners.sampled.pools import PairPool, PairSample, count_hard
from coterie.learners.sampled.scorers import PairScorer, log_loss
from coterie.learners.sampled.settings import LearningSettings
from coterie.similarities.base import shift_similarity

T = TypeVar("T")

MANY_TIMES = 10
"""The ratio of similar pairs to those that fit into a sample from which on there is a pilot. Below,
equal chances are better, because the weights of pairs then differ less."""

PILOT_C = 0.01
"""The weight of the loss of the learner that finds the hardest pairs."""


class TunedFamily(NamedTuple):
    """A family, the setting that is best on held-out pairs, and its scorer of each fold."""

    family: Family
    setting: Any
    scorers: list[PairScorer]
    seconds: float


class FamilyRule(NamedTuple):
    """The best clusterer and threshold of a family, and its results on held-out entities."""

    clusterer: Clusterer
    threshold: float
    mean: float
    values: Floats


@dataclass(eq=False)
class SampleSearch:
    """Learns from a sample of pairs with several families of learners, and chooses one.

    First, each family is fitted to the sample without each fold, for several settings, such as
    penalties. The setting with the least log loss of held-out pairs is chosen. Then all candidate
    pairs are scored, each by a learner that has not seen one of its items. The families, and the
    thresholds of the clusterer, are compared by the metric of the clusters of these scores.

    Parameters
    ----------
    pool
        The candidate pairs.
    labels
        The entity of each item, counted across all sets.
    plan
        The folds; without folds, nothing is compared.
    families
        The families to compare, the simplest first.
    settings
        The settings of learning; the effort is one that learns from a sample.
    """

    pool: PairPool
    labels: Ints
    plan: ValidationPlan
    families: Sequence[Family]
    settings: LearningSettings
    _start: float = field(default_factory=monotonic, init=False)

    def run(self, is_similar: Bools) -> ChosenLearner:
        """Choose a family and fit it to a sample of the pairs.

        `is_similar` tells for each pair whether a blocking key finds it.
        """
        with threadpool_limits(1, "blas"):
            sample = self._sample(is_similar)
            if not self.plan.folds:
                return self._unmeasured(sample)
            folds = ItemFolds.of(self.plan, self.pool)
            tuned = self._tune(sample, folds)
            scores = self._score(tuned, folds)
            rules = [self._best_rule(values) for values in scores]
            return self._choose(sample, tuned, scores, rules)

    def _sample(self, is_similar: Bools) -> PairSample:
        """Draw a sample; if there are many similar pairs, draw another one of the hardest.

        The pairs apart that a first learner takes for pairs together decide where clusters end, and
        a sample in which all similar pairs have the same chance has too few of them.
        """
        effort, together = SAMPLED[self.settings.effort], self.pool.together
        n_pairs = effort.n_pairs(len(self.pool))
        sample = self.pool.sample(is_similar, n_pairs, self.settings.random_state)
        n_similar = np.count_nonzero(is_similar & ~together)
        if not effort.has_pilot or n_similar <= MANY_TIMES * count_hard(together, n_pairs):
            return sample
        if sample.together.all() or not sample.together.any():
            return sample
        (pilot,) = logistic.fit(sample, self.labels, (PILOT_C,), self.settings.random_state)
        scores = np.empty(len(self.pool))
        for rows, matrix in self.pool.comparison.blocks():
            scores[rows] = pilot(matrix)
        # The chance of a pair grows like the square root of its odds, as long as these are below 1.
        chances = np.exp(0.5 * np.minimum(scores, 0.0))
        return self.pool.sample_by(chances, n_pairs, self.settings.random_state)

    @property
    def _deadline(self) -> Deadline:
        budget = self.settings.budget
        return Deadline(self._start, inf if budget is None else budget)

    def _tune(self, sample: PairSample, folds: ItemFolds) -> list[TunedFamily]:
        """Fit each family without each fold, and choose the best of its settings."""
        parts = [folds.training_sample(sample, fold) for fold in range(len(folds))]
        tuned: list[TunedFamily] = []
        for family in self.families:
            start = monotonic()
            if tuned and self._deadline.has_passed():
                break
            path = _path(family, self.settings.effort)
            by_fold = self._map(partial(self._fit, family, path), parts)
            by_setting = list(zip(*by_fold, strict=True))
            index = 0
            if len(path) > 1:
                losses = [
                    log_loss(folds.held_out_scores(scorers, sample.matrix, sample.ends), sample)
                    for scorers in by_setting
                ]
                index = int(np.argmin(losses))
            seconds = monotonic() - start
            tuned.append(TunedFamily(family, path[index], list(by_setting[index]), seconds))
            report("learn", len(tuned), len(self.families), family.name)
        return tuned

    def _score(self, tuned: Sequence[TunedFamily], folds: ItemFolds) -> list[Floats]:
        """Score all pairs by each family, with learners that have not seen one of the items."""
        scores = [np.empty(len(self.pool)) for _ in tuned]

        def score(block: tuple[Ints, Any]) -> None:
            rows, matrix = block
            for values, candidate in zip(scores, tuned, strict=True):
                ends = self.pool.ends[rows]
                values[rows] = folds.held_out_scores(candidate.scorers, matrix, ends)

        blocks = self.pool.comparison.blocks()
        # No more blocks are in memory than are scored at the same time.
        while several := list(islice(blocks, self.settings.n_jobs)):
            list(self._map(score, several))
        return scores

    def _best_rule(self, scores: Floats) -> FamilyRule:
        """Return the best clusterer and threshold by the metric on held-out entities."""
        sign = sign_of(self.settings.metric)
        measured = measure_rules(
            _clusterers(self.settings.limit),
            self.pool.set_scores(scores),
            self.pool.truths,
            self.settings.metric,
            self.settings.limit,
        )
        rules = [
            FamilyRule(clusterer, threshold, float(row[0]), row[1:])
            for clusterer, thresholds, table in measured
            for threshold, row in zip(thresholds, table, strict=True)
        ]
        return max(rules, key=lambda rule: sign * rule.mean)

    def _choose(
        self,
        sample: PairSample,
        tuned: Sequence[TunedFamily],
        scores: Sequence[Floats],
        rules: Sequence[FamilyRule],
    ) -> ChosenLearner:
        sign = sign_of(self.settings.metric)
        results = [
            Result(candidate.family.name, rule.mean, rule.values)
            for candidate, rule in zip(tuned, rules, strict=True)
        ]
        index, reason = choose_simplest(results, sign)
        if len(tuned) == 1:
            only = "was requested" if len(self.families) == 1 else "there was time to measure"
            reason = f"it is the only one that {only}"
        best = max(results, key=lambda result: sign * result.mean)
        table = [_row(candidate, rule, best) for candidate, rule in zip(tuned, rules, strict=True)]
        rule = rules[index]
        (scorer,) = self._fit(tuned[index].family, [tuned[index].setting], sample)
        set_scores = self.pool.set_scores(scores[index])
        held_out = [
            HeldOutScores(number, truth, subtract_threshold(values, rule.threshold))
            for number, (truth, values) in enumerate(zip(self.pool.truths, set_scores, strict=True))
            if len(truth) > 1
        ]
        return ChosenLearner(
            shift_similarity(scorer.similarity(GivenFeatures()), rule.threshold),
            lower_missing_score(rule.clusterer, rule.threshold),
            [*table, *self._late(len(tuned))],
            table[index],
            reason,
            held_out,
            monotonic() - self._start,
        )

    def _late(self, n_tuned: int) -> list[Tried]:
        """Return the rows of the families that there was no time for."""
        return [
            Tried(
                family.name,
                False,
                status=f"not tried: the budget of {self.settings.budget:g} s was used up",
            )
            for family in self.families[n_tuned:]
        ]

    def _unmeasured(self, sample: PairSample) -> ChosenLearner:
        """Fit the simplest family with its last setting, where nothing can be held out."""
        family = self.families[0]
        clusterer = _clusterers(self.settings.limit)[0]
        (scorer,) = self._fit(family, _path(family, self.settings.effort)[-1:], sample)
        row = Tried(family.name, False, clusterer, 0.0, status=f"not measured: {self.plan.reason}")
        others = [
            Tried(other.name, False, status=f"not tried: {self.plan.reason}")
            for other in self.families[1:]
        ]
        similarity = scorer.similarity(GivenFeatures())
        reason = "there are too few examples to compare learners"
        seconds = monotonic() - self._start
        return ChosenLearner(similarity, clusterer, [row, *others], row, reason, [], seconds)

    def _fit(self, family: Family, path: Sequence[Any], sample: PairSample) -> list[PairScorer]:
        fit: Callable[..., list[PairScorer]] = _module(family).fit
        return fit(sample, self.labels, path, self.settings.random_state)

    def _map(self, function: Callable[[Any], T], arguments: Iterable[Any]) -> Iterable[T]:
        """Apply a function in threads: the loops inside release the interpreter's lock."""
        n_threads = min(self.settings.n_jobs, cpu_count())
        if n_threads == 1:
            return map(function, arguments)
        with ThreadPoolExecutor(n_threads) as threads:
            return list(threads.map(function, arguments))


def _row(candidate: TunedFamily, rule: FamilyRule, best: Result) -> Tried:
    n_rounds = candidate.setting if isinstance(candidate.setting, int) else None
    error = standard_error(rule.values - best.values)
    return Tried(
        candidate.family.name,
        False,
        lower_missing_score(rule.clusterer, rule.threshold),
        rule.threshold,
        n_rounds,
        None,
        rule.mean,
        error,
        candidate.seconds,
    )


def _clusterers(limit: SizeLimit | None) -> list[Clusterer]:
    """Return the clusterers to compare; the first is the default."""
    if limit is None:
        return [AverageLinkage()]
    limited = AverageLinkage(max_size=limit.max_size)
    return [limited] if isinf(limit.n_clusters) else [limited, AverageLinkage()]


def _path(family: Family, effort: str) -> tuple[Any, ...]:
    paths = _module(family).PATHS
    path: tuple[Any, ...] = paths[effort] if effort in paths else paths["normal"]
    return path


def _module(family: Family) -> Any:
    return import_module(f"coterie.learners.{family.sample_module}")
