"""Scores of new items of a stream, without the pairs that have no finite score."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._kernels.linking.streams import list_pairs
from coterie._types import Similarity
from coterie.exceptions import InputError, PairError, located
from coterie.items import ItemSet
from coterie.stream._rows import ItemRows
from coterie.stream._trackers import CandidateLists


class ScoredCandidates(NamedTuple):
    """The candidates of new items that have finite scores, their scores, and what was left out."""

    lists: CandidateLists
    scores: Floats
    n_dropped: int


class CandidateScorer:
    """Scores new items of a stream with their candidates.

    One item must not hinder others. So a pair without a finite score is left out: the similarity
    may return no finite number for it, or raise an error that it raises for no single item.
    """

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity

    def refuse_overflowing(self, rows: ItemRows, positions: Sequence[int], first: int) -> None:
        """Raise an error if a new item has no finite score with a copy of itself.

        Such an item could have a finite score with hardly any other. `first` is the index in the
        stream of the first of the rows.
        """
        pairs = np.array(
            [(copy, len(positions) + position) for copy, position in enumerate(positions)],
            dtype=np.intp,
        ).reshape(-1, 2)
        try:
            items = rows.append_to(rows.extract(positions))
            if np.isfinite(self._scores(items, pairs)).all():
                return
        except InputError:
            if len(positions) == 1:
                with located(f"item {first + positions[0]}"):
                    raise
        if len(positions) == 1:
            raise PairError(
                f"item {first + positions[0]}: the similarity returned no finite score of the item "
                "with itself; give smaller numbers, or correct the item"
            )
        for position in positions:
            section = rows.section(position, position + 1)
            self.refuse_overflowing(section, [0], first + position)

    def score(
        self, rows: ItemRows, earlier: Sequence[Any], lists: CandidateLists, first: int
    ) -> ScoredCandidates:
        """Score new items with their candidates, in one call of the similarity if all is well.

        `lists` has positions in the concatenation of the earlier items and the new ones.
        """
        pairs, order = list_pairs(*lists, len(earlier))
        items = rows.append_to(earlier)
        try:
            # Also called without pairs, as the similarity raises the errors for unsuitable items.
            scores = self._scores(items, read_only(pairs))
        except InputError:
            self.refuse_overflowing(rows, range(len(rows)), first)
            if not len(pairs):
                with located(f"items {first} on"):
                    raise
            scores = self._scores_in_parts(type(rows)(items), pairs)
        is_finite = np.isfinite(scores)
        if not is_finite.all():
            positions = np.unique(pairs[~is_finite].max(axis=1)) - len(earlier)
            self.refuse_overflowing(rows, positions.tolist(), first)
        by_item = np.empty(len(order))
        by_item[order] = scores
        return _finite(lists, by_item)

    def _scores(self, items: Any, pairs: Pairs) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.asarray(self.similarity(ItemSet(items, ordered=True), pairs))
        if scores.shape != (len(pairs),):
            raise PairError(
                f"the similarity returned scores of shape {scores.shape} for {len(pairs)} pairs; "
                "return one finite score per pair"
            )
        return scores

    def _scores_in_parts(self, rows: ItemRows, pairs: Pairs) -> Floats:
        """Score pairs of which some raise an error, in ever smaller parts; those get NaN."""
        positions, renumbered = np.unique(pairs, return_inverse=True)
        items = rows.empty().append_to(rows.extract(positions.tolist()))
        try:
            return self._scores(items, read_only(renumbered.reshape(-1, 2)))
        except InputError:
            if len(pairs) == 1:
                return np.array([np.nan])
        middle = len(pairs) // 2
        parts = (pairs[:middle], pairs[middle:])
        return np.concatenate([self._scores_in_parts(rows, part) for part in parts])


def _finite(lists: CandidateLists, scores: Floats) -> ScoredCandidates:
    """Leave out the candidates without a finite score."""
    is_finite = np.isfinite(scores)
    if is_finite.all():
        return ScoredCandidates(lists, read_only(scores), 0)
    starts: Ints = np.concatenate([[0], np.cumsum(is_finite)])[lists.starts]
    finite = CandidateLists(read_only(starts), read_only(lists.indices[is_finite]))
    return ScoredCandidates(finite, read_only(scores[is_finite]), int(np.sum(~is_finite)))
