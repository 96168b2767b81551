"""The contract of a metric."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from coterie._core.arrays import Ints
from coterie.metrics import Scores
from coterie.partition import Partition


def check_metric(metric: Callable[..., float | Scores], *, random_state: int = 0) -> None:
    """Check that a function of (truth, predicted) is a metric of Coterie.

    It knows its direction; it takes partitions, labels and clusters alike; names of labels and the
    order of items do not matter; degenerate clusterings have a finite value and raise no warning;
    and no clustering scores better than the truth does.

    >>> from coterie.metrics import b_cubed
    >>> check_metric(b_cubed)
    """
    name = getattr(metric, "__name__", repr(metric))
    assert isinstance(getattr(metric, "greater_is_better", None), bool), f"{name} has no direction"
    rng = np.random.default_rng(random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for truth, predicted in _examples(rng):
            _check_forms(metric, name, truth, predicted)
            _check_invariance(metric, name, truth, predicted, rng)
            _check_best(metric, name, truth, predicted)


def _examples(rng: np.random.Generator) -> Iterator[tuple[Ints, Ints]]:
    """Yield the degenerate pairs of clusterings, and some at random."""
    for n_items in (0, 1, 2, 5):
        alone, united = np.arange(n_items), np.zeros(n_items, dtype=np.intp)
        yield from ((alone, alone), (alone, united), (united, alone), (united, united))
    for n_items in (3, 8, 20, 20):
        yield rng.integers(4, size=n_items), rng.integers(5, size=n_items)


def _check_forms(metric: Callable[..., Any], name: str, truth: Ints, predicted: Ints) -> None:
    sides = Partition(truth), Partition(predicted)
    value = metric(*sides)
    parts = value if isinstance(value, Scores) else (value,)
    assert all(isinstance(part, float | int) for part in parts), f"{name} returns {value!r}"
    assert all(map(math.isfinite, parts)), f"{name} of {truth} and {predicted} is {value}"
    as_clusters = [[cluster.tolist() for cluster in side.clusters] for side in sides]
    for form in ((truth, predicted), (truth.tolist(), predicted.tolist()), as_clusters):
        assert _same(metric(*form), value), f"{name} depends on the form of its input: {form}"


def _check_invariance(
    metric: Callable[..., Any], name: str, truth: Ints, predicted: Ints, rng: np.random.Generator
) -> None:
    value = metric(truth, predicted)
    names = np.array([f"cluster {number}" for number in rng.permutation(len(truth) + 5)])
    assert _same(metric(names[truth], names[predicted]), value), f"{name} depends on label names"
    order = rng.permutation(len(truth))
    assert _same(metric(truth[order], predicted[order]), value), f"{name} depends on item order"


def _check_best(metric: Any, name: str, truth: Ints, predicted: Ints) -> None:
    best, value = _number(metric(truth, truth)), _number(metric(truth, predicted))
    worse = value <= best + 1e-12 if metric.greater_is_better else value >= best - 1e-12
    assert worse, f"{name}: {predicted} scores {value}, better than the truth {truth} with {best}"


def _number(value: float | Scores) -> float:
    return value.f1 if isinstance(value, Scores) else value


def _same(one: Any, other: Any) -> bool:
    return bool(np.allclose(one, other, rtol=1e-12, atol=1e-12))
