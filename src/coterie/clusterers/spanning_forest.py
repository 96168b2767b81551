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
    """Join all items that pairs of positive score connect, as a maximum spanning forest does.

    Kruskal's algorithm stops at the first score that is not above 0 (Yu & Joachims 2009). Its trees
    are then the connected components of the positive pairs. No partition has a higher value
    Σ_c max Σ s_ij, where the maximum is over the trees that span cluster c. Absent pairs and pairs
    of score 0 join no items.

    Examples
    --------
    >>> SpanningForest().solve(PairScores(4, [(0, 1), (1, 2), (0, 2)], [2.0, 1.0, -9.0]))
    Solution(partition=Partition([0, 0, 0, 1]), value=3.0, bound=3.0, status='exact')
    """

    maximises = Forest

    def united(self, scores: PairScores, links: Pairs) -> PairScores:
        """Return scores in which the links are positive pairs."""
        return raise_above_all(scores, links, level=0.0)

    def _partition(self, scores: PairScores) -> Partition:
        if scores.listed is None:
            return Partition(condensed_components(scores.n_items, scores.scores, 0.0))
        return Partition(listed_components(scores.n_items, scores.listed, scores.scores, 0.0))

    def _solve(self, scores: PairScores) -> Solution:
        # The value of any partition is the weight of some forest, so at most that of the best
        # forest. Dropping its edges with scores up to 0 does not lower its weight. The remaining
        # edges lie inside the components of positive pairs, whose maximum spanning trees weigh at
        # least as much. So no partition has a higher value than these components.
        solution = self._solution(scores, self._partition(scores))
        return replace(solution, bound=solution.value, status="exact")
