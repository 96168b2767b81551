"""Rows that are compared with each other, and the statistics of their table."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.features.counted import CountedRecords
from coterie.features.records import RecordFeatures
from coterie.items import ItemSet
from coterie.model import CandidateScores, Model
from coterie.tables.equal_rows import EqualRows, equal_classes, take_rows
from coterie.tables.links import RowConstraints
from coterie.tables.needs import refuse_clustering
from coterie.tables.statistics import TableStatistics


@dataclass(frozen=True, eq=False, repr=False)
class ComparedRows:
    """The rows of a set as items, the scores of their candidate pairs, and the statistics.

    Parameters
    ----------
    equal_rows
        The items that the rows are: equal rows are one item.
    model
        The model, with a similarity that takes the rarity of words from the statistics.
    candidates
        The scores of the candidate pairs of items.
    statistics
        Those of the table, which were given or are of these rows.
    """

    equal_rows: EqualRows
    model: Model
    candidates: CandidateScores
    statistics: TableStatistics

    @classmethod
    def of(
        cls,
        model: Model,
        kinds: Mapping[str, str],
        item_set: ItemSet,
        constraints: RowConstraints,
        statistics: TableStatistics | None = None,
    ) -> "ComparedRows":
        """Read, count and compare rows; given statistics are used in place of counts."""
        features = record_features(model.similarity)
        if statistics is not None:
            statistics.refuse_other_columns(kinds, features)
        classes = equal_classes(item_set)
        different_rows = np.unique(classes, return_index=True)[1]
        different = take_rows(item_set, different_rows)
        refuse_clustering(different)
        read = features.read([different])
        counts = features.count(read) if statistics is None else statistics.counts
        counted = CountedRecords(features, counts, different, read)
        similarity = _with_records(model.similarity, counted)
        equal_rows = EqualRows.of(item_set, constraints, similarity, classes)
        items = different
        if not np.array_equal(equal_rows.first_rows, different_rows):
            items = equal_rows.items(item_set)
            of_items = read.take(classes[equal_rows.first_rows])
            similarity = _with_records(
                similarity, CountedRecords(features, counts, items, of_items)
            )
        candidates = replace(model, similarity=similarity).candidates(items)
        if statistics is None:
            of_rows = TableStatistics(dict(kinds), len(item_set), *counts)
            statistics = of_rows.with_scores(candidates.scores.scores)
        # Without the texts that were read, which are large.
        model = replace(
            model, similarity=_with_records(similarity, CountedRecords(features, counts))
        )
        return cls(equal_rows, model, candidates, statistics)


def record_features(value: Any) -> RecordFeatures:
    """Return the featurizer of records inside a similarity, or inside other featurizers."""
    while not isinstance(value, RecordFeatures):
        value = value.featurizer
    return value


def _with_records(value: Any, records: CountedRecords) -> Any:
    """Return a similarity or a featurizer with another featurizer of records inside."""
    if isinstance(value, RecordFeatures | CountedRecords):
        return records
    return replace(value, featurizer=_with_records(value.featurizer, records))
