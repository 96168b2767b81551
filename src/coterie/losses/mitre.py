"""The MITRE loss, which is updated as clusters are merged."""

from dataclasses import dataclass

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.correlation.mitre import merge_with_mitre
from coterie.metrics import mitre_loss
from coterie.partition import Partition, as_partition


@dataclass(frozen=True)
class MitreLoss:
    """Measure the links by which two partitions differ, from 0 to 100.

    Δ_M = 100 (1 − F1) of the MUC score, with 0/0 = 1, so that the truth itself has loss 0 (Finley &
    Joachims 2005, section 6; the formula printed there is the harmonic mean of the errors). The
    loss is not linear in the pairs, but a greedy search can update it with every merge.

    Examples
    --------
    >>> truth = Partition([0, 0, 1])
    >>> MitreLoss()(truth, Partition([0, 1, 2]))
    100.0
    >>> search = MitreLoss().search(truth)
    >>> search.gain(np.array([0, 0]), np.array([1, 2]))
    array([-100.,    0.])
    """

    def __call__(self, truth: Partition, predicted: Partition) -> float:
        """Return the loss of a predicted partition, from 0 to 100."""
        return mitre_loss(truth, predicted)

    def search(self, truth: Partition) -> "MitreSearch":
        """Return the loss of singletons, ready to be updated with every merge."""
        return MitreSearch(as_partition(truth))

    def merged(self, truth: Partition, matrix: Floats) -> Ints:
        """Label the items by greedy merging of the highest score plus loss.

        `matrix` has the scores of the items above its diagonal, and -inf for cannot-link pairs. It
        is overwritten.

        >>> matrix = np.array([[0.0, 50.0, 1.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]])
        >>> MitreLoss().merged(Partition([0, 0, 1]), matrix)
        array([0, 1, 0])
        """
        truth = as_partition(truth, len(matrix))
        return merge_with_mitre(matrix, truth.labels, truth.n_clusters)  # type: ignore[no-any-return]


class MitreSearch:
    """The MITRE loss of clusters that start as singletons and are merged one by one.

    F1 = 2 c / (true links + predicted links), where c counts the correct links: it is the number of
    items minus the number of non-empty intersections of a true and a predicted cluster. A merge
    adds one predicted link, and one correct link for each true cluster with items in both clusters.
    """

    def __init__(self, truth: Partition) -> None:
        n_items = len(truth)
        self._true_links = n_items - truth.n_clusters
        self._correct = self._predicted = 0
        self._cluster = np.arange(n_items)
        # has[a, t]: cluster a has items of true cluster t.
        # shared[a, b]: the number of true clusters with items in both a and b.
        self._has = np.equal.outer(truth.labels, np.arange(truth.n_clusters))
        self._shared = np.equal.outer(truth.labels, truth.labels).astype(np.int32)
        self._tabulate()

    def gain(self, first: Ints, second: Ints) -> Floats:
        """Return the change of the loss by merging the clusters of two items, for many of them.

        The two arrays are broadcast. Two items of the same cluster change nothing.
        """
        a, b = self._cluster[first], self._cluster[second]
        changes: Floats = np.where(a == b, 0.0, self._changes[self._shared[a, b]])
        return changes

    def merge(self, first: int, second: int) -> None:
        """Merge the clusters of two items."""
        a, b = self._cluster[first], self._cluster[second]
        if a == b:
            return
        self._correct += int(self._shared[a, b])
        self._predicted += 1
        # In the sum of two rows, the true clusters in both a and b are counted twice.
        common = np.flatnonzero(self._has[a] & self._has[b])
        self._shared[a] += self._shared[b] - np.count_nonzero(self._has[:, common], axis=1)
        self._shared[:, a] = self._shared[a]
        self._has[a] |= self._has[b]
        self._cluster[self._cluster == b] = a
        self._tabulate()

    def _tabulate(self) -> None:
        """Compute the change of the loss by a merge, for every number of shared true clusters."""
        shared = np.arange(self._has.shape[1] + 1)
        after = 2.0 * (self._correct + shared) / (self._true_links + self._predicted + 1)
        self._changes = 100.0 * (self._f1 - after)

    @property
    def _f1(self) -> float:
        links = self._true_links + self._predicted
        return 2.0 * self._correct / links if links else 1.0
