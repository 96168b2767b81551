"""The learner that chooses for the user: family, context, clusterer and operating point."""

from collections.abc import Callable, Iterable
from math import inf
from time import monotonic
from typing import Any, NamedTuple, Self

from sklearn.utils.validation import check_is_fitted

from coterie._core.arguments import as_positive, as_whole
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.learners.auto.candidates import Candidate, Setup, candidates_named, size_bound
from coterie.learners.auto.entities import EntityNames, as_entities
from coterie.learners.auto.plan import plan_validation
from coterie.learners.auto.search import CandidateSearch, HeldOutScores, is_level, standard_error
from coterie.learners.auto.text import format_table
from coterie.learners.base import Examples, Learner, as_examples
from coterie.metrics import b_cubed, scorer
from coterie.partition import PartitionLike


class Tried(NamedTuple):
    """What became of a candidate: a row of the table.

    `mean` is that of the metric over held-out item sets, at the candidate's own operating point:
    clusterer, threshold and number of rounds (or passes) that did best there; where there is a
    single set, over the thresholds around it too. `standard_error` is that of the difference to the
    best candidate, set by set (by the jackknife over clusters where there is a single set), and 0
    of the best itself.
    """

    name: str
    context: bool
    clusterer: Clusterer | None = None
    threshold: float | None = None
    n_rounds: int | None = None
    gamma: float | None = None
    mean: float | None = None
    standard_error: float | None = None
    seconds: float = 0.0
    status: str = "tried"


