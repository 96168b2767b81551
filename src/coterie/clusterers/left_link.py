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
    """Add the items in their order, each to the cluster of earlier items it has the best links to.

    Item i joins the cluster c with the largest Σ_{j∈c, j<i} exp(s_ij / γ) if that sum is above 1,
    and starts a new cluster otherwise (Samdani, Chang & Roth 2014, eq. 6): 1 = exp(0) stands for a
    dummy item of score 0. γ = 0 is Max-Left-Link, in which the item joins the cluster of its best
    link if the score of this link is above 0. This maximises the objective exactly, unless there
    are cannot-link pairs. With γ > 0 the sum of many weak links, even negative ones, may exceed 1.

    An absent pair is never a link. A tie with the dummy starts a cluster. Of equally good links
    (γ = 0) the one to the smallest index wins, of equally good clusters (γ > 0) the one that starts
    first. If a cannot-link pair forbids the best cluster, the item takes the next best. The time is
    linear in the number of pairs.

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
        """The left-linking objective with the same γ."""
        return objectives.LeftLink(self.gamma)

    def _partition(self, scores: PairScores) -> Partition:
        if self._is_exact(scores):
            return Partition(follow_links(_best_links(scores)[1]))
        gamma, cannot_links = float(self.gamma), _cannot_links_by_item(scores)
        if scores.listed is None:
            labels = condensed_left_link_labels(scores.n_items, scores.scores, gamma, *cannot_links)
        else:
            candidates = sort_by_item(scores.n_items, scores.listed, scores.scores)
            labels = left_link_labels(*candidates, gamma, *cannot_links)
        return Partition(labels)

    def _solve(self, scores: PairScores) -> Solution:
        if not self._is_exact(scores):
            return self._solution(scores, self._partition(scores))
        # In any partition an item adds the score of one of its left links to the value or, as the
        # first of its cluster, 0: at most b = max(0, best left link). In this partition it adds
        # exactly b: if b > 0, its best link leads to an item of its own cluster; if b = 0, it has
        # started a cluster and has no left link inside it. Later items do not change this.
        best, links = _best_links(scores)
        return self._solution(scores, Partition(follow_links(links)), bound=float(best.sum()))

    def _is_exact(self, scores: PairScores) -> bool:
        return not self.gamma and scores.apart is None


def _best_links(scores: PairScores) -> tuple[Floats, Ints]:
    """Return for each item the score of its best left link, or 0, and the linked item, or -1."""
    if scores.listed is None:
        best, links = condensed_best_left_links(scores.n_items, scores.scores)
    else:
        best, links = best_left_links(scores.n_items, scores.listed, scores.scores)
    return best, links


def _cannot_links_by_item(scores: PairScores) -> tuple[Ints, Ints]:
    """Return for each item the cannot-linked items on its left, as CSR offsets and indices."""
    apart = np.empty((0, 2), dtype=np.intp) if scores.apart is None else scores.apart
    offsets, lefts, _ = sort_by_item(
        scores.n_items, read_only(apart), read_only(np.zeros(len(apart)))
    )
    return offsets, lefts
