"""A table that was clustered: what becomes of each row, and which clusters are in doubt."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

from coterie._core.arrays import Bools, Ints
from coterie.calibrations import Confidences
from coterie.features.kinds.base import Kind
from coterie.features.records import Field
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.tables.groups import Group
from coterie.tables.io.frames import column
from coterie.tables.links import Bonds, Told, bonds_of, strongest, weaknesses

SIMILAR = 80.0
"""From which ratio on two values are called similar, of 100: of their letters or their words."""

WORDS = ("equal", "similar", "different")


class Doubt(NamedTuple):
    """A cluster of at least two rows, and how weak it is."""

    cluster_id: str
    rows: list[int]
    weakest: float
    disagreement: float
    confidence: float


class Found(NamedTuple):
    """A set of rows that was clustered."""

    group: Group
    scores: PairScores
    confidences: Confidences
    told: Told

    @property
    def partition(self) -> Partition:
        """Which of the rows belong together."""
        return self.confidences.partition

    @property
    def bonds(self) -> Bonds:
        """The pairs that may link rows."""
        return bonds_of(self.scores, self.told)


@dataclass(frozen=True, eq=False)
class Clustering:
    """The sets of a table, clustered.

    Parameters
    ----------
    ids
        What names each row of the table.
    found
        What was found of each set.
    fields
        What was compared.
    """

    ids: Sequence[str]
    found: Sequence[Found]
    fields: Sequence[Field]

    @cached_property
    def cluster_ids(self) -> list[str]:
        """The cluster of each row: the id of its first row, in canonical order."""
        named: list[Any] = [""] * len(self.ids)
        for each in self.found:
            firsts = [each.group.rows[members[0]] for members in each.partition.clusters]
            for row, label in zip(each.group.rows, each.partition.labels, strict=True):
                named[row] = self.ids[firsts[label]]
        return named

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns that a prediction adds, one value a row."""
        n_rows = len(self.ids)
        confidence: list[Any] = [None] * n_rows
        linked: list[Any] = [""] * n_rows
        reason: list[Any] = [""] * n_rows
        for each in self.found:
            others, said = self._links(each)
            sure = each.confidences.items
            for item, row in enumerate(each.group.rows):
                confidence[row], reason[row] = round(float(sure[item]), 6), said[item]
                if others[item] >= 0:
                    linked[row] = self.ids[each.group.rows[others[item]]]
        return {
            "cluster_id": self.cluster_ids,
            "confidence": confidence,
            "linked_to": linked,
            "reason": reason,
        }

    def doubts(self) -> list[Doubt]:
        """Return the clusters of at least two rows, the worst first.

        The worst has the weakest link; then comes the larger, and the one with more disagreement.
        """
        every = []
        for each in self.found:
            weakest, disagreement = weaknesses(each.bonds, each.partition)
            for label in np.flatnonzero(each.partition.sizes > 1):
                rows = each.group.rows[each.partition.clusters[label]].tolist()
                every.append(
                    Doubt(
                        self.ids[rows[0]],
                        rows,
                        float(weakest[label]),
                        float(disagreement[label]),
                        float(each.confidences.clusters[label]),
                    )
                )
        return sorted(every, key=lambda one: (one.weakest, -len(one.rows), -one.disagreement))

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Return plain values, as `coterie clusters --json` prints them: the worst clusters."""
        return {
            "clusters": [
                {
                    "cluster_id": doubt.cluster_id,
                    "size": len(doubt.rows),
                    "weakest_link": doubt.weakest,
                    "disagreement": doubt.disagreement,
                    "confidence": doubt.confidence,
                    "rows": [self.ids[row] for row in doubt.rows],
                }
                for doubt in self.doubts()[:most]
            ]
        }

    def _links(self, found: Found) -> tuple[Ints, list[str]]:
        """Return the strongest link of each item inside its cluster, and the reasons."""
        bonds = found.bonds
        inside = strongest(bonds, found.partition.together(bonds.pairs))
        alone = found.partition.sizes[found.partition.labels] == 1
        near = strongest(bonds, alone[bonds.pairs].any(axis=1))
        linked = np.flatnonzero(inside.others >= 0)
        said = [_alone(self.ids, found, near, item) for item in range(len(alone))]
        told = reasons(found.group.item_set.items, self.fields, linked, inside.others[linked])
        for item, text in zip(linked.tolist(), told, strict=True):
            was_told = np.isposinf(inside.scores[item])
            said[item] = f"told to be together; {text}" if was_told else text
        return inside.others, said


def summary(frame: Any) -> dict[str, int]:
    """Count the rows and the clusters of a table that `TableModel.predict` has returned.

    >>> summary({"name": ["Ann", "Bob", "Anne"], "cluster_id": ["1", "2", "1"]})
    {'rows': 3, 'clusters': 2, 'largest': 2, 'single': 1}
    """
    sizes = Counter(column(frame, "cluster_id"))
    return {
        "rows": sizes.total(),
        "clusters": len(sizes),
        "largest": max(sizes.values()),
        "single": sum(size == 1 for size in sizes.values()),
    }


def _alone(ids: Sequence[str], found: Found, near: Any, item: int) -> str:
    """Say why a row has no link."""
    other = int(near.others[item])
    if found.partition.sizes[found.partition.labels[item]] > 1:
        return "joined through other rows"
    if other < 0:
        return "no row is near enough to be looked at"
    score = float(near.scores[item])
    nearest = f"no match; nearest is {ids[found.group.rows[other]]}, score {score:.2f}"
    if found.told.keeps_apart(item, other):
        return f"{nearest}, but told to be apart"
    return f"{nearest}, but its cluster as a whole was not joined" if score > 0.0 else nearest


def reasons(
    columns: Mapping[str, Sequence[str]], fields: Sequence[Field], left: Ints, right: Ints
) -> list[str]:
    """Say of each pair of rows which fields are equal, similar and different; missing ones not.

    >>> from coterie.features.kinds import Name, Short
    >>> rows = {"name": ["Ann Lee", "ann lee"], "town": ["Ulm", "Rome"]}
    >>> reasons(rows, [Field("name", Name()), Field("town", Short())], [0], [1])
    ['name equal; town different']
    """
    told: list[list[list[str]]] = [[[] for _ in WORDS] for _ in range(len(left))]
    for each in fields:
        levels = _levels(columns[each.column], each.kind, left, right)
        for own, level in zip(told, levels.tolist(), strict=True):
            if level >= 0:
                own[level].append(each.column)
    return ["; ".join(_said(own)) or "nothing to compare" for own in told]


def _said(fields: list[list[str]]) -> list[str]:
    return [f"{', '.join(own)} {word}" for own, word in zip(fields, WORDS, strict=True) if own]


def _levels(texts: Sequence[str], kind: Kind, left: Any, right: Any) -> Ints:
    """Return the place of the word for each pair, −1 where a value is missing."""
    distinct = kind.distinct(texts)
    values = np.array(distinct.texts, dtype=object)[distinct.text_of_row]
    first, second = values[left], values[right]
    there: Bools = (first != "") & (second != "")
    equal = first == second
    compared = np.flatnonzero(there & ~equal)
    ones, others = first[compared].tolist(), second[compared].tolist()
    ratios = [
        process.cpdist(ones, others, scorer=scorer, dtype=np.float64)
        for scorer in (fuzz.ratio, fuzz.token_set_ratio)
    ]
    alike = np.max(ratios, axis=0) >= SIMILAR
    alike |= np.fromiter(map(_is_acronym, ones, others), np.bool_, len(ones))
    levels = np.where(there, 0, -1)
    levels[compared] = np.where(alike, 1, 2)
    return levels


def _is_acronym(one: str, other: str) -> bool:
    """Tell whether a text is the initials of the words of another: IBM, I B M."""
    return _initials(one) == other.replace(" ", "") or _initials(other) == one.replace(" ", "")


def _initials(text: str) -> str:
    words = text.split()
    return "".join(word[0] for word in words) if len(words) > 1 else ""
