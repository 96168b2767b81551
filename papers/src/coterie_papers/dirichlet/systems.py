"""The systems of the tables of SCM: baselines without learning, a pair classifier, and SCM.

Settings are chosen by the mean F of pairs, on training sets that are left out one by one or on sets
of other digits than those of the training, because the test sets have other digits too.
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
from coterie_papers.dirichlet.data import FitTransform, SystemTask, to_bytes, to_vectors
from coterie_papers.dirichlet.effort import RunEffort, Schedule

PRIOR = NormalPrior(split_merge=SplitMerge(n_moves=3))
ONE_SHAPE = 1e7
"""The multiple of the default shape with which all types equal the variance within clusters."""
THRESHOLDS = (-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75)
WEIGHTS = (1.0, 10.0, 100.0)
N_FOLDS = 2
"""The number of training sets that are left out in turn."""

ESTIMATE = MinimumVariation()
ESTIMATES = {
    "": ESTIMATE,
    ", most probable sample": MaximumPosterior(),
    ", fewest wrong pairs": MinimumPairLoss(),
}
"""Estimates by the suffix of the row; the first one is that of the systems themselves."""

Partitions: TypeAlias = list[Partition]
"""The predictions of one seed, one per test set."""


@dataclass(frozen=True)
class SystemOutput:
    """The predictions of a system by estimate, then by seed, and further facts for its cell.

    Samplers have predictions for all `ESTIMATES`; other systems only for "".
    """

    predictions: dict[str, list[Partitions]]
    facts: dict[str, Any] = field(default_factory=dict)


System: TypeAlias = Callable[[SystemTask, Sequence[int], RunEffort], SystemOutput]


def untrained(
    learner: Learner, task: SystemTask, _seeds: Sequence[int], _effort: RunEffort
) -> SystemOutput:
    """Predict by a baseline, which does not look at the items."""
    learner.fit(*task.train)
    return SystemOutput({"": [learner.predict(task.test.item_sets)]})


# SCM.


def scm_learner(prior: NormalPrior, schedule: Schedule, seed: int) -> DirichletClustering:
    """Return an SCM learner, not yet fitted."""
    return DirichletClustering(
        **schedule._asdict(), prior=prior, estimate=ESTIMATE, random_state=seed
    )


def scm(
    task: SystemTask,
    seeds: Sequence[int],
    effort: RunEffort,
    prior: NormalPrior = PRIOR,
    fit_transform: FitTransform | None = None,
) -> SystemOutput:
    """Choose shape and resolution, then train and predict once per seed."""
    fit_transform = task.kind.fit_transform if fit_transform is None else fit_transform
    shape, resolution = _choose_settings(task, effort, prior, fit_transform)
    transform = fit_transform(task.train.item_sets, resolution)
    train, test = (list(map(transform, corpus.item_sets)) for corpus in (task.train, task.test))
    runs = []
    for seed in seeds:
        learner = scm_learner(_with_shape(prior, shape, train), effort.schedule, seed)
        learner.fit(train, task.train.partitions)
        runs.append([learner.posterior(item_set) for item_set in test])
    return SystemOutput(_by_estimate(runs), {"shape": shape, "resolution": resolution})


def one_type(task: SystemTask, seeds: Sequence[int], effort: RunEffort) -> SystemOutput:
    """Train SCM with a very large shape, which makes all types equal."""
    return scm(replace(task, kind=replace(task.kind, shapes=(ONE_SHAPE,))), seeds, effort)


def partially_trained(
    task: SystemTask,
    seeds: Sequence[int],
    effort: RunEffort,
    fit_transform: FitTransform | None = None,
) -> SystemOutput:
    """Predict with the identity as the only type and the rest estimated in training (PT-SCM)."""
    fit_transform = task.kind.fit_transform if fit_transform is None else fit_transform
    transform = fit_transform(task.train.item_sets, task.kind.resolutions[0])
    learner = scm_learner(PRIOR, effort.schedule, 0)
    train = map(transform, task.train.item_sets)
    learner.fit(train, task.train.partitions, reference_types=1.0)
    test = list(map(transform, task.test.item_sets))
    runs = []
    for seed in seeds:
        learner.set_params(random_state=seed)
        runs.append([learner.posterior(item_set) for item_set in test])
    return SystemOutput(_by_estimate(runs), {"alpha": learner.alpha_})


def _by_estimate(runs: Sequence[Sequence[Posterior]]) -> dict[str, list[Partitions]]:
    return {
        name: [[estimate.partition(posterior) for posterior in run] for run in runs]
        for name, estimate in ESTIMATES.items()
    }


def _choose_settings(
    task: SystemTask, effort: RunEffort, prior: NormalPrior, fit_transform: FitTransform
) -> tuple[float, float]:
    """Return the shape and the resolution with the highest mean F on sets that are left out."""
    kind = task.kind
    grid = [(shape, resolution) for resolution in kind.resolutions for shape in kind.shapes]
    if len(grid) == 1:
        return grid[0]
    f1_sums = dict.fromkeys(grid, 0.0)
    for train, held_out in folds(task):
        for resolution in kind.resolutions:
            transform = fit_transform(train.item_sets, resolution)
            train_sets = list(map(transform, train.item_sets))
            test_sets = list(map(transform, held_out.item_sets))
            for shape in kind.shapes:
                learner = scm_learner(_with_shape(prior, shape, train_sets), effort.trial, 0)
                predicted = learner.fit(train_sets, train.partitions).predict(test_sets)
                f1 = macro(pair_scores, held_out.partitions, predicted).f1
                f1_sums[shape, resolution] += f1
    return max(grid, key=lambda setting: f1_sums[setting])


def _with_shape(prior: NormalPrior, shape: float, item_sets: Sequence[ItemSet]) -> NormalPrior:
    """Return a prior whose shape is a multiple of the default for the features of item sets."""
    items = item_sets[0].items
    vectors = items.features if isinstance(items, PairFeatures) else items
    return replace(prior, shape=shape * vectors.shape[1] / FEATURES_PER_SHAPE)


def folds(task: SystemTask) -> Iterator[tuple[Corpus, Corpus]]:
    """Yield training and held-out sets: the folds of the task, or each set left out in turn."""
    yield from task.folds
    corpus = Corpus([], []) if task.folds else task.train
    for number in range(min(N_FOLDS, len(corpus.item_sets))):
        item_sets, partitions = corpus.item_sets.copy(), corpus.partitions.copy()
        held_out = Corpus([item_sets.pop(number)], [partitions.pop(number)])
        yield Corpus(item_sets, partitions), held_out


# The pair classifier.


def svm(task: SystemTask, seeds: Sequence[int], _effort: RunEffort) -> SystemOutput:
    """Classify pairs by an SVM, and merge clusters by average linkage of the scores."""
    runs, n_pairs, thresholds = [], [], []
    for seed in seeds:
        learner = _pairwise(task, _search(task), seed).fit(*task.train)
        search = learner.classifier_.classifier_
        thresholds.append(_choose_threshold(task, search.best_estimator_, seed))
        model = learner.to_model()
        clusterer = _linkage(thresholds[-1])
        runs.append([clusterer(model.scores(item_set)) for item_set in task.test.item_sets])
        n_pairs.append(learner.classifier_.n_rows_)
    return SystemOutput({"": runs}, {"pairs": max(n_pairs), "thresholds": thresholds})


def _pairwise(task: SystemTask, classifier: Any, seed: int) -> PairwiseClustering:
    kind = task.kind
    return PairwiseClustering(
        classifier=Sampled(classifier, kind.n_rows, seed),
        featurizer=kind.featurizer,
        blocker=kind.blocker,
    )


def _search(task: SystemTask) -> GridSearchCV:
    grid = {"svc__C": WEIGHTS, "svc__gamma": task.kind.gammas}
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=3, scoring="f1")


def _choose_threshold(task: SystemTask, classifier: Pipeline, seed: int) -> float:
    """Return the threshold with the highest mean F on sets that are left out."""
    f1_sums = dict.fromkeys(THRESHOLDS, 0.0)
    for train, held_out in folds(task):
        model = _pairwise(task, classifier, seed).fit(*train).to_model()
        score_list = [model.scores(item_set) for item_set in held_out.item_sets]
        for threshold in THRESHOLDS:
            predicted = list(map(_linkage(threshold), score_list))
            f1_sums[threshold] += macro(pair_scores, held_out.partitions, predicted).f1
    return max(THRESHOLDS, key=lambda threshold: f1_sums[threshold])


def _linkage(threshold: float) -> AverageLinkage:
    # Pairs that share no canopy get the score of pairs that an SVM is sure to be apart.
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
    PT_BYTES: partial(partially_trained, fit_transform=to_bytes),
    SVM: svm,
    SCM: scm,
    REPULSION: partial(scm, prior=replace(PRIOR, repulsion=True)),
    PER_CLUSTER: partial(scm, prior=replace(PRIOR, type_per_cluster=True)),
    ONE_TYPE: one_type,
    EMBEDDED: partial(scm, fit_transform=to_vectors),
}
TUNED = (SCM, REPULSION, PER_CLUSTER, EMBEDDED)
"""Systems whose shape and resolution are chosen."""
