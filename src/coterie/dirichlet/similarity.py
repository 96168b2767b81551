"""The similarity that runs a sampler: how often items are together in partitions drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from coterie._core.arguments import as_floats, as_positive, refuse_class
from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._core.values import Value
from coterie._kernels.dirichlet.clusters import Mixture
from coterie.dirichlet.estimates import Estimate, MinimumVariation
from coterie.dirichlet.posterior import Posterior
from coterie.dirichlet.sampler import Sampler
from coterie.dirichlet.space import Space
from coterie.dirichlet.types import MOST, ReferenceTypes
from coterie.exceptions import FeatureError, InputError
from coterie.items import as_item_set
from coterie.pairs import PairScores
from coterie.similarities.base import resolve_pairs

__all__ = ["DirichletSimilarity"]

MINIMUM_VARIATION = MinimumVariation()
SAMPLER = Sampler()


@dataclass(frozen=True, eq=False, repr=False)
class DirichletSimilarity(Value):
    """Score pairs by a partition, or by the share of the partitions that have them together.

    Partitions are drawn from the posterior of a Dirichlet-process mixture (Daumé & Marcu 2004). The
    estimate says what pairs score: 1 and −1 by one partition, or their probability less ½; either
    way correlation clustering of the scores of all pairs is the estimate. Of an item set that lists
    its pairs these alone are scored, so that items join by them. What a pair scores depends on all
    other items.

    Parameters
    ----------
    types
        Reference types, one or several samples of them. Each chain takes one, evenly spread and
        the last one too, so that chains of unlike samples have unlike posteriors.
    alpha
        The concentration of the Dirichlet process of clusters.
    prior_variance
        The variance σ0² of cluster means about 0, one number a feature.
    space
        How item sets are seen: as vectors or as distances, and around what centre.
    shared
        Whether all items of a cluster are of one type.
    sampler
        The chains.
    estimate
        The rule by which a posterior becomes scores.

    Examples
    --------
    >>> similarity = DirichletSimilarity((ReferenceTypes([[1.0]]),), 1.0, [16.0])
    >>> similarity([[0.0], [0.2], [9.0]])[0] > 0
    np.True_
    """

    types: tuple[ReferenceTypes, ...]
    alpha: float
    prior_variance: Floats
    space: Space = Space()  # noqa: RUF009 - frozen
    shared: bool = False
    sampler: Sampler = SAMPLER
    estimate: Estimate = MINIMUM_VARIATION

    needs_context = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "types", _as_types(self.types))
        object.__setattr__(self, "alpha", as_positive("alpha", self.alpha))
        variance = as_floats("prior_variance", self.prior_variance, FeatureError)
        variance = np.broadcast_to(variance, (self.n_features,)) if not variance.ndim else variance
        if variance.shape != (self.n_features,) or not _is_positive(variance):
            raise FeatureError(
                f"prior_variance is {self.prior_variance}; give a finite number above 0, or one "
                f"for each of the {self.n_features} features"
            )
        object.__setattr__(self, "prior_variance", read_only(np.ascontiguousarray(variance)))
        self._refuse_lost_digits()
        object.__setattr__(self, "shared", bool(self.shared))
        for name, kind in (("space", Space), ("sampler", Sampler), ("estimate", Estimate)):
            refuse_class(name, getattr(self, name))
            if not isinstance(getattr(self, name), kind):
                raise InputError(f"{name} is {getattr(self, name)!r}; give a {kind.__name__}")

    def _refuse_lost_digits(self) -> None:
        """Refuse precisions that sums with others would lose to rounding."""
        for types in self.types:
            ratios = types.precisions * self.prior_variance
            # Some room, because what training keeps is cut off at the same limit.
            low, high = ratios.min(initial=1.0) * 1.01, ratios.max(initial=1.0) / 1.01
            if low < 1.0 / MOST or high > MOST:
                raise FeatureError(
                    f"precisions are {low:.3g} to {high:.3g} times those of the prior of means; "
                    f"give reference types and a prior_variance within {MOST:g} of each other"
                )

    @property
    def n_features(self) -> int:
        """The number of features that types have."""
        return int(self.types[0].precisions.shape[1])

    def posterior(self, item_set: Any) -> Posterior:
        """Draw partitions of an item set."""
        items = as_item_set(item_set)
        if not len(items):
            shape = self.sampler.n_chains, self.sampler.n_samples
            return Posterior(np.zeros((*shape, 0), dtype=np.int32), np.zeros(shape))
        seen = self.space.observed(items)
        n_features = seen.vectors.shape[1]
        if n_features != self.n_features:
            raise FeatureError(
                f"the items have {n_features} features, but reference types have "
                f"{self.n_features}; give item sets of the kind that was learned from"
            )
        return self.sampler.sampled(seen, self._mixtures())

    def __call__(self, item_set: Any, pairs: Pairs | None = None) -> Floats:
        """Score some pairs of an item set; None stands for all (that are given features of)."""
        return self.pair_scores(item_set, pairs).scores

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Score the pairs as a clusterer takes them."""
        items = as_item_set(item_set)
        listed = resolve_pairs(items, pairs)
        scores = self.estimate.scores(self.posterior(items)) if len(items) > 1 else np.empty(0)
        if listed is not None:
            scores = scores[_condensed(listed, len(items))]
        return PairScores(len(items), listed, scores, n_clusters=items.n_clusters)

    def __repr__(self) -> str:
        return f"DirichletSimilarity({len(self.types)} samples of types, {self.estimate!r})"

    def _mixtures(self) -> list[Mixture]:
        """Return what each chain believes."""
        categories = self.space.categories
        pseudo_counts = np.empty(0) if categories is None else categories.pseudo_counts
        ends = np.zeros(1, dtype=np.intp) if categories is None else categories.offsets
        n_chains = self.sampler.n_chains
        ends_at = np.linspace(0, len(self.types), n_chains + 1).round().astype(int)[1:] - 1
        chosen = [self.types[max(0, at)] for at in ends_at]
        known = self.prior_variance, self.alpha, self.shared, pseudo_counts, ends
        return [types.mixture(*known) for types in chosen]


def _condensed(pairs: Pairs, n_items: int) -> Ints:
    """Return where pairs i < j are in SciPy's condensed order."""
    first, second = np.minimum(*pairs.T), np.maximum(*pairs.T)
    before = comb(n_items, 2) - (n_items - first) * (n_items - first - 1) // 2
    places: Ints = before + second - first - 1
    return places


def _as_types(types: Sequence[ReferenceTypes]) -> tuple[ReferenceTypes, ...]:
    given = (types,) if isinstance(types, ReferenceTypes) else tuple(types)
    if not given or not all(isinstance(each, ReferenceTypes) for each in given):
        raise FeatureError(f"types are {types!r}; give at least one ReferenceTypes(…) in a list")
    if len({each.precisions.shape[1] for each in given}) > 1:
        raise FeatureError("types have different numbers of features; give one number for all")
    return given


def _is_positive(numbers: Floats) -> bool:
    return bool(np.all(np.isfinite(numbers) & (numbers > 0.0)))
