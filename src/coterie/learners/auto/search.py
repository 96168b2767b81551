"""What each candidate reaches on held-out item sets, at its operating points."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from coterie._core.arrays import Floats
from coterie._core.progress import report, uninterrupted
from coterie._types import Clusterer
from coterie.clusterers.thresholds import (
    lower_missing_score,
    partitions_at,
    subtract_threshold,
    with_missing_score,
)
from coterie.exceptions import located
from coterie.learners.auto.candidates import Candidate, Setup, Variant
from coterie.learners.auto.decoding import mean_score_apart, smooth_over_thresholds, threshold_grid
from coterie.learners.auto.measure import Measure
from coterie.learners.auto.plan import Fold, HeldOut, ValidationPlan, pool_scores
from coterie.learners.base import Examples, Learner
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.similarities.base import shift_similarity

MARGIN = 0.001
"""Up to which difference candidates are level."""


class DecisionRule(NamedTuple):
    """An operating point: a variant by its number, how long it is fitted, and how it predicts."""

    variant: int
    length: int | None
    clusterer: Clusterer
    threshold: float
    default: bool


class Validation(NamedTuple):
    """What a candidate reached at each point: a mean over held-out sets, and what tells its error.

    The `values` of a point are those of each held-out set; of a single one, the pseudo-values of
    the jackknife.
    """

    points: list[DecisionRule]
    means: Floats
    values: Floats
    scored: dict[tuple[int, int | None], list[PairScores]]
    seconds: float


class HeldOutScores(NamedTuple):
    """The scores of an item set, by its number, from fits that had not seen the pairs."""

    number: int
    truth: Partition
    scores: PairScores


class SelectedRule(NamedTuple):
    """The operating point of a candidate, and what it reached on each held-out set."""

    rule: DecisionRule
    mean: float
    values: Floats


@dataclass(eq=False)
class CandidateSearch:
    """The candidates as far as they were validated; each once.

    Parameters
    ----------
    setup
        What all candidates share.
    examples
        What is fitted to in the end.
    plan
        What is held out.
    candidates
        What may be chosen, from the simplest on.
    metric
        A metric of `coterie.metrics`.
    n_jobs
        Number of processes.
    deadline
        When to begin no more folds, by `time.monotonic`; the first candidate is always done.
    """

    setup: Setup
    examples: Examples
    plan: ValidationPlan
    candidates: Sequence[Candidate]
    metric: Callable[..., Any]
    n_jobs: int = 1
    deadline: float = inf
    validated: dict[Candidate, Validation] = field(default_factory=dict, init=False)
    unfinished: dict[Candidate, int] = field(default_factory=dict, init=False)
    """How many folds were done of candidates for which there was no time."""

    @property
    def sign(self) -> float:
        """1 where a higher value of the metric is better, else −1."""
        return 1.0 if getattr(self.metric, "greater_is_better", True) else -1.0

    @property
    def simplest(self) -> Candidate:
        """The first candidate."""
        return self.candidates[0]

    def run(self, candidates: Sequence[Candidate], keep: int = 0) -> None:
        """Validate candidates; of the first `keep` all folds are done, whatever the time."""
        wanted = [each for each in candidates if each not in self.validated]
        tasks = [(each, fold) for each in wanted for fold in self.plan.folds]
        limits = {each: inf if at < keep else self.deadline for at, each in enumerate(wanted)}
        calls = (
            delayed(_fitted_and_scored)(self.setup, self.setup.variants(each), fold, limits[each])
            for each, fold in tasks
        )
        answers: dict[Candidate, list[_Scored]] = {each: [] for each in wanted}
        parallel = Parallel(self.n_jobs, return_as="generator")
        for number, ((each, _), answer) in enumerate(zip(tasks, parallel(calls), strict=True), 1):
            if answer is not None:
                answers[each].append(answer)
            if not number % len(self.plan.folds):  # the last fold of a candidate
                self._take(each, answers.pop(each))
            report("choose", number, len(tasks), str(each))

    def selected_rule(self, candidate: Candidate) -> SelectedRule:
        """Return the operating point of a candidate.

        The best over held-out sets; but the best of those with the default clusterer and threshold
        0 where that is within one standard error, of the paired differences, of it. Of a single set
        it is the best: its scores are of as many pairs as those of a new one, and what it reached
        at a threshold was averaged with what it did beside it.
        """
        found = self.validated[candidate]
        means, gains = self.sign * found.means, self.sign * found.values
        taken = int(np.argmax(means))
        if len(self.judged) > 1:
            defaults = [at for at, point in enumerate(found.points) if point.default]
            plain = max(defaults, key=lambda at: float(means[at]))
            behind = float(means[taken] - means[plain])
            taken = plain if is_level(behind, gains[taken] - gains[plain]) else taken
        return SelectedRule(found.points[taken], float(found.means[taken]), found.values[taken])

    def rule(self, candidate: Candidate) -> DecisionRule:
        """Return the operating point of a candidate, the default where it was not validated."""
        if candidate in self.validated:
            return self.selected_rule(candidate).rule
        variant = self.setup.variants(candidate)[0]
        clusterer = self.setup.clusterers(variant)[0]
        return DecisionRule(0, variant.lengths[0], clusterer, 0.0, default=True)

    def fit(self, candidate: Candidate) -> tuple[Learner, Any, Clusterer]:
        """Fit a candidate to all item sets at its operating point.

        Returns the learner, its similarity less the threshold, and the clusterer.
        """
        point = self.rule(candidate)
        variant = self.setup.variants(candidate)[point.variant]
        with threadpool_limits(1, "blas"), uninterrupted():
            (learner,) = self.setup.fits(variant, self.examples, [point.length])
        return learner, shift_similarity(learner.similarity_, point.threshold), point.clusterer

    @property
    def judged(self) -> list[HeldOut]:
        """The item sets that are judged by, whole."""
        every = [each for fold in self.plan.folds for each in fold.held_out]
        return list({each.number: each for each in every}.values())

    def held_out(self, candidate: Candidate) -> list[HeldOutScores]:
        """Return what a candidate scored of held-out pairs, less its threshold."""
        if candidate not in self.validated:
            return []
        point = self.rule(candidate)
        scored = self.validated[candidate].scored[point.variant, point.length]
        return [
            HeldOutScores(each.number, each.truth, subtract_threshold(scores, point.threshold))
            for each, scores in zip(self.judged, scored, strict=True)
        ]

    def _gathered(self, by_fold: Sequence[list[PairScores]]) -> list[PairScores]:
        """Return the scores of each item set that is judged by."""
        found: dict[int, list[PairScores]] = {each.number: [] for each in self.judged}
        for fold, scored in zip(self.plan.folds, by_fold, strict=True):
            for held_out, scores in zip(fold.held_out, scored, strict=True):
                found[held_out.number].append(scores)
        return [pool_scores(own) if self.plan.pooled else own[0] for own in found.values()]

    def _take(self, candidate: Candidate, answers: list["_Scored"]) -> None:
        """Decode what all folds scored."""
        if len(answers) < len(self.plan.folds):
            self.unfinished[candidate] = len(answers)
            return
        begun = monotonic()
        points, means, values, kept = [], [], [], {}
        variants = self.setup.variants(candidate)
        for key in answers[0].scored:
            scored = self._gathered([answer.scored[key] for answer in answers])
            kept[key] = scored
            for at, (clusterer, grid, table) in enumerate(self._decoded(variants[key[0]], scored)):
                points += [
                    DecisionRule(*key, lower_missing_score(clusterer, t), t, not (at or t))
                    for t in grid
                ]
                means.append(table[:, 0])
                values.append(table[:, 1:])
        seconds = sum(answer.seconds for answer in answers) + monotonic() - begun
        self.validated[candidate] = Validation(
            points, np.concatenate(means), np.concatenate(values), kept, seconds
        )

    def _decoded(
        self, variant: Variant, scored: list[PairScores]
    ) -> list[tuple[Clusterer, list[float], Floats]]:
        """Measure each clusterer at each threshold: a mean over sets, and what tells its error."""
        truths = [each.truth for each in self.judged]
        absent = mean_score_apart(scored, truths)
        grid = threshold_grid(scored, truths)
        alone = len(truths) == 1
        clusterers = [with_missing_score(each, absent) for each in self.setup.clusterers(variant)]
        measures = [Measure(self.metric, truth, alone) for truth in truths]
        calls = (
            delayed(_measured)(clusterers, scores, grid, measure)
            for scores, measure in zip(scored, measures, strict=True)
        )
        each = list(Parallel(self.n_jobs)(calls))
        means = np.mean([one[..., :1] for one in each], axis=0)
        by_set = np.concatenate([means, *(one[..., 1:] for one in each)], axis=-1)
        reached = smooth_over_thresholds(by_set) if alone else by_set
        return [(clusterer, grid.tolist(), reached[at]) for at, clusterer in enumerate(clusterers)]


class _Scored(NamedTuple):
    """The scores of the held-out sets of one fold by variant and length, and the time it took."""

    scored: dict[tuple[int, int | None], list[PairScores]]
    seconds: float


def is_level(behind: float, differences: Floats) -> bool:
    """Tell whether what is behind the best, in the mean, is within one standard error of it.

    It is the standard error of the differences, set by set: that sets differ says nothing. A
    thousandth is level whatever its error: nothing so small is worth less simplicity.
    """
    return behind <= max(standard_error(differences), MARGIN)


def standard_error(values: Floats) -> float:
    """Return the standard error of a mean; 0 of a single value."""
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0


def _fitted_and_scored(
    setup: Setup, variants: list[Variant], fold: Fold, deadline: float
) -> _Scored | None:
    """Fit to what a fold leaves, and score what it holds out; nothing after the deadline."""
    begun = monotonic()
    if begun > deadline:
        return None
    scored = {}
    # Sums by several threads of BLAS are rounded in another way, and processes have fewer of them.
    with (
        threadpool_limits(1, "blas"),
        uninterrupted(),
        located(f"{fold.name} held out"),
    ):
        for number, variant in enumerate(variants):
            fits = setup.fits(variant, fold.fitted_to, variant.lengths)
            for length, fitted in zip(variant.lengths, fits, strict=True):
                model = fitted.to_model()
                scored[number, length] = [each.scores(model) for each in fold.held_out]
    return _Scored(scored, monotonic() - begun)


def _measured(
    clusterers: list[Clusterer],
    scores: PairScores,
    thresholds: Floats,
    measure: Measure,
) -> Floats:
    """Return what is measured of each clusterer (rows) at each threshold (columns) on one set."""
    return np.array(
        [
            [measure(each) for each in partitions_at(clusterer, scores, thresholds)]
            for clusterer in clusterers
        ]
    )
