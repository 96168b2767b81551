"""A clustered table: the cluster of each row and the reason for it, and the doubtful clusters."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

from coterie._core.arrays import Bools, Ints
from coterie._core.texts import first_characters, pluralize
from coterie.calibrations import ClusterCalibration, Confidences
from coterie.features.kinds.base import Kind
from coterie.features.records import Field
from coterie.model import Model
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.sized_calibrations import TableCalibration
from coterie.tables.equal_rows import EqualRows
from coterie.tables.expecting import ExpectedQuality, expected_quality
from coterie.tables.groups import Group
from coterie.tables.io.frames import column
from coterie.tables.links import (
    ClusterWeakness,
    RowConstraints,
    ScoredLinks,
    StrongestLinks,
    cluster_weaknesses,
    scored_links,
    strongest_links,
)
from coterie.tables.statistics import TableStatistics

SIMILAR = 80.0
"""The ratio, from 0 to 100, at which two values are called similar, by their letters or words."""

WORDS = ("equal", "similar", "different")
"""The words by which reasons compare two values, most alike first."""


class Doubt(NamedTuple):
    """A cluster of at least two rows, by the indices of its rows, and how weak it is."""

    cluster_id: str
    rows: list[int]
    weakest: float
    disagreement: float
    confidence: float


class ClusterSummary(NamedTuple):
    """A cluster of at least two rows.

    `weakest_link` is the score of the weakest link that holds it together, `disagreement` the share
    of its pairs that score below 0 or were not compared, `confidence` the probability that all its
    rows belong together, and `rows` the ids of its rows.
    """

    cluster_id: str
    size: int
    weakest_link: float
    disagreement: float
    confidence: float
    rows: list[str]


@dataclass(frozen=True, eq=False, repr=False)
class ClusteredSet:
    """The rows that were clustered with each other, the scores of their pairs, and the result.

    Parameters
    ----------
    group
        The rows.
    equal_rows
        The items that the rows are: equal rows are one item.
    item_scores
        The scores of the pairs of items.
    scores
        The scores of pairs of rows.
    confidences
        The predicted clusters of the rows, and their confidences.
    constraints
        Must-link and cannot-link pairs of rows.
    model
        The model, whose similarity takes the rarity of words from the statistics, and whose
        calibration is that of the table; scores are those of the model minus its threshold.
    statistics
        The statistics of the table, which may have more rows.
    """

    group: Group
    equal_rows: EqualRows
    item_scores: PairScores
    scores: PairScores
    confidences: Confidences
    constraints: RowConstraints
    model: Model
    statistics: TableStatistics

    @property
    def calibration(self) -> ClusterCalibration:
        """The calibration that turned the scores into confidences."""
        calibration = self.model.calibration
        assert isinstance(calibration, ClusterCalibration)  # noqa: S101
        return calibration

    @property
    def partition(self) -> Partition:
        """The predicted clusters."""
        return self.confidences.partition

    @cached_property
    def links(self) -> ScoredLinks:
        """The pairs that may link rows: candidate pairs and must-link pairs."""
        return scored_links(self.scores, self.constraints)

    @cached_property
    def weaknesses(self) -> ClusterWeakness:
        """The weakest link and the disagreement of each cluster."""
        return cluster_weaknesses(
            self.links, self.partition, self.equal_rows.n_pairs(self.links.pairs)
        )


@dataclass(frozen=True, eq=False, repr=False)
class Clustering:
    """A clustered table.

    Parameters
    ----------
    ids
        The id of each row of the table.
    sets
        The sets of rows that were clustered apart from each other; only one in most tables.
    fields
        The columns that were compared.
    blocked_recall
        The share of the true pairs that candidate pairs can find where not all pairs are compared.
    """

    ids: Sequence[str]
    sets: Sequence[ClusteredSet]
    fields: Sequence[Field]
    blocked_recall: float = 1.0

    def __repr__(self) -> str:
        n_clusters = sum(clustered.partition.n_clusters for clustered in self.sets)
        return f"Clustering({pluralize(len(self.ids), 'row')}, {pluralize(n_clusters, 'cluster')})"

    @property
    def statistics(self) -> TableStatistics | None:
        """The statistics of the table; None if it has several sets, which have their own each."""
        return self.sets[0].statistics if len(self.sets) == 1 else None

    @cached_property
    def cluster_ids(self) -> list[str]:
        """The cluster id of each row: the id of the first row of its cluster, in sorted order."""
        cluster_ids = [""] * len(self.ids)
        for clustered in self.sets:
            first_rows = [
                clustered.group.rows[members[0]] for members in clustered.partition.clusters
            ]
            labels = clustered.partition.labels
            for row, label in zip(clustered.group.rows, labels, strict=True):
                cluster_ids[row] = self.ids[first_rows[label]]
        return cluster_ids

    @cached_property
    def expected(self) -> ExpectedQuality | None:
        """The expected precision and recall of pairs of rows; None if the model cannot tell."""
        predictions = [
            (clustered.confidences, clustered.calibration)
            for clustered in self.sets
            if isinstance(clustered.calibration, TableCalibration)
        ]
        if len(predictions) < len(self.sets) or not predictions:
            return None
        is_blocked = any(clustered.item_scores.listed is not None for clustered in self.sets)
        return expected_quality(predictions, self.blocked_recall if is_blocked else 1.0)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns that a prediction adds, one value per row."""
        n_rows = len(self.ids)
        confidence: list[Any] = [None] * n_rows
        linked_to: list[Any] = [""] * n_rows
        reason: list[Any] = [""] * n_rows
        for clustered in self.sets:
            partners, texts = self._links(clustered)
            probabilities = clustered.confidences.items
            for item, row in enumerate(clustered.group.rows):
                confidence[row] = round(float(probabilities[item]), 6)
                reason[row] = texts[item]
                if partners[item] >= 0:
                    linked_to[row] = self.ids[clustered.group.rows[partners[item]]]
        return {
            "cluster_id": self.cluster_ids,
            "confidence": confidence,
            "linked_to": linked_to,
            "reason": reason,
        }

    def doubts(self) -> list[Doubt]:
        """Return the clusters of at least two rows, the most doubtful first.

        They are sorted by their weakest link, then larger clusters first, then by disagreement.
        """
        doubts = []
        for clustered in self.sets:
            weakest, disagreement = clustered.weaknesses
            for label in np.flatnonzero(clustered.partition.sizes > 1):
                rows = clustered.group.rows[clustered.partition.clusters[label]].tolist()
                doubts.append(
                    Doubt(
                        self.ids[rows[0]],
                        rows,
                        float(weakest[label]),
                        float(disagreement[label]),
                        float(clustered.confidences.clusters[label]),
                    )
                )
        return sorted(
            doubts, key=lambda doubt: (doubt.weakest, -len(doubt.rows), -doubt.disagreement)
        )

    def summaries(self, limit: int | None = None) -> list[ClusterSummary]:
        """Describe the clusters of at least two rows, the most doubtful first.

        Parameters
        ----------
        limit
            Number of clusters; None for all.
        """
        return [
            ClusterSummary(
                doubt.cluster_id,
                len(doubt.rows),
                doubt.weakest,
                doubt.disagreement,
                doubt.confidence,
                [self.ids[row] for row in doubt.rows],
            )
            for doubt in self.doubts()[:limit]
        ]

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Return `summaries` as plain values, as `coterie clusters --json` prints them."""
        return {"clusters": [summary._asdict() for summary in self.summaries(limit)]}

    def _links(self, clustered: ClusteredSet) -> tuple[Ints, list[str]]:
        """Return for each row the row that it is linked to, −1 if none, and the reason."""
        links, partition = clustered.links, clustered.partition
        inside = strongest_links(links, partition.together(links.pairs))
        is_single = partition.sizes[partition.labels] == 1
        nearest = strongest_links(links, is_single[links.pairs].any(axis=1))
        texts = [
            _reason_of_unlinked(self.ids, clustered, nearest, item)
            for item in range(len(is_single))
        ]
        linked = np.flatnonzero(inside.partners >= 0)
        comparisons = reasons(
            clustered.group.item_set.items, self.fields, linked, inside.partners[linked]
        )
        for item, text in zip(linked.tolist(), comparisons, strict=True):
            texts[item] = f"must-link; {text}" if np.isposinf(inside.scores[item]) else text
        return inside.partners, texts


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


def _reason_of_unlinked(
    ids: Sequence[str], clustered: ClusteredSet, nearest: StrongestLinks, item: int
) -> str:
    """Return the reason why a row has no link."""
    partner = int(nearest.partners[item])
    if clustered.partition.sizes[clustered.partition.labels[item]] > 1:
        return "joined through other rows"
    if partner < 0:
        return "no row is similar enough to be compared"
    score = float(nearest.scores[item])
    text = f"no match; nearest is {ids[clustered.group.rows[partner]]}, score {score:.2f}"
    if clustered.constraints.forbids(item, partner):
        return f"{text}, a cannot-link pair"
    return f"{text}, but its cluster as a whole does not match" if score > 0.0 else text


def reasons(
    columns: Mapping[str, Sequence[str]], fields: Sequence[Field], left: Ints, right: Ints
) -> list[str]:
    """Return for each pair of rows which fields are equal, similar and different.

    A field that is missing in either row is left out.

    >>> from coterie.features.kinds import Name, Short
    >>> rows = {"name": ["Ann Lee", "ann lee"], "town": ["Ulm", "Rome"]}
    >>> reasons(rows, [Field("name", Name()), Field("town", Short())], [0], [1])
    ['name equal; town different']
    """
    by_word: list[list[list[str]]] = [[[] for _ in WORDS] for _ in range(len(left))]
    for field in fields:
        levels = _likeness(columns[field.column], field.kind, left, right)
        for names, level in zip(by_word, levels.tolist(), strict=True):
            if level >= 0:
                names[level].append(field.column)
    return [_sentence(names) or "nothing to compare" for names in by_word]


def _sentence(by_word: list[list[str]]) -> str:
    return "; ".join(
        f"{', '.join(names)} {word}" for names, word in zip(by_word, WORDS, strict=True) if names
    )


def _likeness(texts: Sequence[str], kind: Kind, left: Any, right: Any) -> Ints:
    """Return for each pair the index of its word in `WORDS`, −1 where a value is missing."""
    distinct = kind.distinct(texts)
    values = np.array(distinct.texts, dtype=object)[distinct.text_of_row]
    first, second = values[left], values[right]
    is_present: Bools = (first != "") & (second != "")
    is_equal = first == second
    unequal = np.flatnonzero(is_present & ~is_equal)
    lefts, rights = (list(map(first_characters, texts[unequal])) for texts in (first, second))
    ratios = [
        process.cpdist(lefts, rights, scorer=scorer, dtype=np.float64)
        for scorer in (fuzz.ratio, fuzz.token_set_ratio)
    ]
    is_similar = np.max(ratios, axis=0) >= SIMILAR
    is_similar |= np.fromiter(map(_is_acronym, lefts, rights), np.bool_, len(lefts))
    levels = np.where(is_present, 0, -1)
    levels[unequal] = np.where(is_similar, 1, 2)
    return levels


def _is_acronym(first: str, second: str) -> bool:
    """Return whether one text is the initials of the words of the other: IBM, I B M."""
    return _initials(first) == second.replace(" ", "") or _initials(second) == first.replace(
        " ", ""
    )


def _initials(text: str) -> str:
    words = text.split()
    return "".join(word[0] for word in words) if len(words) > 1 else ""
