"""The sampler of partitions, with its chains, their moves and their lengths."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.values import Value
from coterie._kernels.dirichlet.clusters import Mixture, ObservedItems
from coterie.dirichlet.chains import Moves, Schedule, run_chains, start_chain
from coterie.dirichlet.moves import AuxiliaryGibbs, CollapsedGibbs, Gibbs, SplitMerge, check_moves
from coterie.dirichlet.posterior import Posterior
from coterie.exceptions import FeatureError, InputError

__all__ = ["Sampler"]

COLLAPSED = CollapsedGibbs()
SPLIT_MERGE = SplitMerge()
MAX_COUNT = 10**9
"""The largest value of each count."""


@dataclass(frozen=True)
class Sampler(Value):
    """Draw partitions of an item set from their posterior, by several chains.

    The first chain starts with all items together, the second with all apart, the third with random
    clusters, and so on in turn. The samples do not depend on the number of threads.

    Parameters
    ----------
    n_samples
        The number of partitions that each chain keeps.
    burn_in
        The number of first sweeps over all items, whose partitions are dropped.
    spacing
        The number of sweeps from one kept partition to the next.
    n_chains
        The number of chains.
    gibbs, split_merge
        The moves; see `NormalPrior`.
    n_jobs
        The number of chains that run at a time, in threads.
    random_state
        The seed of all chains.

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
            object.__setattr__(self, name, as_whole(name, getattr(self, name), low, MAX_COUNT))
        object.__setattr__(self, "n_jobs", as_whole("n_jobs", self.n_jobs, 1))
        object.__setattr__(self, "random_state", as_whole("random_state", self.random_state))
        check_moves(self.gibbs, self.split_merge)

    @property
    def n_sweeps(self) -> int:
        """The number of sweeps of each chain."""
        return self._schedule.n_sweeps

    @property
    def _schedule(self) -> Schedule:
        return Schedule(self.burn_in, self.n_samples, self.spacing)

    def sampled(self, items: ObservedItems, mixtures: Sequence[Mixture]) -> Posterior:
        """Run the chains on the items, with one mixture per chain."""
        if self.gibbs.draws_means and items.squares.shape[0]:
            raise InputError(
                f"{self.gibbs!r} draws the means of clusters, which requires vectors, but the "
                "items have only distances; use gibbs=CollapsedGibbs()"
            )
        chains = [
            start_chain(index, items, mixture, self._moves, self._schedule, self.random_state)
            for index, mixture in enumerate(mixtures)
        ]
        run_chains(chains, self.n_sweeps, self.n_jobs, "sample")
        labels = np.stack([chain.labels for chain in chains])
        log_joint = np.stack([chain.log_joint for chain in chains])
        if not np.isfinite(log_joint).all():
            raise FeatureError(
                "the density of the items is too small or too large for a float; scale their "
                "features to a variance near 1"
            )
        return Posterior(labels.astype(np.int32), log_joint)

    @property
    def _moves(self) -> Moves:
        n_auxiliary = self.gibbs.n_auxiliary if isinstance(self.gibbs, AuxiliaryGibbs) else 0
        if self.split_merge is None:
            return Moves(self.gibbs.algorithm, n_auxiliary)
        scans, moves = self.split_merge.n_scans, self.split_merge.n_moves
        return Moves(self.gibbs.algorithm, n_auxiliary, scans, moves)
