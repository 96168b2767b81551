"""Latent spanning forests over a sample of pairs, for several weights of the loss."""

from collections.abc import Sequence

import numpy as np

from coterie._core.arrays import Ints
from coterie.features.operators import DenseFeatures
from coterie.learners.linking.cccp import CCCP
from coterie.learners.linking.spanning_forest import ForestRisk, Forests
from coterie.learners.sampled.pools import PairSample
from coterie.learners.sampled.scorers import LinearScorer, PairScorer, deviations
from coterie.partition import Partition

PATHS = {"normal": (0.003, 0.03)}
"""The values of C of each effort: small, since the loss counts links, and a table has many."""

FEW_STEPS = CCCP(tol=0.01, max_iter=5, inner_max_iter=15)


def fit(
    sample: PairSample,
    labels: Ints,
    path: Sequence[float],
    random_state: int,  # noqa: ARG001
) -> list[PairScorer]:
    """Learn a similarity whose links above 0 connect the entities, `labels`, of the items.

    As `SpanningForestLearner` does, with all item sets as one, whose only pairs are the sample.
    """
    scale = deviations(sample)
    scaled = np.ones((len(sample.matrix), len(scale) + 1))
    np.divide(sample.matrix, scale, out=scaled[:, :-1])
    items, ends = np.unique(sample.ends, return_inverse=True)
    pairs = ends.reshape(-1, 2).astype(np.intp)
    risk = ForestRisk([Forests(DenseFeatures(scaled), pairs, Partition(labels[items]))])
    scorers: list[PairScorer] = []
    start = np.zeros(scaled.shape[1])
    for C in path:
        optimum = FEW_STEPS.minimise(risk, 1.0 / C, start)
        scorers.append(LinearScorer(optimum.coef[:-1] / scale, float(optimum.coef[-1])))
    return scorers
