"""One linear program over the pairs of some items, whose rows come and go."""

from math import inf
from time import perf_counter
from typing import Any, NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Bools, Floats

OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "threads": 1,
    "solver": "simplex",
    "presolve": "off",
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
    # No vertex is needed: rows are separated from any optimum, and bounds come from multipliers.
    "run_crossover": "off",
}

SPARE_PIVOTS = 1000
"""How many more pivots than new rows the simplex method may take before it is given up."""


PATIENCE = 2**31 - 1

SOLVED = {
    False: (highspy.HighsModelStatus.kOptimal,),
    # Unknown is an interior point a little less precise than asked for.
    True: (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kUnknown),
}
"""What HiGHS says when it has a solution, of the simplex and of the interior-point method."""


class PairInequalities(NamedTuple):
    """Rows Σ sign · e_pair ≤ 1, one after the other; `lengths` says how many pairs each has."""

    lengths: NDArray[np.int32]
    columns: NDArray[np.int32]
    signs: Floats

    def kept(self, keep: Bools) -> "PairInequalities":
        """Return some of the rows."""
        entries = np.repeat(keep, self.lengths)
        return PairInequalities(self.lengths[keep], self.columns[entries], self.signs[entries])

    def plus(self, more: "PairInequalities") -> "PairInequalities":
        """Return these rows and then more."""
        return PairInequalities(
            np.concatenate([self.lengths, more.lengths]),
            np.concatenate([self.columns, more.columns]),
            np.concatenate([self.signs, more.signs]),
        )

    def starts(self) -> NDArray[np.int32]:
        """Return where each row begins."""
        return np.cumsum(self.lengths, dtype=np.int32) - self.lengths

    def activity(self, values: Floats) -> Floats:
        """Return Σ sign · e_pair of each row."""
        terms = self.signs * values[self.columns]
        sums: Floats = np.add.reduceat(terms, self.starts()) if len(self.lengths) else terms
        return sums

    def combined(self, multipliers: Floats, n_pairs: int) -> Floats:
        """Sum the rows, each times its multiplier: the coefficient that each pair gets."""
        weights = np.repeat(multipliers, self.lengths) * self.signs
        total: Floats = np.bincount(self.columns, weights, n_pairs)  # type: ignore[assignment]
        return total


class PairProgram:
    """Maximise Σ s_ij e_ij, each e in its range, under rows of right side 1, in one HiGHS model.

    Scores, ranges and rows may change between runs; each run starts from the basis of the last.
    The dual simplex method, which makes the most of that, is given up for an interior-point method
    where it takes too many pivots, as it does where the scores are noise or all alike.
    """

    def __init__(self, lower: Floats, upper: Floats) -> None:
        self.n_pairs = len(lower)
        self.lower, self.upper = lower, upper
        self.scores = np.zeros(self.n_pairs)
        self.rows = PairInequalities(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))
        self.values = np.zeros(self.n_pairs)
        self.multipliers = np.empty(0)
        self._columns = np.arange(self.n_pairs, dtype=np.int32)
        self.scale = 1.0
        self._n_new = 0
        self.interior = False
        self._model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in OPTIONS.items():
            self._model.setOptionValue(name, value)
        self._model.addVars(self.n_pairs, lower, upper)

    def set_scores(self, scores: Floats) -> None:
        """Change the scores; until the next run, the values are those without any row."""
        self.scores = scores
        # HiGHS has absolute tolerances, so it sees scores of mean size 1.
        self.scale = float(np.abs(scores).mean()) or 1.0
        self._model.changeColsCost(self.n_pairs, self._columns, -scores / self.scale)
        self.values = np.where(scores > 0.0, self.upper, self.lower)
        self._n_new, self.interior = len(self.multipliers), False

    def set_ranges(self, lower: Floats, upper: Floats) -> None:
        """Change the least and the greatest value of each pair."""
        if np.array_equal(lower, self.lower) and np.array_equal(upper, self.upper):
            return
        self.lower, self.upper = lower, upper
        self._model.changeColsBounds(self.n_pairs, self._columns, lower, upper)
        self._n_new += self.n_pairs

    def add(self, rows: PairInequalities, multipliers: Floats | None = None) -> None:
        """Add rows, which have multipliers of their own until the next run."""
        n_new = len(rows.lengths)
        free, ones = np.full(n_new, -highspy.kHighsInf), np.ones(n_new)
        self._model.addRows(
            n_new, free, ones, len(rows.columns), rows.starts(), rows.columns, rows.signs
        )
        self.rows = self.rows.plus(rows)
        own = np.zeros(n_new) if multipliers is None else multipliers
        self.multipliers = np.concatenate([self.multipliers, own])
        self._n_new += n_new

    def drop(self, idle: Bools) -> None:
        """Drop rows."""
        numbers = np.flatnonzero(idle).astype(np.int32)
        self._model.deleteRows(len(numbers), numbers)
        self.rows = self.rows.kept(~idle)
        self.multipliers = self.multipliers[~idle]

    def run(self, deadline: float = inf, *, patient: bool = False) -> bool:
        """Solve, and say whether that was done before the deadline of `perf_counter`.

        Patient is the simplex method, however many pivots it takes.
        """
        self.interior = self.interior and not patient
        solved = self._run(deadline, PATIENCE if patient else SPARE_PIVOTS + self._n_new)
        if not solved and not self.interior and perf_counter() < deadline:
            self.interior = True
            solved = self._run(deadline, PATIENCE)
        self._n_new = 0
        return solved

    def _run(self, deadline: float, max_pivots: int) -> bool:
        model = self._model
        left = max(deadline - perf_counter(), 0.0)
        model.setOptionValue("time_limit", model.getRunTime() + left)
        model.setOptionValue("solver", "ipm" if self.interior else "simplex")
        model.setOptionValue("simplex_iteration_limit", max_pivots)
        model.run()
        solution = model.getSolution()
        solved = model.getModelStatus() in SOLVED[self.interior]
        if solution.dual_valid:
            self.multipliers = np.maximum(-self.scale * np.asarray(solution.row_dual), 0.0)
        if solved:
            self.values = np.clip(solution.col_value, self.lower, self.upper)
        return solved

    def violation(self) -> float:
        """Say by how much the values violate the rows at most, which interior points may a bit."""
        return max(0.0, -float(self.slack().min(initial=0.0)))

    def slack(self) -> Floats:
        """Say how far each row is from its right side."""
        return 1.0 - self.rows.activity(self.values)

    def reduced(self) -> Floats:
        """Return the scores less the rows, each times its multiplier."""
        return self.scores - self.rows.combined(self.multipliers, self.n_pairs)

    def bound(self) -> float:
        """Return Σ y_r + Σ max (s − Aᵀy)_ij e_ij over ranges, a bound whatever the y ≥ 0 are."""
        reduced = self.reduced()
        best = np.maximum(reduced * self.lower, reduced * self.upper)
        return float(self.multipliers.sum() + best.sum())
