"""The check of metrics."""

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from coterie._core.arrays import Ints
from coterie.metrics import Scores
from coterie.partition import Partition


def check_metric(metric: Callable[..., float | Scores], *, random_state: int = 0) -> None:
    """Check that a function of (truth, predicted) keeps the contract of metrics.

    - It has a direction: the attribute `greater_is_better`.
    - It takes partitions, lists of labels and lists of clusters, with the same result.
    - The names of labels and the order of items do not matter.
    - Degenerate partitions have a finite value and cause no warnings.
    - No prediction has a better value than the truth itself.

    >>> from coterie.metrics import b_cubed
    >>> check_metric(b_cubed)
    """
    name = getattr(metric, "__name__", repr(metric))
    assert isinstance(getattr(metric, "greater_is_better", None), bool), (
        f"{name} has no greater_is_better"
    )
    rng = np.random.default_rng(random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for truth, predicted in _examples(rng):
            _check_forms(metric, name, truth, predicted)
            _check_invariance(metric, name, truth, predicted, rng)
            _check_best(metric, name, truth, predicted)


def _examples(rng: np.random.Generator) -> Iterator[tuple[Ints, Ints]]:
    """Yield pairs of labels: singletons and a single cluster, and random ones."""
    for n_items in (0, 1, 2, 5):
        degenerate = np.arange(n_items), np.zeros(n_items, dtype=np.intp)
        yield from product(degenerate, repeat=2)
    for n_items in (3, 8, 20, 20):
        yield rng.integers(4, size=n_items), rng.integers(5, size=n_items)


def _check_forms(metric: Callable[..., Any], name: str, truth: Ints, predicted: Ints) -> None:
    """Check that the value is finite, and equal for all forms of partitions."""
    partitions = Partition(truth), Partition(predicted)
    value = metric(*partitions)
    parts = value if isinstance(value, Scores) else (value,)
    assert all(isinstance(part, float | int) for part in parts), f"{name} returns {value!r}"
    assert all(map(math.isfinite, parts)), f"{name} of {truth} and {predicted} is {value}"
    as_clusters = [[cluster.tolist() for cluster in partition.clusters] for partition in partitions]
    for form in ((truth, predicted), (truth.tolist(), predicted.tolist()), as_clusters):
        assert _are_close(metric(*form), value), f"{name} depends on the form of its input: {form}"


def _check_invariance(
    metric: Callable[..., Any], name: str, truth: Ints, predicted: Ints, rng: np.random.Generator
) -> None:
    """Check that label names and the order of items do not matter."""
    value = metric(truth, predicted)
    label_names = np.array([f"cluster {number}" for number in rng.permutation(len(truth) + 5)])
    renamed = metric(label_names[truth], label_names[predicted])
    assert _are_close(renamed, value), f"{name} depends on the names of labels"
    order = rng.permutation(len(truth))
    reordered = metric(truth[order], predicted[order])
    assert _are_close(reordered, value), f"{name} depends on the order of items"


def _check_best(metric: Any, name: str, truth: Ints, predicted: Ints) -> None:
    """Check that a prediction is not better than the truth itself."""
    best, value = _number(metric(truth, truth)), _number(metric(truth, predicted))
    not_better = value <= best + 1e-12 if metric.greater_is_better else value >= best - 1e-12
    message = f"{name} is {value} for {predicted}, better than the truth {truth} with {best}"
    assert not_better, message


def _number(value: float | Scores) -> float:
    return value.f1 if isinstance(value, Scores) else value


def _are_close(first: Any, second: Any) -> bool:
    return bool(np.allclose(first, second, rtol=1e-12, atol=1e-12))
