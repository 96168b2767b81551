"""Some rows, and what a model predicts of them: to see that it still does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coterie._core.arrays import Floats, Ints, read_only
from coterie._core.values import Value
from coterie.items import ItemSet
from coterie.model import Model
from coterie.tables.groups import Group

N_CLUSTERS, N_ROWS = 4, 12
"""Of how many clusters there are samples, and of how many rows at most."""

CLOSE = 1e-6
"""How far scores may be from those kept, as a share of the largest."""


@dataclass(frozen=True, eq=False)
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

    def holds(self, model: Model) -> bool:
        """Tell whether a model predicts of the rows what is kept here."""
        again = replayed(model, self.columns)
        largest = np.abs(self.scores).max(initial=1.0)
        return (
            bool(np.isfinite(self.scores).all())
            and again.scores.shape == self.scores.shape
            and np.array_equal(again.labels, self.labels)
            and bool(np.all(np.abs(again.scores - self.scores) <= CLOSE * largest))
        )


def replayed(model: Model, columns: Mapping[str, Sequence[str]]) -> Sample:
    """Predict of rows, all pairs looked at."""
    item_set = ItemSet({name: list(texts) for name, texts in columns.items()})
    scores = model.similarity.pair_scores(item_set, None)
    return Sample(columns, model.clusterer(scores).labels, scores.scores)


def sampled(model: Model, groups: Sequence[Group]) -> Sample:
    """Take the rows of some clusters of the largest set, and what a model predicts of them."""
    group = max(groups, key=lambda each: len(each.rows))
    assert group.truth is not None  # noqa: S101
    several = [own for own in group.truth.clusters if len(own) > 1][:N_CLUSTERS]
    single = [own for own in group.truth.clusters if len(own) == 1][:N_CLUSTERS]
    taken = np.sort(np.concatenate([own[:3] for own in (*several, *single)]))[:N_ROWS]
    items = group.item_set.items
    columns = {name: [items[name][item] for item in taken] for name in items}
    return replayed(model, columns)
