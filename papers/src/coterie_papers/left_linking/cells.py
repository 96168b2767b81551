"""The cells of the tables of left-linking: techniques tuned and tested, starts, and CCCP."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

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
from coterie.partition import Partition
from coterie_papers.engine.cells import Key, Values
from coterie_papers.left_linking.data import Division, division_of, drawn
from coterie_papers.left_linking.protocol import protocol_of
from coterie_papers.left_linking.techniques import TASKS, Task, Technique, technique_of

ONE_PASS, WHOLE, EARLY = "SGD, one pass", "CCCP", "CCCP, stopped early"


def tested(key: Key, folder: Path | None) -> Values:
    """Choose the settings of a technique, and predict the test sets with what is reported of it."""
    parts, task = division_of(key, folder), task_of(key)
    technique = technique_of(str(key["technique"]), task)
    seconds = protocol_of(key).exact_seconds if task.exact else None
    with _quiet():
        found = _tuned(technique, task, parts)
        reported = {
            name: _reported(technique, found, _best(found, fixed, task), parts, seconds)
            for name, fixed in technique.choices.items()
        }
    return {"truth": _written(parts.test.partitions), "choices": reported}


def relaxed(key: Key, folder: Path | None) -> Values:
    """Train correlation clustering by relaxed clusterings for one C, and predict the test sets."""
    parts, limits = division_of(key, folder), protocol_of(key)
    learner = SVMCluster(
        C=float(key["C"] or 0.0),
        clusterer=Relaxation(time_limit=limits.relaxed.seconds),
        solver=FrankWolfe(max_iter=int(key["passes"] or 0)),
    )
    with _quiet():
        learner.fit(*drawn(parts.train, 0, n_sets=limits.relaxed.n_sets))
        predictions = _solved(learner.to_model(), parts.test, limits.exact_seconds)
        found = {"params": {"C": learner.C}, **predictions}
    return {"truth": _written(parts.test.partitions), "choices": {"tuned": found}}


def started(key: Key, folder: Path | None) -> Values:
    """Train from random weights, one pass with γ = 1, and measure on the training sets."""
    task = task_of(key)
    train = division_of(key, folder).train
    if key["n_items"]:
        train = drawn(train, 0, n_items=int(key["n_items"]))
    average: Callable[..., float] = micro if task.exact else macro

    def measured(deviation: float, seed: int) -> float:
        solver = SGD(start=deviation)
        learner = LatentLeftLinking(gamma=1.0, n_passes=1, solver=solver, random_state=seed)
        predicted = learner.fit(*train).predict(train.item_sets)
        return average(task.metric, train.partitions, predicted)

    with _quiet():
        found = [measured(1.0, seed) for seed in range(int(key["starts"] or 0))]
        return {"measured": found, "from zeros": measured(0.0, 0)}


def solved(key: Key, folder: Path | None) -> Values:
    """Train with γ = 1 by each solver on some training sets, and measure on the same."""
    train = division_of(key, folder).train
    subset = drawn(train, int(key["subset"] or 0), n_sets=int(key["n_sets"] or 0))
    metric = task_of(key).metric
    found = {}
    with _quiet():
        # What is compiled at the first call shall not count.
        LatentLeftLinking(n_passes=1).fit(*drawn(train, 0, n_sets=1))
        for name, solver in _solvers(protocol_of(key).n_iterations).items():
            since = perf_counter()
            learner = LatentLeftLinking(gamma=1.0, n_passes=1, solver=solver).fit(*subset)
            seconds = perf_counter() - since
            measured = macro(metric, subset.partitions, learner.predict(subset.item_sets))
            found[name] = {"measured": measured, "seconds": seconds}
    return found


def _solvers(n_iterations: int) -> dict[str, SGD | CCCP]:
    def cccp(outer: int, inner: int) -> CCCP:
        return CCCP(tol=0.0, max_iter=outer, inner_tol=0.0, inner_max_iter=inner)

    return {ONE_PASS: SGD(), WHOLE: cccp(n_iterations, n_iterations), EARLY: cccp(3, 10)}


def task_of(key: Key) -> Task:
    """Return the task of a cell's data, with what is tried for the cell."""
    task = TASKS[str(key["data"]).partition("/")[0]]
    return task.narrowed(protocol_of(key).settings)


def _tuned(technique: Technique, task: Task, parts: Division) -> Tuned:
    """Choose by the development sets, or by cross-validation where there are none."""
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


def _best(found: Tuned, fixed: Params, task: Task) -> Trial:
    """Return the best trial among those of some settings; among equals the first."""
    sign = 1.0 if task.metric.greater_is_better else -1.0  # type: ignore[attr-defined]
    allowed = [trial for trial in found.table if fixed.items() <= trial.params.items()]
    return max(allowed, key=lambda trial: sign * trial.mean)


def _reported(
    technique: Technique, found: Tuned, trial: Trial, parts: Division, seconds: float | None
) -> Values:
    """Predict the test sets with the settings of a trial, by exact search if it has seconds."""
    learner = found.learner
    if trial.params != found.params:
        learner = clone(technique.learner).set_params(**trial.params).fit(*parts.train)
    model = learner.to_model()
    if seconds is not None and isinstance(learner, SVMCluster):
        predictions = _solved(model, parts.test, seconds)
    else:
        predictions = {"predicted": _written(model.predict(parts.test.item_sets))}
    return {"params": trial.params, "dev": trial.mean, **predictions}


def _solved(model: Model, test: Corpus, seconds: float) -> Values:
    """Predict by exact clustering within its time, and count what was proved to be best."""
    exact = Exact(time_limit=seconds)
    solutions = [exact.solve(model.scores(item_set)) for item_set in test.item_sets]
    return {
        "predicted": _written([solution.partition for solution in solutions]),
        "proved": sum(solution.status == "exact" for solution in solutions),
    }


def _written(partitions: Sequence[Partition]) -> list[str]:
    return [" ".join(map(str, partition.labels.tolist())) for partition in partitions]


@contextmanager
def _quiet() -> Iterator[None]:
    """Pass over what did not converge, and keep threads of BLAS from waiting for each other."""
    with threadpool_limits(1, "blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
