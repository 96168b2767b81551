"""The search of the automatic choice: candidates and the scores they reach on held-out data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from threadpoolctl import threadpool_limits

from coterie._core.arrays import Floats
from coterie._core.compilation import NEVER, Deadline
from coterie._core.progress import report, uninterrupted
from coterie._types import Clusterer
from coterie.clusterers.thresholds import lower_missing_score, subtract_threshold
from coterie.exceptions import located
from coterie.learners.auto.candidates import Candidate, Setup, Variant
from coterie.learners.auto.choice import HeldOutScores, is_tie, sign_of
from coterie.learners.auto.decoding import MeasuredClusterer, measure_rules
from coterie.learners.auto.plan import Fold, HeldOut, ValidationPlan, pool_scores
from coterie.learners.base import Learner
from coterie.learners.workers import call_all
from coterie.pairs import PairScores
from coterie.similarities.base import shift_similarity


class DecisionRule(NamedTuple):
    """One way to predict with a candidate.

    `variant` is the index of the variant among those of the candidate, and `length` the value of
    its path parameter. `is_default` says that the clusterer and the threshold are the defaults.
    """

    variant: int
    length: int | None
    clusterer: Clusterer
    threshold: float
    is_default: bool


class Validation(NamedTuple):
    """The results of a candidate on held-out item sets, for each of its decision rules.

    `means` has the mean of the metric for each rule. `values` has one row per rule with the metric
    of each held-out set, or, if there is a single set, the pseudo-values of the jackknife. `scores`
    has the held-out scores by variant and length.
    """

    rules: list[DecisionRule]
    means: Floats
    values: Floats
    scores: dict[tuple[int, int | None], list[PairScores]]
    seconds: float


class SelectedRule(NamedTuple):
    """The decision rule selected for a candidate, and its results on held-out item sets."""

    rule: DecisionRule
    mean: float
    values: Floats


@dataclass(eq=False)
class CandidateSearch:
    """The candidates and their validation so far; each candidate is validated once.

    Parameters
    ----------
    setup
        The settings that all candidates share.
    plan
        The folds, and the examples to which the choice is fitted.
    candidates
        The candidates to choose from, the simplest first.
    metric
        A metric of `coterie.metrics`.
    n_jobs
        Number of processes.
    deadline
        After it has passed, no fold is begun, except for the first candidate.
    """

    setup: Setup
    plan: ValidationPlan
    candidates: Sequence[Candidate]
    metric: Callable[..., Any]
    n_jobs: int = 1
    deadline: Deadline = NEVER
    validated: dict[Candidate, Validation] = field(default_factory=dict, init=False)
    unfinished: dict[Candidate, int] = field(default_factory=dict, init=False)
    """The candidates that the deadline interrupted, with the number of their finished folds."""

    @property
    def sign(self) -> float:
        """1 where a higher value of the metric is better, else −1."""
        return sign_of(self.metric)

    @property
    def simplest(self) -> Candidate:
        """The first candidate."""
        return self.candidates[0]

    def run(self, candidates: Sequence[Candidate], n_guaranteed: int = 0) -> None:
        """Validate candidates; the deadline does not apply to the first `n_guaranteed`."""
        pending = [candidate for candidate in candidates if candidate not in self.validated]
        tasks = [(candidate, fold) for candidate in pending for fold in self.plan.folds]
        deadlines = {
            candidate: NEVER if rank < n_guaranteed else self.deadline
            for rank, candidate in enumerate(pending)
        }
        calls = (
            delayed(_fit_and_score)(
                self.setup, self.setup.variants(candidate), fold, deadlines[candidate]
            )
            for candidate, fold in tasks
        )
        results: dict[Candidate, list[_FoldScores]] = {candidate: [] for candidate in pending}
        folds_scores = call_all(calls, self.n_jobs)
        for n_done, ((candidate, _), fold_scores) in enumerate(
            zip(tasks, folds_scores, strict=True), 1
        ):
            if fold_scores is not None:
                results[candidate].append(fold_scores)
            if not n_done % len(self.plan.folds):  # the last fold of a candidate
                self._validate(candidate, results.pop(candidate))
            report("choose", n_done, len(tasks), str(candidate))

    def selected_rule(self, candidate: Candidate) -> SelectedRule:
        """Select the decision rule of a validated candidate.

        The best default rule, if its mean over held-out sets is within one standard error of the
        mean of the best rule; else the best rule. The standard error is that of the paired
        differences. With a single item set it is always the best rule: the rules are compared on
        the pairs of the whole item set, and their results are averages over neighbouring
        thresholds.
        """
        results = self.validated[candidate]
        means, values = self.sign * results.means, self.sign * results.values
        selected = int(np.argmax(means))
        if len(self.held_out_sets) > 1:
            defaults = [index for index, rule in enumerate(results.rules) if rule.is_default]
            default = max(defaults, key=lambda index: float(means[index]))
            gap = float(means[selected] - means[default])
            if is_tie(gap, values[selected] - values[default]):
                selected = default
        return SelectedRule(
            results.rules[selected], float(results.means[selected]), results.values[selected]
        )

    def rule(self, candidate: Candidate) -> DecisionRule:
        """Return the decision rule of a candidate; the default if it was not validated."""
        if candidate in self.validated:
            return self.selected_rule(candidate).rule
        variant = self.setup.variants(candidate)[0]
        clusterer = self.setup.clusterers(variant)[0]
        return DecisionRule(0, variant.lengths[0], clusterer, 0.0, is_default=True)

    def fit(self, candidate: Candidate) -> tuple[Learner, Any, Clusterer]:
        """Fit a candidate to all item sets, by its decision rule.

        Returns the learner, its similarity minus the threshold, and the clusterer.
        """
        rule = self.rule(candidate)
        variant = self.setup.variants(candidate)[rule.variant]
        with threadpool_limits(1, "blas"), uninterrupted():
            (learner,) = self.setup.fits(variant, self.plan.examples, [rule.length])
        return learner, shift_similarity(learner.similarity_, rule.threshold), rule.clusterer

    @property
    def held_out_sets(self) -> list[HeldOut]:
        """The item sets that occur in any fold as held out, each once."""
        held_out = [item_set for fold in self.plan.folds for item_set in fold.held_out]
        return list({item_set.set_index: item_set for item_set in held_out}.values())

    def held_out(self, candidate: Candidate) -> list[HeldOutScores]:
        """Return the scores that a candidate gave to held-out pairs, minus its threshold."""
        if candidate not in self.validated:
            return []
        rule = self.rule(candidate)
        set_scores = self.validated[candidate].scores[rule.variant, rule.length]
        return [
            HeldOutScores(
                held_out.set_index, held_out.truth, subtract_threshold(scores, rule.threshold)
            )
            for held_out, scores in zip(self.held_out_sets, set_scores, strict=True)
        ]

    def _gather(self, scores_of_folds: Sequence[list[PairScores]]) -> list[PairScores]:
        """Return the scores of each held-out item set, pooled over folds if they share the set."""
        by_set: dict[int, list[PairScores]] = {
            held_out.set_index: [] for held_out in self.held_out_sets
        }
        for fold, fold_scores in zip(self.plan.folds, scores_of_folds, strict=True):
            for held_out, scores in zip(fold.held_out, fold_scores, strict=True):
                by_set[held_out.set_index].append(scores)
        if self.plan.holds_out_entities:
            return [pool_scores(set_scores) for set_scores in by_set.values()]
        return [set_scores[0] for set_scores in by_set.values()]

    def _validate(self, candidate: Candidate, results: list["_FoldScores"]) -> None:
        """Evaluate all decision rules of a candidate on the scores of all folds."""
        if len(results) < len(self.plan.folds):
            self.unfinished[candidate] = len(results)
            return
        start = monotonic()
        rules, means, values, scores = [], [], [], {}
        variants = self.setup.variants(candidate)
        for key in results[0].scores:
            scores[key] = self._gather([fold_scores.scores[key] for fold_scores in results])
            evaluations = self._evaluate(variants[key[0]], scores[key])
            for rank, (clusterer, thresholds, table) in enumerate(evaluations):
                rules += [
                    DecisionRule(
                        *key,
                        lower_missing_score(clusterer, threshold),
                        threshold,
                        is_default=rank == 0 and threshold == 0.0,
                    )
                    for threshold in thresholds
                ]
                means.append(table[:, 0])
                values.append(table[:, 1:])
        seconds = sum(fold_scores.seconds for fold_scores in results) + monotonic() - start
        self.validated[candidate] = Validation(
            rules, np.concatenate(means), np.concatenate(values), scores, seconds
        )

    def _evaluate(self, variant: Variant, set_scores: list[PairScores]) -> list[MeasuredClusterer]:
        """Measure each clusterer of a variant at each threshold."""
        return measure_rules(
            self.setup.clusterers(variant),
            set_scores,
            [held_out.truth for held_out in self.held_out_sets],
            self.metric,
            self.setup.limit,
            self.n_jobs,
        )


class _FoldScores(NamedTuple):
    """The scores of the held-out sets of one fold by variant and length, and the time they took."""

    scores: dict[tuple[int, int | None], list[PairScores]]
    seconds: float


def _fit_and_score(
    setup: Setup, variants: list[Variant], fold: Fold, deadline: Deadline
) -> _FoldScores | None:
    """Fit variants to the training items of a fold and score its held-out pairs.

    Returns None if the deadline has passed.
    """
    if deadline.has_passed():
        return None
    start = monotonic()
    scores = {}
    # BLAS rounds differently with several threads, and worker processes have fewer threads: with
    # one thread the result does not depend on the number of processes.
    with (
        threadpool_limits(1, "blas"),
        uninterrupted(),
        located(f"{fold.name} held out"),
    ):
        for index, variant in enumerate(variants):
            learners = setup.fits(variant, fold.training_examples, variant.lengths)
            for length, learner in zip(variant.lengths, learners, strict=True):
                model = learner.to_model()
                scores[index, length] = [held_out.scores(model) for held_out in fold.held_out]
    return _FoldScores(scores, monotonic() - start)
