"""How the weights of a distance change after a clustering that went wrong."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats, as_real
from coterie._core.arrays import Floats, Pairs
from coterie._core.values import Value
from coterie._types import Features
from coterie.exceptions import FeatureError, InputError
from coterie.features.distances import Distance, Manhattan, as_distance
from coterie.features.operators import as_features
from coterie.partition import PartitionLike, as_partition

MANHATTAN = Manhattan()


@dataclass(frozen=True)
class Update(Value, ABC):
    """What all updates share: where the weights start, their sign and their scale."""

    nonnegative: bool = True
    literal: bool = False
    distance: Distance = MANHATTAN
    start: float = 1.0

    def __post_init__(self) -> None:
        as_distance(self.distance)
        object.__setattr__(self, "start", as_real("start", self.start, high=1.0))
        if self.signed and not self.distance.signed:
            raise InputError(
                f"{self.distance!r} has a root, which takes no weights below 0; give "
                "nonnegative=True and literal=False"
            )

    @property
    def signed(self) -> bool:
        """Whether weights may be negative."""
        return self.literal or not self.nonnegative

    def drawn(self, n_columns: int, rng: np.random.Generator) -> Floats:
        """Draw the first weights, which are not normalised yet."""
        width = 2.0 if self.signed else 1.0
        return 1.0 - width * self.start * rng.random(n_columns)

    def gradient(
        self,
        features: Features,
        truth: PartitionLike,
        predicted: PartitionLike,
        coef: ArrayLike,
        pairs: Pairs | None = None,
    ) -> Floats:
        """Return the gradient of the clustering error of one item set, one number a feature.

        The features are those of the pairs, None for all; the partitions stay as they are.
        """
        operator, weights = as_features(features), as_floats("coef", coef, FeatureError)
        true = as_partition(truth)
        found = as_partition(predicted, len(true))
        same, joined = true.together(pairs), found.together(pairs)
        if operator.shape != (len(same), *weights.shape):
            raise FeatureError(
                f"the features have shape {operator.shape}, but there are {len(same)} pairs and "
                f"coef of shape {weights.shape}; give one row a pair and one coef a column"
            )
        counts = same.astype(np.float64) - joined
        self._count_largest(counts, operator, weights, int(np.count_nonzero(joined & ~same)))
        share = 2.0 / max(len(true), 1) ** 2
        return self.distance.slopes(operator, weights, share * counts)

    @abstractmethod
    def _count_largest(
        self, counts: Floats, features: Features, coef: Floats, n_joined: int
    ) -> None:
        """Add to the counts of pairs what the largest distance counts for those wrongly joined."""

    def normalised(self, coef: Floats) -> Floats | None:
        """Return weights with Σ|w| = 1, of the sign that is asked for; None if all are 0."""
        kept = coef if self.signed else np.maximum(coef, 0.0)
        largest = np.abs(kept).max(initial=0.0)
        if not largest:
            return None
        kept = kept / largest  # so that no sum is too large for a number
        return np.asarray(kept / np.abs(kept).sum())


@dataclass(frozen=True)
class PaperUpdate(Update):
    """Update as in Li & Roth 2005, eq. 6: ψ(p, S) − ψ(h, S).

    Here ψ_l(p, S) = 1/|S|² Σ φ_l(x_i, x_j) over all ordered pairs that p puts together, p is the
    true partition and h the predicted one. This is the gradient of the weighted clustering error
    (eq. 3) with the largest distance D taken as a constant, which it is not: see `ExactUpdate`.

    Parameters
    ----------
    nonnegative
        Whether weights below 0 become 0. With free signs the error may fall below 0, and the best
        by that error is often a useless metric.
    literal
        Whether features are taken as they are, with free signs, as the paper prints it, whatever
        `nonnegative` says; if not, similarities φ are turned into distances 1 − φ first.
    distance
        `Manhattan` or `Euclidean`; with the latter, φ above is ∂d/∂w.
    start
        How far the first weights are drawn from equal ones: 1 stands for uniformly from 0 to 1
        (from −1 with free signs), as in the paper, 0 for equal weights. From equal weights, a
        small learning rate such as 1 suits.

    Examples
    --------
    >>> from coterie.features import DenseFeatures
    >>> features = DenseFeatures([[0.9], [1.0], [0.6]])
    >>> PaperUpdate().gradient(features, [0, 0, 1], [0, 1, 1], coef=[1.0]).round(4)
    array([0.0667])
    """

    def _count_largest(
        self, counts: Floats, features: Features, coef: Floats, n_joined: int
    ) -> None:
        """Add nothing: the largest distance counts as a constant."""


@dataclass(frozen=True)
class ExactUpdate(Update):
    """Update by the gradient of the weighted clustering error (Li & Roth 2005, eq. 3), all of it.

    To ψ(p, S) − ψ(h, S) of `PaperUpdate` comes what the error owes to D: φ of the pair that is
    furthest apart, times the share of ordered pairs that are wrongly joined. Exact for a fixed
    partition h and where one pair alone is furthest apart.

    Parameters
    ----------
    nonnegative, literal, distance, start
        As in `PaperUpdate`.

    Examples
    --------
    >>> from coterie.features import DenseFeatures
    >>> features = DenseFeatures([[0.9], [1.0], [0.6]])
    >>> ExactUpdate().gradient(features, [0, 0, 1], [0, 1, 1], coef=[1.0]).round(4)
    array([0.2889])
    """

    def _count_largest(
        self, counts: Floats, features: Features, coef: Floats, n_joined: int
    ) -> None:
        if n_joined:
            counts[np.argmax(self.distance(features, coef))] += n_joined
