"""Chains over the partitions of one item set, each with its own random generator."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints, read_only, refuse_too_large
from coterie._core.progress import report
from coterie._kernels.dirichlet.clusters import (
    ClusterState,
    Mixture,
    ObservedItems,
    as_state,
    rebuild,
)
from coterie._kernels.dirichlet.sweeps import draw_centres
from coterie._kernels.dirichlet.walks import (
    Course,
    walk_auxiliary,
    walk_collapsed,
    walk_conditional,
)

COLLAPSED, CONDITIONAL, AUXILIARY = 3, 2, 8
"""The numbers of the algorithms in Neal 2000."""
WALKS = {COLLAPSED: walk_collapsed, CONDITIONAL: walk_conditional, AUXILIARY: walk_auxiliary}
MAX_ROUNDS = 500
"""The largest number of rounds into which a run is divided, with a progress report after each."""
MIN_SWEEPS = 10
"""The least number of sweeps per round."""


class Moves(NamedTuple):
    """The moves of a chain from one partition to the next."""

    algorithm: int = COLLAPSED
    n_auxiliary: int = 0
    n_scans: int = 0
    n_splits: int = 0


class Schedule(NamedTuple):
    """The number of sweeps before, between and during sampling."""

    burn_in: int
    n_samples: int
    spacing: int

    @property
    def n_sweeps(self) -> int:
        """The total number of sweeps."""
        return self.burn_in + self.n_samples * self.spacing


@dataclass
class Chain:
    """One chain and its samples so far."""

    items: ObservedItems
    mixture: Mixture
    moves: Moves
    schedule: Schedule
    state: ClusterState
    rng: np.random.Generator
    labels: Ints = field(init=False)
    log_joint: Floats = field(init=False)

    def __post_init__(self) -> None:
        # Read-only and writable arrays have different types, for which kernels would compile twice.
        self.items = ObservedItems(*map(read_only, self.items))  # type: ignore[arg-type]
        fields = zip(Mixture._fields, self.mixture, strict=True)
        arrays = {name: read_only(value) for name, value in fields if isinstance(value, np.ndarray)}
        self.mixture = self.mixture._replace(**arrays)  # type: ignore[arg-type]
        n_samples = self.schedule.n_samples
        self.labels = np.empty((n_samples, len(self.state.labels)), dtype=np.intp)
        self.log_joint = np.empty(n_samples)
        rebuild(self.state, self.items, self.mixture)
        if self.moves.algorithm != COLLAPSED:
            draw_centres(self.state, self.mixture, self.rng)

    def advance(self, until: int) -> None:
        """Continue until the chain has made `until` sweeps in total."""
        algorithm, n_auxiliary, n_scans, n_splits = self.moves
        burn_in, _, spacing = self.schedule
        moves = n_auxiliary, n_scans, n_splits
        course = Course(*moves, burn_in, spacing, self.labels, self.log_joint)
        # A walk returns early, without having finished, when it needs more slots for clusters.
        while not WALKS[algorithm](self.state, self.items, self.mixture, self.rng, course, until):
            self.state = _with_more_slots(self.state, self.mixture)


def initial_labels(chain_index: int, n_items: int, rng: np.random.Generator) -> Ints:
    """Return the first partition of a chain: all items together, all apart, or random clusters."""
    if chain_index % 3 == 0:
        return np.zeros(n_items, dtype=np.intp)
    if chain_index % 3 == 1:
        return np.arange(n_items)
    labels = rng.integers(max(1, round(n_items**0.5)), size=n_items)
    return _relabel(labels)


def start_chain(
    chain_index: int,
    items: ObservedItems,
    mixture: Mixture,
    moves: Moves,
    schedule: Schedule,
    random_state: int,
) -> Chain:
    """Start a chain; its index selects the first partition and, with the seed, its generator."""
    rng = np.random.default_rng([random_state, chain_index])
    n_items = len(items.codes)
    labels = initial_labels(chain_index, n_items, rng)
    types = rng.choice(len(mixture.log_shares), size=n_items, p=np.exp(mixture.log_shares))
    n_slots = int(labels.max(initial=-1)) + 1 + moves.n_splits + 16
    state = _allocate(labels, types, n_slots, mixture)
    return Chain(items, mixture, moves, schedule, state, rng)


def run_chains(chains: Sequence[Any], n_sweeps: int, n_jobs: int, task: str) -> None:
    """Run chains to their end, `n_jobs` at a time, which does not change their samples."""
    n_rounds = max(1, min(MAX_ROUNDS, n_sweeps // MIN_SWEEPS))
    marks = np.linspace(0, n_sweeps, n_rounds + 1).astype(int)[1:]
    with _parallel_map(n_jobs) as map_chains:
        for mark in marks.tolist():
            list(map_chains(lambda chain, until=mark: chain.advance(until), chains))
            report(task, mark, n_sweeps)


@contextmanager
def _parallel_map(n_jobs: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Yield a function like `map`, which uses threads if `n_jobs` > 1."""
    if n_jobs == 1:
        yield map
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield pool.map


def _relabel(labels: Ints) -> Ints:
    """Return labels that number clusters by their first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse])


def _allocate(labels: Ints, types: Ints, n_slots: int, mixture: Mixture) -> ClusterState:
    n_types, n_features = mixture.precisions.shape
    refuse_too_large(
        2 * n_slots * n_types * n_features,
        f"a chain over {n_slots:,} clusters × {n_types:,} types × {n_features:,} features",
    )
    return as_state(labels, types, n_slots, mixture)


def _with_more_slots(state: ClusterState, mixture: Mixture) -> ClusterState:
    """Copy a state into one with twice as many slots."""
    n_slots = len(state.sizes)
    larger = _allocate(state.labels, state.types, 2 * n_slots, mixture)
    for new, old in zip(larger, state, strict=True):
        # `logs` is memory for kernels only.
        if new is not larger.logs:
            new[: len(old)] = old
    return larger
