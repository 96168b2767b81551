"""Clustering under constraints: must-link pairs and cannot-link pairs."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arrays import Pairs
from coterie._core.indices import pair_text
from coterie._types import Clusterer
from coterie.clusterers.family import clusterer_names
from coterie.clusterers.together import contradicting_chain, format_chain
from coterie.exceptions import PairError, located
from coterie.objectives import Correlation
from coterie.pairs import PairScores, as_links, contract, pair_indices
from coterie.partition import Partition


@runtime_checkable
class SupportsMustLinks(Protocol):
    """A clusterer that obeys must-link pairs if the scores of some pairs are raised."""

    def united(self, scores: PairScores, links: Pairs, /) -> PairScores:
        """Return scores with which the clusterer joins must-linked items before any others."""


def constrained_partition(
    clusterer: Clusterer,
    scores: PairScores,
    must_link: ArrayLike | None = None,
    cannot_link: ArrayLike | None = None,
) -> Partition:
    """Partition the items such that must-link pairs share a cluster and cannot-link pairs do not.

    Items that must-link pairs connect form a group. A clusterer that maximises the correlation
    objective clusters groups like single items, with the sums of their scores. Linkages and
    spanning forests join the items of a group before any others. All other clusterers refuse
    must-link pairs. Cannot-link pairs, of `cannot_link` and of the scores, are passed on to the
    clusterer, which refuses them if it does not support them.

    Parameters
    ----------
    clusterer
        Partitions the items.
    scores
        Scores of the item pairs.
    must_link
        Pairs of shape (q, 2) whose items must be in the same cluster. None means no pairs.
    cannot_link
        Pairs of shape (q, 2) whose items must not be in the same cluster. None means no pairs.

    Examples
    --------
    >>> from coterie.clusterers import Greedy
    >>> scores = PairScores.from_matrix([[0, 3, -1], [3, 0, 2], [-1, 2, 0]])
    >>> constrained_partition(Greedy(), scores, must_link=[(1, 2)], cannot_link=[(0, 1)])
    Partition([0, 1, 1])
    >>> constrained_partition(Greedy(), scores, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    Traceback (most recent call last):
    coterie.exceptions.PairError: items 0 and 2 are a cannot-link pair, but must-link pairs connect
    them: 0 = 1 = 2; drop one of these pairs
    """
    constraints = checked_constraints(scores, must_link, cannot_link)
    return partition_under_checked_constraints(clusterer, scores, *constraints)


def checked_constraints(
    scores: PairScores, must_link: ArrayLike | None, cannot_link: ArrayLike | None
) -> tuple[Pairs, Pairs]:
    """Return must-link and cannot-link pairs as indices of items; refuse contradictions."""
    n_items = scores.n_items
    must_links = _as_constraint("must_link", must_link, n_items)
    cannot_links = _as_constraint("cannot_link", cannot_link, n_items)
    # The pairs of `cannot_link` as they were given: an item paired with itself is a contradiction.
    as_given = cannot_links if cannot_link is None else pair_indices(cannot_link, n_items)
    pairs = [np.sort(as_given, axis=1)]
    pairs += [] if scores.apart is None else [scores.apart]
    refuse_contradictions(must_links, np.concatenate(pairs), n_items)
    return must_links, cannot_links


def partition_under_checked_constraints(
    clusterer: Clusterer, scores: PairScores, must_link: Pairs, cannot_link: Pairs
) -> Partition:
    """Partition as `constrained_partition` does, under constraints without contradictions."""
    scores = add_cannot_links(scores, cannot_link)
    if len(must_link):
        partition = _partition_with_must_links(clusterer, scores, must_link)
    else:
        partition = clusterer(scores)
    # The result is checked, because a clusterer of the user may break its promise.
    _refuse_violated_must_links(clusterer, partition, must_link)
    _refuse_violated_cannot_links(clusterer, partition, scores.apart)
    return partition


def refuse_contradictions(
    must_link: Pairs, cannot_link: Pairs, n_items: int, name: Callable[[int], str] | None = None
) -> None:
    """Refuse a cannot-link pair that must-link pairs connect, and name the shortest chain of them.

    Parameters
    ----------
    must_link, cannot_link
        Must-link and cannot-link pairs, of shape (q, 2), with the two items in either order.
    n_items
        Number of items.
    name
        Returns the name of an item in errors, by its index. None means the index.

    Examples
    --------
    >>> refuse_contradictions(np.array([[0, 1], [2, 1]]), np.array([[0, 2]]), 3, "abc".__getitem__)
    Traceback (most recent call last):
    coterie.exceptions.PairError: a and c are a cannot-link pair, but must-link pairs connect them:
    a = b = c; drop one of these pairs
    """
    path = contradicting_chain(must_link, cannot_link, n_items) if len(cannot_link) else []
    if not path:
        return
    names = [str(item) if name is None else name(item) for item in path]
    item, items = ("item ", "items ") if name is None else ("", "")
    if len(path) == 1:
        raise PairError(f"{item}{names[0]} is in a cannot-link pair with itself; drop this pair")
    raise PairError(
        f"{items}{names[0]} and {names[-1]} are a cannot-link pair, but must-link pairs connect "
        f"them: {format_chain(names)}; drop one of these pairs"
    )


def _partition_with_must_links(clusterer: Clusterer, scores: PairScores, links: Pairs) -> Partition:
    if isinstance(getattr(clusterer, "objective", None), Correlation):
        _refuse_start(clusterer)
        contraction = contract(scores, links)
        return contraction.expand(clusterer(contraction.scores))
    if isinstance(clusterer, SupportsMustLinks):
        return clusterer(clusterer.united(scores, links))
    names = clusterer_names(
        lambda member: member.maximises is Correlation or hasattr(member, "united")
    )
    raise PairError(f"{_name(clusterer)} does not support must-link pairs; use {names}")


def _as_constraint(name: str, pairs: ArrayLike | None, n_items: int) -> Pairs:
    with located(name):
        return as_links(np.empty((0, 2), dtype=np.intp) if pairs is None else pairs, n_items)


def add_cannot_links(scores: PairScores, pairs: Pairs) -> PairScores:
    """Return scores with more cannot-link pairs."""
    if not len(pairs):
        return scores
    apart = pairs if scores.apart is None else np.concatenate([scores.apart, pairs])
    optional = (scores.diagonal, scores.n_clusters, apart)
    return PairScores(scores.n_items, scores.listed, scores.scores, *optional)


def _refuse_start(clusterer: Clusterer) -> None:
    """Refuse a clusterer with a start, which covers the items and not their must-link groups."""
    if getattr(clusterer, "start", None) is not None:
        raise PairError(
            f"{_name(clusterer)} with a start does not support must-link pairs; leave out start"
        )


def _refuse_violated_must_links(clusterer: Clusterer, partition: Partition, links: Pairs) -> None:
    violated = links[~partition.together(links)] if len(links) else links
    if len(violated):
        raise PairError(
            f"{_name(clusterer)} separated the must-link pair {pair_text(violated[0])}; use "
            "another clusterer, such as Greedy"
        )


def _refuse_violated_cannot_links(
    clusterer: Clusterer, partition: Partition, apart: Pairs | None
) -> None:
    if apart is None:
        return
    violated = apart[partition.together(apart)]
    if len(violated):
        raise PairError(
            f"{_name(clusterer)} joined the cannot-link pair {pair_text(violated[0])}; use "
            "another clusterer, such as Greedy"
        )


def _name(clusterer: Clusterer) -> str:
    return type(clusterer).__name__
