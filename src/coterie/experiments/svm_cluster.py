"""SVM-cluster (Finley & Joachims 2005): its five tables, on corpora like the paper's.

Every model is trained on the training sets for each C, and in folds of them, on all but one fold.
The C of least cross-validated loss is the one whose loss on the test sets stands in a table. Models
of pairs are tuned in the same way. A cell holds one training with all values of C.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from coterie._arrays import Ints
from coterie._types import Clusterer, Loss
from coterie.clusterers import Greedy, Relaxation
from coterie.datasets import load_gum_coref, load_news_ecbplus
from coterie.datasets.corpus import Corpus
from coterie.experiments.cells import Context, Key, Values
from coterie.experiments.published import SVM_CLUSTER
from coterie.experiments.tables import Entry, Table
from coterie.learners import (
    Coarse,
    Fine,
    NSlack,
    OneSlack,
    PairwiseClustering,
    SVMCluster,
)
from coterie.learners.solvers import Solver
from coterie.losses import MitreLoss, PairLoss
from coterie.metrics import compare, conll_score, mitre_loss, pair_loss
from coterie.model import Model

VERSION = 1
"""To be raised when cells are computed in another way."""

LOSSES: Mapping[str, Loss] = {"pair": PairLoss(), "mitre": MitreLoss()}
CLUSTERERS: Mapping[str, Clusterer] = {"C_G": Greedy(), "C_R": Relaxation()}
MEASURES: Mapping[str, Callable[..., float]] = {
    "pair": pair_loss,
    "mitre": mitre_loss,
    "conll": conll_score,
}
PAIR_WEIGHTS = (0.01, 0.1, 1.0)
THRESHOLDS = [round(-1.0 + 0.1 * step, 1) for step in range(41)]
Split: TypeAlias = Literal["train", "test"]
TEST: Literal["test"] = "test"
WIDEST = 2
"""How many further values of C are tried where the best is at an end of the range."""


@dataclass(frozen=True)
class Task:
    """A corpus, how it is divided, and how SVM-cluster is trained on it."""

    name: str
    n_folds: int
    low: int
    high: int
    solver: Solver
    testers: tuple[str, ...]

    def corpus(self, folder: Path | None, split: Split) -> Corpus:
        """Read the training or the test sets."""
        return _read(self.name, folder, split)

    def folds(self, n_sets: int) -> list[Ints]:
        """Divide the training sets, in an order drawn once."""
        order = np.random.default_rng(0).permutation(n_sets)
        return [np.sort(part) for part in np.array_split(order, self.n_folds)]


COREFERENCE = Task("gum", 10, 3, 8, NSlack(tol=0.1, max_iter=200), ("C_G",))
NEWS = Task("news", 5, 4, 8, OneSlack(tol=0.01), ("C_G", "C_R"))
TASKS = {task.name: task for task in (COREFERENCE, NEWS)}

GUM_NOTE = (
    "Ours: 30 training and 30 test documents of GUM, 52 features, in place of MUC-6. C by 10-fold "
    "cross-validation on the training documents; p of the two-tailed paired t-test over test "
    "documents, below 0.05 significant."
)
PCC_NOTE = (
    "p: against C_G. PCC is a linear SVM of pairs; balanced gives its classes equal weight, tuned "
    "chooses its threshold too, by cross-validation. Default is all in one cluster for Δ_M, all "
    "single for Δ_P."
)
NEWS_NOTE = (
    "Ours: 5 training and 4 test sets of ECB+ stories, 30 cosines, in place of 15 and 15 days of "
    "Google News: both stories of a topic are in one set, which makes them harder to tell apart. "
    "C by 5-fold cross-validation under the clusterer of the test; p of the two-tailed paired "
    "t-test over 4 test sets, which can show large differences only."
)

Measured: TypeAlias = dict[str, list[list[float]]]
"""Measure → setting → value on each held-out item set."""


class Chosen(NamedTuple):
    """What was chosen by cross-validation, and the losses on the test sets with it."""

    setting: str
    losses: list[float]
    conll: list[float]

    @property
    def mean(self) -> float:
        """The mean loss over the test sets."""
        return float(np.mean(self.losses))


# Cells: trainings.


@lru_cache
def _read(name: str, folder: Path | None, split: Split) -> Corpus:
    reader = {"gum": load_gum_coref, "news": load_news_ecbplus}[name]
    return reader(folder, split)


def trained(key: Key, folder: Path | None) -> dict[str, Any]:
    """Train SVM-cluster for each C, without a fold or on all training sets, and measure it."""
    task = TASKS[str(key["data"])]
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
    task = TASKS[str(key["data"])]
    train, held_out = _divided(task, key, folder)
    C = float(key["C"] or 0.0)
    learner = PairwiseClustering(C=C, balanced=bool(key["balanced"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(*train)
    models = [learner.set_params(threshold=value).to_model() for value in THRESHOLDS]
    return {
        "settings": [f"C = {C:g}, threshold {value:g}" for value in THRESHOLDS],
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


# Choices: the setting of least cross-validated loss.


def structural(
    context: Context,
    task: Task,
    loss: str,
    train: str = "C_G",
    tester: str = "C_G",
    augment: bool = True,
) -> Chosen:
    """Choose C for SVM-cluster; a best value at an end of the range widens it."""
    named: dict[str, Any] = {"data": task.name, "train": train, "loss": loss, "augment": augment}
    ranges = [(task.low, task.high)]
    for _ in range(WIDEST + 1):
        runs = [_folds(context, task, trained, {**named, "low": a, "high": b}) for a, b in ranges]
        settings = _settings(runs, tester, loss)
        powers = [power for low, high in ranges for power in range(low, high + 1)]
        best = powers[int(np.argmin([each.error for each in settings]))]
        if best not in (min(powers), max(powers)):
            break
        further = best + (1 if best == max(powers) else -1)
        ranges.append((further, further))
    return _least(settings)


def classifier(
    context: Context,
    task: Task,
    loss: str,
    balanced: bool = False,
    tuned: bool = False,
    tester: str = "C_G",
) -> Chosen:
    """Choose C for a pair classifier, and its threshold where that is tuned."""
    runs = [
        _folds(context, task, classified, {"data": task.name, "balanced": balanced, "C": C})
        for C in PAIR_WEIGHTS
    ]
    settings = _settings(runs, tester, loss)
    return _least([each for each in settings if tuned or each.name.endswith("threshold 0")])


class _Setting(NamedTuple):
    name: str
    error: float
    losses: list[float]
    conll: list[float]


def _folds(
    context: Context, task: Task, compute: Callable[..., Any], named: Mapping[str, Any]
) -> list[Values]:
    """Return the cells of all folds and, last, that of the test sets."""
    folds = [*range(task.n_folds), TEST]
    keys: list[Key] = [{**named, "fold": fold, "version": VERSION} for fold in folds]
    return context.run(keys, compute)


def _settings(runs: Sequence[list[Values]], tester: str, loss: str) -> list[_Setting]:
    """List the settings of several runs with their errors, each set held out once."""
    found = []
    for *folds, test in runs:
        for at, name in enumerate(test["settings"]):
            held_out = [value for fold in folds for value in fold[tester][loss][at]]
            tests = test[tester]
            error = float(np.mean(held_out))
            found.append(_Setting(name, error, tests[loss][at], tests["conll"][at]))
    return found


def _least(settings: Sequence[_Setting]) -> Chosen:
    best = min(settings, key=lambda each: each.error)
    return Chosen(best.name, best.losses, best.conll)


def on_other_loss(context: Context, task: Task, loss: str, judged: str) -> list[float]:
    """Return the losses of another kind of the model that is chosen for one."""
    chosen = structural(context, task, loss)
    power = round(np.log10(float(chosen.setting.removeprefix("C = "))))
    low, high = (task.low, task.high) if task.low <= power <= task.high else (power, power)
    key: dict[str, Any] = {"data": task.name, "train": "C_G", "loss": loss, "augment": True}
    [values] = context.run(
        [{**key, "low": low, "high": high, "fold": TEST, "version": VERSION}], trained
    )
    losses: list[float] = values["C_G"][judged][values["settings"].index(chosen.setting)]
    return losses


def default(context: Context, task: Task, loss: str) -> list[float]:
    """Return the losses without learning: all single for pairs, all in one for MITRE."""
    corpus = task.corpus(context.data_folder, TEST)
    learner = (Fine() if loss == "pair" else Coarse()).fit(*corpus)
    predicted = learner.predict(corpus.item_sets)
    both = zip(corpus.partitions, predicted, strict=True)
    return [float(MEASURES[loss](truth, guess)) for truth, guess in both]


# Tables.


def _beside(losses: Sequence[float], against: Sequence[float], more: str = "") -> Entry:
    """Show a mean loss and whether it differs from another system's."""
    p_value = compare(losses, against, test="t").p_value
    shown = "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
    return Entry(float(np.mean(losses)), note=f"{more}, {shown}" if more else shown)


