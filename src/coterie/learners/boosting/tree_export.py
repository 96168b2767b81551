"""Trees of LightGBM and of scikit-learn as our own, of which each number is the same bits."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Floats
from coterie.exceptions import InputError
from coterie.similarities.trees import Trees

Numbers: TypeAlias = NDArray[np.int32]

_CATEGORICAL, _ZERO_IS_MISSING = 1, 4
"""Bits of LightGBM's `decision_type`."""


def from_lightgbm(booster: Any, start: int = 0, count: int | None = None) -> Trees:
    """Take some trees of a booster, all from `start` on where `count` is None.

    LightGBM writes numbers with 17 digits, of which the same bits are read. Its text is faster to
    come by than its `dump_model`, and lists nodes as arrays.
    """
    if count == 0:
        return Trees.joined([])
    text = booster.model_to_string(
        num_iteration=-1 if count is None else count, start_iteration=start
    )
    header, *trees = text.split("\nend of trees")[0].split("\nTree=")
    lines = header.splitlines()
    if "num_tree_per_iteration=1" not in lines or "average_output" in lines:
        raise InputError(
            "the booster has several trees a round, or takes their mean; give one of a single sum"
        )
    return Trees.joined([_from_text(tree) for tree in trees])


def _from_text(text: str) -> Trees:
    """Read a tree: its inner nodes come first, a later one behind an earlier; then its leaves."""
    parts = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    kinds = _numbers(parts, "decision_type", np.int32)
    if np.any(kinds & (_CATEGORICAL | _ZERO_IS_MISSING)) or parts.get("is_linear") == "1":
        raise InputError(
            "the booster has tests of categories, zeros as missing values or linear leaves; train "
            "with numbers alone and use_missing=False"
        )
    values = _numbers(parts, "leaf_value", np.float64)
    inner, leaves = np.zeros(len(kinds), np.int32), np.zeros(len(values), np.int32)
    lefts, rights = (_children(parts, name, len(inner)) for name in ("left_child", "right_child"))
    return Trees(
        roots=np.zeros(1, np.int32),
        columns=np.append(_numbers(parts, "split_feature", np.int32), leaves - 1),
        thresholds=np.append(_numbers(parts, "threshold", np.float64), leaves),
        lefts=np.append(lefts, leaves),
        rights=np.append(rights, leaves),
        values=np.append(inner, values),
        covers=_covers(_numbers(parts, "leaf_count", np.float64), len(leaves), lefts, rights),
    )


def _numbers(parts: dict[str, str], name: str, kind: type) -> NDArray[Any]:
    return np.array(parts.get(name, "").split(), dtype=kind)


def _children(parts: dict[str, str], name: str, n_inner: int) -> Numbers:
    """Count leaves on from the inner nodes, where LightGBM counts them down from −1."""
    given: Numbers = _numbers(parts, name, np.int32)
    return np.where(given < 0, n_inner + ~given, given)


def _covers(counts: Floats, n_leaves: int, lefts: Numbers, rights: Numbers) -> Floats:
    """Sum up the pairs in leaves; of a tree of one leaf, some versions of LightGBM do not tell."""
    covers = np.zeros(len(lefts) + n_leaves)
    covers[len(lefts) :] = counts if counts.size else 0.0
    for node in reversed(range(len(lefts))):
        covers[node] = covers[lefts[node]] + covers[rights[node]]
    return covers


def from_histogram(nodes: NDArray[Any]) -> Trees:
    """Take one tree of scikit-learn: the `nodes` of its `TreePredictor`, children after parents."""
    inner = nodes["is_leaf"] == 0
    if np.any(nodes["is_categorical"][inner]):
        raise InputError("the tree has tests of categories; train with numbers alone")
    return Trees(
        roots=np.zeros(1, np.int32),
        columns=np.where(inner, nodes["feature_idx"], -1),
        thresholds=np.where(inner, nodes["num_threshold"], 0.0),
        lefts=nodes["left"],
        rights=nodes["right"],
        values=nodes["value"],
        covers=nodes["count"],
    )
