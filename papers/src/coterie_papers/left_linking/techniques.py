"""The techniques that the tables of left-linking compare, and the settings tried for each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from sklearn.svm import LinearSVC

from coterie.learners.base import Learner
from coterie.learners.linking.best_left_link import BestLeftLinkLearner
from coterie.learners.linking.cccp import CCCP
from coterie.learners.linking.left_linking import LatentLeftLinking
from coterie.learners.linking.spanning_forest import SpanningForestLearner
from coterie.learners.linking.sum_link import SumLinkLearner
from coterie.learners.pairwise import PairwiseClustering
from coterie.learners.structural.frank_wolfe import FrankWolfe
from coterie.learners.structural.recipes import SVMCluster
from coterie.learners.tuning import Params
from coterie.metrics import conll_score, variation_of_information

GAMMAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
THRESHOLDS = tuple(round(-1.0 + 0.1 * step, 1) for step in range(11))
MAX_PASSES_OF_FIRSTS = 5
"""The largest number of passes if items that start a cluster teach too.

Nearly all pairs are examples then, so that a pass takes longer.
"""


class TaskSettings(NamedTuple):
    """The metric by which settings are chosen, and the values to try.

    `passes`, `rates`, `lams` and `gammas` are values for online techniques. `reported_passes` holds
    the numbers of passes that tables report; None stands for the chosen number. `corr` and `forest`
    are values of C for correlation clustering and spanning forests; `corr_passes` and
    `forest_passes` are the passes of their training, ten in the paper. `solve_exactly` is whether
    correlation clustering predicts by exact search.
    """

    metric: Callable[..., Any]
    passes: tuple[int, ...]
    reported_passes: tuple[int | None, ...]
    rates: tuple[float, ...]
    lams: tuple[float, ...] = (1e-5, 1e-4)
    gammas: tuple[float, ...] = GAMMAS
    corr: tuple[float, ...] = (1e6, 1e7)
    corr_passes: int = 10
    forest: tuple[float, ...] = (10.0,)
    forest_passes: int = 10
    thresholds: tuple[float, ...] = THRESHOLDS
    solve_exactly: bool = False

    def narrowed(self, settings: Mapping[str, Any]) -> "TaskSettings":
        """Return a task with other settings; of the passes, only those that this task has."""
        passes = tuple(n for n in self.passes if n in settings.get("passes", self.passes))
        return self._replace(**{**settings, "passes": passes})


COREFERENCE = TaskSettings(
    conll_score,
    passes=(1, 2, 5, 10),
    reported_passes=(1, None),
    rates=(0.01, 0.1),
    lams=(1e-6, 1e-5, 1e-4, 1e-3),
    corr=(1e5, 1e6, 1e7, 1e8),
    corr_passes=20,
    forest=(0.1, 1.0, 10.0, 100.0),
    solve_exactly=True,
)
FICTION = TaskSettings(
    conll_score,
    passes=(1, 5, 10),
    reported_passes=(1, None),
    rates=(0.1,),
    corr_passes=20,
    solve_exactly=True,
)
"""Fewer settings are tried here, because ten folds take long."""
AUTHOR = TaskSettings(
    variation_of_information, passes=(1,), reported_passes=(1,), rates=(0.03, 0.1, 0.3)
)
TOPIC = TaskSettings(
    variation_of_information, passes=(1, 5), reported_passes=(1, 5), rates=(0.01, 0.1)
)
CHAT = TaskSettings(
    variation_of_information, passes=(1, 2, 5), reported_passes=(1, None), rates=(0.01, 0.1)
)
TASKS: Mapping[str, TaskSettings] = {
    "gum": COREFERENCE,
    "ontogum": COREFERENCE,
    "gum-60": COREFERENCE,
    "litbank": FICTION,
    "author": AUTHOR,
    "author, no words": AUTHOR,
    "topic": TOPIC,
    "irc": CHAT,
}

L3M, SUM_LINK, BIN_LEFT_LINK, FIRSTS = "L3M", "Sum-Link", "Bin-Left-Link", "Bin-Left-Link, firsts"
CORR_CLUSTERING, SPANNING_FOREST, PAIR_CLASSIFIER = (
    "Corr-Clustering",
    "Spanning Forest",
    "Pair classifier",
)
LONGEST_FIRST = (
    FIRSTS,
    SPANNING_FOREST,
    CORR_CLUSTERING,
    L3M,
    PAIR_CLASSIFIER,
    BIN_LEFT_LINK,
    SUM_LINK,
)
"""All techniques; those that take longest come first."""

ONLINE: Mapping[str, Learner] = {
    L3M: LatentLeftLinking(),
    SUM_LINK: SumLinkLearner(),
    BIN_LEFT_LINK: BestLeftLinkLearner(),
    FIRSTS: BestLeftLinkLearner(teach_firsts=True),
}


class Technique(NamedTuple):
    """A learner, the settings to try, and the fixed settings of each reported choice."""

    learner: Learner
    grid: Mapping[str, Sequence[Any]]
    choices: Mapping[str, Params]


def technique_of(name: str, task: TaskSettings) -> Technique:
    """Return a technique with the settings to try on a task."""
    if name not in ONLINE:
        return _batch_technique(name, task)
    max_passes = MAX_PASSES_OF_FIRSTS if name == FIRSTS else max(task.passes)
    passes = [count for count in task.passes if count <= max_passes]
    grid = {"lam": task.lams, "solver__learning_rate": task.rates, "n_passes": passes}
    if name == L3M:
        grid = {"gamma": task.gammas, **grid}
    return Technique(ONLINE[name], grid, _choices(name, task))


def _batch_technique(name: str, task: TaskSettings) -> Technique:
    passes = task.forest_passes
    pairs = PairwiseClustering(C=0.01, classifier=LinearSVC(dual=False, tol=1e-3))
    by_name: Mapping[str, tuple[Learner, Params]] = {
        CORR_CLUSTERING: (
            SVMCluster(solver=FrankWolfe(max_iter=task.corr_passes)),
            {"C": task.corr},
        ),
        SPANNING_FOREST: (
            SpanningForestLearner(solver=CCCP(max_iter=passes, inner_max_iter=passes)),
            {"C": task.forest},
        ),
        PAIR_CLASSIFIER: (pairs, {"threshold": task.thresholds}),
    }
    return Technique(*by_name[name], {TUNED: {}})


Choice: TypeAlias = tuple[str, str]
"""A technique and the name of one of its reported choices."""

TUNED, BEST_LINK = "tuned", "gamma 0"
TUNED_L3M = "L³M (tuned γ)"
BATCH_ROWS: Mapping[str, Choice] = {
    CORR_CLUSTERING: (CORR_CLUSTERING, TUNED),
    SPANNING_FOREST: (SPANNING_FOREST, TUNED),
}
ONLINE_ROWS: Mapping[str, Choice] = {
    SUM_LINK: (SUM_LINK, TUNED),
    BIN_LEFT_LINK: (BIN_LEFT_LINK, TUNED),
    FIRSTS: (FIRSTS, TUNED),
    "L³M (γ = 0)": (L3M, BEST_LINK),
    TUNED_L3M: (L3M, TUNED),
}
"""The rows of online techniques in tables, without the number of passes."""


def online_rows(passes: int | None, suffix: str = "") -> dict[str, Choice]:
    """Return the rows of online techniques for a number of passes, None for the chosen number."""
    return {
        f"{row}{suffix}": (technique, choice(kind, passes))
        for row, (technique, kind) in ONLINE_ROWS.items()
    }


def choice(kind: str, passes: int | None) -> str:
    """Return the name of a choice, such as "gamma 0, 1"; chosen passes are not part of it."""
    return kind if passes is None else f"{kind}, {passes}"


def _choices(name: str, task: TaskSettings) -> dict[str, Params]:
    """Return the fixed settings of each reported choice of an online technique."""
    kinds: dict[str, Params] = {TUNED: {}}
    if name == L3M:
        kinds[BEST_LINK] = {"gamma": 0.0}
    return {
        choice(kind, passes): {**fixed, **({} if passes is None else {"n_passes": passes})}
        for kind, fixed in kinds.items()
        for passes in task.reported_passes
    }
