"""What grows the trees of boosting, LightGBM or scikit-learn, and their trees as our own."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._core.arguments import as_positive, as_real, as_whole
from coterie._core.arrays import Floats
from coterie._core.values import Value
from coterie.exceptions import InputError
from coterie.similarities.trees import Trees

__all__ = ["HistogramTrees", "LightTrees"]

Steps: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""From the scores of all rows to the slope and the bend of each."""

MOST_LEAVES, MOST_PAIRS = 131_072, 2**31 - 1
"""What LightGBM can count."""

MOST_SAMPLED = 50_000_000
"""How many numbers are looked at to divide columns into bins."""

MOST_FAILED = 10
"""After how many trees in a row that cannot be split, each of other columns, there are no more."""

MOST_BINS = 255
"""How many parts scikit-learn's trees can tell of a column."""

TAIL = 63
"""How many of these are for the highest eighth of its values, and as many for the lowest."""


@dataclass(frozen=True)
class TreeGrower(Value, ABC):
    """Grows trees one after the other, each by a Newton step: −Σ slopes / (Σ bends + l2) a leaf."""

    n_leaves: int = 15
    learning_rate: float = 0.1
    column_share: float = 0.5
    min_pairs: int = 20
    l2: float = 1.0
    n_jobs: int = 1

    def __post_init__(self) -> None:
        as_whole("n_leaves", self.n_leaves, 2, MOST_LEAVES)
        as_positive("learning_rate", self.learning_rate)
        if not as_real("column_share", self.column_share, high=1.0) > 0:
            raise InputError("column_share is 0; give a share above 0 of the columns")
        as_whole("min_pairs", self.min_pairs, 1, MOST_PAIRS)
        as_real("l2", self.l2)
        as_whole("n_jobs", self.n_jobs, 1)

    @abstractmethod
    def grow(self, matrix: Floats, steps: Steps, random_state: int) -> Iterator[Trees]:
        """Yield one tree after the other; `steps` is asked before each, with the scores so far.

        Scores begin at 0. The trees end where none can be split any more, whatever columns it may
        look at.
        """


