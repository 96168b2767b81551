"""The learner that compares learners on held-out data and chooses one of them."""

from collections.abc import Callable, Iterable
from math import inf, isinf
from time import monotonic
from typing import Any, Self

from joblib import cpu_count
from sklearn.utils.validation import check_is_fitted

from coterie._core.arguments import as_positive, as_whole
from coterie._core.compilation import Deadline
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.learners.auto.candidates import Candidate, Setup, SizeLimit, candidates_named
from coterie.learners.auto.choice import (
    ChosenLearner,
    HeldOutScores,
    Result,
    Tried,
    choose_simplest,
    standard_error,
)
from coterie.learners.auto.entities import EntityNames, as_entities
from coterie.learners.auto.plan import plan_validation
from coterie.learners.auto.search import CandidateSearch
from coterie.learners.base import Examples, Learner
from coterie.metrics import b_cubed, scorer
from coterie.partition import PartitionLike

INFERRED = "inferred"
"""The limit on the sizes of clusters that true clusters give evidence of."""


class AutoLearner(Learner):
    """Choose a learner, a clusterer and a threshold by cross-validation.

    Candidates are the families of learners in `coterie.learners.auto.families`, each with and
    without features of context (`WithContext`); the simplest is logistic regression of pairs.
    `table_` lists them. Each candidate is fitted to the item sets of all folds but one, and
    predicts those of the remaining fold with several clusterers and thresholds. Unless the items
    are `ordered`, no prediction depends on their order.

    The choice is the simplest candidate whose mean over held-out item sets is within one standard
    error of the best, or within 0.001. The standard error is that of the paired differences to the
    best candidate, because some item sets are harder than others for every candidate.

    What is held out depends on the data:

    - With five item sets or more, whole item sets are held out. If `fit` gets the entities that
      item sets share, the entities of the held-out sets are also removed from the training sets.
      If less than half of the training items remain, entities are held out as below.
    - A single item set of at least 50 clusters is divided at random into five parts, without
      splitting any cluster. Two to four item sets of at least 50 entities are divided in the same
      way if `fit` gets the entities. A candidate is fitted without the items of one part, and
      scores all pairs with at least one of these items. The scores of all parts are combined into
      scores of whole item sets, on which clusterers and thresholds are compared. (A part by itself
      would have fewer records of other entities than a whole item set, so that candidates that
      join too much would seem good.) Context is not tried.
    - With less data nothing is held out, and nothing is compared: the choice is logistic regression
      at threshold 0, with average linkage or, if the items are ordered, left-linking.

    Context is tried with logistic regression and with the best family, and with the other families
    only if it helped one of these. Above half a million pairs there are at most three folds. The
    table gives the reason for each candidate that was not tried.

    Parameters
    ----------
    metric
        The metric to optimise: one of `coterie.metrics` (F1 if it has three parts), or a function
        of the true and the predicted partition with an attribute `greater_is_better`.
    budget
        Seconds after which no further fold is begun; None means no limit. Seconds in which
        functions are compiled do not count. The simplest candidate is always validated, and the
        final fit takes additional time. With a budget, the choice depends on the speed of the
        machine.
    n_folds
        Number of folds into which the item sets are divided.
    featurizer
        Computes the features of pairs; None means the pair features of the item sets, or products
        of their item vectors.
    blocker
        Chooses the candidate pairs; None means all pairs.
    candidates
        Names of the candidates to compare, such as "boosted pairs" and "boosted pairs with
        context"; None means all candidates.
    n_jobs
        Number of processes; at most one per processor is used. The result does not depend on it.
    random_state
        Seed of all random draws.

    Attributes
    ----------
    table_
        One `Tried` per candidate, the simplest first.
    choice_
        The row of the chosen candidate.
    reason_
        Why it was chosen.
    learner_
        The chosen learner, fitted to all item sets, without the threshold and the clusterer.
    similarity_
        The similarity of `learner_`, minus the threshold.
    held_out_
        For each held-out item set, the scores that the choice gave to its pairs when it was fitted
        without them, minus the threshold; empty if nothing was held out.
    seconds_
        Seconds that `fit` took.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> sets, truths = make_item_sets()
    >>> learner = AutoLearner().fit(sets[:3], truths[:3])
    >>> learner.choice_.name
    'logistic regression'
    >>> learner.choice_.status
    'not measured: needs at least 5 item sets (got 3) or 50 entities (got 14)'
    """

    table_: list[Tried]
    choice_: Tried
    learner_: Learner
    held_out_: list[HeldOutScores]
    seconds_: float
    reason_: str

    def __init__(
        self,
        metric: Callable[..., Any] = b_cubed,
        budget: float | None = None,
        n_folds: int = 5,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        candidates: Iterable[str] | None = None,
        n_jobs: int = 1,
        random_state: int = 0,
    ) -> None:
        self.metric = metric
        self.budget = budget
        self.n_folds = n_folds
        self.featurizer = featurizer
        self.blocker = blocker
        self.candidates = candidates
        self.n_jobs = n_jobs
        self.random_state = random_state

    def report(self) -> str:
        """Return the table of candidates, the choice and its reason as plain text."""
        return self.to_choice().report()

    def to_choice(self) -> ChosenLearner:
        """Return what was learned, and the comparison by which it was chosen."""
        check_is_fitted(self, "similarity_")
        return ChosenLearner(
            self.similarity_,
            self._chosen_clusterer,
            self.table_,
            self.choice_,
            self.reason_,
            self.held_out_,
            self.seconds_,
        )

    def fit(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        *,
        entities: Iterable[EntityNames] | None = None,
        limit: SizeLimit | str | None = INFERRED,
    ) -> Self:
        """Choose a candidate and fit it to all item sets.

        Parameters
        ----------
        item_sets
            A list of item sets, or of anything that `ItemSet` takes.
        partitions
            The correct partition of each item set: a `Partition`, or one label per item.
        entities
            For each item set, the name of the entity of each item; a name must mean the same
            entity in all item sets. Give them if the same persons, papers or digits occur in
            several item sets, but new item sets will have other ones. What a learner knows about
            an entity does not help with other entities, and only held-out entities show that. None
            means that every cluster is another entity.
        limit
            A limit on the sizes of clusters; None means none. By default, it is inferred: if the
            largest true clusters are small, joins to larger ones must score more.
        """
        self.fit_search(item_sets, partitions, entities=entities, limit=limit)
        return self

    def fit_search(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        *,
        entities: Iterable[EntityNames] | None = None,
        limit: SizeLimit | str | None = INFERRED,
    ) -> CandidateSearch:
        """Fit as `fit` does, and return the search, which can validate further candidates.

        The search holds the item sets and the results of the validated candidates.
        """
        return self._search(self._examples(item_sets, partitions), entities, limit)

    def _fit(self, examples: Examples) -> None:
        self._search(examples)

    def _search(
        self,
        examples: Examples,
        entities: Iterable[EntityNames] | None = None,
        limit: SizeLimit | str | None = INFERRED,
    ) -> CandidateSearch:
        start = monotonic()
        limit = SizeLimit.of(examples.truths) if isinstance(limit, str) else limit
        search = self._prepare_search(examples, entities, limit)
        self._choose(search, start)
        return search

    def _choose(self, search: CandidateSearch, start: float) -> None:
        """Validate the candidates, choose one, and fit it to all item sets."""
        statuses = self._validate(search)
        choice, self.reason_ = _choose_candidate(search)
        self.learner_, self.similarity_, self._chosen_clusterer = search.fit(choice)
        best = _best_candidate(search) if search.validated else None
        self.table_ = [
            _table_row(search, candidate, best, statuses.get(candidate))
            for candidate in search.candidates
        ]
        self.choice_ = self.table_[search.candidates.index(choice)]
        self.held_out_ = search.held_out(choice)
        self.seconds_ = monotonic() - start
        self._finish()

    def _prepare_search(
        self,
        examples: Examples,
        entities: Iterable[EntityNames] | None,
        limit: SizeLimit | None,
    ) -> CandidateSearch:
        """Check the parameters and plan the folds."""
        scorer(self.metric)  # type: ignore[arg-type]  # refuses metrics of unknown direction
        n_folds = as_whole("n_folds", self.n_folds, 2)
        seed = as_whole("random_state", self.random_state)
        budget = inf if self.budget is None else as_positive("budget", self.budget)
        # More processes than processors only take memory.
        n_jobs = min(as_whole("n_jobs", self.n_jobs, 1), cpu_count())
        ordered = all(item_set.ordered for item_set in examples.item_sets)
        entity_indices = as_entities(entities, examples.truths)
        plan = plan_validation(examples, entity_indices, n_folds, seed, named=entities is not None)
        # Without held-out scores, nothing says what a limit would cost.
        limit = limit if plan.folds or (limit and isinf(limit.n_clusters)) else None
        setup = Setup(self.featurizer, self.blocker, ordered, seed, limit)
        if plan.folds:
            # Bad item sets fail here, because errors in a fold would have indices within the fold.
            self._featurizer.fit(examples.item_sets)
        deadline = Deadline(monotonic(), budget)
        candidates = candidates_named(self.candidates)
        return CandidateSearch(setup, plan, candidates, self.metric, n_jobs, deadline)

    def _validate(self, search: CandidateSearch) -> dict[Candidate, str]:
        """Validate candidates, and return the statuses of the others."""
        if not search.plan.folds:
            statuses = dict.fromkeys(search.candidates, f"not tried: {search.plan.reason}")
            return statuses | {search.simplest: f"not measured: {search.plan.reason}"}
        with_context = [search.simplest._replace(context=True)]
        first = [] if search.plan.holds_out_entities else with_context
        search.run(
            [
                candidate
                for candidate in search.candidates
                if not candidate.context or candidate in first
            ],
            n_guaranteed=1,
        )
        statuses = _validate_context(search)
        for candidate, n_done in search.unfinished.items():
            n_folds = len(search.plan.folds)
            used_up = f"the budget of {self.budget:g} s was used up"
            statuses[candidate] = (
                f"not finished: {used_up} after {n_done} of {n_folds} rounds of cross-validation"
                if n_done
                else f"not tried: {used_up}"
            )
        return statuses

    @property
    def _predictor(self) -> Clusterer:
        return self._chosen_clusterer


