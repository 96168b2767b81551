"""What it takes to train SVM-cluster and pair classifiers (Finley & Joachims 2005, section 7.5)."""

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
    Task,
    task_of,
    tasks,
)
from coterie_papers.svm_cluster.choices import SAME, classifier, data_line, structural
from coterie_papers.svm_cluster.published import SVM_CLUSTER

TIMING_VERSION = 1
"""To be raised when training is timed in another way."""

SOLVERS: Mapping[str, Solver] = {"N-slack": ALGORITHM_1, "1-slack": ONE_SLACK}
SOLVER_NOTE = (
    "N-slack is the paper's Algorithm 1, with ε = 0.1; 1-slack (Joachims, Finley & Yu 2009), our "
    "default solver, stops here at a gap of 1%, or after 1000 constraints. Both solve the QP anew "
    "after each constraint, the paper's program, it seems, after about 20. Constraints are those "
    "of the last QP: 1-slack drops idle ones, and each of its is a mean over all sets. PCC has one "
    "a pair."
)
SHARE_NOTE = (
    "Clustering: the search for worst partitions, in percent of the time of search and QP; the "
    "paper's 1 is in percent of the time of the QPs alone. The gap is what remains between the "
    "objective and its lower bound, by what the search found."
)
CLOCK_NOTE = (
    "Wall seconds on one core from features in memory to a fitted learner, C being the one of the "
    "tables; they depend on what else the machine did, other processes of this run included."
)


class Training(NamedTuple):
    """One of the trainings behind the tables."""

    name: str
    task: Task
    loss: str
    train: str

    def chosen(self, context: Context) -> float:
        """Return the C of the tables."""
        return structural(context, self.task, self.loss, self.train, self.train).C

    def key(self, solver: str, C: float) -> Key:
        """Name all that its time depends on, but for the corpus and the machine."""
        return {
            "timed": "SVM-cluster",
            "data": self.task.label,
            "train": self.train,
            "loss": self.loss,
            "solver": repr(SOLVERS[solver]),
            "C": C,
            "version": TIMING_VERSION,
        }


def trainings(context: Context) -> list[Training]:
    """Return what is trained with the loss in the search."""
    coreference, news = tasks(context.quick)
    return [
        Training("NP-coreference, Δ_M", coreference, "mitre", "C_G"),
        Training("NP-coreference, Δ_P", coreference, "pair", "C_G"),
        Training("News, train C_G", news, "pair", "C_G"),
        Training("News, train C_R", news, "pair", "C_R"),
    ]


# Cells.


def timed(key: Key, folder: Path | None) -> dict[str, Any]:
    """Train SVM-cluster for one C from nothing, and count what it took."""
    solvers = {repr(solver): solver for solver in SOLVERS.values()}
    learner = SVMCluster(
        float(key["C"] or 0.0),
        CLUSTERERS[str(key["train"])],
        LOSSES[str(key["loss"])],
        solvers[str(key["solver"])],
    )
    seconds = _seconds(learner, task_of(key), folder)
    last = learner.history_[-1]
    return {
        "seconds": seconds,
        "constraints": last.n_planes,
        "programs": last.n_programs,
        "search_seconds": last.oracle_seconds,
        "program_seconds": last.program_seconds,
        "gap": learner.gap_ / learner.primal_,
    }


def timed_pairs(key: Key, folder: Path | None) -> dict[str, Any]:
    """Train a pair classifier, and count the pairs."""
    task = task_of(key)
    seconds = _seconds(PairwiseClustering(C=float(key["C"] or 0.0)), task, folder)
    sizes = [len(truth) for truth in task.corpus(folder, "train").partitions]
    return {"seconds": seconds, "constraints": sum(size * (size - 1) // 2 for size in sizes)}


def _seconds(learner: Learner, task: Task, folder: Path | None) -> float:
    """Fit a learner on the training sets; return how long it took."""
    train = task.corpus(folder, "train")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # First on next to nothing, so that no kernel is compiled or loaded later.
        learner.fit(*make_synth(n_sets=2, cluster_size=3))
        start = perf_counter()
        learner.fit(*train)
        return perf_counter() - start


# Tables.


class Timing(NamedTuple):
    """What one training took by one solver, and whether its C is that of the tables."""

    training: Training
    solver: str
    C: float
    chosen: bool
    values: Values


def efficiency(context: Context) -> list[Table]:
    """Show how many constraints, programs, searches and seconds training takes (section 7.5)."""
    timings = _timings(context)
    costs = {f"{t.training.name}, {t.solver}": _cost(t) for t in timings if t.chosen}
    powers = ", ".join(f"{10.0**power:g}" for power in tasks(context.quick)[0].effort.timed)
    all_note = f"Of the trainings above, and of the same for C = {powers}; typical is the median."
    return [
        Table.from_rows(
            "Section 7.5: what training takes",
            costs | _pair_costs(context),
            SVM_CLUSTER["efficiency"],
            notes=[SOLVER_NOTE, SHARE_NOTE, CLOCK_NOTE],
            data=data_line(*tasks(context.quick)),
        ),
        Table.from_rows(
            "Section 7.5: typical and longest training",
            {f"SVM-cluster, {name}": _spread(timings, name) for name in SOLVERS},
            SVM_CLUSTER["times"],
            notes=[all_note],
            data=SAME,
        ),
    ]


def _timings(context: Context) -> list[Timing]:
    """Time every training by every solver, for the C of the tables and for typical ones."""
    planned = []
    for training in trainings(context):
        chosen = training.chosen(context)
        Cs = sorted({10.0**power for power in training.task.effort.timed} | {chosen})
        planned += [(training, name, C, chosen == C) for name in SOLVERS for C in Cs]
    found = context.run([training.key(name, C) for training, name, C, _ in planned], timed)
    return [Timing(*plan, values) for plan, values in zip(planned, found, strict=True)]


def _cost(timing: Timing) -> dict[str, Entry]:
    values = timing.values
    spent = values["search_seconds"] + values["program_seconds"]
    return {
        "constraints": Entry(values["constraints"]),
        "QPs": Entry(values["programs"]),
        "% clustering": Entry(100 * values["search_seconds"] / spent),
        "gap, %": Entry(100 * max(values["gap"], 0.0)),
        "seconds": Entry(values["seconds"], note=f"C = {timing.C:g}"),
    }


def _pair_costs(context: Context) -> dict[str, dict[str, Entry]]:
    rows = {}
    for name, task in zip(("NP-coreference", "News"), tasks(context.quick), strict=True):
        C = classifier(context, task, "pair").C
        key: Key = {"timed": "PCC", "data": task.label, "C": C, "version": TIMING_VERSION}
        (values,) = context.run([key], timed_pairs)
        seconds = Entry(values["seconds"], note=f"C = {C:g}")
        rows[f"{name}, PCC"] = {"constraints": Entry(values["constraints"]), "seconds": seconds}
    return rows


def _spread(timings: Sequence[Timing], solver: str) -> dict[str, Entry]:
    """Show the median and the longest time of all trainings by a solver."""
    own = [timing for timing in timings if timing.solver == solver]
    longest = max(own, key=lambda timing: timing.values["seconds"])
    return {
        "trainings": Entry(len(own)),
        "typical, s": Entry(float(np.median([timing.values["seconds"] for timing in own]))),
        "longest, s": Entry(
            longest.values["seconds"], note=f"{longest.training.name}, C = {longest.C:g}"
        ),
    }
