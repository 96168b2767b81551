"""One partition from many: which one a posterior is summed up by."""

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
"""How many of the sampled partitions `MinimumVariation` compares with all."""


class Estimate(Value, ABC):
    """A rule that sums up a posterior by one partition."""

    @abstractmethod
    def partition(self, posterior: Posterior) -> Partition:
        """Return the partition that the rule chooses."""

    def scores(self, posterior: Posterior) -> Floats:
        """Score all pairs, in SciPy's condensed order, so that correlation clustering finds it."""
        return np.where(self.partition(posterior).together(), 1.0, -1.0)


@dataclass(frozen=True)
class MaximumPosterior(Estimate):
    """Take the sample of the highest log joint, the first of equals.

    Of chains with unlike reference types, that of the types that suit the items best tends to win.

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
    """Expect the fewest pairs to be wrong: joined but apart, or parted but together.

    With p the probability that a pair is together, the expected loss (Binder 1978) is a constant
    − 2 Σ (p − ½) over the pairs that the partition joins: correlation clustering of p − ½. It is
    solved by local search, and the best sample is taken where that is better.

    Examples
    --------
    >>> posterior = Posterior([[[0, 0, 1], [0, 0, 0], [0, 0, 0]]], [[-1.0, -2.0, -2.0]])
    >>> MinimumPairLoss().partition(posterior), MinimumPairLoss().scores(posterior).round(2)
    (Partition([0, 0, 0]), array([0.5 , 0.17, 0.17]))
    """

    def partition(self, posterior: Posterior) -> Partition:
        """Return the better of what local search finds and of the best sample."""
        scores = PairScores(posterior.n_items, None, self.scores(posterior))
        found = LocalSearch()(scores)
        if not posterior.n_items:
            return found
        samples = posterior.distinct.labels
        values = within_cluster_scores(samples, read_only(posterior.pair_probabilities - 0.5))
        best = Partition(samples[values.argmax()])
        return max(found, best, key=lambda each: Correlation().value(each, scores))

    def scores(self, posterior: Posterior) -> Floats:
        """Return the probability that each pair is together, less ½."""
        return upper_triangle(posterior.pair_probabilities) - 0.5


@dataclass(frozen=True)
class MinimumVariation(Estimate):
    """Expect the least variation of information (Meilă 2007; Wade & Ghahramani 2018).

    The search starts from the sampled partition with the least mean variation of information to
    all samples, among at most 200 that are spread evenly from the most frequent one to the rarest.
    Then single items move to another cluster or to a new one, in index order, while that lowers
    the mean: to a local minimum, which is no worse than the start.

    Examples
    --------
    >>> posterior = Posterior([[[0, 0, 1], [0, 0, 0], [0, 0, 1]]], [[-1.0, 0.0, -1.0]])
    >>> MinimumVariation().partition(posterior), MinimumVariation().scores(posterior)
    (Partition([0, 0, 1]), array([ 1., -1., -1.]))
    """

    def partition(self, posterior: Posterior) -> Partition:
        """Return what the search ends at."""
        if not posterior.n_items:
            return Partition([])
        samples, shares = posterior.distinct
        candidates = _thinned(samples, CANDIDATES)
        start = candidates[mean_variations(samples, shares, candidates).argmin()]
        return Partition(least_variation(samples, shares, start))


def _thinned(samples: Labels, most: int) -> Labels:
    """Take at most so many samples, evenly spread, the first and the last among them."""
    places = np.linspace(0, len(samples) - 1, min(len(samples), most)).round().astype(np.intp)
    return read_only(samples[places])
