"""The moves of a chain from one partition to the next."""

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
    """A move that draws the cluster of each item in turn, given those of all other items."""

    algorithm: int
    """The number of the algorithm in Neal 2000."""
    draws_means: bool = True
    """True if the means of clusters are drawn too, which requires vectors."""


@dataclass(frozen=True)
class CollapsedGibbs(Gibbs):
    """Draw clusters with their means integrated out: algorithm 3 of Neal 2000.

    Its chains mix faster than those of the other two algorithms, and it also works with distances
    instead of vectors.

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

    This is the sampler of Daumé & Marcu 2004 (eq. 1), in which the weight of a new cluster is α
    times the integral over its mean.

    Examples
    --------
    >>> ConditionalGibbs()
    ConditionalGibbs()
    """

    algorithm = CONDITIONAL


@dataclass(frozen=True)
class AuxiliaryGibbs(Gibbs):
    """Draw clusters given means, with prior means for new ones: algorithm 8 of Neal 2000.

    Parameters
    ----------
    n_auxiliary
        The number of candidate means when an item may start a new cluster, from 1 to 64.

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
    """Split a cluster or merge two clusters in one move of all their items (Jain & Neal 2004).

    Two items are drawn at random. If they are together, a split between them is proposed, else a
    merge of their clusters. For a split, the other items join one of the two in turn (Dahl 2003),
    and some Gibbs scans refine the result. A Metropolis-Hastings step accepts or rejects it.

    Parameters
    ----------
    n_moves
        The number of proposals after each sweep.
    n_scans
        The number of Gibbs scans that refine a proposed split.

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


def check_moves(gibbs: Any, split_merge: Any) -> None:
    """Raise `InputError` if one of the values is not a move of its kind."""
    refuse_class("gibbs", gibbs)
    if not isinstance(gibbs, Gibbs):
        raise InputError(
            f"gibbs is {gibbs!r}; use CollapsedGibbs(), ConditionalGibbs() or AuxiliaryGibbs()"
        )
    refuse_class("split_merge", split_merge)
    if not isinstance(split_merge, SplitMerge | None):
        raise InputError(f"split_merge is {split_merge!r}; use SplitMerge() or None")
