"""Structural SVMs, which train a clusterer for a given loss."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from coterie._core.arguments import as_positive, as_whole, refuse_class
from coterie._core.arrays import Floats
from coterie._types import Blocker, Clusterer, Featurizer, Loss
from coterie.clusterers import Greedy
from coterie.exceptions import InputError, PartitionError, located
from coterie.items import ItemSet
from coterie.learners.base import Examples, Learner, warn_of_interrupt
from coterie.learners.extremes import refuse_extreme_features
from coterie.learners.structural.cutting_planes import OneSlack
from coterie.learners.structural.oracles import Example, refuse_incompatible
from coterie.learners.structural.problem import Problem
from coterie.learners.structural.solvers import History, Optimum, Solver, SolverRun
from coterie.objectives import KMeans
from coterie.partition import Partition, PartitionLike
from coterie.similarities import LinearSimilarity

ONE_SLACK = OneSlack()
GREEDY = Greedy()


class StructuralSVM(Learner):
    """Learn the similarity under which a clusterer reproduces the given partitions.

    Minimises ½‖w‖² + (C/n) Σ ξᵢ such that the truth yᵢ of item set i scores higher than every other
    partition y, by a margin of that partition's loss: w·Ψ(xᵢ, yᵢ) ≥ w·Ψ(xᵢ, y) + Δ(yᵢ, y) − ξᵢ
    (Finley & Joachims 2005 and 2008). Ψ is the sum of the features of pairs, weighted as in the
    clusterer's objective. The clusterer searches for the partition that violates this most;
    `Relaxation` and `Spectral` find a relaxed one, which enters the constraint unrounded.

    Parameters
    ----------
    clusterer
        Searches for the worst partition in training, and predicts; its objective must be that of
        correlation clustering or of k-means.
    loss
        The training loss: `PairLoss` or `MitreLoss` for correlation clustering, `TraceLoss` for
        k-means, or a function of two partitions (with `Greedy`, or with `augment=False`).
    C
        The weight of the training loss against ½‖w‖².
    solver
        `OneSlack`, `NSlack` or `FrankWolfe`.
    featurizer
        Computes the features of pairs. None means the pair features of the item sets, or products
        of their item vectors, and a constant.
    blocker
        Chooses the candidate pairs; None means all pairs.
    augment
        Whether the search for the worst partition includes the loss; if not, the loss still
        enters the constraint (Finley & Joachims 2005, section 7.3).
    random_state
        The seed of the solver's random numbers.

    Attributes
    ----------
    similarity_
        The learned similarity of pairs.
    coef_
        Its weights, one per feature.
    primal_, dual_, gap_
        The objective reached, a lower bound on the optimum, and their difference.
    certified_
        Whether the search proves that `primal_` is an upper bound on the optimum, as only `Exact`,
        `Relaxation` and `Spectral` do. Other searches may have missed partitions that violate more.
    n_oracle_calls_
        The number of searches for a worst partition by the clusterer, without the greedy searches
        that replace some of them.
    kernel_certified_
        Whether the scores of the training sets are certain to be positive semidefinite matrices.
        They are with a `nonnegative` solver and features that are kernels, such as products of item
        vectors (Finley & Joachims 2008, section 3.1); the constant feature is not a kernel.
    history_
        One `Step` per iteration; `history_.plot()` draws them.

    Examples
    --------
    >>> from coterie.clusterers import Greedy
    >>> from coterie.losses import PairLoss
    >>> sets = [[[-2.0], [-3.0], [2.5]], [[-1.0], [1.0], [2.0], [3.0]]]
    >>> learner = StructuralSVM(Greedy(), PairLoss(), C=1e3).fit(sets, [[0, 0, 1], [0, 1, 1, 1]])
    >>> learner.predict([[[1.0], [-2.0], [-2.5], [1.5]]])
    [Partition([0, 1, 1, 0])]
    """

    coef_: Floats
    history_: History
    _path_param = "C"

    def __init__(
        self,
        clusterer: Clusterer,
        loss: Loss,
        C: float = 1.0,
        solver: Solver = ONE_SLACK,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        augment: bool = True,
        random_state: int = 0,
    ) -> None:
        self.clusterer = clusterer
        self.loss = loss
        self.C = C
        self.solver = solver
        self.featurizer = featurizer
        self.blocker = blocker
        self.augment = augment
        self.random_state = random_state

    def fit_path(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        Cs: Sequence[float],
    ) -> list[Self]:
        """Fit once for each C in ascending order, each time starting from the last solution.

        Returns fitted copies of this learner in the order of `Cs`; the learner itself stays
        unfitted. An interrupt (Ctrl-C) leaves the copies for larger C unfitted, with a warning.
        """
        examples = self._examples(item_sets, partitions)
        path = [as_positive("C", C) for C in _as_list(Cs)]
        featurizer, run = self._start(examples)
        fitted: list[Self] = [clone(self).set_params(C=C) for C in path]
        for index in sorted(range(len(path)), key=lambda index: path[index]):
            optimum = run.solve(path[index])
            fitted[index]._set_result(optimum, featurizer, run.problem)  # noqa: SLF001
            if optimum.interrupted:
                break
        return fitted

    def _fit(self, examples: Examples) -> None:
        C = as_positive("C", self.C)
        featurizer, run = self._start(examples)
        self._set_result(run.solve(C), featurizer, run.problem)

    @property
    def _clusterer(self) -> Clusterer:
        return self.clusterer

    @property
    def _predictor(self) -> Clusterer:
        return self._trained

    @property
    def _loss(self) -> Loss:
        return self.loss

    @property
    def _is_costly(self) -> bool:
        """Return whether greedy search is much cheaper than the clusterer, with valid cuts."""
        return self.augment and getattr(self._clusterer, "costly", False)

    def _start(self, examples: Examples) -> tuple[Featurizer, SolverRun]:
        refuse_incompatible(self._clusterer, self._loss, self.augment)
        refuse_bad_solver(self.solver)
        random_state = as_whole("random_state", self.random_state)
        featurizer = self._featurizer.fit(examples.item_sets)
        oracles = []
        for index in range(len(examples.truths)):
            with located(f"item set {index}"):
                oracles.append(self._example(examples, index, featurizer))
                oracles[-1].try_loss()
        cheap_oracles = [replace(oracle, clusterer=GREEDY) for oracle in oracles if self._is_costly]
        problem = Problem(oracles, oracles[0].features.shape[1], cheap_oracles)
        return featurizer, self.solver.start(problem, random_state)

    def _example(self, examples: Examples, index: int, featurizer: Featurizer) -> Example:
        item_set, truth = examples.item_sets[index], examples.truths[index]
        pairs = self._blocker(item_set)
        features = featurizer(item_set, pairs)
        refuse_extreme_features(features, featurizer.names)
        clusterer = self._clusterer
        n_clusters = None
        if isinstance(clusterer.objective, KMeans):
            n_clusters = _n_clusters(item_set, clusterer, truth)
        if hasattr(clusterer, "warm"):
            clusterer = clusterer.warm()
        return Example(features, pairs, truth, n_clusters, clusterer, self._loss, self.augment)

    def _set_result(self, optimum: Optimum, featurizer: Featurizer, problem: Problem) -> None:
        self._trained = self._clusterer
        self._finish()
        self.similarity_ = LinearSimilarity(featurizer, optimum.coef)
        self.coef_ = self.similarity_.coef
        self.primal_, self.dual_ = optimum.primal, optimum.dual
        self.gap_ = optimum.primal - optimum.dual
        self.certified_ = optimum.certified
        self.kernel_certified_ = getattr(self.solver, "nonnegative", False) and all(
            getattr(oracle, "has_kernels", False) for oracle in problem.oracles
        )
        self.history_ = optimum.history
        self.n_oracle_calls_ = optimum.history[-1].n_oracle_calls if optimum.history else 0
        if optimum.interrupted:
            warn_of_interrupt(stacklevel=4)
        elif not optimum.converged:
            warnings.warn(
                "the solver reached max_iter before it converged: the duality gap is "
                f"{self.gap_:.3g}, the objective {self.primal_:.3g}; raise max_iter or tol of the "
                "solver, lower C, or scale the features with Scaled(featurizer)",
                ConvergenceWarning,
                stacklevel=4,
            )


def refuse_bad_solver(solver: Solver) -> None:
    """Raise `InputError` if the value is not a solver of structural SVMs."""
    refuse_class("solver", solver)
    if not callable(getattr(solver, "start", None)):
        raise InputError(
            f"solver is of type {type(solver).__name__}; use OneSlack(), NSlack() or FrankWolfe()"
        )


def _n_clusters(item_set: ItemSet, clusterer: Clusterer, truth: Partition) -> int:
    """Return the truth's number of clusters; refuse any other from the set or the clusterer."""
    for n_clusters in (item_set.n_clusters, getattr(clusterer, "n_clusters", None)):
        if n_clusters not in (None, truth.n_clusters):
            raise PartitionError(
                f"n_clusters is {n_clusters}, but the truth has {truth.n_clusters} clusters; use "
                "the number of true clusters as n_clusters of the item set"
            )
    return truth.n_clusters


def _as_list(Cs: Any) -> list[float]:
    if isinstance(Cs, str) or not isinstance(Cs, Iterable):
        raise InputError(f"Cs is {Cs!r}; use a list of positive numbers")
    return list(Cs)
