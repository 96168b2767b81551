"""What is believed of clusters and reference types before any item is seen."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from coterie._core.arguments import as_positive, as_whole
from coterie._core.values import Value
from coterie._types import Featurizer
from coterie.dirichlet.moves import CollapsedGibbs, Gibbs, SplitMerge, as_moves
from coterie.exceptions import InputError
from coterie.features.featurizer import as_featurizer

__all__ = ["NormalPrior"]

COLLAPSED = CollapsedGibbs()
SPLIT_MERGE = SplitMerge()


@dataclass(frozen=True)
class NormalPrior(Value):
    """Items are normal around the mean of their cluster, with the precisions of a reference type.

    The model of Daumé & Marcu 2004: means are normal, y ~ N(0, σ0²), the precisions of types have
    the distribution Gam(shape, rate), and the number of both is open.

    Items are vectors; or, where they come as features of pairs or have a featurizer, known by their
    distances alone, of any metric or none, with one precision a distance (section 3). The origin,
    from which means have the variance σ0², is then the mean of the item set.

    Parameters
    ----------
    shape
        The shape a of the gamma distribution of precisions: the lower, the less alike types are.
        None takes a twentieth of the number of features, because types that fit few items each
        multiply where there are many features.
    rate
        Its rate b. None takes a times the variance within the training clusters in each dimension,
        so that types are about as precise as these.
    repulsion
        Whether training also weighs each item's type by the product over pairs of cluster means of
        Gam(1/‖y − y′‖; 1, 1), as eq. 2 of the paper has it: this favours high precisions.
    type_per_cluster
        Whether all items of a cluster are of one type, in place of a type for each item.
    categorical
        The columns of vectors that hold the numbers of categories: the probabilities of these have
        a Dirichlet distribution in each cluster, in place of the normal one. No types there.
    featurizer
        Computes distances of pairs; None takes items as they come.
    gibbs
        How prediction draws the cluster of an item: `CollapsedGibbs`, or for vectors
        `ConditionalGibbs` (the paper's) or `AuxiliaryGibbs`.
    split_merge
        How it splits and merges clusters; None does not.

    Examples
    --------
    >>> NormalPrior(repulsion=True).repulsion
    True
    """

    shape: float | None = None
    rate: float | None = None
    repulsion: bool = False
    type_per_cluster: bool = False
    categorical: tuple[int, ...] = ()
    featurizer: Featurizer | None = None
    gibbs: Gibbs = COLLAPSED
    split_merge: SplitMerge | None = SPLIT_MERGE

    def __post_init__(self) -> None:
        for name in ("shape", "rate"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, as_positive(name, getattr(self, name)))
        object.__setattr__(self, "categorical", _as_columns(self.categorical))
        if self.featurizer is not None:
            as_featurizer(self.featurizer)
            if self.categorical:
                raise InputError(
                    "categorical columns are of vectors, but there is a featurizer, which sees "
                    "distances; give one of the two"
                )
        as_moves(self.gibbs, self.split_merge)


def _as_columns(columns: Any) -> tuple[int, ...]:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise InputError(f"categorical is {columns!r}; give the numbers of columns in a list")
    numbers = tuple(as_whole("a categorical column", column) for column in columns)
    if len(set(numbers)) < len(numbers):
        raise InputError(f"categorical is {numbers}; give each column once")
    return numbers
