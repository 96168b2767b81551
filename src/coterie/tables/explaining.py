"""Why two rows are in one cluster, or are not."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arrays import Bools, Floats, Pairs
from coterie._core.texts import quote
from coterie.clusterers.together import must_link_groups, shortest_chain
from coterie.exceptions import InputError
from coterie.features.records import RecordFeatures
from coterie.items import ItemSet
from coterie.model import Model
from coterie.tables.clustering import Clustering, Found
from coterie.tables.links import Bonds, spanning_tree


class Link(NamedTuple):
    """Two rows by their ids, and the score of the pair.

    `told` says that the link was told to hold, or to be refused; a pair that was told to be
    together has no score beside that, None.
    """

    first: str
    second: str
    score: float | None
    told: bool = False


@dataclass(frozen=True)
class Explanation:
    """Why two rows are together or apart.

    Parameters
    ----------
    ids
        The two rows.
    together
        Whether they are in one cluster.
    bias
        What every pair scores beside the contributions.
    contributions
        What each field adds; with the bias they sum to the score.
    probability
        How likely the two belong together, by their score alone.
    links
        The links on the strongest way from one to the other, if they are together.
    refused
        The strongest link that was refused: between the two clusters or, if the rows are together,
        between their cluster and any other row. None where there is none.
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

    @property
    def score(self) -> float:
        """What the pair scores: above 0 speaks for one cluster."""
        return self.bias + sum(self.contributions.values())

    @property
    def path(self) -> list[str]:
        """The rows on the way from one to the other; empty where there is none."""
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
            "values": {name: list(both) for name, both in self.values.items()},
        }


def explained(model: Model, clustering: Clustering, first: str, second: str) -> Explanation:
    """Say why two rows are in one cluster, or are not."""
    rows = [_row(clustering.ids, name) for name in (first, second)]
    if rows[0] == rows[1]:
        raise InputError(f"both ids are {quote(first)}; give two different rows")
    found = _common(clustering, rows, first, second)
    items = [int(np.flatnonzero(found.group.rows == row)[0]) for row in rows]
    pair = np.sort(np.array([items], dtype=np.intp), axis=1)
    bias, each = field_contributions(model, found.group.item_set, pair)
    parts = {name: float(values[0]) for name, values in each.items()}
    together = bool(found.partition.labels[items[0]] == found.partition.labels[items[1]])
    path = _path(found, items) if together else []
    names = [clustering.ids[row] for row in found.group.rows]
    bonds = found.bonds
    texts = found.group.item_set.items
    return Explanation(
        (first, second),
        together,
        bias,
        parts,
        float(_probability(model, bias + sum(parts.values()))),
        [_link(bonds, names, *ends) for ends in pairwise(path)],
        _refused(found, items, names),
        {name: (texts[name][items[0]], texts[name][items[1]]) for name in texts},
    )


def field_contributions(
    model: Model, item_set: ItemSet, pairs: Pairs
) -> tuple[float, dict[str, Floats]]:
    """Return what every pair scores, and what each field adds to each of some."""
    similarity: Any = model.similarity
    if not is_additive(model):
        raise InputError(
            f"{type(similarity).__name__} does not tell what fields add to a score; fit a model "
            "without features of context"
        )
    bias, parts = similarity.contributions(item_set, pairs)
    owners = _records(similarity.featurizer).owners
    columns = np.asarray(parts).T
    sums = {owner: np.zeros(len(pairs)) for owner in owners}
    for owner, column in zip(owners, columns, strict=False):
        sums[owner] = sums[owner] + column
    # Columns that no field owns are constant.
    constant = sum(float(column[0]) for column in columns[len(owners) :]) if len(pairs) else 0.0
    return float(bias) + constant, sums


def is_additive(model: Model) -> bool:
    """Tell whether scores are sums over fields."""
    return hasattr(model.similarity, "contributions")


def _records(featurizer: Any) -> RecordFeatures:
    """Find the featurizer of records, whatever is around it."""
    while not isinstance(featurizer, RecordFeatures):
        featurizer = featurizer.featurizer
    return featurizer


def _row(ids: Sequence[str], name: str) -> int:
    if name not in ids:
        raise InputError(f"there is no row with the id {quote(name)}; give an id of the table")
    return ids.index(name)


def _common(clustering: Clustering, rows: Sequence[int], first: str, second: str) -> Found:
    """Return the set that both rows are in."""
    for found in clustering.found:
        if set(rows) <= set(found.group.rows.tolist()):
            return found
    raise InputError(
        f"{quote(first)} and {quote(second)} are in different sets, so that they were never "
        "compared; give two rows of one set"
    )


def _probability(model: Model, score: float) -> Any:
    assert model.calibration is not None  # noqa: S101
    return model.calibration(np.array([score]))[0]


def _path(found: Found, items: Sequence[int]) -> list[int]:
    links = spanning_tree(found.bonds, found.partition).links
    groups = must_link_groups(links, found.scores.n_items)
    if groups[items[0]] != groups[items[1]]:  # held together by nothing that was looked at
        return []
    return shortest_chain(links, items[0], items[1], found.scores.n_items)


def _refused(found: Found, items: Sequence[int], names: Sequence[str]) -> Link | None:
    """Return the strongest link between two clusters, or from one cluster to anything else."""
    labels = found.partition.labels[found.scores.pairs]
    own = found.partition.labels[list(items)]
    one, two = (np.isin(labels, [label]).any(axis=1) for label in own)
    apart: Bools = labels[:, 0] != labels[:, 1]
    wanted = np.flatnonzero(apart & one & two)
    if not len(wanted):
        return None
    best = wanted[np.argmax(found.scores.scores[wanted])]
    first, second = found.scores.pairs[best].tolist()
    score, told = float(found.scores.scores[best]), found.told.keeps_apart(first, second)
    return Link(names[first], names[second], score, told)


def _link(bonds: Bonds, names: Sequence[str], first: int, second: int) -> Link:
    low, high = sorted((first, second))
    at = np.flatnonzero((bonds.pairs[:, 0] == low) & (bonds.pairs[:, 1] == high))
    score = float(bonds.scores[at[0]])
    told = score == np.inf
    return Link(names[first], names[second], None if told else score, told)
