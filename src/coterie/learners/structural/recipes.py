"""The structural SVMs of two papers, by name."""

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

Value = TypeVar("Value")

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
    clusters. With that scale and losses up to 100 useful C are large; below about 1e4 everything is
    often predicted single.

    Parameters
    ----------
    C
        The weight of the training loss; 1e3 to 1e8 by powers of ten is the range to search.
    clusterer
        Searches and predicts: `Greedy` (the paper's C_G), `Relaxation` (C_R in training, C_R* in
        prediction), `Exact`, `LocalSearch`; or their names, such as "greedy".
    loss
        `PairLoss` (Δ_P), `MitreLoss` (Δ_M), "pair", "mitre", or a function of two partitions.
    solver, featurizer, blocker, augment, random_state
        As of `StructuralSVM`.

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
        return _resolved("clusterer", self.clusterer, CORRELATION)

    @property
    def _loss(self) -> Loss:
        return _resolved("loss", self.loss, LOSSES)


class SupervisedKMeans(StructuralSVM):
    """Train k-means clustering by a structural SVM, with the number of clusters known.

    Finley & Joachims 2008, with Ψ(x, Y) = Σᵢⱼ (YYᵀ)ᵢⱼ ψᵢⱼ over all ordered pairs, the diagonal
    included, and the trace loss. The number of clusters is that of the item set; in training, of
    the truth where the item set has none.

    Parameters
    ----------
    C
        The weight of the training loss.
    clusterer
        Searches for the worst partition: `KernelKMeans` ("iterative"), `Spectral` ("spectral"),
        whose partitions are relaxed, or `DiscreteSpectral` ("discrete").
    predictor
        Predicts with what was learned: one of the same; None stands for the clusterer.
    solver, featurizer, blocker, augment, random_state
        As of `StructuralSVM`; but the default featurizer adds no constant, which means nothing
        where the number of clusters is known.

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
        return _resolved("clusterer", self.clusterer, K_MEANS)

    @property
    def _predictor(self) -> Clusterer:
        if self.predictor is None:
            return super()._predictor
        return _resolved("predictor", self.predictor, K_MEANS)

    def _start(self, examples: Examples) -> tuple[Featurizer, SolverRun]:
        _resolved("predictor", self.predictor or "iterative", K_MEANS)
        if isinstance(getattr(self._clusterer, "objective", None), Correlation):
            raise InputError(
                f"{type(self._clusterer).__name__} does not make a given number of clusters; give "
                "KernelKMeans, Spectral or DiscreteSpectral, or use SVMCluster"
            )
        return super()._start(examples)


def _resolved(what: str, value: Value | str, names: Mapping[str, Value]) -> Value:
    """Take a value, or its name."""
    if not isinstance(value, str):
        return value
    if value not in names:
        known = ", ".join(map(repr, names))
        raise InputError(f"{what} is {value!r}; give one of {known}, or a value of your own")
    return names[value]
