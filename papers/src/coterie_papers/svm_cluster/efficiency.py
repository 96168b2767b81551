"""The cost of training SVM-cluster and pair classifiers (Finley & Joachims 2005, section 7.5)."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from coterie.datasets import make_synth
from coterie.learners import PairwiseClustering, SVMCluster
from coterie.learners.base import Learner
from coterie.learners.structural.solvers import Solver
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Entry, Table
from coterie_papers.svm_cluster.cells import (
    ALGORITHM_1,
    CLUSTERERS,
    LOSSES,
    ONE_SLACK,
    TrainingTask,
    task_of,
    tasks,
)
from coterie_papers.svm_cluster.choices import (
    SAME_DATA,
    choose_classifier,
    choose_structural,
    describe_data,
)
from coterie_papers.svm_cluster.published import SVM_CLUSTER

TIMING_VERSION = 1
"""Version of the timing in each key; raise it whenever training is timed differently."""

SOLVERS: Mapping[str, Solver] = {"N-slack": ALGORITHM_1, "1-slack": ONE_SLACK}
SOLVER_NOTE = (
    "N-slack is the paper's Algorithm 1 with ε = 0.1. 1-slack (Joachims, Finley & Yu 2009) is "
    "Coterie's default solver; here it stops at a gap of 1%, or after 1000 constraints. Both solve "
    "the QP again after each new constraint; the paper's program seems to do so after about 20. "
    "The table counts the constraints of the last QP. 1-slack drops inactive constraints, and each "
    "of its constraints is a mean over all item sets. PCC has one constraint per pair."
)
SHARE_NOTE = (
    "% clustering: the time of the search for worst partitions, in percent of the time of search "
    "and QPs together; the paper's 1 is in percent of the time of the QPs alone. Gap: the "
    "difference between the objective and its lower bound, measured with the partitions that the "
    "search found."
)
CLOCK_NOTE = (
    "Seconds of wall time on one core, from features in memory to a fitted learner, for the C of "
    "the tables above. They depend on the other work of the machine, which includes the other "
    "processes of this run."
)


class Training(NamedTuple):
    """One of the trainings behind the tables."""

    name: str
    task: TrainingTask
    loss: str
    train_clusterer: str

    def choose_weight(self, context: Context) -> float:
        """Return the C of the tables."""
        clusterer = self.train_clusterer
        return choose_structural(context, self.task, self.loss, clusterer, clusterer).C

    def key(self, solver: str, C: float) -> Key:
        """Return the key of the timing, with all that it depends on except corpus and machine."""
        return {
            "timed": "SVM-cluster",
            "data": self.task.label,
            "train": self.train_clusterer,
            "loss": self.loss,
            "solver": repr(SOLVERS[solver]),
            "C": C,
            "version": TIMING_VERSION,
        }


def trainings(context: Context) -> list[Training]:
    """Return the trainings that have the loss in the search."""
    coreference, news = tasks(context.quick)
    return [
        Training("NP-coreference, Δ_M", coreference, "mitre", "C_G"),
        Training("NP-coreference, Δ_P", coreference, "pair", "C_G"),
        Training("News, train C_G", news, "pair", "C_G"),
        Training("News, train C_R", news, "pair", "C_R"),
    ]


# Cells.


def time_training(key: Key, folder: Path | None) -> dict[str, Any]:
    """Train SVM-cluster for one C without a warm start, and return what that costs."""
    solvers = {repr(solver): solver for solver in SOLVERS.values()}
    learner = SVMCluster(
        float(key["C"] or 0.0),
        CLUSTERERS[str(key["train"])],
        LOSSES[str(key["loss"])],
        solvers[str(key["solver"])],
    )
    seconds = _fit_seconds(learner, task_of(key), folder)
    last = learner.history_[-1]
    return {
        "seconds": seconds,
        "constraints": last.n_planes,
        "programs": last.n_programs,
        "search_seconds": last.oracle_seconds,
        "program_seconds": last.program_seconds,
        "gap": learner.gap_ / learner.primal_,
    }


def time_classifier(key: Key, folder: Path | None) -> dict[str, Any]:
    """Train a pair classifier, and return its time and the number of its pairs."""
    task = task_of(key)
    seconds = _fit_seconds(PairwiseClustering(C=float(key["C"] or 0.0)), task, folder)
    sizes = [len(truth) for truth in task.corpus(folder, "train").partitions]
    return {"seconds": seconds, "constraints": sum(size * (size - 1) // 2 for size in sizes)}


def _fit_seconds(learner: Learner, task: TrainingTask, folder: Path | None) -> float:
    """Fit a learner on the training sets, and return the seconds that it took."""
    train = task.corpus(folder, "train")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # A first fit on tiny data compiles or loads the kernels, which must not be timed.
        learner.fit(*make_synth(n_sets=2, cluster_size=3))
        start = perf_counter()
        learner.fit(*train)
        return perf_counter() - start


# Tables.


class TrainingTiming(NamedTuple):
    """The cost of one training by one solver, and whether its C is that of the tables."""

    training: Training
    solver: str
    C: float
    is_chosen: bool
    values: Values


def efficiency(context: Context) -> list[Table]:
    """Show the constraints, programs, searches and seconds of training (section 7.5)."""
    timings = _timings(context)
    costs = {f"{t.training.name}, {t.solver}": _cost_entries(t) for t in timings if t.is_chosen}
    powers = ", ".join(f"{10.0**power:g}" for power in tasks(context.quick)[0].effort.timed_powers)
    all_note = (
        f"All trainings above, and the same trainings with C = {powers}. Typical: the median."
    )
    return [
        Table.from_rows(
            "Section 7.5: what training takes",
            costs | _classifier_costs(context),
            SVM_CLUSTER["efficiency"],
            notes=[SOLVER_NOTE, SHARE_NOTE, CLOCK_NOTE],
            data=describe_data(*tasks(context.quick)),
        ),
        Table.from_rows(
            "Section 7.5: typical and longest training",
            {f"SVM-cluster, {name}": _time_entries(timings, name) for name in SOLVERS},
            SVM_CLUSTER["times"],
            notes=[all_note],
            data=SAME_DATA,
        ),
    ]


def _timings(context: Context) -> list[TrainingTiming]:
    """Time each training by each solver, for the C of the tables and for typical values."""
    runs = []
    for training in trainings(context):
        C_of_tables = training.choose_weight(context)
        Cs = sorted({10.0**power for power in training.task.effort.timed_powers} | {C_of_tables})
        runs += [(training, solver, C, C_of_tables == C) for solver in SOLVERS for C in Cs]
    keys = [training.key(solver, C) for training, solver, C, _ in runs]
    costs = context.run(keys, time_training)
    return [TrainingTiming(*run, values) for run, values in zip(runs, costs, strict=True)]


def _cost_entries(timing: TrainingTiming) -> dict[str, Entry]:
    values = timing.values
    spent = values["search_seconds"] + values["program_seconds"]
    return {
        "constraints": Entry(values["constraints"]),
        "QPs": Entry(values["programs"]),
        "% clustering": Entry(100 * values["search_seconds"] / spent),
        "gap, %": Entry(100 * max(values["gap"], 0.0)),
        "seconds": Entry(values["seconds"], note=f"C = {timing.C:g}"),
    }


def _classifier_costs(context: Context) -> dict[str, dict[str, Entry]]:
    rows = {}
    for name, task in zip(("NP-coreference", "News"), tasks(context.quick), strict=True):
        C = choose_classifier(context, task, "pair").C
        key: Key = {"timed": "PCC", "data": task.label, "C": C, "version": TIMING_VERSION}
        (values,) = context.run([key], time_classifier)
        seconds = Entry(values["seconds"], note=f"C = {C:g}")
        rows[f"{name}, PCC"] = {"constraints": Entry(values["constraints"]), "seconds": seconds}
    return rows


def _time_entries(timings: Sequence[TrainingTiming], solver: str) -> dict[str, Entry]:
    """Return the median and the longest time of all trainings by a solver."""
    chosen = [timing for timing in timings if timing.solver == solver]
    longest = max(chosen, key=lambda timing: timing.values["seconds"])
    return {
        "trainings": Entry(len(chosen)),
        "typical, s": Entry(float(np.median([timing.values["seconds"] for timing in chosen]))),
        "longest, s": Entry(
            longest.values["seconds"], note=f"{longest.training.name}, C = {longest.C:g}"
        ),
    }
