"""Must-link and cannot-link pairs as scores that no sum of other scores outweighs."""

from math import inf

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from coterie._core.arrays import Floats, Ints, Pairs, forbidding_score, refuse_too_large
from coterie.pairs import PairScores, condensed_positions


def penalise_cannot_links(scores: PairScores) -> PairScores:
    """Give every cannot-link pair a score below the negative sum of all others.

    A search that joins clusters only for a gain then never joins a cannot-link pair. Lower scores
    are raised to the same penalty, because the tolerance for rounding grows with the scores.
    """
    penalty = forbidding_score(scores.scores)
    if scores.apart is None and scores.scores.min(initial=0.0) >= penalty:
        return scores
    apart = np.empty((0, 2), dtype=np.intp) if scores.apart is None else scores.apart
    values = np.maximum(scores.scores, penalty)
    pairs, values = override_scores(scores.n_items, scores.listed, values, apart, penalty)
    return PairScores(scores.n_items, pairs, values)


def override_scores(
    n_items: int, scored_pairs: Pairs | None, values: Floats, pairs: Pairs, score: float
) -> tuple[Pairs | None, Floats]:
    """Give the pairs i < j one score, and add the unscored ones; `values` is overwritten."""
    if scored_pairs is None:
        values[condensed_positions(pairs, n_items)] = score
        return None, values
    scored_keys, pair_keys = _keys(scored_pairs, n_items), _keys(pairs, n_items)
    values[np.isin(scored_keys, pair_keys)] = score
    new_pairs = pairs[~np.isin(pair_keys, scored_keys)]
    scores = np.concatenate([values, np.full(len(new_pairs), score)])
    return np.concatenate([scored_pairs, new_pairs]), scores


def _keys(pairs: Pairs, n_items: int) -> Ints:
    return pairs[:, 0] * n_items + pairs[:, 1]


MAX_CHAIN_NAMES = 12
"""Number of items that an error message shows of a long chain."""


def raise_above_all(scores: PairScores, pairs: Pairs, level: float) -> PairScores:
    """Give some pairs, scored or not, one score just above a level and all other scores.

    It is barely above them, because the tolerance for rounding grows with the scores.

    >>> scores = PairScores(3, [(0, 1)], [2.0])
    >>> raise_above_all(scores, np.array([[1, 2]]), level=4.0).scores.round(9)
    array([2., 4.])
    """
    top = float(np.nextafter(max(float(scores.scores.max(initial=-inf)), level), inf))
    scored_pairs, values = override_scores(
        scores.n_items, scores.listed, scores.scores.copy(), pairs, top
    )
    optional = (scores.diagonal, scores.n_clusters, scores.apart)
    return PairScores(scores.n_items, scored_pairs, values, *optional)


def must_link_groups(links: Pairs, n_items: int) -> Ints:
    """Label each item by its group; links connect the items of a group.

    >>> must_link_groups(np.array([[0, 2]]), n_items=4).tolist()
    [0, 1, 0, 2]
    """
    labels: Ints = connected_components(_graph(links, n_items), directed=False)[1]
    return labels


def transitive_closure(links: Pairs, n_items: int) -> Pairs:
    """Return all pairs of items that links connect, directly or in a chain.

    >>> transitive_closure(np.array([[0, 2], [2, 3]]), n_items=4).tolist()
    [[0, 2], [0, 3], [2, 3]]
    """
    labels = must_link_groups(links, n_items)
    sizes = np.bincount(labels, minlength=1)
    n_pairs = int((sizes * (sizes - 1) // 2).sum())
    refuse_too_large(3 * n_pairs, f"the list of {n_pairs:,} must-link pairs")
    order = np.argsort(labels, kind="stable")
    # In the order of groups, each item is paired with all later items of its group.
    n_later = np.cumsum(sizes)[labels[order]] - np.arange(n_items) - 1
    first = np.repeat(np.arange(n_items), n_later)
    offsets = np.cumsum(n_later) - n_later
    second = first + 1 + np.arange(n_pairs) - np.repeat(offsets, n_later)
    return np.column_stack([order[first], order[second]])


def shortest_chain(links: Pairs, first: int, last: int, n_items: int) -> list[int]:
    """Return the items on a shortest path of links from one item to another.

    >>> shortest_chain(np.array([[0, 2], [1, 2], [1, 3], [2, 3]]), 0, 3, n_items=4)
    [0, 2, 3]
    """
    # The search starts at the last item, so predecessors lead from the first item to it.
    _, predecessors = breadth_first_order(_graph(links, n_items), last, directed=False)
    path = [first]
    while path[-1] != last:
        path.append(int(predecessors[path[-1]]))
    return path


def contradicting_chain(links: Pairs, apart: Pairs, n_items: int) -> list[int]:
    """Return the chain of links between the items of a cannot-link pair, empty if there is none.

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
    """Format a chain for an error message; the middle of a long chain is left out.

    >>> format_chain(["a", "b", "c"])
    'a = b = c'
    """
    n_omitted = len(names) - MAX_CHAIN_NAMES
    if n_omitted > 0:
        half = MAX_CHAIN_NAMES // 2
        names = [*names[:half], f"… ({n_omitted} more) …", *names[-half:]]
    return " = ".join(names)


def _graph(links: Pairs, n_items: int) -> sp.csr_array:
    ends = links.T.astype(np.int32)
    return sp.csr_array((np.ones(len(links)), (ends[0], ends[1])), shape=(n_items, n_items))
