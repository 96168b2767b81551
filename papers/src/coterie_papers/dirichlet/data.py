"""The item sets of the tables of SCM: subsets of digits, and citations that three authors got.

A task has sets to train on and sets to test on, and says how they are looked at.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from coterie.blocking import Canopies
from coterie.datasets import load_digit_sets
from coterie.datasets.corpus import Corpus
from coterie.features import AbsoluteDifferences, CitationFeatures, EuclideanEmbedding
from coterie.features.operators import written
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie.toolkit import Blocker, Featurizer
from coterie_papers.corpora import load_cora_ksf, load_cora_refs, load_usps

See: TypeAlias = Callable[[ItemSet], ItemSet]
View: TypeAlias = Callable[[Sequence[ItemSet], float], See]
"""Learns from training sets, with a resolution of distances, how SCM is to see item sets."""

Load: TypeAlias = Callable[..., Corpus]

# How items are seen.


def as_read(_known: Sequence[ItemSet], _resolution: float) -> See:
    """See vectors as they are."""
    return lambda item_set: item_set


def as_bytes(known: Sequence[ItemSet], _resolution: float) -> See:
    """See grey levels from 0 to 255; the extremes of the known images are black and white."""
    images = np.vstack([each.items for each in known])
    low, high = images.min(), images.max()
    return lambda item_set: ItemSet(255.0 * (item_set.items - low) / (high - low))


def by_distance(known: Sequence[ItemSet], resolution: float) -> See:
    """See the distances of citations."""
    featurizer = CitationFeatures(resolution=resolution).fit(known)
    return lambda item_set: ItemSet.from_pair_features(
        written(featurizer(item_set, None)), len(item_set)
    )


def embedded(known: Sequence[ItemSet], resolution: float) -> See:
    """See vectors whose distances are about those of citations."""
    return EuclideanEmbedding(CitationFeatures(resolution=resolution)).fit(known)


# What differs between digits and citations.


@dataclass(frozen=True)
class Kind:
    """How the systems look at items of a kind.

    Parameters
    ----------
    view
        How SCM sees them.
    shapes
        The shapes of the types' prior to choose from, as multiples of the default, a twentieth of
        the number of features.
    resolutions
        The resolutions to choose from.
    featurizer, blocker
        The features and the choice of pairs of the SVM; None takes all pairs.
    n_rows
        How many pairs the SVM is fitted to at most.
    gammas
        The widths of its kernel to choose from, for columns of deviation 1.
    """

    view: View
    shapes: tuple[float, ...]
    resolutions: tuple[float, ...]
    featurizer: Featurizer
    blocker: Blocker | None
    n_rows: int
    gammas: tuple[float, ...]


IMAGES = Kind(
    view=as_read,
    shapes=(1.0, 10.0, 100.0),
    resolutions=(0.0,),
    featurizer=AbsoluteDifferences(),
    blocker=None,
    n_rows=4_000,
    gammas=(0.0001, 0.001, 0.01),
)
CITATIONS = Kind(
    view=by_distance,
    shapes=(1.0, 10.0, 100.0),
    resolutions=(0.1, 0.2),
    featurizer=CitationFeatures(),
    blocker=Canopies(columns=("title", "author")),
    n_rows=20_000,
    gammas=(0.01, 0.1, 1.0),
)


@dataclass(frozen=True, eq=False)
class Task:
    """Sets to train on, sets to test on, what they are of, and where settings are chosen.

    A fold has sets to train on and sets to choose by; none leaves the training sets out in turn.
    """

    train: Corpus
    test: Corpus
    kind: Kind
    folds: tuple[tuple[Corpus, Corpus], ...] = ()


# Digits.


class Division(NamedTuple):
    """How many subsets there are, the training and the test sets of each, and images in a set."""

    n_subsets: int
    n_train: int
    n_test: int
    n_items: int


DIVISIONS = {"usps": Division(6, 4, 2, 100), "digits": Division(7, 2, 2, 60)}
N_CHOSEN_BY = 3
"""How many sets of other digits settings are chosen by, in each of two folds."""
CHOSEN_BY = (((0, 2, 4), (6, 7)), ((6, 7, 0), (2, 4)))
"""The digits to train on and those to choose settings by, where there are five in all: others, as
those of the test sets are."""
TWO_DIGITS = ((0, 2), (2, 4), (4, 6), (6, 7), (7, 0))
"""What subsets take in turn where there are two digits to train on."""


def digit_task(
    name: str, folder: Path | None, subset: int, n_digits: int, kind: Kind = IMAGES
) -> Task:
    """Return a subset with five or two digits to train on; no image is in two subsets of these."""
    load: Load = partial(load_usps, folder) if name == "usps" else load_digit_sets
    division = DIVISIONS[name]
    n_items = division.n_items
    turn = subset
    which: dict[str, Any] = {"split": "train"}
    if n_digits == 2:
        turn, number = divmod(subset, len(TWO_DIGITS))
        which = {"digits": TWO_DIGITS[number]}
    train = _slice(load(n_items=n_items, **which), turn, division.n_train)
    test = _slice(load(n_items=n_items, split="test"), subset, division.n_test)
    if n_digits == 2:
        return Task(train, test, kind)
    drawn = partial(load, n_items=n_items, random_state=subset)
    folds = tuple(
        (
            _slice(drawn(digits=known), 0, division.n_train),
            _slice(drawn(digits=others), 0, N_CHOSEN_BY),
        )
        for known, others in CHOSEN_BY
    )
    return Task(train, test, kind, folds)


def _slice(corpus: Corpus, number: int, size: int) -> Corpus:
    chosen = slice(number * size, (number + 1) * size)
    return Corpus(corpus.item_sets[chosen], corpus.partitions[chosen])


# Citations.

CORA = {"cora_refs": load_cora_refs, "cora_ksf": load_cora_ksf}
N_AUTHORS = 3


def citation_task(name: str, folder: Path | None, held_out: int, kind: Kind = CITATIONS) -> Task:
    """Return the citations of two authors to train on, and those of the third to test on.

    They are in a random order, as they would else lie beside others of their publication.
    """
    rng = np.random.default_rng(0)
    mixed = [_mixed(*each, rng) for each in zip(*CORA[name](folder), strict=True)]
    train = [each for number, each in enumerate(mixed) if number != held_out]
    return Task(_corpus(train), _corpus([mixed[held_out]]), kind)


def _mixed(
    item_set: ItemSet, truth: Partition, rng: np.random.Generator
) -> tuple[ItemSet, Partition]:
    order = rng.permutation(len(item_set))
    return item_set.reordered(order), Partition(truth.labels[order])


def _corpus(pairs: Sequence[tuple[ItemSet, Partition]]) -> Corpus:
    return Corpus([item_set for item_set, _ in pairs], [truth for _, truth in pairs])
