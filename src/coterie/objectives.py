"""Objectives: the functions that clusterers maximise.

An objective gives each pair a weight in a partition: the derivative of its value with respect to
the score of the pair. One structural learner therefore serves every objective. The value is
`scores @ weights` plus the part of the diagonal (except for left-linking with γ > 0), and the joint
feature map Ψ is `features.T @ weights`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from coterie._core.arguments import as_floats, as_real
from coterie._core.arrays import Bools, Floats, Ints
from coterie._types import Relaxed
from coterie.exceptions import InputError
from coterie.pairs import PairScores, upper_triangle
from coterie.partition import Partition

__all__ = ["Correlation", "Forest", "KMeans", "LeftLink"]


class PairObjective(ABC):
    """An objective defined by its pair weights; by default its value is linear in the scores."""

    @abstractmethod
    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Return the weight of each pair in the partition."""

    def self_weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Return the weight of each item with itself: 0 unless the objective defines another."""
        _as_clustering(partition, scores)
        return np.zeros(scores.n_items)

    def value(self, partition: Partition | Relaxed, scores: PairScores) -> float:
        """Return `scores @ weights`, plus the part of the diagonal if the scores have one."""
        value = self.weights(partition, scores) @ scores.scores
        if scores.diagonal is not None:
            value += scores.diagonal @ self.self_weights(partition, scores)
        return float(value)

    def scale(self, n_items: int) -> float:  # noqa: ARG002
        """Return the factor of an item set's features in training: 1 unless overridden."""
        return 1.0


@dataclass(frozen=True)
class Correlation(PairObjective):
    """Sum of the scores of the pairs inside clusters (correlation clustering).

    value(C) = Σ_{i<j} s_ij [i and j together in C]  (Finley & Joachims 2005, eq. 1). The weights
    are 0 or 1, or the entries of a relaxed matrix. The factor 1/|x|² of the paper's eq. 7 is
    `scale`: learners multiply the features of an item set by it, but not the costs of their loss.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 2, -1], [2, 0, 3], [-1, 3, 0]])
    >>> Correlation().value(Partition([0, 0, 0]), scores)
    4.0
    >>> Correlation().scale(n_items=10)
    0.01
    """

    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Return 1 for each pair whose items are together, else 0."""
        clustering = _as_clustering(partition, scores)
        if isinstance(clustering, Partition):
            return _together(clustering, scores).astype(np.float64)
        return _entries(clustering, scores)

    def scale(self, n_items: int) -> float:
        """Return 1/n², the factor of the features of a set of n items in training."""
        return 1.0 / max(n_items, 1) ** 2


@dataclass(frozen=True)
class KMeans(PairObjective):
    """Sum over the clusters of their total score divided by their size (kernel k-means).

    value(C) = Σ_c 1/|c| Σ_{i,j∈c} K_ij = trace(Zᵀ K Z)  (Finley & Joachims 2008, eq. 7, 14). The
    inner sum is over ordered pairs and the diagonal, so a pair i < j in cluster c has the weight
    2/|c|, and an item of c has the weight 1/|c| with itself. A relaxed matrix is ZZᵀ.

    Examples
    --------
    >>> kernel = PairScores.from_matrix([[1, 2, 0], [2, 3, 0], [0, 0, 5]])
    >>> KMeans().value(Partition([0, 0, 1]), kernel)
    9.0
    """

    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Return 2/|c| for each pair whose items are both in cluster c, else 0."""
        clustering = _as_clustering(partition, scores)
        if not isinstance(clustering, Partition):
            return 2.0 * _entries(clustering, scores)
        item_weights: Floats = 2.0 / clustering.sizes[clustering.labels]
        if scores.listed is None:
            first_weights = np.repeat(item_weights, np.arange(scores.n_items - 1, -1, -1))
        else:
            first_weights = item_weights[scores.listed[:, 0]]
        return np.where(_together(clustering, scores), first_weights, 0.0)

    def self_weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Return 1/|c| for each item of cluster c."""
        clustering = _as_clustering(partition, scores)
        if not isinstance(clustering, Partition):
            return np.diagonal(clustering).copy()
        return 1.0 / clustering.sizes[clustering.labels]


@dataclass(frozen=True)
class LeftLink(PairObjective):
    """Sum over the items of a soft maximum of their links to earlier items of their cluster.

    Each item links to one item on its left, or to a dummy item of score 0 that starts a cluster.
    value(C) = γ Σ_i log Z_i(C), where Z_i(C) = Σ_{j<i, j with i in C} exp(s_ij / γ), and Z_i = 1
    for the first item of a cluster (Samdani, Chang & Roth 2014, eq. 3). The weights are the
    derivative of the value: the probabilities p′ of the correct links. In the limit γ = 0 every
    item takes its best correct link, and of equally good links the one to the smallest index.

    An absent pair cannot be a link. An item without any link to earlier items of its cluster links
    to the dummy.

    Parameters
    ----------
    gamma
        Temperature γ of the soft maximum, at least 0.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 1, 2], [1, 0, 4], [2, 4, 0]])
    >>> LeftLink(gamma=0).value(Partition([0, 0, 0]), scores)
    5.0
    """

    gamma: float = 0.0

    def __post_init__(self) -> None:
        as_real("gamma", self.gamma)

    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Return the share of each pair among the correct left links of its later item."""
        correct = _correct_links(partition, scores, "left-linking")
        left, item = scores.pairs[correct].T
        weights = np.zeros(len(scores.scores))
        if self.gamma:
            exponentials, totals, _ = self._exponentials(
                scores.scores[correct], item, scores.n_items
            )
            weights[correct] = exponentials / totals[item]
        else:
            best = _best_links(left, item, scores.scores[correct])
            weights[np.flatnonzero(correct)[best]] = 1.0
        return weights

    def value(self, partition: Partition | Relaxed, scores: PairScores) -> float:
        """Return γ Σ_i log Z_i(C), or at γ = 0 the sum of the best correct links."""
        if not self.gamma:
            return super().value(partition, scores)
        correct = _correct_links(partition, scores, "left-linking")
        item = scores.pairs[correct, 1]
        _, totals, tops = self._exponentials(scores.scores[correct], item, scores.n_items)
        linked = totals > 0
        return float(np.sum(tops[linked] + self.gamma * np.log(totals[linked])))

    def _exponentials(
        self, links: Floats, item: Ints, n_items: int
    ) -> tuple[Floats, Floats, Floats]:
        """Return exp((s − top)/γ) per link, and the sum of these and the top score per item."""
        # The top score of the item is subtracted so that no exponential overflows.
        tops = np.full(n_items, -np.inf)
        np.maximum.at(tops, item, links)
        with np.errstate(over="ignore"):
            exponentials: Floats = np.exp((links - tops[item]) / self.gamma)
        totals: Floats = np.bincount(item, weights=exponentials, minlength=n_items)  # type: ignore[assignment]
        return exponentials, totals, tops


