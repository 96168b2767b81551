"""Trees that are grown one after the other, and what was seen on the way."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from coterie._arrays import Floats
from coterie._progress import report
from coterie._types import Featurizer
from coterie.exceptions import InterruptedWarning
from coterie.learners._pair_sets import PairSets
from coterie.learners.risks import Risk
from coterie.learners.trees import TreeGrower
from coterie.similarities.trees import Trees


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
    trees: list[Trees] = field(default_factory=list)
    history: list[Round] = field(default_factory=list)
    first_score: float = field(init=False)

    def __post_init__(self) -> None:
        self.first_score = self.objective.first_score(self.pairs)

    def run(self, n_rounds: int) -> None:
        """Grow so many trees; an interrupt leaves those that are there, with a warning."""
        try:
            for _ in self.rounds(n_rounds):
                pass
        except KeyboardInterrupt:
            message = f"the fit was interrupted after {len(self.trees)} of {n_rounds} rounds"
            warnings.warn(message, InterruptedWarning, stacklevel=5)

    def rounds(self, n_rounds: int) -> Iterator[int]:
        """Grow at most so many trees, and yield after each how many there are."""
        if not self.matrix.size:
            return
        grown = self.grower.grow(self.matrix, self._steps, self.random_state)
        for tree in islice(grown, n_rounds):
            self.trees.append(tree)
            seen = f"objective {self.history[-1].objective:.5g}"
            report("fit", len(self.trees), n_rounds, seen)
            yield len(self.trees)

    def _steps(self, scores: Floats) -> tuple[Floats, Floats]:
        value, slopes, bends = self.objective.descend(self.pairs, scores + self.first_score)
        self.history.append(Round(value))
        return slopes, bends
