"""Made-up rows, by which a model is tested instead of rows of its training table."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

Draw: TypeAlias = np.random.Generator

SEED = 0
"""The seed of the made-up values, which depend on the kinds of the columns and on nothing else."""

_SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "za", "du", "fe", "gi", "ho")
_CATEGORIES = ("Bake", "Limo", "Nura")


class _Row(NamedTuple):
    """A row to make up: its entity, and how it differs from the first row of this entity."""

    entity: int | None
    difference: str = ""


_ROWS = (
    *(_Row(0), _Row(0), _Row(0, "misspelled"), _Row(1), _Row(1, "misspelled"), _Row(1, "missing")),
    *(_Row(2), _Row(2, "upper case"), _Row(3, "half of entity 0"), _Row(4), _Row(5), _Row(None)),
)
"""Equal rows, near-duplicates, rows that share some cells, different rows, and an empty row."""

N_MADE_UP = len(_ROWS)


def made_up_columns(kinds: Mapping[str, str], max_length: int) -> dict[str, list[str]]:
    """Return the cells of made-up rows, given the kind of each column.

    >>> for cells in made_up_columns({"name": "name", "born": "date"}, 100).values():
    ...     print(cells[:3])
    ['Votimonu Keba', 'Votimonu Keba', 'Votimonu Keab']
    ['1971-11-28', '1971-11-28', '1971-11-28']
    """
    return {
        name: [cell[:max_length] for cell in _cells(index, kind)]
        for index, (name, kind) in enumerate(kinds.items())
    }


def _cells(index: int, kind: str) -> list[str]:
    """Return the cells of all made-up rows in the column with this index."""
    draw = np.random.default_rng([SEED, index])
    make = _MAKERS.get(kind, _name)
    values = [make(draw) for _ in range(1 + max(row.entity or 0 for row in _ROWS))]
    return [_cell(row, index, values) for row in _ROWS]


def _cell(row: _Row, index: int, values: Sequence[str]) -> str:
    """Return a cell; rows differ from their entity in every second or third column."""
    if row.entity is None or (row.difference == "missing" and index % 3 == 1):
        return ""
    if row.difference == "half of entity 0" and index % 2:
        return values[0]
    value = values[row.entity]
    if row.difference == "misspelled" and index % 2 == 0:
        return _misspelled(value)
    return value.upper() if row.difference == "upper case" else value


def _misspelled(value: str) -> str:
    """Return a value without one of its words, or with two characters exchanged."""
    words = value.split(" ")
    if len(words) > 2:
        return " ".join(words[:1] + words[2:])
    return value[:-2] + value[-1:] + value[-2:-1]


def _word(draw: Draw) -> str:
    return "".join(draw.choice(_SYLLABLES, draw.integers(2, 5))).capitalize()


def _name(draw: Draw) -> str:
    return f"{_word(draw)} {_word(draw)}"


def _text(draw: Draw) -> str:
    return " ".join(_word(draw) for _ in range(16)) + f", {draw.integers(10, 100)}."


def _members(draw: Draw) -> str:
    return "; ".join(_word(draw) for _ in range(3))


def _code(draw: Draw) -> str:
    return f"{draw.integers(100, 1000)} {draw.integers(100, 1000)} {draw.integers(1000, 10_000)}"


def _number(draw: Draw) -> str:
    return f"{draw.integers(100, 100_000) / 100:.2f}"


def _date(draw: Draw) -> str:
    year, month, day = draw.integers([1930, 1, 1], [2010, 13, 29])
    return f"{year}-{month:02d}-{day:02d}"


_MAKERS: Mapping[str, Callable[[Draw], str]] = {
    "category": lambda draw: str(draw.choice(_CATEGORIES)),
    "code": _code,
    "date": _date,
    "number": _number,
    "short": _word,
    "text": _text,
    "tokens": _members,
}
"""The function that makes up values of a kind; other kinds have names of two words."""