@dataclass(frozen=True)
class Forest(PairObjective):
    """Sum of the scores of the maximum spanning tree of each cluster.

    value(C) = Σ_c max Σ s_ij, where the maximum is over the trees that span cluster c, with edges
    of any sign (Yu & Joachims 2009). The weights are 1 on the edges of these trees; of pairs with
    equal scores, the earlier one comes first. An absent pair is not an edge. If the scored pairs do
    not connect a cluster, each of its connected components has its own tree.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 1, 2], [1, 0, 4], [2, 4, 0]])
    >>> Forest().value(Partition([0, 0, 0]), scores)
    6.0
    """

    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Return 1 for each pair in the maximum spanning tree of a cluster, else 0."""
        inside = np.flatnonzero(_correct_links(partition, scores, "a spanning forest"))
        # Ranks in place of scores: SciPy drops edges of weight 0, and equal scores need an order.
        order = inside[np.argsort(-scores.scores[inside], kind="stable")]
        ranks = np.arange(1.0, len(order) + 1)
        first, second = scores.pairs[order].T.astype(np.int32)
        graph = sp.csr_array((ranks, (first, second)), shape=(scores.n_items,) * 2)
        weights = np.zeros(len(scores.scores))
        weights[order[minimum_spanning_tree(graph).data.astype(np.intp) - 1]] = 1.0
        return weights


def _together(partition: Partition, scores: PairScores) -> Bools:
    return partition.together(scores.listed)


def _entries(relaxed: Relaxed, scores: PairScores) -> Floats:
    if scores.listed is None:
        return upper_triangle(relaxed)
    first, second = scores.listed.T
    entries: Floats = relaxed[first, second]
    return entries


def _correct_links(partition: Partition | Relaxed, scores: PairScores, name: str) -> Bools:
    clustering = _as_clustering(partition, scores)
    if not isinstance(clustering, Partition):
        raise InputError(f"{name} has no relaxed form; give a Partition")
    return _together(clustering, scores)


def _best_links(left: Ints, item: Ints, links: Floats) -> Ints:
    """Return the index of each item's best link; of equal scores, the smallest left item wins."""
    order = np.lexsort((left, -links, item))
    _, first = np.unique(item[order], return_index=True)
    return order[first]


def _as_clustering(partition: Partition | Relaxed, scores: PairScores) -> Partition | Relaxed:
    """Check that a partition or a relaxed matrix covers the items that are scored."""
    if not isinstance(scores, PairScores):
        raise InputError(
            f"scores are of type {type(scores).__name__}; give PairScores, such as "
            "PairScores.from_matrix(S) for a matrix S"
        )
    if isinstance(partition, Partition):
        if len(partition) != scores.n_items:
            raise InputError(
                f"the partition covers {len(partition)} items, but the scores cover "
                f"{scores.n_items}; give a partition of the scored items"
            )
        return partition
    relaxed = as_floats("a clustering that is not a Partition", partition)
    if relaxed.shape != (scores.n_items, scores.n_items) or not np.isfinite(relaxed).all():
        raise InputError(
            f"the clustering has shape {relaxed.shape}; give a Partition, or a relaxed "
            f"clustering: a matrix of finite numbers of shape ({scores.n_items}, "
            f"{scores.n_items})"
        )
    return relaxed
