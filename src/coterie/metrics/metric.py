"""Decorators that turn functions of a contingency table into metrics of two clusterings."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar, cast

import numpy as np

from coterie import metrics
from coterie._core.lazy import members
from coterie._core.texts import join_with_or
from coterie.exceptions import MetricError
from coterie.metrics.contingency import Contingency, contingency
from coterie.partition import PartitionLike

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class Scores(NamedTuple):
    """Precision, recall and their harmonic mean, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


class Metric(Protocol[P, R_co]):
    """A function of two clusterings that knows its direction.

    `from_table` computes the metric from a contingency table. If `summable` is true, the table of
    several item sets gives their micro average.
    """

    __name__: str
    greater_is_better: bool
    summable: bool

    @property
    def from_table(self) -> Callable[Concatenate[Contingency, P], R_co]:
        """The function that computes the metric from a contingency table."""
        ...

    def __call__(
        self, truth: PartitionLike, predicted: PartitionLike, *args: P.args, **kwargs: P.kwargs
    ) -> R_co:
        """Return the metric of two clusterings."""
        ...


def metric(
    *, greater_is_better: bool, summable: bool = True, same_items: bool = False
) -> Callable[[Callable[Concatenate[Contingency, P], R_co]], Metric[P, R_co]]:
    """Turn a function of a contingency table into a function of two clusterings.

    With `same_items`, truth and prediction must cover the same items.
    """

    def decorate(function: Callable[Concatenate[Contingency, P], R_co]) -> Metric[P, R_co]:
        def from_table(table: Contingency, *args: P.args, **kwargs: P.kwargs) -> R_co:
            if same_items:
                _refuse_other_items(table, function.__name__)
            return function(table, *args, **kwargs)

        @wraps(function)
        def call(
            truth: PartitionLike, predicted: PartitionLike, *args: P.args, **kwargs: P.kwargs
        ) -> R_co:
            return from_table(contingency(truth, predicted), *args, **kwargs)

        marked = cast("Any", call)
        marked.__signature__ = _signature(function)
        marked.greater_is_better, marked.summable = greater_is_better, summable
        marked.from_table, marked.same_items = from_table, same_items
        return cast("Metric[P, R_co]", marked)

    return decorate


F = TypeVar("F", bound=Callable[..., float])


def with_direction(*, greater_is_better: bool) -> Callable[[F], F]:
    """Add the direction to a metric that cannot be computed from a contingency table."""

    def decorate(function: F) -> F:
        cast("Any", function).greater_is_better = greater_is_better
        return function

    return decorate


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    signature = inspect.signature(function)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    sides = [
        inspect.Parameter(side, kind, annotation="PartitionLike") for side in ("truth", "predicted")
    ]
    return signature.replace(parameters=[*sides, *list(signature.parameters.values())[1:]])


def _refuse_other_items(table: Contingency, name: str) -> None:
    if not np.all(table.n_items == table.n_items[:, :1]):
        truth, predicted, shared = table.n_items.sum(axis=0)
        alternatives = [
            other
            for other, member in members(metrics).items()
            if not getattr(member, "same_items", True)
        ]
        raise MetricError(
            f"{name} requires clusterings of the same items, but truth has {truth} items, "
            f"predicted has {predicted}, and only {shared} are in both; for different items use "
            f"{join_with_or(alternatives)}"
        )


class Ratio(NamedTuple):
    """A number of hits, and the total that it is divided by."""

    hits: float
    total: float


def scores_from_ratios(
    precision: Ratio, recall: Ratio, *, undefined: float | None = None
) -> Scores:
    """Return the scores of two ratios; the harmonic mean of 0 and 0 is 0.

    A ratio 0/0 has the value `undefined`. If this is None, 0/0 is 1 if both ratios are 0/0, because
    there was nothing to find and nothing was found, and 0 if only one is.
    """
    if undefined is None:
        undefined = float(not precision.total and not recall.total)
    p, r = (float(x.hits / x.total) if x.total else undefined for x in (precision, recall))
    return Scores(p, r, 2 * p * r / (p + r) if p + r else 0.0)
