"""Small item sets that learners are checked on, and a process that reads their models."""

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
from coterie.pairs import all_pairs, count_pairs
from coterie.partition import Partition

N_COLUMNS = 3

Make: TypeAlias = Callable[[Partition, int | None, np.random.Generator], ItemSet]
Kind: TypeAlias = Literal["vectors", "pair features"]


class Task(NamedTuple):
    """Item sets of one kind with their truths."""

    what: str
    item_sets: list[Any]
    truths: list[Any]


class Tasks(NamedTuple):
    """Makes tasks of one kind; `known` says whether the number of clusters comes with the items."""

    kind: Kind
    known: bool
    random_state: int

    def usual(self) -> Task:
        """Make three item sets."""
        return self._task("three item sets", _usual())

    def noisy(self) -> Task:
        """Make item sets whose features tell nothing, so that no clustering of them is plain."""
        task = self._task("noise", _usual())
        rng = np.random.default_rng(self.random_state)
        noise = [rng.normal(size=_numbers(items).shape) for items in task.item_sets]
        sets = [_changed(*both) for both in zip(task.item_sets, noise, strict=True)]
        return task._replace(item_sets=sets)

    def unusual(self) -> Iterator[Task]:
        """Make one item set, small ones, and some whose truths have one kind of cluster only."""
        one, none = Partition([0]), Partition([])
        for what, truths in {
            "one item set": _usual()[:1],
            "sets of one item beside others": [one, *_usual(), one],
            "sets of one item alone": [one, one],
            "truths of single items": [Partition(range(5)), Partition(range(3))],
            "truths of one cluster": [Partition([0] * 5), Partition([0] * 3)],
            "a set without items beside others": [none, *_usual(), none],
        }.items():
            yield self._task(what, truths)
        usual = self._task("an empty list beside others", _usual())
        yield Task(usual.what, [[], *usual.item_sets], [[], *usual.truths])
        if self.kind == "pair features":
            yield self._with_few_pairs()

    def _task(self, what: str, truths: list[Partition]) -> Task:
        rng = np.random.default_rng(self.random_state)
        make = _MAKERS[self.kind]
        sets = [make(truth, truth.n_clusters if self.known else None, rng) for truth in truths]
        return Task(f"{what} of {self.kind}", sets, truths)

    def _with_few_pairs(self) -> Task:
        """Add an item set none of whose pairs is listed, and one that lists but one."""
        usual = self._task("sets with few pairs beside others", _usual())
        truth, known = Partition([0, 0, 1]), 2 if self.known else None
        none, one = (
            ItemSet.from_pair_features(
                np.ones((n_pairs, N_COLUMNS)), 3, all_pairs(3)[:n_pairs], n_clusters=known
            )
            for n_pairs in (0, 1)
        )
        return Task(usual.what, [none, *usual.item_sets, one], [truth, *usual.truths, truth])


def _usual() -> list[Partition]:
    labels = ([0, 0, 1, 2, 1, 2, 2], [0, 1, 1, 0, 2], [0, 1, 0, 1, 2, 0])
    return [Partition(given) for given in labels]


def _vectors(truth: Partition, n_clusters: int | None, rng: np.random.Generator) -> ItemSet:
    """Make item vectors whose products are high inside clusters."""
    centres = 2.0 * np.eye(N_COLUMNS)[truth.labels % N_COLUMNS]
    noise = rng.normal(scale=0.3, size=(len(truth), N_COLUMNS))
    return ItemSet(centres + noise, n_clusters=n_clusters)


def _pairs(truth: Partition, n_clusters: int | None, rng: np.random.Generator) -> ItemSet:
    """Make pair features of which the first is positive inside clusters."""
    features = rng.normal(scale=0.3, size=(count_pairs(len(truth)), N_COLUMNS))
    features[:, 0] += np.where(truth.together(), 1.0, -1.0)
    return ItemSet.from_pair_features(features, len(truth), n_clusters=n_clusters)


_MAKERS: dict[Kind, Make] = {"vectors": _vectors, "pair features": _pairs}


def _numbers(item_set: ItemSet) -> Floats:
    items = item_set.items
    numbers: Floats = items.features if isinstance(items, PairFeatures) else items
    return numbers


def _changed(item_set: ItemSet, numbers: Any, pairs: Any = None) -> ItemSet:
    """Make an item set of the same kind with other numbers."""
    known = item_set.n_clusters
    if isinstance(item_set.items, PairFeatures):
        return ItemSet.from_pair_features(numbers, len(item_set), pairs, n_clusters=known)
    return ItemSet(numbers, n_clusters=known)


def relisted(item_set: ItemSet) -> ItemSet:
    """List all pairs from the last to the first."""
    pairs = all_pairs(len(item_set))
    return _changed(item_set, _numbers(item_set)[::-1], pairs[::-1, ::-1])


def widened(item_set: ItemSet) -> ItemSet:
    """Add two columns."""
    numbers = _numbers(item_set)
    return _changed(item_set, np.column_stack([numbers, numbers[:, :2]]))


def owned(task: Task) -> tuple[list[Any], list[NDArray[Any]]]:
    """Copy the item sets over arrays that can be written to; plain arrays where those will do."""
    arrays = [np.array(_numbers(items)) for items in task.item_sets]
    sets: list[Any] = []
    for item_set, array in zip(task.item_sets, arrays, strict=True):
        plain = item_set.n_clusters is None and not isinstance(item_set.items, PairFeatures)
        sets.append(array if plain else _changed(item_set, array))
    return sets, arrays


_PROGRAM = """
import importlib, json, sys

path, arrays, known, own = sys.argv[1:]
classes = [getattr(importlib.import_module(where), name) for where, name in json.loads(own)]

import numpy as np
from coterie.items import ItemSet
from coterie.model import Model

with np.load(arrays) as file:
    sets = [ItemSet(file[f"arr_{i}"], n_clusters=k) for i, k in enumerate(json.loads(known))]
found = Model.load(path, classes).predict(sets)
sys.stdout.write(json.dumps([partition.labels.tolist() for partition in found]))
"""


@contextmanager
def predicted_elsewhere(
    path: Path, item_sets: Sequence[ItemSet], classes: Sequence[type]
) -> Iterator[Callable[[], list[Partition]]]:
    """Predict for item sets of vectors with a saved model, in a process that knows nothing else.

    What is yielded waits for the process, and returns what it predicts.
    """
    arrays = path.with_suffix(".npz")
    np.savez(arrays, *(items.items for items in item_sets))
    known = json.dumps([items.n_clusters for items in item_sets])
    own = json.dumps([(kind.__module__, kind.__qualname__) for kind in classes])
    command = [sys.executable, "-c", _PROGRAM, str(path), str(arrays), known, own]
    found_here = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with Popen(command, env=found_here, stdout=PIPE, stderr=PIPE, text=True) as process:  # noqa: S603
        try:
            yield lambda: _read(process)
        finally:
            process.kill()


def _read(process: "Popen[str]") -> list[Partition]:
    output, errors = process.communicate()
    assert process.returncode == 0, f"another process cannot use the saved model: {errors}"
    return [Partition(labels) for labels in json.loads(output)]