def _validate_context(search: CandidateSearch) -> dict[Candidate, str]:
    """Validate context where it may help, and return the statuses of the other candidates."""
    if not any(candidate.context for candidate in search.candidates):
        return {}
    if search.plan.holds_out_entities:
        helped, status = False, "not tried: context needs whole item sets that can be held out"
    else:
        best = _best_candidate(search)
        with_context = best._replace(context=True)
        search.run([with_context] if with_context in search.candidates else [])
        families = " or ".join(dict.fromkeys([search.simplest.name, best.name]))
        status = f"not tried: context did not help {families}"
        helped = _may_context_help(search, search.simplest) or _may_context_help(search, best)
    pending = [
        candidate
        for candidate in search.candidates
        if candidate.context and candidate not in search.validated
    ]
    if helped:
        search.run(pending)
    return {} if helped else dict.fromkeys(pending, status)


def _may_context_help(search: CandidateSearch, candidate: Candidate) -> bool:
    """Return whether a family is better with context, or was not validated with and without it."""
    plain, with_context = (candidate._replace(context=context) for context in (False, True))
    if plain not in search.validated or with_context not in search.validated:
        return True
    gain = search.selected_rule(with_context).mean - search.selected_rule(plain).mean
    return search.sign * gain > 0


def _best_candidate(search: CandidateSearch) -> Candidate:
    """Return the best of the validated candidates, the simplest among ties."""
    validated = [candidate for candidate in search.candidates if candidate in search.validated]
    return max(validated, key=lambda candidate: search.sign * search.selected_rule(candidate).mean)


