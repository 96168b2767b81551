"""The base classes of blocking keys, which pair the rows of a table of texts."""

import logging
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from coterie._core.arrays import Ints, refuse_too_large
from coterie.blocking._base import LOGGER, PairBlocker, pair_with_next, sorted_unique
from coterie.blocking._tables import TextTable

MAX_BLOCK = 200
"""The default size of the largest block whose pairs are all candidates."""

MOST_PAIRS = 1_000
"""The number of pairs per row, summed over blocks, above which a key is not considered."""

NEXT_FEW = 5
"""The number of following rows that each row of a larger block is paired with."""

_log = logging.getLogger(LOGGER)


class BlockedPairs(NamedTuple):
    """The candidate pairs of a key, as sorted ids i n + j, and the number of pairs left out."""

    pair_ids: Ints
    dropped: int = 0


class Extrapolation(NamedTuple):
    """The pairs of a sample that would still be candidates in a table `scale` times as large.

    `weight` is the number of pairs of different clusters in the larger table that each such pair of
    the sample represents: scale² where blocks grow with the table, scale where each row has a fixed
    number of partners. In a table of a size in between, blocks that the larger table drops may
    still be small enough; `extra_pairs` is the number of pairs per row that they add at most.
    """

    pair_ids: Ints
    weight: float
    extra_pairs: float = 0.0


class LabelledSample(NamedTuple):
    """A sample of rows with true labels; the table it represents is `scale` times as large."""

    table: TextTable
    labels: Ints
    scale: float
    max_block: int = MAX_BLOCK


class TextKey(PairBlocker):
    """A blocking key of a table of texts: a rule for which rows are candidate pairs.

    A key is a blocker by itself.
    """

    effort: ClassVar[float] = 0.1
    """The time to find the pairs per row, in units of the time to compare one pair."""
    turn: ClassVar[int] = 9
    """The rank of this class in the order in which `learn_blocking` tries keys; early keys win
    ties."""

    @classmethod
    def of_column(cls, column: str) -> Iterable["TextKey"]:  # noqa: ARG003
        """Return the keys of one column that `learn_blocking` tries."""
        return ()

    @classmethod
    def of_columns(cls, columns: Sequence[str]) -> Iterable["TextKey"]:  # noqa: ARG003
        """Return the keys of several columns that `learn_blocking` tries."""
        return ()

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns that the key reads."""

    @abstractmethod
    def block(self, table: TextTable, max_block: int) -> BlockedPairs:
        """Return the candidate pairs, only a few of them for blocks of over `max_block` rows."""

    def for_sample(self, share: float) -> Self:  # noqa: ARG002
        """Return the key for a random sample of a table: its limits on rows shrink with the share.

        A limit that a block of the table exceeds, the rows of this block in the sample exceed, too.
        """
        return self

    @abstractmethod
    def extrapolate(self, sample: LabelledSample) -> Extrapolation | None:
        """Return the pairs of a sample that a larger table would have; None if too many."""

    def _pair_ids(self, items: Any, n_items: int) -> Ints:
        table = TextTable.of(items, self.names, n_items, type(self).__name__)
        blocked = self.block(table, MAX_BLOCK)
        warn_of_dropped_pairs(blocked.dropped, MAX_BLOCK)
        return table.in_input_order(blocked.pair_ids)


class BlockKey(TextKey):
    """A key whose candidate pairs are the pairs of rows that share a block."""

    @property
    def largest(self) -> int | None:
        """The size above which the key has no block, or None if it has blocks of any size."""
        return None

    @abstractmethod
    def members(self, table: TextTable) -> Ints:
        """Return the sorted ids b n + i, each once, of the memberships of rows i in blocks b."""

    def block(self, table: TextTable, max_block: int) -> BlockedPairs:
        """Return the pairs of rows that share a block."""
        blocks, rows = np.divmod(self.members(table), table.n_rows)
        n_later = _n_later_members(blocks)
        sizes = np.bincount(blocks)[blocks]
        n_next = np.where(sizes > max_block, np.minimum(n_later, NEXT_FEW), n_later)
        pair_ids = sorted_unique(pair_with_next(rows, n_next, table.n_rows))
        return BlockedPairs(pair_ids, int((n_later - n_next).sum()))

    def extrapolate(self, sample: LabelledSample) -> Extrapolation | None:
        """Return the pairs of blocks that stay small when rows of other clusters join them."""
        n_rows, labels = sample.table.n_rows, sample.labels
        blocks, rows = np.divmod(self.members(sample.table), n_rows)
        # Of each membership: the rows of its block that are in the row's cluster, and the others.
        n_same = _occurrences(blocks * n_rows + labels[rows])
        n_others = np.bincount(blocks)[blocks] - n_same
        limit = min(sample.max_block, self.largest or sample.max_block)
        is_small = n_same + n_others * sample.scale <= limit
        if _n_later_members(blocks[is_small]).sum() > MOST_PAIRS * n_rows:
            return None
        pair_ids = pair_with_next(rows[is_small], _n_later_members(blocks[is_small]), n_rows)
        apart = pair_ids[labels[pair_ids // n_rows] != labels[pair_ids % n_rows]]
        # True pairs are counted cautiously, with one row more from other clusters: a block may be
        # without such rows only because the sample is small.
        is_sure = n_same + (n_others + (sample.scale > 1.0)) * sample.scale <= limit
        pair_ids = pair_with_next(rows[is_sure], _n_later_members(blocks[is_sure]), n_rows)
        together = pair_ids[labels[pair_ids // n_rows] == labels[pair_ids % n_rows]]
        extra_pairs = _extra_pairs(n_same, n_others, limit, sample.scale) / n_rows
        pair_ids = sorted_unique(np.concatenate([apart, together]))
        return Extrapolation(pair_ids, sample.scale**2, extra_pairs)


def _extra_pairs(n_same: Ints, n_others: Ints, limit: int, max_scale: float) -> float:
    """Return by how many pairs the largest count at smaller scales exceeds that at `max_scale`."""
    scales = np.geomspace(1.0, max_scale, 5)
    n_pairs = [n_others[n_same + n_others * scale <= limit].sum() * scale / 2 for scale in scales]
    return float(max(n_pairs) - n_pairs[-1])


def warn_of_dropped_pairs(dropped: int, max_block: int) -> None:
    """Log a warning if pairs of large blocks were left out."""
    if dropped:
        _log.warning(
            "up to %d pairs of rows were left out: where more than %d rows share a blocking key, "
            "each is compared with only %d of them; to compare more, raise `max_block=`",
            *(dropped, max_block, NEXT_FEW),
        )


def ids_of_pairs(first: Ints, second: Ints, n_rows: int) -> Ints:
    """Return the sorted ids of pairs of rows, given in either order, without duplicates."""
    refuse_too_large(4 * len(first), f"a list of {len(first):,} pairs")
    return sorted_unique(np.minimum(first, second) * n_rows + np.maximum(first, second))


def _n_later_members(blocks: Ints) -> Ints:
    """Return the number of later entries of the same block; the blocks are sorted."""
    n_later: Ints = np.searchsorted(blocks, blocks, side="right") - np.arange(len(blocks)) - 1
    return n_later


def _occurrences(values: Ints) -> Ints:
    """Return for each entry the number of times that its value occurs."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=-1) != 0)
    counts = np.empty(len(values), dtype=np.intp)
    lengths = np.diff(starts, append=len(values))
    counts[order] = np.repeat(lengths, lengths)
    return counts
