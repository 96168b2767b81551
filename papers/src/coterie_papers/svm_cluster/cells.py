"""The trainings behind the tables of SVM-cluster: one cell holds one, for all values of C."""

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
"""To be raised when cells are computed in another way."""

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
class Effort:
    """How much is taken of the data and of the settings; as it stands, all.

    Parameters
    ----------
    n_sets
        The most sets that are taken of each split; None takes all.
    n_further
        How many further values of C are tried where the best is at an end of the range.
    pair_weights, thresholds
        The values of C and of the threshold among which those of a pair classifier are chosen.
    timed
        The powers of ten for which training is timed, beside the C that was chosen.
    """

    n_sets: int | None = None
    n_further: int = 2
    pair_weights: tuple[float, ...] = (0.01, 0.1, 1.0)
    thresholds: tuple[float, ...] = tuple(round(-1.0 + 0.1 * step, 1) for step in range(41))
    timed: tuple[int, ...] = (4, 6, 8)


@dataclass(frozen=True)
class Task:
    """A corpus, how it is divided, and how SVM-cluster is trained on it.

    The values of C are powers of ten from `low` to `high`.
    """

    name: str
    n_folds: int
    low: int
    high: int
    solver: Solver
    testers: tuple[str, ...]
    effort: Effort = Effort()

    @property
    def label(self) -> str:
        """The corpus, and how much is taken of it."""
        n_sets = self.effort.n_sets
        return self.name if n_sets is None else f"{self.name}-{n_sets}"

    def corpus(self, folder: Path | None, split: Split) -> Corpus:
        """Read the training or the test sets."""
        item_sets, partitions = _read(self.name, folder, split)
        return Corpus(item_sets[: self.effort.n_sets], partitions[: self.effort.n_sets])

    def folds(self, n_sets: int) -> list[Ints]:
        """Divide the training sets, in an order drawn once."""
        order = np.random.default_rng(0).permutation(n_sets)
        return [np.sort(part) for part in np.array_split(order, self.n_folds)]


ALGORITHM_1 = NSlack(tol=0.1, max_iter=200)
ONE_SLACK = OneSlack(tol=0.01)
FULL = {
    "gum": Task("gum", 10, 3, 8, ALGORITHM_1, ("C_G",)),
    "news": Task("news", 5, 4, 8, ONE_SLACK, ("C_G", "C_R")),
}
FEW = Effort(
    n_sets=8, n_further=0, pair_weights=(0.1,), thresholds=(-0.4, -0.2, 0.0, 0.2), timed=(6,)
)
QUICK = {
    "gum": replace(FULL["gum"], n_folds=2, low=5, high=7, effort=FEW),
    "news": replace(FULL["news"], n_folds=2, low=5, high=7, effort=replace(FEW, n_sets=3)),
}


def tasks(quick: bool) -> tuple[Task, Task]:
    """Return the tasks of a quick or of a full run: coreference and news."""
    chosen = QUICK if quick else FULL
    return chosen["gum"], chosen["news"]


def task_of(key: Key) -> Task:
    """Return the task that a cell names as its data."""
    return {task.label: task for task in (*tasks(False), *tasks(True))}[str(key["data"])]


Measured: TypeAlias = dict[str, list[list[float]]]
"""Measure → setting → value on each held-out item set."""


@lru_cache
def _read(name: str, folder: Path | None, split: Split) -> Corpus:
    reader = {"gum": load_gum_coref, "news": load_news_ecbplus}[name]
    return reader(folder, split)


def trained(key: Key, folder: Path | None) -> dict[str, Any]:
    """Train SVM-cluster for each C, without a fold or on all training sets, and measure it."""
    task = task_of(key)
    train, held_out = _divided(task, key, folder)
    learner = SVMCluster(
        clusterer=CLUSTERERS[str(key["train"])],
        loss=LOSSES[str(key["loss"])],
        solver=task.solver,
        augment=bool(key["augment"]),
    )
    Cs = [10.0**power for power in range(int(key["low"] or 0), int(key["high"] or 0) + 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = learner.fit_path(*train, Cs)
    models = [each.to_model() for each in fitted]
    return {
        "settings": [f"C = {C:g}" for C in Cs],
        "gaps": [each.gap_ / each.primal_ for each in fitted],
        **{tester: measured(models, tester, held_out) for tester in task.testers},
    }


def classified(key: Key, folder: Path | None) -> dict[str, Any]:
    """Train a pair classifier in the same way, and measure it at each threshold."""
    task = task_of(key)
    train, held_out = _divided(task, key, folder)
    C = float(key["C"] or 0.0)
    learner = PairwiseClustering(C=C, balanced=bool(key["balanced"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(*train)
    thresholds = task.effort.thresholds
    models = [learner.set_params(threshold=value).to_model() for value in thresholds]
    return {
        "settings": [f"C = {C:g}, threshold {value:g}" for value in thresholds],
        **{tester: measured(models, tester, held_out) for tester in task.testers},
    }


def _divided(task: Task, key: Key, folder: Path | None) -> tuple[Corpus, Corpus]:
    """Return what to train on and what to measure on."""
    train = task.corpus(folder, "train")
    if key["fold"] == TEST:
        return train, task.corpus(folder, TEST)
    fold = task.folds(len(train.item_sets))[int(key["fold"] or 0)]
    others = np.setdiff1d(np.arange(len(train.item_sets)), fold)
    return part(train, others), part(train, fold)


def part(corpus: Corpus, numbers: Ints) -> Corpus:
    """Take some item sets of a corpus."""
    return Corpus(*([every[number] for number in numbers] for every in corpus))


def measured(models: Sequence[Model], tester: str, held_out: Corpus) -> Measured:
    """Predict held-out item sets by each model, with the clusterer of the test."""
    found: Measured = {name: [] for name in MEASURES}
    for model in models:
        predicted = replace(model, clusterer=CLUSTERERS[tester]).predict(held_out.item_sets)
        for name, measure in MEASURES.items():
            both = zip(held_out.partitions, predicted, strict=True)
            found[name].append([float(measure(truth, guess)) for truth, guess in both])
    return found
