"""How much is computed for the tables of SCM: in full, or quickly."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from coterie_papers.dirichlet.data import CITATIONS, DIVISIONS, IMAGES, N_AUTHORS, Kind
from coterie_papers.engine.cells import Context, Key


class Schedule(NamedTuple):
    """How long chains run."""

    n_samples: int
    burn_in: int
    spacing: int
    n_chains: int = 3

    @property
    def n_sweeps(self) -> int:
        """How many sweeps each chain makes."""
        return self.burn_in + self.n_samples * self.spacing


PAPER_SCHEDULE = Schedule(1000, 10_000, 100)
"""That of the paper, which takes 440 times as long as ours."""


@dataclass(frozen=True)
class Effort:
    """How often systems are run, and how long they may take.

    Parameters
    ----------
    n_runs
        How many subsets of digits, or authors that are left out, by the name of the data.
    seeds
        Of citations; a subset of digits is its own seed.
    schedule
        How long chains run.
    trial
        The same where settings are chosen.
    images, citations
        How these are looked at, what there is to choose from, and the pairs of the SVM.
    budgets
        How many times the learner's default schedule is tried as long, by what it is called.
    """

    n_runs: Mapping[str, int]
    seeds: tuple[int, ...]
    schedule: Schedule
    trial: Schedule
    images: Kind
    citations: Kind
    budgets: Mapping[str, float]


FULL = Effort(
    n_runs={name: division.n_subsets for name, division in DIVISIONS.items()}
    | {"cora_refs": N_AUTHORS, "cora_ksf": N_AUTHORS},
    seeds=(0, 1),
    schedule=Schedule(50, 150, 2),
    trial=Schedule(20, 60, 1, n_chains=2),
    images=IMAGES,
    citations=CITATIONS,
    budgets={"half the default": 0.5, "the default": 1.0, "5 × the default": 5.0},
)
QUICK = Effort(
    n_runs={"usps": 6, "digits": 2, "cora_refs": 3, "cora_ksf": 3},
    seeds=(0,),
    schedule=Schedule(10, 20, 1, n_chains=2),
    trial=FULL.trial,  # no chains run so: there is one setting alone
    images=replace(IMAGES, shapes=(10.0,), n_rows=800),
    citations=replace(CITATIONS, shapes=(100.0,), resolutions=(0.1,), n_rows=1_500),
    budgets={"a tenth of the default": 0.1},
)


def effort_of(context: Context) -> Effort:
    """Return how much is to be computed."""
    return QUICK if context.quick else FULL


def marked(context: Context, key: Key) -> Key:
    """Say in a key that a cell is a quick one; those in full stay as they are."""
    return {**key, "quick": True} if context.quick else key


def effort_for(key: Key) -> Effort:
    """Return how much is to be computed for a cell."""
    return QUICK if key.get("quick") else FULL
