"""What a clustering maximises, as the weight that each pair gets in a partition.

The weights are the derivative of the value by the scores, so that one structural learner serves
every objective: value = `scores @ weights` (plus the diagonal's part, and but for left-linking
with γ > 0), joint feature map Ψ = `features.T @ weights`.
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
    """An objective known by its pair weights; by default its value is linear in the scores."""

    @abstractmethod
    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Give each pair its weight in the partition."""

    def self_weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Give each item its weight with itself: none, unless the objective says otherwise."""
        _as_clustering(partition, scores)
        return np.zeros(scores.n_items)

    def value(self, partition: Partition | Relaxed, scores: PairScores) -> float:
        """Return `scores @ weights`, the diagonal included where there is one."""
        value = self.weights(partition, scores) @ scores.scores
        if scores.diagonal is not None:
            value += scores.diagonal @ self.self_weights(partition, scores)
        return float(value)

    def scale(self, n_items: int) -> float:  # noqa: ARG002
        """Return the factor of a set's features in training; 1 unless the objective says so."""
        return 1.0


@dataclass(frozen=True)
class Correlation(PairObjective):
    """Sum of the scores of the pairs inside clusters (correlation clustering).

    value(C) = Σ_{i<j} s_ij [i and j together in C]  (Finley & Joachims 2005, eq. 1). Weights are 0
    or 1, or the entries of a relaxed matrix. The paper's 1/|x|² of eq. 7 is `scale`: a learner
    multiplies the features of an item set by it, never the costs of its loss.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 2, -1], [2, 0, 3], [-1, 3, 0]])
    >>> Correlation().value(Partition([0, 0, 0]), scores)
    4.0
    >>> Correlation().scale(n_items=10)
    0.01
    """

    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Give each pair 1 if its items are together, else 0."""
        clustering = _as_clustering(partition, scores)
        if isinstance(clustering, Partition):
            return _together(clustering, scores).astype(np.float64)
        return _entries(clustering, scores)

    def scale(self, n_items: int) -> float:
        """Return 1/n², by which a learner multiplies the features of a set of n items."""
        return 1.0 / max(n_items, 1) ** 2


@dataclass(frozen=True)
class KMeans(PairObjective):
    """Sum over clusters of the mean score inside (kernel k-means).

    value(C) = Σ_c 1/|c| Σ_{i,j∈c} K_ij = trace(Zᵀ K Z)  (Finley & Joachims 2008, eq. 7, 14), over
    ordered pairs and the diagonal: weight 2/|c| for a pair i < j in cluster c, 1/|c| for an item
    with itself. A relaxed matrix is ZZᵀ.

    Examples
    --------
    >>> kernel = PairScores.from_matrix([[1, 2, 0], [2, 3, 0], [0, 0, 5]])
    >>> KMeans().value(Partition([0, 0, 1]), kernel)
    9.0
    """

    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Give each pair 2/|c| if both its items are in cluster c, else 0."""
        clustering = _as_clustering(partition, scores)
        if not isinstance(clustering, Partition):
            return 2.0 * _entries(clustering, scores)
        shares: Floats = 2.0 / clustering.sizes[clustering.labels]
        if scores.listed is None:
            of_first = np.repeat(shares, np.arange(scores.n_items - 1, -1, -1))
        else:
            of_first = shares[scores.listed[:, 0]]
        return np.where(_together(clustering, scores), of_first, 0.0)

    def self_weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Give each item of cluster c the weight 1/|c| with itself."""
        clustering = _as_clustering(partition, scores)
        if not isinstance(clustering, Partition):
            return np.diagonal(clustering).copy()
        return 1.0 / clustering.sizes[clustering.labels]


@dataclass(frozen=True)
class LeftLink(PairObjective):
    """Each item links to one item on its left, or to a dummy that starts a cluster.

    value(C) = γ Σ_i log Z_i(C), Z_i(C) = Σ_{j<i, j with i in C} exp(s_ij / γ), where the dummy
    (score 0) stands in for an item that is the first of its cluster (Samdani, Chang & Roth 2014,
    eq. 3). The weights are its derivative, the probabilities p′ of the correct links. γ = 0 is the
    limit: every item takes its best correct link, the smallest index among equals.

    An absent pair is no candidate; an item none of whose cluster mates to the left is a candidate
    links to the dummy.

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
        """Give each pair the share that it has among the correct left links of its later item."""
        correct = _correct_links(partition, scores, "left-linking")
        left, item = scores.pairs[correct].T
        weights = np.zeros(len(scores.scores))
        if self.gamma:
            measure, total, _ = self._measures(scores.scores[correct], item, scores.n_items)
            weights[correct] = measure / total[item]
        else:
            best = _best_links(left, item, scores.scores[correct])
            weights[np.flatnonzero(correct)[best]] = 1.0
        return weights

    def value(self, partition: Partition | Relaxed, scores: PairScores) -> float:
        """Return γ Σ_i log Z_i(C), at γ = 0 the sum of the best correct links."""
        if not self.gamma:
            return super().value(partition, scores)
        correct = _correct_links(partition, scores, "left-linking")
        item = scores.pairs[correct, 1]
        _, total, top = self._measures(scores.scores[correct], item, scores.n_items)
        linked = total > 0
        return float(np.sum(top[linked] + self.gamma * np.log(total[linked])))

    def _measures(self, links: Floats, item: Ints, n_items: int) -> tuple[Floats, Floats, Floats]:
        """Return exp((s − top)/γ) of each link, its sum and the top score of each item."""
        top = np.full(n_items, -np.inf)
        np.maximum.at(top, item, links)
        with np.errstate(over="ignore"):
            measure: Floats = np.exp((links - top[item]) / self.gamma)
        total: Floats = np.bincount(item, weights=measure, minlength=n_items)  # type: ignore[assignment]
        return measure, total, top


