"""The contingency table of two clusterings, from which the metrics are computed."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from coterie._core.arrays import Bools, Floats, Ints
from coterie.exceptions import MetricError
from coterie.partition import PartitionLike, is_clusters, label_codes


@dataclass(frozen=True, eq=False)
class Contingency:
    """Number of items in each non-empty intersection of a true and a predicted cluster.

    Intersection k is that of the true cluster `rows[k]` and the predicted cluster `columns[k]`, and
    has `counts[k]` items. The truth and the prediction may cover different items: `truth_sizes` and
    `predicted_sizes` count all of them. The table of several item sets is the union of their
    tables, and `n_items` has one row per item set: its number of items in the truth, in the
    prediction, and in both.
    """

    rows: Ints
    columns: Ints
    counts: Ints
    truth_sizes: Ints
    predicted_sizes: Ints
    n_items: Ints

    @classmethod
    def union(cls, tables: Sequence[Self]) -> Self:
        """Combine the tables of several item sets, whose clusters stay separate."""
        n_rows = _starts([len(table.truth_sizes) for table in tables])
        n_columns = _starts([len(table.predicted_sizes) for table in tables])
        return cls(
            np.concatenate([t.rows + start for t, start in zip(tables, n_rows, strict=True)]),
            np.concatenate([t.columns + start for t, start in zip(tables, n_columns, strict=True)]),
            np.concatenate([table.counts for table in tables]),
            np.concatenate([table.truth_sizes for table in tables]),
            np.concatenate([table.predicted_sizes for table in tables]),
            np.concatenate([table.n_items for table in tables]),
        )

    def of_truths(self, selected: Bools) -> "Contingency":
        """Return the table of the items of some true clusters.

        Truth and prediction must cover the same items. Clusters without a selected item get size 0.
        """
        inside = selected[self.rows]
        rows, columns, counts = self.rows[inside], self.columns[inside], self.counts[inside]
        truth_sizes = np.where(selected, self.truth_sizes, 0)
        predicted_sizes = np.bincount(columns, counts, len(self.predicted_sizes)).astype(np.intp)
        n_items = np.full((1, 3), counts.sum())
        return Contingency(rows, columns, counts, truth_sizes, predicted_sizes, n_items)

    @property
    def T(self) -> "Contingency":  # noqa: N802
        """The table with truth and prediction exchanged."""
        return Contingency(
            self.columns,
            self.rows,
            self.counts,
            self.predicted_sizes,
            self.truth_sizes,
            self.n_items[:, [1, 0, 2]],
        )

    @cached_property
    def n_truth(self) -> int:
        """Number of items in the truth."""
        return int(self.truth_sizes.sum())

    @cached_property
    def n_predicted(self) -> int:
        """Number of items in the prediction."""
        return int(self.predicted_sizes.sum())

    @cached_property
    def n_shared(self) -> int:
        """Number of items in both the truth and the prediction."""
        return int(self.counts.sum())

    @property
    def n_truth_clusters(self) -> int:
        """Number of true clusters; an unused label has size 0."""
        return int(np.count_nonzero(self.truth_sizes))

    @property
    def n_predicted_clusters(self) -> int:
        """Number of predicted clusters."""
        return int(np.count_nonzero(self.predicted_sizes))

    @cached_property
    def squares(self) -> Floats:
        """The squared sizes of the intersections."""
        return self.counts.astype(np.float64) ** 2

    @property
    def size_products(self) -> Ints:
        """For each intersection, the product of the sizes of its two clusters."""
        products: Ints = self.truth_sizes[self.rows] * self.predicted_sizes[self.columns]
        return products

    @cached_property
    def truth_pairs(self) -> int:
        """Number of pairs together in the truth."""
        return pairs_within(self.truth_sizes)

    @cached_property
    def predicted_pairs(self) -> int:
        """Number of pairs together in the prediction."""
        return pairs_within(self.predicted_sizes)

    @cached_property
    def shared_pairs(self) -> int:
        """Number of pairs together in both the truth and the prediction."""
        return pairs_within(self.counts)


def pairs_within(sizes: Ints) -> int:
    """Count the pairs inside groups of the given sizes."""
    return int(sizes @ (sizes - 1)) // 2


def contingency(truth: PartitionLike, predicted: PartitionLike) -> Contingency:
    """Count the intersections of two clusterings: partitions, labels, or clusters of mentions."""
    clusters = is_clusters(truth), is_clusters(predicted)
    if any(clusters):
        sides = _as_mentions(truth, "truth"), _as_mentions(predicted, "predicted")
        if not all(clusters) and all(sides):
            _refuse_names(*sides)
        return _from_mentions(*sides)
    true, guessed = label_codes(truth), label_codes(predicted)
    if len(true) != len(guessed):
        raise MetricError(
            f"truth has {len(true)} labels, but predicted has {len(guessed)}; "
            "give one label per item in both"
        )
    return _count(true, guessed, np.bincount(true), np.bincount(guessed))


def _as_mentions(clustering: Any, side: str) -> dict[Hashable, int]:
    """Map each mention to the index of its cluster; the mentions of a partition are 0, 1, …."""
    if not is_clusters(clustering):
        return dict(enumerate(label_codes(clustering).tolist()))
    mentions: dict[Hashable, int] = {}
    for index, cluster in enumerate(clustering):
        if isinstance(cluster, np.ndarray) and cluster.ndim != 1:
            raise MetricError(
                f"{side} has a cluster of shape {cluster.shape}; give each cluster as a list of "
                "items"
            )
        for mention in cluster.tolist() if isinstance(cluster, np.ndarray) else cluster:
            if not isinstance(mention, Hashable):
                raise MetricError(
                    f"{side} has the mention {mention!r}, which is not hashable; give mentions as "
                    "strings, numbers or tuples of them"
                )
            if mention in mentions:
                raise MetricError(
                    f"{side} has the mention {mention!r} twice; give each mention only once, "
                    "in one cluster"
                )
            mentions[mention] = index
    return mentions


def _refuse_names(truth: dict[Hashable, int], predicted: dict[Hashable, int]) -> None:
    """Refuse labels on one side if the clusters of the other are not of item indices."""
    name = next((m for m in (*truth, *predicted) if not isinstance(m, int | np.integer)), None)
    if name is not None:
        raise MetricError(
            "one clustering has labels, but the other has clusters of mentions such as "
            f"{name!r}; give both as clusters, or replace the mentions with item indices"
        )


def _from_mentions(truth: dict[Hashable, int], predicted: dict[Hashable, int]) -> Contingency:
    shared = [mention for mention in truth if mention in predicted]
    return _count(
        _array(truth[mention] for mention in shared),
        _array(predicted[mention] for mention in shared),
        np.bincount(_array(truth.values())),
        np.bincount(_array(predicted.values())),
    )


def _count(true: Ints, guessed: Ints, true_sizes: Ints, guessed_sizes: Ints) -> Contingency:
    keys = true * max(len(guessed_sizes), 1) + guessed
    keys.sort()
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    rows, columns = np.divmod(keys[starts], max(len(guessed_sizes), 1))
    counts = np.diff(starts, append=len(keys))
    n_items = np.array([[true_sizes.sum(), guessed_sizes.sum(), len(keys)]])
    return Contingency(rows, columns, counts, true_sizes, guessed_sizes, n_items)


def _array(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.intp)


def _starts(lengths: Sequence[int]) -> Ints:
    return np.cumsum([0, *lengths[:-1]])
