"""The names of the tables of SDC: halves of pairs of sets, with the features of their pairs."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.datasets.corpus import Corpus
from coterie.features.names.features import NameFeatures
from coterie.features.names.soft_tfidf import SoftTFIDF
from coterie.features.operators import written
from coterie.items import ItemSet
from coterie.pairs import PairScores, all_pairs, condensed_positions
from coterie.partition import Partition
from coterie.toolkit import Bools, Floats, Ints
from coterie_papers.corpora.names import KINDS as KIND_NAMES
from coterie_papers.corpora.names import Kind, load_entity_names, load_source_names

FEATURES = NameFeatures()
SOURCES = ("gum", "ecbplus")
SET_SIZE, MOST_SETS = 300, 3


@dataclass(frozen=True, eq=False)
class Names:
    """Names with the features of all their pairs, computed once, and their entities.

    `features` is the matrix of `NameFeatures`, one row a pair in condensed order.
    """

    names: ItemSet
    features: Any
    truth: Partition

    @property
    def counted(self) -> ItemSet:
        """The pair features as an item set whose number of entities is known."""
        return self._item_set(self.truth.n_clusters)

    @property
    def uncounted(self) -> ItemSet:
        """The same, the number of entities unknown."""
        return self._item_set(None)

    @property
    def together(self) -> Bools:
        """Whether each pair is of one entity."""
        return self.truth.together()

    def scored(self, scores: Floats) -> PairScores:
        """Take one score a pair as a clusterer does, with the number of entities."""
        return PairScores(len(self.truth), None, scores, n_clusters=self.truth.n_clusters)

    def part(self, numbers: Ints) -> "Names":
        """Take some of the names, in order."""
        kept = np.sort(numbers)
        rows = condensed_positions(kept[all_pairs(len(kept))], len(self.truth))
        truth = Partition(self.truth.labels[kept])
        return Names(_chosen(self.names, kept), self.features[rows], truth)

    def _item_set(self, n_clusters: int | None) -> ItemSet:
        return ItemSet.from_pair_features(self.features, len(self.truth), n_clusters=n_clusters)


def halves_of(folder: Path | None, kind: Kind, pair: int, run: int) -> tuple[Names, Names]:
    """Return the two sets of a run, with the features of their pairs."""
    first, second = (
        _compared(item_set, truth)
        for item_set, truth in zip(*divided(folder, kind, pair, run), strict=True)
    )
    return first, second


def divided(folder: Path | None, kind: Kind, pair: int, run: int) -> Corpus:
    """Divide the names of a pair of sets in two: in run 1 as they come, else by entity at random.

    Entities are drawn until they have half of the names. Items are in a random order, because
    they come by document: whatever breaks a tie by their order would know more than their names.
    """
    corpus = load_entity_names(folder, None, kind, pair)
    rng = np.random.default_rng([KIND_NAMES.index(kind), pair, run])
    item_sets, truths = corpus if run == 1 else _redivided(corpus, rng)
    found = Corpus([], [])
    for item_set, truth in zip(item_sets, truths, strict=True):
        order = rng.permutation(len(item_set))
        found.item_sets.append(item_set.reordered(order))
        found.partitions.append(Partition(truth.labels[order]))
    return found


def _redivided(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    """Divide the union of two sets, which share no entity, by entity at random."""
    names, truth = _union(corpus)
    first = drawn(truth, 0.5, rng)
    second = np.setdiff1d(np.arange(len(truth)), first)
    return Corpus(
        [_chosen(names, half) for half in (first, second)],
        [Partition(truth.labels[half]) for half in (first, second)],
    )


def drawn(truth: Partition, share: float, rng: np.random.Generator) -> Ints:
    """Draw whole clusters until they have a share of the items; return these, in order.

    >>> truth = Partition([0, 1, 0, 2, 1, 3])
    >>> truth.labels[drawn(truth, 0.5, np.random.default_rng(0))].tolist()
    [0, 0, 2]
    """
    order = rng.permutation(truth.n_clusters)
    reached = np.cumsum(truth.sizes[order])
    n_drawn = int(np.searchsorted(reached, share * len(truth) * (1.0 - 1e-12))) + 1
    return np.flatnonzero(np.isin(truth.labels, order[:n_drawn]))


def more_names(
    folder: Path | None, kind: Kind, known: Sequence[Names], rng: np.random.Generator
) -> list[Names]:
    """Return other names of the sources of the sets, of entities that are in none of these.

    They are divided by entity at random in sets of about 300, up to three; as in the sets, a
    document has each name of an entity once.
    """
    ids = {number for names in known for number in names.names.ids or ()}
    first, second = (_unknown(folder, source, kind, ids) for source in SOURCES)
    left, truth = _union(Corpus(*map(operator.add, first, second)))
    return _in_sets(left, truth, SET_SIZE, rng)[:MOST_SETS]


def fresh_names(
    folder: Path | None, source: str, kind: Kind, rng: np.random.Generator
) -> list[Names]:
    """Return the names of a source, divided by entity at random in sets of about 300, or in two."""
    corpus = _unknown(folder, source, kind, set())
    names, truth = corpus.item_sets[0], corpus.partitions[0]
    return _in_sets(names, truth, min(SET_SIZE, len(truth) // 2 - 1), rng)


def _in_sets(names: ItemSet, truth: Partition, size: int, rng: np.random.Generator) -> list[Names]:
    """Divide names by entity at random in sets of about one size; what is left over is left out."""
    order = rng.permutation(truth.n_clusters)
    numbers = np.cumsum(truth.sizes[order]) // size
    sets = []
    for number in range(numbers[-1] if len(numbers) else 0):
        items = rng.permutation(np.flatnonzero(np.isin(truth.labels, order[numbers == number])))
        sets.append(_compared(_chosen(names, items), Partition(truth.labels[items])))
    return sets


def _unknown(folder: Path | None, source: str, kind: Kind, ids: set[Any]) -> Corpus:
    """Return the names of a source whose entities have none of some ids, each once a document."""
    corpus = load_source_names(folder, source, kind)
    item_set, truth = corpus.item_sets[0], corpus.partitions[0]
    known = np.array([number in ids for number in item_set.ids or ()], dtype=np.bool_)
    fresh = ~np.isin(truth.labels, truth.labels[known])
    columns = zip(item_set.items["name"], truth.labels.tolist(), item_set.items["doc"], strict=True)
    firsts = {each: number for number, each in reversed(list(enumerate(columns)))}
    kept = np.array(sorted(number for number in firsts.values() if fresh[number]), dtype=np.intp)
    return Corpus([_chosen(item_set, kept)], [Partition(truth.labels[kept])])


def soft_tfidf(train: Names, *of: Names) -> list[Floats]:
    """Return the SoftTFIDF of all pairs of several sets; training names tell what is rare."""
    fitted = SoftTFIDF().fit([train.names])
    return [fitted(names.names, None) @ np.ones(1) for names in of]


def with_soft_tfidf(train: Names, *of: Names) -> list[Names]:
    """Return several sets with the SoftTFIDF of their pairs as one more feature."""
    return [
        replace(names, features=np.column_stack([names.features, own]))
        for names, own in zip(of, soft_tfidf(train, *of), strict=True)
    ]


def _union(corpus: Corpus) -> tuple[ItemSet, Partition]:
    first, second = corpus.item_sets
    columns = {name: [*first.items[name], *second.items[name]] for name in first.items}
    ids = [*(first.ids or ()), *(second.ids or ())]
    before, after = corpus.partitions
    labels = np.concatenate([before.labels, after.labels + before.n_clusters])
    return ItemSet(columns, ids=ids), Partition(labels)


def _chosen(names: ItemSet, numbers: Ints) -> ItemSet:
    columns = {name: [column[number] for number in numbers] for name, column in names.items.items()}
    ids = None if names.ids is None else [names.ids[number] for number in numbers]
    return ItemSet(columns, ids=ids)


def _compared(names: ItemSet, truth: Partition) -> Names:
    return Names(names, written(FEATURES.fit([names])(names, None)), truth)
