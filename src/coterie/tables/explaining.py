"""Why two rows are in one cluster, or in different ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arrays import Bools, Floats, Pairs
from coterie._core.texts import quote
from coterie.clusterers.together import must_link_groups, shortest_chain
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.model import Model
from coterie.tables.clustering import ClusteredSet, Clustering
from coterie.tables.comparing import record_features
from coterie.tables.decisions import threshold_of
from coterie.tables.equal_rows import twin_rows
from coterie.tables.links import ScoredLinks, maximum_spanning_forest

MUST_LINK, CANNOT_LINK = "must-link", "cannot-link"


class Link(NamedTuple):
    """Two rows by their ids, and the score of the pair.

    `constraint` is "must-link" or "cannot-link" where such a constraint holds or refuses the link,
    otherwise None. A must-link pair has no score: None.
    """

    first: str
    second: str
    score: float | None
    constraint: str | None = None


@dataclass(frozen=True, repr=False)
class Explanation:
    """The reasons why two rows are in one cluster, or in different ones.

    Parameters
    ----------
    ids
        The two rows.
    together
        Whether they are in one cluster.
    bias
        The part of the score that is the same for every pair.
    contributions
        The part of the score that each field adds; with the bias they sum to the score.
    probability
        The probability that the two rows belong together, judged by their score alone.
    links
        The links on the strongest path from one row to the other, if they are in one cluster.
    refused
        The strongest link that was rejected: between the two clusters or, if the rows are in one
        cluster, between this cluster and any other row. None if there is none.
    values
        The values of each field in both rows.
    """

    ids: tuple[str, str]
    together: bool
    bias: float
    contributions: dict[str, float]
    probability: float
    links: list[Link]
    refused: Link | None
    values: dict[str, tuple[str, str]]

    def __repr__(self) -> str:
        first, second = map(quote, self.ids)
        where = "in one cluster" if self.together else "in different clusters"
        return f"Explanation({first} and {second} are {where}, score {self.score:+.2f})"

    @property
    def score(self) -> float:
        """The score of the pair: a positive score is evidence that the rows belong together."""
        return self.bias + sum(self.contributions.values())

    @property
    def path(self) -> list[str]:
        """The rows on the path from one row to the other; empty if there is none."""
        return [link.first for link in self.links] + [link.second for link in self.links[-1:]]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as `coterie explain --json` prints them."""
        return {
            "ids": list(self.ids),
            "score": self.score,
            "bias": self.bias,
            "contributions": self.contributions,
            "together": self.together,
            "probability": self.probability,
            "path": self.path,
            "links": [link._asdict() for link in self.links],
            "refused": None if self.refused is None else self.refused._asdict(),
            "values": {name: list(texts) for name, texts in self.values.items()},
        }


def explain_pair(clustering: Clustering, first: str, second: str) -> Explanation:
    """Explain why two rows, named by their ids, are in one cluster or in different ones."""
    rows = [_row_index(clustering.ids, name) for name in (first, second)]
    if rows[0] == rows[1]:
        raise InputError(f"both ids are {quote(first)}; give the ids of two different rows")
    clustered = _set_of_rows(clustering, rows, first, second)
    items = [int(np.flatnonzero(clustered.group.rows == row)[0]) for row in rows]
    pair = np.sort(np.array([items], dtype=np.intp), axis=1)
    bias, contributions = field_contributions(clustered.model, *_compared(clustered, pair))
    bias -= threshold_of(clustered.calibration)
    by_field = {name: float(values[0]) for name, values in contributions.items()}
    labels = clustered.partition.labels
    together = bool(labels[items[0]] == labels[items[1]])
    path = _path(clustered, items) if together else []
    names = [clustering.ids[row] for row in clustered.group.rows]
    links = clustered.links
    texts = clustered.group.item_set.items
    return Explanation(
        (first, second),
        together,
        bias,
        by_field,
        float(clustered.calibration([bias + sum(by_field.values())])[0]),
        [_link(links, names, *ends) for ends in pairwise(path)],
        _refused_link(clustered, items, names),
        {name: (texts[name][items[0]], texts[name][items[1]]) for name in texts},
    )


