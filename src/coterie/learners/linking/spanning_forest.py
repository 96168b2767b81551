"""Latent spanning forests, in which links between items connect the clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coterie._core.arguments import as_positive, refuse_class
from coterie._core.arrays import Floats, Pairs
from coterie._types import Blocker, Clusterer, Features, Featurizer
from coterie.clusterers import SpanningForest
from coterie.exceptions import InputError, located
from coterie.learners.base import Examples, Learner
from coterie.learners.extremes import refuse_extreme_features
from coterie.learners.linking.cccp import CCCP, LatentStep, warn_if_unfinished
from coterie.learners.linking.link_sets import refuse_wrong_row_count
from coterie.learners.linking.sgd import draw_start
from coterie.losses import LinkLoss
from coterie.objectives import Forest
from coterie.pairs import PairScores, all_pairs, count_pairs
from coterie.partition import Partition
from coterie.similarities import LinearSimilarity

FOREST = Forest()
LINK_LOSS = LinkLoss(FOREST)
CONCAVE_CONVEX = CCCP()


class SpanningForestLearner(Learner):
    """Learn a similarity such that links of positive score connect exactly the true clusters.

    The latent structural SVM of Yu & Joachims 2009, section 4.1, minimises ½‖w‖² + (C/n) Σᵢ ξᵢ with
    ξᵢ = max_h (w·Ψ(xᵢ, h) + Δ(yᵢ, h)) − max_{h spans yᵢ} w·Ψ(xᵢ, h). Here h is a forest of links,
    and Ψ is the sum of their features. The training data do not say which links connect a true
    cluster: each cluster's best spanning tree is used, whatever the signs of its links, and chosen
    again as w changes. The search for the worst forest is exact, and so is the prediction.

    The loss Δ = n − k − Σ (+1 for a right link, −1 for a wrong one), with n items in k clusters, is
    a count of links, as in the paper. It can reach nearly 2 n, so large item sets weigh more than
    small ones, and a C that suits small sets is high for large ones.

    Parameters
    ----------
    C
        The weight of the training loss against ½‖w‖²; search from 0.1 to 100 by powers of ten.
    solver
        `CCCP`, the concave-convex procedure.
    featurizer
        Computes the features of pairs. None means the pair features of the item sets, or products
        of their item vectors, and a constant.
    blocker
        Chooses the candidate pairs, which alone may be links; None means all pairs.
    random_state
        The seed of the initial weights, if the solver draws them at random.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs.
    coef_
        Its weights, one per feature.
    objective_
        The objective reached, which is near a local minimum if `converged_`.
    converged_
        Whether the solver stopped because its last iteration gained too little.
    history_
        One `LatentStep` per iteration of the solver.

    Examples
    --------
    Neighbours in a chain are 1 apart; its ends are as far apart as two chains:

    >>> from itertools import combinations
    >>> from coterie.items import ItemSet
    >>> def chains(*positions):
    ...     distances = [[abs(a - b)] for a, b in combinations(positions, 2)]
    ...     return ItemSet.from_pair_features(distances, len(positions))
    >>> sets = [chains(0, 1, 2, 3, 6, 7), chains(1, 4, 5, 6)]
    >>> learner = SpanningForestLearner().fit(sets, [[0, 0, 0, 0, 1, 1], [0, 1, 1, 1]])
    >>> learner.predict([chains(0, 4, 1, 5, 9, 6, 10)])
    [Partition([0, 1, 0, 1, 2, 1, 2])]
    """

    coef_: Floats
    history_: list[LatentStep]

    def __init__(
        self,
        C: float = 10.0,
        solver: CCCP = CONCAVE_CONVEX,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        random_state: int = 0,
    ) -> None:
        self.C = C
        self.solver = solver
        self.featurizer = featurizer
        self.blocker = blocker
        self.random_state = random_state

    def _fit(self, examples: Examples) -> None:
        C = as_positive("C", self.C)
        refuse_class("solver", self.solver)
        if not hasattr(self.solver, "minimise"):
            raise InputError(f"solver is of type {type(self.solver).__name__}; use CCCP()")
        featurizer = self._featurizer.fit(examples.item_sets)
        risk = ForestRisk(self._forests(examples, featurizer))
        start = draw_start(self.solver, risk.n_columns, self.random_state)
        optimum = self.solver.minimise(risk, 1.0 / C, start)
        self.similarity_ = LinearSimilarity(featurizer, optimum.coef)
        self.coef_ = self.similarity_.coef
        # The solver minimises the objective divided by C.
        self.objective_ = C * optimum.objective
        self.history_ = [
            step._replace(objective=C * step.objective, gap=C * step.gap)
            for step in optimum.history
        ]
        self.converged_ = optimum.converged
        warn_if_unfinished(optimum)

    def _forests(self, examples: Examples, featurizer: Featurizer) -> list["Forests"]:
        forests = []
        for index, (item_set, truth) in enumerate(zip(*examples, strict=True)):
            with located(f"item set {index}"):
                pairs = self._blocker(item_set)
                features = featurizer(item_set, pairs)
                refuse_wrong_row_count(features, count_pairs(len(item_set), pairs))
                refuse_extreme_features(features, featurizer.names)
                forests.append(Forests(features, pairs, truth))
        return forests

    @property
    def _predictor(self) -> Clusterer:
        return SpanningForest()


@dataclass(eq=False)
class Forests:
    """The forests of links over one item set, and those among them that connect its clusters."""

    features: Features
    pairs: Pairs | None
    truth: Partition

    def worst(self, coef: Floats) -> tuple[float, Floats]:
        """Return the highest sum of score and loss of a forest, and the forest's features."""
        base, costs = self._linear_loss
        scores = self.features @ coef + costs
        weights = np.zeros(len(scores))
        # Kruskal's algorithm adds links by descending score and stops at 0: others are never used.
        positive = np.flatnonzero(scores > 0)
        links = PairScores(len(self.truth), self._candidates[positive], scores[positive])
        weights[positive] = FOREST.weights(self._one_cluster, links)
        return base + float(scores @ weights), self.features.T @ weights

    def best(self, coef: Floats) -> tuple[float, Floats]:
        """Return the score and the features of the best trees that span the true clusters."""
        scores = PairScores(len(self.truth), self.pairs, self.features @ coef)
        weights = FOREST.weights(self.truth, scores)
        return float(scores.scores @ weights), self.features.T @ weights

    @cached_property
    def _linear_loss(self) -> tuple[float, Floats]:
        return LINK_LOSS.linearize(self.truth, self.pairs)

    @cached_property
    def _candidates(self) -> Pairs:
        return all_pairs(len(self.truth)) if self.pairs is None else self.pairs

    @cached_property
    def _one_cluster(self) -> Partition:
        return Partition(np.zeros(len(self.truth), dtype=np.intp))


class ForestRisk:
    """The mean slack of item sets: the value of their worst forests minus the best true ones."""

    smooth = False

    def __init__(self, forests: Sequence[Forests]) -> None:
        self._forests = forests
        self.n_columns = forests[0].features.shape[1]

    def worst(self, coef: Floats) -> tuple[float, Floats]:
        """Return the mean value of the worst forests, and its subgradient."""
        return _mean([forests.worst(coef) for forests in self._forests])

    def best(self, coef: Floats) -> tuple[float, Floats]:
        """Return the mean value of the best true forests, and its subgradient."""
        return _mean([forests.best(coef) for forests in self._forests])


def _mean(parts: list[tuple[float, Floats]]) -> tuple[float, Floats]:
    values, gradients = zip(*parts, strict=True)
    return float(np.mean(values)), np.mean(gradients, axis=0)
