"""A few rows and what a model computes for them, by which a loaded model is tested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie._core.arrays import Bools, Floats, Ints, read_only
from coterie._core.budgets import check_budget
from coterie._core.values import Value
from coterie.blocking import AllIfSmall, Union
from coterie.items import ItemSet
from coterie.model import Model
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition
from coterie.tables.groups import Group
from coterie.tables.made_up import made_up_columns

MADE_UP, ROWS = "made-up", "rows"
"""The words for the two samples: made-up rows, and rows of the training table."""

SAMPLES = (MADE_UP, ROWS)

N_CLUSTERS, N_ROWS = 4, 12
"""Number of clusters of several rows and of single rows in a sample, and its largest size."""

MOST_CHARACTERS, LONGEST_CELL = 200_000, 1_000
"""The largest numbers of characters of all cells together, and of those of a cell."""

CLOSE, CLOSE_PROBABILITY = 1e-6, 1e-9
"""Largest difference of a score from the saved one, relative to the largest score; and of a
probability, which is computed from the saved scores."""

EVIDENCE = np.linspace(-14.0, 14.0, 29)
"""The evidence for clusters for which the curves of a calibration are saved."""


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Value):
    """Some rows, their candidate pairs, scores and predicted clusters, and the confidences.

    Samples of version 0.1.0 have only columns, labels and scores.

    Parameters
    ----------
    columns
        The texts of each column.
    labels
        The predicted cluster of each row.
    scores
        The score of each pair, in condensed order.
    candidates
        The pairs that blocking keys list: the index of the key, and both rows, one line per pair.
    probabilities
        The probability of each pair.
    confidences
        The confidence of each cluster.
    curves
        Values of the curves of the calibration: for pairs from the lowest to the highest score, and
        for clusters and singletons at `EVIDENCE`.
    """

    columns: Mapping[str, Sequence[str]]
    labels: Ints
    scores: Floats
    candidates: Ints | None = None
    probabilities: Floats | None = None
    confidences: Floats | None = None
    curves: Floats | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", dict(self.columns))
        for name, dtype in _DTYPES.items():
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, read_only(np.asarray(values, dtype=dtype)))

    def __repr__(self) -> str:
        return f"Sample({len(self.labels)} rows of {', '.join(self.columns)})"

    @property
    def is_complete(self) -> bool:
        """True if it has all that this version saves."""
        return all(getattr(self, name) is not None for name in _DTYPES)

    def completed(self, model: Model) -> "Sample":
        """Return the sample with all that this version saves; what it has is not changed."""
        again = predict_sample(model, self.columns)
        values = {name: getattr(self, name) for name in _DTYPES}
        return replace(
            again, **{name: value for name, value in values.items() if value is not None}
        )

    def holds(self, model: Model) -> bool:
        """Return whether a model computes the same for the rows; only what is saved is compared."""
        if not np.isfinite(self.scores).all():
            return False
        again: Any = predict_sample(model, self.columns)
        largest = np.abs(self.scores).max(initial=1.0)
        if not (
            np.array_equal(again.labels, self.labels)
            and _are_close(again.scores, self.scores, CLOSE * largest)
            and (self.candidates is None or np.array_equal(again.candidates, self.candidates))
        ):
            return False
        # A calibration gets the saved scores, because rounding can move a score across a step.
        again = calibrated(model, self)
        saved = {name: getattr(self, name) for name in _OF_CALIBRATION}
        return all(
            values is None or _are_close(getattr(again, name), values, CLOSE_PROBABILITY)
            for name, values in saved.items()
        )


_OF_CALIBRATION = ("probabilities", "confidences", "curves")
_DTYPES: Mapping[str, Any] = {
    **dict.fromkeys(("labels", "candidates"), np.intp),
    **dict.fromkeys(("scores", *_OF_CALIBRATION), np.float64),
}


def predict_sample(model: Model, columns: Mapping[str, Sequence[str]]) -> Sample:
    """Predict the clusters of some rows, comparing all pairs, and list the pairs of the keys."""
    item_set = ItemSet({name: list(texts) for name, texts in columns.items()})
    scores = model.similarity.pair_scores(item_set, None)
    labels = model.clusterer(scores).labels
    sample = Sample(columns, labels, scores.scores, _candidates(model.blocker, item_set))
    return calibrated(model, sample)


def calibrated(model: Model, sample: Sample) -> Sample:
    """Return a sample with the probabilities of its scores, and the confidences of its clusters."""
    calibration: Any = model.calibration
    scores = PairScores(len(sample.labels), None, sample.scores)
    confidences = calibration.confidences(scores, Partition(sample.labels))
    lowest, highest = sample.scores.min(initial=0.0), sample.scores.max(initial=0.0)
    curves = [
        calibration.pairs(np.linspace(lowest, highest, len(EVIDENCE))),
        calibration.clusters(EVIDENCE),
        calibration.singletons(EVIDENCE),
    ]
    return replace(
        sample,
        probabilities=confidences.pairs,
        confidences=confidences.clusters,
        curves=np.stack(curves),
    )


def make_sample(model: Model, kinds: Mapping[str, str], groups: Sequence[Group] = ()) -> Sample:
    """Make a sample for a model, of made-up rows or, given groups, of rows of the largest group.

    `kinds` are the kinds of the columns.
    """
    max_length = longest_cell(len(kinds))
    columns = _rows_of(groups) if groups else made_up_columns(kinds, max_length)
    return predict_sample(
        model, {name: [cell[:max_length] for cell in columns[name]] for name in kinds}
    )


def longest_cell(n_columns: int) -> int:
    """Return the number of characters that a cell of a sample may have."""
    return max(min(LONGEST_CELL, MOST_CHARACTERS // (N_ROWS * max(n_columns, 1))), 1)


def _rows_of(groups: Sequence[Group]) -> dict[str, list[str]]:
    """Return rows of some clusters of the largest group, with clusters of one row and of more."""
    group = max(groups, key=lambda candidate: len(candidate.rows))
    assert group.truth is not None  # noqa: S101
    clusters = group.truth.clusters
    several = [members for members in clusters if len(members) > 1][:N_CLUSTERS]
    single = [members for members in clusters if len(members) == 1][:N_CLUSTERS]
    rows = np.sort(np.concatenate([members[:3] for members in (*several, *single)]))[:N_ROWS]
    items = group.item_set.items
    return {name: [items[name][row] for row in rows] for name in items}


def _candidates(blocker: Any, item_set: ItemSet) -> Ints:
    """List the pairs of each blocking key, even of few rows, of which all pairs are compared."""
    keys = blocker.otherwise if isinstance(blocker, AllIfSmall) else blocker
    lines = [np.empty((0, 3), dtype=np.intp)]
    for index, key in enumerate(keys.keys if isinstance(keys, Union) else (keys,)):
        check_budget()
        listed = key(item_set)
        pairs = all_pairs(len(item_set)) if listed is None else listed
        lines.append(np.column_stack([np.full(len(pairs), index), pairs]))
    return np.concatenate(lines)


def _are_close(again: Any, saved: Floats, tolerance: float) -> bool:
    if again.shape != saved.shape:
        return False
    is_close: Bools = np.abs(again - saved) <= tolerance
    return bool(is_close.all())
