"""Rules that summarise a posterior by a single partition."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from coterie._core.arrays import Floats, read_only
from coterie._core.values import Value
from coterie._kernels.dirichlet.partitions import (
    least_variation,
    mean_variations,
    within_cluster_scores,
)
from coterie.clusterers.local_search import LocalSearch
from coterie.dirichlet.posterior import Labels, Posterior
from coterie.objectives import Correlation
from coterie.pairs import PairScores, upper_triangle
from coterie.partition import Partition

__all__ = ["Estimate", "MaximumPosterior", "MinimumPairLoss", "MinimumVariation"]

CANDIDATES = 200
"""The largest number of sampled partitions that `MinimumVariation` compares with all samples."""


class Estimate(Value, ABC):
    """A rule that summarises a posterior by one partition."""

    @abstractmethod
    def partition(self, posterior: Posterior) -> Partition:
        """Return the partition that the rule chooses."""

    def scores(self, posterior: Posterior) -> Floats:
        """Score pairs such that their correlation clustering is the chosen partition.

        The scores are those of all pairs, in SciPy's condensed order.
        """
        return np.where(self.partition(posterior).together(), 1.0, -1.0)


@dataclass(frozen=True)
class MaximumPosterior(Estimate):
    """Choose the sample of the highest log joint, the first one in a tie.

    If chains have different reference types, the sample tends to come from the chain whose types
    suit the items best.

    Examples
    --------
    >>> posterior = Posterior([[[0, 0, 1], [0, 0, 0]]], [[-1.0, -2.0]])
    >>> MaximumPosterior().partition(posterior), MaximumPosterior().scores(posterior)
    (Partition([0, 0, 1]), array([ 1., -1., -1.]))
    """

    def partition(self, posterior: Posterior) -> Partition:
        """Return the most probable sample."""
        return Partition(posterior.samples[posterior.log_joint.argmax()])


@dataclass(frozen=True)
class MinimumPairLoss(Estimate):
    """Choose the partition with the fewest expected wrong pairs (Binder 1978).

    A pair is wrong if it is joined but apart, or separated but together. If p is the probability
    that a pair is together, the expected loss is a constant − 2 Σ (p − ½) over the pairs that the
    partition joins, so its minimum is a correlation clustering of p − ½. Local search finds one;
    if the best sample is better, that is chosen.

    Examples
    --------
    >>> posterior = Posterior([[[0, 0, 1], [0, 0, 0], [0, 0, 0]]], [[-1.0, -2.0, -2.0]])
    >>> MinimumPairLoss().partition(posterior), MinimumPairLoss().scores(posterior).round(2)
    (Partition([0, 0, 0]), array([0.5 , 0.17, 0.17]))
    """

    def partition(self, posterior: Posterior) -> Partition:
        """Return the better one of the result of local search and the best sample."""
        scores = PairScores(posterior.n_items, None, self.scores(posterior))
        local_optimum = LocalSearch()(scores)
        if not posterior.n_items:
            return local_optimum
        samples = posterior.distinct.labels
        values = within_cluster_scores(samples, read_only(posterior.pair_probabilities - 0.5))
        best_sample = Partition(samples[values.argmax()])
        return max(local_optimum, best_sample, key=lambda p: Correlation().value(p, scores))

    def scores(self, posterior: Posterior) -> Floats:
        """Return the probability that each pair is together, minus ½."""
        return upper_triangle(posterior.pair_probabilities) - 0.5


@dataclass(frozen=True)
class MinimumVariation(Estimate):
    """Choose a partition of least expected variation of information.

    See Meilă 2007 and Wade & Ghahramani 2018. The search compares at most 200 sampled partitions,
    evenly spread from the most frequent to the rarest, and starts at the one of least mean
    variation of information to all samples. Then single items move to another cluster or to a new
    one, in index order, while that lowers the mean. The result is a local minimum.

    Examples
    --------
    >>> posterior = Posterior([[[0, 0, 1], [0, 0, 0], [0, 0, 1]]], [[-1.0, 0.0, -1.0]])
    >>> MinimumVariation().partition(posterior), MinimumVariation().scores(posterior)
    (Partition([0, 0, 1]), array([ 1., -1., -1.]))
    """

    def partition(self, posterior: Posterior) -> Partition:
        """Return the local minimum that the search reaches."""
        if not posterior.n_items:
            return Partition([])
        samples, shares = posterior.distinct
        candidates = _thin(samples, CANDIDATES)
        start = candidates[mean_variations(samples, shares, candidates).argmin()]
        return Partition(least_variation(samples, shares, start))


def _thin(samples: Labels, n_max: int) -> Labels:
    """Return at most `n_max` samples, evenly spread, with the first and the last one."""
    indices = np.linspace(0, len(samples) - 1, min(len(samples), n_max)).round().astype(np.intp)
    return read_only(samples[indices])
