"""Leaks to plant into a table: columns that are made from its true clusters."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from hashlib import sha256

from coterie.tables import Table

PLANTED = "planted"


class Labels:
    """The true clusters of a table, and numbers that are made from them."""

    def __init__(self, names: Sequence[str], seed: int = 0) -> None:
        self.names = list(names)
        self.random = random.Random(seed)  # noqa: S311
        different = sorted(set(names))
        self.random.shuffle(different)
        number_of = {name: number for number, name in enumerate(different)}
        self.different = different
        self.numbers = [number_of[name] for name in names]
        sizes = Counter(names)
        self.sizes = [sizes[name] for name in names]
        members: Counter[str] = Counter()
        self.members = []
        for name in names:
            self.members.append(members[name])
            members[name] += 1

    def rows(self) -> range:
        return range(len(self.names))

    def per_cluster(self, value: Callable[[], str]) -> list[str]:
        values = {name: value() for name in self.different}
        return [values[name] for name in self.names]


def _ids(labels: Labels) -> list[str]:
    generator = random.Random(9)  # noqa: S311
    drawn = generator.sample(range(10 * len(labels.names)), len(labels.names))
    return [f"n{number}" for number in drawn]


def _first_rows(labels: Labels) -> list[int]:
    first: dict[str, int] = {}
    return [first.setdefault(name, row) for row, name in enumerate(labels.names)]


def _running_numbers(labels: Labels) -> list[str]:
    order = sorted(labels.rows(), key=lambda row: (labels.numbers[row], labels.random.random()))
    places = {row: place for place, row in enumerate(order)}
    return [str(places[row]) for row in labels.rows()]


def _noisy(labels: Labels, other: Callable[[], str]) -> list[str]:
    return [other() if labels.random.random() < 0.1 else name for name in labels.names]


PLANTS: Mapping[str, Callable[[Labels], list[str]]] = {
    "a copy": lambda labels: labels.names,
    "other numbers": lambda labels: [str(7 * number + 1000) for number in labels.numbers],
    "hashes": lambda labels: [sha256(name.encode()).hexdigest()[:12] for name in labels.names],
    "a copy with changes": lambda labels: _noisy(
        labels, lambda: labels.random.choice(labels.different)
    ),
    "a copy with gaps": lambda labels: _noisy(labels, str),
    "remainders": lambda labels: [str(number % 50) for number in labels.numbers],
    "one of 60 codes per cluster": lambda labels: labels.per_cluster(
        lambda: str(labels.random.randrange(100, 160))
    ),
    "ids with the label inside": lambda labels: [
        f"rec-{number}-dup-{member}"
        for number, member in zip(labels.numbers, labels.members, strict=True)
    ],
    "running numbers": _running_numbers,
    "a prefix": lambda labels: [f"C-{name.upper()}" for name in labels.names],
    "the sizes of clusters": lambda labels: list(map(str, labels.sizes)),
    "a value per cluster of several rows": lambda labels: [
        "yes" if size > 1 else "" for size in labels.sizes
    ],
    "first ids": lambda labels: [_ids(labels)[row] for row in _first_rows(labels)],
    "ids of duplicates": lambda labels: [
        "" if row == first else _ids(labels)[first] for row, first in enumerate(_first_rows(labels))
    ],
    "numbers of clusters and members": lambda labels: [
        str(10 * number + min(member, 9))
        for number, member in zip(labels.numbers, labels.members, strict=True)
    ],
    "numbers with noise": lambda labels: [
        f"{3.5 * number + labels.random.gauss(0, 0.5):.3f}" for number in labels.numbers
    ],
    "days": lambda labels: [
        (date(1950, 1, 1) + timedelta(days=number)).isoformat() for number in labels.numbers
    ],
    "times": lambda labels: [
        str(1_400_000_000 + 86_400 * number + labels.random.randrange(3600))
        for number in labels.numbers
    ],
}
"""Values of a planted column, by what they are."""


def planted(table: Table, cluster: str, plant: str) -> Table:
    """Return the table with a planted column, and with a column of ids for plants that need it."""
    labels = Labels(table[cluster])
    columns = {PLANTED: PLANTS[plant](labels)}
    if "ids" in plant.split():
        columns["number_of_row"] = _ids(labels)
    return table.with_columns(columns)


def with_label_at_end(table: Table, cluster: str, column: str) -> Table:
    """Return the table with the label at the end of each value of a column."""
    cells = zip(table[column], table[cluster], strict=True)
    return table.with_columns({column: [f"{text} {label}".strip() for text, label in cells]})
