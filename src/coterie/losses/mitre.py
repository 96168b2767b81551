"""The MITRE loss, followed through merges."""

from dataclasses import dataclass

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.correlation.mitre import merge_with_mitre
from coterie.metrics import mitre_loss
from coterie.partition import Partition, as_partition


@dataclass(frozen=True)
class MitreLoss:
    """Measure the links that turn one partition into the other: 0 to 100.

    Δ_M = 100 (1 − F1) of the MUC score, with 0/0 = 1, so that the truth itself loses 0 (Finley &
    Joachims 2005, section 6, where the printed formula is the harmonic mean of the errors). It is
    not linear in the pairs, but a greedy search can follow it.

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
        """Return the loss of a predicted partition."""
        return mitre_loss(truth, predicted)

    def search(self, truth: Partition) -> "MitreSearch":
        """Start with all items single, to follow the loss through merges."""
        return MitreSearch(as_partition(truth))

    def merged(self, truth: Partition, matrix: Floats) -> Ints:
        """Label the items by greedy merging with the loss inside, all merges at once.

        `matrix` has the scores of items above its diagonal, -inf for those that must be apart; it
        is used up.

        >>> matrix = np.array([[0.0, 50.0, 1.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]])
        >>> MitreLoss().merged(Partition([0, 0, 1]), matrix)
        array([0, 1, 0])
        """
        truth = as_partition(truth, len(matrix))
        return merge_with_mitre(matrix, truth.labels, truth.n_clusters)  # type: ignore[no-any-return]


class MitreSearch:
    """The MITRE loss of clusters that are merged one by one, from all items single.

    With c correct links, F1 = 2 c / (links of the truth + links predicted). c is the number of
    items less that of pieces, the non-empty overlaps of true and predicted clusters. A merge adds
    one predicted link, and one correct link for each true cluster that has items in both.
    """

    def __init__(self, truth: Partition) -> None:
        n_items = len(truth)
        self._true_links = n_items - truth.n_clusters
        self._correct = self._predicted = 0
        self._cluster = np.arange(n_items)
        # has[a, t]: cluster a has items of true cluster t; shared[a, b]: how many t both have.
        self._has = np.equal.outer(truth.labels, np.arange(truth.n_clusters))
        self._shared = np.equal.outer(truth.labels, truth.labels).astype(np.int32)
        self._tabulate()

    def gain(self, first: Ints, second: Ints) -> Floats:
        """Return the change of the loss if the clusters of these items are merged.

        The two arrays are broadcast; two items of one cluster change nothing.
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
        # A true cluster in both was counted twice with every cluster that has it too.
        both = np.flatnonzero(self._has[a] & self._has[b])
        self._shared[a] += self._shared[b] - np.count_nonzero(self._has[:, both], axis=1)
        self._shared[:, a] = self._shared[a]
        self._has[a] |= self._has[b]
        self._cluster[self._cluster == b] = a
        self._tabulate()

    def _tabulate(self) -> None:
        """Compute the change of the loss by a merge for each number of shared true clusters."""
        shared = np.arange(self._has.shape[1] + 1)
        after = 2.0 * (self._correct + shared) / (self._true_links + self._predicted + 1)
        self._changes = 100.0 * (self._f1 - after)

    @property
    def _f1(self) -> float:
        links = self._true_links + self._predicted
        return 2.0 * self._correct / links if links else 1.0
