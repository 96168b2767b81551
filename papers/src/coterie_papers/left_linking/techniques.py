"""The techniques that the tables of left-linking compare, and what is tried of each."""

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
MOST_FIRSTS = 5
"""Where items that start a cluster teach too, nearly all pairs are examples: so many passes."""


class Task(NamedTuple):
    """What settings are chosen by, and which are tried.

    `shown` has the numbers of passes that are reported, None for the one that was chosen; `corr`
    and `forest` are values of C, with the passes that training makes, ten in the paper; `exact`
    says whether correlation clustering is solved exactly.
    """

    metric: Callable[..., Any]
    passes: tuple[int, ...]
    shown: tuple[int | None, ...]
    rates: tuple[float, ...]
    lams: tuple[float, ...] = (1e-5, 1e-4)
    gammas: tuple[float, ...] = GAMMAS
    corr: tuple[float, ...] = (1e6, 1e7)
    corr_passes: int = 10
    forest: tuple[float, ...] = (10.0,)
    forest_passes: int = 10
    thresholds: tuple[float, ...] = THRESHOLDS
    exact: bool = False

    def narrowed(self, settings: Mapping[str, Any]) -> "Task":
        """Try other settings; of the passes, those that the task has itself."""
        passes = tuple(n for n in self.passes if n in settings.get("passes", self.passes))
        return self._replace(**{**settings, "passes": passes})


COREFERENCE = Task(
    conll_score,
    passes=(1, 2, 5, 10),
    shown=(1, None),
    rates=(0.01, 0.1),
    lams=(1e-6, 1e-5, 1e-4, 1e-3),
    corr=(1e5, 1e6, 1e7, 1e8),
    corr_passes=20,
    forest=(0.1, 1.0, 10.0, 100.0),
    exact=True,
)
FICTION = Task(
    conll_score, passes=(1, 5, 10), shown=(1, None), rates=(0.1,), corr_passes=20, exact=True
)
"""Ten folds take their time: fewer settings are tried."""
AUTHOR = Task(variation_of_information, passes=(1,), shown=(1,), rates=(0.03, 0.1, 0.3))
TOPIC = Task(variation_of_information, passes=(1, 5), shown=(1, 5), rates=(0.01, 0.1))
CHAT = Task(variation_of_information, passes=(1, 2, 5), shown=(1, None), rates=(0.01, 0.1))
TASKS: Mapping[str, Task] = {
    "gum": COREFERENCE,
    "ontogum": COREFERENCE,
    "gum-60": COREFERENCE,
    "litbank": FICTION,
    "author": AUTHOR,
    "author, no words": AUTHOR,
    "topic": TOPIC,
    "irc": CHAT,
}

L3M, SUM_LINK, BIN, FIRSTS = "L3M", "Sum-Link", "Bin-Left-Link", "Bin-Left-Link, firsts"
CORR, FOREST, PAIRS = "Corr-Clustering", "Spanning Forest", "Pair classifier"
LONGEST_FIRST = (FIRSTS, FOREST, CORR, L3M, PAIRS, BIN, SUM_LINK)
"""All techniques, those first that take longest."""

ONLINE: Mapping[str, Learner] = {
    L3M: LatentLeftLinking(),
    SUM_LINK: SumLinkLearner(),
    BIN: BestLeftLinkLearner(),
    FIRSTS: BestLeftLinkLearner(teach_firsts=True),
}


class Technique(NamedTuple):
    """A learner, the settings to try, and what of them is reported: settings that are fixed."""

    learner: Learner
    grid: Mapping[str, Sequence[Any]]
    choices: Mapping[str, Params]


def technique_of(name: str, task: Task) -> Technique:
    """Return a technique as it is tried on a task."""
    if name not in ONLINE:
        return _batch_technique(name, task)
    most = MOST_FIRSTS if name == FIRSTS else max(task.passes)
    passes = [count for count in task.passes if count <= most]
    grid = {"lam": task.lams, "solver__learning_rate": task.rates, "n_passes": passes}
    if name == L3M:
        grid = {"gamma": task.gammas, **grid}
    return Technique(ONLINE[name], grid, _choices(name, task))


def _batch_technique(name: str, task: Task) -> Technique:
    passes = task.forest_passes
    pairs = PairwiseClustering(C=0.01, classifier=LinearSVC(dual=False, tol=1e-3))
    tried: Mapping[str, tuple[Learner, Params]] = {
        CORR: (SVMCluster(solver=FrankWolfe(max_iter=task.corr_passes)), {"C": task.corr}),
        FOREST: (
            SpanningForestLearner(solver=CCCP(max_iter=passes, inner_max_iter=passes)),
            {"C": task.forest},
        ),
        PAIRS: (pairs, {"threshold": task.thresholds}),
    }
    return Technique(*tried[name], {TUNED: {}})


Choice: TypeAlias = tuple[str, str]
"""A technique, and what is reported of it."""

TUNED, BEST_LINK = "tuned", "gamma 0"
OURS = "L³M (tuned γ)"
BATCH_ROWS: Mapping[str, Choice] = {CORR: (CORR, TUNED), FOREST: (FOREST, TUNED)}
ONLINE_ROWS: Mapping[str, Choice] = {
    SUM_LINK: (SUM_LINK, TUNED),
    BIN: (BIN, TUNED),
    FIRSTS: (FIRSTS, TUNED),
    "L³M (γ = 0)": (L3M, BEST_LINK),
    OURS: (L3M, TUNED),
}
"""The rows of tables; of online techniques, but for the number of passes."""


def online_rows(passes: int | None, suffix: str = "") -> dict[str, Choice]:
    """Return the rows of online techniques with so many passes, None for as many as chosen."""
    return {
        f"{row}{suffix}": (technique, choice(kind, passes))
        for row, (technique, kind) in ONLINE_ROWS.items()
    }


def choice(kind: str, passes: int | None) -> str:
    """Name what is reported, such as "gamma 0, 1"; without passes where they are chosen."""
    return kind if passes is None else f"{kind}, {passes}"


def _choices(name: str, task: Task) -> dict[str, Params]:
    """Return what is reported of an online technique."""
    kinds: dict[str, Params] = {TUNED: {}}
    if name == L3M:
        kinds[BEST_LINK] = {"gamma": 0.0}
    return {
        choice(kind, passes): {**fixed, **({} if passes is None else {"n_passes": passes})}
        for kind, fixed in kinds.items()
        for passes in task.shown
    }
