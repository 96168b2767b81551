"""The effort of a full run and of a quick run of the experiments on SCM."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from coterie_papers.dirichlet.data import CITATIONS, DIVISIONS, IMAGES, N_AUTHORS, ItemKind
from coterie_papers.engine.cells import Context, Key


class Schedule(NamedTuple):
    """The number and the length of chains."""

    n_samples: int
    burn_in: int
    spacing: int
    n_chains: int = 3

    @property
    def n_sweeps(self) -> int:
        """The number of sweeps of each chain."""
        return self.burn_in + self.n_samples * self.spacing


PAPER_SCHEDULE = Schedule(1000, 10_000, 100)
"""The schedule of the paper, which takes 440 times as long as that of a full run."""


@dataclass(frozen=True)
class RunEffort:
    """The number of runs, and the effort of each.

    Parameters
    ----------
    n_runs
        The number of runs (subsets of digits, or authors who are left out) by the name of the data.
    seeds
        The seeds for citations; for digits, the seed is the number of the subset.
    schedule
        The schedule of chains.
    trial
        The schedule of chains in the choice of settings.
    images, citations
        The settings of systems for digits and for citations.
    budgets
        Factors of the learner's default schedule to time, by their names in the table.
    """

    n_runs: Mapping[str, int]
    seeds: tuple[int, ...]
    schedule: Schedule
    trial: Schedule
    images: ItemKind
    citations: ItemKind
    budgets: Mapping[str, float]


FULL = RunEffort(
    n_runs={name: division.n_subsets for name, division in DIVISIONS.items()}
    | {"cora_refs": N_AUTHORS, "cora_ksf": N_AUTHORS},
    seeds=(0, 1),
    schedule=Schedule(50, 150, 2),
    trial=Schedule(20, 60, 1, n_chains=2),
    images=IMAGES,
    citations=CITATIONS,
    budgets={"half the default": 0.5, "the default": 1.0, "5 × the default": 5.0},
)
QUICK = RunEffort(
    n_runs={"usps": 6, "digits": 2, "cora_refs": 3, "cora_ksf": 3},
    seeds=(0,),
    schedule=Schedule(10, 20, 1, n_chains=2),
    trial=FULL.trial,  # not used, because there is only one setting
    images=replace(IMAGES, shapes=(10.0,), n_rows=800),
    citations=replace(CITATIONS, shapes=(100.0,), resolutions=(0.1,), n_rows=1_500),
    budgets={"a tenth of the default": 0.1},
)


def effort_of(context: Context) -> RunEffort:
    """Return the effort of a run."""
    return QUICK if context.quick else FULL


def with_quick_mark(context: Context, key: Key) -> Key:
    """Mark a key in a quick run; the keys of full runs have no mark."""
    return {**key, "quick": True} if context.quick else key


def effort_of_cell(key: Key) -> RunEffort:
    """Return the effort of a cell."""
    return QUICK if key.get("quick") else FULL