@dataclass(frozen=True)
class Forest(PairObjective):
    """Sum of the scores of the best spanning tree of every cluster.

    value(C) = Σ_c max over trees that span c of Σ s_ij (Yu & Joachims 2009), edges of any sign. The
    weights are 1 on the edges of those trees, the earlier pair among equals. An absent pair is no
    edge; a cluster that the listed pairs do not connect counts as the pieces that they do.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 1, 2], [1, 0, 4], [2, 4, 0]])
    >>> Forest().value(Partition([0, 0, 0]), scores)
    6.0
    """

    def weights(self, partition: Partition | Relaxed, scores: PairScores) -> Floats:
        """Give each pair 1 if it is in the best spanning tree of a cluster, else 0."""
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


def _correct_links(partition: Partition | Relaxed, scores: PairScores, what: str) -> Bools:
    clustering = _as_clustering(partition, scores)
    if not isinstance(clustering, Partition):
        raise InputError(f"{what} has no relaxed form; give a Partition")
    return _together(clustering, scores)


def _best_links(left: Ints, item: Ints, links: Floats) -> Ints:
    """Find each item's link of the highest score, the smallest index among equals."""
    order = np.lexsort((left, -links, item))
    _, first = np.unique(item[order], return_index=True)
    return order[first]


def _as_clustering(partition: Partition | Relaxed, scores: PairScores) -> Partition | Relaxed:
    """Check that a partition or a relaxed matrix is of the items that are scored."""
    if not isinstance(scores, PairScores):
        raise InputError(
            f"scores are of type {type(scores).__name__}; give PairScores, of a matrix S by "
            "PairScores.from_matrix(S)"
        )
    if isinstance(partition, Partition):
        if len(partition) != scores.n_items:
            raise InputError(
                f"the partition covers {len(partition)} items, the scores {scores.n_items}; "
                "give a partition of the same items"
            )
        return partition
    relaxed = as_floats("a clustering that is no Partition", partition)
    if relaxed.shape != (scores.n_items, scores.n_items) or not np.isfinite(relaxed).all():
        raise InputError(
            f"the clustering has shape {relaxed.shape}; give a Partition, or a finite relaxed "
            f"matrix of shape ({scores.n_items}, {scores.n_items})"
        )
    return relaxed