@dataclass(frozen=True)
class LightTrees(TreeGrower):
    """Trees of LightGBM, the extra `boost`.

    They are the same bits at every run, whatever the number of threads.

    Parameters
    ----------
    n_leaves
        The largest number of leaves of a tree.
    learning_rate
        By what its steps are multiplied.
    column_share
        The share of the columns, drawn at random, that a tree may look at.
    min_pairs
        The least number of pairs in a leaf.
    l2
        What is added to the bends of a leaf.
    n_jobs
        Number of threads.
    n_bins
        How many values of a column are told apart. Pairs that are together are few, and are found
        at the very end of the values of a similarity: with 63 bins they are lost in the last one.

    Examples
    --------
    >>> LightTrees(n_leaves=7).n_bins
    1023
    """

    n_bins: int = 1023

    def __post_init__(self) -> None:
        super().__post_init__()
        as_whole("n_bins", self.n_bins, 2)

    def grow(self, matrix: Floats, steps: Steps, random_state: int) -> Iterator[Trees]:
        """Train with the slopes and bends as LightGBM's own."""
        lightgbm = _lightgbm()
        if not np.any(matrix[1:] != matrix[0]):  # LightGBM refuses columns that tell nothing
            return

        def objective(scores: Floats, _: Any) -> tuple[NDArray[Any], NDArray[Any]]:
            slopes, bends = steps(scores)
            return slopes.astype(np.float32), bends.astype(np.float32)

        params = self._params(matrix.shape[1], random_state)
        booster = lightgbm.Booster(params, lightgbm.Dataset(matrix, params=params))
        n_failed = 0
        while n_failed < MOST_FAILED:
            if booster.update(fobj=objective):
                n_failed += 1
            else:
                n_failed = 0
                yield from_lightgbm(booster, booster.num_trees() - 1, 1)

    def _params(self, n_columns: int, random_state: int) -> dict[str, Any]:
        sampled = min(max(MOST_SAMPLED // n_columns, 50_000), 500_000)
        return {
            "objective": "none",
            "verbosity": -1,
            "deterministic": True,
            "force_row_wise": True,
            "use_missing": False,
            "feature_pre_filter": False,
            "seed": random_state,
            "num_threads": self.n_jobs,
            "num_leaves": self.n_leaves,
            "learning_rate": self.learning_rate,
            "feature_fraction": self.column_share,
            "min_data_in_leaf": self.min_pairs,
            "lambda_l2": self.l2,
            "max_bin": self.n_bins,
            "min_data_in_bin": 1,
            "bin_construct_sample_cnt": sampled,
        }


@dataclass(frozen=True)
class HistogramTrees(TreeGrower):
    """Trees of scikit-learn, which tell at most 255 values of a column apart.

    A quarter of these are spent on the highest eighth of its values and a quarter on the lowest,
    ever finer towards the ends, where the pairs are that can be told. Columns are drawn anew for
    every split.

    Parameters
    ----------
    n_leaves, learning_rate, column_share, min_pairs, l2, n_jobs
        As of `LightTrees`.

    Examples
    --------
    >>> HistogramTrees(n_leaves=7).learning_rate
    0.1
    """

    def grow(self, matrix: Floats, steps: Steps, random_state: int) -> Iterator[Trees]:
        """Divide the columns into bins once, and grow tree after tree of them."""
        edges = [_edges(column) for column in matrix.T]
        binned = np.empty(matrix.shape, dtype=np.uint8, order="F")
        for number, inner in enumerate(edges):
            # A value at an edge is below it, as `x <= threshold` is.
            binned[:, number] = np.searchsorted(inner, matrix[:, number], side="left")
        counts = np.array([len(inner) + 1 for inner in edges], dtype=np.uint32)
        rng = np.random.default_rng(random_state)
        scores, n_failed = np.zeros(len(matrix)), 0
        while n_failed < MOST_FAILED:
            grower = self._grown(binned, counts, rng, *steps(scores))
            if len(grower.finalized_leaves) < 2:
                n_failed += 1
                continue
            n_failed = 0
            for leaf in grower.finalized_leaves:
                scores[leaf.sample_indices] += leaf.value
            yield from_histogram(grower.make_predictor(edges).nodes)

    def _grown(
        self,
        binned: NDArray[np.uint8],
        counts: NDArray[np.uint32],
        rng: np.random.Generator,
        slopes: Floats,
        bends: Floats,
    ) -> Any:
        grower = _sklearn_grower()(
            binned,
            slopes.astype(np.float32),
            bends.astype(np.float32),
            max_leaf_nodes=self.n_leaves,
            min_samples_leaf=self.min_pairs,
            n_bins_non_missing=counts,
            l2_regularization=self.l2,
            feature_fraction_per_split=self.column_share,
            rng=rng,
            shrinkage=self.learning_rate,
            n_threads=self.n_jobs,
        )
        grower.grow()
        return grower


def default_trees() -> TreeGrower:
    """Return the trees of LightGBM where that can be used, else those of scikit-learn."""
    try:
        _lightgbm()
    except InputError:
        return HistogramTrees()
    return LightTrees()


def _lightgbm() -> Any:
    try:
        import lightgbm  # noqa: PLC0415
    except (ImportError, OSError) as error:  # the latter where a library that it needs is missing
        raise InputError(
            f"LightTrees needs LightGBM, which cannot be used ({error}); install coterie[boost], "
            "or give HistogramTrees()"
        ) from error
    return lightgbm


def _sklearn_grower() -> Any:
    try:
        from sklearn.ensemble._hist_gradient_boosting.grower import TreeGrower  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            "this version of scikit-learn keeps its trees elsewhere; install coterie[boost], and "
            "give LightTrees()"
        ) from error
    return TreeGrower


def _edges(column: Floats) -> Floats:
    """Return where a column is divided: between all its values, or where most can be told."""
    values, counts = np.unique(column, return_counts=True)
    between = values[:-1] + np.diff(values) / 2
    between = np.where(between < values[1:], between, values[:-1])  # neighbours among floats
    if len(values) <= MOST_BINS:
        return np.asarray(between, dtype=np.float64)
    below = np.cumsum(counts[:-1]) / len(column)
    places = np.minimum(np.searchsorted(below, _levels()), len(below) - 1)
    return np.asarray(between[np.unique(places)])


def _levels() -> Floats:
    """Return the shares of a column to divide it at: equal ones, and ever smaller at both ends."""
    tail = np.exp2(-np.arange(1, TAIL + 1) / 4) / 8
    body = np.linspace(0.125, 0.875, MOST_BINS - 1 - 2 * TAIL)
    return np.sort(np.concatenate([tail, body, 1.0 - tail]))


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
