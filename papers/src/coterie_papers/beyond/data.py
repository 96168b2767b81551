"""The ten tasks beyond the papers: item sets with the features of their pairs, ready to be run."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from coterie.datasets.corpus import Corpus
from coterie.exceptions import InputError
from coterie.features.differences import AbsoluteDifferences
from coterie.features.names.features import NameFeatures
from coterie.features.operators import written
from coterie.features.stacked import Stacked
from coterie.features.texts.features import TextFeatures
from coterie.features.texts.posts import PostFeatures
from coterie.items import ItemSet, PairFeatures
from coterie.metrics import conll_score, pair_scores, variation_of_information
from coterie.pairs import all_pairs, condensed_positions
from coterie.partition import Partition
from coterie.toolkit import Featurizer, Floats, Ints
from coterie_papers.beyond.citations import citation_columns
from coterie_papers.corpora.cora import load_cora_ksf, load_cora_refs
from coterie_papers.corpora.gum import load_gum_coref
from coterie_papers.corpora.names import Kind, load_entity_names
from coterie_papers.corpora.news import load_news_ecbplus
from coterie_papers.corpora.newsgroups import N_FOLDS, Target, load_newsgroups_threads
from coterie_papers.corpora.orders import scrambled
from coterie_papers.corpora.usps import MOST_IN_SET, load_usps

N_TRAINING = 6
"""Posts of the first folds are trained on, those of the others tested on."""

N_DIGIT_SETS = 8
"""How many sets of 100 digits are trained on, and as many tested on."""

N_EACH = 20
"""Images of each digit in a set."""

FEW_SETS, FEW_RUNS = 6, 2
"""How many item sets a quick run takes of either side of a run, and how many runs."""

FEW_ITEMS = 60
"""How many items of each it takes at most, those that come first."""

SPLITS: tuple[Literal["train"], Literal["test"]] = ("train", "test")


class Run(NamedTuple):
    """Item sets to train on, and to test on; and the entities of the first, where they share them.

    The test sets are of other entities.
    """

    train: Corpus
    test: Corpus
    entities: list[Ints] | None = None


class Task(NamedTuple):
    """A corpus, how it is divided, and what is measured on it.

    Item sets hold the features of their pairs, not scaled. Scores are shown times 100.
    """

    name: str
    metric: Callable[..., Any]
    ordered: bool
    runs: Sequence[Run]


class _Kind(NamedTuple):
    metric: Callable[..., Any]
    ordered: bool
    n_runs: int
    runs: Callable[[Path | None], list[Run]]


# The features of one task are used by many cells that follow each other.
@lru_cache(maxsize=1)
def task(name: str, folder: Path | None = None, quick: bool = False) -> Task:
    """Read a task of `TASKS`; a quick one has fewer runs, item sets and items."""
    if name not in TASKS:
        raise InputError(f"there is no task {name!r}; give {' or '.join(TASKS)}")
    kind = TASKS[name]
    runs = kind.runs(folder)
    if quick:
        runs = [_few_of(run) for run in runs[:FEW_RUNS]]
    return Task(name, kind.metric, kind.ordered, runs)


def count_runs(name: str, quick: bool = False) -> int:
    """Return how many runs a task has, without reading it."""
    return min(TASKS[name].n_runs, FEW_RUNS) if quick else TASKS[name].n_runs


def _few_of(run: Run) -> Run:
    entities = run.entities
    if entities is not None:
        entities = [entities[number][:FEW_ITEMS] for number in _some(len(entities))]
    return Run(_few(run.train), _few(run.test), entities)


def _some(n_sets: int) -> list[int]:
    """Take the numbers of some item sets, from the first set to the last."""
    numbers: list[int] = np.linspace(0, n_sets - 1, FEW_SETS).round().astype(int).tolist()
    return sorted(set(numbers))


def _few(corpus: Corpus) -> Corpus:
    """Take the first items of some item sets."""
    some = corpus.at(_some(len(corpus.item_sets)))
    return Corpus(
        [_first_items(item_set) for item_set in some.item_sets],
        [Partition(truth.labels[:FEW_ITEMS]) for truth in some.partitions],
    )


def _first_items(item_set: ItemSet) -> ItemSet:
    given: PairFeatures = item_set.items
    n_items = min(len(item_set), FEW_ITEMS)
    rows = condensed_positions(all_pairs(n_items), len(item_set))
    return ItemSet.from_pair_features(given.features[rows], n_items, ordered=item_set.ordered)


# What makes the runs of a task; all take the folder of the data.


def _gum(folder: Path | None, swapped: bool = False) -> list[Run]:
    """Read the features that come with 60 documents, 50 binary ones and two distances."""
    halves = load_gum_coref(folder, "train"), load_gum_coref(folder, "test")
    train, test = reversed(halves) if swapped else halves
    return [Run(train, test)]


def _news(folder: Path | None) -> list[Run]:
    """Leave each of nine sets out in turn; a pair has the 30 cosines that come with it."""
    return _left_out(scrambled(load_news_ecbplus(folder)))


def _citations(load: Callable[[Path | None], Corpus], folder: Path | None) -> list[Run]:
    """Leave each of three files out in turn."""
    item_sets, truths = scrambled(load(folder))
    return _left_out(Corpus([_of(each, citation_columns(each)) for each in item_sets], truths))


def _names(kind: Kind, folder: Path | None) -> list[Run]:
    """Train on either set of a pair and test on the other."""
    item_sets, truths = scrambled(load_entity_names(folder, kind=kind))
    corpus = _compared(Corpus(item_sets, truths), NameFeatures())
    pairs = [(first, first + 1) for first in range(0, len(truths), 2)]
    both = [order for pair in pairs for order in (pair, pair[::-1])]
    return [Run(corpus.at([train]), corpus.at([test])) for train, test in both]


def _posts(target: Target, featurizer: Featurizer, folder: Path | None) -> list[Run]:
    """Train on the first folds of the posts, test on the others."""
    folds = [load_newsgroups_threads(folder, fold, target) for fold in range(N_FOLDS)]
    train, test = (_joined(part) for part in (folds[:N_TRAINING], folds[N_TRAINING:]))
    fitted = featurizer.fit(train.item_sets)
    return [Run(_compared(train, fitted), _compared(test, fitted))]


MEASURES = PostFeatures(max_words=0)
GRAMS = Stacked((MEASURES, TextFeatures(("text",), n_grams=(1, 2, 3))))
"""What posts have in common: seven measures; or also the cosines of n-grams, raw and stemmed."""


def _digits(folder: Path | None, told: bool = True) -> list[Run]:
    """Train on sets of five digits, test on sets of the five others."""
    rng = np.random.default_rng(0)
    train, test = (_drawn(load_usps(folder, split, MOST_IN_SET), rng) for split in SPLITS)
    return [Run(train.corpus, test.corpus, train.digits if told else None)]


TEN: Mapping[str, _Kind] = {
    "gum": _Kind(conll_score, True, 1, _gum),
    "news": _Kind(pair_scores, False, 9, _news),
    "cora_refs": _Kind(pair_scores, False, 3, partial(_citations, load_cora_refs)),
    "cora_ksf": _Kind(pair_scores, False, 3, partial(_citations, load_cora_ksf)),
    "names, person": _Kind(pair_scores, False, 6, partial(_names, "person")),
    "names, location": _Kind(pair_scores, False, 6, partial(_names, "location")),
    "names, organization": _Kind(pair_scores, False, 6, partial(_names, "organization")),
    "topic": _Kind(variation_of_information, True, 1, partial(_posts, "thread", MEASURES)),
    "author": _Kind(variation_of_information, True, 1, partial(_posts, "author", MEASURES)),
    "usps": _Kind(pair_scores, False, 1, _digits),
}

UNTOLD = "usps, digits not told"

TASKS: Mapping[str, _Kind] = {
    **TEN,
    "gum, halves exchanged": _Kind(conll_score, True, 1, partial(_gum, swapped=True)),
    "topic, n-grams": _Kind(variation_of_information, True, 1, partial(_posts, "thread", GRAMS)),
    "author, n-grams": _Kind(variation_of_information, True, 1, partial(_posts, "author", GRAMS)),
    UNTOLD: _Kind(pair_scores, False, 1, partial(_digits, told=False)),
}
"""The ten tasks, and some of them in another way."""


def _left_out(corpus: Corpus) -> list[Run]:
    numbers = range(len(corpus.item_sets))
    return [
        Run(corpus.at(other for other in numbers if other != number), corpus.at([number]))
        for number in numbers
    ]


def _joined(parts: Sequence[Corpus]) -> Corpus:
    item_sets = [item_set for part in parts for item_set in part.item_sets]
    return Corpus(item_sets, [truth for part in parts for truth in part.partitions])


def _compared(corpus: Corpus, fitted: Featurizer) -> Corpus:
    """Put the features of all pairs in the place of the items."""
    item_sets = [_of(each, written(fitted(each, None))) for each in corpus.item_sets]
    return Corpus(item_sets, corpus.partitions)


def _of(item_set: ItemSet, features: Floats) -> ItemSet:
    return ItemSet.from_pair_features(features, len(item_set), ordered=item_set.ordered)


class _Drawn(NamedTuple):
    """Sets of images, and which digit each image is of."""

    corpus: Corpus
    digits: list[Ints]


def _drawn(images: Corpus, rng: np.random.Generator) -> _Drawn:
    """Draw sets with as many images of each digit; a pair has |x − x′| and its length."""
    (pool,), (truth,) = images
    orders = [rng.permutation(items)[: N_DIGIT_SETS * N_EACH] for items in truth.clusters]
    drawn = _Drawn(Corpus([], []), [])
    for chosen in np.hstack([order.reshape(N_DIGIT_SETS, -1) for order in orders]):
        items = rng.permutation(chosen)
        vectors = ItemSet(pool.items[items])
        apart = written(AbsoluteDifferences()(vectors, None))
        features = np.column_stack([apart, np.linalg.norm(apart, axis=1)])
        drawn.corpus.item_sets.append(_of(vectors, features))
        drawn.corpus.partitions.append(Partition(truth.labels[items]))
        drawn.digits.append(truth.labels[items])
    return drawn
