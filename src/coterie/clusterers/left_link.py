"""Left-linking: the online rule of the latent left-linking model."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie import objectives
from coterie._core.arguments import as_real
from coterie._core.arrays import Floats, Ints, read_only
from coterie._kernels.linking.links import (
    best_left_links,
    condensed_best_left_links,
    condensed_left_link_labels,
    follow_links,
    left_link_labels,
    sort_by_item,
)
from coterie.clusterers._base import PairClusterer, Solution
from coterie.pairs import PairScores
from coterie.partition import Partition


@dataclass(frozen=True)
class LeftLink(PairClusterer):
    """Add each item, in their order, to the cluster on its left that it links to most.

    Item i joins the cluster c with the largest Σ_{j∈c, j<i} exp(s_ij / γ), or starts one if the
    dummy of score 0 and measure 1 is at least as large (Samdani, Chang & Roth 2014, eq. 6). γ = 0
    is Max-Left-Link: the item joins its best link if that scores above 0, which maximises the
    objective exactly unless pairs must be kept apart. With γ > 0 many weak links may together
    outweigh the dummy, even negative ones.

    An absent pair is no candidate. Ties: the dummy first; then, at γ = 0, the link of the smallest
    index, otherwise the cluster whose first item has the smallest. An item never joins a cluster
    that holds one it must be apart from, but the next best. The time is linear in the pairs.

    Parameters
    ----------
    gamma
        Temperature γ, at least 0.

    Examples
    --------
    >>> scores = PairScores(3, None, [1.0, -0.1, -0.2])
    >>> LeftLink(gamma=0).solve(scores)
    Solution(partition=Partition([0, 0, 1]), value=1.0, bound=1.0, status='exact')
    >>> LeftLink(gamma=1)(scores)
    Partition([0, 0, 0])
    """

    gamma: float = 0.0
    maximises = objectives.LeftLink
    keeps_apart: ClassVar[bool] = True

    def __post_init__(self) -> None:
        as_real("gamma", self.gamma)

    @property
    def objective(self) -> objectives.LeftLink:
        """Return the objective of left-linking with the same γ."""
        return objectives.LeftLink(self.gamma)

    def _partition(self, scores: PairScores) -> Partition:
        if self._is_exact(scores):
            return Partition(follow_links(_best_links(scores)[1]))
        gamma, apart = float(self.gamma), _apart_by_item(scores)
        if scores.listed is None:
            labels = condensed_left_link_labels(scores.n_items, scores.scores, gamma, *apart)
        else:
            candidates = sort_by_item(scores.n_items, scores.listed, scores.scores)
            labels = left_link_labels(*candidates, gamma, *apart)
        return Partition(labels)

    def _solve(self, scores: PairScores) -> Solution:
        if not self._is_exact(scores):
            return self._solution(scores, self._partition(scores))
        # In any partition an item adds one of its left links or, as the first of its cluster, 0:
        # at most b = max(0, best left link). Here it adds b. If b > 0, its best link is in its
        # cluster; if not, it started a cluster and has nobody to its left there. Items that join
        # later are to the right and change neither.
        best, links = _best_links(scores)
        return self._solution(scores, Partition(follow_links(links)), bound=float(best.sum()))

    def _is_exact(self, scores: PairScores) -> bool:
        return not self.gamma and scores.apart is None


def _best_links(scores: PairScores) -> tuple[Floats, Ints]:
    """Return what each item's best left link scores, or 0, and that link, or -1."""
    if scores.listed is None:
        best, links = condensed_best_left_links(scores.n_items, scores.scores)
    else:
        best, links = best_left_links(scores.n_items, scores.listed, scores.scores)
    return best, links


def _apart_by_item(scores: PairScores) -> tuple[Ints, Ints]:
    """Return where the items begin that each item must be apart from, on its left, and those."""
    apart = np.empty((0, 2), dtype=np.intp) if scores.apart is None else scores.apart
    starts, lefts, _ = sort_by_item(
        scores.n_items, read_only(apart), read_only(np.zeros(len(apart)))
    )
    return starts, lefts