ROWS = {"mitre": "Test with C_G, Δ_M", "pair": "Test with C_G, Δ_P"}


def table1(context: Context) -> list[Table]:
    """Show SVM-cluster beside pair classifiers on coreference."""
    ours: dict[str, dict[str, Entry]] = {}
    conll: dict[str, dict[str, Entry]] = {}
    for loss, row in ROWS.items():
        chosen = structural(context, COREFERENCE, loss)
        pairs = {
            "PCC": classifier(context, COREFERENCE, loss),
            "PCC tuned": classifier(context, COREFERENCE, loss, tuned=True),
            "PCC balanced": classifier(context, COREFERENCE, loss, balanced=True),
            "balanced, tuned": classifier(context, COREFERENCE, loss, balanced=True, tuned=True),
        }
        ours[row] = {"C_G": Entry(chosen.mean, note=chosen.setting)}
        conll[row] = {"C_G": Entry(100 * float(np.mean(chosen.conll)))}
        for name, other in pairs.items():
            ours[row][name] = _beside(other.losses, chosen.losses)
            conll[row][name] = Entry(100 * float(np.mean(other.conll)))
        ours[row]["Default"] = _beside(default(context, COREFERENCE, loss), chosen.losses)
    title, paper = "Table 1: losses on coreference", SVM_CLUSTER["table1"]
    return [
        Table.beside(title, ours, paper, notes=[GUM_NOTE, PCC_NOTE], digits=(1, 2)),
        Table.beside("The same models by the CoNLL score (not in the paper)", conll, {}, digits=1),
    ]


