"""How long chains shall run: what more sweeps cost in time, and bring in accuracy."""

import time
from math import isnan
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from coterie.dirichlet import NormalPrior
from coterie.learners import DirichletClustering
from coterie_papers.dirichlet.cells import MEASURES, VERSION, measured, task_of
from coterie_papers.dirichlet.effort import PAPER_SCHEDULE, Schedule, effort_of, marked
from coterie_papers.dirichlet.results import TABLES_DATA
from coterie_papers.dirichlet.systems import ESTIMATE, scm_learner
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Table

RUNS = {"USPS": "usps", "Cora (refs)": "cora_refs", "Cora (KSF)": "cora_ksf"}
"""The first run of each, and its first test set."""
PRIOR = NormalPrior(shape=20.0)
RESOLUTION = 0.1

NOTE = (
    "The first run of each table, seed 0: shape 20, for citations the resolution 0.1, all else as "
    "it is by default. Seconds of one core, to train and to draw from the posterior of one item "
    "set. Chains have unlike samples of the reference types, each its own level of the log joint, "
    "so that the R-hat of this stays above 1 however long they run."
)


def budget(context: Context) -> list[Table]:
    """Show what shorter and longer chains cost and bring (not in the paper)."""
    budgets = effort_of(context).budgets
    keys: list[Key] = [
        marked(context, {"table": "budget", "data": data, "factor": factor, "version": VERSION})
        for factor in reversed(list(budgets.values()))  # the slow ones first
        for data in RUNS.values()
    ]
    found = dict(zip(map(_name, keys), context.run(keys, timed), strict=True))
    shown = {
        f"{title}, {budget}: {schedule_of(factor).n_sweeps} sweeps": _shown(found[data, factor])
        for title, data in RUNS.items()
        for budget, factor in budgets.items()
    }
    longest = max(budgets.values())
    hours = {title: _hours(found[data, longest], longest) for title, data in RUNS.items()}
    title = "Not in the paper: what the number of sweeps costs and brings"
    notes = [NOTE, _extrapolated(hours)]
    return [Table.from_rows(title, shown, notes=notes, digits=3, data=TABLES_DATA)]


def schedule_of(factor: float) -> Schedule:
    """Return the learner's default, so many times as long."""
    learner = DirichletClustering()
    n_samples, burn_in = (round(factor * each) for each in (learner.n_samples, learner.burn_in))
    return Schedule(n_samples, burn_in, learner.spacing, learner.n_chains)


def timed(key: Key, folder: Path | None) -> Values:
    """Train SCM and draw from one posterior, by the clock of the processor."""
    task = task_of(str(key["data"]), folder, 0, n_digits=5)
    see = task.kind.view(task.train.item_sets, RESOLUTION)
    train, test = list(map(see, task.train.item_sets)), see(task.test.item_sets[0])
    with threadpool_limits(1, "blas"):
        learner = scm_learner(PRIOR, schedule_of(float(key["factor"] or 0)), seed=0)
        times = [time.process_time()]
        learner.fit(train, task.train.partitions)
        times.append(time.process_time())
        posterior = learner.posterior(test)
        times.append(time.process_time())
        predicted = ESTIMATE.partition(posterior)
    measures = measured(task.test.partitions[0], predicted)
    return {
        "fit": times[1] - times[0],
        "predict": times[2] - times[1],
        **dict(zip(MEASURES, measures, strict=True)),
        **posterior.diagnostics()._asdict(),
    }


def _name(key: Key) -> tuple[Any, Any]:
    return key["data"], key["factor"]


def _shown(values: Values) -> dict[str, float | None]:
    quantities = {"log joint": "log_joint", "clusters": "n_clusters", "a pair": "pair"}
    return {
        "s, training": round(values["fit"]),
        "s, prediction": round(values["predict"]),
        "F": values["F"],
        "NES": values["NES"],
        **{f"R̂, {name}": _told(values[f"r_hat_{key}"]) for name, key in quantities.items()},
        **{
            f"ESS, {name}": _told(values[f"ess_{key}"], whole=True)
            for name, key in quantities.items()
        },
    }


def _told(value: float, whole: bool = False) -> float | None:
    """Return a number; chains that are constant have none."""
    if isnan(value):
        return None
    return round(value) if whole else value


def _hours(values: Values, factor: float) -> float:
    """Return how long the paper's number of sweeps would take, by the time of a run."""
    seconds: float = values["fit"] + values["predict"]
    return seconds / schedule_of(factor).n_sweeps * PAPER_SCHEDULE.n_sweeps / 3600


def _extrapolated(hours: dict[str, float]) -> str:
    listed = ", ".join(f"{each:.1f} h ({title})" for title, each in hours.items())
    return (
        f"At the pace of the longest runs the paper's {PAPER_SCHEDULE.n_sweeps:,} sweeps, 10,000 "
        f"before the first of 1,000 samples, would take about {listed} on one core."
    )
