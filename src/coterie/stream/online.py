"""One item at a time over a model: each joins a cluster of earlier items or starts one."""

from collections import defaultdict
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints, read_only
from coterie._core.progress import report
from coterie._kernels.linking.streams import (
    decide_left_links,
    decide_sum_links,
    list_pairs,
    positions_of,
)
from coterie.clusterers import LeftLink, SumLink
from coterie.exceptions import InputError, PairError, located
from coterie.items import ItemSet
from coterie.model import Model
from coterie.stream._rows import Rows, as_rows, one_row
from coterie.stream._trackers import Found
from coterie.stream.candidates import CandidateRule, rule_of


class RunnerUp(NamedTuple):
    """What an item would have joined next: `cluster` None stands for a new one."""

    cluster: int | None
    probability: float | None


class Assignment(NamedTuple):
    """Where an item of a stream went, and why.

    `cluster` is the number of its cluster; numbers are given in order of appearance and never
    again. `probability` is that of the cluster, or of starting one (Samdani, Chang & Roth 2014,
    eq. 6): Σ_{j∈c} exp(s_ij / γ) over the candidates j in the cluster c, by the same sum over all
    candidates and the 1 of the dummy; at γ = 0 its limit, 1. Sum-Link knows no probabilities: None.

    `linked_to` is the number of the item in the cluster that the item scores highest with, the
    first among equals; None if it starts the cluster. `runner_up` is the next best choice by the
    same rule; None if the item had no candidates and thus no choice.
    """

    cluster: int
    probability: float | None
    linked_to: int | None
    runner_up: RunnerUp | None


