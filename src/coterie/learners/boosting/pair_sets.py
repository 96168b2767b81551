"""All pairs of all item sets in arrays, as boosting sees them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Bools, Floats, Ints, Pairs, read_only, refuse_too_large
from coterie._types import Blocker, Featurizer
from coterie.exceptions import FeatureError, located
from coterie.features.operators import written
from coterie.items import ItemSet
from coterie.learners.base import Examples
from coterie.learners.linking.link_sets import Candidates, refuse_wrong_row_count
from coterie.pairs import PairScores
from coterie.partition import Partition


class PairSet(NamedTuple):
    """One item set: which of all pairs are its own, and how they are listed in it."""

    at: slice
    candidates: Candidates
    listed: Pairs | None
    truth: Partition
    n_clusters: int | None = None

    def scored(self, links: Floats) -> PairScores:
        """Return what its pairs score, in the order in which they are listed."""
        scores = np.empty(len(links))
        scores[self.candidates.order] = links
        return PairScores(len(self.truth), self.listed, scores, n_clusters=self.n_clusters)

    def together(self, partition: Partition) -> Bools:
        """Tell which of its pairs are together in a partition."""
        labels = partition.labels
        together: Bools = labels[self.candidates.items] == labels[self.candidates.lefts]
        return together


@dataclass(frozen=True, eq=False)
class PairSets:
    """The pairs of item sets, those of one later item after the other.

    Items are numbered through all sets, and so are their true clusters, `labels`.
    """

    sets: list[PairSet]

    def __len__(self) -> int:
        return self.sets[-1].at.stop if self.sets else 0

    @classmethod
    def of(
        cls,
        item_sets: Sequence[ItemSet],
        truths: Sequence[Partition],
        listed: Sequence[Pairs | None],
    ) -> "PairSets":
        """Sort the listed pairs of each item set; None stands for all of them."""
        sets, first = [], 0
        for item_set, truth, pairs in zip(item_sets, truths, listed, strict=True):
            candidates = Candidates.sort(len(item_set), pairs)
            last = first + len(candidates.lefts)
            at, known = slice(first, last), item_set.n_clusters
            sets.append(PairSet(at, candidates, pairs, truth, known))
            first = last
        return cls(sets)

    @cached_property
    def starts(self) -> Ints:
        """Where the pairs of each later item begin, and where the last ones end."""
        parts = [each.candidates.starts[:-1] + each.at.start for each in self.sets]
        return read_only(np.concatenate([*parts, [len(self)]]).astype(np.intp))

    @cached_property
    def lefts(self) -> Ints:
        """The earlier item of each pair."""
        parts = [each.candidates.lefts + first for each, first in self._numbered]
        return read_only(np.concatenate(parts).astype(np.int32))

    @cached_property
    def labels(self) -> Ints:
        """The true cluster of each item; those of different item sets may share a number."""
        parts = [each.truth.labels for each in self.sets]
        return read_only(np.concatenate(parts).astype(np.int32))

    @cached_property
    def together(self) -> Bools:
        """Whether each pair is truly together."""
        return np.concatenate([each.together(each.truth) for each in self.sets])

    @property
    def _numbered(self) -> Iterator[tuple[PairSet, int]]:
        first = 0
        for each in self.sets:
            yield each, first
            first += len(each.truth)


def pair_sets(
    examples: Examples, featurizer: Featurizer, blocker: Blocker
) -> tuple[PairSets, Floats]:
    """List the pairs of all item sets, and write out their features; an error names the set."""
    listed: list[Pairs | None] = []
    for number, item_set in enumerate(examples.item_sets):
        with located(f"item set {number}"):
            listed.append(blocker(item_set) if len(item_set) > 1 else np.empty((0, 2), np.intp))
    pairs = PairSets.of(*examples, listed)
    n_columns = len(featurizer.names)
    size = f"a matrix of {len(pairs):,} pairs × {n_columns:,} features"
    refuse_too_large(len(pairs) * n_columns, size)
    matrix = np.empty((len(pairs), n_columns))
    for number, (item_set, each) in enumerate(zip(examples.item_sets, pairs.sets, strict=True)):
        if len(item_set) > 1:  # a single item has no pairs, and perhaps nothing to compare
            with located(f"item set {number}"):
                matrix[each.at] = _features(featurizer, item_set, each)
    return pairs, matrix


def _features(featurizer: Featurizer, item_set: ItemSet, pair_set: PairSet) -> Floats:
    """Write out the features of the pairs of an item set, in the order of the candidates."""
    features = featurizer(item_set, pair_set.listed)
    refuse_wrong_row_count(features, len(pair_set.candidates.lefts))
    matrix = written(features)
    dense: Floats = matrix.toarray() if sp.issparse(matrix) else matrix
    bad = np.flatnonzero(~np.isfinite(dense).all(axis=1))
    if bad.size:
        raise FeatureError(f"the features of pair {bad[0]} are not all finite; give finite numbers")
    return dense[pair_set.candidates.order]
