"""The keys among which the blocking of a table is chosen."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from coterie.blocking._keys import TextKey
from coterie.blocking.nearest_texts import NearestTexts
from coterie.blocking.parts import QGrams, RareTokens
from coterie.blocking.sorted_rows import SortedNeighbourhood
from coterie.blocking.values import Combined, Prefix, ValueKey, WholeValue

FIRST_NEIGHBOURS = 5
"""With how many of the rows that are nearest by all columns each row is paired in any case."""

MOST_COMBINED = 10
"""Of how many columns, the first ones, each two are combined."""


def first_keys(columns: Sequence[str]) -> list[TextKey]:
    """Return the keys of which one is chosen in any case, whatever the others find."""
    return [NearestTexts(tuple(columns), FIRST_NEIGHBOURS, size) for size in (3, 4)]


def candidate_keys(columns: Sequence[str]) -> list[TextKey]:
    """Return the keys that may be chosen for a table of these columns."""
    keys: list[TextKey] = [key for column in columns for key in _of_column(column)]
    for one, other in combinations(columns[:MOST_COMBINED], 2):
        keys += _of_two(one, other)
    counts = (10, 3), (10, 4), (20, 3), (20, 4)
    return keys + [NearestTexts(tuple(columns), *each) for each in counts]


def _of_column(column: str) -> Iterator[TextKey]:
    yield WholeValue(column)
    for length in (3, 4, 5, 6, 8, 12):
        yield Prefix(column, length)
    for most in (10, 30, 60, 100, 200):
        yield RareTokens(column, most)
        for size in (4, 5, 6, 8):
            yield QGrams(column, size, most)
    for window in (3, 10):
        yield SortedNeighbourhood(column, window)
        yield SortedNeighbourhood(column, window, backwards=True)
    yield NearestTexts((column,), 5)
    yield NearestTexts((column,), 10)


def _of_two(one: str, other: str) -> Iterator[TextKey]:
    def begins(column: str) -> tuple[ValueKey, ValueKey, ValueKey]:
        return Prefix(column, 1), Prefix(column, 4), WholeValue(column)

    pairs = [(first, second) for first in begins(one) for second in begins(other)]
    return (Combined(pair) for pair in pairs[1:])  # the first letters of both say too little
