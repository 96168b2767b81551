"""Partitions sampled from a posterior, and their summaries."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats, Ints, read_only, refuse_too_large
from coterie._core.values import Value
from coterie._kernels.dirichlet.partitions import co_clustering_weights, relabel_by_appearance
from coterie.dirichlet.diagnostics import Diagnostics, effective_sample_size, r_hat
from coterie.exceptions import InputError, PartitionError
from coterie.partition import Partition

__all__ = ["DistinctPartitions", "Posterior"]

Labels: TypeAlias = NDArray[np.int32]


class DistinctPartitions(NamedTuple):
    """The different partitions among samples, and the share of each."""

    labels: Labels
    """The cluster labels, of shape (n_partitions, n_items)."""
    shares: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Value):
    """Partitions of one item set, sampled by several chains.

    Parameters
    ----------
    labels
        The cluster labels of the items, as non-negative integers of shape (n_chains, n_samples,
        n_items). They are stored as 0, 1, … by first appearance in each sample.
    log_joint
        The joint log probability of each sample and the items, up to a constant, of shape
        (n_chains, n_samples).

    Examples
    --------
    >>> posterior = Posterior([[[0, 0, 1], [0, 0, 0]]], [[-1.0, -2.0]])
    >>> posterior
    Posterior(1 chains × 2 samples of 3 items, 1 to 2 clusters)
    >>> posterior.pair_probabilities
    array([[1. , 1. , 0.5],
           [1. , 1. , 0.5],
           [0.5, 0.5, 1. ]])
    >>> posterior.cluster_counts()
    {1: 0.5, 2: 0.5}
    """

    labels: Labels
    log_joint: Floats

    def __post_init__(self) -> None:
        labels = _as_labels(self.labels)
        log_joint = as_floats("log_joint", self.log_joint)
        if log_joint.shape != labels.shape[:2] or not np.all(np.isfinite(log_joint)):
            raise InputError(
                f"log_joint has shape {log_joint.shape}; give one finite number for each of the "
                f"{labels.shape[0]} × {labels.shape[1]} samples"
            )
        object.__setattr__(self, "labels", read_only(labels))
        object.__setattr__(self, "log_joint", log_joint)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.labels.shape[2])

    @property
    def samples(self) -> Labels:
        """The labels of all samples, one row per sample, chain after chain."""
        return self.labels.reshape(self.log_joint.size, self.n_items)

    @cached_property
    def n_clusters(self) -> Ints:
        """The number of clusters of each sample, of shape (n_chains, n_samples)."""
        return read_only(self.labels.max(axis=2, initial=-1).astype(np.intp) + 1)

    @cached_property
    def pair_probabilities(self) -> Floats:
        """The probability that two items are together, as n_items × n_items matrix."""
        n_items, n_samples = self.n_items, self.log_joint.size
        if not n_items:
            return read_only(np.empty((0, 0)))
        refuse_too_large(n_items**2, f"the probabilities of all pairs of {n_items:,} items")
        # Rounded to whole numbers, so that the probability of a certain pair is exactly 0 or 1.
        counts = np.round(self.distinct.shares * n_samples)
        return read_only(co_clustering_weights(self.distinct.labels, read_only(counts)) / n_samples)

    @cached_property
    def distinct(self) -> DistinctPartitions:
        """The different partitions, the most frequent first; ties are in the order of sampling."""
        rows = self.samples
        index_of: dict[bytes, int] = {}
        indices = [index_of.setdefault(row.tobytes(), len(index_of)) for row in rows]
        _, first, counts = np.unique(indices, return_index=True, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        shares = counts[order] / len(rows)
        return DistinctPartitions(read_only(rows[first[order]]), read_only(shares))

    def partitions(self) -> dict[Partition, float]:
        """Return the different partitions and their probabilities, the most probable first.

        >>> Posterior([[[0, 1], [1, 0], [0, 0]]], [[0, 0, 0]]).partitions()
        {Partition([0, 1]): 0.6666666666666666, Partition([0, 0]): 0.3333333333333333}
        """
        labels, shares = self.distinct
        return {Partition(row): share for row, share in zip(labels, shares.tolist(), strict=True)}

    def cluster_counts(self) -> dict[int, float]:
        """Return the probability of each number of clusters that was sampled."""
        n_clusters, counts = np.unique(self.n_clusters, return_counts=True)
        shares = counts / self.n_clusters.size
        return dict(zip(n_clusters.tolist(), shares.tolist(), strict=True))

    def diagnostics(self) -> Diagnostics:
        """Return the effective sample sizes and R-hats of three quantities.

        The quantities are the log joint, the number of clusters, and whether the least certain pair
        is together. That is the first pair among those with a probability closest to ½; if all
        pairs are certain, the chains of this quantity are constant. Chains with different reference
        types have different distributions of the log joint, and its R-hat stays above 1.
        """
        pair = self._least_certain_pair()
        first, second = pair or (0, 0)
        together = np.ones(self.log_joint.shape)
        if pair:
            together = self.labels[:, :, first] == self.labels[:, :, second]
        return Diagnostics(
            ess_log_joint=effective_sample_size(self.log_joint),
            r_hat_log_joint=r_hat(self.log_joint),
            ess_n_clusters=effective_sample_size(self.n_clusters),
            r_hat_n_clusters=r_hat(self.n_clusters),
            pair=pair,
            ess_pair=effective_sample_size(together),
            r_hat_pair=r_hat(together),
        )

    def _least_certain_pair(self) -> tuple[int, int] | None:
        if not self.n_items:
            return None
        # The diagonal comes first and is ½ away from ½, the most that is possible. So if the least
        # is at (0, 0), no pair is closer. Rounding makes 0.4 and 0.6 equally close.
        distance = np.round(np.abs(self.pair_probabilities - 0.5), 12)
        first, second = divmod(int(distance.argmin()), self.n_items)
        return (first, second) if first != second else None

    def __repr__(self) -> str:
        n_chains, n_samples, n_items = self.labels.shape
        low, high = self.n_clusters.min(), self.n_clusters.max()
        clusters = f"{low}" if low == high else f"{low} to {high}"
        return (
            f"Posterior({n_chains} chains × {n_samples} samples of {n_items} items, "
            f"{clusters} clusters)"
        )


def _as_labels(labels: ArrayLike) -> Labels:
    """Check the labels of all samples, and relabel each sample by first appearance."""
    array = np.asarray(labels)
    if array.ndim != 3 or not all(array.shape[:2]):
        raise PartitionError(
            f"labels have shape {array.shape}; give an array of shape (n_chains, n_samples, "
            "n_items), with at least one sample"
        )
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0):
        raise PartitionError(
            "labels of samples must be non-negative integers; replace all other labels"
        )
    if array.max(initial=0) > array.size:
        array = np.unique(array, return_inverse=True)[1].reshape(array.shape)
    n_chains, n_samples, n_items = array.shape
    rows = np.ascontiguousarray(array.reshape(n_chains * n_samples, n_items), dtype=np.intp)
    relabelled: Labels = relabel_by_appearance(read_only(rows), int(rows.max(initial=-1)) + 1)
    return relabelled.reshape(array.shape)
