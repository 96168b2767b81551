"""Streams: each new item joins a cluster of earlier items or starts a new one, by a model."""

import logging
from collections import defaultdict
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arrays import Ints, read_only
from coterie._core.progress import report
from coterie._kernels.linking.streams import (
    decide_left_links,
    decide_sum_links,
    positions_of,
)
from coterie.clusterers import LeftLink, SumLink
from coterie.exceptions import InputError, located
from coterie.model import Model
from coterie.stream._rows import ItemRows, as_rows, one_row
from coterie.stream._scoring import CandidateScorer, ScoredCandidates
from coterie.stream._trackers import CandidateLists
from coterie.stream.candidates import CandidateRule, rule_of

LOGGER = logging.getLogger(__name__)


class RunnerUp(NamedTuple):
    """The second best choice for an item; a `cluster` of None means a new cluster."""

    cluster: int | None
    probability: float | None


class Assignment(NamedTuple):
    """The cluster of a new item of a stream, and the reasons for it.

    `cluster` is the index of its cluster. Clusters are numbered in order of appearance, and numbers
    are never reused. `probability` is the probability of this cluster, or of starting a new one
    (Samdani, Chang & Roth 2014, eq. 6): the sum of exp(s_ij / γ) over the candidates j in the
    cluster, divided by 1 plus the same sum over all candidates. At γ = 0 it is the limit, 1. It is
    None for Sum-Link, which has no probabilities.

    `linked_to` is the index of the item in the cluster with the highest score, the first of equals;
    it is None if the new item starts the cluster. `runner_up` is the second best choice by the same
    rule; it is None if the item had no candidates and thus no choice.
    """

    cluster: int
    probability: float | None
    linked_to: int | None
    runner_up: RunnerUp | None


