"""Latent left-linking, in which each item links to an earlier item or starts a cluster."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie._core.arguments import as_real
from coterie._core.arrays import Floats, read_only
from coterie._kernels.linking.descent import Scratch, Weights, left_link_pass
from coterie._kernels.linking.losses import (
    link_shares,
    sum_augmented_soft_max,
    sum_correct_soft_max,
)
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.clusterers import LeftLink
from coterie.items import as_item_set
from coterie.learners.base import Examples
from coterie.learners.linking.cccp import CCCP, LatentOptimum, warn_if_unfinished
from coterie.learners.linking.link_sets import Candidates, LinkSet
from coterie.learners.linking.online import STOCHASTIC, OnlineLearner
from coterie.learners.linking.sgd import SGD, draw_start
from coterie.partition import PartitionLike, as_partition


class LatentLeftLinking(OnlineLearner):
    """Learn the probability that an item links to each earlier item (to its left).

    Item i links to j < i with a probability proportional to exp(w·φ(i, j)/γ), or starts a cluster
    with a probability proportional to 1. The clusters are given in training, the links are latent.
    Learning minimises λ/2 ‖w‖² + the mean over items of γ log Σ_j exp((w·φ(i, j) + δ(i, j))/γ) over
    all links, minus the same term over the correct links only; δ is 1 for wrong links and 0 for
    correct ones (Samdani, Chang & Roth 2014, eq. 7). γ = 1 without δ is a hidden conditional random
    field, γ = 0 a latent structural SVM over the best links alone. Prediction is the greedy rule
    `LeftLink` with the same γ, which works online: see `coterie.stream`.

    SGD gives all items the same weight (eq. 8), CCCP all item sets (eq. 7).

    Parameters
    ----------
    gamma
        Temperature γ, from 0 (only the best link counts) to 1 (many weak links count together).
    lam
        Weight λ of the regulariser.
    n_passes
        The number of passes of SGD over the items; CCCP has its own limits.
    solver
        `SGD`, or `CCCP`, which takes many times longer and never lets the objective rise.
    featurizer
        Computes the features of pairs. None means the pair features of the item sets, or products
        of their item vectors, and a constant. Without a constant, the score of a link cannot be
        shifted against that of a new cluster, which is 0.
    blocker
        Chooses the candidate pairs; None means all pairs.
    random_state
        The seed of the initial weights, if the solver draws them at random.

    Attributes
    ----------
    similarity_, coef_
        The learned similarity of pairs, and its weights.
    history_
        One named tuple per pass of SGD or iteration of CCCP, with its `objective`.

    Examples
    --------
    >>> sets = [[[-2.0], [-3.0], [2.5]], [[-1.0], [1.0], [2.0], [3.0]]]
    >>> learner = LatentLeftLinking().fit(sets, [[0, 0, 1], [0, 1, 1, 1]])
    >>> learner.predict([[[1.0], [-2.0], [-2.5], [1.5]]])
    [Partition([0, 1, 1, 0])]
    >>> learner.link_probabilities([[1.0], [-2.0], [-2.5]]).round(2)
    array([[1.  , 0.  , 0.  , 0.  ],
           [0.98, 0.02, 0.  , 0.  ],
           [0.  , 0.  , 1.  , 0.  ]])
    """

    def __init__(
        self,
        gamma: float = 0.4,
        lam: float = 1e-4,
        n_passes: int = 5,
        solver: SGD | CCCP = STOCHASTIC,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        random_state: int = 0,
    ) -> None:
        self.gamma = gamma
        super().__init__(lam, n_passes, solver, featurizer, blocker, random_state)

    def log_likelihood(self, item_set: Any, partition: PartitionLike) -> float:
        """Return the logarithm of the probability of a partition (eq. 4), in nats.

        At γ = 0, one partition has probability 1 and all others have 0. A partition that links
        between candidate pairs cannot make has probability 0.
        """
        check_is_fitted(self, "similarity_")
        truth = as_partition(partition, len(as_item_set(item_set)))
        links, candidates = self._links(item_set)
        items = candidates.items
        is_correct = truth.labels[candidates.lefts] == truth.labels[items]
        firsts = np.unique(truth.labels, return_index=True)[1]
        if not self._trained_gamma:
            shares, new_shares = self._shares(links, candidates)
            correct_shares = np.bincount(
                items[is_correct], shares[is_correct], minlength=len(truth)
            )
            correct_shares[firsts] = new_shares[firsts]
            return 0.0 if np.all(correct_shares) else -np.inf
        # In logarithms, since exp(score/γ) itself may be too small or too large for a float.
        top = np.zeros(len(truth))
        np.maximum.at(top, items, links)
        with np.errstate(over="ignore"):
            log_weights = (links - top[items]) / self._trained_gamma
            totals, correct_totals = -top / self._trained_gamma, np.full(len(truth), -np.inf)
        correct_totals[firsts] = totals[firsts]
        np.logaddexp.at(totals, items, log_weights)
        np.logaddexp.at(correct_totals, items[is_correct], log_weights[is_correct])
        return float(np.sum(correct_totals - totals))

    def link_probabilities(self, item_set: Any) -> Floats:
        """Return the probability of each link (eq. 2), one row per item.

        Column 0 has the probability that the item starts a cluster, column j + 1 the probability
        that it links to item j.
        """
        check_is_fitted(self, "similarity_")
        links, candidates = self._links(item_set)
        shares, new_shares = self._shares(links, candidates)
        probabilities = np.zeros((len(new_shares), len(new_shares) + 1))
        probabilities[:, 0] = new_shares
        probabilities[candidates.items, candidates.lefts + 1] = shares
        return probabilities

    @property
    def _clusterer(self) -> Clusterer:
        return LeftLink(self.gamma)

    def _fit(self, examples: Examples) -> None:
        if isinstance(self.solver, CCCP):
            warn_if_unfinished(self._minimise(examples, self.solver))
        else:
            super()._fit(examples)

    def _minimise(self, examples: Examples, solver: CCCP) -> LatentOptimum:
        self._check_numbers()
        featurizer, sets = self._prepare(examples)
        risk = LinearLinkRisk(sets, self.gamma)
        start = draw_start(solver, risk.n_columns, self.random_state)
        optimum = solver.minimise(risk, self.lam, start)
        self._set_result(featurizer, optimum.coef, optimum.history)
        return optimum

    @property
    def _trained_gamma(self) -> float:
        assert isinstance(self._trained, LeftLink)  # noqa: S101 — by `_clusterer`
        return float(self._trained.gamma)

    def _check_numbers(self) -> None:
        super()._check_numbers()
        as_real("gamma", self.gamma)

    def _descend(
        self, link_set: LinkSet, first: int, rate: float, weights: Weights, scratch: Scratch
    ) -> float:
        rows, labels = link_set.rows, link_set.labels
        gamma, lam = float(self.gamma), float(self.lam)
        loss: float = left_link_pass(rows, labels, first, gamma, rate, lam, weights, scratch)
        return loss

    def _links(self, item_set: Any) -> tuple[Floats, Candidates]:
        """Return the score of each candidate link, and the candidates of each item."""
        scores = self.to_model().scores(item_set)
        candidates = Candidates.sort(scores.n_items, scores.listed)
        return read_only(scores.scores[candidates.order]), candidates

    def _shares(self, links: Floats, candidates: Candidates) -> tuple[Floats, Floats]:
        """Return the probability of each link, and for each item that of a new cluster."""
        shares, new_shares = np.empty(len(links)), np.empty(len(candidates.starts) - 1)
        link_shares(candidates.starts, links, self._trained_gamma, shares, new_shares)
        return shares, new_shares


@dataclass(frozen=True, eq=False)
class LinearLinkRisk:
    """The mean over item sets of the mean loss of their items.

    worst(w) − best(w) is the loss in Samdani, Chang & Roth 2014, eq. 7. `worst` is γ/|D| Σ_d 1/m_d
    Σ_i log Σ_j exp((w·φ(i, j) + δ)/γ) over all links; `best` is the same sum over the correct links
    without δ. Both are convex, and differentiable if γ > 0.
    """

    sets: Sequence[LinkSet]
    gamma: float

    @property
    def n_columns(self) -> int:
        """The number of weights."""
        return self.sets[0].features.shape[1]

    @property
    def smooth(self) -> bool:
        """Return whether `worst` is differentiable."""
        return self.gamma > 0

    def worst(self, coef: Floats) -> tuple[float, Floats]:
        """Return the loss-augmented part and its gradient."""
        return self._mean(sum_augmented_soft_max, coef)

    def best(self, coef: Floats) -> tuple[float, Floats]:
        """Return the part of the correct links and its gradient."""
        return self._mean(sum_correct_soft_max, coef)

    def objective(self, coef: Floats, lam: float) -> tuple[float, Floats]:
        """Return eq. 7 and its gradient."""
        (worst, worst_gradient), (best, best_gradient) = self.worst(coef), self.best(coef)
        return 0.5 * lam * float(
            coef @ coef
        ) + worst - best, lam * coef + worst_gradient - best_gradient

    def _mean(self, sum_loss: Callable[..., float], coef: Floats) -> tuple[float, Floats]:
        mean, gradient, gamma = 0.0, np.zeros(len(coef)), float(self.gamma)
        for link_set in self.sets:
            starts, lefts, _ = link_set.candidates
            links = link_set.link_scores(coef)
            link_gradient = np.zeros(len(links))
            loss = sum_loss(starts, lefts, links, link_set.labels, gamma, link_gradient)
            weight = 1.0 / (len(self.sets) * max(len(link_set), 1))
            mean += weight * loss
            gradient += weight * link_set.gradient(link_gradient)
        return mean, gradient
