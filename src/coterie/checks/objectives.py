"""The check of objectives."""

import numpy as np

from coterie._core.arrays import Floats
from coterie._types import Objective
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition


def check_objective(objective: Objective, *, random_state: int = 0) -> None:
    """Check that an objective keeps the contract of its family.

    - Its weights are the derivative of its value with respect to the scores.
    - There is one weight per pair, and one self weight per item.
    - The order of the pairs does not matter.
    - Sets without items or pairs have a finite value.

    >>> from coterie.objectives import KMeans
    >>> check_objective(KMeans())
    """
    rng = np.random.default_rng(random_state)
    for n_items in (0, 1, 2, 6):
        partition = Partition(rng.integers(3, size=n_items))
        scores = PairScores(n_items, None, rng.normal(size=len(all_pairs(n_items))))
        kernel = scores.plus(np.zeros(len(scores.scores)), rng.normal(size=n_items))
        _check_shapes(objective, partition, kernel)
        _check_derivative(objective, partition, kernel)
        _check_pair_order(objective, partition, scores, rng)
        assert objective.scale(n_items) > 0, "the scale must be positive"


def _check_shapes(objective: Objective, partition: Partition, scores: PairScores) -> None:
    weights, self_weights = (
        objective.weights(partition, scores),
        objective.self_weights(partition, scores),
    )
    assert weights.shape == scores.scores.shape, f"weights have shape {weights.shape}"
    assert self_weights.shape == (scores.n_items,), f"self weights have shape {self_weights.shape}"
    assert np.isfinite(objective.value(partition, scores)), "the value must be finite"


def _check_derivative(objective: Objective, partition: Partition, scores: PairScores) -> None:
    """Compare the weights with central differences of the value."""
    # The steps are so small that the maxima inside an objective stay at the same pairs.
    no_step = np.zeros(scores.n_items)
    for pair, weight in enumerate(objective.weights(partition, scores)):
        step = np.zeros(len(scores.scores))
        step[pair] = 1e-6
        change = _slope(objective, partition, scores, step, no_step)
        np.testing.assert_allclose(
            change, weight, atol=1e-6, err_msg="the weights are not the derivative"
        )
    for item, weight in enumerate(objective.self_weights(partition, scores)):
        step = np.zeros(scores.n_items)
        step[item] = 1e-6
        change = _slope(objective, partition, scores, np.zeros(len(scores.scores)), step)
        np.testing.assert_allclose(
            change, weight, atol=1e-6, err_msg="the self weights are not the derivative"
        )


def _slope(
    objective: Objective, partition: Partition, scores: PairScores, step: Floats, self_step: Floats
) -> float:
    """Return the central difference of the value along steps of length 1e-6."""
    above = objective.value(partition, scores.plus(step, self_step))
    below = objective.value(partition, scores.plus(-step, -self_step))
    return (above - below) / 2e-6


def _check_pair_order(
    objective: Objective, partition: Partition, scores: PairScores, rng: np.random.Generator
) -> None:
    order = rng.permutation(len(scores.scores))
    shuffled = PairScores(scores.n_items, scores.pairs[order], scores.scores[order])
    expected = objective.weights(partition, scores)[order]
    weights = objective.weights(partition, shuffled)
    np.testing.assert_allclose(weights, expected, err_msg="weights depend on the order of pairs")
