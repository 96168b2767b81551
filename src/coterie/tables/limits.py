"""Limits of a model for tables that a user may change: the sizes of blocks and of clusters."""

from dataclasses import replace
from math import inf
from typing import Any

from coterie._core.arguments import as_whole
from coterie.blocking import AllIfSmall, Union
from coterie.clusterers import AverageLinkage
from coterie.exceptions import InputError
from coterie.model import Model

AUTO, NO_LIMIT = "auto", "none"
"""The values of `max_size` that mean the limit of the labels or of the model, and no limit."""


def as_max_size(value: Any) -> int | str:
    """Return a number of rows, "auto" or "none".

    >>> as_max_size("none"), as_max_size("12")
    ('none', 12)
    """
    if value in {AUTO, NO_LIMIT}:
        return str(value)
    is_number_text = isinstance(value, str) and value.isascii() and value.isdigit()
    if isinstance(value, str) and not is_number_text:
        raise InputError(
            f"`max_size=` is {value!r}; give a number of rows, {NO_LIMIT!r} or {AUTO!r}"
        )
    return as_whole("`max_size=`", int(value) if is_number_text else value, 1)


def limit_model(model: Model, max_block: int | None, max_size: int | str) -> Model:
    """Return a model with other limits; `max_block` None and `max_size` "auto" change nothing."""
    if max_block is not None:
        model = replace(model, blocker=_with_max_block(model.blocker, max_block))
    chosen = as_max_size(max_size)
    return model if chosen == AUTO else replace(model, clusterer=_limited(model.clusterer, chosen))


def _with_max_block(blocker: Any, max_block: int) -> Any:
    most = as_whole("`max_block=`", max_block, 2)
    if isinstance(blocker, AllIfSmall):
        return replace(blocker, otherwise=_with_max_block(blocker.otherwise, max_block))
    if not isinstance(blocker, Union):
        raise InputError(
            f"`max_block=` has no effect: {type(blocker).__name__} has no blocks; leave it out"
        )
    return replace(blocker, max_block=most)


def _limited(clusterer: Any, max_size: int | str) -> Any:
    if isinstance(clusterer, AverageLinkage):
        if isinstance(max_size, int):
            return replace(clusterer, max_size=max_size, size_cost=inf)
        return replace(clusterer, max_size=None)
    if max_size == NO_LIMIT:
        return clusterer
    raise InputError(
        f"the model clusters by {type(clusterer).__name__}, which cannot limit the sizes of "
        "clusters; give `max_size=` when the model is learned"
    )


def describe_size_limit(model: Model) -> str | None:
    """Return a sentence about the limit on the sizes of clusters; None if there is no limit."""
    clusterer: Any = model.clusterer
    largest = getattr(clusterer, "max_size", None)
    if largest is None:
        return None
    remedy = f"for clusters of any size, set `max_size=` to {NO_LIMIT}"
    cost = getattr(clusterer, "size_cost", inf)
    if cost == inf:
        return f"no cluster has more than {largest:,} different rows; {remedy}"
    return (
        f"no true cluster of the training table has more than {largest:,} different rows, so "
        f"larger clusters are made only if the mean score is above {cost:.2f} instead of 0; "
        f"{remedy}"
    )
