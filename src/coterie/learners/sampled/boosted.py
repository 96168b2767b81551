"""Boosted trees of a sample of pairs, for several numbers of trees."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coterie._core.arrays import Ints
from coterie.learners.boosting.trees import LightTrees, TreeGrower, default_trees
from coterie.learners.sampled.pools import PairSample
from coterie.learners.sampled.scorers import PairScorer, TreeScorer

PATHS = {"quick": (40,), "normal": (25, 50, 100)}
"""The numbers of trees of each effort."""

LEARNING_RATE = 0.2
"""Twice that of `StructuredBoosting`, for half as many trees."""

N_BINS = 255
"""Number of bins of a column: enough, since a large part of a sample are pairs together."""


def fit(
    sample: PairSample,
    labels: Ints,  # noqa: ARG001
    path: Sequence[int],
    random_state: int,
) -> list[PairScorer]:
    """Boost the logistic loss of pairs; `path` has the numbers of trees."""
    n_all = sample.weights.sum()
    n_together = sample.weights[sample.together].sum()
    bias = float(np.log((n_together + 0.5) / (n_all - n_together + 0.5)))
    trees = _trees().grow_classifier(
        sample.matrix, sample.together, sample.weights, bias, max(path), random_state
    )
    return [TreeScorer(trees.first(count), bias) for count in path]


def _trees() -> TreeGrower:
    trees = replace(default_trees(), learning_rate=LEARNING_RATE)
    return replace(trees, n_bins=N_BINS) if isinstance(trees, LightTrees) else trees
