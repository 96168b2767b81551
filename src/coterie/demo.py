"""What `coterie demo` shows."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table

from coterie import metrics
from coterie._arrays import Floats
from coterie.clusterers import Greedy
from coterie.datasets import make_records
from coterie.metrics import Scores
from coterie.pairs import PairScores
from coterie.partition import Partition

RULES = {
    "same name and birth date": ("given_name", "surname", "birth_date"),
    "same surname and postcode": ("surname", "postcode"),
}

CLUSTERED = "most fields equal, greedy"


def compare_rules(n_rows: int, seed: int) -> RenderableType:
    """Cluster messy person records by two rules and by a clusterer, and score by every metric."""
    item_sets, partitions = make_records(n_rows, random_state=seed)
    columns, truth = item_sets[0].items, partitions[0]
    distances = _distances(columns)
    found = {rule: Partition(_keys(columns, fields)) for rule, fields in RULES.items()}
    found[CLUSTERED] = Greedy()(PairScores(n_rows, None, 0.5 - distances))
    results: dict[str, dict[str, float | Scores]] = {}
    for name, predicted in found.items():
        error = metrics.weighted_clustering_error(truth, predicted, distances)
        results[name] = metrics.summary(truth, predicted) | {"weighted_clustering_error": error}
    title = f"{n_rows} records of {truth.n_clusters} people, clustered by equal fields"
    note = "Of precision, recall and F1 the table shows F1. ↑ higher is better, ↓ lower is better."
    return Group(_table(title, results), note)


def _keys(columns: Mapping[str, Sequence[str | None]], fields: tuple[str, ...]) -> list[Hashable]:
    """Return the fields of each record; a record that lacks one is alone."""
    rows = zip(*(columns[field] for field in fields), strict=True)
    return [row if all(row) else number for number, row in enumerate(rows)]


def _distances(columns: Mapping[str, Sequence[str | None]]) -> Floats:
    """Return the share of fields in which each two records differ."""
    differ: Floats = np.mean(
        [~Partition(_keys(columns, (field,))).together() for field in columns], axis=0
    )
    return differ


def _table(title: str, results: Mapping[str, Mapping[str, float | Scores]]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("metric", no_wrap=True)
    for rule in results:
        table.add_column(rule, justify="right")
    for name in next(iter(results.values())):
        direction = "↑" if getattr(metrics, name).greater_is_better else "↓"
        table.add_row(f"{name} {direction}", *(_show(found[name]) for found in results.values()))
    return table


def _show(value: float | Scores) -> str:
    number = value.f1 if isinstance(value, Scores) else value
    if isinstance(number, int):
        return f"{number:,}"
    return f"{number:.1e}" if 0 < number < 0.001 else f"{number:.3f}"
