"""The cells beyond the papers: a method whose settings are chosen on the training sets, tested."""

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
from coterie_papers.beyond.data import Run, task
from coterie_papers.beyond.methods import Setting, effort_of, settings_of
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.partitions import quiet, texts_of

VERSION = 1
"""To be raised when cells are computed in another way."""

CONLL, PAIR_F1, B3, LOSS, VI = "CoNLL", "pair F1", "B³", "Δ_P", "VI × 100"
MEASURES: Mapping[str, Callable[..., Any]] = {
    CONLL: conll_score,
    PAIR_F1: pair_scores,
    B3: b_cubed,
    LOSS: pair_loss,
    VI: variation_of_information,
}
LOWER = (LOSS, VI)
TARGETS: Mapping[str, tuple[str, ...]] = {
    "gum": (CONLL, LOSS),
    "news": (PAIR_F1, B3, LOSS),
    "threads": (VI,),
}
"""What each table shows; settings are chosen for each of its measures."""


class Point(NamedTuple):
    """A setting by its number, the value of its path by its number, and how it predicts."""

    setting: int
    place: int
    clusterer: Clusterer
    threshold: float
    mean: float


def measured(name: str, truth: Partition, predicted: Partition) -> float:
    """Return a measure as it is shown: of three-part scores the F1, all times 100."""
    number = as_metric_value(MEASURES[name](truth, predicted))
    return number if name == LOSS else 100 * number


def keyed(context: Context, key: Key) -> dict[str, Any]:
    """Return a key with what all have: the version, and whether the run is quick."""
    return {**key, "version": VERSION, **({"quick": True} if context.quick else {})}


def tested(key: Key, folder: Path | None) -> Values:
    """Choose the settings of a method for each measure, and predict the test sets with them."""
    since, quick, table = perf_counter(), bool(key.get("quick")), str(key["table"])
    own = task(str(key["data"]), folder, quick)
    run: Run = own.runs[int(key["run"] or 0)]
    effort = effort_of(table, quick)
    settings = settings_of(str(key["method"]), effort, own.ordered)
    with quiet():
        best = chosen(settings, run.train, effort.n_folds, TARGETS[table])
        found = {name: _shown(settings, point) for name, point in best.items()}
        for name, partitions in _predicted(settings, best, run).items():
            found[name]["predicted"] = texts_of(partitions)
    truth = texts_of(run.test.partitions)
    return {"truth": truth, "choices": found, "seconds": perf_counter() - since}


def chosen(
    settings: Sequence[Setting], train: Corpus, n_folds: int, measures: Sequence[str]
) -> dict[str, Point]:
    """Return for each measure the best of all settings, clusterers and thresholds.

    Each training set is held out once; among equals the first is best.
    """
    best: dict[str, Point] = {}
    for number, setting in enumerate(settings):
        for place, scored in enumerate(_held_out(setting, train, n_folds)):
            thresholds = threshold_grid(scored, train.partitions)
            for clusterer in setting.clusterers:
                means = _means(clusterer, scored, train.partitions, thresholds, measures)
                for name, values in zip(measures, means, strict=True):
                    at = int(np.argmax(values))
                    point = Point(number, place, clusterer, float(thresholds[at]), values[at])
                    if name not in best or point.mean > best[name].mean:
                        best[name] = point
    return best


def _held_out(setting: Setting, train: Corpus, n_folds: int) -> list[list[PairScores]]:
    """Score each training set without having seen it, for each value of the path."""
    n_sets = len(train.item_sets)
    found: list[dict[int, PairScores]] = [{} for _ in range(_n_places(setting))]
    for fold in random_folds(n_sets, n_folds, 0):
        fitted = _fits(setting, train.at(complement(n_sets, fold)))
        for scored, learner in zip(found, fitted, strict=True):
            model = learner.to_model()
            scored.update({n: model.scores(train.item_sets[n]) for n in fold.tolist()})
    return [[scored[number] for number in range(n_sets)] for scored in found]


def _n_places(setting: Setting) -> int:
    return max([len(values) for values in setting.path.values()], default=1)


def _fits(setting: Setting, corpus: Corpus) -> list[Learner]:
    learner: Any = clone(setting.learner)
    for values in setting.path.values():
        fitted: list[Learner] = learner.fit_path(*corpus, list(values))
        return fitted
    return [learner.fit(*corpus)]


def _means(
    clusterer: Clusterer,
    scored: Sequence[PairScores],
    truths: Sequence[Partition],
    thresholds: Floats,
    measures: Sequence[str],
) -> list[Floats]:
    """Return the mean of each measure at each threshold, with the sign by which more is better."""
    sums = np.zeros((len(measures), len(thresholds)))
    for scores, truth in zip(scored, truths, strict=True):
        for at, found in enumerate(partitions_at(clusterer, scores, thresholds)):
            sums[:, at] += [measured(name, truth, found) for name in measures]
    signs = [-1.0 if name in LOWER else 1.0 for name in measures]
    return [sign * row / len(truths) for sign, row in zip(signs, sums, strict=True)]


def _predicted(
    settings: Sequence[Setting], best: Mapping[str, Point], run: Run
) -> dict[str, list[Partition]]:
    """Fit each setting that was chosen once, and predict the test sets at its points."""
    found = {}
    for number in {point.setting for point in best.values()}:
        fitted = _fits(settings[number], run.train)
        for name, point in best.items():
            if point.setting == number:
                model = fitted[point.place].to_model()
                similarity = shift_similarity(model.similarity, point.threshold)
                decoder = replace(model, similarity=similarity, clusterer=point.clusterer)
                found[name] = decoder.predict(run.test.item_sets)
    return found


def _shown(settings: Sequence[Setting], point: Point) -> dict[str, Any]:
    setting = settings[point.setting]
    path = {name.removeprefix("n_"): values[point.place] for name, values in setting.path.items()}
    decoder = {"clusterer": type(point.clusterer).__name__, "threshold": point.threshold}
    return {"params": {**setting.params, **path, **decoder}, "cross-validated": abs(point.mean)}
