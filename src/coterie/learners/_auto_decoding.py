"""Partitions at many operating points: a clusterer, and a threshold taken from all scores."""

from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from coterie._arrays import Floats, Ints, read_only
from coterie._kernels.components import listed_components
from coterie._kernels.linkage import average_joins
from coterie._types import Clusterer
from coterie.clusterers import AverageLinkage
from coterie.exceptions import InputError
from coterie.pairs import PairScores, condensed_positions
from coterie.partition import Partition

N_THRESHOLDS = 14
LEAST, MOST = 0.12, 8.0
"""The thresholds leave from 0.12 to 8 times as many pairs above them as are together, …"""

ALMOST_ALL = 0.9
"""… but at most this share of all."""

ROUNDING = 1e-12
"""How near a threshold a mean counts as equal to it, as in `AverageLinkage`."""


def threshold_grid(scored: Sequence[PairScores], truths: Sequence[Partition]) -> Floats:
    """Return 0 and 14 quantiles of the scores of all item sets, ascending.

    The quantiles lie around the base rate, the share of pairs together, on a logarithmic scale. It
    is 0 alone where all pairs are together, or none is.
    """
    scores = np.concatenate([each.scores for each in scored])
    together = np.concatenate(
        [truth.together(each.listed) for each, truth in zip(scored, truths, strict=True)]
    )
    if together.all() or not together.any():
        return np.zeros(1)
    base = float(together.mean())
    most = max(min(MOST, ALMOST_ALL / base), LEAST)
    shares = base * np.geomspace(LEAST, most, N_THRESHOLDS)
    return np.unique(np.append(np.quantile(scores, 1.0 - shares), 0.0))


def partitions_at(clusterer: Clusterer, scores: PairScores, thresholds: Floats) -> list[Partition]:
    """Partition the items by their scores less each of some thresholds.

    Average linkage over all pairs joins its clusters once and cuts the tree of joins at each
    threshold; among equal scores the order of joins may be another than that of `AverageLinkage`.
    """
    plain = scores.listed is None and scores.n_clusters is None and scores.apart is None
    if plain and scores.n_items and with_missing(clusterer, 1.0) == AverageLinkage(missing=1.0):
        return _cuts(scores, thresholds)
    return [below(clusterer, each)(lowered(scores, each)) for each in thresholds]


def lowered(scores: PairScores, threshold: float) -> PairScores:
    """Take a threshold from every score."""
    return scores.plus(np.full(len(scores.scores), -threshold)) if threshold else scores


def below(clusterer: Clusterer, threshold: float) -> Clusterer:
    """Take a threshold from what an absent pair scores."""
    missing = getattr(clusterer, "missing", 0.0)
    return with_missing(clusterer, missing - threshold) if missing else clusterer


def with_missing(clusterer: Clusterer, missing: float) -> Clusterer:
    """Say what an absent pair scores, to a clusterer that asks for it."""
    if not missing or not hasattr(clusterer, "missing"):
        return clusterer
    return replace(clusterer, missing=missing)  # type: ignore[type-var]


def mean_apart(scored: Sequence[PairScores], truths: Sequence[Partition]) -> float:
    """Return what pairs apart score on the average: what is foreseen of those not listed.

    Never above 0, which is what it is where no pair is apart.
    """
    both = zip(scored, truths, strict=True)
    apart = np.concatenate([each.scores[~truth.together(each.listed)] for each, truth in both])
    return min(float(apart.mean()), 0.0) if len(apart) else 0.0


def shifted(similarity: Any, threshold: float) -> Any:
    """Take a threshold from every score of a similarity: of its bias, however deep that is."""
    if not threshold:
        return similarity
    if hasattr(similarity, "bias"):
        return replace(similarity, bias=similarity.bias - threshold)
    if is_dataclass(similarity) and hasattr(similarity, "similarity"):
        return replace(similarity, similarity=shifted(similarity.similarity, threshold))  # type: ignore[type-var]
    raise InputError(
        f"{type(similarity).__name__} has no bias that a threshold could be taken from; give a "
        "LinearSimilarity or a TreeSimilarity"
    )


def _cuts(scores: PairScores, thresholds: Floats) -> list[Partition]:
    condensed, n_items = scores.scores, scores.n_items
    links, heights = average_joins(condensed.copy(), n_items, n_items, -np.inf)
    # A join that scores what its two items do is no mean, so that nothing was rounded.
    exact = heights == condensed[condensed_positions(links, n_items)]
    largest = np.abs(condensed).max(initial=0.0)
    limits = heights - np.where(exact, 0.0, ROUNDING * largest)
    return [Partition(_linked(links[limits > each], n_items)) for each in thresholds]


def _linked(links: Ints, n_items: int) -> Ints:
    kept = read_only(np.ascontiguousarray(links, dtype=np.intp))
    labels: Ints = listed_components(n_items, kept, read_only(np.ones(len(kept))), 0.0)
    return labels
