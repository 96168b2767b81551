"""Features of a pair from the scores of the other pairs of its items, for a second stage."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arguments import refuse_uncallable
from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._kernels.pairs.context import common_neighbours, pairs_by_item, rank_in_rows
from coterie._types import Blocker, Features, Similarity
from coterie.exceptions import FeatureError, located
from coterie.features.featurizer import PairFeaturizer
from coterie.features.given import IndexedPairFeatures
from coterie.features.operators import DenseFeatures
from coterie.items import ItemSet, PairFeatures
from coterie.pairs import PairScores, all_pairs

__all__ = ["ContextFeatures", "context_columns"]

NAMES = (
    "lower rank",
    "higher rank",
    "fewer mates",
    "more mates",
    "smaller margin",
    "larger margin",
    "common neighbours",
)
MAX_SCORE = 1e6
"""Scores are clipped to ± this value, so that their differences do not overflow."""

ROUNDING = 1e-9
"""Scores that differ by less than this times 1 + |score| count as equal."""

EXTRA_MATES = 0.01
"""A value that is added to the expected number of mates, whose logarithm is then finite."""


class EncodedContext(NamedTuple):
    """The context of the candidate pairs, and the pairs to compare if none are given."""

    context: IndexedPairFeatures
    default_pairs: Pairs | None


@dataclass(frozen=True, eq=False)
class ContextFeatures(PairFeaturizer):
    """Compare the score of each pair (i, j) with the scores sᵢₖ, sⱼₖ of other pairs of its items.

    The scores are those of a similarity. Pairs have no direction, so that values of the two items
    are sorted. The seven columns are:

    - `lower rank`, `higher rank`: log(1 + r), where r is the number of pairs of the item that score
      higher.
    - `fewer mates`, `more mates`: log(0.01 + m), where m = Σₖ 1 / (1 + exp(−sᵢₖ)) is the expected
      number of items in the same cluster as the item.
    - `smaller margin`, `larger margin`: the score of the pair minus the highest score of another
      pair of the item, or minus 0, the score of staying alone, if it has no other pair.
    - `common neighbours`: the share of other items k with sᵢₖ > 0 and sⱼₖ > 0 among those with
      sᵢₖ > 0 or sⱼₖ > 0; 0 if there are none.

    The score itself is not a column: the second stage has the features that it was computed from,
    and results were worse with it. Scores that differ by 1e-9 count as equal, and scores are
    clipped to ±1e6.

    The columns depend on which pairs are scored. So only candidate pairs of the blocker have a
    context, and features of all pairs (`pairs=None`) exist only if all pairs are candidates.

    Parameters
    ----------
    similarity
        The fitted similarity that scores the pairs, preferably as log-odds.
    blocker
        The blocker that selects the candidate pairs; None means all pairs, or all pairs with
        features if these come with the item set.

    Examples
    --------
    >>> from coterie.features import GivenFeatures
    >>> from coterie.similarities import LinearSimilarity
    >>> featurizer = ContextFeatures(LinearSimilarity(GivenFeatures(), coef=[1.0]))
    >>> scores = [[3.0], [2.0], [-1.0], [-4.0], [1.0], [-2.0]]
    >>> features = featurizer(ItemSet.from_pair_features(scores, n_items=4), [(0, 1), (0, 2)])
    >>> dict(zip(featurizer.names, features.to_matrix().round(2)[1].tolist()))  # doctest: +ELLIPSIS
    {'lower rank': 0.0, 'higher rank': 0.69, ... 'common neighbours': 0.0}
    """

    similarity: Similarity
    blocker: Blocker | None = None

    def __post_init__(self) -> None:
        if isinstance(self.similarity, type) or not hasattr(self.similarity, "pair_scores"):
            raise FeatureError(
                f"the similarity is {self.similarity!r}, which has no pair_scores; give a fitted "
                "similarity, such as learner.similarity_"
            )
        if self.blocker is not None:
            refuse_uncallable("blocker", self.blocker, 1, "Window(10)")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the seven columns."""
        return NAMES

    def encode(self, item_set: ItemSet) -> EncodedContext:
        """Score the candidate pairs, and compute the context of each."""
        items = item_set.items
        default_pairs = items.pairs if isinstance(items, PairFeatures) else None
        candidates = default_pairs if self.blocker is None else self.blocker(item_set)
        columns = context_columns(self.similarity.pair_scores(item_set, candidates))
        features = DenseFeatures.of_checked(columns)
        context = IndexedPairFeatures(features, len(item_set), candidates)
        return EncodedContext(context, default_pairs)

    def compare(self, encoded: EncodedContext, pairs: ArrayLike | None) -> Features:
        """Return the context of pairs (None: all pairs)."""
        context, requested = encoded.context, encoded.default_pairs if pairs is None else pairs
        if requested is None and context.pairs is not None:
            requested = all_pairs(context.n_items)
        with located("candidate pairs of the blocker"):
            return context.at(requested)


def context_columns(pair_scores: PairScores) -> Floats:
    """Return the columns of `ContextFeatures`, one row per scored pair."""
    pairs, scores = pair_scores.pairs, np.clip(pair_scores.scores, -MAX_SCORE, MAX_SCORE)
    starts, members = pairs_by_item(pairs, pair_scores.n_items)
    ranks, rivals, mates = rank_in_rows(pairs, scores, starts, members, ROUNDING)
    margins = scores[:, None] - np.nan_to_num(rivals, nan=0.0)
    columns = (
        np.log1p(np.sort(ranks, axis=1)),
        np.log(EXTRA_MATES + np.sort(mates[pairs], axis=1)),
        np.sort(margins, axis=1),
        _common_neighbour_shares(pairs, scores, starts, members)[:, None],
    )
    return read_only(np.hstack(columns))


def _common_neighbour_shares(pairs: Pairs, scores: Floats, starts: Ints, members: Ints) -> Floats:
    """Return the share of common neighbours of each pair; neighbours have a positive score."""
    n_items = len(starts) - 1
    is_edge = scores > ROUNDING
    edges = pairs[is_edge]
    offsets, edges_by_item = pairs_by_item(edges, n_items)
    degrees = np.diff(offsets)
    # The neighbour of an item is the other end of the edge: the sum of both ends minus the item.
    neighbours = edges.sum(axis=1)[edges_by_item] - np.repeat(np.arange(n_items), degrees)
    common: Ints = common_neighbours(pairs, starts, members, neighbours, offsets)
    # An edge between the two items of a pair makes each a neighbour of the other: not counted.
    either = degrees[pairs].sum(axis=1) - 2 * is_edge - common
    shares: Floats = common / np.maximum(either, 1)
    return shares
