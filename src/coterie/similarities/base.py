"""The base classes of similarities, and functions that they share."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats, Pairs
from coterie._core.memory import refuse_beyond_memory
from coterie._core.progress import report
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError, InputError
from coterie.features.featurizer import as_featurizer
from coterie.features.operators import to_matrix
from coterie.items import ItemSet, PairFeatures, as_item_set
from coterie.pairs import PairScores, all_pairs, as_pairs, count_pairs

BATCH_SIZE = 100_000
"""The number of pairs scored at once, if the featurizer computes each pair separately."""

PAIR_BYTES = 50
"""The least memory per scored pair while it is clustered; 100 bytes were measured."""


class FeatureSimilarity(ABC):
    """A similarity that scores a pair of items by the features of this pair alone."""

    featurizer: Featurizer

    @property
    def one_by_one(self) -> bool:
        """True if the score of a pair does not depend on the other pairs that are scored."""
        return True

    def __call__(self, item_set: Any, pairs: Pairs | None = None) -> Floats:
        """Score pairs of an item set; None means all pairs, or all that have features."""
        items = as_item_set(item_set)
        pairs = resolve_pairs(items, pairs)
        if self._needs_batches(items, pairs):
            return self._scores_in_batches(self.featurizer.encode(items), items, pairs)
        return self._scores(self._features(items, pairs))

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Return the scores of pairs as `PairScores`, for clusterers; each item is encoded once."""
        return self.scorer(item_set)(pairs)

    def scorer(self, item_set: Any) -> Callable[[Pairs | None], PairScores]:
        """Encode each item once, and return a function that scores pairs, as `pair_scores` does."""
        items = as_item_set(item_set)
        encoded = self.featurizer.encode(items)

        def score(pairs: Pairs | None) -> PairScores:
            pairs = resolve_pairs(items, pairs)
            if self._needs_batches(items, pairs):
                _refuse_many_pairs(count_pairs(len(items), pairs), len(items))
                scores, diagonal = self._scores_in_batches(encoded, items, pairs), None
            else:
                features = self._compare(encoded, pairs)
                scores, diagonal = self._scores(features), self._diagonal(features)
            return PairScores(len(items), pairs, scores, diagonal, items.n_clusters)

        return score

    def shifted(self, threshold: float) -> Self:
        """Return the similarity with a threshold subtracted from its bias, if it has a bias."""
        shifted: Self = lower_bias(self, threshold)
        return shifted

    def with_featurizer(self, featurizer: Featurizer) -> Self:
        """Return a similarity of items, whose pair features a featurizer computes.

        Until now, the pair features were given with the item sets.

        >>> from coterie.features import AbsoluteDifferences, GivenFeatures, Scaled
        >>> from coterie.similarities import LinearSimilarity
        >>> similarity = LinearSimilarity(Scaled(GivenFeatures(), [2.0]), coef=[-1.0], bias=3.0)
        >>> similarity.with_featurizer(AbsoluteDifferences())(ItemSet([[1.0], [5.0], [6.0]]))
        array([1. , 0.5, 2.5])
        """
        inner: Any = self.featurizer
        return replace(self, featurizer=inner.with_given(featurizer))  # type: ignore[type-var]

    def _features(self, item_set: ItemSet, pairs: Pairs | None) -> Features:
        return self._compare(self.featurizer.encode(item_set), pairs)

    def _compare(self, encoded: Any, pairs: Pairs | None) -> Features:
        return self.featurizer.compare(encoded, pairs)

    def _needs_batches(self, item_set: ItemSet, pairs: Pairs | None) -> bool:
        """Return whether the features of all pairs at once could need too much memory."""
        one_by_one = getattr(self.featurizer, "one_by_one", False)
        return one_by_one and count_pairs(len(item_set), pairs) > BATCH_SIZE

    def _scores_in_batches(self, encoded: Any, item_set: ItemSet, pairs: Pairs | None) -> Floats:
        """Score pairs of encoded items batch by batch."""
        pairs = all_pairs(len(item_set)) if pairs is None else pairs
        scores = np.empty(len(pairs))
        for start in range(0, len(pairs), BATCH_SIZE):
            batch = slice(start, start + BATCH_SIZE)
            scores[batch] = self._scores(self.featurizer.compare(encoded, pairs[batch]))
            report("score", min(start + BATCH_SIZE, len(pairs)), len(pairs))
        return scores

    def _diagonal(self, features: Features) -> Floats | None:  # noqa: ARG002
        """Return the score of each item with itself; None means zeros."""
        return None

    @abstractmethod
    def _scores(self, features: Features) -> Floats: ...


