"""The structural SVMs of two papers, with their clusterers and losses."""

from collections.abc import Mapping
from typing import TypeVar

from coterie._types import Blocker, Clusterer, Featurizer, Loss
from coterie.clusterers import (
    DiscreteSpectral,
    Exact,
    KernelKMeans,
    LocalSearch,
    Relaxation,
    Spectral,
)
from coterie.exceptions import InputError
from coterie.learners.base import Examples
from coterie.learners.structural.solvers import Solver, SolverRun
from coterie.learners.structural.svm import GREEDY, ONE_SLACK, StructuralSVM
from coterie.losses import MitreLoss, PairLoss, TraceLoss
from coterie.objectives import Correlation

Component = TypeVar("Component")

ITERATIVE = KernelKMeans()
PAIR_LOSS = PairLoss()

CORRELATION: Mapping[str, Clusterer] = {
    "exact": Exact(),
    "greedy": GREEDY,
    "local search": LocalSearch(),
    "relaxation": Relaxation(),
}
K_MEANS: Mapping[str, Clusterer] = {
    "discrete": DiscreteSpectral(),
    "iterative": ITERATIVE,
    "spectral": Spectral(),
}
LOSSES: Mapping[str, Loss] = {"mitre": MitreLoss(), "pair": PAIR_LOSS}


class SVMCluster(StructuralSVM):
    """Train correlation clustering by a structural SVM.

    SVM-cluster of Finley & Joachims 2005, with Ψ(x, y) = 1/|x|² Σ φ_ab over the pairs inside
    clusters. Because of that scale, and of losses up to 100, useful values of C are large; below
    about 1e4, predictions often put every item in a cluster of its own.

    Parameters
    ----------
    C
        The weight of the training loss; search from 1e3 to 1e8 by powers of ten.
    clusterer
        Searches for the worst partition in training, and predicts: `Greedy` (the paper's C_G),
        `Relaxation` (C_R in training, C_R* in prediction), `Exact` or `LocalSearch`, or one of the
        names "greedy", "relaxation", "exact" and "local search".
    loss
        `PairLoss` (Δ_P) or "pair", `MitreLoss` (Δ_M) or "mitre", or a function of two partitions.
    solver, featurizer, blocker, augment, random_state
        As in `StructuralSVM`.

    Examples
    --------
    >>> from coterie.datasets import make_synth
    >>> sets, truths = make_synth(n_sets=4, n_clusters=3)
    >>> learner = SVMCluster().fit(sets[:3], truths[:3])
    >>> round(learner.score(sets[3:], truths[3:]), 2)
    1.0
    """

    def __init__(
        self,
        C: float = 1e5,
        clusterer: Clusterer | str = GREEDY,
        loss: Loss | str = PAIR_LOSS,
        solver: Solver = ONE_SLACK,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        augment: bool = True,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            clusterer,  # type: ignore[arg-type]
            loss,  # type: ignore[arg-type]
            C,
            solver,
            featurizer,
            blocker,
            augment,
            random_state,
        )

    @property
    def _clusterer(self) -> Clusterer:
        return _resolve("clusterer", self.clusterer, CORRELATION)

    @property
    def _loss(self) -> Loss:
        return _resolve("loss", self.loss, LOSSES)


class SupervisedKMeans(StructuralSVM):
    """Train k-means clustering by a structural SVM, with the number of clusters known.

    The method of Finley & Joachims 2008, with Ψ(x, Y) = Σᵢⱼ (YYᵀ)ᵢⱼ ψᵢⱼ over all ordered pairs,
    including the diagonal, and the trace loss. Item sets give their number of clusters; in
    training, those without one take it from the truth.

    Parameters
    ----------
    C
        The weight of the training loss.
    clusterer
        Searches for the worst partition: `KernelKMeans` ("iterative"), `Spectral` ("spectral"),
        whose partitions are relaxed, or `DiscreteSpectral` ("discrete").
    predictor
        The clusterer of predictions, with the same choices; None means `clusterer`.
    solver, featurizer, blocker, augment, random_state
        As in `StructuralSVM`, except that the default featurizer adds no constant, which has no
        effect where the number of clusters is known.

    Examples
    --------
    >>> from coterie.datasets import make_synth
    >>> sets, truths = make_synth(n_sets=3, n_clusters=3)
    >>> learner = SupervisedKMeans(predictor="discrete").fit(sets[:2], truths[:2])
    >>> learner.predict(sets[2:]) == truths[2:]
    True
    """

    _prediction_params = ("predictor",)
    _adds_constant = False

    def __init__(
        self,
        C: float = 1.0,
        clusterer: Clusterer | str = ITERATIVE,
        predictor: Clusterer | str | None = None,
        solver: Solver = ONE_SLACK,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        augment: bool = True,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            clusterer,  # type: ignore[arg-type]
            TraceLoss(),
            C,
            solver,
            featurizer,
            blocker,
            augment,
            random_state,
        )
        self.predictor = predictor

    @property
    def _clusterer(self) -> Clusterer:
        return _resolve("clusterer", self.clusterer, K_MEANS)

    @property
    def _predictor(self) -> Clusterer:
        if self.predictor is None:
            return super()._predictor
        return _resolve("predictor", self.predictor, K_MEANS)

    def _start(self, examples: Examples) -> tuple[Featurizer, SolverRun]:
        if self.predictor is not None:
            _resolve("predictor", self.predictor, K_MEANS)
        if isinstance(getattr(self._clusterer, "objective", None), Correlation):
            raise InputError(
                f"the clusterer {type(self._clusterer).__name__} cannot make a given number of "
                "clusters; use KernelKMeans, Spectral or DiscreteSpectral, or the learner "
                "SVMCluster"
            )
        return super()._start(examples)


def _resolve(parameter: str, value: Component | str, values: Mapping[str, Component]) -> Component:
    """Return the value itself, or the one that its name means."""
    if not isinstance(value, str):
        return value
    if value not in values:
        names = ", ".join(map(repr, values))
        raise InputError(f"{parameter} is {value!r}; use one of {names}, or an object of your own")
    return values[value]
