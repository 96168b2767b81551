"""Splitting an item set into pieces that are clustered separately, and combining the labels."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from coterie._core.arrays import Floats, Ints, Pairs
from coterie._kernels.graphs.components import DENSE_SHARE, condensed_components, listed_components
from coterie.pairs import PairScores, row_start

Task = TypeVar("Task")
Answer = TypeVar("Answer")

PARALLEL_PAIRS = 500_000
"""The number of pairs from which on pieces are solved in threads."""

ALONE_ITEMS = 64
"""A dense component of at least this number of items is a piece of its own."""


class Piece(NamedTuple):
    """Some of the items, in ascending order, and the scores between them."""

    items: Ints
    scores: PairScores


def pieces(scores: PairScores, above: float = 0.0, min_pairs: int = 0) -> list[Piece]:
    """Split the items by the connected components of the pairs that score above a level.

    Items without such a pair are in no piece. Small components are combined, in their order, until
    a piece has `min_pairs` pairs. The pairs of a piece are sorted, so that its clusters do not
    depend on the order in which pairs are given. The pieces depend on the scores alone, not on the
    machine.
    """
    scores = sorted_pairs(scores)
    labels = component_labels(scores, above)
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return [Piece(np.arange(scores.n_items), scores)] if scores.n_items > 1 else []
    if scores.listed is None:
        return _condensed_pieces(scores, labels, sizes, min_pairs)
    return _listed_pieces(scores, scores.listed, labels, sizes, min_pairs)


def sorted_pairs(scores: PairScores) -> PairScores:
    """Return scores whose listed pairs (i, j) are in the order of i, then j."""
    if scores.listed is None:
        return scores
    keys = scores.listed[:, 0] * scores.n_items + scores.listed[:, 1]
    if np.all(keys[1:] > keys[:-1]):
        return scores
    order = np.argsort(keys)
    optional = scores.diagonal, scores.n_clusters, scores.apart
    return PairScores(scores.n_items, scores.listed[order], scores.scores[order], *optional)


def component_labels(scores: PairScores, above: float = 0.0) -> Ints:
    """Label the connected components of the pairs above a level, in the order of first items."""
    if scores.listed is None:
        labels: Ints = condensed_components(scores.n_items, scores.scores, above)
    else:
        labels = listed_components(scores.n_items, scores.listed, scores.scores, above)
    return labels


def labels_by_piece(solve: Callable[[PairScores], Ints], parts: list[Piece], n_items: int) -> Ints:
    """Label the items of each piece; items in no piece are singletons."""
    n_pairs = sum(len(part.scores.scores) for part in parts)
    labels = map_in_threads(lambda part: solve(part.scores), parts, n_pairs)
    return combine_labels(zip((part.items for part in parts), labels, strict=True), n_items)


def map_in_threads(
    solve: Callable[[Task], Answer], tasks: list[Task], n_pairs: int
) -> list[Answer]:
    """Solve each task, in threads if there are many pairs; threads do not change the results."""
    if len(tasks) < 2 or n_pairs < PARALLEL_PAIRS:
        return [solve(task) for task in tasks]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(solve, tasks))


def combine_labels(labelled: Iterable[tuple[Ints, Ints]], n_items: int) -> Ints:
    """Combine the labels of disjoint groups of items; all other items are singletons."""
    labels = np.arange(n_items)
    for items, group_labels in labelled:
        # The label of a cluster is its first item, so clusters of different groups never collide.
        first = np.full(int(group_labels.max(initial=-1)) + 1, n_items, dtype=np.intp)
        np.minimum.at(first, group_labels, items)
        labels[items] = first[group_labels]
    return labels


def _condensed_pieces(scores: PairScores, labels: Ints, sizes: Ints, min_pairs: int) -> list[Piece]:
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.cumsum(sizes)[:-1])
    packs = _packs(sizes, sizes * (sizes - 1) // 2, min_pairs)
    result = []
    for members, apart in zip(
        _by_pack(np.arange(len(sizes)), packs, packs),
        _apart_by_pack(scores, labels, packs),
        strict=True,
    ):
        within = [groups[c] for c in members if sizes[c] > 1]
        if within:
            result.append(_condensed_piece(scores, within, apart))
    return result


def _condensed_piece(scores: PairScores, groups: list[Ints], apart: Pairs) -> Piece:
    """Make a piece of the pairs inside each group, from the scores of all pairs."""
    n_items = scores.n_items
    inside = np.concatenate([_condensed_indices(items, n_items) for items in groups])
    items = np.sort(np.concatenate(groups))
    pairs = None
    if len(groups) > 1:
        group_pairs = [group[np.column_stack(np.triu_indices(len(group), 1))] for group in groups]
        pairs = np.searchsorted(items, np.concatenate(group_pairs))
    return _piece(items, pairs, scores.scores[inside], apart)


def _condensed_indices(items: Ints, n_items: int) -> Ints:
    """Return the condensed indices of the pairs of ascending items, without listing the pairs."""
    starts = row_start(items, n_items) - items - 1
    return np.concatenate([starts[k] + items[k + 1 :] for k in range(len(items) - 1)])


def _listed_pieces(
    scores: PairScores, pairs: Pairs, labels: Ints, sizes: Ints, min_pairs: int
) -> list[Piece]:
    pair_labels = labels[pairs[:, 0]]
    inside = np.flatnonzero(pair_labels == labels[pairs[:, 1]])
    packs = _packs(sizes, np.bincount(pair_labels[inside], minlength=len(sizes)), min_pairs)
    items = np.flatnonzero(sizes[labels] > 1)
    result = []
    for group, group_pairs, apart in zip(
        _by_pack(items, packs[labels[items]], packs),
        _by_pack(inside, packs[pair_labels[inside]], packs),
        _apart_by_pack(scores, labels, packs),
        strict=True,
    ):
        if len(group):
            local_pairs = np.searchsorted(group, pairs[group_pairs])
            result.append(_piece(group, local_pairs, scores.scores[group_pairs], apart))
    return result


def _apart_by_pack(scores: PairScores, labels: Ints, packs: Ints) -> list[Pairs]:
    """Split the cannot-link pairs inside components by the packs of the components."""
    apart = np.empty((0, 2), dtype=np.intp) if scores.apart is None else scores.apart
    first, second = labels[apart].T
    inside = first == second
    return _by_pack(apart[inside], packs[first[inside]], packs)


def _by_pack(members: Ints, member_packs: Ints, packs: Ints) -> list[Ints]:
    """Split members by their packs, in their order."""
    order = members[np.argsort(member_packs, kind="stable")]
    counts = np.bincount(member_packs, minlength=int(packs[-1]) + 1)
    return np.split(order, np.cumsum(counts)[:-1])


def _packs(sizes: Ints, counts: Ints, min_pairs: int) -> Ints:
    """Assign each component to a pack; consecutive small ones share a pack of `min_pairs` pairs.

    A component with many pairs, or a dense one with many items, has a pack of its own.
    """
    if not min_pairs:
        return np.arange(len(counts))
    dense = (sizes >= ALONE_ITEMS) & (counts >= DENSE_SHARE * sizes**2)
    alone = dense | (counts >= min_pairs)
    n_filled = np.cumsum(np.where(alone, 0, counts)) // min_pairs
    starts_pack = alone.copy()
    starts_pack[1:] |= alone[:-1] | (np.diff(n_filled) > 0)
    packs: Ints = np.cumsum(starts_pack) - starts_pack[0]
    return packs


def _piece(items: Ints, pairs: Pairs | None, scores: Floats, apart: Pairs) -> Piece:
    local_apart = np.searchsorted(items, apart)
    return Piece(items, PairScores(len(items), pairs, scores, apart=local_apart))
