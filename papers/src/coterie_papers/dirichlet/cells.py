"""The cells of the tables of SCM: one system on one subset of digits or on one author's citations.

A cell holds five measures per estimate, seed and test set.
"""

from pathlib import Path

from threadpoolctl import threadpool_limits

from coterie.metrics import normalized_edit_score, pair_scores, rand_score
from coterie.partition import Partition
from coterie_papers.dirichlet.data import CORA, SystemTask, citation_task, digit_task
from coterie_papers.dirichlet.effort import FULL, RunEffort, effort_of_cell
from coterie_papers.dirichlet.systems import SYSTEMS
from coterie_papers.engine.cells import Key, Values

VERSION = 1
"""Version of the computation in each key; raise it whenever cells are computed differently."""

MEASURES = ("RI", "P", "R", "F", "NES")


def run_system(key: Key, folder: Path | None) -> Values:
    """Train a system on the task of a key, and measure its predictions."""
    effort, run = effort_of_cell(key), int(key["run"] or 0)
    task = task_of(str(key["data"]), folder, run, int(key["n_digits"] or 0), effort)
    seeds = effort.seeds if key["data"] in CORA else (run,)
    # BLAS threads would wait for each other while other processes keep the cores busy.
    with threadpool_limits(1, "blas"):
        output = SYSTEMS[str(key["system"])](task, seeds, effort)
    scores = {
        estimate: [list(map(measures_of, task.test.partitions, predicted)) for predicted in by_seed]
        for estimate, by_seed in output.predictions.items()
    }
    return {"scores": scores, **output.facts}


def task_of(
    data: str, folder: Path | None, run: int, n_digits: int = 0, effort: RunEffort = FULL
) -> SystemTask:
    """Return the task of a run, which is a subset of digits or an author who is left out."""
    if data in CORA:
        return citation_task(data, folder, run, effort.citations)
    return digit_task(data, folder, run, n_digits, effort.images)


def measures_of(truth: Partition, predicted: Partition) -> list[float]:
    """Return the measures of the paper's tables, in the order of `MEASURES`."""
    pairs = pair_scores(truth, predicted)
    return [rand_score(truth, predicted), *pairs, normalized_edit_score(truth, predicted)]
