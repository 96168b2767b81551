"""Which features are kernels: with weights of 0 or more they make positive semidefinite scores."""

import numpy as np

from coterie._core.arrays import Pairs
from coterie._types import Features
from coterie.features.operators import (
    MatrixFeatures,
    NodeProducts,
    ScaledFeatures,
    StackedFeatures,
    ZeroDiagonal,
)
from coterie.pairs import PairScores


def are_kernels(features: Features, pairs: Pairs | None, n_items: int) -> bool:
    """Tell whether each column is certain to be a positive semidefinite matrix over the items.

    Products of item vectors are. Given features of pairs are if they come with those of items with
    themselves, and their matrices have no negative eigenvalue. Nothing else is.
    """
    if pairs is not None:
        return n_items < 2
    if isinstance(features, NodeProducts):
        return True
    if isinstance(features, StackedFeatures):
        return all(are_kernels(part, pairs, n_items) for part in features.parts)
    if isinstance(features, ScaledFeatures):
        return are_kernels(features.of, pairs, n_items)
    if isinstance(features, MatrixFeatures) and not isinstance(features.diagonal, ZeroDiagonal):
        return _are_semidefinite(features, n_items)
    return False


def _are_semidefinite(features: MatrixFeatures, n_items: int) -> bool:
    for unit in np.eye(features.shape[1]):
        own = np.asarray(features.diagonal @ unit)
        matrix = PairScores(n_items, None, features @ unit, own).to_matrix()
        if np.linalg.eigvalsh(matrix)[0] < -1e-9 * np.abs(matrix).max(initial=0.0):
            return False
    return True
