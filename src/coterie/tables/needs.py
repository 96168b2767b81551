"""Refusals of tables that do not fit into memory, before any work on them.

The estimates are lower bounds, so that no table is refused that would have fitted: at most about
three quarters of what was measured on tables of people, of one to three columns of short values,
and of long texts.
"""

from collections.abc import Sequence

from coterie._core.memory import refuse_beyond_memory
from coterie._core.texts import pluralize
from coterie.items import ItemSet

CELL_BYTES, RECORD_BYTES, CHARACTER_BYTES = 600, 1_000, 10
"""The least memory for each different cell of a column, for each row that is also compared as one
text, and for each character of these texts."""

COPIES = 2
"""The least number of copies of the features of all pairs while a model is learned."""

SMALLER = "split the table into parts that need not be compared"


def reading_bytes(item_set: ItemSet) -> int:
    """Return the least number of bytes in which the rows of a set can be compared."""
    columns = [item_set.items[name] for name in item_set.items]
    different = [set(cells) for cells in columns]
    n_bytes = CELL_BYTES * sum(map(len, different))
    if len(columns) == 1:
        return n_bytes
    n_characters = sum(sum(map(len, cells)) for cells in columns)
    return n_bytes + RECORD_BYTES * len(item_set) + CHARACTER_BYTES * n_characters


def refuse_clustering(item_set: ItemSet) -> None:
    """Raise an error if different rows surely need more memory than there is."""
    work = f"clustering {pluralize(len(item_set), 'different row')}"
    refuse_beyond_memory(reading_bytes(item_set), work, SMALLER)


def refuse_learning(item_sets: Sequence[ItemSet], n_pairs: int, n_features: int) -> None:
    """Raise an error if learning from the pairs of some rows surely needs too much memory."""
    n_rows = sum(map(len, item_sets))
    work = f"learning from {pluralize(n_rows, 'row')} and {pluralize(n_pairs, 'pair')} of them"
    n_bytes = sum(map(reading_bytes, item_sets)) + COPIES * 8 * n_pairs * n_features
    refuse_beyond_memory(n_bytes, work, "learn from fewer rows")
