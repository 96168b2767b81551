"""A linear SVM of pairs that never writes them out: the common baseline for features at scale."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats, Pairs
from coterie._types import Blocker, Clusterer, Features, Featurizer
from coterie.clusterers import Greedy
from coterie.exceptions import located
from coterie.learners.base import Examples
from coterie.learners.structural.cutting_planes import OneSlack
from coterie.learners.structural.problem import Cut, Problem, are_kernels
from coterie.learners.structural.solvers import Solver, SolverRun
from coterie.learners.structural.svm import StructuralSVM, refuse_bad_solver
from coterie.losses import PairLoss
from coterie.partition import Partition

GREEDY, ONE_SLACK = Greedy(), OneSlack()


@dataclass(eq=False)
class PairExample:
    """The pairs of an item set, each to be told together or apart by a margin of 1."""

    features: Features
    pairs: Pairs | None
    truth: Partition

    def __call__(self, coef: Floats) -> Cut:
        """Find the pairs that fail by most: all within the margin, which is exact."""
        failing = self._sides * (self.features @ coef) < 1.0
        weights = np.where(failing, self._share * self._sides, 0.0)
        cut = Cut(self.features.T @ weights, self._share * float(failing.sum()))
        return cut._replace(bound=cut.violation(coef))

    @cached_property
    def has_kernels(self) -> bool:
        """Whether each feature is certain to be a kernel over the items."""
        return are_kernels(self.features, self.pairs, len(self.truth))

    @cached_property
    def _sides(self) -> Floats:
        return np.where(self.truth.together(self.pairs), 1.0, -1.0)

    @property
    def _share(self) -> float:
        return 100.0 / max(len(self._sides), 1)


class PairSVM(StructuralSVM):
    """Train a linear SVM to tell pairs that are together, and cluster by what it says of pairs.

    Pair of Finley & Joachims 2008, section 6.2, for features that are too many to write out, such
    as the products of the words of pages. Minimises ½‖w‖² + (C/n) Σᵢ ξᵢ, where ξᵢ is the hinge loss
    max(0, 1 − (±1) w·ψ) of the pairs of item set i, in percent of them: 100 times its mean. It is
    the problem of `SVMCluster` without the demand that what is told of the pairs is a partition,
    and is solved in the same way (Joachims 2006, Training Linear SVMs in Linear Time).
    `PairwiseClustering` takes any classifier, but hands it all pairs as a matrix.

    Parameters
    ----------
    C
        The weight of the training loss against ½‖w‖².
    clusterer
        Partitions the items by the scores: any clusterer.
    solver
        `OneSlack`, `NSlack` or `FrankWolfe`.
    featurizer
        Computes the features of pairs. None takes those of the item sets (of pairs, or products of
        item vectors), and a constant.
    blocker
        Says which pairs are looked at; None stands for all.
    random_state
        Seed of what the solver draws.

    Attributes
    ----------
    similarity_, coef_, primal_, dual_, gap_, certified_, n_oracle_calls_, history_
        As of `StructuralSVM`.

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
        for number, (item_set, truth) in enumerate(zip(*examples, strict=True)):
            with located(f"item set {number}"):
                pairs = self._blocker(item_set)
                oracles.append(PairExample(featurizer(item_set, pairs), pairs, truth))
        problem = Problem(oracles, oracles[0].features.shape[1])
        return featurizer, self.solver.start(problem, random_state)
