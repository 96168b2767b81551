"""The length of chains: the time and the accuracy of SCM with fewer and with more sweeps."""

import time
from math import isnan
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from coterie.dirichlet import NormalPrior
from coterie.learners import DirichletClustering
from coterie_papers.dirichlet.cells import MEASURES, VERSION, measures_of, task_of
from coterie_papers.dirichlet.effort import PAPER_SCHEDULE, Schedule, effort_of, with_quick_mark
from coterie_papers.dirichlet.results import TABLES_DATA
from coterie_papers.dirichlet.systems import ESTIMATE, scm_learner
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Table

RUNS = {"USPS": "usps", "Cora (refs)": "cora_refs", "Cora (KSF)": "cora_ksf"}
"""The data that are timed: the first run of each, and its first test set."""
PRIOR = NormalPrior(shape=20.0)
RESOLUTION = 0.1

NOTE = (
    "The first run of each table with seed 0, shape 20, resolution 0.1 for citations, and defaults "
    "for all other parameters. Times are seconds of one core, for training and for sampling the "
    "posterior of one item set. The chains have different samples of the reference types, and so "
    "different levels of the log joint: its R̂ stays above 1, however long the chains run."
)


def budget(context: Context) -> list[Table]:
    """Show the time and the accuracy of shorter and of longer chains (not in the paper)."""
    budgets = effort_of(context).budgets
    keys: list[Key] = [
        with_quick_mark(
            context, {"table": "budget", "data": data, "factor": factor, "version": VERSION}
        )
        for factor in reversed(list(budgets.values()))  # the slowest ones first
        for data in RUNS.values()
    ]
    cells = dict(zip(map(_data_and_factor, keys), context.run(keys, time_scm), strict=True))
    entries = {
        f"{title}, {budget}: {schedule_of(factor).n_sweeps} sweeps": _entries(cells[data, factor])
        for title, data in RUNS.items()
        for budget, factor in budgets.items()
    }
    longest = max(budgets.values())
    hours = {title: _hours(cells[data, longest], longest) for title, data in RUNS.items()}
    title = "Not in the paper: what the number of sweeps costs and brings"
    notes = [NOTE, _extrapolated(hours)]
    return [Table.from_rows(title, entries, notes=notes, digits=3, data=TABLES_DATA)]


def schedule_of(factor: float) -> Schedule:
    """Return the default schedule of the learner with `factor` times the samples and burn-in."""
    learner = DirichletClustering()
    n_samples, burn_in = (round(factor * count) for count in (learner.n_samples, learner.burn_in))
    return Schedule(n_samples, burn_in, learner.spacing, learner.n_chains)


def time_scm(key: Key, folder: Path | None) -> Values:
    """Return the processor times of training SCM and of sampling one posterior, and its quality."""
    task = task_of(str(key["data"]), folder, 0, n_digits=5)
    transform = task.kind.fit_transform(task.train.item_sets, RESOLUTION)
    train = list(map(transform, task.train.item_sets))
    test = transform(task.test.item_sets[0])
    with threadpool_limits(1, "blas"):
        learner = scm_learner(PRIOR, schedule_of(float(key["factor"] or 0)), seed=0)
        times = [time.process_time()]
        learner.fit(train, task.train.partitions)
        times.append(time.process_time())
        posterior = learner.posterior(test)
        times.append(time.process_time())
        predicted = ESTIMATE.partition(posterior)
    measures = measures_of(task.test.partitions[0], predicted)
    return {
        "fit": times[1] - times[0],
        "predict": times[2] - times[1],
        **dict(zip(MEASURES, measures, strict=True)),
        **posterior.diagnostics()._asdict(),
    }


def _data_and_factor(key: Key) -> tuple[Any, Any]:
    return key["data"], key["factor"]


def _entries(values: Values) -> dict[str, float | None]:
    quantities = {"log joint": "log_joint", "clusters": "n_clusters", "a pair": "pair"}
    return {
        "s, training": round(values["fit"]),
        "s, prediction": round(values["predict"]),
        "F": values["F"],
        "NES": values["NES"],
        **{f"R̂, {name}": _number(values[f"r_hat_{key}"]) for name, key in quantities.items()},
        **{
            f"ESS, {name}": _number(values[f"ess_{key}"], integer=True)
            for name, key in quantities.items()
        },
    }


def _number(value: float, integer: bool = False) -> float | None:
    """Return a number for a table; constant chains have NaN, for which it is None."""
    if isnan(value):
        return None
    return round(value) if integer else value


def _hours(values: Values, factor: float) -> float:
    """Return the hours of the paper's number of sweeps at the speed of a run."""
    seconds: float = values["fit"] + values["predict"]
    return seconds / schedule_of(factor).n_sweeps * PAPER_SCHEDULE.n_sweeps / 3600


def _extrapolated(hours: dict[str, float]) -> str:
    times = ", ".join(f"{time:.1f} h ({title})" for title, time in hours.items())
    return (
        f"At the speed of the longest runs, the paper's {PAPER_SCHEDULE.n_sweeps:,} sweeps (10,000 "
        f"before the first of 1,000 samples) would take about {times} on one core."
    )
