"""Chains over the partitions of one item set, in threads, each with random numbers of its own."""

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
"""The algorithms of Neal 2000."""
WALKS = {COLLAPSED: walk_collapsed, CONDITIONAL: walk_conditional, AUXILIARY: walk_auxiliary}
ROUNDS = 500
"""In how many parts long work is done at most, with word of each."""
FEWEST = 10
"""How many sweeps a part has at least."""


class Moves(NamedTuple):
    """How a chain goes from one partition to the next."""

    algorithm: int = COLLAPSED
    n_auxiliary: int = 0
    n_scans: int = 0
    n_splits: int = 0


class Schedule(NamedTuple):
    """How many partitions are kept of how many."""

    burn_in: int
    n_samples: int
    spacing: int

    @property
    def n_sweeps(self) -> int:
        """How many sweeps there are in all."""
        return self.burn_in + self.n_samples * self.spacing


@dataclass
class Chain:
    """One chain, which goes on from where it is."""

    seen: ObservedItems
    mixture: Mixture
    moves: Moves
    schedule: Schedule
    state: ClusterState
    rng: np.random.Generator
    labels: Ints = field(init=False)
    log_joint: Floats = field(init=False)

    def __post_init__(self) -> None:
        # Kernels are compiled once for arrays that can be written and once for those that cannot.
        self.seen = ObservedItems(*map(read_only, self.seen))  # type: ignore[arg-type]
        beliefs = zip(Mixture._fields, self.mixture, strict=True)
        arrays = {name: read_only(it) for name, it in beliefs if isinstance(it, np.ndarray)}
        self.mixture = self.mixture._replace(**arrays)  # type: ignore[arg-type]
        n_samples = self.schedule.n_samples
        self.labels = np.empty((n_samples, len(self.state.labels)), dtype=np.intp)
        self.log_joint = np.empty(n_samples)
        rebuild(self.state, self.seen, self.mixture)
        if self.moves.algorithm != COLLAPSED:
            draw_centres(self.state, self.mixture, self.rng)

    def advance(self, until: int) -> None:
        """Go on until a number of sweeps is done."""
        algorithm, n_auxiliary, n_scans, n_splits = self.moves
        burn_in, _, spacing = self.schedule
        moves = n_auxiliary, n_scans, n_splits
        course = Course(*moves, burn_in, spacing, self.labels, self.log_joint)
        while not WALKS[algorithm](self.state, self.seen, self.mixture, self.rng, course, until):
            self.state = _with_more_slots(self.state, self.mixture)


def initial_labels(number: int, n_items: int, rng: np.random.Generator) -> Ints:
    """Return where a chain starts: all items together, all apart, or at random between."""
    if number % 3 == 0:
        return np.zeros(n_items, dtype=np.intp)
    if number % 3 == 1:
        return np.arange(n_items)
    labels = rng.integers(max(1, round(n_items**0.5)), size=n_items)
    return _canonical(labels)


def start_chain(
    number: int,
    seen: ObservedItems,
    mixture: Mixture,
    moves: Moves,
    schedule: Schedule,
    random_state: int,
) -> Chain:
    """Start a chain; its number says where, and with the seed which random numbers it has."""
    rng = np.random.default_rng([random_state, number])
    n_items = len(seen.codes)
    labels = initial_labels(number, n_items, rng)
    types = rng.choice(len(mixture.log_shares), size=n_items, p=np.exp(mixture.log_shares))
    n_slots = int(labels.max(initial=-1)) + 1 + moves.n_splits + 16
    state = _allocated(labels, types, n_slots, mixture)
    return Chain(seen, mixture, moves, schedule, state, rng)


def run(chains: Sequence[Any], n_sweeps: int, n_jobs: int, task: str) -> None:
    """Let chains go on to their end, some at a time; how many does not change what they find."""
    n_rounds = max(1, min(ROUNDS, n_sweeps // FEWEST))
    marks = np.linspace(0, n_sweeps, n_rounds + 1).astype(int)[1:]
    with _mapping(n_jobs) as mapped:
        for mark in marks.tolist():
            list(mapped(lambda chain, until=mark: chain.advance(until), chains))
            report(task, mark, n_sweeps)


@contextmanager
def _mapping(n_jobs: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Give what maps a function over chains, in threads where there is more than one."""
    if n_jobs == 1:
        yield map
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield pool.map


def _canonical(labels: Ints) -> Ints:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse])


def _allocated(labels: Ints, types: Ints, n_slots: int, mixture: Mixture) -> ClusterState:
    n_types, n_features = mixture.precisions.shape
    refuse_too_large(
        2 * n_slots * n_types * n_features,
        f"a chain over {n_slots:,} clusters × {n_types:,} types × {n_features:,} features",
    )
    return as_state(labels, types, n_slots, mixture)


def _with_more_slots(state: ClusterState, mixture: Mixture) -> ClusterState:
    """Return the same state with twice the slots."""
    n_slots = len(state.sizes)
    larger = _allocated(state.labels, state.types, 2 * n_slots, mixture)
    for new, old in zip(larger, state, strict=True):
        if new is not larger.logs:
            new[: len(old)] = old
    return larger
