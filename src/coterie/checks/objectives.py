"""The contract of an objective."""

import numpy as np

from coterie._core.arrays import Floats
from coterie._types import Objective
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition


def check_objective(objective: Objective, *, random_state: int = 0) -> None:
    """Check that an objective's weights are the derivative of its value by the scores.

    Also that weights have one entry a pair (and an item), that the order of listed pairs does not
    matter, and that sets without items or pairs have a value.

    >>> from coterie.objectives import KMeans
    >>> check_objective(KMeans())
    """
    rng = np.random.default_rng(random_state)
    for n_items in (0, 1, 2, 6):
        labels = Partition(rng.integers(3, size=n_items))
        scores = PairScores(n_items, None, rng.normal(size=len(all_pairs(n_items))))
        kernel = scores.plus(np.zeros(len(scores.scores)), rng.normal(size=n_items))
        _check_shapes(objective, labels, kernel)
        _check_derivative(objective, labels, kernel)
        _check_pair_order(objective, labels, scores, rng)
        assert objective.scale(n_items) > 0, "the scale must be positive"


def _check_shapes(objective: Objective, labels: Partition, scores: PairScores) -> None:
    weights, own = objective.weights(labels, scores), objective.self_weights(labels, scores)
    assert weights.shape == scores.scores.shape, f"weights have shape {weights.shape}"
    assert own.shape == (scores.n_items,), f"self weights have shape {own.shape}"
    assert np.isfinite(objective.value(labels, scores)), "the value must be finite"


def _check_derivative(objective: Objective, labels: Partition, scores: PairScores) -> None:
    # Steps so small that no maximum inside the objective changes hands.
    own = np.zeros(scores.n_items)
    for pair, weight in enumerate(objective.weights(labels, scores)):
        step = np.zeros(len(scores.scores))
        step[pair] = 1e-6
        change = _slope(objective, labels, scores, step, own)
        np.testing.assert_allclose(change, weight, atol=1e-6, err_msg="weights are no derivative")
    for item, weight in enumerate(objective.self_weights(labels, scores)):
        step = np.zeros(scores.n_items)
        step[item] = 1e-6
        change = _slope(objective, labels, scores, np.zeros(len(scores.scores)), step)
        np.testing.assert_allclose(change, weight, atol=1e-6, err_msg="self weights are wrong")


def _slope(
    objective: Objective, labels: Partition, scores: PairScores, step: Floats, own: Floats
) -> float:
    above = objective.value(labels, scores.plus(step, own))
    return (above - objective.value(labels, scores.plus(-step, -own))) / 2e-6


def _check_pair_order(
    objective: Objective, labels: Partition, scores: PairScores, rng: np.random.Generator
) -> None:
    order = rng.permutation(len(scores.scores))
    listed = PairScores(scores.n_items, scores.pairs[order], scores.scores[order])
    expected = objective.weights(labels, scores)[order]
    found = objective.weights(labels, listed)
    np.testing.assert_allclose(found, expected, err_msg="weights depend on the order of pairs")
