"""Pairs that must stay apart, as scores that no sum of others outweighs."""

import numpy as np

from coterie._arrays import Ints, Pairs
from coterie._rounding import below_all
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
    pairs, values = scores.listed, np.maximum(scores.scores, penalty)
    if pairs is None:
        values[condensed_positions(apart, scores.n_items)] = penalty
    else:
        keys, banned = _keys(pairs, scores.n_items), _keys(apart, scores.n_items)
        values[np.isin(keys, banned)] = penalty
        extra = apart[~np.isin(banned, keys)]
        pairs = np.concatenate([pairs, extra])
        values = np.concatenate([values, np.full(len(extra), penalty)])
    return PairScores(scores.n_items, pairs, values)


def _keys(pairs: Pairs, n_items: int) -> Ints:
    return pairs[:, 0] * n_items + pairs[:, 1]
