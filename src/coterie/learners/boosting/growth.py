"""Trees that are grown one after the other, and what was seen on the way."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from coterie._core.arrays import Floats
from coterie._core.progress import report
from coterie._types import Featurizer
from coterie.exceptions import InterruptedWarning
from coterie.learners.boosting.pair_sets import PairSets
from coterie.learners.boosting.risks import Risk
from coterie.learners.boosting.trees import TreeGrower
from coterie.similarities.trees import Trees

LARGEST = 20.0
"""How far from 0 a score is sought that is the same for all pairs."""


class Round(NamedTuple):
    """The objective that a round of boosting found: that of the trees before its own."""

    objective: float


@dataclass(eq=False)
class Growth:
    """The trees so far, and what makes more of them."""

    objective: Risk
    grower: TreeGrower
    featurizer: Featurizer
    pairs: PairSets
    matrix: Floats
    random_state: int
    trees: list[Trees] = field(default_factory=list, init=False)
    history: list[Round] = field(default_factory=list, init=False)
    first_score: float = field(init=False)
    _seen: Round = field(init=False)

    def __post_init__(self) -> None:
        self.first_score = self.objective.first_score(self.pairs)

    def run(self, n_rounds: int, stacklevel: int) -> None:
        """Grow so many trees; an interrupt leaves those that are there, with a warning.

        Where none can be grown, all pairs score the one number that loses least. `stacklevel` is
        that of `warnings.warn` in the caller.
        """
        try:
            for _ in self.rounds(n_rounds):
                pass
        except KeyboardInterrupt:
            message = f"the fit was interrupted after {len(self.trees)} of {n_rounds} rounds"
            warnings.warn(message, InterruptedWarning, stacklevel=stacklevel + 1)
        else:
            if not self.trees and len(self.pairs):
                self.first_score = self._best_constant()

    def rounds(self, n_rounds: int) -> Iterator[int]:
        """Grow at most so many trees, and yield after each how many there are."""
        if not self.matrix.size:
            return
        grown = self.grower.grow(self.matrix, self._steps, self.random_state)
        for tree in islice(grown, n_rounds):
            self.trees.append(tree)
            self.history.append(self._seen)
            report("fit", len(self.trees), n_rounds, f"objective {self._seen.objective:.5g}")
            yield len(self.trees)

    def _steps(self, scores: Floats) -> tuple[Floats, Floats]:
        value, slopes, bends = self.objective.descend(self.pairs, scores + self.first_score)
        self._seen = Round(value)  # of a tree that may yet prove to have no split
        return slopes, bends

    def _best_constant(self) -> float:
        """Return the score that loses least where all pairs have it; the first one among equals."""

        def lost(score: float) -> float:
            return self.objective.descend(self.pairs, np.full(len(self.pairs), score)).value

        found = minimize_scalar(lost, bounds=(-LARGEST, LARGEST), method="bounded")
        return float(found.x) if found.fun < lost(self.first_score) else self.first_score
