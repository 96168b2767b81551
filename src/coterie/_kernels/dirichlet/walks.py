"""Chains over the partitions of an item set: sweeps, splits and merges in turn.

There is a walk for each of three algorithms of Neal 2000, so that only what is used is compiled.
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


class Course(NamedTuple):
    """Where a walk goes, and what it keeps."""

    n_auxiliary: int
    n_scans: int
    n_splits: int
    burn_in: int
    spacing: int
    labels: Ints
    """The partitions that are kept: each `spacing`-th after `burn_in` sweeps."""
    log_joints: Floats


@kernel
def walk_collapsed(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    course: Course,
    until: int,
) -> bool:
    """Go on by algorithm 3 until a number of sweeps is done.

    Return whether it is done; if not, more slots are needed to go on.
    """
    while state.progress[0] < until:
        state.progress[1] = sweep_collapsed(state, seen, mixture, rng, state.progress[1])
        if not _finish(state, seen, mixture, rng, course, False):
            return False
    return True


@kernel
def walk_conditional(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    course: Course,
    until: int,
) -> bool:
    """Go on by algorithm 2; the centres must have been drawn."""
    while state.progress[0] < until:
        state.progress[1] = sweep_conditional(state, seen, mixture, rng, state.progress[1])
        if not _finish(state, seen, mixture, rng, course, True):
            return False
    return True


@kernel
def walk_auxiliary(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    course: Course,
    until: int,
) -> bool:
    """Go on by algorithm 8; the centres must have been drawn."""
    auxiliary = np.empty((course.n_auxiliary, mixture.precisions.shape[1]))
    while state.progress[0] < until:
        state.progress[1] = sweep_auxiliary(state, seen, mixture, rng, state.progress[1], auxiliary)
        if not _finish(state, seen, mixture, rng, course, True):
            return False
    return True


@kernel
def _finish(
    state: ClusterState,
    seen: ObservedItems,
    mixture: Mixture,
    rng: np.random.Generator,
    course: Course,
    draws_centres: bool,
) -> bool:
    """Split and merge after a sweep, and keep what comes of it; not if slots are too few."""
    wanted = state.n_clusters[0] + course.n_splits + 3
    if state.progress[1] < len(state.labels) or wanted > len(state.sizes):
        return False
    rebuild(state, seen, mixture)
    state.progress[2] += split_or_merge(state, seen, mixture, rng, course.n_scans, course.n_splits)
    if draws_centres:
        draw_centres(state, mixture, rng)
    state.progress[0] += 1
    state.progress[1] = 0
    after = state.progress[0] - course.burn_in
    if after > 0 and after % course.spacing == 0:
        at = after // course.spacing - 1
        course.labels[at] = state.labels
        course.log_joints[at] = log_joint(state, mixture, seen.vectors.shape[0] > 0)
    return True