class Stream:
    """Assign each new item to a cluster at once, by the online rule of a model's clusterer.

    An item joins the cluster that `LeftLink` or `SumLink` would choose among the clusters of its
    candidates, or starts a new one. Assignments never change. Items and clusters are numbered
    0, 1, … in order of appearance. If the candidate rule lists all pairs that the model's blocker
    lists, the clusters are those of `model.predict`, up to the rounding of scores. It makes no
    difference whether items are added one by one or many at a time.

    Only items that can still be candidates are remembered. A cluster whose items are all forgotten
    gets no more items. An item is encoded again for every later block in which it is a candidate.

    An item without a finite score with itself is refused, such as a vector of numbers whose squares
    are infinite, and leaves no trace. A candidate without a finite score with a new item is left
    out of the candidates of this item. `n_dropped` counts such candidates, and the first is logged.

    Parameters
    ----------
    model
        A model with the clusterer `LeftLink` or `SumLink`. Its similarity must depend on nothing
        but the two items of a pair.
    candidates
        The rule for which earlier items a new one may be linked to. None means the rule of the
        model's blocker: `EveryEarlier` for `AllPairs`, `Latest` for `Window`, and `LatestOfKeys`
        for `SharedKeys`, which takes the latest items of a key instead of dropping large blocks.

    Examples
    --------
    >>> from coterie.blocking import AllPairs
    >>> from coterie.features import GivenFeatures
    >>> from coterie.similarities import LinearSimilarity
    >>> from coterie.stream import Latest
    >>> similarity = LinearSimilarity(GivenFeatures(), [1.0, 1.0])
    >>> stream = Stream(Model(AllPairs(), similarity, LeftLink(gamma=1)), candidates=Latest(20))
    >>> stream.add([1.0, 0.0])
    Assignment(cluster=0, probability=1.0, linked_to=None, runner_up=None)
    >>> joined, started = stream.add_many([[2.0, 1.0], [-1.0, 0.0]])
    >>> joined.cluster, joined.linked_to, round(joined.probability, 3)
    (0, 0, 0.881)
    >>> started.cluster, started.linked_to, started.runner_up.cluster
    (1, None, 0)
    >>> stream.clusters
    {0: [0, 1], 1: [2]}
    """

    def __init__(self, model: Model, candidates: CandidateRule | None = None) -> None:
        _refuse_batch(model)
        self.model = model
        self.candidates = rule_of(model.blocker) if candidates is None else _as_rule(candidates)
        self._tracker = self.candidates.tracker()
        self._scorer = CandidateScorer(model.similarity)
        self._n_items = self._n_clusters = self._n_dropped = 0
        self._form: ItemRows | None = None
        self._rows: dict[int, Any] = {}
        self._labels: dict[int, int] = {}

    def __len__(self) -> int:
        """Return the number of items added, whether they are still remembered or not."""
        return self._n_items

    @property
    def n_clusters(self) -> int:
        """The number of clusters started so far."""
        return self._n_clusters

    @property
    def n_dropped(self) -> int:
        """The number of candidates left out so far, as they had no finite score with an item."""
        return self._n_dropped

    @property
    def clusters(self) -> dict[int, list[int]]:
        """The indices of the items in each cluster, as far as they are remembered."""
        members = defaultdict(list)
        for item, cluster in sorted(self._labels.items()):
            members[cluster].append(item)
        return dict(sorted(members.items()))

    def add(self, item: Any) -> Assignment:
        """Add one item and return its assignment.

        The item is a vector (also sparse), a text or other object, or a mapping of names to values.
        If the similarity raises an error, the item is not added.
        """
        return self.add_many(one_row(item))[0]

    def add_many(self, items: Any) -> list[Assignment]:
        """Add items in their order, with the same results as `add` for each, but much faster.

        The items are of any type that `ItemSet` takes, except pair features, or a list of mappings
        of names to values. All are checked before the first is added. If the similarity raises an
        error for a block of items, the error names this block or an item of it, and only the items
        before the block are added.
        """
        rows = as_rows(items)
        if self._form is not None and len(rows):
            rows = rows.conform_to(self._form)
        extreme = rows.extreme_positions()
        if extreme:
            self._scorer.refuse_overflowing(rows, extreme, self._n_items)
        assignments: list[Assignment] = []
        while len(assignments) < len(rows):
            start = len(assignments)
            stop = min(start + self._tracker.block_size(self._n_items), len(rows))
            assignments += self._add_block(rows.section(start, stop))
            report("add", stop, len(rows))
        return assignments

    def __repr__(self) -> str:
        return (
            f"Stream({self._n_items} items, {self._n_clusters} clusters, candidates="
            f"{self.candidates!r})"
        )

    def _add_block(self, rows: ItemRows) -> list[Assignment]:
        first = self._n_items
        with located(f"item {first}" if len(rows) == 1 else f"items {first} on"):
            starts, indices = self._tracker.list_candidates(first, rows)
            earlier = indices if len(rows) == 1 else np.unique(indices[indices < first])
            positions = positions_of(read_only(indices), read_only(earlier), first)
            lists = CandidateLists(read_only(starts), read_only(positions))
        remembered = [self._rows[item] for item in earlier.tolist()]
        candidates = self._scorer.score(rows, remembered, lists, first)
        assignments = self._decide(candidates, earlier, first)
        self._remember(rows, assignments)
        self._count_dropped(candidates.n_dropped, first)
        return assignments

    def _count_dropped(self, n_dropped: int, first: int) -> None:
        if n_dropped and not self._n_dropped:
            LOGGER.warning(
                "item %d or a later one has no finite score with a candidate, which is left out; "
                "Stream.n_dropped counts such candidates",
                first,
            )
        self._n_dropped += n_dropped

    def _decide(self, candidates: ScoredCandidates, earlier: Ints, first: int) -> list[Assignment]:
        """Choose the clusters of the new items in their order."""
        labels = [self._labels[item] for item in earlier.tolist()]
        # Kernels number only the clusters of the candidates, in order of appearance.
        clusters = sorted(set(labels))
        index_of = {cluster: index for index, cluster in enumerate(clusters)}
        indices = np.array([index_of[label] for label in labels], dtype=np.int32)
        arguments = (*candidates.lists, candidates.scores, read_only(indices), len(clusters))
        clusterer = self.model.clusterer
        probabilities: list[list[Any]]
        if isinstance(clusterer, LeftLink):
            best, linked, second, *arrays = decide_left_links(*arguments, float(clusterer.gamma))
            probabilities = [array.tolist() for array in arrays]
        else:
            best, linked, second = decide_sum_links(*arguments)
            probabilities = [[None] * len(best)] * 2
        new = np.arange(self._n_clusters, self._n_clusters + len(best))
        # Kernels return -2 for no cluster and -1 for a new one. As indices, these count from the
        # end, so that the last two entries map -2 and -1 to themselves.
        names = np.concatenate([np.array(clusters, dtype=np.intp), new, [-2, -1]])
        items = np.concatenate([earlier, np.arange(first, first + len(best)), [-1]])
        columns = (names[best].tolist(), items[linked].tolist(), names[second].tolist())
        return list(map(_assignment, *columns, *probabilities))

    def _remember(self, rows: ItemRows, assignments: list[Assignment]) -> None:
        first = self._n_items
        update = self._tracker.commit(first, rows)
        for item in update.forgotten:
            del self._rows[item], self._labels[item]
        for position, row in zip(update.new, rows.extract(update.new), strict=True):
            self._rows[first + position] = row
            self._labels[first + position] = assignments[position].cluster
        self._n_items += len(rows)
        last_cluster = max(assignment.cluster for assignment in assignments)
        self._n_clusters = max(self._n_clusters, 1 + last_cluster)
        self._form = rows.empty()


def _assignment(
    cluster: int,
    linked: int,
    second: int,
    probability: float | None,
    second_probability: float | None,
) -> Assignment:
    second_cluster = None if second < 0 else second
    runner_up = None if second == -2 else RunnerUp(second_cluster, second_probability)
    return Assignment(cluster, probability, None if linked < 0 else linked, runner_up)


def _refuse_batch(model: Model) -> None:
    """Raise an error for models that need all items before they can assign one."""
    if not isinstance(model, Model):
        raise InputError(f"the model is {model!r}; give a Model, such as learner.to_model()")
    if not isinstance(model.clusterer, LeftLink | SumLink):
        raise InputError(
            f"the model's clusterer is {model.clusterer!r}, which needs all items at once; give a "
            "model with LeftLink or SumLink, or predict whole item sets"
        )
    if _needs_context(model.similarity):
        raise InputError(
            "the model's similarity depends on the other items of an item set, which a stream does "
            "not have; give a model without context, or predict whole item sets"
        )


def _needs_context(value: Any) -> bool:
    """Return whether a similarity, or a part of it, depends on more items than those of a pair."""
    if getattr(value, "needs_context", False):
        return True
    if isinstance(value, tuple | list):
        return any(_needs_context(part) for part in value)
    parts = fields(value) if is_dataclass(value) else ()
    return any(_needs_context(getattr(value, part.name)) for part in parts)


def _as_rule(candidates: Any) -> CandidateRule:
    if not isinstance(candidates, CandidateRule):
        raise InputError(f"candidates is {candidates!r}; give a candidate rule, such as Latest(20)")
    return candidates
