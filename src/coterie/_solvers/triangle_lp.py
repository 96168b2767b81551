"""The linear relaxation of correlation clustering; triangles are separated when needed."""

from math import inf
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import (
    Bools,
    Floats,
    Ints,
    forbidding_score,
    read_only,
    rounding_tolerance,
)
from coterie._core.indices import condensed_positions
from coterie._kernels.correlation.inequalities import (
    pack_triangles,
    star_rows,
    violated_stars,
    violated_triangles,
)
from coterie._kernels.graphs.components import condensed_components
from coterie._solvers.pair_program import PairInequalities, PairProgram

TOL = 1e-6
"""By how much a row must be violated to be added."""

STAR_TOL = 1e-3
STARS_PER_ITEM = 5

ROWS_PER_PAIR = 3.0
ROWS_PER_PAIR_AT_START = 0.5
"""From how many rows on those without effect are dropped."""


class RelaxedPartition(NamedTuple):
    """A relaxed partition, and a bound on the value of every partition."""

    matrix: Floats
    bound: float


class TriangleLP:
    """Maximise Σ s_ij e_ij with 0 ≤ e ≤ 1 and e_ab + e_bc − e_ac ≤ 1 for all a, b, c.

    (Finley & Joachims 2005, eq. 9 and 10, the latter as it must read.) Triangles are added where
    they are violated: first those whose third pair is repulsive, which are most of what binds, and
    once none of these is left, all others; the optimum satisfies every one. The first rows are a
    greedy packing of triangles, which has good multipliers already. Rows and basis stay for the
    next scores.

    Parameters
    ----------
    n_items
        Number of items.
    apart
        Which pairs, in condensed order, must not be together; their variables are 0.
    """

    def __init__(self, n_items: int, apart: Bools) -> None:
        self.n_items = n_items
        self._given_apart = apart
        self.apart = apart
        self.ends = np.triu_indices(n_items, 1)
        self.program = PairProgram(np.zeros(len(apart)), np.where(apart, 0.0, 1.0))
        self.labels = np.arange(n_items)
        self.value = 0.0
        self.tight = False
        self._repulsion = np.zeros((n_items, n_items))
        self._bound_when_dropped = inf

    def solve(self, scores: Floats, start: Ints, deadline: float = inf) -> RelaxedPartition:
        """Solve for these scores, in condensed order, until the deadline of `perf_counter`.

        A partition that reaches the bound is an optimum of the relaxation, too; `start` may be.
        """
        self.start(scores)
        self.offer(start)
        program = self.program
        bound = program.bound()
        finished, blurred = self._reached(bound), False
        while not finished and program.run(deadline, patient=blurred):
            bound = min(bound, program.bound())
            finished, blurred = self._reached(bound), False
            if not finished and not self.separate(bound):
                blurred = program.violation() > TOL
                finished = not blurred
        return RelaxedPartition(self.matrix(), min(bound, program.bound()))

    def start(self, scores: Floats) -> None:
        """Change the scores; the first ones bring a packing of triangles as the first rows."""
        self.labels, self.value = np.arange(self.n_items), 0.0
        self.tight = False
        self.allow_drop()
        # A pair that outweighs all others is apart in every best partition. Without its score, and
        # with its variable 0, large numbers do not drown the others.
        self.apart = self._given_apart | (scores <= forbidding_score(scores))
        self.restrict(np.zeros_like(self.apart), self.apart)
        self._repulsion = self._square(np.where(self.apart, -inf, scores), 0.0)
        self._drop_idle(ROWS_PER_PAIR_AT_START)
        self.program.set_scores(np.where(self.apart, 0.0, scores))
        if not len(self.program.multipliers):
            triangles, weights = pack_triangles(self._repulsion)
            self.program.add(self._triangle_rows(triangles), weights)

    def offer(self, labels: Ints) -> None:
        """Keep a partition if it is better than the best one known."""
        together = self.together(labels)
        value = float(self.program.scores[together].sum())
        if value > self.value and not np.any(together & self.apart):
            self.labels, self.value = labels, value

    def offer_majority(self) -> None:
        """Offer the partition that joins what is mostly together."""
        self.offer(condensed_components(self.n_items, read_only(self.program.values), 0.5))

    def restrict(self, joined: Bools, split: Bools) -> None:
        """Fix some pairs to 1 and some to 0."""
        self.program.set_ranges(joined.astype(np.float64), np.where(split, 0.0, 1.0))

    def separate(self, bound: float) -> bool:
        """Add the most violated triangle of each pair; say whether there was any."""
        relaxed = self.matrix()
        # An interior point violates its own rows a little; these must not be added again.
        tol = TOL + self.program.violation()
        for below in (0.0, inf):
            triangles = violated_triangles(relaxed, self._repulsion, below, tol)
            if len(triangles):
                self._drop(bound)
                self.program.add(self._triangle_rows(triangles))
                return True
        self.tight = True
        return False

    def separate_stars(self) -> bool:
        """Add a few violated stars of each item; say whether there was any."""
        stars, lengths = violated_stars(self.matrix(), STAR_TOL, STARS_PER_ITEM)
        if len(lengths):
            self.program.add(PairInequalities(*star_rows(stars, lengths, self.n_items)))
        return len(lengths) > 0

    def allow_drop(self) -> None:
        """Let idle rows be dropped at any bound: another search begins."""
        self._bound_when_dropped = inf

    def _reached(self, bound: float) -> bool:
        """Say whether a partition reaches the bound, and make it the program's values if so."""
        self.offer_majority()
        if bound - self.value > rounding_tolerance(self.program.scores):
            return False
        self.program.values = self.together(self.labels).astype(np.float64)
        return True

    def together(self, labels: Ints) -> Bools:
        """Say of each pair whether its items share a label."""
        shared: Bools = labels[self.ends[0]] == labels[self.ends[1]]
        return shared

    def matrix(self) -> Floats:
        """Return the values as a symmetric matrix, each item fully together with itself."""
        return self._square(self.program.values, 1.0)

    def _square(self, condensed: Floats, diagonal: float) -> Floats:
        """Return the symmetric matrix of numbers in condensed order."""
        matrix = np.empty((self.n_items, self.n_items))
        matrix[self.ends] = condensed
        matrix.T[self.ends] = condensed
        np.fill_diagonal(matrix, diagonal)
        return matrix

    def _columns(self, first: Ints, second: Ints) -> Ints:
        """Return where pairs of items, in either order, are in condensed order."""
        pairs = np.sort(np.column_stack([first, second]), axis=1)
        return condensed_positions(pairs, self.n_items)

    def _triangle_rows(self, triangles: Ints) -> PairInequalities:
        b, a, c = triangles.T
        columns = np.stack([self._columns(a, b), self._columns(b, c), self._columns(a, c)], axis=1)
        n_rows = len(triangles)
        return PairInequalities(
            np.full(n_rows, 3, np.int32),
            columns.astype(np.int32).ravel(),
            np.tile([1.0, 1.0, -1.0], n_rows),
        )

    def _drop(self, bound: float) -> None:
        """Drop rows without effect once they pile up, never twice at the same bound."""
        if bound < self._bound_when_dropped and self._drop_idle(ROWS_PER_PAIR):
            self._bound_when_dropped = bound - TOL * max(1.0, abs(bound))

    def _drop_idle(self, rows_per_pair: float) -> bool:
        """Drop the rows of no multiplier, if there are so many rows; say whether that was done."""
        program = self.program
        idle = program.multipliers <= TOL * program.scale
        crowded = len(idle) > rows_per_pair * program.n_pairs
        if crowded and np.any(idle):
            program.drop(idle)
            return True
        return False
