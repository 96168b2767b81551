"""Greedy merging with a loss inside that is no sum over pairs."""

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._core.memory import refuse_too_large
from coterie._types import Loss, MergedLoss, MergeSearch, SearchedLoss
from coterie.pairs import PairScores
from coterie.partition import Partition


def merged_with_loss(scores: PairScores, loss: Loss, truth: Partition) -> Ints:
    """Merge while some merge raises score plus loss; among equals, the smallest first items."""
    matrix = _strictly_upper(scores)
    if isinstance(loss, MergedLoss):
        return loss.merged(truth, matrix)
    search = loss.search(truth) if isinstance(loss, SearchedLoss) else Reevaluated(loss, truth)
    return merged_by_search(matrix, search)


def merged_by_search(matrix: Floats, search: MergeSearch) -> Ints:
    """Merge by a loss that is followed; `matrix` has scores above its diagonal, else -inf."""
    labels = live = np.arange(len(matrix))
    while len(live) > 1:
        gains = matrix + search.gain(live[:, None], live[None, :])
        a, b = divmod(int(np.argmax(gains)), len(live))
        if not gains[a, b] > 0:
            break
        search.merge(int(live[a]), int(live[b]))
        labels = np.where(labels == live[b], live[a], labels)
        matrix = _without(matrix, a, b)
        live = np.delete(live, b)
    return labels


class Reevaluated:
    """Any loss of two partitions, computed anew for every candidate merge."""

    def __init__(self, loss: Loss, truth: Partition) -> None:
        self._loss, self._truth = loss, truth
        self._labels = np.arange(len(truth))
        self._current = loss(truth, Partition(self._labels))

    def gain(self, first: Ints, second: Ints) -> Floats:
        """Return how each merge changes the loss; 0 where first is not before second."""
        first, second = np.broadcast_arrays(first, second)
        gains = np.zeros(first.shape)
        for at in zip(*np.nonzero(first < second), strict=True):
            joined = self._joined(first[at], second[at])
            gains[at] = self._loss(self._truth, Partition(joined)) - self._current
        return gains

    def merge(self, first: int, second: int) -> None:
        """Join the clusters of two items."""
        self._labels = self._joined(first, second)
        self._current = self._loss(self._truth, Partition(self._labels))

    def _joined(self, first: int, second: int) -> Ints:
        labels = self._labels
        return np.where(labels == labels[second], labels[first], labels)


def _strictly_upper(scores: PairScores) -> Floats:
    """Return the scores above the diagonal; elsewhere, and for apart pairs, -inf."""
    n_items = scores.n_items
    refuse_too_large(n_items**2, f"a full matrix of {n_items:,} items")
    matrix = np.full((n_items, n_items), -np.inf)
    matrix[~np.tri(n_items, dtype=np.bool_)] = scores.to_condensed()
    if scores.apart is not None:
        first, second = scores.apart.T
        matrix[first, second] = -np.inf
    return matrix


def _without(matrix: Floats, a: int, b: int) -> Floats:
    """Add row and column b to those of a < b, in the upper triangle, and drop b."""
    full = np.maximum(matrix, matrix.T)
    row = full[a] + full[b]
    matrix[a, a + 1 :] = row[a + 1 :]
    matrix[:a, a] = row[:a]
    return np.delete(np.delete(matrix, b, axis=0), b, axis=1)
