"""Scores of features that are computed for all pairs of an item set at once."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from coterie._core.arrays import Floats, Pairs
from coterie._types import Featurizer, Similarity
from coterie.exceptions import InputError
from coterie.features.featurizer import as_featurizer
from coterie.items import ItemSet, PairFeatures, as_item_set
from coterie.pairs import PairScores
from coterie.similarities.base import resolve_pairs, shift_similarity


@dataclass(frozen=True, eq=False, repr=False)
class ContextSimilarity:
    """Score a pair by what another similarity says of its features, as if they had been given.

    The other similarity never meets the items, only an item set of pair features. So one featurizer
    can serve two stages: the columns of `ContextFeatures` are what the first stage says of all
    pairs, and the second stage scores them beside the columns that the first one saw.

    Parameters
    ----------
    featurizer
        Computes the features of pairs; a fitted one.
    similarity
        Scores item sets of such features, as `from_pair_features` makes them.

    Examples
    --------
    >>> from coterie.features import ContextFeatures, GivenFeatures, Stacked
    >>> from coterie.similarities import LinearSimilarity
    >>> first = LinearSimilarity(GivenFeatures(n_columns=1), coef=[1.0])
    >>> both = Stacked((first.featurizer, ContextFeatures(first)))
    >>> second = LinearSimilarity(GivenFeatures(), coef=[1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    >>> similarity = ContextSimilarity(both, second)
    >>> similarity(ItemSet([[3.0], [2.0], [-1.0]])).round(2)
    array([ 6.  , -3.69, -2.69])
    """

    featurizer: Featurizer
    similarity: Similarity

    needs_context: ClassVar[bool] = True
    """What a pair scores depends on the other pairs of its item set."""

    def __post_init__(self) -> None:
        as_featurizer(self.featurizer)
        if isinstance(self.similarity, type) or not hasattr(self.similarity, "pair_scores"):
            raise InputError(
                f"the similarity is {self.similarity!r}, which has no pair_scores; give a fitted "
                "one of coterie.similarities"
            )

    def __call__(self, item_set: Any, pairs: Pairs | None = None) -> Floats:
        """Score some pairs of an item set; None stands for all (that are given features of)."""
        return self.pair_scores(item_set, pairs).scores

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Score the pairs as a clusterer takes them."""
        return self.similarity.pair_scores(self._given(item_set, pairs), None)

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Any]:
        """Return what the other similarity adds up: the bias, and the part of each feature."""
        explain = getattr(self.similarity, "contributions", None)
        if explain is None:
            raise InputError(
                f"{self.similarity!r} cannot say what each feature adds; use one with "
                "contributions, such as LinearSimilarity, to explain scores"
            )
        bias, parts = explain(self._given(item_set, pairs), None)
        return bias, parts

    def shifted(self, threshold: float) -> "ContextSimilarity":
        """Return the similarity whose scores are less by a threshold, where the other can be."""
        return replace(self, similarity=shift_similarity(self.similarity, threshold))

    def __repr__(self) -> str:
        return f"ContextSimilarity({self.similarity!r})"

    def _given(self, item_set: Any, pairs: Pairs | None) -> ItemSet:
        items = as_item_set(item_set)
        return with_features(items, self.featurizer, resolve_pairs(items, pairs))


def with_features(item_set: ItemSet, featurizer: Featurizer, pairs: Pairs | None) -> ItemSet:
    """Compute the features of some pairs, and take them in place of the items."""
    features = featurizer(item_set, pairs)
    return replace(item_set, items=PairFeatures(features, len(item_set), pairs))
