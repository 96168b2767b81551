"""Items that must stay together or apart, as scores that no sum of others outweighs."""

from math import inf

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from coterie._core.arrays import Floats, Ints, Pairs, forbidding_score, refuse_too_large
from coterie.pairs import PairScores, condensed_positions


def penalise_cannot_links(scores: PairScores) -> PairScores:
    """Give every apart pair a score that no sum of others outweighs, and no pair a lower one.

    Whatever joins clusters only for a gain then never joins an apart pair; and where some scores
    are so low that they only forbid, rounding is not measured by them.
    """
    penalty = forbidding_score(scores.scores)
    if scores.apart is None and scores.scores.min(initial=0.0) >= penalty:
        return scores
    apart = np.empty((0, 2), dtype=np.intp) if scores.apart is None else scores.apart
    values = np.maximum(scores.scores, penalty)
    pairs, values = override_scores(scores.n_items, scores.listed, values, apart, penalty)
    return PairScores(scores.n_items, pairs, values)


def override_scores(
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


MOST_SHOWN = 12
"""How many items of a chain an error shows."""


def raise_above_all(scores: PairScores, pairs: Pairs, level: float) -> PairScores:
    """Give some pairs, listed or not, one score just above a level and above all other scores.

    No higher than needed, because what counts as rounding is measured by the largest score.

    >>> scores = PairScores(3, [(0, 1)], [2.0])
    >>> raise_above_all(scores, np.array([[1, 2]]), level=4.0).scores.round(9)
    array([2., 4.])
    """
    top = float(np.nextafter(max(float(scores.scores.max(initial=-inf)), level), inf))
    listed, values = override_scores(
        scores.n_items, scores.listed, scores.scores.copy(), pairs, top
    )
    known = (scores.diagonal, scores.n_clusters, scores.apart)
    return PairScores(scores.n_items, listed, values, *known)


def must_link_groups(links: Pairs, n_items: int) -> Ints:
    """Give the items that links connect one number.

    >>> must_link_groups(np.array([[0, 2]]), n_items=4).tolist()
    [0, 1, 0, 2]
    """
    labels: Ints = connected_components(_graph(links, n_items), directed=False)[1]
    return labels


def transitive_closure(links: Pairs, n_items: int) -> Pairs:
    """List all pairs of items that links connect.

    >>> transitive_closure(np.array([[0, 2], [2, 3]]), n_items=4).tolist()
    [[0, 2], [0, 3], [2, 3]]
    """
    labels = must_link_groups(links, n_items)
    sizes = np.bincount(labels, minlength=1)
    n_pairs = int((sizes * (sizes - 1) // 2).sum())
    refuse_too_large(3 * n_pairs, f"the list of {n_pairs:,} pairs that must be together")
    order = np.argsort(labels, kind="stable")
    # Of the items in order of their groups, each makes a pair with all that follow in its group.
    n_later = np.cumsum(sizes)[labels[order]] - np.arange(n_items) - 1
    first = np.repeat(np.arange(n_items), n_later)
    begins = np.cumsum(n_later) - n_later
    second = first + 1 + np.arange(n_pairs) - np.repeat(begins, n_later)
    return np.column_stack([order[first], order[second]])


def shortest_chain(links: Pairs, first: int, last: int, n_items: int) -> list[int]:
    """Return the items of a shortest path of links between two items that links connect.

    >>> shortest_chain(np.array([[0, 2], [1, 2], [1, 3], [2, 3]]), 0, 3, n_items=4)
    [0, 2, 3]
    """
    _, following = breadth_first_order(_graph(links, n_items), last, directed=False)
    path = [first]
    while path[-1] != last:
        path.append(int(following[path[-1]]))
    return path


def contradicting_chain(links: Pairs, apart: Pairs, n_items: int) -> list[int]:
    """Return the chain of links between two items that must be apart; empty where there is none.

    >>> contradicting_chain(np.array([[0, 2], [1, 2]]), np.array([[0, 1]]), n_items=3)
    [0, 2, 1]
    """
    groups = must_link_groups(links, n_items)
    clash = np.flatnonzero(groups[apart[:, 0]] == groups[apart[:, 1]])
    if not clash.size:
        return []
    first, last = apart[clash[0]].tolist()
    return shortest_chain(links, first, last, n_items)


def format_chain(names: list[str]) -> str:
    """Write a chain for an error, without the middle of a long one.

    >>> format_chain(["a", "b", "c"])
    'a = b = c'
    """
    left_out = len(names) - MOST_SHOWN
    if left_out > 0:
        half = MOST_SHOWN // 2
        names = [*names[:half], f"… ({left_out} more) …", *names[-half:]]
    return " = ".join(names)


def _graph(links: Pairs, n_items: int) -> sp.csr_array:
    ends = links.T.astype(np.int32)
    return sp.csr_array((np.ones(len(links)), (ends[0], ends[1])), shape=(n_items, n_items))
