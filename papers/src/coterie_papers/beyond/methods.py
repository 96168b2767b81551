"""The methods that the tables beyond the papers compare, and the settings to choose from."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

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

Clusterers: TypeAlias = tuple[Clusterer, ...]

LOGISTIC = "logistic regression"
L3M = "L³M"
PAIRS = "boosted pairs"
STRUCTURED = "structured boosting"
LOGISTIC_CONTEXT = f"{LOGISTIC}, with context"
PAIRS_CONTEXT = f"{PAIRS}, with context"
ALONE = (LOGISTIC, L3M, PAIRS, STRUCTURED)
CONTEXT = (LOGISTIC, PAIRS, LOGISTIC_CONTEXT, PAIRS_CONTEXT)

LAM = 1e-5
"""The regularisation of latent left-linking."""


class SearchGrid(NamedTuple):
    """The settings to choose from, and the number of folds of the training sets."""

    n_folds: int = 3
    Cs: tuple[float, ...] = (0.01, 1.0)
    gammas: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    sgd_rates: tuple[float, ...] = (0.01, 0.1)
    passes: tuple[int, ...] = (1, 5, 20)
    tree_rates: tuple[float, ...] = (0.1, 0.2)
    n_leaves: tuple[int, ...] = (31,)
    boosted_gammas: tuple[float, ...] = (0.3, 0.5)
    rounds: tuple[int, ...] = (50, 100, 200, 300)


FULL: Mapping[str, SearchGrid] = {
    "gum": SearchGrid(),
    "news": SearchGrid(
        n_folds=4, Cs=(1.0,), tree_rates=(0.1,), n_leaves=(15,), rounds=(50, 100, 200)
    ),
    "threads": SearchGrid(tree_rates=(0.1,), n_leaves=(7, 15), boosted_gammas=(0.5,)),
}
QUICK = SearchGrid(
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


def grid_of(table: str, quick: bool) -> SearchGrid:
    """Return the settings to choose from for a table."""
    return QUICK if quick else FULL[table]


class LearnerSetting(NamedTuple):
    """A learner with its parameters, and the clusterers that may predict with it.

    `path` is empty, or has one parameter of which several values are fitted at the cost of the
    largest. `params` are the parameters by which the settings of a method differ.
    """

    learner: Learner
    path: Mapping[str, tuple[int, ...]]
    clusterers: Clusterers
    params: Mapping[str, float]


def settings_of(method: str, grid: SearchGrid, ordered: bool) -> list[LearnerSetting]:
    """Return the settings of a method to choose from.

    Scores of pairs are clustered by average linkage, by greedy clustering or, if the order of the
    items matters (`ordered`), by the best left links. Scores of links are clustered by the left
    links for which they were learned.
    """
    clusterers: Clusterers = (AverageLinkage(), Greedy())
    return SETTINGS_BY_METHOD[method](grid, (*clusterers, LeftLink(0.0)) if ordered else clusterers)


def _logistic_settings(grid: SearchGrid, clusterers: Clusterers) -> list[LearnerSetting]:
    return [LearnerSetting(scaled_logistic(C=C), {}, clusterers, {"C": C}) for C in grid.Cs]


def _left_linking_settings(grid: SearchGrid, clusterers: Clusterers) -> list[LearnerSetting]:  # noqa: ARG001
    return [
        LearnerSetting(
            LatentLeftLinking(
                gamma,
                LAM,
                solver=SGD(learning_rate=rate),
                featurizer=WithConstant(Scaled(GivenFeatures())),
            ),
            {"n_passes": grid.passes},
            (LeftLink(gamma),),
            {"γ": gamma, "η": rate},
        )
        for gamma in grid.gammas
        for rate in grid.sgd_rates
    ]


def _pair_settings(grid: SearchGrid, clusterers: Clusterers) -> list[LearnerSetting]:
    return [
        LearnerSetting(
            boosting(LogisticRisk(), trees), {"n_rounds": grid.rounds}, clusterers, params
        )
        for trees, params in _tree_settings(grid)
    ]


def _structured_settings(grid: SearchGrid, clusterers: Clusterers) -> list[LearnerSetting]:  # noqa: ARG001
    return [
        LearnerSetting(
            boosting(LeftLinkRisk(gamma), trees),
            {"n_rounds": grid.rounds},
            (LeftLink(gamma),),
            {"γ": gamma, **params},
        )
        for gamma in grid.boosted_gammas
        for trees, params in _tree_settings(grid)
    ]


def _tree_settings(grid: SearchGrid) -> list[tuple[LightTrees, dict[str, float]]]:
    """Return the tree growers for both kinds of boosting, with their parameters."""
    return [
        (LightTrees(leaves, rate), {"leaves": leaves, "η": rate})
        for leaves in grid.n_leaves
        for rate in grid.tree_rates
    ]


def boosting(risk: Risk, trees: LightTrees, n_rounds: int = 1) -> StructuredBoosting:
    """Return boosted trees; `n_rounds` has no effect if a path is fitted."""
    return StructuredBoosting(risk, trees, n_rounds)


def _logistic_context_settings(grid: SearchGrid, clusterers: Clusterers) -> list[LearnerSetting]:
    return _add_context(_logistic_settings(grid, clusterers))


def _pair_context_settings(grid: SearchGrid, clusterers: Clusterers) -> list[LearnerSetting]:
    return _add_context(_pair_settings(grid, clusterers))


def _add_context(settings: list[LearnerSetting]) -> list[LearnerSetting]:
    """Add features of context to each learner; its first stage is logistic regression."""
    return [setting._replace(learner=WithContext(setting.learner)) for setting in settings]


SETTINGS_BY_METHOD: Mapping[str, Callable[[SearchGrid, Clusterers], list[LearnerSetting]]] = {
    LOGISTIC: _logistic_settings,
    L3M: _left_linking_settings,
    PAIRS: _pair_settings,
    STRUCTURED: _structured_settings,
    LOGISTIC_CONTEXT: _logistic_context_settings,
    PAIRS_CONTEXT: _pair_context_settings,
}
