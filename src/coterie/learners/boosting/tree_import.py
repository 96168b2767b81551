"""The import of trees that LightGBM or scikit-learn has grown."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Floats
from coterie.exceptions import InputError
from coterie.similarities.trees import Trees

NodeIndices: TypeAlias = NDArray[np.int32]

_CATEGORICAL, _ZERO_IS_MISSING = 1, 4
"""Bits of LightGBM's `decision_type`."""


def from_lightgbm(booster: Any, start: int = 0, count: int | None = None) -> Trees:
    """Return `count` trees of a booster from `start` on; None means all of them.

    LightGBM writes numbers with 17 digits, which restore the same bits. Its text format is faster
    to produce than its `dump_model`, and has the nodes as arrays.
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
            "the booster has several trees per round, or averages its trees; train a booster with "
            "one output, and without boosting='rf'"
        )
    return Trees.joined([_parse_tree(tree) for tree in trees])


def _parse_tree(text: str) -> Trees:
    """Parse one tree: its inner nodes, children after their parents, and then its leaves."""
    entries = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    decision_types = _parse_array(entries, "decision_type", np.int32)
    is_unsupported = np.any(decision_types & (_CATEGORICAL | _ZERO_IS_MISSING))
    if is_unsupported or entries.get("is_linear") == "1":
        raise InputError(
            "the booster has categorical splits or linear leaves, or treats zeros as missing "
            "values; train it on numeric columns only, with zero_as_missing=False and "
            "linear_tree=False"
        )
    leaf_values = _parse_array(entries, "leaf_value", np.float64)
    n_inner = len(decision_types)
    inner, leaves = np.zeros(n_inner, np.int32), np.zeros(len(leaf_values), np.int32)
    lefts = _parse_children(entries, "left_child", n_inner)
    rights = _parse_children(entries, "right_child", n_inner)
    return Trees(
        roots=np.zeros(1, np.int32),
        columns=np.append(_parse_array(entries, "split_feature", np.int32), leaves - 1),
        thresholds=np.append(_parse_array(entries, "threshold", np.float64), leaves),
        lefts=np.append(lefts, leaves),
        rights=np.append(rights, leaves),
        values=np.append(inner, leaf_values),
        covers=_sum_covers(
            _parse_array(entries, "leaf_count", np.float64), len(leaves), lefts, rights
        ),
    )


def _parse_array(entries: dict[str, str], name: str, dtype: type) -> NDArray[Any]:
    return np.array(entries.get(name, "").split(), dtype=dtype)


def _parse_children(entries: dict[str, str], name: str, n_inner: int) -> NodeIndices:
    """Return the indices of children: leaf k, which LightGBM writes as −1 − k, is n_inner + k."""
    children: NodeIndices = _parse_array(entries, name, np.int32)
    return np.where(children < 0, n_inner + ~children, children)


def _sum_covers(
    leaf_counts: Floats, n_leaves: int, lefts: NodeIndices, rights: NodeIndices
) -> Floats:
    """Return the number of training pairs that pass each node.

    Some versions of LightGBM write no count for a tree of one leaf; it is then 0.
    """
    covers = np.zeros(len(lefts) + n_leaves)
    covers[len(lefts) :] = leaf_counts if leaf_counts.size else 0.0
    for node in reversed(range(len(lefts))):
        covers[node] = covers[lefts[node]] + covers[rights[node]]
    return covers


def from_histogram(nodes: NDArray[Any]) -> Trees:
    """Return one tree of scikit-learn, given the `nodes` of its `TreePredictor`."""
    is_inner = nodes["is_leaf"] == 0
    if np.any(nodes["is_categorical"][is_inner]):
        raise InputError("the tree has categorical splits; train the model on numeric columns only")
    return Trees(
        roots=np.zeros(1, np.int32),
        columns=np.where(is_inner, nodes["feature_idx"], -1),
        thresholds=np.where(is_inner, nodes["num_threshold"], 0.0),
        lefts=nodes["left"],
        rights=nodes["right"],
        values=nodes["value"],
        covers=nodes["count"],
    )
