"""The cells of the tables of SCM: one system on one subset of digits, or on one author's citations.

A cell holds five measures of each test set, for each estimate and seed.
"""

from pathlib import Path

from threadpoolctl import threadpool_limits

from coterie.metrics import normalized_edit_score, pair_scores, rand_score
from coterie.partition import Partition
from coterie_papers.dirichlet.data import CORA, Task, citation_task, digit_task
from coterie_papers.dirichlet.effort import FULL, Effort, effort_for
from coterie_papers.dirichlet.systems import SYSTEMS
from coterie_papers.engine.cells import Key, Values

VERSION = 1
"""To be raised when cells are computed in another way."""

MEASURES = ("RI", "P", "R", "F", "NES")


def tested(key: Key, folder: Path | None) -> Values:
    """Train and test a system."""
    effort, run = effort_for(key), int(key["run"] or 0)
    task = task_of(str(key["data"]), folder, run, int(key["n_digits"] or 0), effort)
    seeds = effort.seeds if key["data"] in CORA else (run,)
    # Threads of BLAS would wait for each other where other processes keep the cores busy.
    with threadpool_limits(1, "blas"):
        found = SYSTEMS[str(key["system"])](task, seeds, effort)
    scores = {
        name: [
            [measured(*each) for each in zip(task.test.partitions, answer, strict=True)]
            for answer in answers
        ]
        for name, answers in found.answers.items()
    }
    return {"scores": scores, **found.facts}


def task_of(
    data: str, folder: Path | None, run: int, n_digits: int = 0, effort: Effort = FULL
) -> Task:
    """Return the task of a run: a subset of digits, or the author that is left out."""
    if data in CORA:
        return citation_task(data, folder, run, effort.citations)
    return digit_task(data, folder, run, n_digits, effort.images)


def measured(truth: Partition, predicted: Partition) -> list[float]:
    """Return the measures of the paper's tables."""
    pairs = pair_scores(truth, predicted)
    return [rand_score(truth, predicted), *pairs, normalized_edit_score(truth, predicted)]
