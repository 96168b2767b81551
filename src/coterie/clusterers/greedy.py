"""Greedy merging: the approximation C_G of correlation clustering."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints, Pairs, refuse_too_large
from coterie._kernels.correlation.greedy_dense import merge_dense, square_matrix
from coterie._kernels.correlation.greedy_sparse import merge_sparse
from coterie._kernels.graphs.components import DENSE_SHARE, label_trees
from coterie._types import LinearLoss, Loss, MergedLoss, MergeSearch, SearchedLoss
from coterie.clusterers._base import HeuristicClusterer, Solution
from coterie.clusterers._pieces import labels_by_piece, pieces
from coterie.clusterers.together import penalise_cannot_links
from coterie.exceptions import InputError
from coterie.objectives import Correlation
from coterie.pairs import PairScores
from coterie.partition import Partition, as_partition

WHOLE_ITEMS = 500
"""Up to this number of items with all pairs, merging is faster than finding components first."""

PIECE_PAIRS = 250_000
"""Small components are merged together in pieces of at least this number of pairs."""


@dataclass(frozen=True)
class Greedy(HeuristicClusterer):
    """Merge the two clusters whose merge raises the value most, until no merge raises it.

    This is C_G of Finley & Joachims 2005, section 5.1, for the correlation objective: the gain of a
    merge is the sum of the scores between the two clusters. Of merges with equal gains, the one
    with the earliest scored pair (i, j) between its clusters, by i, then j, comes first.

    If all or nearly all pairs are scored, the search works on the full matrix, otherwise on the
    scored pairs alone. The partition is the same.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, -1], [3, 0, 2], [-1, 2, 0]])
    >>> Greedy()(scores)
    Partition([0, 0, 0])
    """

    maximises = Correlation
    keeps_apart: ClassVar[bool] = True

    def augmented(self, scores: PairScores, loss: Loss, truth: Partition) -> Solution:
        """Merge to raise the value plus the loss against the truth (eq. 8 of the paper).

        A loss that is linear in the pair weights is added to the scores. A loss with a method
        `search` is updated with every merge. Any other function of two partitions is evaluated for
        every candidate merge, which suits small sets only. The `value` of the solution includes the
        loss; its weights are those of the partition.
        """
        self._refuse(scores)
        truth = as_partition(truth, scores.n_items)
        if isinstance(loss, LinearLoss):
            base, costs = _linearized(loss, truth, scores)
            solution = self._solution(scores, self(scores.plus(costs)))
            linear_loss = base + float(costs @ solution.weights)
            return replace(solution, value=solution.value + linear_loss)
        solution = self._solution(scores, Partition(merge_with_loss(scores, loss, truth)))
        return replace(solution, value=solution.value + loss(truth, solution.partition))

    def _labels(self, scores: PairScores) -> Ints:
        scores = penalise_cannot_links(scores)
        if scores.listed is None and scores.n_items <= WHOLE_ITEMS:
            return greedy_labels(scores)
        parts = pieces(scores, min_pairs=PIECE_PAIRS)
        return labels_by_piece(greedy_labels, parts, scores.n_items)


def greedy_labels(scores: PairScores) -> Ints:
    """Label the items of one set by greedy merging; cannot-link pairs are ignored."""
    n_items, pairs = scores.n_items, scores.listed
    if pairs is None:
        no_ranks = np.empty((0, 0), dtype=np.intp)
        parent = merge_dense(square_matrix(n_items, scores.scores), no_ranks)
    elif len(pairs) >= DENSE_SHARE * n_items**2:
        parent = merge_dense(*_square_listed(n_items, pairs, scores.scores))
    else:
        order = _descending(n_items, pairs, scores.scores)
        return merge_sparse(n_items, pairs, scores.scores, order)  # type: ignore[no-any-return]
    return label_trees(parent)  # type: ignore[no-any-return]


def _square_listed(n_items: int, pairs: Pairs, scores: Floats) -> tuple[Floats, Ints]:
    """Return matrices of the scores and of the ranks of the scored pairs."""
    first, second = pairs.T
    matrix = np.zeros((n_items, n_items))
    matrix[first, second] = matrix[second, first] = scores
    np.fill_diagonal(matrix, -np.inf)
    ranks = np.full((n_items, n_items), n_items**2, dtype=np.intp)
    ranks[first, second] = ranks[second, first] = first * n_items + second
    return matrix, ranks


def _descending(n_items: int, pairs: Pairs, scores: Floats) -> Ints:
    """Sort the positive pairs by descending score; of equal scores the earlier pair comes first."""
    positive = np.flatnonzero(scores > 0)
    order = positive[np.argsort(-scores[positive])]
    ranked = scores[order]
    if np.any(ranked[1:] == ranked[:-1]):
        ranks = pairs[positive, 0] * n_items + pairs[positive, 1]
        order = positive[np.lexsort((ranks, -scores[positive]))]
    return order


def _linearized(loss: LinearLoss, truth: Partition, scores: PairScores) -> tuple[float, Floats]:
    if not isinstance(loss.objective, Correlation):
        raise InputError(
            f"{type(loss).__name__} is linear in the weights of "
            f"{type(loss.objective).__name__}, but Greedy maximises Correlation; use PairLoss or "
            "MitreLoss"
        )
    return loss.linearize(truth, scores.listed)


def merge_with_loss(scores: PairScores, loss: Loss, truth: Partition) -> Ints:
    """Label the items by merging while a merge raises score plus loss.

    Of equal merges the one whose clusters have the smallest first items comes first.
    """
    matrix = _strictly_upper(scores)
    if isinstance(loss, MergedLoss):
        return loss.merged(truth, matrix)
    search = loss.search(truth) if isinstance(loss, SearchedLoss) else ReevaluatedLoss(loss, truth)
    return merge_by_search(matrix, search)


def merge_by_search(matrix: Floats, search: MergeSearch) -> Ints:
    """Label the items by merging with a loss that is updated by a search.

    `matrix` has the scores above its diagonal, and -inf elsewhere.
    """
    labels = firsts = np.arange(len(matrix))  # `firsts` are the first items of the clusters
    while len(firsts) > 1:
        gains = matrix + search.gain(firsts[:, None], firsts[None, :])
        a, b = divmod(int(np.argmax(gains)), len(firsts))
        if not gains[a, b] > 0:
            break
        search.merge(int(firsts[a]), int(firsts[b]))
        labels = np.where(labels == firsts[b], firsts[a], labels)
        matrix = _merge_rows(matrix, a, b)
        firsts = np.delete(firsts, b)
    return labels


class ReevaluatedLoss:
    """Any loss of two partitions, evaluated for every candidate merge."""

    def __init__(self, loss: Loss, truth: Partition) -> None:
        self._loss, self._truth = loss, truth
        self._labels = np.arange(len(truth))
        self._current = loss(truth, Partition(self._labels))

    def gain(self, first: Ints, second: Ints) -> Floats:
        """Return the change of the loss by each merge, or 0 if first is not before second."""
        first, second = np.broadcast_arrays(first, second)
        gains = np.zeros(first.shape)
        for index in zip(*np.nonzero(first < second), strict=True):
            labels = self._merged_labels(first[index], second[index])
            gains[index] = self._loss(self._truth, Partition(labels)) - self._current
        return gains

    def merge(self, first: int, second: int) -> None:
        """Merge the clusters of two items."""
        self._labels = self._merged_labels(first, second)
        self._current = self._loss(self._truth, Partition(self._labels))

    def _merged_labels(self, first: int, second: int) -> Ints:
        labels = self._labels
        return np.where(labels == labels[second], labels[first], labels)


def _strictly_upper(scores: PairScores) -> Floats:
    """Return a matrix of the scores above its diagonal; cannot-link pairs and the rest are -inf."""
    n_items = scores.n_items
    refuse_too_large(n_items**2, f"a full matrix of {n_items:,} items")
    matrix = np.full((n_items, n_items), -np.inf)
    matrix[~np.tri(n_items, dtype=np.bool_)] = scores.to_condensed()
    if scores.apart is not None:
        first, second = scores.apart.T
        matrix[first, second] = -np.inf
    return matrix


def _merge_rows(matrix: Floats, a: int, b: int) -> Floats:
    """Add row and column b to row and column a < b of an upper triangle, and drop b."""
    full = np.maximum(matrix, matrix.T)
    row = full[a] + full[b]
    matrix[a, a + 1 :] = row[a + 1 :]
    matrix[:a, a] = row[:a]
    return np.delete(np.delete(matrix, b, axis=0), b, axis=1)
