"""The common parts of the solvers of structural SVMs: their runs, histories and results."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Floats
from coterie._core.progress import report
from coterie._core.values import Value
from coterie.learners.structural.problem import Cuts, Problem, oracle_pool


class Step(NamedTuple):
    """The state of a solver after an iteration.

    `primal` is the least objective so far (an upper bound on the optimum only where the oracle
    proves it) and `dual` the highest lower bound so far. `oracle_seconds` is the time spent on the
    search for worst partitions, `program_seconds` the time spent on the quadratic program, and
    `n_programs` the number of times that the program was solved (0 for solvers without one).
    """

    primal: float
    dual: float
    n_planes: int
    n_oracle_calls: int
    oracle_seconds: float
    program_seconds: float
    n_programs: int


class History(list[Step]):
    """The steps of a run, one per iteration."""

    def plot(self, axes: Any = None) -> Any:
        """Draw primal and dual against oracle calls, and return the axes (needs matplotlib)."""
        if axes is None:
            import matplotlib.pyplot as plt  # noqa: PLC0415

            axes = plt.figure().add_subplot()
        calls = [step.n_oracle_calls for step in self]
        axes.plot(calls, [step.primal for step in self], marker=".", label="primal")
        axes.plot(calls, [step.dual for step in self], marker=".", label="dual")
        axes.set(xlabel="oracle calls", ylabel="objective")
        axes.legend()
        return axes


class Optimum(NamedTuple):
    """The result of a run for one C."""

    coef: Floats
    primal: float
    dual: float
    certified: bool
    converged: bool
    interrupted: bool
    history: History


class SolverRun(ABC):
    """A run of a solver on a problem, for one C after another; it continues from the last coef."""

    def __init__(self, problem: Problem, tol: float, max_iter: int, n_jobs: int) -> None:
        self.problem, self.tol, self.max_iter, self.n_jobs = problem, tol, max_iter, n_jobs
        self.coef = np.zeros(problem.n_columns)
        self._C = 0.0
        self._reset()

    def solve(self, C: float) -> Optimum:
        """Minimise the objective for this C. An interrupt (Ctrl-C) returns the best coef so far."""
        self._reset()
        converged = interrupted = False
        try:
            # BLAS threads would wait for each other and compete with the threads over item sets.
            with threadpool_limits(1, "blas"), oracle_pool(self.n_jobs) as self._call_oracles:
                self._rescale_to(C)
                for converged in self._iterate():  # noqa: B007
                    self._record_step()
                if self._primal == inf:
                    self._update_best(self.coef, self._find_cuts(self.coef))
                    self._record_step()
        except KeyboardInterrupt:
            interrupted = True
            if self._primal == inf:
                self._best = self.coef
        return Optimum(
            self._best, self._primal, self._dual, self._proved, converged, interrupted, self.history
        )

    @abstractmethod
    def _iterate(self) -> Iterator[bool]:
        """Yield after each iteration whether the run has converged."""

    @abstractmethod
    def _rescale(self, factor: float) -> None:
        """Scale the last solution to the new C, which is `factor` times the last one."""

    @property
    @abstractmethod
    def n_planes(self) -> int:
        """The number of planes that the solver keeps."""

    def _reset(self) -> None:
        self.history = History()
        self._best = self.coef
        self._primal: float = inf
        self._dual: float = 0.0
        self._proved: bool = False
        self._n_calls = self._n_programs = 0
        self._oracle_seconds = self._program_seconds = 0.0

    def _rescale_to(self, C: float) -> None:
        if self._C:
            self._rescale(C / self._C)
        self._C = C

    def _find_cuts(self, coef: Floats) -> Cuts:
        """Find the worst partition of every item set."""
        start = perf_counter()
        cuts = self._call_oracles(self.problem.oracles, coef)
        self._oracle_seconds += perf_counter() - start
        self._n_calls += len(self.problem)
        return cuts

    def _update_best(self, coef: Floats, cuts: Cuts) -> None:
        """Keep the coef if its objective is the least so far; `cuts` are the cuts at this coef."""
        primal = self._objective(coef, max(cuts.risk(coef), self._risk_bound(coef)))
        if primal < self._primal:
            self._best, self._primal, self._proved = coef.copy(), primal, cuts.proved

    def _raise_primal(self) -> None:
        """Evaluate the best coef again, with all cuts so far.

        An inexact search at that coef may have missed a partition that was found later.
        """
        self._primal = max(self._primal, self._objective(self._best, self._risk_bound(self._best)))

    def _objective(self, coef: Floats, risk: float) -> float:
        return float(0.5 * coef @ coef) + self._C * risk

    def _risk_bound(self, coef: Floats) -> float:  # noqa: ARG002
        """Return a lower bound on the mean slack, from the cuts found so far."""
        return 0.0

    @property
    def _is_closed(self) -> bool:
        # The gap is relative to the objective, or to that of a slack of 0.001 if that is more.
        scale = max(self._primal, 1e-3 * self._C)
        return self._primal < inf and self._primal - self._dual <= self.tol * scale

    def _record_step(self) -> None:
        step = Step(
            self._primal,
            self._dual,
            self.n_planes,
            self._n_calls,
            self._oracle_seconds,
            self._program_seconds,
            self._n_programs,
        )
        self.history.append(step)
        detail = f"objective {step.primal:.4g}, at least {step.dual:.4g}"
        report("fit", len(self.history), None, detail)


class Solver(Protocol):
    """Minimises the objective of a structural SVM."""

    def start(self, problem: Problem, random_state: int) -> SolverRun:
        """Start a run on a problem."""
        ...


@dataclass(frozen=True)
class SolverBase(Value):
    """The parameters that all solvers share."""

    tol: float
    max_iter: int
    nonnegative: bool = False
    n_jobs: int = 1

    def __post_init__(self) -> None:
        as_real("tol", self.tol)
        as_whole("max_iter", self.max_iter, 1)
        as_whole("n_jobs", self.n_jobs, 1)
