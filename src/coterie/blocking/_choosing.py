"""The selection of blocking keys: the recall of true pairs against the number of candidate pairs.

Keys are evaluated on a labelled sample. All costs are in pairs of the larger table that the sample
represents, whose number of rows is `scale` times that of the sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Bools, Floats, Ints
from coterie.blocking._base import sorted_unique
from coterie.blocking._keys import LabelledSample, TextKey

PAIRS_PER_ROW = 200.0
"""The largest average number of candidate pairs per row of the larger table."""

WORTH = 500.0
"""The largest cost of a true pair, in candidate pairs, once the recall is high enough."""

AGAIN = 0.1
"""The gain of finding a pair by a second key: similar pairs may lack the first key."""

FIRST = 2
"""The number of candidates, from the first, of which one is always chosen."""

MOST_KEYS = 24
"""The largest number of keys that are chosen."""


class KeyCandidate(NamedTuple):
    """A key that may be chosen, with its estimated candidate pairs."""

    key: TextKey
    hits: Ints
    """The indices of the true pairs that the key finds."""
    others: Ints
    """The indices of its candidate pairs of different clusters, in a list for all keys."""
    weight: float
    """The number of pairs of the larger table that each of `others` represents."""
    effort: float
    """All further costs of the key, in pairs per row."""


class TruePairs(NamedTuple):
    """The pairs of rows in one cluster, as sorted ids, and the weight of finding each of them."""

    ids: Ints
    weights: Floats


def candidates_of(
    keys: Sequence[TextKey], sample: LabelledSample, truth: TruePairs
) -> list[KeyCandidate]:
    """Evaluate each key on the sample, and drop keys with too many candidate pairs."""
    evaluated = (_evaluate(key, sample, truth) for key in keys)
    candidates = [candidate for candidate in evaluated if candidate is not None]
    all_others = sorted_unique(
        np.concatenate([truth.ids[:0], *(candidate.others for candidate in candidates)])
    )
    return [
        candidate._replace(others=np.searchsorted(all_others, candidate.others).astype(np.int32))
        for candidate in candidates
    ]


def _evaluate(key: TextKey, sample: LabelledSample, truth: TruePairs) -> KeyCandidate | None:
    extrapolation = key.extrapolate(sample)
    if extrapolation is None:
        return None
    n_rows = sample.table.n_rows
    first, second = np.divmod(extrapolation.pair_ids, n_rows)
    together = sample.labels[first] == sample.labels[second]
    hits = np.searchsorted(truth.ids, extrapolation.pair_ids[together])
    others = extrapolation.pair_ids[~together]
    n_pairs = extrapolation.weight * len(others)
    if n_pairs > PAIRS_PER_ROW * n_rows * sample.scale:
        return None
    effort = key.effort + extrapolation.extra_pairs
    return KeyCandidate(key, hits, others, extrapolation.weight, effort)


@dataclass
class KeySelection:
    """Greedy selection of keys: one by one, each with the largest gain for its cost."""

    candidates: Sequence[KeyCandidate]
    truth: TruePairs
    n_rows: float
    """The number of rows of the larger table."""
    scale: float
    chosen: list[KeyCandidate] = field(default_factory=list)

    def __post_init__(self) -> None:
        n_others = max((int(c.others.max(initial=-1)) for c in self.candidates), default=-1) + 1
        self.n_finds: Ints = np.zeros(len(self.truth.ids), dtype=np.intp)
        """For each true pair, the number of chosen keys that find it."""
        self.is_candidate: Bools = np.zeros(n_others, dtype=np.bool_)
        """The pairs of different clusters that any chosen key lists, as a mask."""
        self.cost = 0.0

    @property
    def recall(self) -> float:
        """The share of the true pairs that the chosen keys find."""
        return float(np.mean(self.n_finds > 0))

    def choose(self, recall: float) -> list[TextKey]:
        """Choose the first key, then those of the largest gain for their cost; prune the rest."""
        self._add(max(self.candidates[:FIRST], key=lambda candidate: self._gain(candidate)[0]))
        while len(self.chosen) < MOST_KEYS and self._add_best(recall):
            pass
        self._prune()
        return [candidate.key for candidate in self.chosen]

    def _is_enough(self, recall: float) -> bool:
        """Return whether the recall is reached both by count and by weight."""
        weights = self.truth.weights
        weighted_recall = float(weights[self.n_finds > 0].sum() / weights.sum())
        return min(self.recall, weighted_recall) >= recall

    def _add_best(self, recall: float) -> bool:
        # Until the recall is reached, only pairs that are not found yet count, at any cost.
        worth, again = (WORTH, AGAIN) if self._is_enough(recall) else (float("inf"), 0.0)
        best, best_rate = None, 0.0
        for candidate in self.candidates:
            gain, n_hits = self._gain(candidate, again)
            cost = self._cost(candidate)
            fits = cost <= min(worth * n_hits * self.scale, self._budget) if n_hits else False
            if fits and gain > best_rate * cost and not self._is_chosen(candidate):
                best, best_rate = candidate, gain / cost
        if best is not None:
            self._add(best)
        return best is not None

    def _is_chosen(self, candidate: KeyCandidate) -> bool:
        return any(candidate is chosen for chosen in self.chosen)

    @property
    def n_pairs(self) -> float:
        """The number of candidate pairs in the larger table: the cost without the efforts."""
        return self.cost - self.n_rows * sum(candidate.effort for candidate in self.chosen)

    @property
    def _budget(self) -> float:
        return PAIRS_PER_ROW * self.n_rows - self.cost

    def _add(self, candidate: KeyCandidate) -> None:
        self.cost += self._cost(candidate)
        self.chosen.append(candidate)
        self.n_finds[candidate.hits] += 1
        self.is_candidate[candidate.others] = True

    def _gain(self, candidate: KeyCandidate, again: float = 0.0) -> tuple[float, float]:
        """Return the true pairs gained, by weight and by count; second finds count `again`."""
        n_finds = self.n_finds[candidate.hits]
        gains = np.where(n_finds == 0, 1.0, np.where(n_finds == 1, again, 0.0))
        return float(self.truth.weights[candidate.hits] @ gains), float(gains.sum())

    def _cost(self, candidate: KeyCandidate) -> float:
        """Return the number of candidate pairs that a key adds, plus its effort in pairs."""
        n_hits = np.count_nonzero(self.n_finds[candidate.hits] == 0)
        n_others = np.count_nonzero(~self.is_candidate[candidate.others])
        n_pairs = self.scale * n_hits + candidate.weight * n_others
        return float(candidate.effort * self.n_rows + n_pairs)

    def _prune(self) -> None:
        """Drop keys, those with most pairs first, if at least two others find all of their hits."""
        by_pairs = sorted(self.chosen[1:], key=lambda c: -c.weight * len(c.others))
        for candidate in by_pairs:
            if np.all(self.n_finds[candidate.hits] > 2):
                self.n_finds[candidate.hits] -= 1
                self.chosen = [chosen for chosen in self.chosen if chosen is not candidate]
        remaining, self.chosen = self.chosen, []
        self.is_candidate[:], self.n_finds[:], self.cost = False, 0, 0.0
        for candidate in remaining:
            self._add(candidate)
