"""How the weights of a distance change after a clustering that went wrong."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from coterie._arguments import as_real
from coterie._arrays import Floats, Pairs
from coterie._types import Features
from coterie._values import Value
from coterie.exceptions import InputError
from coterie.features.distances import Distance, Manhattan, as_distance
from coterie.partition import Partition

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

    @abstractmethod
    def gradient(
        self,
        features: Features,
        truth: Partition,
        predicted: Partition,
        coef: Floats,
        pairs: Pairs | None = None,
    ) -> Floats:
        """Return the gradient of the clustering error of one item set, one number a feature."""

    def normalised(self, coef: Floats) -> Floats | None:
        """Return weights with Σ|w| = 1, of the sign that is asked for; None if all are 0."""
        kept = coef if self.signed else np.maximum(coef, 0.0)
        total = np.abs(kept).sum()
        return kept / total if total > 0.0 else None


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
        Whether features are taken as they are, with free signs, as the paper prints it; if not,
        similarities φ are turned into distances 1 − φ first.
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
    >>> truth, predicted = Partition([0, 0, 1]), Partition([0, 1, 1])
    >>> PaperUpdate().gradient(features, truth, predicted, np.ones(1)).round(4)
    array([0.0667])
    """

    def gradient(
        self,
        features: Features,
        truth: Partition,
        predicted: Partition,
        coef: Floats,
        pairs: Pairs | None = None,
    ) -> Floats:
        """Return ψ(p, S) − ψ(h, S), one number a feature."""
        wrong = truth.together(pairs).astype(np.float64) - predicted.together(pairs)
        return self.distance.slopes(features, coef, _share(truth) * wrong)


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
    >>> truth, predicted = Partition([0, 0, 1]), Partition([0, 1, 1])
    >>> ExactUpdate().gradient(features, truth, predicted, np.ones(1)).round(4)
    array([0.2889])
    """

    def gradient(
        self,
        features: Features,
        truth: Partition,
        predicted: Partition,
        coef: Floats,
        pairs: Pairs | None = None,
    ) -> Floats:
        """Return the gradient of the error, one number a feature."""
        true, found = truth.together(pairs), predicted.together(pairs)
        weights = true.astype(np.float64) - found
        if len(weights):
            furthest = np.argmax(self.distance(features, coef))
            weights[furthest] += np.count_nonzero(found & ~true)
        return self.distance.slopes(features, coef, _share(truth) * weights)


def _share(truth: Partition) -> float:
    """Return what a pair counts, both ways: 2/|S|²."""
    return 2.0 / max(len(truth), 1) ** 2
