"""Small sets of scores and items for checks, and a process that uses a saved model."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Floats
from coterie.items import ItemSet, PairFeatures
from coterie.pairs import PairScores, all_pairs, count_pairs
from coterie.partition import Partition

MAX_ENUMERATED_ITEMS = 6
"""Up to this number of items, a solution is compared with all partitions."""

N_COLUMNS = 3
"""The number of features of the item sets."""

ItemSetMaker: TypeAlias = Callable[[Partition, int | None, np.random.Generator], ItemSet]
"""A function that makes items of a partition, with a number of clusters or without."""

Kind: TypeAlias = Literal["vectors", "pair features"]


def degenerate_scores(n_clusters: int | None) -> Iterator[PairScores]:
    """Yield scores of few items: no pairs, or all pairs with equal scores."""
    for n_items in (0, 1, 2, 5):
        for level in (0.0, 1.0, -1.0):
            scores = np.full(count_pairs(n_items), level)
            yield _pair_scores(n_items, None, scores, n_clusters)
        yield _pair_scores(n_items, np.empty((0, 2), dtype=np.intp), np.empty(0), n_clusters)


def random_scores(rng: np.random.Generator, n_clusters: int | None) -> Iterator[PairScores]:
    """Yield distinct scores, of all pairs or half of them, of both signs or one sign."""
    for n_items in (3, MAX_ENUMERATED_ITEMS, 12):
        for low, high in ((-2.0, 2.0), (-2.0, 2.0), (0.1, 1.0), (-1.0, -0.1)):
            scores = rng.uniform(low, high, size=count_pairs(n_items))
            yield _pair_scores(n_items, None, scores, n_clusters)
            half = rng.permutation(len(scores))[: len(scores) // 2]
            yield _pair_scores(n_items, all_pairs(n_items)[half], scores[half], n_clusters)
        scores, diagonal = rng.normal(size=count_pairs(n_items)), rng.normal(size=n_items)
        yield _pair_scores(n_items, None, scores, n_clusters, diagonal)


def _pair_scores(
    n_items: int,
    pairs: Any,
    scores: Floats,
    n_clusters: int | None,
    diagonal: Floats | None = None,
) -> PairScores:
    n_possible = None if n_clusters is None else min(n_clusters, n_items)
    return PairScores(n_items, pairs, scores, diagonal, n_possible)


class Task(NamedTuple):
    """Item sets of one kind with their true partitions."""

    description: str
    item_sets: list[Any]
    truths: list[Any]


class Tasks(NamedTuple):
    """Makes tasks of one kind.

    If `gives_n_clusters`, the item sets have their number of clusters.
    """

    kind: Kind
    gives_n_clusters: bool
    random_state: int

    def usual(self) -> Task:
        """Make three item sets with clear clusters."""
        return self._task("three item sets", _usual_truths())

    def noisy(self) -> Task:
        """Make item sets with random features, so that their best partition is not obvious."""
        task = self._task("noise", _usual_truths())
        rng = np.random.default_rng(self.random_state)
        sets = [
            _with_numbers(items, rng.normal(size=_numbers(items).shape)) for items in task.item_sets
        ]
        return task._replace(item_sets=sets)

    def unusual(self) -> Iterator[Task]:
        """Yield tasks of a single item set, of tiny item sets and of degenerate partitions."""
        singleton, empty = Partition([0]), Partition([])
        for description, truths in {
            "one item set": _usual_truths()[:1],
            "sets of one item among others": [singleton, *_usual_truths(), singleton],
            "only sets of one item": [singleton, singleton],
            "truths of singletons": [Partition(range(5)), Partition(range(3))],
            "truths of one cluster": [Partition([0] * 5), Partition([0] * 3)],
            "sets without items among others": [empty, *_usual_truths(), empty],
        }.items():
            yield self._task(description, truths)
        usual = self._task("an empty list among others", _usual_truths())
        yield Task(usual.description, [[], *usual.item_sets], [[], *usual.truths])
        if self.kind == "pair features":
            yield self._with_few_pairs()

    def _task(self, description: str, truths: list[Partition]) -> Task:
        rng = np.random.default_rng(self.random_state)
        make_items = _MAKERS[self.kind]
        sets = [make_items(truth, self._n_clusters(truth), rng) for truth in truths]
        return Task(f"{description} of {self.kind}", sets, truths)

    def _n_clusters(self, truth: Partition) -> int | None:
        return truth.n_clusters if self.gives_n_clusters else None

    def _with_few_pairs(self) -> Task:
        """Add an item set without candidate pairs, and one with a single candidate pair."""
        usual = self._task("sets with few pairs among others", _usual_truths())
        truth = Partition([0, 0, 1])
        without_pairs, with_one_pair = (
            ItemSet.from_pair_features(
                np.ones((n_pairs, N_COLUMNS)),
                len(truth),
                all_pairs(len(truth))[:n_pairs],
                n_clusters=self._n_clusters(truth),
            )
            for n_pairs in (0, 1)
        )
        item_sets = [without_pairs, *usual.item_sets, with_one_pair]
        return Task(usual.description, item_sets, [truth, *usual.truths, truth])


def _usual_truths() -> list[Partition]:
    label_lists = ([0, 0, 1, 2, 1, 2, 2], [0, 1, 1, 0, 2], [0, 1, 0, 1, 2, 0])
    return [Partition(labels) for labels in label_lists]


def _vectors(truth: Partition, n_clusters: int | None, rng: np.random.Generator) -> ItemSet:
    """Make item vectors with large products inside clusters."""
    centres = 2.0 * np.eye(N_COLUMNS)[truth.labels % N_COLUMNS]
    noise = rng.normal(scale=0.3, size=(len(truth), N_COLUMNS))
    return ItemSet(centres + noise, n_clusters=n_clusters)


def _pair_features(truth: Partition, n_clusters: int | None, rng: np.random.Generator) -> ItemSet:
    """Make pair features; the first feature is positive inside clusters."""
    features = rng.normal(scale=0.3, size=(count_pairs(len(truth)), N_COLUMNS))
    features[:, 0] += np.where(truth.together(), 1.0, -1.0)
    return ItemSet.from_pair_features(features, len(truth), n_clusters=n_clusters)


_MAKERS: dict[Kind, ItemSetMaker] = {"vectors": _vectors, "pair features": _pair_features}


def _numbers(item_set: ItemSet) -> Floats:
    """Return the item vectors or pair features of an item set."""
    items = item_set.items
    numbers: Floats = items.features if isinstance(items, PairFeatures) else items
    return numbers


def _with_numbers(item_set: ItemSet, numbers: Any, pairs: Any = None) -> ItemSet:
    """Make an item set of the same kind with other vectors or pair features."""
    n_clusters = item_set.n_clusters
    if isinstance(item_set.items, PairFeatures):
        return ItemSet.from_pair_features(numbers, len(item_set), pairs, n_clusters=n_clusters)
    return ItemSet(numbers, n_clusters=n_clusters)


def with_reversed_pairs(item_set: ItemSet) -> ItemSet:
    """Return the same pair features for all pairs from the last to the first, as (j, i)."""
    pairs = all_pairs(len(item_set))
    return _with_numbers(item_set, _numbers(item_set)[::-1], pairs[::-1, ::-1])


def with_more_columns(item_set: ItemSet) -> ItemSet:
    """Return the item set with two more features."""
    numbers = _numbers(item_set)
    return _with_numbers(item_set, np.column_stack([numbers, numbers[:, :2]]))


def writable_copies(task: Task) -> tuple[list[Any], list[NDArray[Any]]]:
    """Return copies of the item sets, and their arrays, which can be written to.

    Where an array alone can stand for an item set, it does.
    """
    arrays = [np.array(_numbers(items)) for items in task.item_sets]
    sets: list[Any] = []
    for item_set, array in zip(task.item_sets, arrays, strict=True):
        has_pair_features = isinstance(item_set.items, PairFeatures)
        array_suffices = item_set.n_clusters is None and not has_pair_features
        sets.append(array if array_suffices else _with_numbers(item_set, array))
    return sets, arrays


_PROGRAM = """
import importlib, json, sys

