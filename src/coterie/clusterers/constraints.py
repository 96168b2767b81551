"""Clustering under constraints: pairs of items that must be together, and pairs that must not."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arrays import Pairs
from coterie._types import Clusterer
from coterie.clusterers.family import clusterer_names
from coterie.clusterers.together import contradicting_chain, format_chain
from coterie.exceptions import PairError, located
from coterie.objectives import Correlation
from coterie.pairs import PairScores, as_links, contract, pair_indices
from coterie.partition import Partition


@runtime_checkable
class SupportsMustLinks(Protocol):
    """A clusterer that holds items together by scores of their pairs alone."""

    def united(self, scores: PairScores, links: Pairs, /) -> PairScores:
        """Return scores by which the items that links connect are joined before any others."""


def constrained_partition(
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
    >>> constrained_partition(Greedy(), scores, together=[(1, 2)], apart=[(0, 1)])
    Partition([0, 1, 1])
    >>> constrained_partition(Greedy(), scores, together=[(0, 1), (1, 2)], apart=[(0, 2)])
    Traceback (most recent call last):
    coterie.exceptions.PairError: items 0 and 2 must be apart, but 0 = 1 = 2 must be together;
    drop one of these
    """
    n_items = scores.n_items
    links = _links("together", together, n_items)
    parted = _links("apart", apart, n_items)
    pairs = [np.sort(pair_indices(parted if apart is None else apart, n_items), axis=1)]
    pairs += [] if scores.apart is None else [scores.apart]
    refuse_contradictions(links, np.concatenate(pairs), n_items)
    return partition_under_checked_constraints(clusterer, scores, links, parted)


def partition_under_checked_constraints(
    clusterer: Clusterer, scores: PairScores, together: Pairs, apart: Pairs
) -> Partition:
    """Partition the items as `constrained_partition` does, by links that contradict no other."""
    scores = _with_apart(scores, apart)
    partition = _holding(clusterer, scores, together) if len(together) else clusterer(scores)
    # Whatever the clusterer promised: it may be one of the user's own.
    _refuse_parted(clusterer, partition, together)
    _refuse_joined(clusterer, partition, scores.apart)
    return partition


def refuse_contradictions(
    together: Pairs, apart: Pairs, n_items: int, name: Callable[[int], str] | None = None
) -> None:
    """Refuse a pair that must be apart if links of together join it, and name the shortest chain.

    Parameters
    ----------
    together, apart
        Pairs of items, in either order.
    n_items
        How many items there are.
    name
        What errors call an item, by its number; None: the number.

    Examples
    --------
    >>> refuse_contradictions(np.array([[0, 1], [2, 1]]), np.array([[0, 2]]), 3, "abc".__getitem__)
    Traceback (most recent call last):
    coterie.exceptions.PairError: a and c must be apart, but a = b = c must be together; drop one
    of these
    """
    path = contradicting_chain(together, apart, n_items) if len(apart) else []
    if not path:
        return
    names = [str(item) if name is None else name(item) for item in path]
    one, several = ("item ", "items ") if name is None else ("", "")
    if len(path) == 1:
        raise PairError(f"{one}{names[0]} must be apart from itself; drop this pair")
    raise PairError(
        f"{several}{names[0]} and {names[-1]} must be apart, but {format_chain(names)} must be "
        "together; drop one of these"
    )


def _holding(clusterer: Clusterer, scores: PairScores, links: Pairs) -> Partition:
    """Partition the items, those together that links connect."""
    if isinstance(getattr(clusterer, "objective", None), Correlation):
        _refuse_start(clusterer)
        contraction = contract(scores, links)
        return contraction.expand(clusterer(contraction.scores))
    if isinstance(clusterer, SupportsMustLinks):
        return clusterer(clusterer.united(scores, links))
    names = clusterer_names(
        lambda member: member.maximises is Correlation or hasattr(member, "united")
    )
    raise PairError(f"{_name(clusterer)} cannot hold items together; use {names}")


def _links(name: str, pairs: ArrayLike | None, n_items: int) -> Pairs:
    with located(name):
        return as_links(np.empty((0, 2), dtype=np.intp) if pairs is None else pairs, n_items)


def _with_apart(scores: PairScores, pairs: Pairs) -> PairScores:
    """Add pairs to those of the scores that must be apart."""
    if not len(pairs):
        return scores
    apart = pairs if scores.apart is None else np.concatenate([scores.apart, pairs])
    others = (scores.diagonal, scores.n_clusters)
    return PairScores(scores.n_items, scores.listed, scores.scores, *others, apart=apart)


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
