"""Clustering under constraints: pairs of items that must be together, and pairs that must not."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arrays import Pairs
from coterie._types import Clusterer
from coterie.clusterers.family import names_of
from coterie.clusterers.together import contradiction, shown_chain
from coterie.exceptions import PairError, located
from coterie.objectives import Correlation
from coterie.pairs import PairScores, as_links, contract, pair_indices
from coterie.partition import Partition


@runtime_checkable
class Uniting(Protocol):
    """A clusterer that holds items together by scores of their pairs alone."""

    def united(self, scores: PairScores, links: Pairs, /) -> PairScores:
        """Return scores by which the items that links connect are joined before any others."""


def constrained(
    clusterer: Clusterer,
    scores: PairScores,
    together: ArrayLike | None = None,
    apart: ArrayLike | None = None,
) -> Partition:
    """Partition the items so that some pairs share a cluster and others do not.

    Items that links of `together` connect are one from the start. A clusterer of the correlation
    objective sees them as one item with the sum of their scores; linkages and spanning forests
    join them before any others. All other clusterers refuse such links. Pairs of `apart`, and
    those of the scores, go to the clusterer, which refuses them if it cannot keep them apart.

    Parameters
    ----------
    clusterer
        What partitions the items.
    scores
        Scores of their pairs.
    together
        Pairs of items that must share a cluster, of shape (q, 2); None stands for none.
    apart
        Pairs of items that must not.

    Examples
    --------
    >>> from coterie.clusterers import Greedy
    >>> scores = PairScores.from_matrix([[0, 3, -1], [3, 0, 2], [-1, 2, 0]])
    >>> constrained(Greedy(), scores, together=[(1, 2)], apart=[(0, 1)])
    Partition([0, 1, 1])
    >>> constrained(Greedy(), scores, together=[(0, 1), (1, 2)], apart=[(0, 2)])
    Traceback (most recent call last):
    coterie.exceptions.PairError: items 0 and 2 must be apart, but 0 = 1 = 2 must be together;
    drop one of these
    """
    links = _links("together", together, scores.n_items)
    scores = _with_apart(scores, apart)
    _refuse_contradiction(links, scores)
    partition = _holding(clusterer, scores, links) if len(links) else clusterer(scores)
    # Whatever the clusterer promised: it may be one of the user's own.
    _refuse_parted(clusterer, partition, links)
    _refuse_joined(clusterer, partition, scores.apart)
    return partition


def _holding(clusterer: Clusterer, scores: PairScores, links: Pairs) -> Partition:
    """Partition the items, those together that links connect."""
    if isinstance(getattr(clusterer, "objective", None), Correlation):
        _refuse_start(clusterer)
        contraction = contract(scores, links)
        return contraction.expand(clusterer(contraction.scores))
    if isinstance(clusterer, Uniting):
        return clusterer(clusterer.united(scores, links))
    names = names_of(lambda member: member.maximises is Correlation or hasattr(member, "united"))
    raise PairError(f"{_name(clusterer)} cannot hold items together; use {names}")


def _links(name: str, pairs: ArrayLike | None, n_items: int) -> Pairs:
    with located(name):
        return as_links(np.empty((0, 2), dtype=np.intp) if pairs is None else pairs, n_items)


def _with_apart(scores: PairScores, apart: ArrayLike | None) -> PairScores:
    """Add pairs to those of the scores that must be apart."""
    links = _links("apart", apart, scores.n_items)
    if apart is not None:
        _refuse_selves(pair_indices(apart, scores.n_items))
    if not len(links):
        return scores
    known = links if scores.apart is None else np.concatenate([scores.apart, links])
    others = (scores.diagonal, scores.n_clusters)
    return PairScores(scores.n_items, scores.listed, scores.scores, *others, apart=known)


def _refuse_selves(apart: Pairs) -> None:
    selves = apart[apart[:, 0] == apart[:, 1], 0]
    if selves.size:
        raise PairError(f"item {selves.min()} must be apart from itself; drop this pair")


def _refuse_contradiction(links: Pairs, scores: PairScores) -> None:
    if scores.apart is None or not len(links):
        return
    path = contradiction(links, scores.apart, scores.n_items)
    if path:
        shown = shown_chain([str(item) for item in path])
        raise PairError(
            f"items {path[0]} and {path[-1]} must be apart, but {shown} must be together; drop one "
            "of these"
        )


def _refuse_start(clusterer: Clusterer) -> None:
    """Refuse a search from a given partition: it covers the items, not what links make of them."""
    if getattr(clusterer, "start", None) is not None:
        raise PairError(
            f"{_name(clusterer)} cannot hold items together from a given start; leave the start out"
        )


def _refuse_parted(clusterer: Clusterer, partition: Partition, links: Pairs) -> None:
    parted = links[~partition.together(links)] if len(links) else links
    if len(parted):
        raise PairError(
            f"{_name(clusterer)} parted items {parted[0, 0]} and {parted[0, 1]}, which must be "
            "together; use another clusterer, such as Greedy"
        )


def _refuse_joined(clusterer: Clusterer, partition: Partition, apart: Pairs | None) -> None:
    if apart is None:
        return
    joined = apart[partition.together(apart)]
    if len(joined):
        raise PairError(
            f"{_name(clusterer)} joined items {joined[0, 0]} and {joined[0, 1]}, which must be "
            "apart; use another clusterer, such as Greedy"
        )


def _name(clusterer: Clusterer) -> str:
    return type(clusterer).__name__
