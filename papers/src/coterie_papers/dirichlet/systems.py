"""The systems of the tables of SCM: what learns nothing, a pair classifier, SCM and its variants.

Settings are chosen by the mean F of pairs on training sets that are left out one by one, or on sets
of other digits, as those of the test sets are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from coterie.clusterers import AverageLinkage
from coterie.datasets.corpus import Corpus
from coterie.dirichlet import (
    MaximumPosterior,
    MinimumPairLoss,
    MinimumVariation,
    NormalPrior,
    Posterior,
    SplitMerge,
)
from coterie.items import ItemSet, PairFeatures
from coterie.learners import Coarse, DirichletClustering, Fine, PairwiseClustering, Sampled
from coterie.learners.base import Learner
from coterie.learners.dirichlet.type_chains import FEATURES_PER_SHAPE
from coterie.metrics import macro, pair_scores
from coterie.partition import Partition
from coterie_papers.dirichlet.data import Task, View, as_bytes, embedded
from coterie_papers.dirichlet.effort import Effort, Schedule

PRIOR = NormalPrior(split_merge=SplitMerge(n_moves=3))
ONE_SHAPE = 1e7
"""As a multiple of the default: all types are that of the variance within training clusters."""
THRESHOLDS = (-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75)
WEIGHTS = (1.0, 10.0, 100.0)
N_FOLDS = 2
"""How many training sets are left out in turn."""

ESTIMATE = MinimumVariation()
ESTIMATES = {
    "": ESTIMATE,
    ", most probable sample": MaximumPosterior(),
    ", fewest wrong pairs": MinimumPairLoss(),
}
"""By what stands behind the name of a system; the first is that of the tables."""

Partitions: TypeAlias = list[Partition]
"""One a test set."""


@dataclass(frozen=True)
class Found:
    """What a system answers, one list of partitions a seed, and what was chosen for it.

    Samplers have answers by several estimates, by the names of `ESTIMATES`.
    """

    answers: dict[str, list[Partitions]]
    facts: dict[str, Any] = field(default_factory=dict)


System: TypeAlias = Callable[[Task, Sequence[int], Effort], Found]


def untrained(learner: Learner, task: Task, _seeds: Sequence[int], _effort: Effort) -> Found:
    """Answer without looking at the items."""
    learner.fit(*task.train)
    return Found({"": [learner.predict(task.test.item_sets)]})


# SCM.


def scm_learner(prior: NormalPrior, schedule: Schedule, seed: int) -> DirichletClustering:
    """Return the learner that is not fitted yet."""
    return DirichletClustering(
        **schedule._asdict(), prior=prior, estimate=ESTIMATE, random_state=seed
    )


def scm(
    task: Task,
    seeds: Sequence[int],
    effort: Effort,
    prior: NormalPrior = PRIOR,
    view: View | None = None,
) -> Found:
    """Choose shape and resolution, then train and answer once a seed."""
    view = task.kind.view if view is None else view
    shape, resolution = _chosen(task, effort, prior, view)
    see = view(task.train.item_sets, resolution)
    train, test = (list(map(see, corpus.item_sets)) for corpus in (task.train, task.test))
    runs = []
    for seed in seeds:
        learner = scm_learner(_shaped(prior, shape, train), effort.schedule, seed)
        learner.fit(train, task.train.partitions)
        runs.append([learner.posterior(each) for each in test])
    return Found(_estimated(runs), {"shape": shape, "resolution": resolution})


def one_type(task: Task, seeds: Sequence[int], effort: Effort) -> Found:
    """Train SCM with a shape so large that all types are one."""
    return scm(replace(task, kind=replace(task.kind, shapes=(ONE_SHAPE,))), seeds, effort)


def partially_trained(
    task: Task, seeds: Sequence[int], effort: Effort, view: View | None = None
) -> Found:
    """Answer with the identity as the only type; the rest is estimated in training (PT-SCM)."""
    view = task.kind.view if view is None else view
    resolution = task.kind.resolutions[0]
    see = view(task.train.item_sets, resolution)
    learner = scm_learner(PRIOR, effort.schedule, 0)
    learner.fit(map(see, task.train.item_sets), task.train.partitions, reference_types=1.0)
    runs = []
    for seed in seeds:
        learner.set_params(random_state=seed)
        runs.append([learner.posterior(see(each)) for each in task.test.item_sets])
    return Found(_estimated(runs), {"alpha": learner.alpha_})


def _estimated(runs: Sequence[Sequence[Posterior]]) -> dict[str, list[Partitions]]:
    return {
        name: [[estimate.partition(posterior) for posterior in run] for run in runs]
        for name, estimate in ESTIMATES.items()
    }


def _chosen(task: Task, effort: Effort, prior: NormalPrior, view: View) -> tuple[float, float]:
    """Return the shape and the resolution of the highest mean F on training sets left out."""
    grid = [(shape, width) for width in task.kind.resolutions for shape in task.kind.shapes]
    if len(grid) == 1:
        return grid[0]
    reached = dict.fromkeys(grid, 0.0)
    for train, held_out in folds(task):
        for width in task.kind.resolutions:
            see = view(train.item_sets, width)
            shown = list(map(see, train.item_sets))
            others = list(map(see, held_out.item_sets))
            for shape in task.kind.shapes:
                learner = scm_learner(_shaped(prior, shape, shown), effort.trial, 0)
                predicted = learner.fit(shown, train.partitions).predict(others)
                reached[shape, width] += macro(pair_scores, held_out.partitions, predicted).f1
    return max(grid, key=lambda each: reached[each])


def _shaped(prior: NormalPrior, shape: float, item_sets: Sequence[ItemSet]) -> NormalPrior:
    """Return a prior whose shape is a multiple of the default."""
    items = item_sets[0].items
    vectors = items.features if isinstance(items, PairFeatures) else items
    return replace(prior, shape=shape * vectors.shape[1] / FEATURES_PER_SHAPE)


def folds(task: Task) -> Iterator[tuple[Corpus, Corpus]]:
    """Yield what to train on and what to choose by: all sets but one, and that one, in turn."""
    yield from task.folds
    corpus = Corpus([], []) if task.folds else task.train
    for number in range(min(N_FOLDS, len(corpus.item_sets))):
        item_sets, partitions = corpus.item_sets.copy(), corpus.partitions.copy()
        held_out = Corpus([item_sets.pop(number)], [partitions.pop(number)])
        yield Corpus(item_sets, partitions), held_out


# The pair classifier.


def svm(task: Task, seeds: Sequence[int], _effort: Effort) -> Found:
    """Classify pairs by an SVM, and join the clusters of the highest mean score."""
    runs, n_pairs, thresholds = [], [], []
    for seed in seeds:
        learner = _pairwise(task, _search(task), seed).fit(*task.train)
        search = learner.classifier_.classifier_
        thresholds.append(_threshold(task, search.best_estimator_, seed))
        model = learner.to_model()
        clusterer = _linkage(thresholds[-1])
        runs.append([clusterer(model.scores(each)) for each in task.test.item_sets])
        n_pairs.append(learner.classifier_.n_rows_)
    return Found({"": runs}, {"pairs": max(n_pairs), "thresholds": thresholds})


def _pairwise(task: Task, classifier: Any, seed: int) -> PairwiseClustering:
    kind = task.kind
    return PairwiseClustering(
        classifier=Sampled(classifier, kind.n_rows, seed),
        featurizer=kind.featurizer,
        blocker=kind.blocker,
    )


def _search(task: Task) -> GridSearchCV:
    grid = {"svc__C": WEIGHTS, "svc__gamma": task.kind.gammas}
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=3, scoring="f1")


def _threshold(task: Task, classifier: Pipeline, seed: int) -> float:
    """Return the threshold of the highest mean F on training sets left out."""
    reached = dict.fromkeys(THRESHOLDS, 0.0)
    for train, held_out in folds(task):
        model = _pairwise(task, classifier, seed).fit(*train).to_model()
        scored = [model.scores(each) for each in held_out.item_sets]
        for threshold in THRESHOLDS:
            predicted = list(map(_linkage(threshold), scored))
            reached[threshold] += macro(pair_scores, held_out.partitions, predicted).f1
    return max(THRESHOLDS, key=lambda each: reached[each])


def _linkage(threshold: float) -> AverageLinkage:
    # Pairs that share no canopy are as surely apart as an SVM would say.
    return AverageLinkage(threshold, missing=-1.0)


COARSE, FINE, PT, SVM, SCM = "Coarse", "Fine", "PT-SCM", "SVM", "SCM"
PT_BYTES = "PT-SCM, grey levels 0 to 255"
REPULSION = "SCM with repulsion"
PER_CLUSTER = "SCM, a type per cluster"
ONE_TYPE = "SCM, one learned type"
EMBEDDED = "SCM, Euclidean embedding"

SYSTEMS: dict[str, System] = {
    COARSE: partial(untrained, Coarse()),
    FINE: partial(untrained, Fine()),
    PT: partially_trained,
    PT_BYTES: partial(partially_trained, view=as_bytes),
    SVM: svm,
    SCM: scm,
    REPULSION: partial(scm, prior=replace(PRIOR, repulsion=True)),
    PER_CLUSTER: partial(scm, prior=replace(PRIOR, type_per_cluster=True)),
    ONE_TYPE: one_type,
    EMBEDDED: partial(scm, view=embedded),
}
TUNED = (SCM, REPULSION, PER_CLUSTER, EMBEDDED)