model_path, arrays_path, n_clusters, class_names = sys.argv[1:]
classes = [
    getattr(importlib.import_module(module), name) for module, name in json.loads(class_names)
]

import numpy as np
from coterie.items import ItemSet
from coterie.model import Model

with np.load(arrays_path) as file:
    sets = [ItemSet(file[f"arr_{i}"], n_clusters=k) for i, k in enumerate(json.loads(n_clusters))]
predictions = Model.load(model_path, classes).predict(sets)
sys.stdout.write(json.dumps([partition.labels.tolist() for partition in predictions]))
"""


@contextmanager
def predict_in_another_process(
    path: Path, item_sets: Sequence[ItemSet], classes: Sequence[type]
) -> Iterator[Callable[[], list[Partition]]]:
    """Start a new process that predicts for item sets of vectors with a saved model.

    Yields a function that waits for the process and returns its predictions.
    """
    arrays_path = path.with_suffix(".npz")
    np.savez(arrays_path, *(items.items for items in item_sets))
    n_clusters = json.dumps([items.n_clusters for items in item_sets])
    class_names = json.dumps([(cls.__module__, cls.__qualname__) for cls in classes])
    arguments = [str(path), str(arrays_path), n_clusters, class_names]
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    # The process must be able to import what this one can.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with Popen(command, env=environment, stdout=PIPE, stderr=PIPE, text=True) as process:  # noqa: S603
        try:
            yield lambda: _read_predictions(process)
        finally:
            process.kill()


def _read_predictions(process: "Popen[str]") -> list[Partition]:
    output, errors = process.communicate()
    assert process.returncode == 0, f"another process cannot use the saved model: {errors}"
    return [Partition(labels) for labels in json.loads(output)]
