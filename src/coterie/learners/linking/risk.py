"""The objective of latent left-linking over whole item sets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from coterie._core.arrays import Floats
from coterie._kernels.linking.losses import best_sum, worst_sum
from coterie.learners.linking.link_sets import LinkSet


@dataclass(frozen=True, eq=False)
class LinearLinkRisk:
    """The mean over item sets of the mean loss of their items.

    worst(w) − best(w) is the second part of Samdani, Chang & Roth 2014, eq. 7: `worst` is γ/|D| Σ_d
    1/m_d Σ_i log Σ_j exp((w·φ(i, j) + δ)/γ) over all links, `best` the same over the right ones
    without δ. Both are convex, and differentiable where γ > 0.
    """

    sets: Sequence[LinkSet]
    gamma: float

    @property
    def n_columns(self) -> int:
        """The number of weights."""
        return self.sets[0].features.shape[1]

    @property
    def smooth(self) -> bool:
        """Whether `worst` is differentiable."""
        return self.gamma > 0

    def worst(self, coef: Floats) -> tuple[float, Floats]:
        """Return the loss-augmented part and its gradient, with weights p."""
        return self._mean(worst_sum, coef)

    def best(self, coef: Floats) -> tuple[float, Floats]:
        """Return the part of the right links and its gradient, with weights p′."""
        return self._mean(best_sum, coef)

    def objective(self, coef: Floats, lam: float) -> tuple[float, Floats]:
        """Return eq. 7 and its gradient."""
        (worst, down), (best, up) = self.worst(coef), self.best(coef)
        return 0.5 * lam * float(coef @ coef) + worst - best, lam * coef + down - up

    def _mean(self, part: Callable[..., float], coef: Floats) -> tuple[float, Floats]:
        value, gradient = 0.0, np.zeros(len(coef))
        for each in self.sets:
            starts, lefts, _ = each.candidates
            links = each.links(coef)
            pulls = np.zeros(len(links))
            share = 1.0 / (len(self.sets) * max(len(each), 1))
            value += share * part(starts, lefts, links, each.labels, float(self.gamma), pulls)
            gradient += share * each.gradient(pulls)
        return value, gradient
