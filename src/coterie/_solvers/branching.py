"""Branch and bound for correlation clustering, with one linear program for all nodes."""

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Bools, Floats, Ints, read_only, rounding_tolerance
from coterie._kernels.graphs.components import condensed_components
from coterie._solvers.triangle_lp import TOL, TriangleLP

LEAST_PROGRESS = 0.01
"""The share of the gap that a round of new rows must close; otherwise the node is branched."""


class Node(NamedTuple):
    """A set of partitions: some pairs are fixed together, some apart; none is above `bound`."""

    bound: float
    together: Bools
    apart: Bools


class SearchResult(NamedTuple):
    """The best partition of the search, and an upper bound on the value of any partition."""

    labels: Ints
    value: float
    bound: float


class Branching:
    """Find the best partition by branching on pairs that a relaxation joins in part.

    The relaxation has triangle inequalities and stars (the 2-partition inequalities of Grötschel &
    Wakabayashi 1990). At every node, violated ones are added. The multipliers of the rows give the
    bound of a node. They also fix pairs: a pair is fixed if changing it would lower the bound to
    the best value so far. Transitivity then fixes further pairs.

    Parameters
    ----------
    lp
        A relaxation that has not been solved yet.
    scores
        The score of each pair, in condensed order.
    rounded
        Rounds a relaxed matrix to the labels of a partition.
    """

    def __init__(self, lp: TriangleLP, scores: Floats, rounded: Callable[[Floats], Ints]) -> None:
        self._lp = lp
        self._rounded = rounded
        self._tol = rounding_tolerance(scores)
        # All values are multiples of the step, so a better partition is better by a step or more,
        # apart from rounding errors.
        self._step = (1.0 - 1e-6) * common_step(scores)
        self._pruned_bound = -inf
        """The highest bound of a node that was pruned."""
        self._unresolved_bound = -inf
        """The highest bound of a node that is not solved but has no pair to branch on."""
        self._open: list[tuple[float, int, Node]] = []
        self._n_pushed = 0
        lp.start(scores)

    def run(self, start: Ints, deadline: float = inf) -> SearchResult:
        """Search until no open node can be better, or until the deadline of `perf_counter`."""
        lp = self._lp
        lp.offer(start)
        self._push(Node(lp.program.bound(), np.zeros_like(lp.apart), lp.apart))
        in_time = True
        while self._open and in_time:
            node = heappop(self._open)[2]
            if self._is_useful(node.bound):
                in_time = self._explore(node, deadline)
            else:
                self._prune(node.bound)
        return SearchResult(lp.labels, lp.value, self._bound())

    def _bound(self) -> float:
        open_bounds = [node.bound for _, _, node in self._open if self._is_useful(node.bound)]
        # A pruned node may be better by a rounding error, but with a step nothing is in between.
        proved = self._lp.value if self._step else max(self._lp.value, self._pruned_bound)
        return max([proved, self._unresolved_bound, *open_bounds])

    def _push(self, node: Node) -> None:
        # The highest bound comes first; of equal bounds the latest node, which is the deepest.
        self._n_pushed += 1
        heappush(self._open, (-node.bound, -self._n_pushed, node))

    def _prune(self, bound: float) -> None:
        """Record the bound of a node that is not explored further."""
        self._pruned_bound = max(self._pruned_bound, bound)

    def _is_useful(self, bound: float) -> bool:
        """Return whether a node of this bound may contain a better partition."""
        return bound - self._lp.value > max(self._tol, self._step)

    def _explore(self, node: Node, deadline: float) -> bool:
        """Bound a node, then prune or branch it; return whether the deadline was met."""
        tightened, in_time = self._tighten(node, deadline)
        if tightened is None:
            return True
        if not in_time:
            self._push(tightened)
            return False
        for child in self._children(tightened):
            self._push(child)
        return True

    def _tighten(self, node: Node, deadline: float) -> tuple[Node | None, bool]:
        """Add rows and fix pairs while that helps.

        Return the node, or None if it can be pruned, and whether the deadline was met.
        """
        lp, program = self._lp, self._lp.program
        lp.restrict(node.together, node.apart)
        lp.allow_drop()
        previous_bound = inf
        in_time = program.run(deadline)
        lp.offer(self._rounded(lp.matrix()))
        while True:
            node = node._replace(bound=min(node.bound, program.bound()))
            lp.offer_majority()
            if not self._is_useful(node.bound):
                self._prune(node.bound)
                return None, True
            fixed_node = self._fix_pairs(node)
            if fixed_node is None or not in_time:
                return fixed_node, in_time
            node = fixed_node
            if not self._cut(node, previous_bound) and not self._is_imprecise(node):
                return node, True
            previous_bound = node.bound
            in_time = program.run(deadline, patient=self._is_imprecise(node))

    def _cut(self, node: Node, previous_bound: float) -> bool:
        """Cut the relaxed partition off; return whether another run is worthwhile."""
        lp, values = self._lp, self._lp.program.values
        outside_ranges = bool(np.any((values < node.together) | (values > 1.0 - node.apart)))
        lp.restrict(node.together, node.apart)
        is_violated = lp.separate(node.bound)
        if is_violated and not lp.tight:
            return True
        is_violated = lp.separate_stars() or is_violated
        gap = node.bound - lp.value
        has_progress = previous_bound - node.bound > LEAST_PROGRESS * gap
        return outside_ranges or (
            is_violated and (has_progress or not np.any(self._is_fractional(node)))
        )

    def _is_imprecise(self, node: Node) -> bool:
        """Return whether an interior point leaves no pair to branch on; it may be inexact."""
        return self._lp.program.interior and not np.any(self._is_fractional(node))

    def _fix_pairs(self, node: Node) -> Node | None:
        """Fix the pairs whose change would lower the bound to the best value or below.

        Return None if the fixed pairs contradict each other.
        """
        program = self._lp.program
        # With reduced scores r = s − Aᵀy the bound is Σ y + Σ max(r, 0). Separating a pair with
        # r > 0 lowers it by r, and joining a pair with r < 0 lowers it by −r.
        reduced = program.reduced()
        gap = program.bound() - self._lp.value - self._step
        together = node.together | (~node.apart & (reduced > gap))
        apart = node.apart | (~node.together & (-reduced > gap))
        return self._close_transitively(node.bound, together, apart)

    def _close_transitively(self, bound: float, together: Bools, apart: Bools) -> Node | None:
        """Fix what transitivity implies; return None if a pair is both together and apart."""
        lp = self._lp
        labels = condensed_components(lp.n_items, read_only(together.astype(np.float64)), 0.5)
        first, second = labels[lp.ends[0]], labels[lp.ends[1]]
        # One pair of items that is apart separates all pairs between their two components.
        are_apart = np.zeros((lp.n_items, lp.n_items), np.bool_)
        are_apart[first[apart], second[apart]] = True
        are_apart |= are_apart.T
        if np.any(np.diagonal(are_apart)):
            return None
        return Node(bound, first == second, are_apart[first, second])

    def _is_fractional(self, node: Node) -> Bools:
        """Mark the free pairs whose value is strictly between 0 and 1."""
        values = self._lp.program.values
        is_free = ~(node.together | node.apart)
        return is_free & (values > TOL) & (values < 1.0 - TOL)

    def _children(self, node: Node) -> list[Node]:
        """Fix one pair together in one child and apart in the other.

        Without a pair to branch on there are no children, and the bound of the node remains.
        """
        values, scores = self._lp.program.values, np.abs(self._lp.program.scores)
        is_fractional = self._is_fractional(node)
        if not np.any(is_fractional):
            self._unresolved_bound = max(self._unresolved_bound, node.bound)
            return []
        # The pair should be undecided and have a large score, so that both bounds fall.
        merit = np.minimum(values, 1.0 - values) * (scores + 1e-3 * scores.mean())
        branch_pair = np.zeros_like(node.together)
        branch_pair[np.argmax(np.where(is_fractional, merit, -1.0))] = True
        children = (
            self._close_transitively(node.bound, node.together | branch_pair, node.apart),
            self._close_transitively(node.bound, node.together, node.apart | branch_pair),
        )
        return [child for child in children if child is not None]


def common_step(scores: Floats) -> float:
    """Return the greatest common divisor of all scores, or 0 if they are not all integers.

    >>> common_step(np.array([4.0, -6.0])), common_step(np.array([0.5]))
    (2.0, 0.0)
    """
    integers = np.rint(scores)
    if not np.array_equal(integers, scores) or np.abs(integers).sum() > 1e9:
        return 0.0
    return float(np.gcd.reduce(np.abs(integers).astype(np.int64)))
