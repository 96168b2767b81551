"""Moves by which a chain goes from one partition to the next."""

from abc import ABC
from dataclasses import dataclass
from typing import Any

from coterie._core.arguments import as_whole, refuse_class
from coterie._core.values import Value
from coterie._kernels.dirichlet.clusters import MOST_AUXILIARY
from coterie.dirichlet.chains import AUXILIARY, COLLAPSED, CONDITIONAL
from coterie.exceptions import InputError

__all__ = ["AuxiliaryGibbs", "CollapsedGibbs", "ConditionalGibbs", "Gibbs", "SplitMerge"]


class Gibbs(Value, ABC):
    """Draws the cluster of one item after the other, given all others."""

    algorithm: int
    """The number of the algorithm in Neal 2000."""
    draws_means: bool = True
    """Whether the means of clusters are drawn, for which items must be vectors."""


@dataclass(frozen=True)
class CollapsedGibbs(Gibbs):
    """Draw clusters with their means integrated out: algorithm 3 of Neal 2000.

    Of the three it forgets fastest where it came from, and takes distances in place of vectors.

    Examples
    --------
    >>> CollapsedGibbs()
    CollapsedGibbs()
    """

    algorithm = COLLAPSED
    draws_means = False


@dataclass(frozen=True)
class ConditionalGibbs(Gibbs):
    """Draw clusters given their means, then the means: algorithm 2 of Neal 2000.

    The sampler of Daumé & Marcu 2004 (eq. 1): what a new cluster weighs is α times the integral
    over its mean.

    Examples
    --------
    >>> ConditionalGibbs()
    ConditionalGibbs()
    """

    algorithm = CONDITIONAL


@dataclass(frozen=True)
class AuxiliaryGibbs(Gibbs):
    """Draw clusters given their means, new ones with means from the prior: Neal's algorithm 8.

    Parameters
    ----------
    n_auxiliary
        How many means an item is offered for a new cluster, from 1 to 64.

    Examples
    --------
    >>> AuxiliaryGibbs(n_auxiliary=5)
    AuxiliaryGibbs(n_auxiliary=5)
    """

    n_auxiliary: int = 3

    algorithm = AUXILIARY

    def __post_init__(self) -> None:
        count = as_whole("n_auxiliary", self.n_auxiliary, 1, MOST_AUXILIARY)
        object.__setattr__(self, "n_auxiliary", count)


@dataclass(frozen=True)
class SplitMerge(Value):
    """Split a cluster in two or merge two, all items at once (Jain & Neal 2004).

    Two items are drawn; if they are together, a split between them is proposed, else a merge of
    their clusters. The split comes from items that join the two one after the other (Dahl 2003) and
    some Gibbs scans over them; a Metropolis-Hastings step accepts it or not.

    Parameters
    ----------
    n_moves
        How many are proposed after each sweep.
    n_scans
        How many scans a proposed split is refined by.

    Examples
    --------
    >>> SplitMerge(n_moves=10)
    SplitMerge(n_moves=10, n_scans=2)
    """

    n_moves: int = 5
    n_scans: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_moves", as_whole("n_moves", self.n_moves, 1))
        object.__setattr__(self, "n_scans", as_whole("n_scans", self.n_scans))


def as_moves(gibbs: Any, split_merge: Any) -> None:
    """Refuse what are no moves."""
    refuse_class("gibbs", gibbs)
    if not isinstance(gibbs, Gibbs):
        raise InputError(f"gibbs is {gibbs!r}; give CollapsedGibbs() or another")
    refuse_class("split_merge", split_merge)
    if not isinstance(split_merge, SplitMerge | None):
        raise InputError(f"split_merge is {split_merge!r}; give SplitMerge() or None")
