"""A linear program over the pairs of items, to which rows can be added between runs."""

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
    # No vertex is needed: violated rows are found at any optimum, and multipliers give the bounds.
    "run_crossover": "off",
}

SPARE_PIVOTS = 1000
"""The number of pivots, beyond the number of new rows, after which the simplex method stops."""

UNLIMITED_PIVOTS = 2**31 - 1
"""The largest pivot limit that HiGHS takes."""

SOLVED = {
    False: (highspy.HighsModelStatus.kOptimal,),
    # "Unknown" means an interior point that is slightly less precise than requested.
    True: (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kUnknown),
}
"""The states of HiGHS with a solution, by whether the interior-point method was used."""


class PairInequalities(NamedTuple):
    """Rows Σ sign · e_pair ≤ 1; `columns` and `signs` hold their entries one after the other.

    `lengths` is the number of entries of each row.
    """

    lengths: NDArray[np.int32]
    columns: NDArray[np.int32]
    signs: Floats

    def select(self, mask: Bools) -> "PairInequalities":
        """Return the rows whose entry in the mask is True."""
        entries = np.repeat(mask, self.lengths)
        return PairInequalities(self.lengths[mask], self.columns[entries], self.signs[entries])

    def plus(self, rows: "PairInequalities") -> "PairInequalities":
        """Return these rows, followed by other rows."""
        return PairInequalities(
            np.concatenate([self.lengths, rows.lengths]),
            np.concatenate([self.columns, rows.columns]),
            np.concatenate([self.signs, rows.signs]),
        )

    def starts(self) -> NDArray[np.int32]:
        """Return the position of the first entry of each row."""
        return np.cumsum(self.lengths, dtype=np.int32) - self.lengths

    def activity(self, values: Floats) -> Floats:
        """Return Σ sign · e_pair for each row."""
        terms = self.signs * values[self.columns]
        sums: Floats = np.add.reduceat(terms, self.starts()) if len(self.lengths) else terms
        return sums

    def combined(self, multipliers: Floats, n_pairs: int) -> Floats:
        """Return Aᵀy, with one entry per pair: the sum of the rows times their multipliers y."""
        weights = np.repeat(multipliers, self.lengths) * self.signs
        total: Floats = np.bincount(self.columns, weights, n_pairs)  # type: ignore[assignment]
        return total


class PairProgram:
    """Maximise Σ s_ij e_ij, subject to a range of each e and rows Σ sign · e ≤ 1, by HiGHS.

    Scores, ranges and rows may change between runs; each run starts from the basis of the last run.
    The dual simplex method profits most from that, so it comes first. If it takes too many pivots,
    as it does if the scores are noise or all similar, an interior-point method replaces it.
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
        """The number of changes since the last run, in rows or pairs."""
        self.interior = False
        """True if the values are an interior point, which may violate rows slightly."""
        self._model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in OPTIONS.items():
            self._model.setOptionValue(name, value)
        self._model.addVars(self.n_pairs, lower, upper)

    def set_scores(self, scores: Floats) -> None:
        """Change the scores; until the next run, the values are the best ones without rows."""
        self.scores = scores
        # HiGHS has absolute tolerances, so it gets scores of mean absolute value 1.
        self.scale = float(np.abs(scores).mean()) or 1.0
        self._model.changeColsCost(self.n_pairs, self._columns, -scores / self.scale)
        self.values = np.where(scores > 0.0, self.upper, self.lower)
        self._n_new, self.interior = len(self.multipliers), False

    def set_ranges(self, lower: Floats, upper: Floats) -> None:
        """Change the lower and the upper bound of each pair."""
        if np.array_equal(lower, self.lower) and np.array_equal(upper, self.upper):
            return
        self.lower, self.upper = lower, upper
        self._model.changeColsBounds(self.n_pairs, self._columns, lower, upper)
        self._n_new += self.n_pairs

    def add(self, rows: PairInequalities, multipliers: Floats | None = None) -> None:
        """Add rows, with multipliers (0 by default) that hold until the next run."""
        n_new = len(rows.lengths)
        lower, upper = np.full(n_new, -highspy.kHighsInf), np.ones(n_new)
        self._model.addRows(
            n_new, lower, upper, len(rows.columns), rows.starts(), rows.columns, rows.signs
        )
        self.rows = self.rows.plus(rows)
        new_multipliers = np.zeros(n_new) if multipliers is None else multipliers
        self.multipliers = np.concatenate([self.multipliers, new_multipliers])
        self._n_new += n_new

    def drop(self, is_idle: Bools) -> None:
        """Drop the rows whose entry is True."""
        indices = np.flatnonzero(is_idle).astype(np.int32)
        self._model.deleteRows(len(indices), indices)
        self.rows = self.rows.select(~is_idle)
        self.multipliers = self.multipliers[~is_idle]

    def run(self, deadline: float = inf, *, patient: bool = False) -> bool:
        """Solve; return whether that was done before the deadline of `perf_counter`.

        If `patient`, use the simplex method, without a limit on its pivots.
        """
        self.interior = self.interior and not patient
        max_pivots = UNLIMITED_PIVOTS if patient else SPARE_PIVOTS + self._n_new
        is_solved = self._run(deadline, max_pivots)
        if not is_solved and not self.interior and perf_counter() < deadline:
            self.interior = True
            is_solved = self._run(deadline, UNLIMITED_PIVOTS)
        self._n_new = 0
        return is_solved

    def _run(self, deadline: float, max_pivots: int) -> bool:
        model = self._model
        seconds = max(deadline - perf_counter(), 0.0)
        # HiGHS counts the time of all runs of a model.
        model.setOptionValue("time_limit", model.getRunTime() + seconds)
        model.setOptionValue("solver", "ipm" if self.interior else "simplex")
        model.setOptionValue("simplex_iteration_limit", max_pivots)
        model.run()
        solution = model.getSolution()
        is_solved = model.getModelStatus() in SOLVED[self.interior]
        if solution.dual_valid:
            self.multipliers = np.maximum(-self.scale * np.asarray(solution.row_dual), 0.0)
        if is_solved:
            self.values = np.clip(solution.col_value, self.lower, self.upper)
        return is_solved

    def violation(self) -> float:
        """Return the largest violation of a row; it is above 0 for many interior points."""
        return max(0.0, -float(self.slack().min(initial=0.0)))

    def slack(self) -> Floats:
        """Return 1 minus the activity of each row."""
        return 1.0 - self.rows.activity(self.values)

    def reduced(self) -> Floats:
        """Return the reduced scores s − Aᵀy, with the rows A and their multipliers y."""
        return self.scores - self.rows.combined(self.multipliers, self.n_pairs)

    def bound(self) -> float:
        """Return an upper bound on the value: Σ_r y_r + Σ_ij max (s − Aᵀy)_ij e_ij.

        The maximum is over the range of each pair. By duality it is a bound for any multipliers
        y ≥ 0, so also for those of a run that was stopped.
        """
        reduced = self.reduced()
        best = np.maximum(reduced * self.lower, reduced * self.upper)
        return float(self.multipliers.sum() + best.sum())
