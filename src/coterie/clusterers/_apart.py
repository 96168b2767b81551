"""Pairs that must stay apart, as scores that no sum of others outweighs."""

import numpy as np

from coterie._core.arrays import Floats, Ints, Pairs
from coterie._core.rounding import below_all
from coterie.pairs import PairScores, condensed_positions


def penalised(scores: PairScores) -> PairScores:
    """Give every apart pair a score that no sum of others outweighs, and no pair a lower one.

    Whatever joins clusters only for a gain then never joins an apart pair; and where some scores
    are so low that they only forbid, rounding is not measured by them.
    """
    penalty = below_all(scores.scores)
    if scores.apart is None and scores.scores.min(initial=0.0) >= penalty:
        return scores
    apart = np.empty((0, 2), dtype=np.intp) if scores.apart is None else scores.apart
    values = np.maximum(scores.scores, penalty)
    pairs, values = overridden(scores.n_items, scores.listed, values, apart, penalty)
    return PairScores(scores.n_items, pairs, values)


def overridden(
    n_items: int, listed: Pairs | None, values: Floats, pairs: Pairs, score: float
) -> tuple[Pairs | None, Floats]:
    """Give some pairs i < j, listed or not, one score; change `values`."""
    if listed is None:
        values[condensed_positions(pairs, n_items)] = score
        return None, values
    keys, chosen = _keys(listed, n_items), _keys(pairs, n_items)
    values[np.isin(keys, chosen)] = score
    extra = pairs[~np.isin(chosen, keys)]
    scores = np.concatenate([values, np.full(len(extra), score)])
    return np.concatenate([listed, extra]), scores


def _keys(pairs: Pairs, n_items: int) -> Ints:
    return pairs[:, 0] * n_items + pairs[:, 1]
