"""What `coterie demo` shows."""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table

from coterie import metrics
from coterie._arrays import Floats
from coterie.datasets import make_records
from coterie.items import ItemSet
from coterie.learners import PairwiseClustering, SVMCluster
from coterie.metrics import Scores
from coterie.pairs import upper_triangle
from coterie.partition import Partition

RULE = ("given_name", "surname", "birth_date")
LEARNERS = {
    "pair classifier": PairwiseClustering(),
    "SVM-cluster": SVMCluster(C=1e7),
}

Columns = Mapping[str, Sequence[str | None]]


class Records(NamedTuple):
    """A set of records, its pair features and its truth."""

    columns: Columns
    item_set: ItemSet
    truth: Partition


def compare_learners(n_rows: int, seed: int) -> RenderableType:
    """Learn from example records which are of one person, and score new ones by every metric."""
    train = [make_set(200, seed + number) for number in range(8)]
    test = [make_set(n_rows, seed + 8 + number) for number in range(3)]
    predicted = {"same name and birth date": [_by_rule(records) for records in test]}
    for name, learner in LEARNERS.items():
        learner.fit([each.item_set for each in train], [each.truth for each in train])
        predicted[name] = learner.predict([each.item_set for each in test])
    results = {name: _mean_summary(test, found) for name, found in predicted.items()}
    people = sum(each.truth.n_clusters for each in test)
    title = f"3 sets of {n_rows} records of {people} people in all, clustered by person"
    note = (
        "The first column is a rule; the others learned from 8 sets of 200 other records, by which "
        "fields are equal, begin alike or are missing.\n"
        "Of precision, recall and F1 the table shows F1. ↑ higher is better, ↓ lower is better."
    )
    return Group(_table(title, results), note)


def make_set(n_rows: int, seed: int) -> Records:
    """Make messy records, and compare each two of them field by field."""
    item_sets, partitions = make_records(n_rows, random_state=seed)
    columns: Columns = item_sets[0].items
    features = np.column_stack([part for values in columns.values() for part in _compared(values)])
    return Records(columns, ItemSet.from_pair_features(features, n_rows), partitions[0])


def _compared(values: Sequence[str | None]) -> list[Floats]:
    """Say of each pair whether a field is equal, begins alike, or is missing in one of them."""
    missing = np.array([not value for value in values])
    begins = [value and value[:3].lower() for value in values]
    return [
        Partition(_keys([values])).together().astype(np.float64),
        Partition(_keys([begins])).together().astype(np.float64),
        upper_triangle(np.logical_or.outer(missing, missing)).astype(np.float64),
    ]


def _by_rule(records: Records) -> Partition:
    return Partition(_keys([records.columns[field] for field in RULE]))


def _keys(fields: Sequence[Sequence[str | None]]) -> list[Hashable]:
    """Return the fields of each record; a record that lacks one is alone."""
    rows = zip(*fields, strict=True)
    return [row if all(row) else number for number, row in enumerate(rows)]


def _mean_summary(test: Sequence[Records], predicted: Sequence[Partition]) -> dict[str, float]:
    """Average every metric over the test sets."""
    each = [
        metrics.summary(records.truth, found)
        for records, found in zip(test, predicted, strict=True)
    ]
    return {name: float(np.mean([_number(one[name]) for one in each])) for name in each[0]}


def _number(value: float | Scores) -> float:
    return value.f1 if isinstance(value, Scores) else value


def _table(title: str, results: Mapping[str, Mapping[str, float]]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("metric", no_wrap=True)
    for name in results:
        table.add_column(name, justify="right")
    for name in next(iter(results.values())):
        direction = "↑" if getattr(metrics, name).greater_is_better else "↓"
        table.add_row(f"{name} {direction}", *(_show(found[name]) for found in results.values()))
    return table


def _show(number: float) -> str:
    if number >= 1000:
        return f"{number:,.0f}"
    return f"{number:.1e}" if 0 < number < 0.001 else f"{number:.3f}"
