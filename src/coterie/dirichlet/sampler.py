"""Samplers: how many partitions are drawn, from where and by which moves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.values import Value
from coterie._kernels.dirichlet.clusters import Mixture, ObservedItems
from coterie.dirichlet.chains import Moves, Schedule, run, start_chain
from coterie.dirichlet.moves import AuxiliaryGibbs, CollapsedGibbs, Gibbs, SplitMerge, as_moves
from coterie.dirichlet.posterior import Posterior
from coterie.exceptions import FeatureError, InputError

__all__ = ["Sampler"]

COLLAPSED = CollapsedGibbs()
SPLIT_MERGE = SplitMerge()
MOST = 10**9
"""How many of anything there may be."""


@dataclass(frozen=True)
class Sampler(Value):
    """Draw partitions of an item set from their posterior, by several chains.

    The first chain starts with all items together, the second with all apart, the third at random
    in between, and so on. What they find does not depend on how many run at a time.

    Parameters
    ----------
    n_samples
        How many partitions each chain keeps.
    burn_in
        How many sweeps over all items come before the first that may be kept.
    spacing
        Each how-manieth after that is.
    n_chains
        The number of chains.
    gibbs, split_merge
        The moves; see `NormalPrior`.
    n_jobs
        How many chains run at a time, in threads.
    random_state
        Seed of all chains.

    Examples
    --------
    >>> Sampler(n_samples=1000, burn_in=10_000, spacing=100).n_sweeps  # as in the paper
    110000
    """

    n_samples: int = 100
    burn_in: int = 300
    spacing: int = 2
    n_chains: int = 3
    gibbs: Gibbs = COLLAPSED
    split_merge: SplitMerge | None = SPLIT_MERGE
    n_jobs: int = 1
    random_state: int = 0

    def __post_init__(self) -> None:
        for name, low in (("n_samples", 1), ("burn_in", 0), ("spacing", 1), ("n_chains", 1)):
            object.__setattr__(self, name, as_whole(name, getattr(self, name), low, MOST))
        object.__setattr__(self, "n_jobs", as_whole("n_jobs", self.n_jobs, 1))
        object.__setattr__(self, "random_state", as_whole("random_state", self.random_state))
        as_moves(self.gibbs, self.split_merge)

    @property
    def n_sweeps(self) -> int:
        """How many sweeps each chain makes."""
        return self._schedule.n_sweeps

    @property
    def _schedule(self) -> Schedule:
        return Schedule(self.burn_in, self.n_samples, self.spacing)

    def sampled(self, seen: ObservedItems, mixtures: Sequence[Mixture]) -> Posterior:
        """Run the chains; there is one mixture for each."""
        if self.gibbs.draws_means and seen.squares.shape[0]:
            raise InputError(
                f"{self.gibbs!r} draws means, which need vectors, but the items are known by their "
                "distances; give CollapsedGibbs()"
            )
        chains = [
            start_chain(number, seen, mixture, self._moves, self._schedule, self.random_state)
            for number, mixture in enumerate(mixtures)
        ]
        run(chains, self.n_sweeps, self.n_jobs, "sample")
        labels = np.stack([chain.labels for chain in chains])
        log_joint = np.stack([chain.log_joint for chain in chains])
        if not np.isfinite(log_joint).all():
            raise FeatureError(
                "the density of the items is beyond what numbers hold; scale them to a variance "
                "near 1"
            )
        return Posterior(labels.astype(np.int32), log_joint)

    @property
    def _moves(self) -> Moves:
        n_auxiliary = self.gibbs.n_auxiliary if isinstance(self.gibbs, AuxiliaryGibbs) else 0
        if self.split_merge is None:
            return Moves(self.gibbs.algorithm, n_auxiliary)
        scans, moves = self.split_merge.n_scans, self.split_merge.n_moves
        return Moves(self.gibbs.algorithm, n_auxiliary, scans, moves)
