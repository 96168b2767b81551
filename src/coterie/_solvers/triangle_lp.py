"""The linear relaxation of correlation clustering; only violated triangles become rows."""

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
"""The least violation of a triangle that is added as a row."""

STAR_TOL = 1e-3
"""The least violation of a star that is added as a row."""

STARS_PER_ITEM = 5
"""The largest number of stars that are added per centre and round."""

ROWS_PER_PAIR = 3.0
"""Above this number of rows per pair, idle rows are dropped between runs."""

ROWS_PER_PAIR_AT_START = 0.5
"""Above this number of rows per pair, idle rows are dropped when the scores change."""


class RelaxedPartition(NamedTuple):
    """A relaxed partition, and an upper bound on the value of any partition."""

    matrix: Floats
    bound: float


class TriangleLP:
    """Maximise Σ s_ij e_ij with 0 ≤ e ≤ 1 and e_ab + e_bc − e_ac ≤ 1 for all a, b, c.

    These are eq. 9 and 10 of Finley & Joachims 2005, with eq. 10 corrected. Violated triangles are
    added in rounds: first those whose pair (a, c) has a negative score, because most binding ones
    are of this kind, and then all others. So the optimum satisfies all triangles. The first rows
    are a greedy packing of triangles, which comes with good multipliers. When the scores change,
    the rows and the basis are kept.

    Parameters
    ----------
    n_items
        The number of items.
    apart
        Which pairs, in condensed order, must not be together; their variables are 0.
    """

    def __init__(self, n_items: int, apart: Bools) -> None:
        self.n_items = n_items
        self._cannot_link = apart
        self.apart = apart
        self.ends = np.triu_indices(n_items, 1)
        self.program = PairProgram(np.zeros(len(apart)), np.where(apart, 0.0, 1.0))
        self.labels = np.arange(n_items)
        self.value = 0.0
        self.tight = False
        """True if the values satisfied all triangles in the last separation."""
        self._score_matrix = np.zeros((n_items, n_items))
        """The scores; −inf for pairs that are apart, so that their triangles are added first."""
        self._bound_when_dropped = inf

    def solve(self, scores: Floats, start: Ints, deadline: float = inf) -> RelaxedPartition:
        """Solve for these scores, in condensed order, until the deadline of `perf_counter`.

        A partition whose value reaches the bound is also an optimum of the relaxation; `start`, the
        labels of a partition, may be one already.
        """
        self.start(scores)
        self.offer(start)
        program = self.program
        bound = program.bound()
        is_finished, is_imprecise = self._settle(bound), False
        while not is_finished and program.run(deadline, patient=is_imprecise):
            bound = min(bound, program.bound())
            is_finished, is_imprecise = self._settle(bound), False
            if not is_finished and not self.separate(bound):
                # An interior point that violates its rows is solved again by the simplex method.
                is_imprecise = program.violation() > TOL
                is_finished = not is_imprecise
        return RelaxedPartition(self.matrix(), min(bound, program.bound()))

    def start(self, scores: Floats) -> None:
        """Change the scores; at the first call, add a packing of triangles as the first rows."""
        self.labels, self.value = np.arange(self.n_items), 0.0
        self.tight = False
        self.allow_drop()
        # A pair whose negative score outweighs all others is apart in every best partition. Its
        # variable is fixed to 0 and its score set to 0, since large scores cost the others digits.
        self.apart = self._cannot_link | (scores <= forbidding_score(scores))
        self.restrict(np.zeros_like(self.apart), self.apart)
        self._score_matrix = self._square(np.where(self.apart, -inf, scores), 0.0)
        self._drop_idle(ROWS_PER_PAIR_AT_START)
        self.program.set_scores(np.where(self.apart, 0.0, scores))
        if not len(self.program.multipliers):
            triangles, weights = pack_triangles(self._score_matrix)
            self.program.add(self._triangle_rows(triangles), weights)

    def offer(self, labels: Ints) -> None:
        """Store a partition if it is better than the best one so far."""
        together = self.together(labels)
        value = float(self.program.scores[together].sum())
        if value > self.value and not np.any(together & self.apart):
            self.labels, self.value = labels, value

    def offer_majority(self) -> None:
        """Offer the connected components of the pairs with values above 0.5."""
        self.offer(condensed_components(self.n_items, read_only(self.program.values), 0.5))

    def restrict(self, together: Bools, apart: Bools) -> None:
        """Fix some pairs to 1 (together) and some to 0 (apart)."""
        self.program.set_ranges(together.astype(np.float64), np.where(apart, 0.0, 1.0))

    def separate(self, bound: float) -> bool:
        """Add the most violated triangle of each pair; return whether there was any."""
        relaxed = self.matrix()
        # An interior point violates rows of the program slightly; these must not be added again.
        tol = TOL + self.program.violation()
        for below in (0.0, inf):
            triangles = violated_triangles(relaxed, self._score_matrix, below, tol)
            if len(triangles):
                self._drop(bound)
                self.program.add(self._triangle_rows(triangles))
                return True
        self.tight = True
        return False

    def separate_stars(self) -> bool:
        """Add a few violated stars per item; return whether there were any."""
        stars, lengths = violated_stars(self.matrix(), STAR_TOL, STARS_PER_ITEM)
        if len(lengths):
            self.program.add(PairInequalities(*star_rows(stars, lengths, self.n_items)))
        return len(lengths) > 0

    def allow_drop(self) -> None:
        """Allow idle rows to be dropped at any bound, because a new search begins."""
        self._bound_when_dropped = inf

    def _settle(self, bound: float) -> bool:
        """Return whether the best partition reaches the bound; if so, make it the values."""
        self.offer_majority()
        if bound - self.value > rounding_tolerance(self.program.scores):
            return False
        self.program.values = self.together(self.labels).astype(np.float64)
        return True

    def together(self, labels: Ints) -> Bools:
        """Return, for all pairs in condensed order, whether the two items have the same label."""
        are_together: Bools = labels[self.ends[0]] == labels[self.ends[1]]
        return are_together

    def matrix(self) -> Floats:
        """Return the values as a symmetric matrix with 1 on its diagonal."""
        return self._square(self.program.values, 1.0)

    def _square(self, condensed: Floats, diagonal: float) -> Floats:
        """Convert numbers in condensed order to a symmetric matrix."""
        matrix = np.empty((self.n_items, self.n_items))
        matrix[self.ends] = condensed
        matrix.T[self.ends] = condensed
        np.fill_diagonal(matrix, diagonal)
        return matrix

    def _columns(self, first: Ints, second: Ints) -> Ints:
        """Return the positions of pairs in condensed order; either item may come first."""
        pairs = np.sort(np.column_stack([first, second]), axis=1)
        return condensed_positions(pairs, self.n_items)

    def _triangle_rows(self, triangles: Ints) -> PairInequalities:
        """Return the rows e_ab + e_bc − e_ac ≤ 1 of triangles (b, a, c)."""
        b, a, c = triangles.T
        columns = np.stack([self._columns(a, b), self._columns(b, c), self._columns(a, c)], axis=1)
        n_rows = len(triangles)
        return PairInequalities(
            np.full(n_rows, 3, np.int32),
            columns.astype(np.int32).ravel(),
            np.tile([1.0, 1.0, -1.0], n_rows),
        )

    def _drop(self, bound: float) -> None:
        """Drop idle rows if there are too many rows, but only once at each bound.

        Otherwise the same rows could be dropped and added again without end.
        """
        if bound < self._bound_when_dropped and self._drop_idle(ROWS_PER_PAIR):
            self._bound_when_dropped = bound - TOL * max(1.0, abs(bound))

    def _drop_idle(self, rows_per_pair: float) -> bool:
        """Drop rows with multiplier 0 if there are too many rows; return whether any dropped."""
        program = self.program
        is_idle = program.multipliers <= TOL * program.scale
        too_many = len(is_idle) > rows_per_pair * program.n_pairs
        if too_many and np.any(is_idle):
            program.drop(is_idle)
            return True
        return False
