"""The contract of a learner."""

import gc
import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from coterie._core.arrays import Floats
from coterie.checks._estimators import (
    assert_raises,
    called,
    check_constructor,
    check_nested,
    check_params,
    cloned,
    described,
    name_of,
)
from coterie.checks._examples import (
    N_COLUMNS,
    Task,
    Tasks,
    owned,
    predicted_elsewhere,
    relisted,
    widened,
)
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.learners.base import Learner
from coterie.metrics import b_cubed, macro
from coterie.model import Model
from coterie.partition import Partition


def check_learner(
    learner: Learner,
    *,
    needs_n_clusters: bool = False,
    order_free: bool = True,
    sees_features: bool = True,
    saves: bool = True,
    classes: Sequence[type] = (),
    random_state: int = 0,
) -> None:
    """Check that a learner keeps the contract of its family, on small made-up item sets.

    Its constructor stores what it is given and looks at none of it; it can be cloned, and its
    parameters and those of its values can be got and set. `fit` returns the learner and leaves
    `similarity_`. It needs no certain number of items, pairs, clusters or item sets, takes labels
    of any name, changes and keeps nothing that it was given, and does the same every time, bit for
    bit. `predict`, `score` and `to_model` agree, and raise `NotFittedError` before `fit`. What
    cannot be used is refused with the number of the item set. The model, saved and read by another
    process, predicts the same.

    Parameters
    ----------
    learner
        The learner, which is not fitted itself. It takes item vectors and pair features.
    needs_n_clusters
        Whether the item sets come with their number of clusters.
    order_free
        Whether the order of the items must not matter in prediction.
    sees_features
        Whether features are looked at, so that another number of them must be refused.
    saves
        Whether the model can be saved; if not, it must refuse to be.
    classes
        Dataclasses of your own that the model is made of; the other process imports them.
    random_state
        Seed of the item sets.

    Examples
    --------
    >>> from coterie.learners import SVMCluster
    >>> check_learner(SVMCluster(C=1e3))
    """
    before = described(learner)
    check_constructor(learner)
    check_params(learner)
    check_nested(learner)
    _check_unfitted(learner)
    kinds = [
        Tasks("vectors", needs_n_clusters, random_state),
        Tasks("pair features", needs_n_clusters, random_state),
    ]
    vectors, pairs = ((_check_task(learner, kind.usual()), kind.usual()) for kind in kinds)
    with _read_elsewhere(*vectors, saves, classes) as check_what_was_read:
        for kind, (fitted, task) in zip(kinds, (vectors, pairs), strict=True):
            _check_refusals(fitted, task)
            if sees_features:
                _check_number_of_features(fitted, task)
            if order_free:
                _check_item_order(fitted, kind.noisy())
            _check_care(learner, task, before)
            _check_what_must_not_matter(fitted, task)
        _check_pair_order(*pairs)
        for kind in kinds:
            for task in kind.unusual():
                _predicted(_check_task(learner, task), kind.usual())
        check_what_was_read()


# What it learns.


def _check_unfitted(learner: Learner) -> None:
    copy = cloned(learner)
    sets, truths = [np.eye(2)], [[0, 1]]
    for what, call in (
        ("predict", lambda _: copy.predict(sets)),
        ("score", lambda _: copy.score(sets, truths)),
        ("to_model", lambda _: copy.to_model()),
    ):
        message = f"{name_of(learner)}: {what} works before fit"
        assert_raises(call, None, NotFittedError, message)


def _check_task(learner: Learner, task: Task) -> Learner:
    """Fit a clone, and check that all ways to ask what it learned agree."""
    where = f"{name_of(learner)} on {task.what}"
    fitted = _fitted(learner, task)
    found = _predicted(fitted, task)
    model = fitted.to_model()
    assert isinstance(model, Model), f"{where}: to_model returns {type(model).__name__}, no Model"
    assert model.predict(task.item_sets) == found, f"{where}: the model predicts otherwise"
    for items in filter(len, task.item_sets):
        own = fitted.similarity_(items, model.blocker(items))
        same = np.array_equal(own, model.scores(items).scores)
        assert same, f"{where}: the model has another similarity"
    score = fitted.score(task.item_sets, task.truths)
    expected = macro(b_cubed, task.truths, found).f1
    same = abs(score - expected) <= 1e-12
    assert same, f"{where}: the score is {score}, but the mean B-cubed F1 {expected}"
    return fitted


