"""Branch and bound for correlation clustering, on one warm linear program."""

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Bools, Floats, Ints, read_only, rounding_tolerance
from coterie._kernels.graphs.components import condensed_components
from coterie._solvers.triangle_lp import TOL, TriangleLP

LEAST_PROGRESS = 0.01
"""The share of the gap that a round of rows must close, or else the node is branched."""


class Node(NamedTuple):
    """The partitions that join some pairs and split others, none worth more than `bound`."""

    bound: float
    joined: Bools
    split: Bools


class SearchResult(NamedTuple):
    """The best partition found, and a bound on the value of every partition."""

    labels: Ints
    value: float
    bound: float


class Branching:
    """Find the best partition by branching on pairs that a relaxation joins in part.

    The relaxation has triangles and stars (the 2-partition inequalities of Grötschel & Wakabayashi
    1990), separated at every node. A node is pruned by the bound from its multipliers; these fix
    pairs, too: one that cannot change without the bound falling to the best value known. What
    pairs imply for others by transitivity is fixed with them.

    Parameters
    ----------
    lp
        A relaxation that has not been solved yet.
    scores
        The score of each pair, in condensed order.
    rounded
        Makes labels of a relaxed matrix.
    """

    def __init__(self, lp: TriangleLP, scores: Floats, rounded: Callable[[Floats], Ints]) -> None:
        self._lp = lp
        self._rounded = rounded
        self._tol = rounding_tolerance(scores)
        # Better partitions are better by a step, less what rounding errors may make of it.
        self._step = (1.0 - 1e-6) * common_step(scores)
        self._closed = -inf
        self._stuck = -inf
        self._open: list[tuple[float, int, Node]] = []
        self._count = 0
        lp.start(scores)

    def run(self, start: Ints, deadline: float = inf) -> SearchResult:
        """Search until all is proved, or until the deadline of `perf_counter`."""
        lp = self._lp
        lp.offer(start)
        self._push(Node(lp.program.bound(), np.zeros_like(lp.apart), lp.apart))
        late = False
        while self._open and not late:
            node = heappop(self._open)[2]
            if not self._useful(node.bound):
                self._close(node.bound)
                continue
            late = not self._explore(node, deadline)
        return SearchResult(lp.labels, lp.value, self._bound())

    def _bound(self) -> float:
        bounds = [node.bound for _, _, node in self._open if self._useful(node.bound)]
        proved = self._lp.value if self._step else max(self._lp.value, self._closed)
        return max([proved, self._stuck, *bounds])

    def _push(self, node: Node) -> None:
        # The best bound first; among equals the latest, which is the deepest.
        self._count += 1
        heappush(self._open, (-node.bound, -self._count, node))

    def _close(self, bound: float) -> None:
        self._closed = max(self._closed, bound)

    def _useful(self, bound: float) -> bool:
        """Say whether a better partition may be worth the bound."""
        return bound - self._lp.value > max(self._tol, self._step)

    def _explore(self, node: Node, deadline: float) -> bool:
        """Bound a node, close or branch it; say whether the deadline was met."""
        tightened, in_time = self._tightened(node, deadline)
        if tightened is None:
            return True
        if not in_time:
            self._push(tightened)
            return False
        for child in self._children(tightened):
            self._push(child)
        return True

    def _tightened(self, node: Node, deadline: float) -> tuple[Node | None, bool]:
        """Add rows and fix pairs while that helps; None where nothing useful is left."""
        lp, program = self._lp, self._lp.program
        lp.restrict(node.joined, node.split)
        lp.allow_drop()
        before = inf
        in_time = program.run(deadline)
        lp.offer(self._rounded(lp.matrix()))
        while True:
            node = node._replace(bound=min(node.bound, program.bound()))
            lp.offer_majority()
            if not self._useful(node.bound):
                self._close(node.bound)
                return None, True
            fixed = self._fixed(node)
            if fixed is None or not in_time:
                return fixed, in_time
            node = fixed
            if not self._cut(node, before) and not self._imprecise(node):
                return node, True
            before = node.bound
            in_time = program.run(deadline, patient=self._imprecise(node))

    def _cut(self, node: Node, before: float) -> bool:
        """Cut the relaxed partition off; say whether that was done and is worth another run."""
        lp, values = self._lp, self._lp.program.values
        wrong = bool(np.any((values < node.joined) | (values > 1.0 - node.split)))
        lp.restrict(node.joined, node.split)
        violated = lp.separate(node.bound)
        if violated and not lp.tight:
            return True
        violated = lp.separate_stars() or violated
        progress = before - node.bound > LEAST_PROGRESS * (node.bound - lp.value)
        return wrong or (violated and (progress or not np.any(self._fractional(node))))

    def _imprecise(self, node: Node) -> bool:
        """Say whether there is nothing to branch on, from an interior point that may be wrong."""
        return self._lp.program.interior and not np.any(self._fractional(node))

    def _fixed(self, node: Node) -> Node | None:
        """Fix the pairs whose change would bring the bound down to the best value."""
        program = self._lp.program
        reduced = program.reduced()
        room = program.bound() - self._lp.value - self._step
        joined = node.joined | (~node.split & (reduced > room))
        return self._implied(node.bound, joined, node.split | (~node.joined & (-reduced > room)))

    def _implied(self, bound: float, joined: Bools, split: Bools) -> Node | None:
        """Join and split what transitivity implies; None where the two are in conflict."""
        lp = self._lp
        labels = condensed_components(lp.n_items, read_only(joined.astype(np.float64)), 0.5)
        first, second = labels[lp.ends[0]], labels[lp.ends[1]]
        foes = np.zeros((lp.n_items, lp.n_items), np.bool_)
        foes[first[split], second[split]] = True
        foes |= foes.T
        if np.any(np.diagonal(foes)):
            return None
        return Node(bound, first == second, foes[first, second])

    def _fractional(self, node: Node) -> Bools:
        values = self._lp.program.values
        free = ~(node.joined | node.split)
        return free & (values > TOL) & (values < 1.0 - TOL)

    def _children(self, node: Node) -> list[Node]:
        """Join and split one pair; without one to branch on, the node's bound is the last word."""
        values, scores = self._lp.program.values, np.abs(self._lp.program.scores)
        fractional = self._fractional(node)
        if not np.any(fractional):
            self._stuck = max(self._stuck, node.bound)
            return []
        merit = np.minimum(values, 1.0 - values) * (scores + 1e-3 * scores.mean())
        pair = np.zeros_like(node.joined)
        pair[np.argmax(np.where(fractional, merit, -1.0))] = True
        children = (
            self._implied(node.bound, node.joined | pair, node.split),
            self._implied(node.bound, node.joined, node.split | pair),
        )
        return [child for child in children if child is not None]


def common_step(scores: Floats) -> float:
    """Return the greatest number of which all scores are whole multiples, 0 if they are not whole.

    >>> common_step(np.array([4.0, -6.0])), common_step(np.array([0.5]))
    (2.0, 0.0)
    """
    whole = np.rint(scores)
    if not np.array_equal(whole, scores) or np.abs(whole).sum() > 1e9:
        return 0.0
    return float(np.gcd.reduce(np.abs(whole).astype(np.int64)))