def _compared(clustered: ClusteredSet, pair: Pairs) -> tuple[ItemSet, Pairs]:
    """Return the item set in which a pair of rows was compared, and the pair in it."""
    equal_rows, item_set = clustered.equal_rows, clustered.group.item_set
    items = equal_rows.items_of(pair)
    if len(items):
        return equal_rows.items(item_set), items
    several = np.flatnonzero(equal_rows.sizes > 1)
    twins, twin_pairs = twin_rows(item_set, equal_rows.first_rows[several])
    return twins, twin_pairs[several == equal_rows.item_of_row[pair[0, 0]]]


def field_contributions(
    model: Model, item_set: ItemSet, pairs: Pairs
) -> tuple[float, dict[str, Floats]]:
    """Return the bias of the scores, and what each field adds to the score of each pair."""
    similarity: Any = model.similarity
    if not is_additive(model):
        raise InputError(
            f"{type(similarity).__name__} cannot split a score into the contributions of "
            "fields; fit a model without context features"
        )
    bias, parts = similarity.contributions(item_set, pairs)
    owners = record_features(similarity).owners
    columns = np.asarray(parts).T
    sums = {owner: np.zeros(len(pairs)) for owner in owners}
    for owner, column in zip(owners, columns, strict=False):
        sums[owner] = sums[owner] + column
    # Columns that belong to no field are constant.
    constant = sum(float(column[0]) for column in columns[len(owners) :]) if len(pairs) else 0.0
    return float(bias) + constant, sums


def is_additive(model: Model) -> bool:
    """Return whether scores are sums over fields."""
    return hasattr(model.similarity, "contributions")


def _row_index(ids: Sequence[str], name: str) -> int:
    if name not in ids:
        are_numbers = ids == tuple(map(str, range(1, len(ids) + 1)))
        remedy = f"give a row number from 1 to {len(ids):,}" if are_numbers else "give another id"
        raise InputError(f"there is no row with the id {quote(name)}; {remedy}")
    return ids.index(name)


def _set_of_rows(
    clustering: Clustering, rows: Sequence[int], first: str, second: str
) -> ClusteredSet:
    """Return the set that both rows are in."""
    for clustered in clustering.sets:
        if set(rows) <= set(clustered.group.rows.tolist()):
            return clustered
    raise InputError(
        f"{quote(first)} and {quote(second)} are in different sets, so they were never "
        "compared; give two rows of one set"
    )


def _path(clustered: ClusteredSet, items: Sequence[int]) -> list[int]:
    links = maximum_spanning_forest(clustered.links, clustered.partition).links
    groups = must_link_groups(links, clustered.scores.n_items)
    if groups[items[0]] != groups[items[1]]:  # no candidate pairs connect the two
        return []
    return shortest_chain(links, items[0], items[1], clustered.scores.n_items)


def _refused_link(
    clustered: ClusteredSet, items: Sequence[int], names: Sequence[str]
) -> Link | None:
    """Return the strongest link between two clusters, or from one cluster to any other row."""
    labels = clustered.partition.labels[clustered.scores.pairs]
    first_label, second_label = clustered.partition.labels[list(items)]
    touches_first = (labels == first_label).any(axis=1)
    touches_second = (labels == second_label).any(axis=1)
    is_between: Bools = labels[:, 0] != labels[:, 1]
    refused = np.flatnonzero(is_between & touches_first & touches_second)
    if not len(refused):
        return None
    best = refused[np.argmax(clustered.scores.scores[refused])]
    first, second = clustered.scores.pairs[best].tolist()
    constraint = CANNOT_LINK if clustered.constraints.forbids(first, second) else None
    return Link(names[first], names[second], float(clustered.scores.scores[best]), constraint)


def _link(links: ScoredLinks, names: Sequence[str], first: int, second: int) -> Link:
    low, high = sorted((first, second))
    position = np.flatnonzero((links.pairs[:, 0] == low) & (links.pairs[:, 1] == high))[0]
    score = float(links.scores[position])
    if score == np.inf:
        return Link(names[first], names[second], None, MUST_LINK)
    return Link(names[first], names[second], score)
