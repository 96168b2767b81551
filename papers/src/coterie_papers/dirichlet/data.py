"""The tasks of the tables of SCM: subsets of digits, and the citations of three authors.

A task has training sets and test sets, and the settings that systems use for items of their kind.
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
from coterie.features.operators import to_matrix
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie.toolkit import Blocker, Featurizer
from coterie_papers.corpora import load_cora_ksf, load_cora_refs, load_usps

Transform: TypeAlias = Callable[[ItemSet], ItemSet]
"""Turns an item set into vectors, or into features of pairs, for SCM."""

FitTransform: TypeAlias = Callable[[Sequence[ItemSet], float], Transform]
"""Fits a transform to training sets, with a resolution of distances."""

Load: TypeAlias = Callable[..., Corpus]

# Transforms of item sets.


def unchanged(_train: Sequence[ItemSet], _resolution: float) -> Transform:
    """Return the transform that keeps vectors as they are."""
    return lambda item_set: item_set


def to_bytes(train: Sequence[ItemSet], _resolution: float) -> Transform:
    """Return the transform of grey levels to 0 to 255 by the extremes of the training images."""
    images = np.vstack([item_set.items for item_set in train])
    low, high = images.min(), images.max()
    return lambda item_set: ItemSet(255.0 * (item_set.items - low) / (high - low))


def to_distances(train: Sequence[ItemSet], resolution: float) -> Transform:
    """Return the transform of citations into the distances of their pairs."""
    featurizer = CitationFeatures(resolution=resolution).fit(train)
    return lambda item_set: ItemSet.from_pair_features(
        to_matrix(featurizer(item_set, None)), len(item_set)
    )


def to_vectors(train: Sequence[ItemSet], resolution: float) -> Transform:
    """Return the transform of citations into vectors with approximately the same distances."""
    return EuclideanEmbedding(CitationFeatures(resolution=resolution)).fit(train)


# Differences between digits and citations.


@dataclass(frozen=True)
class ItemKind:
    """The settings of systems for one kind of items: digits or citations.

    Parameters
    ----------
    fit_transform
        Fits the transform of item sets for SCM.
    shapes
        The shapes of the types' prior to choose from, as multiples of the default, which is a
        twentieth of the number of features.
    resolutions
        The resolutions to choose from.
    featurizer, blocker
        The features of the SVM, and its choice of pairs; None takes all pairs.
    n_rows
        The largest number of pairs to fit the SVM to.
    gammas
        The widths of the SVM's kernel to choose from, for columns of standard deviation 1.
    """

    fit_transform: FitTransform
    shapes: tuple[float, ...]
    resolutions: tuple[float, ...]
    featurizer: Featurizer
    blocker: Blocker | None
    n_rows: int
    gammas: tuple[float, ...]


IMAGES = ItemKind(
    fit_transform=unchanged,
    shapes=(1.0, 10.0, 100.0),
    resolutions=(0.0,),
    featurizer=AbsoluteDifferences(),
    blocker=None,
    n_rows=4_000,
    gammas=(0.0001, 0.001, 0.01),
)
CITATIONS = ItemKind(
    fit_transform=to_distances,
    shapes=(1.0, 10.0, 100.0),
    resolutions=(0.1, 0.2),
    featurizer=CitationFeatures(),
    blocker=Canopies(columns=("title", "author")),
    n_rows=20_000,
    gammas=(0.01, 0.1, 1.0),
)


@dataclass(frozen=True, eq=False)
class SystemTask:
    """Training sets, test sets, the kind of their items, and folds for the choice of settings.

    A fold has sets for training and sets for choosing settings. If there are no folds, training
    sets are left out in turn.
    """

    train: Corpus
    test: Corpus
    kind: ItemKind
    folds: tuple[tuple[Corpus, Corpus], ...] = ()


# Digits.


class SubsetSizes(NamedTuple):
    """Number of subsets, numbers of training and test sets in each, and images per set."""

    n_subsets: int
    n_train: int
    n_test: int
    n_items: int


DIVISIONS = {"usps": SubsetSizes(6, 4, 2, 100), "digits": SubsetSizes(7, 2, 2, 60)}
N_TUNING_SETS = 3
"""Number of sets by which settings are chosen in each fold."""
TUNING_DIGITS = (((0, 2, 4), (6, 7)), ((6, 7, 0), (2, 4)))
"""The digits for training and those for choosing settings in each fold of tasks with five digits.

They differ, because the digits of the test sets are not those of the training sets either.
"""
TWO_DIGITS = ((0, 2), (2, 4), (4, 6), (6, 7), (7, 0))
"""The pairs of training digits that subsets take in turn in tasks with two digits."""


def digit_task(
    name: str, folder: Path | None, subset: int, n_digits: int, kind: ItemKind = IMAGES
) -> SystemTask:
    """Return the task of a subset with five or two training digits.

    Subsets with the same digits have no image in common.
    """
    load: Load = partial(load_usps, folder) if name == "usps" else load_digit_sets
    division = DIVISIONS[name]
    n_items = division.n_items
    number = subset
    which: dict[str, Any] = {"split": "train"}
    if n_digits == 2:
        number, turn = divmod(subset, len(TWO_DIGITS))
        which = {"digits": TWO_DIGITS[turn]}
    train = _slice(load(n_items=n_items, **which), number, division.n_train)
    test = _slice(load(n_items=n_items, split="test"), subset, division.n_test)
    if n_digits == 2:
        return SystemTask(train, test, kind)
    load_random = partial(load, n_items=n_items, random_state=subset)
    folds = tuple(
        (
            _slice(load_random(digits=train_digits), 0, division.n_train),
            _slice(load_random(digits=tuning_digits), 0, N_TUNING_SETS),
        )
        for train_digits, tuning_digits in TUNING_DIGITS
    )
    return SystemTask(train, test, kind, folds)


def _slice(corpus: Corpus, number: int, size: int) -> Corpus:
    part = slice(number * size, (number + 1) * size)
    return Corpus(corpus.item_sets[part], corpus.partitions[part])


# Citations.

CORA = {"cora_refs": load_cora_refs, "cora_ksf": load_cora_ksf}
N_AUTHORS = 3


def citation_task(
    name: str, folder: Path | None, held_out: int, kind: ItemKind = CITATIONS
) -> SystemTask:
    """Return a task with the citations of two authors for training and of the third for testing.

    The citations are shuffled, because citations of one publication follow each other in the files.
    """
    rng = np.random.default_rng(0)
    examples = zip(*CORA[name](folder), strict=True)
    shuffled = [_shuffle(item_set, truth, rng) for item_set, truth in examples]
    train = [example for number, example in enumerate(shuffled) if number != held_out]
    return SystemTask(_corpus(train), _corpus([shuffled[held_out]]), kind)


def _shuffle(
    item_set: ItemSet, truth: Partition, rng: np.random.Generator
) -> tuple[ItemSet, Partition]:
    order = rng.permutation(len(item_set))
    return item_set.reordered(order), Partition(truth.labels[order])


def _corpus(examples: Sequence[tuple[ItemSet, Partition]]) -> Corpus:
    return Corpus([item_set for item_set, _ in examples], [truth for _, truth in examples])