class Stream:
    """Give each new item its cluster at once, by the online rule of a model's clusterer.

    An item joins the cluster that `LeftLink` or `SumLink` would choose among those of its
    candidates, or starts one; what is decided stays so. Items and clusters are numbered 0, 1, …
    in order of appearance. Where every pair that the model's blocker lists is a candidate, clusters
    are those of `model.predict`, up to the rounding of scores; and it makes no difference whether
    items come one by one or many at a time.

    Only items that can still be candidates are remembered. A cluster whose items are all forgotten
    gets no more items. Each item is encoded again whenever it is a candidate in a later block.

    Parameters
    ----------
    model
        Its clusterer is `LeftLink` or `SumLink`, and its similarity sees two items alone.
    candidates
        Which earlier items a new one may be linked to; None stands for what the model's blocker
        says: `EveryEarlier` for `AllPairs`, `Latest` for `Window`, and for `SharedKeys`
        `LatestOfKeys`, which takes the latest items of a key in place of leaving large blocks out.

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
        self._n_items = self._n_clusters = 0
        self._kind: Rows | None = None
        self._rows: dict[int, Any] = {}
        self._labels: dict[int, int] = {}

    def __len__(self) -> int:
        """Return how many items came, whether they are remembered or not."""
        return self._n_items

    @property
    def n_clusters(self) -> int:
        """How many clusters were started."""
        return self._n_clusters

    @property
    def clusters(self) -> dict[int, list[int]]:
        """The numbers of the items in each cluster, as far as they are remembered."""
        members = defaultdict(list)
        for number, cluster in sorted(self._labels.items()):
            members[cluster].append(number)
        return dict(sorted(members.items()))

    def add(self, item: Any) -> Assignment:
        """Add one item: a vector (also sparse), a text or object, or a mapping of names to values.

        Nothing is added if the similarity fails.
        """
        return self.add_many(one_row(item))[0]

    def add_many(self, items: Any) -> list[Assignment]:
        """Add items in their order, with the same results as one by one, but many times faster.

        They may be anything that `ItemSet` takes but features of pairs; mappings in a list are
        rows of columns. All are checked before the first is added; if a similarity fails later,
        the error names the items of its block, and those before them are added.
        """
        rows = as_rows(items)
        if self._kind is not None and len(rows):
            rows = rows.like(self._kind)
        assignments: list[Assignment] = []
        while len(assignments) < len(rows):
            start = len(assignments)
            stop = min(start + self._tracker.n_together(self._n_items), len(rows))
            assignments += self._add_block(rows.part(start, stop))
            report("add", stop, len(rows))
        return assignments

    def __repr__(self) -> str:
        return (
            f"Stream({self._n_items} items, {self._n_clusters} clusters, candidates="
            f"{self.candidates!r})"
        )

    def _add_block(self, rows: Rows) -> list[Assignment]:
        first = self._n_items
        with located(f"item {first}" if len(rows) == 1 else f"items {first} on"):
            starts, lefts = self._tracker.look(first, rows)
            earlier = lefts if len(rows) == 1 else np.unique(lefts[lefts < first])
            places = positions_of(read_only(lefts), read_only(earlier), first)
            found = Found(read_only(starts), read_only(places))
            links = self._scores(rows, earlier, found)
        assignments = self._decide(found, links, earlier, first)
        self._remember(rows, assignments)
        return assignments

    def _scores(self, rows: Rows, earlier: Ints, found: Found) -> Floats:
        """Score new items with their candidates, in one call of the similarity."""
        pairs, order = list_pairs(*found, len(earlier))
        items = rows.after([self._rows[number] for number in earlier.tolist()])
        # Without pairs too, for it is here that items which do not fit are refused.
        scores = np.asarray(self.model.similarity(ItemSet(items, ordered=True), read_only(pairs)))
        if scores.shape != order.shape or not np.isfinite(scores).all():
            raise PairError(
                f"the similarity gave scores of shape {scores.shape} for {len(order)} pairs, or "
                "some that are not finite; give a finite score a pair"
            )
        links = np.empty(len(order))
        links[order] = scores
        return read_only(links)

    def _decide(self, found: Found, links: Floats, earlier: Ints, first: int) -> list[Assignment]:
        """Choose clusters in the order of the items; kernels know them by their order alone."""
        labels = [self._labels[number] for number in earlier.tolist()]
        clusters = sorted(set(labels))
        order = {cluster: place for place, cluster in enumerate(clusters)}
        known = np.array([order[label] for label in labels], dtype=np.int32)
        seen = (*found, links, read_only(known), len(clusters))
        clusterer = self.model.clusterer
        if isinstance(clusterer, LeftLink):
            own, linked, second, *chances = decide_left_links(*seen, float(clusterer.gamma))
            probabilities = [chance.tolist() for chance in chances]
        else:
            own, linked, second = decide_sum_links(*seen)
            probabilities = [[None] * len(own)] * 2
        new = np.arange(self._n_clusters, self._n_clusters + len(own))
        # Behind the last one stand -2 and -1, by which kernels call nothing and a new cluster.
        names = np.concatenate([np.array(clusters, dtype=np.intp), new, [-2, -1]])
        numbers = np.concatenate([earlier, np.arange(first, first + len(own)), [-1]])
        columns = (names[own].tolist(), numbers[linked].tolist(), names[second].tolist())
        return list(map(_assignment, *columns, *probabilities))

    def _remember(self, rows: Rows, assignments: list[Assignment]) -> None:
        first = self._n_items
        kept = self._tracker.keep(first, rows)
        for number in kept.forgotten:
            del self._rows[number], self._labels[number]
        for place, row in zip(kept.places, rows.each(kept.places), strict=True):
            self._rows[first + place] = row
            self._labels[first + place] = assignments[place].cluster
        self._n_items += len(rows)
        self._n_clusters = max(self._n_clusters, 1 + max(each.cluster for each in assignments))
        self._kind = rows.none()


def _assignment(
    cluster: int, linked: int, second: int, chance: float | None, next_chance: float | None
) -> Assignment:
    runner_up = None if second == -2 else RunnerUp(None if second < 0 else second, next_chance)
    return Assignment(cluster, chance, None if linked < 0 else linked, runner_up)


def _refuse_batch(model: Model) -> None:
    """Refuse models that need all items before they decide about one."""
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
    """Tell whether a similarity, or a part of it, says that it sees more than two items."""
    if getattr(value, "needs_context", False):
        return True
    if isinstance(value, tuple | list):
        return any(_needs_context(part) for part in value)
    parts = fields(value) if is_dataclass(value) else ()
    return any(_needs_context(getattr(value, part.name)) for part in parts)


def _as_rule(candidates: Any) -> CandidateRule:
    if not isinstance(candidates, CandidateRule):
        raise InputError(
            f"candidates is {candidates!r}; give a rule of coterie.stream, such as Latest(20)"
        )
    return candidates
