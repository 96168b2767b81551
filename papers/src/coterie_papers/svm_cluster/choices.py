"""Choice of C and thresholds by cross-validation, and the notes that describe it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from coterie.learners import Coarse, Fine
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.svm_cluster.cells import (
    MEASURES,
    TEST,
    VERSION,
    TrainingTask,
    train_classifier,
    train_path,
)


class TriedSetting(NamedTuple):
    """One setting of a learner, its cross-validated loss, and its measures on the test sets.

    `loss` names the loss of the training, and `error` is its mean over the held-out sets. The
    threshold of a structural SVM is always 0.
    """

    C: float
    threshold: float
    loss: str
    error: float
    measures: Mapping[str, list[float]]
    gap: float

    @property
    def name(self) -> str:
        """The value of C as tables print it."""
        return f"C = {self.C:g}"

    @property
    def losses(self) -> list[float]:
        """The losses on the test sets, by the loss of the training."""
        return self.measures[self.loss]

    @property
    def mean(self) -> float:
        """The mean loss over the test sets."""
        return float(np.mean(self.losses))

    @property
    def conll(self) -> float:
        """The mean CoNLL score over the test sets, in percent."""
        return 100 * float(np.mean(self.measures["conll"]))


def choose_structural(
    context: Context,
    task: TrainingTask,
    loss: str,
    train_clusterer: str = "C_G",
    test_clusterer: str = "C_G",
    augment: bool = True,
) -> TriedSetting:
    """Choose C for SVM-cluster; if the best value is at an end of the range, try the next one."""
    key_parts: dict[str, Any] = {
        "data": task.label,
        "train": train_clusterer,
        "loss": loss,
        "augment": augment,
    }
    powers: list[int] = []
    settings: list[TriedSetting] = []
    low, high = task.low, task.high
    for _ in range(task.effort.n_extensions + 1):
        new_powers = range(low, high + 1)
        cells = _cells_by_fold(context, task, train_path, {**key_parts, "low": low, "high": high})
        settings += _tried_settings(
            [(10.0**power, 0.0) for power in new_powers], cells, test_clusterer, loss
        )
        powers += new_powers
        best = powers[int(np.argmin([setting.error for setting in settings]))]
        if best not in (min(powers), max(powers)):
            break
        low = high = best + (1 if best == max(powers) else -1)
    return _least_error(settings)


def choose_classifier(
    context: Context,
    task: TrainingTask,
    loss: str,
    balanced: bool = False,
    tuned: bool = False,
    test_clusterer: str = "C_G",
) -> TriedSetting:
    """Choose C for a pair classifier, and its threshold if that is tuned; otherwise it is 0."""
    settings: list[TriedSetting] = []
    for C in task.effort.classifier_grid:
        key_parts = {"data": task.label, "balanced": balanced, "C": C}
        cells = _cells_by_fold(context, task, train_classifier, key_parts)
        values = [(C, threshold) for threshold in task.effort.thresholds]
        settings += _tried_settings(values, cells, test_clusterer, loss)
    return _least_error([setting for setting in settings if tuned or not setting.threshold])


def _cells_by_fold(
    context: Context, task: TrainingTask, compute: Callable[..., Any], settings: Mapping[str, Any]
) -> list[Values]:
    """Return the cell of each fold, then that of the test sets."""
    folds = [*range(task.n_folds), TEST]
    return context.run([_key(task, settings, fold) for fold in folds], compute)


def _key(task: TrainingTask, settings: Mapping[str, Any], fold: int | str) -> Key:
    """Return the key of a cell, with all that its values depend on except the corpus itself."""
    solver = {"solver": repr(task.solver)} if "train" in settings else {}
    return {**settings, **solver, "folds": task.n_folds, "fold": fold, "version": VERSION}


def _tried_settings(
    values: Sequence[tuple[float, float]], cells: Sequence[Values], test_clusterer: str, loss: str
) -> list[TriedSetting]:
    """Return the settings of some values of C and threshold, with errors over all folds."""
    *folds, test = cells
    settings = []
    for index, (C, threshold) in enumerate(values):
        # Each training set is held out in one fold, so it counts once.
        held_out = [value for fold in folds for value in fold[test_clusterer][loss][index]]
        measures = {measure: series[index] for measure, series in test[test_clusterer].items()}
        gap = test["gaps"][index] if "gaps" in test else 0.0
        settings.append(TriedSetting(C, threshold, loss, float(np.mean(held_out)), measures, gap))
    return settings


def _least_error(settings: Sequence[TriedSetting]) -> TriedSetting:
    return min(settings, key=lambda setting: setting.error)


def default_losses(context: Context, task: TrainingTask, loss: str) -> list[float]:
    """Return the losses without learning: single items for the pair loss, one cluster for MITRE."""
    corpus = task.corpus(context.data_folder, TEST)
    learner = (Fine() if loss == "pair" else Coarse()).fit(*corpus)
    predicted = learner.predict(corpus.item_sets)
    pairs = zip(corpus.partitions, predicted, strict=True)
    return [float(MEASURES[loss](truth, prediction)) for truth, prediction in pairs]


# Notes below the tables, on the data and on the choice of settings.

CORPUS_NOTES = {
    "gum": "GUM in place of MUC-6, which is not free: 30 documents for training and 30 for "
    "testing, as in the paper, with 52 features per pair instead of 53",
    "news": "ECB+ in place of Google News, whose 15 days for training and 15 for testing are not "
    "public: 5 sets for training and 4 for testing, with 30 cosines as in the paper; ECB+ has two "
    "similar stories per topic, and both are in the same set, which makes the stories harder to "
    "separate",
}
SAME_DATA = "as in the tables above."
CORPUS_LABELS = {"gum": "coreference", "news": "news"}


def describe_data(*tasks: TrainingTask) -> str:
    """Describe the corpora, which stand in for those of the paper."""
    notes = "; ".join(CORPUS_NOTES[task.name] + _limit_note(task) for task in tasks)
    return f"similar to the paper's: {notes}."


def _limit_note(task: TrainingTask) -> str:
    n_sets = task.effort.n_sets
    return "" if n_sets is None else f"; here only the first {n_sets} sets of each"


def protocol_note(*tasks: TrainingTask) -> str:
    """Describe how C is chosen and how losses are tested."""
    folds = " and ".join(f"{task.n_folds}-fold" + _label_of(task, tasks) for task in tasks)
    few = " With so few sets of news, only large differences can be significant."
    return (
        f"C is chosen by {folds} cross-validation on the training sets, with the clusterer that is "
        "used in the test. p: two-tailed paired t-test over the test sets; below 0.05 is "
        "significant." + few * _has_news(tasks)
    )


def _label_of(task: TrainingTask, tasks: tuple[TrainingTask, ...]) -> str:
    return f" ({CORPUS_LABELS[task.name]})" if len(tasks) > 1 else ""


def _has_news(tasks: tuple[TrainingTask, ...]) -> bool:
    return any(task.name == "news" for task in tasks)
