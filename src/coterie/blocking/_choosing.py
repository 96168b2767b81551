"""The choice of keys: the true pairs that each finds, weighed against all the pairs it lists."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Bools, Floats, Ints
from coterie.blocking._base import distinct
from coterie.blocking._keys import Sample, TextKey

PAIRS_PER_ROW = 200.0
"""How many pairs a row of the foreseen table may have listed on average."""

WORTH = 500.0
"""How many pairs may be listed for each true one, once enough of them are found."""

AGAIN = 0.1
"""What it is worth to find a pair by a second key: others like it may lack the first."""

FIRST = 2
"""Of how many candidates, the first ones, the best is chosen in any case."""

MOST_KEYS = 24
"""How many keys are chosen at most."""


class Candidate(NamedTuple):
    """A key with what it is foreseen to list."""

    key: TextKey
    hits: Ints
    """The numbers of the true pairs."""
    others: Ints
    """The numbers of the pairs of different clusters that it lists."""
    weight: float
    """How many pairs of the foreseen table each of them stands for."""
    effort: float
    """What else it costs, in pairs a row."""


class Truth(NamedTuple):
    """The pairs that are together, as sorted keys, and how much it matters to find each."""

    keys: Ints
    weights: Floats


def candidates_of(keys: Sequence[TextKey], sample: Sample, truth: Truth) -> list[Candidate]:
    """Look with each key, and drop those that list too much, or no true pair."""
    found = [one for key in keys if (one := _looked(key, sample, truth)) is not None]
    numbered = distinct(np.concatenate([truth.keys[:0], *(one.others for one in found)]))
    return [
        one._replace(others=np.searchsorted(numbered, one.others).astype(np.int32)) for one in found
    ]


def _looked(key: TextKey, sample: Sample, truth: Truth) -> Candidate | None:
    foreseen = key.foresee(sample)
    if foreseen is None:
        return None
    n_rows = sample.table.n_rows
    first, second = np.divmod(foreseen.keys, n_rows)
    together = sample.labels[first] == sample.labels[second]
    hits = np.searchsorted(truth.keys, foreseen.keys[together])
    others = foreseen.keys[~together]
    n_pairs = foreseen.weight * len(others)
    if n_pairs > PAIRS_PER_ROW * n_rows * sample.scale:
        return None
    return Candidate(key, hits, others, foreseen.weight, key.effort + foreseen.more)


@dataclass
class Choice:
    """Keys that are chosen one by one, by what each adds for what it costs."""

    candidates: Sequence[Candidate]
    truth: Truth
    n_rows: float
    """How many rows the foreseen table has."""
    scale: float
    chosen: list[Candidate] = field(default_factory=list)

    def __post_init__(self) -> None:
        n_others = max((int(one.others.max(initial=-1)) for one in self.candidates), default=-1) + 1
        self.times: Ints = np.zeros(len(self.truth.keys), dtype=np.intp)
        self.listed: Bools = np.zeros(n_others, dtype=np.bool_)
        self.cost = 0.0

    @property
    def recall(self) -> float:
        """The share of the true pairs that are found."""
        return float(np.mean(self.times > 0))

    def choose(self, recall: float) -> list[TextKey]:
        """Take the first key, and those that add most for what they cost; prune the others."""
        self._add(max(self.candidates[:FIRST], key=lambda one: self._gain(one)[0]))
        while len(self.chosen) < MOST_KEYS and self._add_best(recall):
            pass
        self._prune()
        return [one.key for one in self.chosen]

    def _is_enough(self, recall: float) -> bool:
        """Tell whether so many are found, by number and by weight."""
        weights = self.truth.weights
        return min(self.recall, float(weights[self.times > 0].sum() / weights.sum())) >= recall

    def _add_best(self, recall: float) -> bool:
        worth, again = (WORTH, AGAIN) if self._is_enough(recall) else (float("inf"), 0.0)
        best, rate = None, 0.0
        for one in self.candidates:
            gain, n_hits = self._gain(one, again)
            cost = self._cost(one)
            fits = cost <= min(worth * n_hits * self.scale, self._budget) if n_hits else False
            if fits and gain > rate * cost and not any(one is own for own in self.chosen):
                best, rate = one, gain / cost
        if best is not None:
            self._add(best)
        return best is not None

    @property
    def n_pairs(self) -> float:
        """How many pairs are listed in the foreseen table, without the work of finding them."""
        return self.cost - self.n_rows * sum(one.effort for one in self.chosen)

    @property
    def _budget(self) -> float:
        return PAIRS_PER_ROW * self.n_rows - self.cost

    def _add(self, candidate: Candidate) -> None:
        self.cost += self._cost(candidate)
        self.chosen.append(candidate)
        self.times[candidate.hits] += 1
        self.listed[candidate.others] = True

    def _gain(self, candidate: Candidate, again: float = 0.0) -> tuple[float, float]:
        """Return what is found, by weight and by number; what is found again counts little."""
        times = self.times[candidate.hits]
        value = np.where(times == 0, 1.0, np.where(times == 1, again, 0.0))
        return float(self.truth.weights[candidate.hits] @ value), float(value.sum())

    def _cost(self, candidate: Candidate) -> float:
        """Return how many pairs are added, with the work of finding them as pairs."""
        n_hits = np.count_nonzero(self.times[candidate.hits] == 0)
        n_others = np.count_nonzero(~self.listed[candidate.others])
        pairs = self.scale * n_hits + candidate.weight * n_others
        return float(candidate.effort * self.n_rows + pairs)

    def _prune(self) -> None:
        """Leave out keys, the dearest first, without which all is found as often, up to twice."""
        for one in sorted(self.chosen[1:], key=lambda own: -own.weight * len(own.others)):
            if np.all(self.times[one.hits] > 2):
                self.times[one.hits] -= 1
                self.chosen = [own for own in self.chosen if own is not one]
        self.listed[:], self.cost, chosen = False, 0.0, self.chosen
        self.times[:], self.chosen = 0, []
        for one in chosen:
            self._add(one)
