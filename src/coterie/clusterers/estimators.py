"""Clusterers of scikit-learn in the family: those that take a precomputed matrix."""

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
    gets the distances d(i, j) = max s − s_ij and d(i, i) = 0; the highest score is that of a pair,
    or of items with themselves where they have one, as distances do: a threshold of the estimator's
    counts from there. One with affinity="precomputed" (SpectralClustering, AffinityPropagation, …)
    gets the similarities s_ij − min s, or 1 where all scores are equal, and the highest of them on
    the diagonal. What an estimator warns of, such as no convergence, is left as it is.

    Each call fits a new copy. The item set's number of clusters, where known, goes before the
    estimator's own `n_clusters` and `distance_threshold`; an estimator without `n_clusters` makes
    as many as it finds. What it calls noise, by a negative label, becomes clusters of one item. A
    single item is a cluster without the estimator. A model with this clusterer cannot be saved.

    Parameters
    ----------
    estimator
        The clusterer of scikit-learn, or one with its `get_params`, `set_params` and `fit_predict`.
        A `random_state` of None counts as 0, so that every call gives the same partition.
    missing
        What an absent pair scores.

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
        lacks = [name for name in _METHODS if not callable(getattr(self.estimator, name, None))]
        if lacks:
            kind = type(self.estimator).__name__
            raise InputError(
                f"estimator is of type {kind}, without {' and '.join(lacks)}; give a clusterer of "
                'scikit-learn, such as DBSCAN(metric="precomputed")'
            )
        as_real("missing", self.missing, low=-inf)
        _takes_distances(self.estimator)

    def _labels(self, scores: PairScores) -> Ints:
        if scores.n_items == 1:
            return np.zeros(1, dtype=np.intp)
        estimator = _fresh(self.estimator, scores.n_clusters)
        to_matrix = _distances if _takes_distances(estimator) else _similarities
        refuse_too_large(scores.n_items**2, f"a full matrix of {scores.n_items:,} items")
        matrix = to_matrix(scores.to_condensed(self.missing), _highest(scores, self.missing))
        return _as_labels(_fit_predict(estimator, matrix), estimator, scores.n_items)


def _takes_distances(estimator: Any) -> bool:
    """Tell estimators that take distances from those that take similarities; refuse others."""
    params = estimator.get_params(deep=False)
    kinds = {name: params[name] for name in ("metric", "affinity") if name in params}
    if "precomputed" not in kinds.values():
        shown = " and ".join(f"{name}={value!r}" for name, value in kinds.items())
        raise InputError(
            f"estimator is of type {type(estimator).__name__} with "
            f"{shown or 'neither metric nor affinity'}, but all it can get is a matrix; give one "
            'with metric="precomputed" or affinity="precomputed"'
        )
    return kinds.get("metric") == "precomputed"


def _fresh(estimator: Any, n_clusters: int | None) -> Any:
    """Copy an estimator, to be fitted to an item set with so many clusters, where known."""
    params = estimator.get_params(deep=False)
    changed: dict[str, Any] = {}
    if n_clusters is not None and "n_clusters" in params:
        changed = {"n_clusters": n_clusters}
        if "distance_threshold" in params:  # only one of the two may be given
            changed["distance_threshold"] = None
    if params.get("random_state", 0) is None:
        changed["random_state"] = 0
    fresh = deepcopy(estimator)
    fresh.set_params(**changed)
    return fresh


def _highest(scores: PairScores, missing: float) -> float:
    """Return the highest score, of items with themselves too."""
    own = -inf if scores.diagonal is None else float(scores.diagonal.max())
    absent = -inf if scores.listed is None else missing
    return max(float(scores.scores.max(initial=-inf)), own, absent)


def _distances(condensed: Floats, highest: float) -> Floats:
    distances: Floats = squareform(highest - condensed, checks=False)
    return distances


def _similarities(condensed: Floats, highest: float) -> Floats:
    lowest = condensed.min()
    above = condensed - lowest
    if not above.any():  # equal edges, because a graph without any has no clusters to find
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
    """Take one whole number an item, and give each item of noise a number of its own."""
    if labels.shape != (n_items,) or labels.dtype.kind not in "iu":
        raise PartitionError(
            f"{type(estimator).__name__} gives labels of type {labels.dtype} and shape "
            f"{labels.shape} for {n_items} items; give an estimator with one whole number an item"
        )
    own: Ints = labels.astype(np.intp)
    noise = np.flatnonzero(own < 0)
    own[noise] = own.max() + 1 + np.arange(len(noise))
    return own
