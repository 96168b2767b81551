"""Averages over the item sets of a corpus, and metrics as scikit-learn scorers."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """Return the metric of the counts summed over item sets, as the CoNLL scorer does.

    Metrics without counts that add up, such as the adjusted Rand score, are refused.

    >>> from coterie.metrics import b_cubed
    >>> micro(b_cubed, [[0, 0], [0, 1, 2, 3]], [[0, 1], [0, 1, 2, 3]]).recall
    0.8333333333333334
    """
    _refuse_what_needs_more(metric)
    if not getattr(metric, "summable", False):
        raise MetricError(
            f"{metric.__name__} has no counts to sum over item sets; use metrics.macro"
        )
    tables = _each(contingency, truths, predictions)
    return metric.from_table(Contingency.union(tables))


def macro(
    metric: Callable[..., R], truths: Sequence[PartitionLike], predictions: Sequence[PartitionLike]
) -> R:
    """Return the mean of the metric over item sets; of three-part scores the mean of each part.

    >>> from coterie.metrics import b_cubed
    >>> macro(b_cubed, [[0, 0], [0, 1, 2, 3]], [[0, 1], [0, 1, 2, 3]]).recall
    0.75
    """
    _refuse_what_needs_more(metric)
    values = _each(metric, truths, predictions)
    mean: Any = np.mean(np.asarray(values, dtype=np.float64), axis=0).tolist()
    return cast("R", Scores(*mean) if isinstance(values[0], Scores) else mean)


@dataclass(frozen=True)
class Scorer:
    """A scikit-learn scorer of a metric: higher is better, whatever the metric's direction."""

    metric: Metric[..., float | Scores]

    def __repr__(self) -> str:
        return f"scorer({self.metric.__name__})"

    def __call__(self, learner: Any, item_sets: Sequence[Any], truths: Sequence[Any]) -> float:
        """Return the signed mean of the metric over item sets (of three-part scores, of the F1)."""
        value = macro(self.metric, truths, learner.predict(item_sets))
        number = value.f1 if isinstance(value, Scores) else float(value)
        return number if self.metric.greater_is_better else -number


def scorer(metric: Metric[..., float | Scores]) -> Scorer:
    """Make of a metric a scorer for scikit-learn's searches and cross-validation.

    >>> from coterie.metrics import pair_loss
    >>> scorer(pair_loss)
    scorer(pair_loss)
    """
    _refuse_what_needs_more(metric)
    if not hasattr(metric, "greater_is_better"):
        raise MetricError(
            f"{metric!r} does not say by greater_is_better whether higher is better; "
            "give a metric of coterie.metrics, or set it"
        )
    return Scorer(metric)


def summary(truth: PartitionLike, predicted: PartitionLike) -> dict[str, float | Scores]:
    """Return every metric of two clusterings of the same items, by name.

    >>> summary([0, 0, 1], [0, 0, 1])["pair_loss"]
    0.0
    """
    table = contingency(truth, predicted)
    return {
        name: member.from_table(table)
        for name, member in members(family).items()
        if hasattr(member, "from_table")
    }


def _each(function: Callable[..., R], truths: Sequence[Any], predictions: Sequence[Any]) -> list[R]:
    """Apply a function of two clusterings to each item set; an error names the one at fault."""
    for name, sides in (("truths", truths), ("predictions", predictions)):
        if isinstance(sides, Partition | Mapping | str) or not isinstance(sides, Iterable):
            raise MetricError(
                f"{name} are of type {type(sides).__name__}; give a list with one clustering an "
                "item set"
            )
    truths, predictions = list(truths), list(predictions)
    if len(truths) != len(predictions):
        raise MetricError(
            f"there are {len(truths)} truths and {len(predictions)} predictions; "
            "give one prediction for each item set"
        )
    if not truths:
        raise MetricError("there are no item sets to average over; give at least one")
    results = []
    for number, (truth, predicted) in enumerate(zip(truths, predictions, strict=True)):
        with located(f"item set {number}"):
            results.append(function(truth, predicted))
    return results


def _refuse_what_needs_more(metric: Any) -> None:
    """Refuse what is no function, or one that needs more than two clusterings."""
    if callable(metric):
        parameters = inspect.signature(metric).parameters.values()
        if sum(parameter.default is parameter.empty for parameter in parameters) == 2:
            return
    raise MetricError(
        f"{getattr(metric, '__name__', repr(metric))} is no function of (truth, predicted) alone; "
        "give a metric of coterie.metrics, with functools.partial for what else it needs"
    )