def _check_what_must_not_matter(fitted: Learner, task: Task) -> None:
    """Check that another fit, the names of labels and earlier fits leave every bit as it was."""
    bits = _bits(fitted, task)
    assert _bits(_fitted(fitted, task), task) == bits, f"{name_of(fitted)}: each fit is another"
    for names in (lambda label: f"cluster {9 - label}", lambda label: 7 - 2 * label):
        renamed = [[names(label) for label in truth.labels.tolist()] for truth in task.truths]
        again = _fitted(fitted, task._replace(truths=renamed))
        assert _bits(again, task) == bits, f"{name_of(fitted)}: the names of labels matter"
    fitted.fit(task.item_sets[:2], task.truths[:2]).fit(task.item_sets, task.truths)
    assert _bits(fitted, task) == bits, f"{name_of(fitted)}: an earlier fit matters"


def _check_item_order(fitted: Learner, task: Task) -> None:
    orders = [np.random.default_rng(0).permutation(len(items)) for items in task.item_sets]
    moved = [items.reordered(order) for items, order in zip(task.item_sets, orders, strict=True)]
    found = _predicted(fitted, task)
    expected = [Partition(p.labels[order]) for p, order in zip(found, orders, strict=True)]
    same = _predicted(fitted, task._replace(item_sets=moved)) == expected
    assert same, f"{name_of(fitted)} on {task.what}: the order of the items matters"


def _check_pair_order(fitted: Learner, task: Task) -> None:
    listed = task._replace(item_sets=[relisted(items) for items in task.item_sets])
    expected, scored = _predicted(fitted, task), _scores(fitted, task)
    again = _fitted(fitted, listed)
    for learner, asked, what in ((fitted, listed, "prediction"), (again, task, "fit")):
        same = _predicted(learner, asked) == expected
        same &= np.allclose(_scores(learner, asked), scored, rtol=1e-6, atol=1e-6)
        assert same, f"{name_of(fitted)}: the order in which pairs are listed matters in {what}"


def _scores(fitted: Learner, task: Task) -> Floats:
    model = fitted.to_model()
    return np.concatenate([model.scores(items).to_condensed() for items in task.item_sets])


# What it does with what it is given.


def _check_care(learner: Learner, task: Task, before: dict[str, str]) -> None:
    """Check that fit and predict change nothing that is not theirs, and that fit keeps nothing."""
    copy = cloned(learner)
    params = copy.get_params(deep=False)
    kept = _alive(_fit_and_compare(copy, task))
    assert not kept, f"{name_of(learner)} on {task.what} keeps {kept[0]} that it was fitted to"
    for name, value in copy.get_params(deep=False).items():
        assert value is params[name], f"{name_of(learner)}: fit changes its {name}"
    assert described(copy) == before, f"{name_of(learner)}: fit changes its parameters"


def _alive(given: list[tuple[str, Any]]) -> list[str]:
    """Name what is still referred to, once circles that nobody holds are collected."""
    if any(alive() is not None for _, alive in given):
        gc.collect()
    return [what for what, alive in given if alive() is not None]


def _fit_and_compare(learner: Learner, task: Task) -> list[tuple[str, Any]]:
    """Fit to data that only this function holds; return weak references to it."""
    item_sets, arrays = owned(task)
    labels = [truth.labels.copy() for truth in task.truths]
    held = [("an item set", s) for s in item_sets if isinstance(s, ItemSet)]
    held += [("an array", array) for array in (*arrays, *labels)]
    lists = list(item_sets), list(labels)
    learner.fit(*lists).predict(lists[0])
    same = all(
        len(now) == len(then) and all(a is b for a, b in zip(now, then, strict=True))
        for now, then in zip(lists, (item_sets, labels), strict=True)
    )
    assert same, f"{name_of(learner)} changes the lists that it is given"
    unchanged = owned(task)[1] + [truth.labels for truth in task.truths]
    for array, before in zip((*arrays, *labels), unchanged, strict=True):
        assert array.tobytes() == before.tobytes(), f"{name_of(learner)} changes what it is given"
    return [(what, weakref.ref(value)) for what, value in held]


# What it must refuse.


def _check_refusals(fitted: Learner, task: Task) -> None:
    what = f"{name_of(fitted)} on {task.what}: "
    for single in (task.item_sets[0], np.eye(N_COLUMNS)):
        for call in (fitted.predict, lambda given: clone(fitted).fit(given, task.truths)):
            message = f"{what}one item set in place of a list is taken"
            _assert_refused(call, single, message, "wrap it in a list")
    for takes_both in (clone(fitted).fit, fitted.score):
        _check_partitions(takes_both, task, what)


