"""Scores by features that depend on the other pairs of an item set."""

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
    """Compute the features of pairs, and score them with another similarity as pair features.

    This serves scoring in two stages. The first stage scores all pairs; `ContextFeatures` derives
    columns from these scores. The second stage, which is `similarity`, scores these columns
    together with the columns of the first stage. It is not given the items, only an item set of
    pair features.

    Parameters
    ----------
    featurizer
        A fitted featurizer, which computes the features of pairs.
    similarity
        The similarity that scores item sets of these features, as `from_pair_features` makes them.

    Examples
    --------
    >>> from coterie.features import ContextFeatures, GivenFeatures, Stacked
    >>> from coterie.similarities import LinearSimilarity
    >>> first = LinearSimilarity(GivenFeatures(n_columns=1), coef=[1.0])
    >>> stacked = Stacked((first.featurizer, ContextFeatures(first)))
    >>> second = LinearSimilarity(GivenFeatures(), coef=[1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    >>> similarity = ContextSimilarity(stacked, second)
    >>> similarity(ItemSet([[3.0], [2.0], [-1.0]])).round(2)
    array([ 6.  , -3.69, -2.69])
    """

    featurizer: Featurizer
    similarity: Similarity

    needs_context: ClassVar[bool] = True
    """True, because the score of a pair depends on the other pairs of its item set."""

    def __post_init__(self) -> None:
        as_featurizer(self.featurizer)
        if isinstance(self.similarity, type) or not hasattr(self.similarity, "pair_scores"):
            raise InputError(
                f"the similarity is {self.similarity!r}, which has no pair_scores; give a "
                "fitted similarity, such as one from coterie.similarities"
            )

    def __call__(self, item_set: Any, pairs: Pairs | None = None) -> Floats:
        """Score pairs of an item set; None means all pairs, or all that have features."""
        return self.pair_scores(item_set, pairs).scores

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Return the scores of pairs as `PairScores`, for clusterers."""
        return self.similarity.pair_scores(self._with_features(item_set, pairs), None)

    def contributions(self, item_set: Any, pairs: Pairs | None = None) -> tuple[float, Any]:
        """Return the contributions of the other similarity: its bias, and the part per feature."""
        explain = getattr(self.similarity, "contributions", None)
        if explain is None:
            raise InputError(
                f"{self.similarity!r} cannot split a score into the contributions of features; use "
                "a similarity that can, such as LinearSimilarity"
            )
        bias, parts = explain(self._with_features(item_set, pairs), None)
        return bias, parts

    def shifted(self, threshold: float) -> "ContextSimilarity":
        """Return the similarity with scores lower by a threshold, if the other supports that."""
        return replace(self, similarity=shift_similarity(self.similarity, threshold))

    def __repr__(self) -> str:
        return f"ContextSimilarity({self.similarity!r})"

    def _with_features(self, item_set: Any, pairs: Pairs | None) -> ItemSet:
        items = as_item_set(item_set)
        return with_features(items, self.featurizer, resolve_pairs(items, pairs))


def with_features(item_set: ItemSet, featurizer: Featurizer, pairs: Pairs | None) -> ItemSet:
    """Replace the items of an item set by the features of its pairs."""
    features = featurizer(item_set, pairs)
    return replace(item_set, items=PairFeatures(features, len(item_set), pairs))