def _choose_candidate(search: CandidateSearch) -> tuple[Candidate, str]:
    """Return the simplest candidate that is as good as the best one, and the reason."""
    if not search.validated:
        return search.simplest, "there are too few examples to compare learners"
    validated = [candidate for candidate in search.candidates if candidate in search.validated]
    if len(validated) == 1:
        n_families = len({candidate.name for candidate in search.candidates})
        cause = "that was requested" if n_families == 1 else "that there was time to measure"
        return validated[0], f"it is the only one {cause}"
    results = []
    for candidate in validated:
        selected = search.selected_rule(candidate)
        results.append(Result(str(candidate), selected.mean, selected.values))
    index, reason = choose_simplest(results, search.sign)
    return validated[index], reason


def _table_row(
    search: CandidateSearch, candidate: Candidate, best: Candidate | None, status: str | None
) -> Tried:
    """Return the row of a candidate in the table."""
    if candidate not in search.validated and candidate != search.simplest:
        return Tried(*candidate, status=status or "not tried")
    rule = search.rule(candidate)
    variant = search.setup.variants(candidate)[rule.variant]
    row = Tried(
        *candidate,
        rule.clusterer,
        rule.threshold,
        rule.length,
        variant.gamma,
        status=status or "tried",
    )
    if best is None:
        return row
    results, best_results = search.selected_rule(candidate), search.selected_rule(best)
    return row._replace(
        mean=results.mean,
        standard_error=standard_error(results.values - best_results.values),
        seconds=search.validated[candidate].seconds,
    )
