"""A linear SVM of pairs that never builds their feature matrix, for many features."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats, Pairs
from coterie._types import Blocker, Clusterer, Features, Featurizer
from coterie.clusterers import Greedy
from coterie.exceptions import located
from coterie.learners.base import Examples
from coterie.learners.extremes import refuse_extreme_features
from coterie.learners.structural.cutting_planes import OneSlack
from coterie.learners.structural.problem import Cut, Problem, are_kernels
from coterie.learners.structural.solvers import Solver, SolverRun
from coterie.learners.structural.svm import StructuralSVM, refuse_bad_solver
from coterie.losses import PairLoss
from coterie.partition import Partition

GREEDY, ONE_SLACK = Greedy(), OneSlack()


@dataclass(eq=False)
class PairExample:
    """The pairs of an item set, each to be classified with a margin of 1."""

    features: Features
    pairs: Pairs | None
    truth: Partition

    def __call__(self, coef: Floats) -> Cut:
        """Return the most violated cut, which has all pairs within the margin; this is exact."""
        violated = self._signs * (self.features @ coef) < 1.0
        weights = np.where(violated, self._percent * self._signs, 0.0)
        cut = Cut(self.features.T @ weights, self._percent * float(violated.sum()))
        return cut._replace(bound=cut.violation(coef))

    @cached_property
    def has_kernels(self) -> bool:
        """Return whether each feature is certain to be a kernel over the items."""
        return are_kernels(self.features, self.pairs, len(self.truth))

    @cached_property
    def _signs(self) -> Floats:
        return np.where(self.truth.together(self.pairs), 1.0, -1.0)

    @property
    def _percent(self) -> float:
        """The percentage of all pairs that one pair is."""
        return 100.0 / max(len(self._signs), 1)


class PairSVM(StructuralSVM):
    """Train a linear SVM to classify pairs as together or apart, and cluster by its scores.

    The method Pair of Finley & Joachims 2008, section 6.2, for features that are too many to write
    out, such as the products of the words of pages. It minimises ½‖w‖² + (C/n) Σᵢ ξᵢ, where ξᵢ is
    100 times the mean hinge loss max(0, 1 − (±1) w·ψ) of the pairs of item set i. The problem is
    that of `SVMCluster`, except that the labels of the pairs need not form a partition, and the
    same solvers solve it (Joachims 2006, Training Linear SVMs in Linear Time).
    `PairwiseClustering` takes any classifier, but builds the matrix of all pairs for it.

    Parameters
    ----------
    C
        The weight of the training loss against ½‖w‖².
    clusterer
        Partitions the items by the scores of the pairs; any clusterer.
    solver
        `OneSlack`, `NSlack` or `FrankWolfe`.
    featurizer
        Computes the features of pairs. None means the pair features of the item sets, or products
        of their item vectors, and a constant.
    blocker
        Chooses the candidate pairs; None means all pairs.
    random_state
        The seed of the solver's random numbers.

    Attributes
    ----------
    similarity_, coef_, primal_, dual_, gap_, certified_, n_oracle_calls_, history_
        As in `StructuralSVM`.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> train, test = make_item_sets(random_state=0), make_item_sets(random_state=1)
    >>> round(PairSVM(C=10).fit(*train).score(*test), 2)
    0.61
    """

    _prediction_params = ("clusterer",)

    def __init__(
        self,
        C: float = 1.0,
        clusterer: Clusterer = GREEDY,
        solver: Solver = ONE_SLACK,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            clusterer, PairLoss(), C, solver, featurizer, blocker, random_state=random_state
        )

    @property
    def _predictor(self) -> Clusterer:
        return self.clusterer

    def _start(self, examples: Examples) -> tuple[Featurizer, SolverRun]:
        refuse_bad_solver(self.solver)
        random_state = as_whole("random_state", self.random_state)
        featurizer = self._featurizer.fit(examples.item_sets)
        oracles = []
        for index, (item_set, truth) in enumerate(zip(*examples, strict=True)):
            with located(f"item set {index}"):
                pairs = self._blocker(item_set)
                features = featurizer(item_set, pairs)
                refuse_extreme_features(features, featurizer.names)
                oracles.append(PairExample(features, pairs, truth))
        problem = Problem(oracles, oracles[0].features.shape[1])
        return featurizer, self.solver.start(problem, random_state)
