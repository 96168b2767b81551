"""A wrapper for scikit-learn clusterers that take a precomputed matrix."""

from copy import deepcopy
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import squareform

from coterie._core.arguments import as_real, refuse_class
from coterie._core.arrays import Floats, Ints, refuse_too_large
from coterie.clusterers._base import HeuristicClusterer
from coterie.exceptions import InputError, PartitionError
from coterie.pairs import PairScores

__all__ = ["EstimatorClusterer"]

_METHODS = ("get_params", "set_params", "fit_predict")


@dataclass(frozen=True)
class EstimatorClusterer(HeuristicClusterer):
    """Cluster by a scikit-learn clusterer that takes a precomputed matrix.

    An estimator with metric="precomputed" (AgglomerativeClustering, DBSCAN, HDBSCAN, OPTICS, …)
    gets the distances d(i, j) = max s − s_ij and d(i, i) = 0. The maximum is over all pairs, and
    over the diagonal of the scores if there is one. A distance threshold of the estimator is
    therefore relative to the highest score.

    An estimator with affinity="precomputed" (SpectralClustering, AffinityPropagation, …) gets the
    similarities s_ij − min s, or 1 if all scores are equal, with the highest of them on the
    diagonal. Warnings of the estimator, such as missing convergence, are passed on.

    Each call fits a new copy. If the item set has `n_clusters`, this number replaces the
    `n_clusters` and `distance_threshold` of the estimator. An estimator without `n_clusters`
    decides on the number itself. Items that it labels as noise (by a negative label) become
    singletons. A single item is not passed to the estimator. A model with this clusterer cannot be
    saved.

    Parameters
    ----------
    estimator
        A scikit-learn clusterer, or any object with the methods `get_params`, `set_params` and
        `fit_predict`. A `random_state` of None counts as 0, so that every call returns the same
        partition.
    missing
        Score of an absent pair.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> average = AgglomerativeClustering(metric="precomputed", linkage="average")
    >>> scores = PairScores.from_matrix([[0, 3, 1], [3, 0, 2], [1, 2, 0]], n_clusters=2)
    >>> EstimatorClusterer(average)(scores)
    Partition([0, 0, 1])
    """

    estimator: Any
    missing: float = 0.0

    def __post_init__(self) -> None:
        refuse_class("estimator", self.estimator)
        missing = [name for name in _METHODS if not callable(getattr(self.estimator, name, None))]
        if missing:
            type_name = type(self.estimator).__name__
            raise InputError(
                f"estimator is of type {type_name}, which lacks {' and '.join(missing)}; give "
                'a clusterer from scikit-learn, such as DBSCAN(metric="precomputed")'
            )
        as_real("missing", self.missing, low=-inf)
        _takes_distances(self.estimator)

    def _labels(self, scores: PairScores) -> Ints:
        if scores.n_items == 1:
            return np.zeros(1, dtype=np.intp)
        estimator = _unfitted_copy(self.estimator, scores.n_clusters)
        to_matrix = _distances if _takes_distances(estimator) else _similarities
        refuse_too_large(scores.n_items**2, f"a full matrix of {scores.n_items:,} items")
        matrix = to_matrix(scores.to_condensed(self.missing), _highest(scores, self.missing))
        return _as_labels(_fit_predict(estimator, matrix), estimator, scores.n_items)


def _takes_distances(estimator: Any) -> bool:
    """Return whether an estimator takes distances; refuse it if it takes no similarities either."""
    params = estimator.get_params(deep=False)
    inputs = {name: params[name] for name in ("metric", "affinity") if name in params}
    if "precomputed" not in inputs.values():
        name = type(estimator).__name__
        if not inputs:
            raise InputError(
                f"{name} has no parameter metric or affinity, so it cannot take a matrix of "
                "distances or similarities; use an estimator that has one, such as "
                'AgglomerativeClustering(metric="precomputed", linkage="average")'
            )
        settings = " and ".join(f"{parameter}={value!r}" for parameter, value in inputs.items())
        raise InputError(
            f"{name} has {settings}, but must take a matrix of distances or similarities; set "
            f'{" or ".join(inputs)} to "precomputed"'
        )
    return inputs.get("metric") == "precomputed"


def _unfitted_copy(estimator: Any, n_clusters: int | None) -> Any:
    """Copy an estimator for fitting to an item set, with its number of clusters if it is known."""
    params = estimator.get_params(deep=False)
    changed: dict[str, Any] = {}
    if n_clusters is not None and "n_clusters" in params:
        changed = {"n_clusters": n_clusters}
        if "distance_threshold" in params:  # scikit-learn refuses the two together
            changed["distance_threshold"] = None
    if params.get("random_state", 0) is None:
        changed["random_state"] = 0
    unfitted = deepcopy(estimator)
    unfitted.set_params(**changed)
    return unfitted


def _highest(scores: PairScores, missing: float) -> float:
    """Return the highest score of pairs, absent or not, and of items with themselves."""
    diagonal = -inf if scores.diagonal is None else float(scores.diagonal.max())
    absent = -inf if scores.listed is None else missing
    return max(float(scores.scores.max(initial=-inf)), diagonal, absent)


def _distances(condensed: Floats, highest: float) -> Floats:
    distances: Floats = squareform(highest - condensed, checks=False)
    return distances


def _similarities(condensed: Floats, highest: float) -> Floats:
    lowest = condensed.min()
    above = condensed - lowest
    if not above.any():  # a graph without edges has no clusters to find, so all edges are equal
        above[:] = 1.0
    similarities: Floats = squareform(above, checks=False)
    np.fill_diagonal(similarities, max(above.max(), highest - lowest))
    return similarities


def _fit_predict(estimator: Any, matrix: Floats) -> NDArray[Any]:
    try:
        return np.asarray(estimator.fit_predict(matrix))
    except ValueError as error:
        raise InputError(
            f"{type(estimator).__name__} cannot cluster {len(matrix)} items: {error}; give an "
            "estimator with other parameters"
        ) from error


def _as_labels(labels: NDArray[Any], estimator: Any, n_items: int) -> Ints:
    """Check the labels of an estimator, and give each noise item a label of its own."""
    if labels.shape != (n_items,) or labels.dtype.kind not in "iu":
        raise PartitionError(
            f"{type(estimator).__name__} gives labels of type {labels.dtype} and shape "
            f"{labels.shape} for {n_items} items; use an estimator that returns one integer per "
            "item"
        )
    clusters: Ints = labels.astype(np.intp)
    noise = np.flatnonzero(clusters < 0)
    clusters[noise] = clusters.max() + 1 + np.arange(len(noise))
    return clusters
