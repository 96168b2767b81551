"""A few rows and their predicted clusters, by which a loaded model is tested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coterie._core.arrays import Floats, Ints, read_only
from coterie._core.values import Value
from coterie.items import ItemSet
from coterie.model import Model
from coterie.tables.groups import Group

N_CLUSTERS, N_ROWS = 4, 12
"""Number of clusters of several rows and of single rows in a sample, and its largest size."""

CLOSE = 1e-6
"""Largest difference of a score from the saved one, relative to the largest score."""


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Value):
    """Some rows of a table, their predicted clusters, and the scores of their pairs.

    Parameters
    ----------
    columns
        The texts of each column.
    labels
        The predicted cluster of each row.
    scores
        The score of each pair, in condensed order.
    """

    columns: Mapping[str, Sequence[str]]
    labels: Ints
    scores: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", dict(self.columns))
        object.__setattr__(self, "labels", read_only(np.asarray(self.labels, dtype=np.intp)))
        object.__setattr__(self, "scores", read_only(np.asarray(self.scores, dtype=np.float64)))

    def __repr__(self) -> str:
        return f"Sample({len(self.labels)} rows of {', '.join(self.columns)})"

    def holds(self, model: Model) -> bool:
        """Return whether a model predicts these clusters and scores for the rows."""
        again = predict_sample(model, self.columns)
        largest = np.abs(self.scores).max(initial=1.0)
        return (
            bool(np.isfinite(self.scores).all())
            and again.scores.shape == self.scores.shape
            and np.array_equal(again.labels, self.labels)
            and bool(np.all(np.abs(again.scores - self.scores) <= CLOSE * largest))
        )


def predict_sample(model: Model, columns: Mapping[str, Sequence[str]]) -> Sample:
    """Predict the clusters of some rows, comparing all pairs."""
    item_set = ItemSet({name: list(texts) for name, texts in columns.items()})
    scores = model.similarity.pair_scores(item_set, None)
    return Sample(columns, model.clusterer(scores).labels, scores.scores)


def make_sample(model: Model, groups: Sequence[Group]) -> Sample:
    """Draw rows of some clusters of the largest set, and predict their clusters."""
    group = max(groups, key=lambda candidate: len(candidate.rows))
    assert group.truth is not None  # noqa: S101
    clusters = group.truth.clusters
    several = [members for members in clusters if len(members) > 1][:N_CLUSTERS]
    single = [members for members in clusters if len(members) == 1][:N_CLUSTERS]
    rows = np.sort(np.concatenate([members[:3] for members in (*several, *single)]))[:N_ROWS]
    items = group.item_set.items
    return predict_sample(model, {name: [items[name][row] for row in rows] for name in items})
