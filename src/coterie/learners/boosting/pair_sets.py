"""The pairs of all item sets in one set of arrays, for boosting."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Bools, Floats, Ints, Pairs, read_only, refuse_too_large
from coterie._types import Blocker, Featurizer
from coterie.exceptions import FeatureError, located
from coterie.features.operators import to_matrix
from coterie.items import ItemSet
from coterie.learners.base import Examples, candidate_pairs
from coterie.learners.linking.link_sets import Candidates, refuse_wrong_row_count
from coterie.pairs import PairScores
from coterie.partition import Partition


class PairSet(NamedTuple):
    """The pairs of one item set.

    `rows` are their rows among the pairs of all item sets, in the order of `candidates`. `pairs`
    are those of the blocker, in its order; None means all pairs.
    """

    rows: slice
    candidates: Candidates
    pairs: Pairs | None
    truth: Partition
    n_clusters: int | None = None

    def pair_scores(self, candidate_scores: Floats) -> PairScores:
        """Return the scores of the candidates as `PairScores`, in the order of the pairs."""
        scores = np.empty(len(candidate_scores))
        scores[self.candidates.order] = candidate_scores
        return PairScores(len(self.truth), self.pairs, scores, n_clusters=self.n_clusters)

    def is_together(self, partition: Partition) -> Bools:
        """Return whether each candidate pair is together in a partition."""
        labels = partition.labels
        together: Bools = labels[self.candidates.items] == labels[self.candidates.lefts]
        return together


@dataclass(frozen=True, eq=False)
class PairSets:
    """The pairs of all item sets, sorted by item set and by their later item.

    Items have consecutive indices over all item sets.
    """

    sets: list[PairSet]

    def __len__(self) -> int:
        return self.sets[-1].rows.stop if self.sets else 0

    @classmethod
    def of(
        cls,
        item_sets: Sequence[ItemSet],
        truths: Sequence[Partition],
        pairs_of_sets: Sequence[Pairs | None],
    ) -> "PairSets":
        """Sort the pairs of each item set; None means all pairs."""
        sets, start = [], 0
        for item_set, truth, pairs in zip(item_sets, truths, pairs_of_sets, strict=True):
            candidates = Candidates.sort(len(item_set), pairs)
            rows = slice(start, start + len(candidates.lefts))
            sets.append(PairSet(rows, candidates, pairs, truth, item_set.n_clusters))
            start = rows.stop
        return cls(sets)

    @cached_property
    def starts(self) -> Ints:
        """The row of the first pair of each later item, then the number of pairs."""
        parts = [pair_set.candidates.starts[:-1] + pair_set.rows.start for pair_set in self.sets]
        return read_only(np.concatenate([*parts, [len(self)]]).astype(np.intp))

    @cached_property
    def lefts(self) -> Ints:
        """The earlier item of each pair."""
        parts = [pair_set.candidates.lefts + first_item for pair_set, first_item in self._offsets]
        return read_only(np.concatenate(parts).astype(np.int32))

    @cached_property
    def labels(self) -> Ints:
        """The true label of each item; clusters of different item sets may have the same label."""
        parts = [pair_set.truth.labels for pair_set in self.sets]
        return read_only(np.concatenate(parts).astype(np.int32))

    @cached_property
    def together(self) -> Bools:
        """For each pair, whether it is together in the truth."""
        return np.concatenate([pair_set.is_together(pair_set.truth) for pair_set in self.sets])

    @property
    def _offsets(self) -> Iterator[tuple[PairSet, int]]:
        """Each item set with the index of its first item."""
        first_item = 0
        for pair_set in self.sets:
            yield pair_set, first_item
            first_item += len(pair_set.truth)


class FeaturizedPairs(NamedTuple):
    """Pairs with the matrix of their features, and the featurizer that computed it."""

    pairs: PairSets
    matrix: Floats
    featurizer: Featurizer


def featurize_pairs(
    examples: Examples, featurizer: Featurizer, blocker: Blocker
) -> FeaturizedPairs:
    """Compute the features of the candidate pairs of all item sets."""
    pairs_of_sets: list[Pairs | None] = []
    for index, item_set in enumerate(examples.item_sets):
        with located(f"item set {index}"):
            has_pairs = len(item_set) > 1
            pairs_of_sets.append(
                candidate_pairs(blocker, item_set) if has_pairs else np.empty((0, 2), np.intp)
            )
    pairs = PairSets.of(*examples, pairs_of_sets)
    n_columns = len(featurizer.names)
    size = f"a matrix of {len(pairs):,} pairs × {n_columns:,} features"
    refuse_too_large(len(pairs) * n_columns, size)
    matrix = np.empty((len(pairs), n_columns))
    for index, (item_set, pair_set) in enumerate(zip(examples.item_sets, pairs.sets, strict=True)):
        if len(item_set) > 1:  # featurizers may refuse an item set without pairs
            with located(f"item set {index}"):
                matrix[pair_set.rows] = _feature_matrix(featurizer, item_set, pair_set)
    return FeaturizedPairs(pairs, matrix, featurizer)


def _feature_matrix(featurizer: Featurizer, item_set: ItemSet, pair_set: PairSet) -> Floats:
    """Return the features of the pairs of an item set, in the order of the candidates."""
    features = featurizer(item_set, pair_set.pairs)
    refuse_wrong_row_count(features, len(pair_set.candidates.lefts))
    matrix = to_matrix(features)
    dense: Floats = matrix.toarray() if sp.issparse(matrix) else matrix
    bad_rows = np.flatnonzero(~np.isfinite(dense).all(axis=1))
    if bad_rows.size:
        raise FeatureError(
            f"the features of pair {bad_rows[0]} are not all finite; give finite numbers"
        )
    return dense[pair_set.candidates.order]
