"""The agreement of equal keys of rows with true clusters."""

from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Ints


class Agreement(NamedTuple):
    """The agreement of keys with true clusters, among the rows that have a key.

    Precision is the share of the other rows with the same key that are in the same cluster, and
    recall the share of the other rows in the same cluster that have the same key. Both are means
    over all rows for which they are defined, and 0 if there are none.
    """

    coverage: float
    precision: float
    recall: float
    n_mates: int
    """The number of rows that have a key, and share their cluster with another such row."""

    @property
    def least(self) -> float:
        """The smaller one of precision and recall."""
        return min(self.precision, self.recall)


def agreement_of(keys: Ints, labels: Ints) -> Agreement:
    """Return the agreement of keys, −1 where there is none, with the clusters of rows.

    >>> agreement_of(np.array([0, 0, 1, -1]), np.array([5, 5, 5, 5]))
    Agreement(coverage=0.75, precision=1.0, recall=0.3333333333333333, n_mates=3)
    """
    has_key = keys >= 0
    if not has_key.any():
        return Agreement(0.0, 0.0, 0.0, 0)
    keys, clusters = keys[has_key], labels[has_key]
    codes = np.unique(keys * (clusters.max() + 1) + clusters, return_inverse=True)[1]
    n_both, n_key, n_cluster = (_others(values) for values in (codes, keys, clusters))
    return Agreement(
        float(has_key.mean()),
        _mean_share(n_both, n_key),
        _mean_share(n_both, n_cluster),
        int(np.count_nonzero(n_cluster)),
    )


def _others(codes: Ints) -> Ints:
    """Return for each row the number of other rows with the same code."""
    return np.bincount(codes)[codes] - 1


def _mean_share(part: Ints, total: Ints) -> float:
    has_others = total > 0
    return float((part[has_others] / total[has_others]).mean()) if has_others.any() else 0.0
