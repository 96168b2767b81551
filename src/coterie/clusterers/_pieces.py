"""Splitting a set into pieces that no good partition joins, and putting their labels together."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from coterie._arrays import Ints, Pairs
from coterie._kernels.components import condensed_components, listed_components
from coterie.pairs import PairScores, row_start

PARALLEL_PAIRS = 500_000
"""From how many pairs on pieces are solved in threads."""


class Piece(NamedTuple):
    """Some of the items, in ascending order, and the scores among them."""

    items: Ints
    scores: PairScores


def pieces(scores: PairScores, above: float = 0.0, min_pairs: int = 0) -> list[Piece]:
    """Split by connected components of the pairs that score above a level.

    Items connected to no other are in no piece. Components are put together, in their order,
    until a piece has `min_pairs` pairs; the pieces depend on nothing else.
    """
    if scores.listed is None:
        labels = condensed_components(scores.n_items, scores.scores, above)
    else:
        labels = listed_components(scores.n_items, scores.listed, scores.scores, above)
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return [Piece(np.arange(scores.n_items), scores)] if scores.n_items > 1 else []
    if scores.listed is None:
        return _condensed_pieces(scores, labels, sizes)
    return _listed_pieces(scores, scores.listed, labels, sizes, min_pairs)


def labels_by_piece(
    solve: Callable[[PairScores], Ints], parts: Iterable[Piece], n_items: int
) -> Ints:
    """Label each piece, in threads where there is much to do; all other items are alone."""
    found = mapped(solve, [part.scores for part in parts])
    return joined(
        [(part.items, labels) for part, labels in zip(parts, found, strict=True)], n_items
    )


def mapped(solve: Callable[[PairScores], Ints], sets: list[PairScores]) -> list[Ints]:
    """Solve each set, in threads where there is much to do."""
    total = sum(len(scores.scores) for scores in sets)
    if len(sets) < 2 or total < PARALLEL_PAIRS:
        return [solve(scores) for scores in sets]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(solve, sets))


def joined(labelled: Iterable[tuple[Ints, Ints]], n_items: int) -> Ints:
    """Put the labels of disjoint item groups together; all other items are alone."""
    labels = np.arange(n_items)
    for items, own in labelled:
        # A cluster is called by its first item, so names of different groups never clash.
        first = np.full(int(own.max(initial=-1)) + 1, n_items, dtype=np.intp)
        np.minimum.at(first, own, items)
        labels[items] = first[own]
    return labels


def _condensed_pieces(scores: PairScores, labels: Ints, sizes: Ints) -> list[Piece]:
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.cumsum(sizes)[:-1])
    found = []
    for items in groups:
        if len(items) > 1:
            starts = row_start(items, scores.n_items) - items - 1
            inside = [starts[k] + items[k + 1 :] for k in range(len(items) - 1)]
            part = scores.scores[np.concatenate(inside)]
            found.append(_piece(scores, items, None, part))
    return found


def _listed_pieces(
    scores: PairScores, pairs: Pairs, labels: Ints, sizes: Ints, min_pairs: int
) -> list[Piece]:
    own = labels[pairs[:, 0]]
    inside = np.flatnonzero(own == labels[pairs[:, 1]])
    counts = np.bincount(own[inside], minlength=len(sizes))
    pack = _packs(counts, min_pairs)
    inside = inside[np.argsort(pack[own[inside]], kind="stable")]
    items = np.flatnonzero(sizes[labels] > 1)
    items = items[np.argsort(pack[labels[items]], kind="stable")]
    found = []
    pair_ends = np.cumsum(np.bincount(pack, counts))
    item_ends = np.cumsum(np.bincount(pack, np.where(sizes > 1, sizes, 0)))
    for group_pairs, group in zip(
        np.split(inside, pair_ends[:-1].astype(np.intp)),
        np.split(items, item_ends[:-1].astype(np.intp)),
        strict=True,
    ):
        if len(group):
            local = np.searchsorted(group, pairs[group_pairs])
            found.append(_piece(scores, group, local, scores.scores[group_pairs]))
    return found


def _packs(counts: Ints, min_pairs: int) -> Ints:
    """Give consecutive components one number until they have `min_pairs` pairs together."""
    if not min_pairs:
        return np.arange(len(counts))
    return np.unique(np.cumsum(counts) // min_pairs, return_inverse=True)[1]


def _piece(scores: PairScores, items: Ints, pairs: Pairs | None, part: np.ndarray) -> Piece:
    apart = None
    if scores.apart is not None:
        inside = np.isin(scores.apart, items).all(axis=1)
        apart = np.searchsorted(items, scores.apart[inside])
    return Piece(items, PairScores(len(items), pairs, part, apart=apart))
