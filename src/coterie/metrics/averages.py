"""Averages over the item sets of a corpus, and metrics as scikit-learn scorers."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np

import coterie.metrics as family
from coterie._core.lazy import members
from coterie.exceptions import MetricError, located
from coterie.metrics.contingency import Contingency, contingency
from coterie.metrics.metric import Metric, Scores
from coterie.partition import Partition, PartitionLike

R = TypeVar("R")


def micro(
    metric: Metric[..., R], truths: Sequence[PartitionLike], predictions: Sequence[PartitionLike]
) -> R:
    """Return the metric of the counts that are summed over all item sets, as the CoNLL scorer does.

    Metrics that are not computed from such counts, like the adjusted Rand score, are refused.

    >>> from coterie.metrics import b_cubed
    >>> micro(b_cubed, [[0, 0], [0, 1, 2, 3]], [[0, 1], [0, 1, 2, 3]]).recall
    0.8333333333333334
    """
    _refuse_other_signatures(metric)
    if not getattr(metric, "summable", False):
        raise MetricError(
            f"{metric.__name__} has no micro average, because it is not computed from counts that "
            "can be summed over item sets; use metrics.macro"
        )
    tables = _map_item_sets(contingency, truths, predictions)
    return metric.from_table(Contingency.union(tables))


def macro(
    metric: Callable[..., R], truths: Sequence[PartitionLike], predictions: Sequence[PartitionLike]
) -> R:
    """Return the mean of the metric over item sets; scores are averaged part by part.

    >>> from coterie.metrics import b_cubed
    >>> macro(b_cubed, [[0, 0], [0, 1, 2, 3]], [[0, 1], [0, 1, 2, 3]]).recall
    0.75
    """
    _refuse_other_signatures(metric)
    values = _map_item_sets(metric, truths, predictions)
    mean: Any = np.mean(np.asarray(values, dtype=np.float64), axis=0).tolist()
    return cast("R", Scores(*mean) if isinstance(values[0], Scores) else mean)


@dataclass(frozen=True)
class Scorer:
    """A scikit-learn scorer of a metric: it negates metrics that are better when lower."""

    metric: Metric[..., float | Scores]

    def __repr__(self) -> str:
        return f"scorer({self.metric.__name__})"

    def __call__(self, learner: Any, item_sets: Sequence[Any], truths: Sequence[Any]) -> float:
        """Return the signed mean of the metric over item sets; scores count by their F1."""
        value = macro(self.metric, truths, learner.predict(item_sets))
        number = value.f1 if isinstance(value, Scores) else float(value)
        return number if self.metric.greater_is_better else -number


def scorer(metric: Metric[..., float | Scores]) -> Scorer:
    """Turn a metric into a scorer for the searches and the cross-validation of scikit-learn.

    >>> from coterie.metrics import pair_loss
    >>> scorer(pair_loss)
    scorer(pair_loss)
    """
    _refuse_other_signatures(metric)
    if not hasattr(metric, "greater_is_better"):
        raise MetricError(
            f"{metric!r} has no attribute greater_is_better; give a metric of coterie.metrics, or "
            "set this attribute to True or False"
        )
    return Scorer(metric)


def summary(truth: PartitionLike, predicted: PartitionLike) -> dict[str, float | Scores]:
    """Return all metrics of two clusterings of the same items, by name.

    >>> summary([0, 0, 1], [0, 0, 1])["pair_loss"]
    0.0
    """
    table = contingency(truth, predicted)
    return {
        name: member.from_table(table)
        for name, member in members(family).items()
        if hasattr(member, "from_table")
    }


def _map_item_sets(
    function: Callable[..., R], truths: Sequence[Any], predictions: Sequence[Any]
) -> list[R]:
    """Apply a function of two clusterings to each item set; an error names the set at fault."""
    for name, sides in (("truths", truths), ("predictions", predictions)):
        if isinstance(sides, Partition | Mapping | str) or not isinstance(sides, Iterable):
            raise MetricError(
                f"{name} are of type {type(sides).__name__}; give a list with one clustering per "
                "item set"
            )
    truths, predictions = list(truths), list(predictions)
    if len(truths) != len(predictions):
        raise MetricError(
            f"there are {len(truths)} truths and {len(predictions)} predictions; "
            "give one prediction per item set"
        )
    if not truths:
        raise MetricError("there are no item sets to average over; give at least one")
    results = []
    for index, (truth, predicted) in enumerate(zip(truths, predictions, strict=True)):
        with located(f"item set {index}"):
            results.append(function(truth, predicted))
    return results


def _refuse_other_signatures(metric: Any) -> None:
    """Refuse a metric that cannot be called with two clusterings alone."""
    with suppress(TypeError, ValueError):  # no function, or a builtin one without a signature
        parameters = inspect.signature(metric).parameters.values()
        if sum(parameter.default is parameter.empty for parameter in parameters) == 2:
            return
    raise MetricError(
        f"{getattr(metric, '__name__', repr(metric))} is not a function of (truth, predicted) "
        "alone; give a metric from coterie.metrics, and set further arguments with "
        "functools.partial"
    )
