"""The candidate pairs of training sets, and weighted samples of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Bools, Floats, Ints
from coterie.pairs import PairScores, all_pairs, count_pairs
from coterie.partition import Partition

TOGETHER_SHARE, SIMILAR_SHARE = 0.4, 0.8
"""The largest shares of a sample: of pairs together, and of these and similar pairs apart."""


class PairComparison(Protocol):
    """Computes the features of candidate pairs, which are numbered across all item sets."""

    @property
    def n_columns(self) -> int:
        """The number of features."""

    def blocks(self, rows: Ints | None = None) -> Iterator[tuple[Ints, Any]]:
        """Yield numbers of pairs and the matrix of their features, until all are covered.

        `rows` are the numbers of the pairs to compare, ascending; None means all pairs.
        """


class PairSample(NamedTuple):
    """Pairs to learn from; a pair of weight w stands for w pairs.

    `ends` are the indices of the two items of each pair, counted across all item sets.
    """

    matrix: NDArray[np.float32]
    ends: NDArray[np.int32]
    together: Bools
    weights: Floats

    def take(self, rows: Ints | Bools) -> "PairSample":
        """Return some of the pairs."""
        return PairSample(
            self.matrix[rows], self.ends[rows], self.together[rows], self.weights[rows]
        )


@dataclass(frozen=True, eq=False)
class PairPool:
    """All candidate pairs of the training sets, numbered across the sets.

    Parameters
    ----------
    truths
        The correct partition of each item set.
    listed
        The candidate pairs of each item set; None means all pairs.
    comparison
        Computes their features.
    """

    truths: Sequence[Partition]
    listed: Sequence[Ints | None]
    comparison: PairComparison

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def offsets(self) -> Ints:
        """The index of the first item of each set, counted across all sets, and their number."""
        return np.cumsum([0, *map(len, self.truths)])

    @cached_property
    def starts(self) -> Ints:
        """The number of the first pair of each set, and the number of all pairs."""
        sizes = map(len, self.truths)
        return np.cumsum([0, *map(count_pairs, sizes, self.listed)])

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """The indices of the items of each pair, counted across all sets."""
        ends = np.empty((len(self), 2), dtype=np.int32)
        for index, (truth, pairs) in enumerate(zip(self.truths, self.listed, strict=True)):
            listed = all_pairs(len(truth)) if pairs is None else pairs
            ends[self.starts[index] : self.starts[index + 1]] = listed + self.offsets[index]
        return ends

    @cached_property
    def together(self) -> Bools:
        """True for each pair that belongs together."""
        parts = map(Partition.together, self.truths, self.listed)
        return np.concatenate(list(parts))

    def set_scores(self, scores: Floats) -> list[PairScores]:
        """Divide the scores of all pairs by item sets."""
        parts = np.split(scores, self.starts[1:-1])
        return [
            PairScores(len(truth), pairs, part)
            for truth, pairs, part in zip(self.truths, self.listed, parts, strict=True)
        ]

    def sample(self, is_similar: Bools, n_pairs: int, random_state: int) -> PairSample:
        """Draw at most `n_pairs` pairs as `draw_rows` does, and compare them."""
        rng = np.random.default_rng(random_state)
        return self._compare(*draw_rows(self.together, is_similar, n_pairs, rng))

    def sample_by(self, chances: Floats, n_pairs: int, random_state: int) -> PairSample:
        """Draw about `n_pairs` pairs as `draw_by` does, and compare them."""
        rng = np.random.default_rng(random_state)
        return self._compare(*draw_by(self.together, chances, n_pairs, rng))

    def _compare(self, rows: Ints, weights: Floats) -> PairSample:
        matrix = np.empty((len(rows), self.comparison.n_columns), dtype=np.float32)
        for block, features in self.comparison.blocks(rows):
            matrix[np.searchsorted(rows, block)] = features
        return PairSample(matrix, self.ends[rows], self.together[rows], weights)


def count_hard(together: Bools, n_pairs: int) -> int:
    """Return the largest number of similar pairs apart in a sample of `n_pairs` pairs."""
    n_together = min(int(np.count_nonzero(together)), round(TOGETHER_SHARE * n_pairs))
    return round(SIMILAR_SHARE * n_pairs) - n_together


def draw_rows(
    together: Bools, is_similar: Bools, n_pairs: int, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Draw pairs to learn from; return their ascending numbers and their weights.

    There are three strata: pairs together, similar pairs apart, and all other pairs. The pairs of a
    stratum have equal chances, and the weight of a pair is the inverse of its chance, so that
    weighted sums over the sample are unbiased estimates of sums over all pairs. The first two
    strata decide the clusters; the last is large, and a fifth of `n_pairs` is enough of it.

    >>> together, is_similar = np.arange(13) < 2, np.arange(13) < 4
    >>> rows, weights = draw_rows(together, is_similar, 10, np.random.default_rng(0))
    >>> rows[:4].tolist(), weights.tolist()
    ([0, 1, 2, 3], [1.0, 1.0, 1.0, 1.0, 4.5, 4.5])
    """
    strata = (together, is_similar & ~together, ~(is_similar | together))
    n_hard, n_others = count_hard(together, n_pairs), round((1.0 - SIMILAR_SHARE) * n_pairs)
    rows, weights = [], []
    limits = (round(TOGETHER_SHARE * n_pairs), n_hard, n_others)
    for stratum, most in zip(strata, limits, strict=True):
        members = np.flatnonzero(stratum)
        drawn = members if len(members) <= most else rng.choice(members, most, replace=False)
        rows.append(drawn)
        weights.append(np.full(len(drawn), len(members) / max(len(drawn), 1)))
    order = np.argsort(np.concatenate(rows))
    return np.concatenate(rows)[order], np.concatenate(weights)[order]


def draw_by(
    together: Bools, chances: Floats, n_pairs: int, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Draw each pair apart with its own chance; return ascending numbers and weights.

    The chances of pairs apart are a mix of equal ones and of ones in proportion to `chances`, at
    most 1. Pairs together have equal chances. Weights are the inverse of chances, as in
    `draw_rows`.
    """
    n_together = int(np.count_nonzero(together))
    most = round(TOGETHER_SHARE * n_pairs)
    n_apart = n_pairs - min(n_together, most)
    equal = n_apart * (1.0 - SIMILAR_SHARE) / max(len(together) - n_together, 1)
    of_pairs = np.where(together, 0.0, chances)
    of_pairs *= SIMILAR_SHARE * n_apart / max(of_pairs.sum(), np.finfo(np.float64).tiny)
    probabilities = np.where(
        together, min(1.0, most / max(n_together, 1)), np.minimum(of_pairs + equal, 1.0)
    )
    rows = np.flatnonzero(rng.random(len(together)) < probabilities)
    return rows, 1.0 / probabilities[rows]
