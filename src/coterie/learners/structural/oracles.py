"""The search for the worst partition of an item set: what a structural SVM asks of a clusterer."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from coterie._core.arguments import as_real, refuse_class
from coterie._core.arrays import Floats, Pairs
from coterie._types import Clusterer, Features, LinearLoss, Loss, Objective, SolutionLike
from coterie.clusterers.family import clusterer_names
from coterie.exceptions import InputError
from coterie.learners.structural.problem import Cut, are_kernels
from coterie.objectives import Correlation, KMeans
from coterie.pairs import PairScores
from coterie.partition import Partition


@dataclass(eq=False)
class Example:
    """An item set with its truth, and the search for what most violates it.

    `weights` of a partition times `features` is its joint feature map Ψ, scaled by the objective's
    scale for so many items.
    """

    features: Features
    pairs: Pairs | None
    truth: Partition
    n_clusters: int | None
    clusterer: Clusterer
    loss: Loss
    augment: bool

    def __call__(self, coef: Floats) -> Cut:
        """Find the worst partition: `loss + coef·Ψ(worst) − coef·Ψ(truth)` is highest."""
        scores = self._scores(coef)
        solution = self._solve(scores)
        cut = Cut(self._gradient(solution), self._loss_of(solution), self._bound(scores, solution))
        # The truth violates nothing, which a search that is not exact may fail to see.
        return (
            cut if cut.violation(coef) > 0 else cut._replace(gradient=np.zeros_like(coef), loss=0.0)
        )

    @cached_property
    def has_kernels(self) -> bool:
        """Whether each feature is certain to be a kernel over the items."""
        return are_kernels(self.features, self.pairs, len(self.truth))

    @property
    def objective(self) -> Objective:
        """What the clusterer maximises."""
        objective = self.clusterer.objective
        assert objective is not None  # noqa: S101 — refused before
        return objective

    @cached_property
    def _scale(self) -> float:
        return self.objective.scale(len(self.truth))

    @cached_property
    def _has_diagonal(self) -> bool:
        return isinstance(self.objective, KMeans)

    @cached_property
    def _costs(self) -> tuple[float, Floats, Floats | None] | None:
        """Base, costs and diagonal costs of a loss that is linear in the objective's weights."""
        if not fits(self.loss, self.objective):
            return None
        if hasattr(self.loss, "linearize_relaxed"):
            found: tuple[float, Floats, Floats] = self.loss.linearize_relaxed(
                self.truth, self.pairs
            )
            return found
        assert isinstance(self.loss, LinearLoss)  # noqa: S101 — it fits
        return (*self.loss.linearize(self.truth, self.pairs), None)

    @cached_property
    def _true_weights(self) -> tuple[Floats, Floats | None]:
        known = PairScores(len(self.truth), self.pairs, np.zeros(self.features.shape[0]))
        own = self.objective.self_weights(self.truth, known) if self._has_diagonal else None
        return self.objective.weights(self.truth, known), own

    def _scores(self, coef: Floats) -> PairScores:
        scores = self._scale * (self.features @ coef)
        own = self._scale * (self.features.diagonal @ coef) if self._has_diagonal else None
        return PairScores(len(self.truth), self.pairs, scores, own, self.n_clusters)

    def _solve(self, scores: PairScores) -> SolutionLike:
        if not self.augment:
            return self.clusterer.solve(scores)
        if self._costs is None:
            searcher: Any = self.clusterer
            found: SolutionLike = searcher.augmented(scores, self.loss, self.truth)
            return found
        _, costs, diagonal = self._costs
        return self.clusterer.solve(scores.plus(costs, diagonal))

    def _gradient(self, solution: SolutionLike) -> Floats:
        weights, own = self._true_weights
        gradient = self.features.T @ (weights - solution.weights)
        if own is not None:
            gradient = gradient + self.features.diagonal.T @ (own - solution.self_weights)
        return self._scale * gradient

    def _loss_of(self, solution: SolutionLike) -> float:
        if self._costs is None:
            return self._lost(solution.partition)
        base, costs, diagonal = self._costs
        loss = base + costs @ solution.weights
        return float(loss if diagonal is None else loss + diagonal @ solution.self_weights)

    def try_loss(self) -> None:
        """Call a loss that is a plain function once, so that it fails before any work."""
        if self._costs is None:
            self._lost(Partition(np.arange(len(self.truth))))

    def _lost(self, predicted: Partition) -> float:
        try:
            value = self.loss(self.truth, predicted)
        except TypeError as error:
            raise InputError(
                f"the loss {_named(self.loss)} cannot be called with two partitions: {error}"
            ) from error
        return as_real(f"the loss {_named(self.loss)} of the truth and a partition", value)

    def _bound(self, scores: PairScores, solution: SolutionLike) -> float | None:
        """Bound what any partition violates, if the search proves that nothing is worse."""
        proved = solution.status == "exact" or solution.relaxed is not None
        if self._costs is None or not self.augment or not proved:
            return None
        weights, own = self._true_weights
        true_score = weights @ scores.scores
        if own is not None and scores.diagonal is not None:
            true_score += own @ scores.diagonal
        return float(self._costs[0] + solution.bound - true_score)


def fits(loss: Loss, objective: Objective) -> bool:
    """Tell whether a loss is linear in the weights of an objective."""
    return isinstance(loss, LinearLoss) and type(loss.objective) is type(objective)


def refuse_incompatible(clusterer: Clusterer, loss: Loss, augment: bool) -> None:
    """Refuse clusterers that cannot be trained, and losses that they cannot search with."""
    refuse_class("clusterer", clusterer)
    refuse_class("loss", loss)
    _refuse_clusterer(clusterer)
    if not callable(loss):
        raise InputError(
            f"loss is of type {type(loss).__name__}; give one such as PairLoss(), or a function of "
            "two partitions"
        )
    objective = clusterer.objective
    assert objective is not None  # noqa: S101 — refused above
    if fits(loss, objective):
        return
    name, kind = type(clusterer).__name__, type(objective).__name__
    fitting = "PairLoss()" if isinstance(objective, Correlation) else "TraceLoss()"
    if getattr(clusterer, "relaxed", False):
        raise InputError(
            f"{name} is trained on relaxed partitions, whose loss must be linear in the weights of "
            f"{kind}, and {_named(loss)} is not; use {fitting}"
        )
    if augment and (isinstance(loss, LinearLoss) or not hasattr(clusterer, "augmented")):
        raise InputError(
            f"{name} maximises {kind}, and cannot search with {_named(loss)} inside, which is not "
            f"linear in its weights; use {fitting}, or augment=False, or the clusterer Greedy"
        )


def _refuse_clusterer(clusterer: Clusterer) -> None:
    name = type(clusterer).__name__
    if not hasattr(clusterer, "solve"):
        raise InputError(f"clusterer is of type {name}; give one such as clusterers.Greedy()")
    if not isinstance(clusterer.objective, Correlation | KMeans):
        names = clusterer_names(lambda member: member.maximises in (Correlation, KMeans))
        raise InputError(
            f"{name} cannot be trained by a structural SVM, because it maximises neither the "
            f"correlation nor the k-means objective; use {names}, or PairwiseClustering, which "
            "takes any clusterer"
        )


def _named(loss: Loss) -> str:
    return getattr(loss, "__name__", type(loss).__name__)
