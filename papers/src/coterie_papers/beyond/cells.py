"""The cells beyond the papers: a method tested with settings chosen on the training sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from coterie.clusterers.thresholds import partitions_at
from coterie.datasets.corpus import Corpus
from coterie.learners.auto.decoding import threshold_grid
from coterie.learners.base import Learner
from coterie.learners.parts import as_metric_value, complement, random_folds
from coterie.metrics import (
    b_cubed,
    conll_score,
    pair_loss,
    pair_scores,
    variation_of_information,
)
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.similarities.base import shift_similarity
from coterie.toolkit import Clusterer, Floats
from coterie_papers.beyond.data import Run, read_task
from coterie_papers.beyond.methods import LearnerSetting, grid_of, settings_of
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.partitions import partitions_of, quiet, texts_of

VERSION = 1
"""The version of the computation; raise it when cells are computed in another way."""

CONLL, PAIR_F1, B3, LOSS, VI = "CoNLL", "pair F1", "B³", "Δ_P", "VI × 100"
MEASURES: Mapping[str, Callable[..., Any]] = {
    CONLL: conll_score,
    PAIR_F1: pair_scores,
    B3: b_cubed,
    LOSS: pair_loss,
    VI: variation_of_information,
}

LOWER = (LOSS, VI)
"""The measures of which lower values are better."""

TARGETS: Mapping[str, tuple[str, ...]] = {
    "gum": (CONLL, LOSS),
    "news": (PAIR_F1, B3, LOSS),
    "threads": (VI,),
}
"""The measures of each table; the settings of a method are chosen for each of them separately."""


class OperatingPoint(NamedTuple):
    """A setting, a value of its path, a clusterer and a threshold, with their mean result.

    The setting and the value of its path are given by their indices.
    """

    setting: int
    path_index: int
    clusterer: Clusterer
    threshold: float
    mean: float


def measure_value(name: str, truth: Partition, predicted: Partition) -> float:
    """Return a measure as the tables show it, times 100; of precision, recall and F1 this is F1."""
    value = as_metric_value(MEASURES[name](truth, predicted))
    return value if name == LOSS else 100 * value  # losses run from 0 to 100 already


def measure_texts(name: str, truths: Sequence[str], predicted: Sequence[str]) -> list[float]:
    """Return a measure of each test set; cells hold partitions as texts."""
    partitions = zip(partitions_of(truths), partitions_of(predicted), strict=True)
    return [measure_value(name, *pair) for pair in partitions]


def complete_key(context: Context, key: Key) -> dict[str, Any]:
    """Add to a key what all keys have: the version and, for quick runs, a mark."""
    return {**key, "version": VERSION, **({"quick": True} if context.quick else {})}


def compute_method(key: Key, folder: Path | None) -> Values:
    """Choose the settings of a method for each measure, and predict the test sets with them."""
    start, quick, table = perf_counter(), bool(key.get("quick")), str(key["table"])
    task = read_task(str(key["data"]), folder, quick)
    run: Run = task.runs[int(key["run"] or 0)]
    grid = grid_of(table, quick)
    settings = settings_of(str(key["method"]), grid, task.ordered)
    with quiet():
        points = choose_points(settings, run.train, grid.n_folds, TARGETS[table])
        choices = {name: _point_values(settings, point) for name, point in points.items()}
        for name, partitions in _predict(settings, points, run).items():
            choices[name]["predicted"] = texts_of(partitions)
    truth = texts_of(run.test.partitions)
    return {"truth": truth, "choices": choices, "seconds": perf_counter() - start}


def choose_points(
    settings: Sequence[LearnerSetting], train: Corpus, n_folds: int, measures: Sequence[str]
) -> dict[str, OperatingPoint]:
    """Return the best setting, clusterer and threshold for each measure, by cross-validation.

    Each training set is held out once. Of equally good points, the first is chosen.
    """
    points: dict[str, OperatingPoint] = {}
    for index, setting in enumerate(settings):
        for path_index, scores in enumerate(_held_out_scores(setting, train, n_folds)):
            thresholds = threshold_grid(scores, train.partitions)
            for clusterer in setting.clusterers:
                means = _mean_values(clusterer, scores, train.partitions, thresholds, measures)
                for name, values in zip(measures, means, strict=True):
                    best = int(np.argmax(values))
                    if name not in points or values[best] > points[name].mean:
                        points[name] = OperatingPoint(
                            index, path_index, clusterer, float(thresholds[best]), values[best]
                        )
    return points


def _held_out_scores(
    setting: LearnerSetting, train: Corpus, n_folds: int
) -> list[list[PairScores]]:
    """Return the scores of each training set by learners that did not see it.

    There is one list for each value of the path.
    """
    n_sets = len(train.item_sets)
    scores_of_path: list[dict[int, PairScores]] = [{} for _ in range(_path_length(setting))]
    for fold in random_folds(n_sets, n_folds, 0):
        learners = _fit_path(setting, train.at(complement(n_sets, fold)))
        for scores, learner in zip(scores_of_path, learners, strict=True):
            model = learner.to_model()
            scores.update({index: model.scores(train.item_sets[index]) for index in fold.tolist()})
    return [[scores[index] for index in range(n_sets)] for scores in scores_of_path]


def _path_length(setting: LearnerSetting) -> int:
    return max([len(values) for values in setting.path.values()], default=1)


def _fit_path(setting: LearnerSetting, corpus: Corpus) -> list[Learner]:
    """Fit the learner of a setting for each value of its path, or once if there is no path."""
    learner: Any = clone(setting.learner)
    for values in setting.path.values():  # there is at most one parameter
        learners: list[Learner] = learner.fit_path(*corpus, list(values))
        return learners
    return [learner.fit(*corpus)]


def _mean_values(
    clusterer: Clusterer,
    set_scores: Sequence[PairScores],
    truths: Sequence[Partition],
    thresholds: Floats,
    measures: Sequence[str],
) -> list[Floats]:
    """Return the mean of each measure at each threshold, negated if lower values are better."""
    sums = np.zeros((len(measures), len(thresholds)))
    for scores, truth in zip(set_scores, truths, strict=True):
        for column, predicted in enumerate(partitions_at(clusterer, scores, thresholds)):
            sums[:, column] += [measure_value(name, truth, predicted) for name in measures]
    signs = [-1.0 if name in LOWER else 1.0 for name in measures]
    return [sign * row / len(truths) for sign, row in zip(signs, sums, strict=True)]


def _predict(
    settings: Sequence[LearnerSetting], points: Mapping[str, OperatingPoint], run: Run
) -> dict[str, list[Partition]]:
    """Predict the test sets with the point of each measure; each chosen setting is fitted once."""
    predictions = {}
    for index in {point.setting for point in points.values()}:
        learners = _fit_path(settings[index], run.train)
        for name, point in points.items():
            if point.setting == index:
                model = learners[point.path_index].to_model()
                similarity = shift_similarity(model.similarity, point.threshold)
                model = replace(model, similarity=similarity, clusterer=point.clusterer)
                predictions[name] = model.predict(run.test.item_sets)
    return predictions


def _point_values(settings: Sequence[LearnerSetting], point: OperatingPoint) -> dict[str, Any]:
    """Return a point as a cell holds it."""
    setting = settings[point.setting]
    path_params = {
        name.removeprefix("n_"): values[point.path_index] for name, values in setting.path.items()
    }
    decoding = {"clusterer": type(point.clusterer).__name__, "threshold": point.threshold}
    params = {**setting.params, **path_params, **decoding}
    return {"params": params, "cross-validated": abs(point.mean)}
