"""The search for the worst partition of an item set, which a clusterer does for a learner."""

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
    """An item set with its truth, and the search for the partition that most violates the margin.

    The joint feature map Ψ of a partition is its pair weights times `features`, scaled by the
    objective's scale for the number of items.
    """

    features: Features
    pairs: Pairs | None
    truth: Partition
    n_clusters: int | None
    clusterer: Clusterer
    loss: Loss
    augment: bool

    def __call__(self, coef: Floats) -> Cut:
        """Find the partition of the highest `loss + coef·Ψ(partition) − coef·Ψ(truth)`."""
        scores = self._scores(coef)
        solution = self._solve(scores)
        cut = Cut(self._gradient(solution), self._loss_of(solution), self._bound(scores, solution))
        # The truth has violation 0, so an inexact search that finds less is overruled.
        return (
            cut if cut.violation(coef) > 0 else cut._replace(gradient=np.zeros_like(coef), loss=0.0)
        )

    @cached_property
    def has_kernels(self) -> bool:
        """Return whether each feature is certain to be a kernel over the items."""
        return are_kernels(self.features, self.pairs, len(self.truth))

    @property
    def objective(self) -> Objective:
        """The objective that the clusterer maximises."""
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
        """Base, costs and diagonal costs if the loss is linear in the objective's weights."""
        if not is_linear_in(self.loss, self.objective):
            return None
        if hasattr(self.loss, "linearize_relaxed"):
            costs: tuple[float, Floats, Floats] = self.loss.linearize_relaxed(
                self.truth, self.pairs
            )
            return costs
        assert isinstance(self.loss, LinearLoss)  # noqa: S101 — it is linear
        return (*self.loss.linearize(self.truth, self.pairs), None)

    @cached_property
    def _true_weights(self) -> tuple[Floats, Floats | None]:
        # These objectives' weights of a partition depend on its pairs only, not on their scores.
        scores = PairScores(len(self.truth), self.pairs, np.zeros(self.features.shape[0]))
        diagonal = self.objective.self_weights(self.truth, scores) if self._has_diagonal else None
        return self.objective.weights(self.truth, scores), diagonal

    def _scores(self, coef: Floats) -> PairScores:
        scores = self._scale * (self.features @ coef)
        diagonal = self._scale * (self.features.diagonal @ coef) if self._has_diagonal else None
        return PairScores(len(self.truth), self.pairs, scores, diagonal, self.n_clusters)

    def _solve(self, scores: PairScores) -> SolutionLike:
        if not self.augment:
            return self.clusterer.solve(scores)
        if self._costs is None:
            searcher: Any = self.clusterer
            solution: SolutionLike = searcher.augmented(scores, self.loss, self.truth)
            return solution
        _, costs, diagonal = self._costs
        return self.clusterer.solve(scores.plus(costs, diagonal))

    def _gradient(self, solution: SolutionLike) -> Floats:
        weights, diagonal = self._true_weights
        gradient = self.features.T @ (weights - solution.weights)
        if diagonal is not None:
            gradient = gradient + self.features.diagonal.T @ (diagonal - solution.self_weights)
        return self._scale * gradient

    def _loss_of(self, solution: SolutionLike) -> float:
        if self._costs is None:
            return self._call_loss(solution.partition)
        base, costs, diagonal = self._costs
        loss = base + costs @ solution.weights
        return float(loss if diagonal is None else loss + diagonal @ solution.self_weights)

    def try_loss(self) -> None:
        """Call a non-linear loss once, so that a bad function fails before training starts."""
        if self._costs is None:
            self._call_loss(Partition(np.arange(len(self.truth))))

    def _call_loss(self, predicted: Partition) -> float:
        try:
            value = self.loss(self.truth, predicted)
        except TypeError as error:
            raise InputError(
                f"the loss {_loss_name(self.loss)} cannot be called with two partitions: "
                f"{error}; use a loss such as PairLoss(), or a function of two partitions"
            ) from error
        return as_real(f"the loss {_loss_name(self.loss)} of the truth and a partition", value)

    def _bound(self, scores: PairScores, solution: SolutionLike) -> float | None:
        """Return an upper bound on the violation of any partition, if the search proves one."""
        proved = solution.status == "exact" or solution.relaxed is not None
        if self._costs is None or not self.augment or not proved:
            return None
        weights, diagonal = self._true_weights
        true_score = weights @ scores.scores
        if diagonal is not None and scores.diagonal is not None:
            true_score += diagonal @ scores.diagonal
        return float(self._costs[0] + solution.bound - true_score)


def is_linear_in(loss: Loss, objective: Objective) -> bool:
    """Return whether a loss is linear in the weights of an objective."""
    return isinstance(loss, LinearLoss) and type(loss.objective) is type(objective)


def refuse_incompatible(clusterer: Clusterer, loss: Loss, augment: bool) -> None:
    """Refuse clusterers that cannot be trained, and losses that their search cannot include."""
    refuse_class("clusterer", clusterer)
    refuse_class("loss", loss)
    _refuse_clusterer(clusterer)
    if not callable(loss):
        raise InputError(
            f"loss is of type {type(loss).__name__}; use a loss such as PairLoss(), or a function "
            "of two partitions"
        )
    objective = clusterer.objective
    assert objective is not None  # noqa: S101 — refused above
    if is_linear_in(loss, objective):
        return
    name, kind = type(clusterer).__name__, type(objective).__name__
    suggestion = "PairLoss()" if isinstance(objective, Correlation) else "TraceLoss()"
    if getattr(clusterer, "relaxed", False):
        raise InputError(
            f"{name} cannot be trained with {_loss_name(loss)}, because it is trained on relaxed "
            f"partitions, and the loss is not linear in the weights of {kind}; use {suggestion}"
        )
    if augment and (isinstance(loss, LinearLoss) or not hasattr(clusterer, "augmented")):
        raise InputError(
            f"{name} cannot include {_loss_name(loss)} in its search: {name} maximises "
            f"{kind}, and the loss is not linear in the weights of this objective; use "
            f"{suggestion}, augment=False, or the clusterer Greedy"
        )


def _refuse_clusterer(clusterer: Clusterer) -> None:
    name = type(clusterer).__name__
    if not hasattr(clusterer, "solve"):
        raise InputError(f"clusterer is of type {name}; use a clusterer such as Greedy()")
    if not isinstance(clusterer.objective, Correlation | KMeans):
        names = clusterer_names(lambda member: member.maximises in (Correlation, KMeans))
        raise InputError(
            f"a structural SVM cannot train {name}, because {name} maximises neither the objective "
            f"of correlation clustering nor that of k-means; use {names}, or PairwiseClustering, "
            "which takes any clusterer"
        )


def _loss_name(loss: Loss) -> str:
    return getattr(loss, "__name__", type(loss).__name__)
