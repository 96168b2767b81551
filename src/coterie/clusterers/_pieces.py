"""Splitting a set into pieces that no good partition joins, and putting their labels together."""

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
"""From how many pairs on pieces are solved in threads."""

ALONE_ITEMS = 64


class Piece(NamedTuple):
    """Some of the items, in ascending order, and the scores among them."""

    items: Ints
    scores: PairScores


def pieces(scores: PairScores, above: float = 0.0, min_pairs: int = 0) -> list[Piece]:
    """Split by connected components of the pairs that score above a level.

    Items connected to no other are in no piece. Small components are put together, in their order,
    until a piece has `min_pairs` pairs; the pieces depend on the scores alone.
    """
    labels = component_labels(scores, above)
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return [Piece(np.arange(scores.n_items), scores)] if scores.n_items > 1 else []
    if scores.listed is None:
        return _condensed_pieces(scores, labels, sizes, min_pairs)
    return _listed_pieces(scores, scores.listed, labels, sizes, min_pairs)


def component_labels(scores: PairScores, above: float = 0.0) -> Ints:
    """Label the connected components of the pairs that score above a level, by first item."""
    if scores.listed is None:
        labels: Ints = condensed_components(scores.n_items, scores.scores, above)
    else:
        labels = listed_components(scores.n_items, scores.listed, scores.scores, above)
    return labels


def labels_by_piece(solve: Callable[[PairScores], Ints], parts: list[Piece], n_items: int) -> Ints:
    """Label each piece, in threads where there is much to do; all other items are alone."""
    n_pairs = sum(len(part.scores.scores) for part in parts)
    found = map_in_threads(lambda part: solve(part.scores), parts, n_pairs)
    return combine_labels(zip((part.items for part in parts), found, strict=True), n_items)


def map_in_threads(
    solve: Callable[[Task], Answer], tasks: list[Task], n_pairs: int
) -> list[Answer]:
    """Solve each task, in threads where there are many pairs; that changes no answer."""
    if len(tasks) < 2 or n_pairs < PARALLEL_PAIRS:
        return [solve(task) for task in tasks]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(solve, tasks))


def combine_labels(labelled: Iterable[tuple[Ints, Ints]], n_items: int) -> Ints:
    """Put the labels of disjoint item groups together; all other items are alone."""
    labels = np.arange(n_items)
    for items, own in labelled:
        # A cluster is called by its first item, so names of different groups never clash.
        first = np.full(int(own.max(initial=-1)) + 1, n_items, dtype=np.intp)
        np.minimum.at(first, own, items)
        labels[items] = first[own]
    return labels


def _condensed_pieces(scores: PairScores, labels: Ints, sizes: Ints, min_pairs: int) -> list[Piece]:
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.cumsum(sizes)[:-1])
    packs = _packs(sizes, sizes * (sizes - 1) // 2, min_pairs)
    found = []
    for members, apart in zip(
        _by_pack(np.arange(len(sizes)), packs, packs),
        _apart_by_pack(scores, labels, packs),
        strict=True,
    ):
        within = [groups[c] for c in members if sizes[c] > 1]
        if within:
            found.append(_blocks(scores, within, apart))
    return found


def _blocks(scores: PairScores, groups: list[Ints], apart: Pairs) -> Piece:
    """Take the pairs inside each group, of a set of all pairs."""
    n_items = scores.n_items
    inside = np.concatenate([_condensed_indices(items, n_items) for items in groups])
    items = np.sort(np.concatenate(groups))
    pairs = None
    if len(groups) > 1:
        ends = [group[np.column_stack(np.triu_indices(len(group), 1))] for group in groups]
        pairs = np.searchsorted(items, np.concatenate(ends))
    return _piece(items, pairs, scores.scores[inside], apart)


def _condensed_indices(items: Ints, n_items: int) -> Ints:
    """Return where the pairs among ascending items are, without listing these pairs."""
    starts = row_start(items, n_items) - items - 1
    return np.concatenate([starts[k] + items[k + 1 :] for k in range(len(items) - 1)])


def _listed_pieces(
    scores: PairScores, pairs: Pairs, labels: Ints, sizes: Ints, min_pairs: int
) -> list[Piece]:
    own = labels[pairs[:, 0]]
    inside = np.flatnonzero(own == labels[pairs[:, 1]])
    packs = _packs(sizes, np.bincount(own[inside], minlength=len(sizes)), min_pairs)
    items = np.flatnonzero(sizes[labels] > 1)
    found = []
    for group, group_pairs, apart in zip(
        _by_pack(items, packs[labels[items]], packs),
        _by_pack(inside, packs[own[inside]], packs),
        _apart_by_pack(scores, labels, packs),
        strict=True,
    ):
        if len(group):
            local = np.searchsorted(group, pairs[group_pairs])
            found.append(_piece(group, local, scores.scores[group_pairs], apart))
    return found


def _apart_by_pack(scores: PairScores, labels: Ints, packs: Ints) -> list[Pairs]:
    """Split the apart pairs that are inside a component by the number of its pack."""
    apart = np.empty((0, 2), dtype=np.intp) if scores.apart is None else scores.apart
    own = labels[apart]
    inside = own[:, 0] == own[:, 1]
    return _by_pack(apart[inside], packs[own[inside, 0]], packs)


def _by_pack(members: Ints, numbers: Ints, packs: Ints) -> list[Ints]:
    """Split members by the number of their pack, in their order."""
    order = members[np.argsort(numbers, kind="stable")]
    counts = np.bincount(numbers, minlength=int(packs[-1]) + 1)
    return np.split(order, np.cumsum(counts)[:-1])


def _packs(sizes: Ints, counts: Ints, min_pairs: int) -> Ints:
    """Give consecutive small components one number until they have `min_pairs` pairs together.

    A component of many pairs, or a dense one of some size, is a piece of its own.
    """
    if not min_pairs:
        return np.arange(len(counts))
    dense = (sizes >= ALONE_ITEMS) & (counts >= DENSE_SHARE * sizes**2)
    alone = dense | (counts >= min_pairs)
    filled = np.cumsum(np.where(alone, 0, counts)) // min_pairs
    new = alone.copy()
    new[1:] |= alone[:-1] | (np.diff(filled) > 0)
    numbers: Ints = np.cumsum(new) - new[0]
    return numbers


def _piece(items: Ints, pairs: Pairs | None, scores: Floats, apart: Pairs) -> Piece:
    local = np.searchsorted(items, apart)
    return Piece(items, PairScores(len(items), pairs, scores, apart=local))