def _check_number_of_features(fitted: Learner, task: Task) -> None:
    what = (
        f"{name_of(fitted)} on {task.what}: item sets of {N_COLUMNS} and {N_COLUMNS + 2} features"
    )
    given = [task.item_sets[0], widened(task.item_sets[1])]
    words = ("item set 1", str(N_COLUMNS), str(N_COLUMNS + 2))
    _assert_refused(fitted.predict, given, f"{what} are partitioned", *words)
    other: Learner = clone(fitted)
    message = f"{what} are learned from"
    _assert_refused(lambda sets: other.fit(sets, task.truths[:2]), given, message, *words)


def _check_partitions(call: Callable[[Any, Any], object], task: Task, what: str) -> None:
    """Check what `fit` and `score` refuse alike."""
    sets, truths = task.item_sets, task.truths

    def with_truths(given: Any) -> object:
        return call(sets, given)

    message = f"{what}one partition in place of a list is taken"
    _assert_refused(with_truths, truths[0], message, "wrap it in a list")
    message = f"{what}{len(sets)} item sets with {len(sets) - 1} partitions are taken"
    _assert_refused(with_truths, truths[1:], message, str(len(sets)), str(len(sets) - 1))
    longer = [truths[0], [*truths[1].labels, 0], *truths[2:]]
    message = f"{what}a partition of too many items is taken"
    _assert_refused(with_truths, longer, message, "item set 1")
    _assert_refused(lambda none: call(none, none), [], f"{what}no item sets at all are taken")


# What it leaves behind.


@contextmanager
def _read_elsewhere(
    fitted: Learner, task: Task, saves: bool, classes: Sequence[type]
) -> Iterator[Callable[[], None]]:
    """Save the model, and let another process read it while the checks go on."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.coterie"
        if not saves:
            _check_refused_file(fitted, path)
            yield lambda: None
            return
        _check_file(fitted, task, path, classes)
        expected = _predicted(fitted, task)

        def check_what_was_read() -> None:
            assert found() == expected, f"{name_of(fitted)}: another process predicts otherwise"

        with predicted_elsewhere(path, task.item_sets, classes) as found:
            yield check_what_was_read


def _check_refused_file(fitted: Learner, path: Path) -> None:
    message = f"{name_of(fitted)} saves a model, which it was said not to"
    _assert_refused(fitted.to_model().save, path, message)
    assert not path.exists(), f"{name_of(fitted)}: a model that is not saved leaves a file"


def _check_file(fitted: Learner, task: Task, path: Path, classes: Sequence[type]) -> None:
    model = fitted.to_model()
    called(fitted, "save its model", lambda: model.save(path))
    again = called(fitted, "load its model", lambda: Model.load(path, classes))
    for items in task.item_sets:
        same = again.scores(items).scores.tobytes() == model.scores(items).scores.tobytes()
        assert same, f"{name_of(fitted)}: the model that was saved and read scores otherwise"


# Calls that fail with a sentence.


def _fitted(learner: Learner, task: Task) -> Learner:
    copy = cloned(learner)
    what = f"fit to {task.what}"
    same = called(learner, what, lambda: copy.fit(task.item_sets, task.truths)) is copy
    assert same, f"{name_of(learner)}: fit does not return the learner"
    similarity = getattr(copy, "similarity_", None)
    assert callable(similarity), f"{name_of(learner)}: fit leaves no similarity_"
    return copy


def _predicted(learner: Learner, task: Task) -> list[Partition]:
    where = f"predict for {task.what}"
    found: Any = called(learner, where, lambda: learner.predict(task.item_sets))
    kinds = isinstance(found, list) and all(isinstance(p, Partition) for p in found)
    assert kinds, f"{name_of(learner)}: {where} returns {found!r}, no list of partitions"
    fits = [len(p) for p in found] == [len(items) for items in task.item_sets]
    assert fits, f"{name_of(learner)}: {where} returns {found!r}"
    return found  # type: ignore[no-any-return]


def _bits(learner: Learner, task: Task) -> list[object]:
    """Return all that can be seen of what was learned."""
    model = learner.to_model()
    scored = [model.scores(items) for items in task.item_sets]
    own = [None if s.diagonal is None else s.diagonal.tobytes() for s in scored]
    return [[s.scores.tobytes() for s in scored], own, _predicted(learner, task)]


def _assert_refused(
    call: Callable[[Any], object], given: object, message: str, *words: str
) -> None:
    """Check that an `InputError` has certain words or whole numbers in its message."""
    text = str(assert_raises(call, given, InputError, message))
    for word in words:
        said = re.search(rf"\b{re.escape(word)}\b", text)
        assert said, f"{message}: the error does not say {word!r}, but: {text}"