class WeightedSimilarity(FeatureSimilarity):
    """A similarity with one weight per feature."""

    coef: Floats

    def named_coef(self) -> dict[str, float]:
        """Return a mapping of feature names to the coef of the features."""
        names = self.featurizer.names
        self._refuse_other_columns(len(names))
        coef_by_name = dict(zip(names, self.coef.tolist(), strict=True))
        if len(coef_by_name) < len(names):
            name = next(name for name in names if names.count(name) > 1)
            raise FeatureError(
                f"two features are called {name!r}; give the featurizers different names"
            )
        return coef_by_name

    def _store_coef(self) -> None:
        """Check the featurizer and the coef, and store the coef as a read-only array."""
        as_featurizer(self.featurizer)
        coef = as_floats("coef", self.coef, FeatureError)
        if coef.ndim != 1:
            raise FeatureError(f"coef has shape {coef.shape}; give one number per feature")
        not_finite = np.flatnonzero(~np.isfinite(coef))
        if not_finite.size:
            index = not_finite[0]
            raise FeatureError(f"coef {index} is {coef[index]}; give finite numbers")
        object.__setattr__(self, "coef", coef)

    def _compare(self, encoded: Any, pairs: Pairs | None) -> Features:
        features = super()._compare(encoded, pairs)
        self._refuse_other_columns(features.shape[1])
        return features

    def _weighted(self, features: Features) -> Any:
        """Return coef times feature, one row per pair; the result is sparse if the features are."""
        matrix = to_matrix(features)
        if sp.issparse(matrix):
            return sp.csr_array(matrix @ sp.diags_array(self.coef))
        return matrix * self.coef

    def _refuse_other_columns(self, n_columns: int) -> None:
        if n_columns != len(self.coef):
            raise FeatureError(
                f"the features have {n_columns} columns, but coef has length "
                f"{len(self.coef)}; give the same featurizer and the same kind of item sets "
                "as when coef was learned"
            )


def _refuse_many_pairs(n_pairs: int, n_items: int) -> None:
    """Raise an error if the scores of so many pairs, and clusters of them, need too much memory."""
    refuse_beyond_memory(
        PAIR_BYTES * n_pairs,
        f"comparing {n_pairs:,} pairs of {n_items:,} items",
        "compare fewer pairs, for example by a lower `max_block=`",
    )


def shift_similarity(similarity: Any, threshold: float) -> Any:
    """Return a similarity whose scores are lower by a threshold.

    A class of the user needs a method `shifted` or a field `bias` for that.
    """
    if not threshold:
        return similarity
    shift = getattr(similarity, "shifted", None)
    return lower_bias(similarity, threshold) if shift is None else shift(threshold)


def lower_bias(similarity: Any, threshold: float) -> Any:
    """Return a copy of a similarity whose bias is lower by a threshold."""
    if not hasattr(similarity, "bias"):
        raise InputError(
            f"{type(similarity).__name__} has no bias to subtract a threshold from; give a "
            "LinearSimilarity or a TreeSimilarity"
        )
    return replace(similarity, bias=similarity.bias - threshold)


def resolve_pairs(item_set: ItemSet, pairs: Pairs | None) -> Pairs | None:
    """Return the pairs to score, or None for all pairs in condensed order.

    If `pairs` is None, and the items are given by the features of some pairs, these pairs are used.
    """
    with_features = item_set.items.pairs if isinstance(item_set.items, PairFeatures) else None
    if pairs is None:
        return with_features
    pairs = as_pairs(pairs, len(item_set))
    # The features may be those of all pairs in another order, so None would be ambiguous.
    return all_pairs(len(item_set)) if pairs is None and with_features is not None else pairs
