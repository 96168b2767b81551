"""Latent spanning forests: clusters are what a few links connect."""

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
from coterie.learners.linking.cccp import CCCP, LatentStep, warn_of_end
from coterie.learners.linking.link_sets import refuse_wrong_row_count
from coterie.learners.linking.sgd import drawn_start
from coterie.losses import LinkLoss
from coterie.objectives import Forest
from coterie.pairs import PairScores, all_pairs, count_pairs
from coterie.partition import Partition
from coterie.similarities import LinearSimilarity

FOREST = Forest()
LINK_LOSS = LinkLoss(FOREST)
CONCAVE_CONVEX = CCCP()


class SpanningForestLearner(Learner):
    """Learn the similarity whose positive links connect the given clusters, and no others.

    The latent structural SVM of Yu & Joachims 2009, section 4.1: minimises ½‖w‖² + (C/n) Σᵢ ξᵢ,
    ξᵢ = max_h (w·Ψ(xᵢ, h) + Δ(yᵢ, h)) − max_{h spans yᵢ} w·Ψ(xᵢ, h), where a forest h of links has
    the sum of their features as Ψ. Nobody says which links hold a true cluster together: the best
    tree of each is used, whatever the signs of its links, and chosen anew as w is learned. The
    search for the worst forest is exact, and so is the prediction.

    The loss Δ = n − k − Σ (+1 for a right link, −1 for a wrong one) counts links and is no share of
    them, as in the paper: it is below 2 n for n items, so that large item sets weigh more than
    small ones, and a C for small sets is much for large ones.

    Parameters
    ----------
    C
        The weight of the training loss against ½‖w‖²; 0.1 to 100 by powers of ten is the range to
        search.
    solver
        `CCCP`, the concave-convex procedure.
    featurizer
        Computes the features of pairs. None takes those of the item sets (of pairs, or products of
        item vectors), and a constant.
    blocker
        Says which pairs are looked at; None stands for all. Others are never links.
    random_state
        Seed of the first weights, if the solver draws them.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs.
    coef_
        Its weights, one a feature.
    objective_
        The objective reached: that of a local minimum, if `converged_`.
    converged_
        Whether the solver found no more to gain.
    history_
        One `LatentStep` an iteration of the solver.

    Examples
    --------
    Neighbours in a chain are 1 apart; its ends are as far apart as two chains:

    >>> from itertools import combinations
    >>> from coterie.items import ItemSet
    >>> def chains(*places):
    ...     distances = [[abs(a - b)] for a, b in combinations(places, 2)]
    ...     return ItemSet.from_pair_features(distances, len(places))
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
            raise InputError(f"solver is of type {type(self.solver).__name__}; give CCCP()")
        featurizer = self._featurizer.fit(examples.item_sets)
        risk = ForestRisk(self._forests(examples, featurizer))
        start = drawn_start(self.solver, risk.n_columns, self.random_state)
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
        warn_of_end(optimum)

    def _forests(self, examples: Examples, featurizer: Featurizer) -> list["Forests"]:
        forests = []
        for number, (item_set, truth) in enumerate(zip(*examples, strict=True)):
            with located(f"item set {number}"):
                pairs = self._blocker(item_set)
                features = featurizer(item_set, pairs)
                refuse_wrong_row_count(features, count_pairs(len(item_set), pairs))
                forests.append(Forests(features, pairs, truth))
        return forests

    @property
    def _predictor(self) -> Clusterer:
        return SpanningForest()


@dataclass(eq=False)
class Forests:
    """The forests of links over one item set, of which some connect its true clusters."""

    features: Features
    pairs: Pairs | None
    truth: Partition

    def worst(self, coef: Floats) -> tuple[float, Floats]:
        """Find the forest of the highest score and loss; return both added, and its features."""
        base, costs = self._linear_loss
        scores = self.features @ coef + costs
        weights = np.zeros(len(scores))
        # Kruskal's algorithm stops at 0; what has a higher score decides which links are cycles.
        above = np.flatnonzero(scores > 0)
        links = PairScores(len(self.truth), self._listed[above], scores[above])
        weights[above] = FOREST.weights(self._together, links)
        return base + float(scores @ weights), self.features.T @ weights

    def best(self, coef: Floats) -> tuple[float, Floats]:
        """Find the best trees that span the true clusters; return their score and features."""
        scores = PairScores(len(self.truth), self.pairs, self.features @ coef)
        weights = FOREST.weights(self.truth, scores)
        return float(scores.scores @ weights), self.features.T @ weights

    @cached_property
    def _linear_loss(self) -> tuple[float, Floats]:
        return LINK_LOSS.linearize(self.truth, self.pairs)

    @cached_property
    def _listed(self) -> Pairs:
        return all_pairs(len(self.truth)) if self.pairs is None else self.pairs

    @cached_property
    def _together(self) -> Partition:
        return Partition(np.zeros(len(self.truth), dtype=np.intp))


class ForestRisk:
    """The mean slack of item sets: that of their worst forests above their best true ones."""

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
