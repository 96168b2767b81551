"""The check of learners."""

import gc
import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from coterie._core.arrays import Floats
from coterie.checks._assertions import assert_raises
from coterie.checks._estimators import (
    check_constructor,
    check_nested,
    check_params,
    checked_call,
    cloned,
    descriptions_of,
    name_of,
)
from coterie.checks._examples import (
    N_COLUMNS,
    Task,
    Tasks,
    predict_in_another_process,
    with_more_columns,
    with_reversed_pairs,
    writable_copies,
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
    """Check on small generated item sets that a learner keeps the contract of its family.

    - Its constructor stores its arguments and does not use them. It can be cloned. Its parameters,
      and those inside them, can be read and set.
    - `fit` returns the learner and sets `similarity_`. It works for any number of items, pairs,
      clusters and item sets, and for labels of any names. It changes and keeps none of its input.
      A second fit gives the same result, bit for bit.
    - `predict`, `score` and `to_model` agree, and raise `NotFittedError` before `fit`.
    - Invalid input is refused with an `InputError` that names the item set.
    - The model can be saved, and predicts the same in another process.

    Parameters
    ----------
    learner
        The learner, of which clones are fitted. It must take item vectors and pair features.
    needs_n_clusters
        Whether the item sets have their number of clusters.
    order_free
        Whether the order of the items must not matter for predictions.
    sees_features
        Whether the learner uses features, so that it must refuse another number of features.
    saves
        Whether the model can be saved. If not, it must refuse.
    classes
        Your own dataclasses that the model consists of. The other process imports them.
    random_state
        The seed of the item sets.

    Examples
    --------
    >>> from coterie.learners import SVMCluster
    >>> check_learner(SVMCluster(C=1e3))
    """
    before = descriptions_of(learner)
    check_constructor(learner)
    check_params(learner)
    check_nested(learner)
    _check_unfitted(learner)
    kinds = [
        Tasks("vectors", needs_n_clusters, random_state),
        Tasks("pair features", needs_n_clusters, random_state),
    ]
    vectors, pairs = ((_check_task(learner, kind.usual()), kind.usual()) for kind in kinds)
    with _check_in_another_process(*vectors, saves, classes) as check_predictions:
        for kind, (fitted_learner, task) in zip(kinds, (vectors, pairs), strict=True):
            _check_refusals(fitted_learner, task)
            if sees_features:
                _check_number_of_features(fitted_learner, task)
            if order_free:
                _check_item_order(fitted_learner, kind.noisy())
            _check_side_effects(learner, task, before)
            _check_repeatability(fitted_learner, task)
        _check_pair_order(*pairs)
        for kind in kinds:
            for task in kind.unusual():
                _predict(_check_task(learner, task), kind.usual())
        check_predictions()


# Fitting and predicting.


def _check_unfitted(learner: Learner) -> None:
    """Check that methods which need a fitted learner raise an error before `fit`."""
    copy = cloned(learner)
    sets, truths = [np.eye(2)], [[0, 1]]
    for method, call in (
        ("predict", lambda _: copy.predict(sets)),
        ("score", lambda _: copy.score(sets, truths)),
        ("to_model", lambda _: copy.to_model()),
    ):
        assert_raises(call, None, NotFittedError, f"{name_of(learner)}, {method} before fit")


def _check_task(learner: Learner, task: Task) -> Learner:
    """Fit a clone, and check that its methods and its model agree; return the clone."""
    prefix = f"{name_of(learner)} on {task.description}"
    fitted_learner = _fit_clone(learner, task)
    predictions = _predict(fitted_learner, task)
    model = fitted_learner.to_model()
    assert isinstance(model, Model), f"{prefix}: to_model returns {type(model).__name__}, not Model"
    assert model.predict(task.item_sets) == predictions, (
        f"{prefix}: the model predicts other partitions"
    )
    for items in filter(len, task.item_sets):
        scores = fitted_learner.similarity_(items, model.blocker(items))
        is_same = np.array_equal(scores, model.scores(items).scores)
        assert is_same, f"{prefix}: the model has another similarity"
    score = fitted_learner.score(task.item_sets, task.truths)
    mean_f1 = macro(b_cubed, task.truths, predictions).f1
    is_same = abs(score - mean_f1) <= 1e-12
    assert is_same, f"{prefix}: the score is {score}, but the mean B-cubed F1 is {mean_f1}"
    return fitted_learner


def _check_repeatability(learner: Learner, task: Task) -> None:
    """Check that another fit, other label names and an earlier fit change no bit of the result."""
    bits = _bits(learner, task)
    message = f"{name_of(learner)}: a second fit gives another result"
    assert _bits(_fit_clone(learner, task), task) == bits, message
    for rename in (lambda label: f"cluster {9 - label}", lambda label: 7 - 2 * label):
        renamed = [[rename(label) for label in truth.labels.tolist()] for truth in task.truths]
        refitted = _fit_clone(learner, task._replace(truths=renamed))
        assert _bits(refitted, task) == bits, f"{name_of(learner)}: the names of labels matter"
    learner.fit(task.item_sets[:2], task.truths[:2]).fit(task.item_sets, task.truths)
    assert _bits(learner, task) == bits, f"{name_of(learner)}: an earlier fit matters"


def _check_item_order(learner: Learner, task: Task) -> None:
    """Check that predictions do not depend on the order of the items."""
    orders = [np.random.default_rng(0).permutation(len(items)) for items in task.item_sets]
    reordered = [
        items.reordered(order) for items, order in zip(task.item_sets, orders, strict=True)
    ]
    predictions = _predict(learner, task)
    expected = [Partition(p.labels[order]) for p, order in zip(predictions, orders, strict=True)]
    is_same = _predict(learner, task._replace(item_sets=reordered)) == expected
    assert is_same, f"{name_of(learner)} on {task.description}: the order of the items matters"


def _check_pair_order(learner: Learner, task: Task) -> None:
    """Check that the order of the pairs matters neither in fitting nor in predicting."""
    reversed_task = task._replace(item_sets=list(map(with_reversed_pairs, task.item_sets)))
    expected, scores = _predict(learner, task), _scores(learner, task)
    refitted = _fit_clone(learner, reversed_task)
    for model_learner, test_task, stage in (
        (learner, reversed_task, "prediction"),
        (refitted, task, "fit"),
    ):
        is_same = _predict(model_learner, test_task) == expected
        is_same &= np.allclose(_scores(model_learner, test_task), scores, rtol=1e-6, atol=1e-6)
        assert is_same, f"{name_of(learner)}: the order of the pairs matters in {stage}"


def _scores(learner: Learner, task: Task) -> Floats:
    model = learner.to_model()
    return np.concatenate([model.scores(items).to_condensed() for items in task.item_sets])


# Input that must not be changed or kept.


def _check_side_effects(learner: Learner, task: Task, before: dict[str, str]) -> None:
    """Check that fit and predict change no input and no parameters, and that fit keeps no input."""
    copy = cloned(learner)
    params = copy.get_params(deep=False)
    kept_objects = _alive_descriptions(_fit_and_compare(copy, task))
    message = f"{name_of(learner)} on {task.description} keeps"
    assert not kept_objects, f"{message} {kept_objects[0]} of its training data"
    for name, value in copy.get_params(deep=False).items():
        assert value is params[name], f"{name_of(learner)}: fit changes its {name}"
    assert descriptions_of(copy) == before, f"{name_of(learner)}: fit changes its parameters"


def _alive_descriptions(references: list[tuple[str, Any]]) -> list[str]:
    """Return the descriptions of objects that still exist after a garbage collection."""
    if any(reference() is not None for _, reference in references):
        gc.collect()
    return [description for description, reference in references if reference() is not None]


def _fit_and_compare(learner: Learner, task: Task) -> list[tuple[str, Any]]:
    """Fit to data that only this function references, and return weak references to the data.

    Check that the data is unchanged.
    """
    item_sets, arrays = writable_copies(task)
    labels = [truth.labels.copy() for truth in task.truths]
    inputs = [("an item set", s) for s in item_sets if isinstance(s, ItemSet)]
    inputs += [("an array", array) for array in (*arrays, *labels)]
    lists = list(item_sets), list(labels)
    learner.fit(*lists).predict(lists[0])
    are_same = all(
        len(after) == len(original) and all(a is b for a, b in zip(after, original, strict=True))
        for after, original in zip(lists, (item_sets, labels), strict=True)
    )
    assert are_same, f"{name_of(learner)} changes its input lists"
    unchanged = writable_copies(task)[1] + [truth.labels for truth in task.truths]
    for array, expected in zip((*arrays, *labels), unchanged, strict=True):
        assert array.tobytes() == expected.tobytes(), f"{name_of(learner)} changes its input"
    return [(description, weakref.ref(value)) for description, value in inputs]


# Input that must be refused.


def _check_refusals(learner: Learner, task: Task) -> None:
    """Check that invalid lists of item sets and partitions are refused."""
    prefix = f"{name_of(learner)} on {task.description}, "
    for item_set in (task.item_sets[0], np.eye(N_COLUMNS)):
        for predict_or_fit in (learner.predict, lambda sets: clone(learner).fit(sets, task.truths)):
            case = f"{prefix}an item set in place of a list"
            _assert_refused(predict_or_fit, item_set, case, "wrap it in a list")
    for call in (clone(learner).fit, learner.score):
        _check_partitions(call, task, prefix)


def _check_number_of_features(learner: Learner, task: Task) -> None:
    """Check that item sets with different numbers of features are refused."""
    counts = f"{N_COLUMNS} and {N_COLUMNS + 2}"
    case = f"item sets of {counts} features"
    prefix = f"{name_of(learner)} on {task.description}, "
    item_sets = [task.item_sets[0], with_more_columns(task.item_sets[1])]
    words = ("item set 1", str(N_COLUMNS), str(N_COLUMNS + 2))
    _assert_refused(learner.predict, item_sets, f"{prefix}prediction for {case}", *words)
    unfitted: Learner = clone(learner)
    case = f"{prefix}training with {case}"
    _assert_refused(lambda sets: unfitted.fit(sets, task.truths[:2]), item_sets, case, *words)


def _check_partitions(call: Callable[[Any, Any], object], task: Task, prefix: str) -> None:
    """Check that `fit` or `score` refuses partitions that do not match the item sets."""
    sets, truths = task.item_sets, task.truths

    def with_truths(partitions: Any) -> object:
        return call(sets, partitions)

    case = f"{prefix}a partition in place of a list"
    _assert_refused(with_truths, truths[0], case, "wrap it in a list")
    case = f"{prefix}{len(sets)} item sets with {len(sets) - 1} partitions"
    _assert_refused(with_truths, truths[1:], case, str(len(sets)), str(len(sets) - 1))
    longer = [truths[0], [*truths[1].labels, 0], *truths[2:]]
    case = f"{prefix}a partition of too many items"
    _assert_refused(with_truths, longer, case, "item set 1")
    _assert_refused(lambda empty: call(empty, empty), [], f"{prefix}an empty list")


# Saved models.


@contextmanager
def _check_in_another_process(
    learner: Learner, task: Task, saves: bool, classes: Sequence[type]
) -> Iterator[Callable[[], None]]:
    """Save the model and start another process that uses it while other checks go on.

    Yields a function that waits for the process and checks its predictions.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.coterie"
        if not saves:
            _check_refused_file(learner, path)
            yield lambda: None
            return
        _check_file(learner, task, path, classes)
        expected = _predict(learner, task)

        def check_predictions() -> None:
            message = f"{name_of(learner)}: another process predicts other partitions"
            assert read_predictions() == expected, message

        with predict_in_another_process(path, task.item_sets, classes) as read_predictions:
            yield check_predictions


def _check_refused_file(learner: Learner, path: Path) -> None:
    """Check that saving is refused and leaves no file."""
    case = f"{name_of(learner)}, saving its model although saves=False"
    _assert_refused(learner.to_model().save, path, case)
    assert not path.exists(), f"{name_of(learner)}: a model that refuses to be saved leaves a file"


def _check_file(learner: Learner, task: Task, path: Path, classes: Sequence[type]) -> None:
    """Save the model, load it, and check that its scores are the same."""
    model = learner.to_model()
    checked_call(learner, "save its model", lambda: model.save(path))
    loaded = checked_call(learner, "load its model", lambda: Model.load(path, classes))
    for items in task.item_sets:
        is_same = loaded.scores(items).scores.tobytes() == model.scores(items).scores.tobytes()
        assert is_same, f"{name_of(learner)}: the saved and loaded model gives other scores"


# Calls with a message if they fail.


def _fit_clone(learner: Learner, task: Task) -> Learner:
    copy = cloned(learner)
    action = f"fit to {task.description}"
    fit = partial(copy.fit, task.item_sets, task.truths)
    result: Learner = checked_call(learner, action, fit)
    assert result is copy, f"{name_of(learner)}: fit does not return the learner"
    similarity = getattr(copy, "similarity_", None)
    assert callable(similarity), f"{name_of(learner)}: fit sets no similarity_"
    return copy


def _predict(learner: Learner, task: Task) -> list[Partition]:
    action = f"predict for {task.description}"
    predictions: Any = checked_call(learner, action, lambda: learner.predict(task.item_sets))
    message = f"{name_of(learner)}: {action} returns {predictions!r}"
    is_list = isinstance(predictions, list) and all(isinstance(p, Partition) for p in predictions)
    assert is_list, f"{message}, not a list of partitions"
    sizes = [len(items) for items in task.item_sets]
    assert [len(p) for p in predictions] == sizes, f"{message} for item sets of sizes {sizes}"
    return predictions  # type: ignore[no-any-return]


def _bits(learner: Learner, task: Task) -> list[object]:
    """Return the scores and predictions of a fitted learner in a form that compares bit for bit."""
    model = learner.to_model()
    scores = [model.scores(items) for items in task.item_sets]
    diagonals = [None if s.diagonal is None else s.diagonal.tobytes() for s in scores]
    return [[s.scores.tobytes() for s in scores], diagonals, _predict(learner, task)]


def _assert_refused(
    call: Callable[[Any], object], argument: object, case: str, *words: str
) -> None:
    """Check that a call raises an `InputError` whose message contains some words."""
    text = str(assert_raises(call, argument, InputError, case))
    for word in words:
        is_named = re.search(rf"\b{re.escape(word)}\b", text)
        assert is_named, f"{case}: the error does not say {word!r}, but: {text}"
