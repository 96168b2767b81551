"""The names behind the tables of SDC: halves of pairs of sets, with the features of their pairs."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.datasets.corpus import Corpus
from coterie.features.names.features import NameFeatures
from coterie.features.names.soft_tfidf import SoftTFIDF
from coterie.features.operators import to_matrix
from coterie.items import ItemSet
from coterie.pairs import PairScores, all_pairs, condensed_positions
from coterie.partition import Partition
from coterie.toolkit import Bools, Floats, Ints
from coterie_papers.corpora.names import KINDS as KIND_NAMES
from coterie_papers.corpora.names import Kind, load_entity_names, load_source_names

FEATURES = NameFeatures()
SOURCES = ("gum", "ecbplus")

SET_SIZE = 300
"""The approximate number of names in each additional set."""

MAX_SETS = 3
"""The largest number of additional training sets."""


@dataclass(frozen=True, eq=False)
class NameSet:
    """Names with the features of all their pairs, computed once, and their entities.

    `features` is the matrix of `NameFeatures`, with one row per pair in condensed order.
    """

    names: ItemSet
    features: Any
    truth: Partition

    @property
    def with_count(self) -> ItemSet:
        """The pair features as an item set whose number of entities is known."""
        return self._item_set(self.truth.n_clusters)

    @property
    def without_count(self) -> ItemSet:
        """The pair features as an item set whose number of entities is unknown."""
        return self._item_set(None)

    @property
    def together(self) -> Bools:
        """One value per pair: True if its names belong to the same entity."""
        return self.truth.together()

    def to_pair_scores(self, scores: Floats) -> PairScores:
        """Return the input of a clusterer: one score per pair, and the number of entities."""
        return PairScores(len(self.truth), None, scores, n_clusters=self.truth.n_clusters)

    def subset(self, indices: Ints) -> "NameSet":
        """Return some of the names, in the order of the set."""
        ordered = np.sort(indices)
        rows = condensed_positions(ordered[all_pairs(len(ordered))], len(self.truth))
        truth = Partition(self.truth.labels[ordered])
        return NameSet(_select(self.names, ordered), self.features[rows], truth)

    def _item_set(self, n_clusters: int | None) -> ItemSet:
        return ItemSet.from_pair_features(self.features, len(self.truth), n_clusters=n_clusters)


def halves_of(folder: Path | None, kind: Kind, pair: int, run: int) -> tuple[NameSet, NameSet]:
    """Return the two sets of a run, with the features of their pairs."""
    first, second = (
        _with_features(item_set, truth)
        for item_set, truth in zip(*divide_names(folder, kind, pair, run), strict=True)
    )
    return first, second


def divide_names(folder: Path | None, kind: Kind, pair: int, run: int) -> Corpus:
    """Divide the names of a pair of sets into two halves.

    In run 1, the halves are the two sets. In other runs, whole entities are drawn at random until
    they have half of the names. The items are in a random order: the files are ordered by document,
    so a method that breaks ties by position would know more than the names.
    """
    corpus = load_entity_names(folder, None, kind, pair)
    rng = np.random.default_rng([KIND_NAMES.index(kind), pair, run])
    item_sets, truths = corpus if run == 1 else _divide_by_entity(corpus, rng)
    halves = Corpus([], [])
    for item_set, truth in zip(item_sets, truths, strict=True):
        order = rng.permutation(len(item_set))
        halves.item_sets.append(item_set.reordered(order))
        halves.partitions.append(Partition(truth.labels[order]))
    return halves


def _divide_by_entity(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    """Divide the union of two sets, which share no entity, by entity at random."""
    names, truth = _join(corpus)
    first = draw_clusters(truth, 0.5, rng)
    second = np.setdiff1d(np.arange(len(truth)), first)
    return Corpus(
        [_select(names, half) for half in (first, second)],
        [Partition(truth.labels[half]) for half in (first, second)],
    )


def draw_clusters(truth: Partition, share: float, rng: np.random.Generator) -> Ints:
    """Draw whole clusters until they have a share of the items; return their items, in order.

    >>> truth = Partition([0, 1, 0, 2, 1, 3])
    >>> truth.labels[draw_clusters(truth, 0.5, np.random.default_rng(0))].tolist()
    [0, 0, 2]
    """
    order = rng.permutation(truth.n_clusters)
    counts = np.cumsum(truth.sizes[order])
    # Slightly less than the share, because the product may be rounded up.
    n_drawn = int(np.searchsorted(counts, share * len(truth) * (1.0 - 1e-12))) + 1
    return np.flatnonzero(np.isin(truth.labels, order[:n_drawn]))


def more_names(
    folder: Path | None, kind: Kind, name_sets: Sequence[NameSet], rng: np.random.Generator
) -> list[NameSet]:
    """Return sets of other names from the same sources, without the entities of the given sets.

    The names are divided by entity at random into at most three sets of about 300. As in the given
    sets, a document has each name of an entity once.
    """
    ids = {name_id for name_set in name_sets for name_id in name_set.names.ids or ()}
    first, second = (_names_of_other_entities(folder, source, kind, ids) for source in SOURCES)
    names, truth = _join(Corpus(*map(operator.add, first, second)))
    return _divide_into_sets(names, truth, SET_SIZE, rng)[:MAX_SETS]


def fresh_names(
    folder: Path | None, source: str, kind: Kind, rng: np.random.Generator
) -> list[NameSet]:
    """Return the names of a source, divided by entity at random.

    The sets have about 300 names. A source with fewer than about 600 names is divided into two
    halves.
    """
    corpus = _names_of_other_entities(folder, source, kind, set())
    names, truth = corpus.item_sets[0], corpus.partitions[0]
    return _divide_into_sets(names, truth, min(SET_SIZE, len(truth) // 2 - 1), rng)


def _divide_into_sets(
    names: ItemSet, truth: Partition, size: int, rng: np.random.Generator
) -> list[NameSet]:
    """Divide names by entity at random into sets of about one size; drop the remaining names."""
    order = rng.permutation(truth.n_clusters)
    set_of_cluster = np.cumsum(truth.sizes[order]) // size
    name_sets = []
    for index in range(set_of_cluster[-1] if len(set_of_cluster) else 0):
        clusters = order[set_of_cluster == index]
        items = rng.permutation(np.flatnonzero(np.isin(truth.labels, clusters)))
        name_sets.append(_with_features(_select(names, items), Partition(truth.labels[items])))
    return name_sets


def _names_of_other_entities(folder: Path | None, source: str, kind: Kind, ids: set[Any]) -> Corpus:
    """Return the names of a source, without the entities that have a name with one of the ids.

    A document has each name of an entity once.
    """
    corpus = load_source_names(folder, source, kind)
    item_set, truth = corpus.item_sets[0], corpus.partitions[0]
    has_id = np.array([name_id in ids for name_id in item_set.ids or ()], dtype=np.bool_)
    is_other = ~np.isin(truth.labels, truth.labels[has_id])
    columns = zip(item_set.items["name"], truth.labels.tolist(), item_set.items["doc"], strict=True)
    # In reverse, so that the first of equal names remains.
    first_index = {key: index for index, key in reversed(list(enumerate(columns)))}
    indices = np.array(
        sorted(index for index in first_index.values() if is_other[index]), dtype=np.intp
    )
    return Corpus([_select(item_set, indices)], [Partition(truth.labels[indices])])


def soft_tfidf_scores(train: NameSet, *name_sets: NameSet) -> list[Floats]:
    """Return the SoftTFIDF of all pairs of several sets, with word rarities of the training set."""
    fitted = SoftTFIDF().fit([train.names])
    return [fitted(name_set.names, None) @ np.ones(1) for name_set in name_sets]


def with_soft_tfidf(train: NameSet, *name_sets: NameSet) -> list[NameSet]:
    """Return several sets with the SoftTFIDF of their pairs as one more feature."""
    return [
        replace(name_set, features=np.column_stack([name_set.features, scores]))
        for name_set, scores in zip(name_sets, soft_tfidf_scores(train, *name_sets), strict=True)
    ]


def _join(corpus: Corpus) -> tuple[ItemSet, Partition]:
    """Return the union of two sets; no entity is in both."""
    first, second = corpus.item_sets
    columns = {name: [*first.items[name], *second.items[name]] for name in first.items}
    ids = [*(first.ids or ()), *(second.ids or ())]
    before, after = corpus.partitions
    labels = np.concatenate([before.labels, after.labels + before.n_clusters])
    return ItemSet(columns, ids=ids), Partition(labels)


def _select(names: ItemSet, indices: Ints) -> ItemSet:
    columns = {name: [column[index] for index in indices] for name, column in names.items.items()}
    ids = None if names.ids is None else [names.ids[index] for index in indices]
    return ItemSet(columns, ids=ids)


def _with_features(names: ItemSet, truth: Partition) -> NameSet:
    return NameSet(names, to_matrix(FEATURES.fit([names])(names, None)), truth)
