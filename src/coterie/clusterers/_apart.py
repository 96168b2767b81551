"""Pairs that must stay apart, as scores that no sum of others outweighs."""

import numpy as np

from coterie._arrays import Ints, Pairs
from coterie.pairs import PairScores, condensed_positions


def penalised(scores: PairScores) -> PairScores:
    """Give every apart pair a score below minus the sum of all positive ones.

    Whatever joins clusters only for a gain then never joins an apart pair.
    """
    if scores.apart is None:
        return scores
    penalty = -1.0 - 2.0 * float(scores.scores[scores.scores > 0].sum())
    pairs, values = scores.listed, scores.scores.copy()
    if pairs is None:
        values[condensed_positions(scores.apart, scores.n_items)] = penalty
    else:
        keys, banned = _keys(pairs, scores.n_items), _keys(scores.apart, scores.n_items)
        values[np.isin(keys, banned)] = penalty
        extra = scores.apart[~np.isin(banned, keys)]
        pairs = np.concatenate([pairs, extra])
        values = np.concatenate([values, np.full(len(extra), penalty)])
    return PairScores(scores.n_items, pairs, values)


def _keys(pairs: Pairs, n_items: int) -> Ints:
    return pairs[:, 0] * n_items + pairs[:, 1]
