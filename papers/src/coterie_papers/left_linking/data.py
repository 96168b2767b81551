"""The corpora of the tables of left-linking: divided, and with the features of their pairs."""

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
from coterie_papers.left_linking.protocol import protocol_of

N_FOLDS = 10
SKETCH = "sketch"
"""In place of a fold: folds 0 to 5 to train on and to choose by, 6 to 9 to test on."""
N_SKETCHED = 6

MESSAGES = 50
"""How many messages back a message may link to in a chat."""

NATURAL, SCRAMBLED = "natural", "scrambled"


class Division(NamedTuple):
    """Item sets to train on, to choose settings by, and to test on.

    Where there are none to choose by, settings are chosen by cross-validation.
    """

    train: Corpus
    dev: Corpus
    test: Corpus


Most: TypeAlias = tuple[int | None, int | None, int | None]
"""How many item sets of each part are kept at most, None for all."""

NOTHING = Corpus([], [])
SPLITS: tuple[DevSplit, ...] = ("train", "dev", "test")


def division_of(key: Key, folder: Path | None) -> Division:
    """Return the item sets that a cell asks for, in the order of items that it asks for."""
    order, most = str(key.get("order", NATURAL)), protocol_of(key).n_sets
    return _division(str(key["data"]), key.get("fold"), order, folder, most)


# The features of a corpus take a hundred times as long as a pass over them, and cells of one
# corpus follow each other.
@lru_cache(maxsize=1)
def _division(data: str, fold: Any, order: str, folder: Path | None, most: Most) -> Division:
    name, _, genre = data.partition("/")
    parts = Division(*map(_spread, divided(name, folder, genre or fold), most))
    if order == SCRAMBLED:
        parts = Division(*(scrambled(part) for part in parts))
    featurizer, blocker = FEATURES.get(name, (None, AllPairs()))
    return parts if featurizer is None else featurized(parts, featurizer, blocker)


def divided(name: str, folder: Path | None, which: Any = None) -> Division:
    """Read a corpus by its name, all of it, a genre, or as it is divided for a fold."""
    return READERS[name](folder, which)


def _spread(corpus: Corpus, most: int | None) -> Corpus:
    """Keep at most so many item sets, from the first to the last: genres follow each other."""
    count = len(corpus.item_sets)
    if most is None or count <= most:
        return corpus
    return corpus.at(np.linspace(0, count - 1, most).round().astype(int))


def featurized(parts: Division, featurizer: Featurizer, blocker: Blocker) -> Division:
    """Compute the features of all pairs once; what is learned for them, from the training sets."""
    fitted = featurizer.fit(parts.train.item_sets)

    def compared(item_set: ItemSet) -> ItemSet:
        pairs = blocker(item_set)
        features = fitted(item_set, pairs)
        return ItemSet.from_pair_features(features, len(item_set), pairs, ordered=True)

    return Division(
        *(Corpus([compared(each) for each in part.item_sets], part.partitions) for part in parts)
    )


# Readers: all take the folder, and a genre or a fold.


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
    """Test on a fold, choose by the next, and train on the others."""
    if fold == SKETCH:
        *train, dev = folds[:N_SKETCHED]
        return Division(_joined(train), dev, _joined(folds[N_SKETCHED:]))
    if not isinstance(fold, int):
        raise InputError(f"the fold is {fold!r}; give 0 to {N_FOLDS - 1}, or {SKETCH!r}")
    following = (fold + 1) % len(folds)
    others = [part for number, part in enumerate(folds) if number not in (fold, following)]
    return Division(_joined(others), folds[following], folds[fold])


def _joined(parts: Iterable[Corpus]) -> Corpus:
    joined = Corpus([], [])
    for item_sets, partitions in parts:
        joined.item_sets.extend(item_sets)
        joined.partitions.extend(partitions)
    return joined


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
"""What compares the items, and which pairs; features of `gum-60` come with it."""


def drawn(corpus: Corpus, random_state: int, n_sets: int = 0, n_items: int = 0) -> Corpus:
    """Draw item sets at random until there are so many of them, or of their items."""
    chosen = Corpus([], [])
    for number in np.random.default_rng(random_state).permutation(len(corpus.item_sets)):
        if len(chosen.item_sets) >= n_sets and sum(map(len, chosen.item_sets)) >= n_items:
            break
        chosen.item_sets.append(corpus.item_sets[number])
        chosen.partitions.append(corpus.partitions[number])
    return chosen
