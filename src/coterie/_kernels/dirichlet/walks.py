"""Chains over the partitions of an item set: sweeps alternate with splits and merges.

There is a walk for each of three algorithms of Neal 2000, so that only the one in use is compiled.
"""

from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import kernel
from coterie._kernels.dirichlet.clusters import ClusterState, Mixture, ObservedItems, rebuild
from coterie._kernels.dirichlet.densities import log_joint
from coterie._kernels.dirichlet.splits import split_or_merge
from coterie._kernels.dirichlet.sweeps import (
    draw_centres,
    sweep_auxiliary,
    sweep_collapsed,
    sweep_conditional,
)

N_SWEEPS, NEXT_ITEM, N_ACCEPTED = 0, 1, 2
"""The positions of the three numbers in `ClusterState.progress`."""


class Course(NamedTuple):
    """The moves of a walk, and the samples that it stores."""

    n_auxiliary: int
    n_scans: int
    n_splits: int
    burn_in: int
    spacing: int
    labels: Ints
    """The stored partitions, one per row: each `spacing`-th after `burn_in` sweeps."""
    log_joints: Floats


@kernel
def walk_collapsed(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    course: Course,
    until: int,
) -> bool:
    """Continue by algorithm 3 until a number of sweeps is done.

    Return whether it is done; if not, the walk requires more slots to continue.
    """
    while state.progress[N_SWEEPS] < until:
        state.progress[NEXT_ITEM] = sweep_collapsed(
            state, items, mixture, rng, state.progress[NEXT_ITEM]
        )
        if not _finish(state, items, mixture, rng, course, False):
            return False
    return True


@kernel
def walk_conditional(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    course: Course,
    until: int,
) -> bool:
    """Continue by algorithm 2; the centres must have been drawn."""
    while state.progress[N_SWEEPS] < until:
        state.progress[NEXT_ITEM] = sweep_conditional(
            state, items, mixture, rng, state.progress[NEXT_ITEM]
        )
        if not _finish(state, items, mixture, rng, course, True):
            return False
    return True


@kernel
def walk_auxiliary(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    course: Course,
    until: int,
) -> bool:
    """Continue by algorithm 8; the centres must have been drawn."""
    auxiliary = np.empty((course.n_auxiliary, mixture.precisions.shape[1]))
    while state.progress[N_SWEEPS] < until:
        state.progress[NEXT_ITEM] = sweep_auxiliary(
            state, items, mixture, rng, state.progress[NEXT_ITEM], auxiliary
        )
        if not _finish(state, items, mixture, rng, course, True):
            return False
    return True


@kernel
def _finish(
    state: ClusterState,
    items: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    course: Course,
    draws_centres: bool,
) -> bool:
    """Split and merge after a sweep and store the partition, or return False if slots run out."""
    # Each split may open a cluster; beyond them are the slot that is ready and the two sides of a
    # split. With too few, this returns before it changes anything: the caller enlarges the state
    # and calls again, the sweep continues at its next item, and no random number is drawn twice.
    n_slots = state.n_clusters[0] + course.n_splits + 3
    if state.progress[NEXT_ITEM] < len(state.labels) or n_slots > len(state.sizes):
        return False
    rebuild(state, items, mixture)
    state.progress[N_ACCEPTED] += split_or_merge(
        state, items, mixture, rng, course.n_scans, course.n_splits
    )
    # Split and merge moves integrate the means out. Drawing them afterwards, from their
    # conditional, is a Gibbs step, and gives new clusters a mean.
    if draws_centres:
        draw_centres(state, mixture, rng)
    state.progress[N_SWEEPS] += 1
    state.progress[NEXT_ITEM] = 0
    n_after = state.progress[N_SWEEPS] - course.burn_in
    if n_after > 0 and n_after % course.spacing == 0:
        sample = n_after // course.spacing - 1
        course.labels[sample] = state.labels
        course.log_joints[sample] = log_joint(state, mixture, items.vectors.shape[0] > 0)
    return True
