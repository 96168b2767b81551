"""Trainings behind the tables of SVM-cluster: one cell holds one training for all values of C."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from coterie.clusterers import Greedy, Relaxation
from coterie.datasets.corpus import Corpus
from coterie.learners import (
    NSlack,
    OneSlack,
    PairwiseClustering,
    SVMCluster,
)
from coterie.learners.structural.solvers import Solver
from coterie.losses import MitreLoss, PairLoss
from coterie.metrics import conll_score, mitre_loss, pair_loss
from coterie.model import Model
from coterie.toolkit import Clusterer, Ints, Loss
from coterie_papers.corpora import load_gum_coref, load_news_ecbplus
from coterie_papers.engine.cells import Key

VERSION = 1
"""Version of the computation in each key; raise it whenever cells are computed differently."""

LOSSES: Mapping[str, Loss] = {"pair": PairLoss(), "mitre": MitreLoss()}
CLUSTERERS: Mapping[str, Clusterer] = {"C_G": Greedy(), "C_R": Relaxation()}
MEASURES: Mapping[str, Callable[..., float]] = {
    "pair": pair_loss,
    "mitre": mitre_loss,
    "conll": conll_score,
}
Split: TypeAlias = Literal["train", "test"]
TEST: Literal["test"] = "test"


@dataclass(frozen=True)
class TuningEffort:
    """The parts of the data and the settings to try; the defaults are those of a full run.

    Parameters
    ----------
    n_sets
        The largest number of item sets used from each split; None uses all.
    n_extensions
        Number of further values of C that are tried if the best one is at an end of the range.
    classifier_grid, thresholds
        The values of C and of the threshold that are tried for pair classifiers.
    timed_powers
        Training is timed for these powers of ten, in addition to the chosen C.
    """

    n_sets: int | None = None
    n_extensions: int = 2
    classifier_grid: tuple[float, ...] = (0.01, 0.1, 1.0)
    thresholds: tuple[float, ...] = tuple(round(-1.0 + 0.1 * step, 1) for step in range(41))
    timed_powers: tuple[int, ...] = (4, 6, 8)


@dataclass(frozen=True)
class TrainingTask:
    """A corpus, its number of folds, and how SVM-cluster is trained on it.

    The values of C are the powers of ten from 10^low to 10^high. `test_clusterers` names the
    clusterers that predict the held-out sets.
    """

    name: str
    n_folds: int
    low: int
    high: int
    solver: Solver
    test_clusterers: tuple[str, ...]
    effort: TuningEffort = TuningEffort()

    @property
    def label(self) -> str:
        """The corpus, followed by the number of item sets if that is limited."""
        n_sets = self.effort.n_sets
        return self.name if n_sets is None else f"{self.name}-{n_sets}"

    def corpus(self, folder: Path | None, split: Split) -> Corpus:
        """Read the training or the test sets."""
        item_sets, partitions = _read(self.name, folder, split)
        return Corpus(item_sets[: self.effort.n_sets], partitions[: self.effort.n_sets])

    def folds(self, n_sets: int) -> list[Ints]:
        """Divide the training sets into folds; their random order is the same in all runs."""
        order = np.random.default_rng(0).permutation(n_sets)
        return [np.sort(part) for part in np.array_split(order, self.n_folds)]


ALGORITHM_1 = NSlack(tol=0.1, max_iter=200)
ONE_SLACK = OneSlack(tol=0.01)
FULL = {
    "gum": TrainingTask("gum", 10, 3, 8, ALGORITHM_1, ("C_G",)),
    "news": TrainingTask("news", 5, 4, 8, ONE_SLACK, ("C_G", "C_R")),
}
FEW = TuningEffort(
    n_sets=8,
    n_extensions=0,
    classifier_grid=(0.1,),
    thresholds=(-0.4, -0.2, 0.0, 0.2),
    timed_powers=(6,),
)
QUICK = {
    "gum": replace(FULL["gum"], n_folds=2, low=5, high=7, effort=FEW),
    "news": replace(FULL["news"], n_folds=2, low=5, high=7, effort=replace(FEW, n_sets=3)),
}


def tasks(quick: bool) -> tuple[TrainingTask, TrainingTask]:
    """Return the tasks of coreference and of news, for a quick run or for a full one."""
    by_name = QUICK if quick else FULL
    return by_name["gum"], by_name["news"]


def task_of(key: Key) -> TrainingTask:
    """Return the task whose label is the `data` of a key."""
    return {task.label: task for task in (*tasks(False), *tasks(True))}[str(key["data"])]


MeasureValues: TypeAlias = dict[str, list[list[float]]]
"""Values by measure, then by setting, then by held-out item set."""


@lru_cache
def _read(name: str, folder: Path | None, split: Split) -> Corpus:
    reader = {"gum": load_gum_coref, "news": load_news_ecbplus}[name]
    return reader(folder, split)


def train_path(key: Key, folder: Path | None) -> dict[str, Any]:
    """Train SVM-cluster for each C, and measure it on a left-out fold or on the test sets."""
    task = task_of(key)
    train, held_out = _train_and_held_out(task, key, folder)
    learner = SVMCluster(
        clusterer=CLUSTERERS[str(key["train"])],
        loss=LOSSES[str(key["loss"])],
        solver=task.solver,
        augment=bool(key["augment"]),
    )
    Cs = [10.0**power for power in range(int(key["low"] or 0), int(key["high"] or 0) + 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learners = learner.fit_path(*train, Cs)
    models = [fitted.to_model() for fitted in learners]
    return {
        "settings": [f"C = {C:g}" for C in Cs],
        "gaps": [fitted.gap_ / fitted.primal_ for fitted in learners],
        **_measures_by_clusterer(models, task, held_out),
    }


def train_classifier(key: Key, folder: Path | None) -> dict[str, Any]:
    """Train a pair classifier on the same item sets, and measure it at each threshold."""
    task = task_of(key)
    train, held_out = _train_and_held_out(task, key, folder)
    C = float(key["C"] or 0.0)
    learner = PairwiseClustering(C=C, balanced=bool(key["balanced"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(*train)
    thresholds = task.effort.thresholds
    models = [learner.set_params(threshold=value).to_model() for value in thresholds]
    return {
        "settings": [f"C = {C:g}, threshold {value:g}" for value in thresholds],
        **_measures_by_clusterer(models, task, held_out),
    }


def _train_and_held_out(task: TrainingTask, key: Key, folder: Path | None) -> tuple[Corpus, Corpus]:
    """Return the item sets to train on and those to measure on, by the `fold` of a key."""
    train = task.corpus(folder, "train")
    if key["fold"] == TEST:
        return train, task.corpus(folder, TEST)
    fold = task.folds(len(train.item_sets))[int(key["fold"] or 0)]
    others = np.setdiff1d(np.arange(len(train.item_sets)), fold)
    return train.at(others), train.at(fold)


def _measures_by_clusterer(
    models: Sequence[Model], task: TrainingTask, held_out: Corpus
) -> dict[str, MeasureValues]:
    return {name: _measure(models, name, held_out) for name in task.test_clusterers}


def _measure(models: Sequence[Model], clusterer: str, held_out: Corpus) -> MeasureValues:
    """Predict the held-out item sets by each model with one clusterer, and measure the result."""
    values: MeasureValues = {name: [] for name in MEASURES}
    for model in models:
        predicted = replace(model, clusterer=CLUSTERERS[clusterer]).predict(held_out.item_sets)
        pairs = list(zip(held_out.partitions, predicted, strict=True))
        for name, measure in MEASURES.items():
            values[name].append([float(measure(truth, prediction)) for truth, prediction in pairs])
    return values
