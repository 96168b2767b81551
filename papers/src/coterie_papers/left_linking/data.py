"""The corpora of the tables of left-linking: their divisions and the features of their pairs."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from coterie.blocking import AllPairs, Window
from coterie.datasets.corpus import Corpus, DevSplit
from coterie.exceptions import InputError
from coterie.features.mentions.features import MentionFeatures
from coterie.features.texts.posts import PostFeatures
from coterie.items import ItemSet
from coterie.toolkit import Blocker, Featurizer
from coterie_papers.corpora.gum import load_gum_coref, load_gum_mentions, load_ontogum_mentions
from coterie_papers.corpora.irc import load_irc_ubuntu
from coterie_papers.corpora.litbank import load_litbank_coref
from coterie_papers.corpora.newsgroups import load_newsgroups_threads
from coterie_papers.corpora.orders import scrambled
from coterie_papers.engine.cells import Key
from coterie_papers.left_linking.protocol import limits_of

N_FOLDS = 10
SKETCH = "sketch"
"""Used in place of a fold: train on folds 0 to 4, choose settings by fold 5, test on 6 to 9."""
N_SKETCHED = 6

MESSAGES = 50
"""A message of a chat may link to one of this number of messages before it."""

NATURAL, SCRAMBLED = "natural", "scrambled"


class Division(NamedTuple):
    """Item sets for training, for the choice of settings, and for testing.

    If `dev` is empty, settings are chosen by cross-validation.
    """

    train: Corpus
    dev: Corpus
    test: Corpus


SetLimits: TypeAlias = tuple[int | None, int | None, int | None]
"""The largest number of item sets of each part; None stands for all."""

NOTHING = Corpus([], [])
SPLITS: tuple[DevSplit, ...] = ("train", "dev", "test")


def division_of(key: Key, folder: Path | None) -> Division:
    """Return the item sets of a cell, with their items in the order that its key names."""
    order, limits = str(key.get("order", NATURAL)), limits_of(key).n_sets
    return _division(str(key["data"]), key.get("fold"), order, folder, limits)


# Computing the features of a corpus takes a hundred times as long as one pass of training, and the
# cells of one corpus follow each other.
@lru_cache(maxsize=1)
def _division(data: str, fold: Any, order: str, folder: Path | None, limits: SetLimits) -> Division:
    name, _, genre = data.partition("/")
    parts = Division(*map(_evenly_spaced, read_division(name, folder, genre or fold), limits))
    if order == SCRAMBLED:
        parts = Division(*(scrambled(part) for part in parts))
    featurizer, blocker = FEATURES.get(name, (None, AllPairs()))
    return parts if featurizer is None else with_pair_features(parts, featurizer, blocker)


def read_division(name: str, folder: Path | None, which: Any = None) -> Division:
    """Read a corpus by its name: all of it, one genre, or its division for one fold."""
    return READERS[name](folder, which)


def _evenly_spaced(corpus: Corpus, n_sets: int | None) -> Corpus:
    """Keep at most `n_sets` item sets, evenly spaced, because genres follow each other."""
    count = len(corpus.item_sets)
    if n_sets is None or count <= n_sets:
        return corpus
    return corpus.at(np.linspace(0, count - 1, n_sets).round().astype(int))


def with_pair_features(parts: Division, featurizer: Featurizer, blocker: Blocker) -> Division:
    """Compute the features of all pairs, with a featurizer that is fitted to the training sets."""
    fitted = featurizer.fit(parts.train.item_sets)

    def with_features(item_set: ItemSet) -> ItemSet:
        pairs = blocker(item_set)
        features = fitted(item_set, pairs)
        return ItemSet.from_pair_features(features, len(item_set), pairs, ordered=True)

    return Division(
        *(Corpus(list(map(with_features, part.item_sets)), part.partitions) for part in parts)
    )


# Readers: each takes the data folder, then a genre or the index of a fold.


def _gum(folder: Path | None, genre: str | None) -> Division:
    return Division(*(load_gum_mentions(folder, split, genre) for split in SPLITS))


def _ontogum(folder: Path | None, genre: str | None) -> Division:
    return Division(*(load_ontogum_mentions(folder, split, genre) for split in SPLITS))


def _gum_60(folder: Path | None, fold: None) -> Division:  # noqa: ARG001
    return Division(load_gum_coref(folder, "train"), NOTHING, load_gum_coref(folder, "test"))


def _irc(folder: Path | None, fold: None) -> Division:  # noqa: ARG001
    return Division(*(load_irc_ubuntu(folder, split) for split in SPLITS))


def _litbank(folder: Path | None, fold: int) -> Division:
    return _by_fold(_litbank_folds(folder), fold)


def _author(folder: Path | None, fold: int | str) -> Division:
    return _by_fold(_forum_folds(folder, "author"), fold)


def _topic(folder: Path | None, fold: int | str) -> Division:
    return _by_fold(_forum_folds(folder, "thread"), fold)


@lru_cache(maxsize=1)
def _litbank_folds(folder: Path | None) -> list[Corpus]:
    return [load_litbank_coref(folder, fold) for fold in range(N_FOLDS)]


@lru_cache(maxsize=2)
def _forum_folds(folder: Path | None, target: Any) -> list[Corpus]:
    return [load_newsgroups_threads(folder, fold, target) for fold in range(N_FOLDS)]


def _by_fold(folds: list[Corpus], fold: int | str) -> Division:
    """Test on a fold, choose settings by the next fold, and train on the others."""
    if fold == SKETCH:
        *train, dev = folds[:N_SKETCHED]
        return Division(_concatenate(train), dev, _concatenate(folds[N_SKETCHED:]))
    if not isinstance(fold, int):
        raise InputError(f"the fold is {fold!r}; give 0 to {N_FOLDS - 1}, or {SKETCH!r}")
    following = (fold + 1) % len(folds)
    others = [part for number, part in enumerate(folds) if number not in (fold, following)]
    return Division(_concatenate(others), folds[following], folds[fold])


def _concatenate(parts: Iterable[Corpus]) -> Corpus:
    corpus = Corpus([], [])
    for item_sets, partitions in parts:
        corpus.item_sets.extend(item_sets)
        corpus.partitions.extend(partitions)
    return corpus


READERS: Mapping[str, Callable[[Path | None, Any], Division]] = {
    "gum": _gum,
    "ontogum": _ontogum,
    "gum-60": _gum_60,
    "litbank": _litbank,
    "author": _author,
    "author, no words": _author,
    "topic": _topic,
    "irc": _irc,
}

FEATURES: Mapping[str, tuple[Featurizer, Blocker]] = {
    "gum": (MentionFeatures(), AllPairs()),
    "ontogum": (MentionFeatures(), AllPairs()),
    "litbank": (MentionFeatures(), AllPairs()),
    "author": (PostFeatures(), AllPairs()),
    "author, no words": (PostFeatures(max_words=0), AllPairs()),
    "topic": (PostFeatures(), AllPairs()),
    "irc": (PostFeatures(author="author"), Window(MESSAGES)),
}
"""Featurizer and blocker by corpus; `gum-60` comes with features of its pairs."""


def draw_item_sets(corpus: Corpus, random_state: int, n_sets: int = 0, n_items: int = 0) -> Corpus:
    """Draw item sets at random until they are at least `n_sets`, with at least `n_items` items."""
    sample = Corpus([], [])
    for number in np.random.default_rng(random_state).permutation(len(corpus.item_sets)):
        if len(sample.item_sets) >= n_sets and sum(map(len, sample.item_sets)) >= n_items:
            break
        sample.item_sets.append(corpus.item_sets[number])
        sample.partitions.append(corpus.partitions[number])
    return sample
