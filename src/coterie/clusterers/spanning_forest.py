"""Maximum spanning forests."""

from dataclasses import dataclass, replace

from coterie._core.arrays import Pairs
from coterie._kernels.graphs.components import condensed_components, listed_components
from coterie.clusterers._base import PairClusterer, Solution
from coterie.clusterers.together import raise_above_all
from coterie.objectives import Forest
from coterie.pairs import PairScores
from coterie.partition import Partition


@dataclass(frozen=True)
class SpanningForest(PairClusterer):
    """Join what the maximum spanning forest joins: all that pairs of positive score connect.

    Kruskal's algorithm stops at the first score that is not above 0 (Yu & Joachims 2009), and the
    trees that it has then are the connected components of the positive pairs. No partition has a
    higher value Σ_c max over trees that span c of Σ s_ij. An absent pair is no edge; a pair of
    score 0 joins nothing.

    Examples
    --------
    >>> SpanningForest().solve(PairScores(4, [(0, 1), (1, 2), (0, 2)], [2.0, 1.0, -9.0]))
    Solution(partition=Partition([0, 0, 0, 1]), value=3.0, bound=3.0, status='exact')
    """

    maximises = Forest

    def united(self, scores: PairScores, links: Pairs) -> PairScores:
        """Return scores by which links connect like positive pairs."""
        return raise_above_all(scores, links, level=0.0)

    def _partition(self, scores: PairScores) -> Partition:
        if scores.listed is None:
            return Partition(condensed_components(scores.n_items, scores.scores, 0.0))
        return Partition(listed_components(scores.n_items, scores.listed, scores.scores, 0.0))

    def _solve(self, scores: PairScores) -> Solution:
        # The value of any partition is that of some forest, so at most that of the best forest.
        # Without its edges of a score of 0 or below that one is no worse, and what is left lies
        # inside the components of positive pairs, whose best trees are thus at least as good.
        found = self._solution(scores, self._partition(scores))
        return replace(found, bound=found.value, status="exact")