class AutoLearner(Learner):
    """Choose a learner, its operating point and a clusterer by what they reach on held-out sets.

    Candidates are the families of learners in `coterie.learners.auto.families`, from logistic
    regression of pairs, the simplest, on, each without features of context and with them
    (`WithContext`); `table_` lists them. Each is fitted to the sets of all folds but one, and
    predicts those of that one by each clusterer, with several thresholds taken from the scores.
    Items that are not `ordered` are never predicted by what depends on their order.

    The choice is the simplest candidate whose mean over held-out sets is within one standard error,
    or within a thousandth, of the best. It is the standard error of the differences, set by set, to
    the best: that some sets are harder than others is no doubt about which candidate is better.

    With fewer than five item sets nothing can be chosen so, and a choice would do harm: it is
    logistic regression with threshold 0, and average linkage, or left-linking of ordered items. But
    the clusters of a single item set, if they are 50 or more, are divided at random into five
    parts, and so are those of a few item sets whose entities `fit` is told. Candidates are
    fitted without the items of one part, and score the pairs with at least one of these items. All
    such scores together are those of whole item sets, by which candidates are judged at their
    operating points. (A part as an item set of its own would have fewer strangers than the whole,
    and what joins too much would do well on it.) None has context, which would be learned from too
    little.

    Where `fit` is told the entities that item sets share, candidates are fitted without those of
    the sets that are held out. If that leaves less than half of the items, then the entities are
    divided into parts, as the clusters of a single set are; and if there are fewer than 50, item
    sets tell as little of new entities as one set does, and nothing is chosen.

    Context is tried with logistic regression and with the best family, and with the others only
    where it helped one of these; above half a million pairs there are at most three folds. The
    table says what was not tried, and why.

    Parameters
    ----------
    metric
        What is to be high, or low: a metric of `coterie.metrics` (of three-part scores the F1
        counts), or a function of truth and predicted partition with `greater_is_better`.
    budget
        Seconds after which no further fold is begun, None for no limit. The simplest candidate is
        always done, and the last fit comes on top. What is chosen then depends on the machine.
    n_folds
        How many parts the item sets are divided into.
    featurizer
        Computes the features of pairs. None takes those of the item sets.
    blocker
        Says which pairs are looked at; None stands for all.
    candidates
        The names of those to choose from, such as "boosted pairs" and "boosted pairs with context";
        None stands for all of them.
    n_jobs
        Number of processes. The result does not depend on it.
    random_state
        Seed of all that is drawn.

    Attributes
    ----------
    table_
        One `Tried` a candidate, in the order of simplicity.
    choice_
        The row of the choice.
    reason_
        Why it was chosen.
    learner_
        The chosen learner, fitted to all item sets; it knows neither threshold nor clusterer.
    similarity_
        Its similarity, less the threshold.
    held_out_
        Of each item set that was judged by, the scores that the choice gave its pairs when it had
        not seen them, less the threshold; empty where nothing was held out.
    seconds_
        How long all took.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> sets, truths = make_item_sets()
    >>> learner = AutoLearner().fit(sets[:3], truths[:3])
    >>> learner.choice_.name
    'logistic regression'
    >>> learner.choice_.status
    'not validated: 3 item sets, fewer than 5, of 14 entities, fewer than 50'
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
        """Return in plain text what was tried, the time it took, and the choice with its reason."""
        check_is_fitted(self, "similarity_")
        return format_table(self.table_, self.choice_, self.reason_, self.seconds_)

    def fit(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        *,
        entities: Iterable[EntityNames] | None = None,
    ) -> Self:
        """Choose, and learn from all item sets.

        Parameters
        ----------
        item_sets
            A list of item sets, or of anything that `ItemSet` takes.
        partitions
            The correct partition of each: a `Partition`, or one label an item.
        entities
            For each item set what its items are of, one name an item, which means the same in all
            item sets. To be given where the same persons, papers or digits are found in several
            item sets but new item sets will be of others: what was learned of one entity then helps
            with no other, and only held-out entities tell that. None takes every cluster for an
            entity of its own.
        """
        self.fit_search(item_sets, partitions, entities=entities)
        return self

    def fit_search(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        *,
        entities: Iterable[EntityNames] | None = None,
    ) -> CandidateSearch:
        """Fit, and return the search behind the choice, which can go on with other candidates.

        The arguments are those of `fit`. The search holds the item sets and what was validated.
        """
        return self._search(as_examples(item_sets, partitions), entities)

    def _fit(self, examples: Examples) -> None:
        self._search(examples)

    def _search(
        self, examples: Examples, entities: Iterable[EntityNames] | None = None
    ) -> CandidateSearch:
        begun = monotonic()
        search = self._begin(examples, entities)
        self._choose(search, begun)
        return search

    def _choose(self, search: CandidateSearch, begun: float) -> None:
        """Validate what the rule asks for, choose, and fit the choice to all item sets."""
        why_not = self._validate(search)
        chosen, self.reason_ = _choice(search)
        self.learner_, self.similarity_, self._chosen_clusterer = search.fit(chosen)
        best = _best(search) if search.validated else None
        self.table_ = [_row(search, each, best, why_not.get(each)) for each in search.candidates]
        self.choice_ = self.table_[search.candidates.index(chosen)]
        self.held_out_ = search.held_out(chosen)
        self.seconds_ = monotonic() - begun
        self._finish()

    def _begin(
        self, examples: Examples, entities: Iterable[EntityNames] | None = None
    ) -> CandidateSearch:
        """Check what is given, and set up the search."""
        scorer(self.metric)  # type: ignore[arg-type]  # refuses what does not tell its direction
        n_folds = as_whole("n_folds", self.n_folds, 2)
        seed = as_whole("random_state", self.random_state)
        budget = inf if self.budget is None else as_positive("budget", self.budget)
        n_jobs = as_whole("n_jobs", self.n_jobs, 1)
        ordered = all(each.ordered for each in examples.item_sets)
        numbers = as_entities(entities, examples.truths)
        plan = plan_validation(examples, numbers, n_folds, seed, named=entities is not None)
        bound = size_bound(examples.truths) if plan.folds else None
        setup = Setup(self.featurizer, self.blocker, ordered, seed, bound)
        if plan.folds:
            self._featurizer.fit(examples.item_sets)  # an error has the number of the set
        deadline = monotonic() + budget
        wanted = candidates_named(self.candidates)
        return CandidateSearch(setup, examples, plan, wanted, self.metric, n_jobs, deadline)

    def _validate(self, search: CandidateSearch) -> dict[Candidate, str]:
        """Validate the candidates, and say of those that are not why."""
        if not search.plan.folds:
            why = dict.fromkeys(search.candidates, f"not tried: {search.plan.why}")
            return why | {search.simplest: f"not validated: {search.plan.why}"}
        first = [] if search.plan.pooled else [search.simplest._replace(context=True)]
        plain = [each for each in search.candidates if not each.context or each in first]
        search.run(plain, keep=1)
        why_not = _validate_context(search)
        for each, done in search.unfinished.items():
            used = f"not tried: the budget of {self.budget:g} s was used up"
            why_not[each] = f"{used} after {done} of {len(search.plan.folds)} folds"
        return why_not

    @property
    def _predictor(self) -> Clusterer:
        return self._chosen_clusterer


def _validate_context(search: CandidateSearch) -> dict[Candidate, str]:
    """Validate context where it may help, and say of the families where it is not tried why."""
    if not any(each.context for each in search.candidates):
        return {}
    if not search.plan.pooled:
        top = _best(search)
        search.run([each for each in search.candidates if each == top._replace(context=True)])
        families = " or ".join(dict.fromkeys([search.simplest.name, top.name]))
        why = f"not tried: context did not help {families}"
        helped = _is_helped(search, search.simplest) or _is_helped(search, top)
    else:
        helped, why = False, "not tried: there are too few item sets of other entities"
    others = [each for each in search.candidates if each.context and each not in search.validated]
    if helped:
        search.run(others)
    return {} if helped else dict.fromkeys(others, why)


def _is_helped(search: CandidateSearch, candidate: Candidate) -> bool:
    """Tell whether a family does better with context, or nobody knows."""
    both = [candidate._replace(context=context) for context in (False, True)]
    if any(each not in search.validated for each in both):
        return True
    before, after = (search.sign * search.selected_rule(each).mean for each in both)
    return after > before


def _best(search: CandidateSearch) -> Candidate:
    """Return the best of the candidates that were validated, the simplest among equals."""
    tried = [each for each in search.candidates if each in search.validated]
    return max(tried, key=lambda each: search.sign * search.selected_rule(each).mean)


def _choice(search: CandidateSearch) -> tuple[Candidate, str]:
    """Return the simplest candidate within one standard error of the best, and the reason."""
    if not search.validated:
        return search.simplest, "from so little nothing more can be chosen reliably"
    best = _best(search)
    level = [each for each in search.candidates if _is_level(search, each, best)]
    if len(search.validated) == 1:
        only = len({each.name for each in search.candidates}) == 1
        return best, f"it is the only one that {'was asked' if only else 'there was time'} for"
    if best == search.simplest:
        return best, "it is the simplest, and none is better"
    if level[0] == best:
        return best, "it is the best, and nothing simpler is within one standard error of it"
    return level[0], f"it is the simplest within one standard error of the best, {best}"


def _is_level(search: CandidateSearch, candidate: Candidate, best: Candidate) -> bool:
    """Tell whether a candidate was validated, and is within one standard error of the best."""
    if candidate not in search.validated:
        return False
    own, top = search.selected_rule(candidate), search.selected_rule(best)
    return is_level(search.sign * (top.mean - own.mean), top.values - own.values)


def _row(
    search: CandidateSearch, candidate: Candidate, best: Candidate | None, why: str | None
) -> Tried:
    """Return the row of a candidate in the table."""
    if candidate not in search.validated and candidate != search.simplest:
        return Tried(*candidate, status=why or "not tried")
    point = search.rule(candidate)
    variant = search.setup.variants(candidate)[point.variant]
    row = Tried(
        *candidate,
        point.clusterer,
        point.threshold,
        point.length,
        variant.gamma,
        status=why or "tried",
    )
    if best is None:
        return row
    own, top = search.selected_rule(candidate), search.selected_rule(best)
    return row._replace(
        mean=own.mean,
        standard_error=standard_error(own.values - top.values),
        seconds=search.validated[candidate].seconds,
    )
