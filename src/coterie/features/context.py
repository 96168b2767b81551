"""What the scores of all pairs of an item set say of each: features for a second stage."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arguments import refuse_class
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
LARGEST = 1e6
"""Scores beyond it count as this, so that no difference of them overflows."""

ROUNDING = 1e-9
"""By how much, in units of 1 + |score|, two scores may differ that are equal."""

FEWEST_MATES = 0.01
"""Added to the number of mates, so that none at all has a logarithm."""


class EncodedContext(NamedTuple):
    """The context of the pairs that are listed, and the pairs that None stands for."""

    context: IndexedPairFeatures
    own: Pairs | None


@dataclass(frozen=True, eq=False)
class ContextFeatures(PairFeaturizer):
    """Tell of each pair how it stands among the other pairs of its items, by a similarity's scores.

    The two items of a pair are told apart by their values alone, so that seven columns are:

    - `lower rank`, `higher rank`: log(1 + r), where r is how many pairs of the item score higher.
    - `fewer mates`, `more mates`: log(0.01 + m), where m = Σₖ 1 / (1 + exp(−sᵢₖ)) is the number of
      items that the item is expected to be together with.
    - `smaller margin`, `larger margin`: by how much the pair scores higher than the best other pair
      of the item. An item without another pair may still stay alone, which scores 0.
    - `common neighbours`: of the other items k with sᵢₖ > 0 or sⱼₖ > 0, the share with both; 0
      where there are none.

    The score itself is none of them: it is made of features that a second stage has beside these,
    and repeating it did harm. Scores that differ by 1e-9 are equal, and beyond ±1e6 count as that.

    Which pairs there are matters to each of them. So a pair that the blocker does not list has no
    context, and features of all pairs (None) can be had only where it lists all.

    Parameters
    ----------
    similarity
        Scores the pairs, best as log-odds; a fitted one.
    blocker
        Says which pairs are scored; None stands for all (that the item set has features of).

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
                "one of coterie.similarities"
            )
        refuse_class("the blocker", self.blocker)
        if self.blocker is not None and not callable(self.blocker):
            raise FeatureError(f"the blocker is {self.blocker!r}; give one such as Window(10)")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the seven columns."""
        return NAMES

    def encode(self, item_set: ItemSet) -> EncodedContext:
        """Score the pairs, and find the context of each."""
        items = item_set.items
        own = items.pairs if isinstance(items, PairFeatures) else None
        listed = own if self.blocker is None else self.blocker(item_set)
        context = context_columns(self.similarity.pair_scores(item_set, listed))
        features = DenseFeatures.of_checked(context)
        return EncodedContext(IndexedPairFeatures(features, len(item_set), listed), own)

    def compare(self, encoded: EncodedContext, pairs: ArrayLike | None) -> Features:
        """Return the context of some pairs, None for all."""
        context, wanted = encoded.context, encoded.own if pairs is None else pairs
        if wanted is None and context.pairs is not None:
            wanted = all_pairs(context.n_items)
        with located("of the pairs that the blocker lists"):
            return context.at(wanted)


def context_columns(scored: PairScores) -> Floats:
    """Return the columns of `ContextFeatures` for pairs that are scored, one row a pair."""
    pairs, scores = scored.pairs, np.clip(scored.scores, -LARGEST, LARGEST)
    starts, members = pairs_by_item(pairs, scored.n_items)
    ranks, rivals, mates = rank_in_rows(pairs, scores, starts, members, ROUNDING)
    margins = scores[:, None] - np.nan_to_num(rivals, nan=0.0)
    columns = (
        np.log1p(np.sort(ranks, axis=1)),
        np.log(FEWEST_MATES + np.sort(mates[pairs], axis=1)),
        np.sort(margins, axis=1),
        _common(pairs, scores, starts, members)[:, None],
    )
    return read_only(np.hstack(columns))


def _common(pairs: Pairs, scores: Floats, starts: Ints, members: Ints) -> Floats:
    """Return the share of common strong neighbours of each pair."""
    n_items = len(starts) - 1
    strong = scores > ROUNDING
    ends = pairs[strong]
    near_starts, places = pairs_by_item(ends, n_items)
    n_near = np.diff(near_starts)
    near = ends.sum(axis=1)[places] - np.repeat(np.arange(n_items), n_near)
    common: Ints = common_neighbours(pairs, starts, members, near, near_starts)
    either = n_near[pairs].sum(axis=1) - 2 * strong - common
    share: Floats = common / np.maximum(either, 1)
    return share
