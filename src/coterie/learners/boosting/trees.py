"""Growers of trees for boosting, by LightGBM or scikit-learn."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from coterie._core.arguments import as_positive, as_real, as_whole
from coterie._core.arrays import Bools, Floats
from coterie._core.texts import one_line
from coterie._core.values import Value
from coterie.exceptions import FeatureError, InputError
from coterie.learners.boosting.risks import MIN_CURVATURE
from coterie.learners.boosting.tree_import import from_histogram, from_lightgbm
from coterie.similarities.trees import Trees

__all__ = ["HistogramTrees", "LightTrees"]

Derivatives: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""A function from the scores of all rows to the gradient and the curvature by each score."""

MAX_LEAVES, MAX_MIN_PAIRS = 131_072, 2**31 - 1
"""Largest parameters that LightGBM accepts."""

MAX_SAMPLED = 50_000_000
"""Largest number of matrix entries from which LightGBM finds its bins."""

MAX_FAILURES = 10
"""Growing ends after this many trees in a row, each of other columns, that cannot be split."""

MAX_BINS = 255
"""Largest number of bins of a column in scikit-learn's trees."""

N_TAIL_BINS = 63
"""Number of these bins for the highest eighth of the values, and for the lowest eighth."""


@dataclass(frozen=True)
class TreeGrower(Value, ABC):
    """Grows trees in turn; a leaf has the Newton step −Σ gradient / (Σ curvature + l2)."""

    n_leaves: int = 15
    learning_rate: float = 0.1
    column_share: float = 0.5
    min_pairs: int = 20
    l2: float = 1.0
    n_jobs: int = 1

    def __post_init__(self) -> None:
        as_whole("n_leaves", self.n_leaves, 2, MAX_LEAVES)
        as_positive("learning_rate", self.learning_rate)
        if not as_real("column_share", self.column_share, high=1.0) > 0:
            raise InputError("column_share is 0; use a number above 0")
        as_whole("min_pairs", self.min_pairs, 1, MAX_MIN_PAIRS)
        as_real("l2", self.l2)
        as_whole("n_jobs", self.n_jobs, 1)

    @abstractmethod
    def grow(self, matrix: Floats, steps: Derivatives, random_state: int) -> Iterator[Trees]:
        """Yield one tree after the other, until none can be split any more.

        Before each tree, `steps` gets the sum of the trees so far for each row (0 at first), and
        returns the gradient and the curvature by it.
        """

    def grow_classifier(
        self,
        matrix: NDArray[np.floating],
        together: Bools,
        weights: Floats,
        bias: float,
        n_trees: int,
        random_state: int,
    ) -> Trees:
        """Return at most `n_trees` trees that minimise the weighted logistic loss of the rows.

        The score of a row is `bias` plus its sum of trees, and `together` is its class.
        """

        def steps(scores: Floats) -> tuple[Floats, Floats]:
            probabilities = expit(scores + bias)
            curvature = np.maximum(probabilities * (1.0 - probabilities), MIN_CURVATURE)
            return weights * (probabilities - together), weights * curvature

        return Trees.joined(
            list(islice(self.grow(matrix.astype(np.float64), steps, random_state), n_trees))
        )


