"""Latent left-linking: each item links to one on its left, or starts a cluster."""

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
from coterie.learners.linking.cccp import CCCP, LatentOptimum, warn_of_end
from coterie.learners.linking.link_sets import Candidates, LinkSet
from coterie.learners.linking.online import STOCHASTIC, OnlineLearner
from coterie.learners.linking.sgd import SGD, drawn_start
from coterie.partition import PartitionLike, as_partition


class LatentLeftLinking(OnlineLearner):
    """Learn the probability that an item links to each item on its left.

    Item i links to j < i with a probability proportional to exp(w·φ(i, j)/γ), or starts a cluster
    with one proportional to 1; links are latent, clusters are given. Learning minimises λ/2 ‖w‖² +
    the mean over items of γ log Σ_j exp((w·φ(i, j) + δ(i, j))/γ) over all links, less the same over
    the right ones without δ, which is 1 for wrong links (Samdani, Chang & Roth 2014, eq. 7). γ = 1
    without δ is a hidden conditional random field, γ = 0 a latent structural SVM over the best
    links alone. Prediction is the greedy rule `LeftLink` with the same γ, which is online: see
    `coterie.stream`.

    SGD learns from all items alike (eq. 8), CCCP from all item sets alike (eq. 7).

    Parameters
    ----------
    gamma
        Temperature γ, from 0 (only the best link counts) to 1 (many weak links count together).
    lam
        Weight λ of the regulariser.
    n_passes
        How many times SGD goes over the items; CCCP has limits of its own.
    solver
        `SGD`, or `CCCP`, which takes many times longer and never lets the objective rise.
    featurizer
        Computes the features of pairs. None takes those of the item sets (of pairs, or products of
        item vectors), and a constant, without which no cluster would ever be started rightly.
    blocker
        Says which pairs are looked at; None stands for all.
    random_state
        Seed of the first weights, where the solver draws them.

    Attributes
    ----------
    similarity_, coef_
        The learned similarity of pairs, and its weights.
    history_
        One named tuple a pass of SGD or an iteration of CCCP, with its `objective`.

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

        At γ = 0 one partition has probability 1, all others have 0. A partition that no links
        between pairs that are looked at can make has probability 0.
        """
        check_is_fitted(self, "similarity_")
        truth = as_partition(partition, len(as_item_set(item_set)))
        links, candidates = self._links(item_set)
        item = candidates.items
        right = truth.labels[candidates.lefts] == truth.labels[item]
        firsts = np.unique(truth.labels, return_index=True)[1]
        if not self._trained_gamma:
            shares, new = self._shares(links, candidates)
            chosen = np.bincount(item[right], shares[right], minlength=len(truth))
            chosen[firsts] = new[firsts]
            return 0.0 if np.all(chosen) else -np.inf
        # Logarithms of measures, for a measure itself may be too small for a float.
        top = np.zeros(len(truth))
        np.maximum.at(top, item, links)
        with np.errstate(over="ignore"):
            measures = (links - top[item]) / self._trained_gamma
            every, correct = -top / self._trained_gamma, np.full(len(truth), -np.inf)
        correct[firsts] = every[firsts]
        np.logaddexp.at(every, item, measures)
        np.logaddexp.at(correct, item[right], measures[right])
        return float(np.sum(correct - every))

    def link_probabilities(self, item_set: Any) -> Floats:
        """Return the probability of each link (eq. 2): row i has those of item i.

        Column 0 is that of a new cluster, column j + 1 that of a link to item j.
        """
        check_is_fitted(self, "similarity_")
        links, candidates = self._links(item_set)
        shares, new = self._shares(links, candidates)
        found = np.zeros((len(new), len(new) + 1))
        found[:, 0] = new
        found[candidates.items, candidates.lefts + 1] = shares
        return found

    @property
    def _clusterer(self) -> Clusterer:
        return LeftLink(self.gamma)

    def _fit(self, examples: Examples) -> None:
        if isinstance(self.solver, CCCP):
            warn_of_end(self._minimise(examples, self.solver))
        else:
            super()._fit(examples)

    def _minimise(self, examples: Examples, solver: CCCP) -> LatentOptimum:
        self._refuse_bad_numbers()
        featurizer, sets = self._begin(examples)
        risk = LinearLinkRisk(sets, self.gamma)
        start = drawn_start(solver, risk.n_columns, self.random_state)
        optimum = solver.minimise(risk, self.lam, start)
        self._keep(featurizer, optimum.coef, optimum.history)
        return optimum

    @property
    def _trained_gamma(self) -> float:
        assert isinstance(self._trained, LeftLink)  # noqa: S101 — by `_clusterer`
        return float(self._trained.gamma)

    def _refuse_bad_numbers(self) -> None:
        super()._refuse_bad_numbers()
        as_real("gamma", self.gamma)

    def _descend(
        self, link_set: LinkSet, first: int, rate: float, weights: Weights, scratch: Scratch
    ) -> float:
        rows, labels = link_set.rows, link_set.labels
        gamma, lam = float(self.gamma), float(self.lam)
        lost: float = left_link_pass(rows, labels, first, gamma, rate, lam, weights, scratch)
        return lost

    def _links(self, item_set: Any) -> tuple[Floats, Candidates]:
        """Score the candidates of each item."""
        scores = self.to_model().scores(item_set)
        candidates = Candidates.of(scores.n_items, scores.listed)
        return read_only(scores.scores[candidates.order]), candidates

    def _shares(self, links: Floats, candidates: Candidates) -> tuple[Floats, Floats]:
        """Return the probability of each link, and of a new cluster for each item."""
        shares, new = np.empty(len(links)), np.empty(len(candidates.starts) - 1)
        link_shares(candidates.starts, links, self._trained_gamma, shares, new)
        return shares, new


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
        return self._mean(sum_augmented_soft_max, coef)

    def best(self, coef: Floats) -> tuple[float, Floats]:
        """Return the part of the right links and its gradient, with weights p′."""
        return self._mean(sum_correct_soft_max, coef)

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
