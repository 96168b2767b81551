"""The similarity that runs a sampler, and scores pairs by the sampled partitions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._core.arguments import as_floats, as_positive, refuse_class
from coterie._core.arrays import Floats, Pairs, read_only
from coterie._core.values import Value
from coterie._kernels.dirichlet.clusters import Mixture
from coterie.dirichlet.estimates import Estimate, MinimumVariation
from coterie.dirichlet.posterior import Posterior
from coterie.dirichlet.sampler import Sampler
from coterie.dirichlet.space import Space
from coterie.dirichlet.types import MAX_PRECISION_RATIO, ReferenceTypes
from coterie.exceptions import FeatureError, InputError
from coterie.items import as_item_set
from coterie.pairs import PairScores, condensed_positions
from coterie.similarities.base import resolve_pairs

__all__ = ["DirichletSimilarity"]

MINIMUM_VARIATION = MinimumVariation()
SAMPLER = Sampler()


@dataclass(frozen=True, eq=False, repr=False)
class DirichletSimilarity(Value):
    """Score pairs by partitions sampled from a Dirichlet-process mixture (Daumé & Marcu 2004).

    The estimate determines the scores: 1 and −1 for the pairs of a single partition, or the
    probability that a pair is together, minus ½. In both cases, correlation clustering of all
    scores gives the estimate. If an item set has candidate pairs, only these are scored, and only
    they can join items. The score of a pair depends on all other items.

    Parameters
    ----------
    types
        One or several samples of reference types. Each chain uses one of them, evenly spread and
        including the last one, so that chains may have different posteriors.
    alpha
        The concentration of the Dirichlet process of clusters.
    prior_variance
        The variance σ0² of cluster means around 0, one number per feature.
    space
        The representation of item sets, as vectors or as distances, with the centre of vectors.
    shared
        Whether all items of a cluster have the same type.
    sampler
        The sampler of partitions.
    estimate
        The rule that turns a posterior into scores.

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
        self._refuse_extreme_ratios()
        object.__setattr__(self, "shared", bool(self.shared))
        for name, kind in (("space", Space), ("sampler", Sampler), ("estimate", Estimate)):
            refuse_class(name, getattr(self, name))
            if not isinstance(getattr(self, name), kind):
                raise InputError(f"{name} is {getattr(self, name)!r}; use a {kind.__name__}")

    def _refuse_extreme_ratios(self) -> None:
        """Refuse precisions so extreme that rounding loses them in sums with others."""
        for types in self.types:
            ratios = types.precisions * self.prior_variance
            # With some tolerance, because training clips precisions at the same limit.
            low, high = ratios.min(initial=1.0) * 1.01, ratios.max(initial=1.0) / 1.01
            if low < 1.0 / MAX_PRECISION_RATIO or high > MAX_PRECISION_RATIO:
                raise FeatureError(
                    f"the products of precisions and prior_variance range from {low:.3g} to "
                    f"{high:.3g}; scale the reference types or prior_variance so that all "
                    f"products are from {1.0 / MAX_PRECISION_RATIO:g} to "
                    f"{MAX_PRECISION_RATIO:g}"
                )

    @property
    def n_features(self) -> int:
        """The number of features of the types."""
        return int(self.types[0].precisions.shape[1])

    def posterior(self, item_set: Any) -> Posterior:
        """Draw partitions of an item set."""
        items = as_item_set(item_set)
        if not len(items):
            shape = self.sampler.n_chains, self.sampler.n_samples
            return Posterior(np.zeros((*shape, 0), dtype=np.int32), np.zeros(shape))
        observed = self.space.observed(items)
        n_features = observed.vectors.shape[1]
        if n_features != self.n_features:
            raise FeatureError(
                f"the items have {n_features} features, but the reference types have "
                f"{self.n_features}; give item sets with the same features as in training"
            )
        return self.sampler.sampled(observed, self._mixtures())

    def __call__(self, item_set: Any, pairs: Pairs | None = None) -> Floats:
        """Score pairs of an item set; None means all pairs, or all that have features."""
        return self.pair_scores(item_set, pairs).scores

    def pair_scores(self, item_set: Any, pairs: Pairs | None = None) -> PairScores:
        """Return the scores of pairs as `PairScores`, for clusterers."""
        items = as_item_set(item_set)
        candidates = resolve_pairs(items, pairs)
        scores = self.estimate.scores(self.posterior(items)) if len(items) > 1 else np.empty(0)
        if candidates is not None:
            scores = scores[condensed_positions(np.sort(candidates, axis=1), len(items))]
        return PairScores(len(items), candidates, scores, n_clusters=items.n_clusters)

    def __repr__(self) -> str:
        return f"DirichletSimilarity({len(self.types)} samples of types, {self.estimate!r})"

    def _mixtures(self) -> list[Mixture]:
        """Return the mixture of each chain."""
        categories = self.space.categories
        pseudo_counts = np.empty(0) if categories is None else categories.pseudo_counts
        offsets = np.zeros(1, dtype=np.intp) if categories is None else categories.offsets
        n_chains = self.sampler.n_chains
        last_types = np.linspace(0, len(self.types), n_chains + 1).round().astype(int)[1:] - 1
        chain_types = [self.types[max(0, index)] for index in last_types]
        parameters = self.prior_variance, self.alpha, self.shared, pseudo_counts, offsets
        return [types.mixture(*parameters) for types in chain_types]


def _as_types(types: Sequence[ReferenceTypes]) -> tuple[ReferenceTypes, ...]:
    as_tuple = (types,) if isinstance(types, ReferenceTypes) else tuple(types)
    if not as_tuple or not all(isinstance(sample, ReferenceTypes) for sample in as_tuple):
        raise FeatureError(f"types are {types!r}; give at least one ReferenceTypes(…) in a list")
    if len({sample.precisions.shape[1] for sample in as_tuple}) > 1:
        raise FeatureError(
            "types have different numbers of features; give types with the same number of features"
        )
    return as_tuple


def _is_positive(numbers: Floats) -> bool:
    return bool(np.all(np.isfinite(numbers) & (numbers > 0.0)))
