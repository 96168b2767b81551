"""Updates of the weights of a distance, after a clustering with errors."""

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
    """The common part of all updates: the initial weights, their signs and their scale."""

    nonnegative: bool = True
    literal: bool = False
    distance: Distance = MANHATTAN
    start: float = 1.0

    def __post_init__(self) -> None:
        as_distance(self.distance)
        object.__setattr__(self, "start", as_real("start", self.start, high=1.0))
        if self.signed and not self.distance.signed:
            raise InputError(
                f"{self.distance!r} takes the root of a weighted sum, so no weight may be below 0; "
                "use nonnegative=True and literal=False"
            )

    @property
    def signed(self) -> bool:
        """Return whether weights may be negative."""
        return self.literal or not self.nonnegative

    def drawn(self, n_columns: int, rng: np.random.Generator) -> Floats:
        """Draw the initial weights, before they are normalised."""
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
        """Return the gradient of the clustering error of one item set, one number per feature.

        The gradient is for fixed partitions. `features` has one row per pair of `pairs`; None means
        all pairs.
        """
        operator, weights = as_features(features), as_floats("coef", coef, FeatureError)
        true_partition = as_partition(truth)
        n_items = len(true_partition)
        in_truth = true_partition.together(pairs)
        in_predicted = as_partition(predicted, n_items).together(pairs)
        if operator.shape != (len(in_truth), *weights.shape):
            raise FeatureError(
                f"the features have shape {operator.shape}, but there are {len(in_truth)} "
                f"pairs, and coef has shape {weights.shape}; give one row per pair and one "
                "weight per column"
            )
        # 1 for pairs wrongly apart, −1 for pairs wrongly together, 0 for correct pairs.
        counts = in_truth.astype(np.float64) - in_predicted
        n_wrongly_joined = int(np.count_nonzero(in_predicted & ~in_truth))
        self._count_largest(counts, operator, weights, n_wrongly_joined)
        share = 2.0 / max(n_items, 1) ** 2
        return self.distance.slopes(operator, weights, share * counts)

    @abstractmethod
    def _count_largest(
        self, counts: Floats, features: Features, coef: Floats, n_joined: int
    ) -> None:
        """Add the pair of the largest distance to the counts, once per wrongly joined pair."""

    def normalised(self, coef: Floats) -> Floats | None:
        """Scale weights to Σ|w| = 1, after setting negative ones to 0 unless `signed`.

        Returns None if all weights are 0.
        """
        weights = coef if self.signed else np.maximum(coef, 0.0)
        scale = np.abs(weights).max(initial=0.0)
        if not scale:
            return None
        weights = weights / scale  # so that the sum below cannot overflow
        return np.asarray(weights / np.abs(weights).sum())


@dataclass(frozen=True)
class PaperUpdate(Update):
    """Update as in Li & Roth 2005, eq. 6: ψ(p, S) − ψ(h, S).

    Here ψ_l(p, S) = 1/|S|² Σ φ_l(x_i, x_j) over all ordered pairs in the same cluster of p, where p
    is the true partition and h the predicted one. This is the gradient of the weighted clustering
    error (eq. 3) if the largest distance D is treated as a constant, although it depends on the
    weights: see `ExactUpdate`.

    Parameters
    ----------
    nonnegative
        Whether negative weights are set to 0. If weights may be negative, so may the error, and the
        weights of the least error are often useless.
    literal
        Whether features are used unchanged and weights may be negative, as printed in the paper,
        whatever `nonnegative` is; if not, similarities φ are first turned into distances 1 − φ.
    distance
        `Manhattan` or `Euclidean`; with the latter, φ above is ∂d/∂w.
    start
        The spread of the initial weights: 1 draws them uniformly from 0 to 1 (or −1 to 1 if they
        may be negative), as in the paper, and 0 makes them equal. Equal weights go well with a
        small learning rate, such as 1.

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
        """Add nothing, because the largest distance is treated as a constant."""


@dataclass(frozen=True)
class ExactUpdate(Update):
    """Update by the complete gradient of the weighted clustering error (Li & Roth 2005, eq. 3).

    The gradient of `PaperUpdate`, ψ(p, S) − ψ(h, S), plus the part from D: the features φ of the
    pair that is furthest apart, times the share of ordered pairs that are wrongly joined. It is
    exact for a fixed partition h if a single pair is furthest apart.

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