@dataclass(frozen=True)
class LightTrees(TreeGrower):
    """Grow trees with LightGBM, which the extra `boost` installs.

    The trees are bit for bit the same in every run, for any number of threads.

    Parameters
    ----------
    n_leaves
        The largest number of leaves of a tree.
    learning_rate
        Factor of the Newton steps.
    column_share
        The share of the columns, drawn at random for each tree, that it may use.
    min_pairs
        The smallest number of pairs in a leaf.
    l2
        L2 regularisation: added to the sum of curvatures of a leaf.
    n_jobs
        Number of threads.
    n_bins
        Number of bins into which a column is divided. Pairs that are together are few, and have the
        highest values of a similarity: with 63 bins they would all be in the last one.

    Examples
    --------
    >>> LightTrees(n_leaves=7).n_bins
    1023
    """

    n_bins: int = 1023

    def __post_init__(self) -> None:
        super().__post_init__()
        as_whole("n_bins", self.n_bins, 2)

    def grow(self, matrix: Floats, steps: Derivatives, random_state: int) -> Iterator[Trees]:
        """Yield one tree after the other, trained with a custom objective of LightGBM."""
        lightgbm = _import_lightgbm()
        if not np.any(matrix[1:] != matrix[0]):  # LightGBM refuses data of constant columns
            return

        def objective(scores: Floats, _: Any) -> tuple[NDArray[Any], NDArray[Any]]:
            gradient, curvature = steps(scores)
            return gradient.astype(np.float32), curvature.astype(np.float32)

        params = self._params(matrix.shape[1], random_state)
        booster = lightgbm.Booster(params, lightgbm.Dataset(matrix, params=params))
        n_failures = 0
        while n_failures < MAX_FAILURES:
            try:
                could_not_split = booster.update(fobj=objective)
            except lightgbm.basic.LightGBMError as error:
                raise FeatureError(
                    f"LightGBM cannot learn from these features ({one_line(error)}); scale them, "
                    "or leave out columns that are almost constant"
                ) from error
            if could_not_split:
                n_failures += 1
            else:
                n_failures = 0
                yield from_lightgbm(booster, booster.num_trees() - 1, 1)

    def grow_classifier(
        self,
        matrix: NDArray[np.floating],
        together: Bools,
        weights: Floats,
        bias: float,
        n_trees: int,
        random_state: int,
    ) -> Trees:
        """Return at most `n_trees` trees, with LightGBM's own logistic loss, which is faster."""
        if not np.any(matrix[1:] != matrix[0]):
            return Trees.joined([])
        lightgbm = _import_lightgbm()
        params = self._params(matrix.shape[1], random_state)
        params |= {"objective": "binary", "boost_from_average": False}
        data = lightgbm.Dataset(
            matrix,
            together.astype(np.float32),
            weight=weights,
            init_score=np.full(len(matrix), bias),
            params=params,
        )
        booster = lightgbm.train(params, data, n_trees)
        return from_lightgbm(booster)

    def _params(self, n_columns: int, random_state: int) -> dict[str, Any]:
        n_sampled = min(max(MAX_SAMPLED // n_columns, 50_000), 500_000)
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
            "bin_construct_sample_cnt": n_sampled,
        }


@dataclass(frozen=True)
class HistogramTrees(TreeGrower):
    """Grow trees with scikit-learn, which divides a column into at most 255 bins.

    A quarter of the bins divide the highest eighth of the values, and a quarter the lowest eighth,
    ever finer towards the ends, because the pairs that are surely together or apart are there.
    Columns are drawn anew for every split.

    Parameters
    ----------
    n_leaves, learning_rate, column_share, min_pairs, l2, n_jobs
        As in `LightTrees`.

    Examples
    --------
    >>> HistogramTrees(n_leaves=7).learning_rate
    0.1
    """

    def grow(self, matrix: Floats, steps: Derivatives, random_state: int) -> Iterator[Trees]:
        """Divide the columns into bins once, and yield one tree after the other."""
        edges = [_bin_edges(column) for column in matrix.T]
        bins = np.empty(matrix.shape, dtype=np.uint8, order="F")
        for column, column_edges in enumerate(edges):
            # A value equal to an edge is in the bin below, because nodes test `x <= threshold`.
            bins[:, column] = np.searchsorted(column_edges, matrix[:, column], side="left")
        n_bins = np.array([len(column_edges) + 1 for column_edges in edges], dtype=np.uint32)
        rng = np.random.default_rng(random_state)
        scores, n_failures = np.zeros(len(matrix)), 0
        while n_failures < MAX_FAILURES:
            grower = self._grow_tree(bins, n_bins, rng, *steps(scores))
            if len(grower.finalized_leaves) < 2:
                n_failures += 1
                continue
            n_failures = 0
            for leaf in grower.finalized_leaves:
                scores[leaf.sample_indices] += leaf.value
            yield from_histogram(grower.make_predictor(edges).nodes)

    def _grow_tree(
        self,
        bins: NDArray[np.uint8],
        n_bins: NDArray[np.uint32],
        rng: np.random.Generator,
        gradient: Floats,
        curvature: Floats,
    ) -> Any:
        grower = _import_sklearn_grower()(
            bins,
            gradient.astype(np.float32),
            curvature.astype(np.float32),
            max_leaf_nodes=self.n_leaves,
            min_samples_leaf=self.min_pairs,
            n_bins_non_missing=n_bins,
            l2_regularization=self.l2,
            feature_fraction_per_split=self.column_share,
            rng=rng,
            shrinkage=self.learning_rate,
            n_threads=self.n_jobs,
        )
        grower.grow()
        return grower


def default_trees() -> TreeGrower:
    """Return `LightTrees` if LightGBM can be imported, else `HistogramTrees`."""
    try:
        _import_lightgbm()
    except InputError:
        return HistogramTrees()
    return LightTrees()


def _import_lightgbm() -> Any:
    try:
        import lightgbm  # noqa: PLC0415
    except (ImportError, OSError) as error:  # OSError: a shared library is missing
        raise InputError(
            f"LightTrees needs LightGBM, which cannot be imported ({error}); install "
            "coterie[boost], or use HistogramTrees()"
        ) from error
    return lightgbm


def _import_sklearn_grower() -> Any:
    try:
        from sklearn.ensemble._hist_gradient_boosting.grower import TreeGrower  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            "HistogramTrees does not work with this version of scikit-learn; install "
            "coterie[boost], and use LightTrees()"
        ) from error
    return TreeGrower


def _bin_edges(column: Floats) -> Floats:
    """Return the edges of bins: between any two values, or at quantiles if there are too many."""
    values, counts = np.unique(column, return_counts=True)
    midpoints = values[:-1] + np.diff(values) / 2
    # The midpoint of two adjacent floats may round up to the upper one.
    midpoints = np.where(midpoints < values[1:], midpoints, values[:-1])
    if len(values) <= MAX_BINS:
        return np.asarray(midpoints, dtype=np.float64)
    shares_below = np.cumsum(counts[:-1]) / len(column)
    indices = np.minimum(np.searchsorted(shares_below, _quantile_levels()), len(midpoints) - 1)
    return np.asarray(midpoints[np.unique(indices)])


def _quantile_levels() -> Floats:
    """Return levels of quantiles in even steps, and in ever smaller steps towards 0 and 1."""
    tail = np.exp2(-np.arange(1, N_TAIL_BINS + 1) / 4) / 8
    body = np.linspace(0.125, 0.875, MAX_BINS - 1 - 2 * N_TAIL_BINS)
    return np.sort(np.concatenate([tail, body, 1.0 - tail]))
