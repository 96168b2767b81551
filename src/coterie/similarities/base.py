"""What similarities share: which pairs are meant, and how features become scores."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats, Pairs
from coterie._core.progress import report
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError, InputError
from coterie.features.featurizer import as_featurizer
from coterie.features.operators import written
from coterie.items import ItemSet, PairFeatures, as_item_set
from coterie.pairs import PairScores, all_pairs, as_pairs, count_pairs

AT_ONCE = 100_000
"""Of how many pairs features are written at once, where featurizers see pairs one by one."""


class FeatureSimilarity(ABC):
    """A similarity that sees two items by the features of their pair alone."""

    featurizer: Featurizer

    def __call__(self, item_set: Any, pairs: Pairs | None = None) -> Floats:
        """Score some pairs of an item set; None stands for all (that are given features of)."""
        items = as_item_set(item_set)
        listed = resolve_pairs(items, pairs)
        if self._is_long(items, listed):
            return self._scores_in_turn(items, listed)
        return self._scores(self._features(items, listed))

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Score the pairs as a clusterer takes them; the items are encoded once."""
        items = as_item_set(item_set)
        listed = resolve_pairs(items, pairs)
        if self._is_long(items, listed):
            scores = self._scores_in_turn(items, listed)
            return PairScores(len(items), listed, scores, None, items.n_clusters)
        features = self._features(items, listed)
        own = self._diagonal(features)
        return PairScores(len(items), listed, self._scores(features), own, items.n_clusters)

    def shifted(self, threshold: float) -> Self:
        """Return the similarity whose scores are less by a threshold, where it has a bias."""
        lowered: Self = lower_bias(self, threshold)
        return lowered

    def with_featurizer(self, featurizer: Featurizer) -> Self:
        """Return the similarity of items whose pair features, given so far, a featurizer computes.

        >>> from coterie.features import AbsoluteDifferences, GivenFeatures, Scaled
        >>> from coterie.similarities import LinearSimilarity
        >>> similarity = LinearSimilarity(Scaled(GivenFeatures(), [2.0]), coef=[-1.0], bias=3.0)
        >>> similarity.with_featurizer(AbsoluteDifferences())(ItemSet([[1.0], [5.0], [6.0]]))
        array([1. , 0.5, 2.5])
        """
        inner: Any = self.featurizer
        return replace(self, featurizer=inner.with_given(featurizer))  # type: ignore[type-var]

    def _features(self, item_set: ItemSet, pairs: Pairs | None) -> Features:
        return self.featurizer(item_set, pairs)

    def _is_long(self, item_set: ItemSet, pairs: Pairs | None) -> bool:
        """Tell whether there are so many pairs that their features are not all written at once."""
        one_by_one = getattr(self.featurizer, "one_by_one", False)
        return one_by_one and count_pairs(len(item_set), pairs) > AT_ONCE

    def _scores_in_turn(self, item_set: ItemSet, pairs: Pairs | None) -> Floats:
        """Score pairs, some at a time; the items are encoded once."""
        encoded = self.featurizer.encode(item_set)
        listed = all_pairs(len(item_set)) if pairs is None else pairs
        scores = np.empty(len(listed))
        for start in range(0, len(listed), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            scores[part] = self._scores(self.featurizer.compare(encoded, listed[part]))
            report("score", min(start + AT_ONCE, len(listed)), len(listed))
        return scores

    def _diagonal(self, features: Features) -> Floats | None:  # noqa: ARG002
        """Score items with themselves; None stands for zeros."""
        return None

    @abstractmethod
    def _scores(self, features: Features) -> Floats: ...


class WeightedSimilarity(FeatureSimilarity):
    """A similarity with one weight a feature."""

    coef: Floats

    def named_coef(self) -> dict[str, float]:
        """Return the coef of each feature by its name."""
        names = self.featurizer.names
        self._refuse_other_columns(len(names))
        named = dict(zip(names, self.coef.tolist(), strict=True))
        if len(named) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise FeatureError(f"two features are called {twice!r}; give featurizers unlike names")
        return named

    def _keep_coef(self) -> None:
        """Check the featurizer and the coef."""
        as_featurizer(self.featurizer)
        coef = as_floats("coef", self.coef, FeatureError)
        if coef.ndim != 1:
            raise FeatureError(f"coef has shape {coef.shape}; give one number a feature")
        bad = np.flatnonzero(~np.isfinite(coef))
        if bad.size:
            raise FeatureError(f"coef {bad[0]} is {coef[bad[0]]}; give finite numbers")
        object.__setattr__(self, "coef", coef)

    def _features(self, item_set: ItemSet, pairs: Pairs | None) -> Features:
        features = super()._features(item_set, pairs)
        self._refuse_other_columns(features.shape[1])
        return features

    def _weighted(self, features: Features) -> Any:
        """Return what each feature of each pair counts: φ · coef, sparse where they are."""
        matrix = written(features)
        parts = matrix @ sp.diags_array(self.coef) if sp.issparse(matrix) else matrix * self.coef
        return sp.csr_array(parts) if sp.issparse(parts) else parts

    def _refuse_other_columns(self, n_columns: int) -> None:
        if n_columns != len(self.coef):
            raise FeatureError(
                f"the features have {n_columns} columns, but there are {len(self.coef)} coef; give "
                "the featurizer that they were learned with, and item sets of that kind"
            )


def shift_similarity(similarity: Any, threshold: float) -> Any:
    """Take a threshold from every score of a similarity; one of the user's own needs a `bias`."""
    if not threshold:
        return similarity
    shift = getattr(similarity, "shifted", None)
    return lower_bias(similarity, threshold) if shift is None else shift(threshold)


def lower_bias(similarity: Any, threshold: float) -> Any:
    """Take a threshold from the bias of a similarity."""
    if not hasattr(similarity, "bias"):
        raise InputError(
            f"{type(similarity).__name__} has no bias that a threshold could be taken from; give a "
            "LinearSimilarity or a TreeSimilarity"
        )
    return replace(similarity, bias=similarity.bias - threshold)


def resolve_pairs(item_set: ItemSet, pairs: Pairs | None) -> Pairs | None:
    """Settle the pairs; where features of listed pairs are given, no others can be meant."""
    own = item_set.items.pairs if isinstance(item_set.items, PairFeatures) else None
    if pairs is None:
        return own
    listed = as_pairs(pairs, len(item_set))
    # Listed pairs may be all of them, in an order of their own.
    return all_pairs(len(item_set)) if listed is None and own is not None else listed
