"""The methods that are compared beyond the papers, and the settings that are tried of each."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from coterie.clusterers import AverageLinkage, Greedy, LeftLink
from coterie.features.given import GivenFeatures, Scaled, WithConstant
from coterie.learners.base import Learner
from coterie.learners.boosting.risks import LeftLinkRisk, LogisticRisk, Risk
from coterie.learners.boosting.structured import StructuredBoosting
from coterie.learners.boosting.trees import LightTrees
from coterie.learners.context import WithContext
from coterie.learners.linking.left_linking import LatentLeftLinking
from coterie.learners.linking.sgd import SGD
from coterie.learners.pairwise import scaled_logistic
from coterie.toolkit import Clusterer

LOGISTIC = "logistic regression"
L3M = "L³M"
PAIRS = "boosted pairs"
STRUCTURED = "structured boosting"
LOGISTIC_CONTEXT = f"{LOGISTIC}, with context"
PAIRS_CONTEXT = f"{PAIRS}, with context"
ALONE = (LOGISTIC, L3M, PAIRS, STRUCTURED)
CONTEXT = (LOGISTIC, PAIRS, LOGISTIC_CONTEXT, PAIRS_CONTEXT)

LAM = 1e-5


class Effort(NamedTuple):
    """The settings that are tried, and in how many folds of the training sets."""

    n_folds: int = 3
    Cs: tuple[float, ...] = (0.01, 1.0)
    gammas: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    sgd_rates: tuple[float, ...] = (0.01, 0.1)
    passes: tuple[int, ...] = (1, 5, 20)
    tree_rates: tuple[float, ...] = (0.1, 0.2)
    n_leaves: tuple[int, ...] = (31,)
    boosted_gammas: tuple[float, ...] = (0.3, 0.5)
    rounds: tuple[int, ...] = (50, 100, 200, 300)


FULL: Mapping[str, Effort] = {
    "gum": Effort(),
    "news": Effort(n_folds=4, Cs=(1.0,), tree_rates=(0.1,), n_leaves=(15,), rounds=(50, 100, 200)),
    "threads": Effort(tree_rates=(0.1,), n_leaves=(7, 15), boosted_gammas=(0.5,)),
}
QUICK = Effort(
    n_folds=2,
    Cs=(1.0,),
    gammas=(0.0, 0.4),
    sgd_rates=(0.1,),
    passes=(1, 5),
    tree_rates=(0.2,),
    n_leaves=(15,),
    boosted_gammas=(0.5,),
    rounds=(10, 30),
)


def effort_of(table: str, quick: bool) -> Effort:
    """Return what is tried for a table."""
    return QUICK if quick else FULL[table]


class Setting(NamedTuple):
    """A learner, what of its path is fitted in one go, and what may predict with it.

    `path` has no name, or that of one parameter with its values; `params` are what sets it apart
    from the other settings of its method.
    """

    learner: Learner
    path: Mapping[str, tuple[int, ...]]
    clusterers: tuple[Clusterer, ...]
    params: Mapping[str, float]


def settings_of(method: str, effort: Effort, ordered: bool) -> list[Setting]:
    """Return the settings of a method that are tried, on items whose order means something or not.

    Scores of pairs are clustered by average linkage, greedily or, in order, by the best links;
    scores of links as they were learned.
    """
    free: tuple[Clusterer, ...] = (AverageLinkage(), Greedy())
    return MAKERS[method](effort, (*free, LeftLink(0.0)) if ordered else free)


def _logistic(effort: Effort, clusterers: tuple[Clusterer, ...]) -> list[Setting]:
    return [Setting(scaled_logistic(C=C), {}, clusterers, {"C": C}) for C in effort.Cs]


def _left_linking(effort: Effort, clusterers: tuple[Clusterer, ...]) -> list[Setting]:  # noqa: ARG001
    return [
        Setting(
            LatentLeftLinking(
                gamma,
                LAM,
                solver=SGD(learning_rate=rate),
                featurizer=WithConstant(Scaled(GivenFeatures())),
            ),
            {"n_passes": effort.passes},
            (LeftLink(gamma),),
            {"γ": gamma, "η": rate},
        )
        for gamma in effort.gammas
        for rate in effort.sgd_rates
    ]


def _pairs(effort: Effort, clusterers: tuple[Clusterer, ...]) -> list[Setting]:
    return [
        Setting(boosted(LogisticRisk(), tree), {"n_rounds": effort.rounds}, clusterers, shown)
        for tree, shown in _trees(effort)
    ]


def _structured(effort: Effort, clusterers: tuple[Clusterer, ...]) -> list[Setting]:  # noqa: ARG001
    return [
        Setting(
            boosted(LeftLinkRisk(gamma), tree),
            {"n_rounds": effort.rounds},
            (LeftLink(gamma),),
            {"γ": gamma, **shown},
        )
        for gamma in effort.boosted_gammas
        for tree, shown in _trees(effort)
    ]


def _trees(effort: Effort) -> list[tuple[LightTrees, dict[str, float]]]:
    """Return the trees that both kinds of boosting try."""
    return [
        (LightTrees(leaves, rate), {"leaves": leaves, "η": rate})
        for leaves in effort.n_leaves
        for rate in effort.tree_rates
    ]


def boosted(risk: Risk, trees: LightTrees, n_rounds: int = 1) -> StructuredBoosting:
    """Return boosted trees; of a path, the number of rounds does not matter."""
    return StructuredBoosting(risk, trees, n_rounds)


def _logistic_context(effort: Effort, clusterers: tuple[Clusterer, ...]) -> list[Setting]:
    return _with_context(_logistic(effort, clusterers))


def _pairs_context(effort: Effort, clusterers: tuple[Clusterer, ...]) -> list[Setting]:
    return _with_context(_pairs(effort, clusterers))


def _with_context(settings: list[Setting]) -> list[Setting]:
    """Put each learner upon a first stage, which is logistic regression."""
    return [each._replace(learner=WithContext(each.learner)) for each in settings]


MAKERS: Mapping[str, Callable[[Effort, tuple[Any, ...]], list[Setting]]] = {
    LOGISTIC: _logistic,
    L3M: _left_linking,
    PAIRS: _pairs,
    STRUCTURED: _structured,
    LOGISTIC_CONTEXT: _logistic_context,
    PAIRS_CONTEXT: _pairs_context,
}