def table2(context: Context) -> list[Table]:
    """Show SVM-cluster beside pair classifiers on news."""
    ours: dict[str, dict[str, Entry]] = {}
    for tester, row in (("C_G", "Test with C_G, Δ_P"), ("C_R", "Test with C_R*, Δ_P")):
        greedy = structural(context, NEWS, "pair", "C_G", tester)
        relaxed = structural(context, NEWS, "pair", "C_R", tester)
        plain = classifier(context, NEWS, "pair", tester=tester)
        tuned = classifier(context, NEWS, "pair", tuned=True, tester=tester)
        ours[row] = {
            "C_G": Entry(greedy.mean, note=greedy.setting),
            "C_R": _beside(relaxed.losses, greedy.losses, relaxed.setting),
            "PCC": _beside(plain.losses, greedy.losses),
            "PCC tuned": _beside(tuned.losses, greedy.losses),
            "Default": _beside(default(context, NEWS, "pair"), greedy.losses),
        }
    notes = [NEWS_NOTE, "p: against training with C_G. The paper leaves its first row empty."]
    return [
        Table.beside("Table 2: Δ_P on news", ours, SVM_CLUSTER["table2"], notes=notes, digits=2)
    ]


def table3(context: Context) -> list[Table]:
    """Show models trained on one loss and judged by the other."""
    ours: dict[str, dict[str, Entry]] = {}
    for judged, row in (("mitre", "Performance on Δ_M"), ("pair", "Performance on Δ_P")):
        other = "pair" if judged == "mitre" else "mitre"
        own = on_other_loss(context, COREFERENCE, judged, judged)
        crossed = on_other_loss(context, COREFERENCE, other, judged)
        columns = {judged: Entry(float(np.mean(own))), other: _beside(crossed, own)}
        ours[row] = {"Opt. to Δ_M": columns["mitre"], "Opt. to Δ_P": columns["pair"]}
    notes = [GUM_NOTE, "p: against the model that is trained on the loss by which it is judged."]
    title = "Table 3: training and testing on separate losses"
    return [Table.beside(title, ours, SVM_CLUSTER["table3"], notes=notes, digits=(1, 2))]


def table4(context: Context) -> list[Table]:
    """Show training without the loss in the search for the worst partition."""
    rows = {
        "NP-coreference, Δ_M": (COREFERENCE, "mitre", "C_G"),
        "NP-coreference, Δ_P": (COREFERENCE, "pair", "C_G"),
        "News, train C_G, test C_G": (NEWS, "pair", "C_G"),
        "News, train C_R, test C_R*": (NEWS, "pair", "C_R"),
    }
    ours = {}
    for row, (task, loss, clusterer) in rows.items():
        within = structural(context, task, loss, clusterer, clusterer)
        without = structural(context, task, loss, clusterer, clusterer, augment=False)
        ours[row] = {
            "w/ loss": Entry(within.mean, note=within.setting),
            "w/o loss": _beside(without.losses, within.losses, without.setting),
        }
    title = "Table 4: the loss inside the search for the worst partition, or not"
    notes = [GUM_NOTE, NEWS_NOTE]
    return [Table.beside(title, ours, SVM_CLUSTER["table4"], notes=notes, digits=(1, 2, 2, 2))]


def table5(context: Context) -> list[Table]:
    """Show training by greedy and by relaxed clustering on news."""
    ours = {}
    for tester, row in (("C_G", "Test C_G"), ("C_R", "Test C_R*")):
        greedy = structural(context, NEWS, "pair", "C_G", tester)
        relaxed = structural(context, NEWS, "pair", "C_R", tester)
        ours[row] = {
            "Train C_G": Entry(greedy.mean, note=greedy.setting),
            "Train C_R": _beside(relaxed.losses, greedy.losses, relaxed.setting),
        }
    title = "Table 5: what searches for the worst partition, Δ_P on news"
    return [Table.beside(title, ours, SVM_CLUSTER["table5"], notes=[NEWS_NOTE], digits=2)]


TABLES = {
    "table1": table1,
    "table2": table2,
    "table3": table3,
    "table4": table4,
    "table5": table5,
}
