"""The prior of clusters and reference types."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from coterie._core.arguments import as_positive, as_whole
from coterie._core.values import Value
from coterie._types import Featurizer
from coterie.dirichlet.moves import CollapsedGibbs, Gibbs, SplitMerge, check_moves
from coterie.exceptions import InputError
from coterie.features.featurizer import as_featurizer

__all__ = ["NormalPrior"]

COLLAPSED = CollapsedGibbs()
SPLIT_MERGE = SplitMerge()


@dataclass(frozen=True)
class NormalPrior(Value):
    """The prior of a model in which items are normal around the mean of their cluster.

    Items have the precisions of a reference type. In the model of Daumé & Marcu 2004, means are
    normal, y ~ N(0, σ0²), the precisions of types are Gam(shape, rate), and both the number of
    clusters and that of types are open.

    Items are vectors, or, if they have pair features or a featurizer, they are represented by their
    distances only. These need not be metric, and there is one precision per distance (section 3).
    The means then have the variance σ0² around the mean of the item set.

    Parameters
    ----------
    shape
        The shape a of the gamma distribution of precisions; the lower it is, the more types differ.
        None means a twentieth of the number of features, because with many features a higher shape
        leads to many types with few items each.
    rate
        The rate b of the gamma distribution. None means a times the variance within the training
        clusters in each dimension, so that types are about as precise as these clusters.
    repulsion
        Whether training also weights each item's type by the product over pairs of cluster means of
        Gam(1/‖y − y′‖; 1, 1), as in eq. 2 of the paper, which favours high precisions.
    type_per_cluster
        Whether all items of a cluster have one type; if not, each item has its own.
    categorical
        The columns of vectors that hold category codes. In each cluster, the probabilities of the
        categories have a Dirichlet distribution. Types have no precisions for these columns.
    featurizer
        Computes distances of pairs; None uses the items themselves.
    gibbs
        The sampler of an item's cluster in prediction: `CollapsedGibbs`, or for vectors also
        `ConditionalGibbs` (as in the paper) or `AuxiliaryGibbs`.
    split_merge
        The split and merge moves of prediction; None means no such moves.

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
                    "categorical columns require vectors, but the featurizer computes distances; "
                    "use only one of categorical and featurizer"
                )
        check_moves(self.gibbs, self.split_merge)


def _as_columns(columns: Any) -> tuple[int, ...]:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise InputError(f"categorical is {columns!r}; give a list of column indices")
    indices = tuple(as_whole("a categorical column", column) for column in columns)
    if len(set(indices)) < len(indices):
        raise InputError(f"categorical is {indices}; give each column once")
    return indices
