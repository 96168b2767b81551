"""What keys share: rows of a table of texts that have a key in common meet."""

import logging
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from coterie._core.arrays import Ints, refuse_too_large
from coterie.blocking._base import LOGGER, PairBlocker, distinct, join
from coterie.blocking._tables import TextTable

MAX_BLOCK = 200
"""How many rows a block may have, unless told otherwise, before most of its pairs are left out."""

MOST_PAIRS = 1_000
"""How many pairs a row of a sample may have, counted for each block, before a key is given up."""

NEXT_FEW = 5
"""With how many rows after it a row of a larger block is paired."""

_log = logging.getLogger(LOGGER)


class Found(NamedTuple):
    """The sorted keys i n + j of pairs of rows of a table, and how many pairs were left out."""

    keys: Ints
    dropped: int = 0


class Foreseen(NamedTuple):
    """The pairs of a sample that would be found too in a table that is `scale` times as large.

    `weight` says how many pairs of different clusters of the larger table each of the sample stands
    for: scale² where blocks grow with the table, scale where every row has so many partners. In a
    table that is not as large a row may be in `more` pairs still, of blocks not yet too large.
    """

    keys: Ints
    weight: float
    more: float = 0.0


class Sample(NamedTuple):
    """A table whose clusters are known, and how many times as large is what it stands for."""

    table: TextTable
    labels: Ints
    scale: float
    max_block: int = MAX_BLOCK


class TextKey(PairBlocker):
    """Say which rows of a table of texts meet; a key is a blocker by itself."""

    effort: ClassVar[float] = 0.1
    """The work of finding its pairs, in pairs a row that could be compared meanwhile."""
    turn: ClassVar[int] = 9
    """When `learn_blocking` looks at keys of the kind: among equals, one that came first wins."""

    @classmethod
    def of_column(cls, column: str) -> Iterable["TextKey"]:  # noqa: ARG003
        """Return the keys of a column that `learn_blocking` tries."""
        return ()

    @classmethod
    def of_columns(cls, columns: Sequence[str]) -> Iterable["TextKey"]:  # noqa: ARG003
        """Return the keys of several columns that it tries, after those of each column."""
        return ()

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns that it reads."""

    @abstractmethod
    def look(self, table: TextTable, max_block: int) -> Found:
        """Find the pairs of rows that meet; of blocks above `max_block` rows only a few."""

    @abstractmethod
    def foresee(self, sample: Sample) -> Foreseen | None:
        """Find the pairs that would meet still if the table were larger; None for too many."""

    def _keys(self, items: Any, n_items: int) -> Ints:
        table = TextTable.of(items, self.names, n_items, type(self).__name__)
        found = self.look(table, MAX_BLOCK)
        tell_dropped(found.dropped, MAX_BLOCK)
        return table.given(found.keys)


class BlockKey(TextKey):
    """Rows meet that share a block."""

    @property
    def largest(self) -> int | None:
        """The number of rows above which a block is none by the meaning of the key."""
        return None

    @abstractmethod
    def members(self, table: TextTable) -> Ints:
        """Return the sorted numbers b n + i, each once, of the rows i that are in a block b."""

    def look(self, table: TextTable, max_block: int) -> Found:
        """Find the pairs of rows that share a block."""
        blocks, rows = np.divmod(self.members(table), table.n_rows)
        after = _after(blocks)
        sizes = np.bincount(blocks)[blocks]
        listed = np.where(sizes > max_block, np.minimum(after, NEXT_FEW), after)
        return Found(distinct(join(rows, listed, table.n_rows)), int((after - listed).sum()))

    def foresee(self, sample: Sample) -> Foreseen | None:
        """Find the pairs of blocks that stay small; rows of other clusters make them grow."""
        n_rows, labels = sample.table.n_rows, sample.labels
        blocks, rows = np.divmod(self.members(sample.table), n_rows)
        own = _counts(blocks * n_rows + labels[rows])
        others = np.bincount(blocks)[blocks] - own
        most = min(sample.max_block, self.largest or sample.max_block)
        listed = own + others * sample.scale <= most
        if _after(blocks[listed]).sum() > MOST_PAIRS * n_rows:
            return None
        keys = join(rows[listed], _after(blocks[listed]), n_rows)
        apart = keys[labels[keys // n_rows] != labels[keys % n_rows]]
        # One more than were seen, as they are few: who was not seen may yet come.
        sure = own + (others + (sample.scale > 1.0)) * sample.scale <= most
        keys = join(rows[sure], _after(blocks[sure]), n_rows)
        together = keys[labels[keys // n_rows] == labels[keys % n_rows]]
        more = _more_pairs(own, others, most, sample.scale) / n_rows
        return Foreseen(distinct(np.concatenate([apart, together])), sample.scale**2, more)


def _more_pairs(own: Ints, others: Ints, most: int, scale: float) -> float:
    """Return how many more pairs of a row of the sample a less large table may have, at most."""
    scales = np.geomspace(1.0, scale, 5)
    pairs = [others[own + others * each <= most].sum() * each / 2.0 for each in scales]
    return float(max(pairs) - pairs[-1])


def tell_dropped(dropped: int, max_block: int) -> None:
    """Warn of pairs that were left out, if there are any."""
    if dropped:
        _log.warning(
            "left out up to %d pairs of rows that share a block of more than %d rows, which are "
            "paired with the next %d only; raise max_block to look at them",
            *(dropped, max_block, NEXT_FEW),
        )


def pair_keys(first: Ints, second: Ints, n_rows: int) -> Ints:
    """Return the sorted keys of pairs of rows in either order, each once."""
    refuse_too_large(4 * len(first), f"a list of {len(first):,} pairs")
    return distinct(np.minimum(first, second) * n_rows + np.maximum(first, second))


def _after(blocks: Ints) -> Ints:
    """Return how many members of its block stand behind each."""
    after: Ints = np.searchsorted(blocks, blocks, side="right") - np.arange(len(blocks)) - 1
    return after


def _counts(numbers: Ints) -> Ints:
    """Return how often the number at each place occurs."""
    order = np.argsort(numbers, kind="stable")
    begins = np.flatnonzero(np.diff(numbers[order], prepend=-1) != 0)
    counts = np.empty(len(numbers), dtype=np.intp)
    lengths = np.diff(begins, append=len(numbers))
    counts[order] = np.repeat(lengths, lengths)
    return counts
