"""The cells of the tables of left-linking: tuned techniques, random starts, and CCCP."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from sklearn.base import clone

from coterie.clusterers import Exact, Relaxation
from coterie.datasets.corpus import Corpus
from coterie.learners.linking.cccp import CCCP
from coterie.learners.linking.left_linking import LatentLeftLinking
from coterie.learners.linking.sgd import SGD
from coterie.learners.structural.frank_wolfe import FrankWolfe
from coterie.learners.structural.recipes import SVMCluster
from coterie.learners.tuning import Params, Trial, Tuned, tune
from coterie.metrics import macro, micro
from coterie.model import Model
from coterie_papers.engine.cells import Key, Values
from coterie_papers.engine.partitions import quiet, texts_of
from coterie_papers.left_linking.data import Division, division_of, draw_item_sets
from coterie_papers.left_linking.protocol import limits_of
from coterie_papers.left_linking.techniques import TASKS, TaskSettings, Technique, technique_of

SGD_ONE_PASS, CCCP_FULL, CCCP_EARLY = "SGD, one pass", "CCCP", "CCCP, stopped early"


def tune_and_test(key: Key, folder: Path | None) -> Values:
    """Choose the settings of a technique, and predict the test sets for each reported choice."""
    parts, task = division_of(key, folder), task_of(key)
    technique = technique_of(str(key["technique"]), task)
    seconds = limits_of(key).exact_seconds if task.solve_exactly else None
    with quiet():
        tuned = _tune(technique, task, parts)
        reported = {
            name: _reported_choice(
                technique, tuned, _best_trial(tuned, fixed, task), parts, seconds
            )
            for name, fixed in technique.choices.items()
        }
    return {"truth": texts_of(parts.test.partitions), "choices": reported}


def train_relaxed(key: Key, folder: Path | None) -> Values:
    """Train correlation clustering with relaxed clustering for one C, and predict the test sets."""
    parts, limits = division_of(key, folder), limits_of(key)
    learner = SVMCluster(
        C=float(key["C"] or 0.0),
        clusterer=Relaxation(time_limit=limits.relaxed.seconds),
        solver=FrankWolfe(max_iter=int(key["passes"] or 0)),
    )
    with quiet():
        learner.fit(*draw_item_sets(parts.train, 0, n_sets=limits.relaxed.n_sets))
        predictions = _predict_exactly(learner.to_model(), parts.test, limits.exact_seconds)
    choice = {"params": {"C": learner.C}, **predictions}
    return {"truth": texts_of(parts.test.partitions), "choices": {"tuned": choice}}


def train_from_random_starts(key: Key, folder: Path | None) -> Values:
    """Train one pass with γ = 1 from random weights, and measure on the training sets."""
    task = task_of(key)
    train = division_of(key, folder).train
    if key["n_items"]:
        train = draw_item_sets(train, 0, n_items=int(key["n_items"]))
    average: Callable[..., float] = micro if task.solve_exactly else macro

    def measure(deviation: float, seed: int) -> float:
        solver = SGD(start=deviation)
        learner = LatentLeftLinking(gamma=1.0, n_passes=1, solver=solver, random_state=seed)
        predicted = learner.fit(*train).predict(train.item_sets)
        return average(task.metric, train.partitions, predicted)

    with quiet():
        values = [measure(1.0, seed) for seed in range(int(key["starts"] or 0))]
        return {"measured": values, "from zeros": measure(0.0, 0)}


def time_solvers(key: Key, folder: Path | None) -> Values:
    """Train with γ = 1 by each solver on some training sets, and measure on the same sets."""
    train = division_of(key, folder).train
    subset = draw_item_sets(train, int(key["subset"] or 0), n_sets=int(key["n_sets"] or 0))
    metric = task_of(key).metric
    results = {}
    with quiet():
        # The first call compiles kernels, which must not be timed.
        LatentLeftLinking(n_passes=1).fit(*draw_item_sets(train, 0, n_sets=1))
        for name, solver in _solvers(limits_of(key).n_iterations).items():
            start = perf_counter()
            learner = LatentLeftLinking(gamma=1.0, n_passes=1, solver=solver).fit(*subset)
            seconds = perf_counter() - start
            vi = macro(metric, subset.partitions, learner.predict(subset.item_sets))
            results[name] = {"measured": vi, "seconds": seconds}
    return results


def _solvers(n_iterations: int) -> dict[str, SGD | CCCP]:
    def cccp(outer: int, inner: int) -> CCCP:
        return CCCP(tol=0.0, max_iter=outer, inner_tol=0.0, inner_max_iter=inner)

    return {
        SGD_ONE_PASS: SGD(),
        CCCP_FULL: cccp(n_iterations, n_iterations),
        CCCP_EARLY: cccp(3, 10),
    }


def task_of(key: Key) -> TaskSettings:
    """Return the task of a cell's data, with the settings that a quick run tries if it is quick."""
    task = TASKS[str(key["data"]).partition("/")[0]]
    return task.narrowed(limits_of(key).settings)


def _tune(technique: Technique, task: TaskSettings, parts: Division) -> Tuned:
    """Choose settings by the development sets, or by cross-validation if there are none."""
    n_train, n_dev = len(parts.train.item_sets), len(parts.dev.item_sets)
    return tune(
        technique.learner,
        parts.train.item_sets + parts.dev.item_sets,
        parts.train.partitions + parts.dev.partitions,
        technique.grid,
        metric=task.metric,
        held_out=range(n_train, n_train + n_dev) if n_dev else None,
        widen=False,
    )


def _best_trial(tuned: Tuned, fixed: Params, task: TaskSettings) -> Trial:
    """Return the best trial that has the fixed settings; of equal trials the first."""
    sign = 1.0 if task.metric.greater_is_better else -1.0  # type: ignore[attr-defined]
    allowed = [trial for trial in tuned.table if fixed.items() <= trial.params.items()]
    return max(allowed, key=lambda trial: sign * trial.mean)


def _reported_choice(
    technique: Technique, tuned: Tuned, trial: Trial, parts: Division, seconds: float | None
) -> Values:
    """Predict the test sets with the settings of a trial; SVMCluster searches exactly if timed."""
    learner = tuned.learner
    if trial.params != tuned.params:
        learner = clone(technique.learner).set_params(**trial.params).fit(*parts.train)
    model = learner.to_model()
    if seconds is not None and isinstance(learner, SVMCluster):
        predictions = _predict_exactly(model, parts.test, seconds)
    else:
        predictions = {"predicted": texts_of(model.predict(parts.test.item_sets))}
    return {"params": trial.params, "dev": trial.mean, **predictions}


def _predict_exactly(model: Model, test: Corpus, seconds: float) -> Values:
    """Predict by exact clustering within a time limit, and count the proved optima."""
    exact = Exact(time_limit=seconds)
    solutions = [exact.solve(model.scores(item_set)) for item_set in test.item_sets]
    return {
        "predicted": texts_of([solution.partition for solution in solutions]),
        "proved": sum(solution.status == "exact" for solution in solutions),
    }
