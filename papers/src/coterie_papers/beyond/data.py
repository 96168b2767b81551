"""The ten tasks beyond the papers: training sets and test sets with the features of their pairs."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from coterie.datasets.corpus import Corpus
from coterie.exceptions import InputError
from coterie.features.differences import AbsoluteDifferences
from coterie.features.names.features import NameFeatures
from coterie.features.operators import to_matrix
from coterie.features.stacked import Stacked
from coterie.features.texts.features import TextFeatures
from coterie.features.texts.posts import PostFeatures
from coterie.items import ItemSet, PairFeatures
from coterie.metrics import conll_score, pair_scores, variation_of_information
from coterie.pairs import all_pairs, condensed_positions
from coterie.partition import Partition
from coterie.toolkit import Featurizer, Floats, Ints
from coterie_papers.beyond.citations import citation_features
from coterie_papers.corpora.cora import load_cora_ksf, load_cora_refs
from coterie_papers.corpora.gum import load_gum_coref
from coterie_papers.corpora.names import Kind, load_entity_names
from coterie_papers.corpora.news import load_news_ecbplus
from coterie_papers.corpora.newsgroups import N_FOLDS, Target, load_newsgroups_threads
from coterie_papers.corpora.orders import scrambled
from coterie_papers.corpora.usps import MOST_IN_SET, load_usps

N_TRAINING_FOLDS = 6
"""The number of folds of posts to train on; the other folds are test sets."""

N_DIGIT_SETS = 8
"""The number of training sets of images of digits, and also the number of test sets."""

N_PER_DIGIT = 20
"""The number of images of each digit in a set."""

QUICK_SETS, QUICK_RUNS = 6, 2
"""In a quick run, the largest number of training sets and of test sets, and of runs of a task."""

QUICK_ITEMS = 60
"""In a quick run, the largest number of items of a set; these are its first items."""

SPLITS: tuple[Literal["train"], Literal["test"]] = ("train", "test")


class Run(NamedTuple):
    """Training sets and test sets; the test sets are of other entities.

    `entities` has the entity of each item of the training sets if these share entities, else it is
    None.
    """

    train: Corpus
    test: Corpus
    entities: list[Ints] | None = None


class ClusteringTask(NamedTuple):
    """A task that was read: its runs, the metric, and whether the order of the items matters.

    Item sets hold the features of their pairs, not scaled.
    """

    name: str
    metric: Callable[..., Any]
    ordered: bool
    runs: Sequence[Run]


class TaskReader(NamedTuple):
    """A task that can be read; `read_runs` reads its runs from the folder of the data."""

    metric: Callable[..., Any]
    ordered: bool
    n_runs: int
    read_runs: Callable[[Path | None], list[Run]]


# Many cells in a row use the features of the same task.
@lru_cache(maxsize=1)
def read_task(name: str, folder: Path | None = None, quick: bool = False) -> ClusteringTask:
    """Read a task of `TASKS`; a quick task has fewer runs, item sets and items."""
    if name not in TASKS:
        raise InputError(f"there is no task {name!r}; give {' or '.join(TASKS)}")
    reader = TASKS[name]
    runs = reader.read_runs(folder)
    if quick:
        runs = [_quick_run(run) for run in runs[:QUICK_RUNS]]
    return ClusteringTask(name, reader.metric, reader.ordered, runs)


def count_runs(name: str, quick: bool = False) -> int:
    """Return the number of runs of a task, without reading it."""
    return min(TASKS[name].n_runs, QUICK_RUNS) if quick else TASKS[name].n_runs


def _quick_run(run: Run) -> Run:
    entities = run.entities
    if entities is not None:
        entities = [entities[index][:QUICK_ITEMS] for index in _quick_indices(len(entities))]
    return Run(_quick_corpus(run.train), _quick_corpus(run.test), entities)


def _quick_indices(n_sets: int) -> list[int]:
    """Return the indices of some item sets, at even distances from the first to the last."""
    indices: list[int] = np.linspace(0, n_sets - 1, QUICK_SETS).round().astype(int).tolist()
    return sorted(set(indices))


def _quick_corpus(corpus: Corpus) -> Corpus:
    """Return the first items of some item sets."""
    subset = corpus.at(_quick_indices(len(corpus.item_sets)))
    return Corpus(
        [_first_items(item_set) for item_set in subset.item_sets],
        [Partition(truth.labels[:QUICK_ITEMS]) for truth in subset.partitions],
    )


def _first_items(item_set: ItemSet) -> ItemSet:
    pair_features: PairFeatures = item_set.items
    n_items = min(len(item_set), QUICK_ITEMS)
    rows = condensed_positions(all_pairs(n_items), len(item_set))
    features = pair_features.features[rows]
    return ItemSet.from_pair_features(features, n_items, ordered=item_set.ordered)


# Functions that read the runs of a task.


def _read_gum(folder: Path | None, swapped: bool = False) -> list[Run]:
    """Read the features that come with 60 documents: 50 binary features and two distances."""
    halves = load_gum_coref(folder, "train"), load_gum_coref(folder, "test")
    train, test = reversed(halves) if swapped else halves
    return [Run(train, test)]


def _read_news(folder: Path | None) -> list[Run]:
    """Hold out each of nine sets in turn; a pair has the 30 cosines that come with it."""
    return _leave_one_out(scrambled(load_news_ecbplus(folder)))


def _read_citations(load: Callable[[Path | None], Corpus], folder: Path | None) -> list[Run]:
    """Hold out each of three files in turn."""
    item_sets, truths = scrambled(load(folder))
    with_features = [
        _replace_items(item_set, citation_features(item_set)) for item_set in item_sets
    ]
    return _leave_one_out(Corpus(with_features, truths))


def _read_names(kind: Kind, folder: Path | None) -> list[Run]:
    """Train on each set of a pair of sets, and test on the other set."""
    corpus = _with_features(scrambled(load_entity_names(folder, kind=kind)), NameFeatures())
    pairs = [(first, first + 1) for first in range(0, len(corpus.partitions), 2)]
    directions = [direction for pair in pairs for direction in (pair, pair[::-1])]
    return [Run(corpus.at([train]), corpus.at([test])) for train, test in directions]


def _read_posts(target: Target, featurizer: Featurizer, folder: Path | None) -> list[Run]:
    """Train on the first folds of the posts, and test on the other folds."""
    folds = [load_newsgroups_threads(folder, fold, target) for fold in range(N_FOLDS)]
    train, test = (_join(part) for part in (folds[:N_TRAINING_FOLDS], folds[N_TRAINING_FOLDS:]))
    fitted = featurizer.fit(train.item_sets)
    return [Run(_with_features(train, fitted), _with_features(test, fitted))]


MEASURES = PostFeatures(max_words=0)
"""Seven measures of what two posts have in common."""

GRAMS = Stacked((MEASURES, TextFeatures(("text",), n_grams=(1, 2, 3))))
"""The seven measures, and the cosines of the n-grams of words, raw and stemmed."""


def _read_digits(folder: Path | None, with_entities: bool = True) -> list[Run]:
    """Train on sets of five digits, and test on sets of the five other digits.

    `with_entities` says whether the run contains the digit of each training image.
    """
    rng = np.random.default_rng(0)
    train, test = (_draw_digits(load_usps(folder, split, MOST_IN_SET), rng) for split in SPLITS)
    return [Run(train.corpus, test.corpus, train.digits if with_entities else None)]


TEN_TASKS: Mapping[str, TaskReader] = {
    "gum": TaskReader(conll_score, True, 1, _read_gum),
    "news": TaskReader(pair_scores, False, 9, _read_news),
    "cora_refs": TaskReader(pair_scores, False, 3, partial(_read_citations, load_cora_refs)),
    "cora_ksf": TaskReader(pair_scores, False, 3, partial(_read_citations, load_cora_ksf)),
    "names, person": TaskReader(pair_scores, False, 6, partial(_read_names, "person")),
    "names, location": TaskReader(pair_scores, False, 6, partial(_read_names, "location")),
    "names, organization": TaskReader(pair_scores, False, 6, partial(_read_names, "organization")),
    "topic": TaskReader(
        variation_of_information, True, 1, partial(_read_posts, "thread", MEASURES)
    ),
    "author": TaskReader(
        variation_of_information, True, 1, partial(_read_posts, "author", MEASURES)
    ),
    "usps": TaskReader(pair_scores, False, 1, _read_digits),
}

WITHOUT_ENTITIES = "usps, digits not told"
"""The task usps without the digits of the training images, for the automatic choice."""

TASKS: Mapping[str, TaskReader] = {
    **TEN_TASKS,
    "gum, halves exchanged": TaskReader(conll_score, True, 1, partial(_read_gum, swapped=True)),
    "topic, n-grams": TaskReader(
        variation_of_information, True, 1, partial(_read_posts, "thread", GRAMS)
    ),
    "author, n-grams": TaskReader(
        variation_of_information, True, 1, partial(_read_posts, "author", GRAMS)
    ),
    WITHOUT_ENTITIES: TaskReader(pair_scores, False, 1, partial(_read_digits, with_entities=False)),
}
"""The ten tasks, and variants of some of them."""


def _leave_one_out(corpus: Corpus) -> list[Run]:
    indices = range(len(corpus.item_sets))
    return [
        Run(corpus.at(other for other in indices if other != index), corpus.at([index]))
        for index in indices
    ]


def _join(parts: Sequence[Corpus]) -> Corpus:
    item_sets = [item_set for part in parts for item_set in part.item_sets]
    return Corpus(item_sets, [truth for part in parts for truth in part.partitions])


def _with_features(corpus: Corpus, featurizer: Featurizer) -> Corpus:
    """Replace the items by the features of all pairs."""
    item_sets = [
        _replace_items(item_set, to_matrix(featurizer(item_set, None)))
        for item_set in corpus.item_sets
    ]
    return Corpus(item_sets, corpus.partitions)


def _replace_items(item_set: ItemSet, features: Floats) -> ItemSet:
    return ItemSet.from_pair_features(features, len(item_set), ordered=item_set.ordered)


class DigitSets(NamedTuple):
    """Sets of images of digits, and the digit of each image."""

    corpus: Corpus
    digits: list[Ints]


def _draw_digits(images: Corpus, rng: np.random.Generator) -> DigitSets:
    """Draw sets with the same number of images of each digit.

    The features of a pair are |x − x′|, and the Euclidean norm of this vector.
    """
    (pool,), (truth,) = images
    orders = [rng.permutation(items)[: N_DIGIT_SETS * N_PER_DIGIT] for items in truth.clusters]
    digit_sets = DigitSets(Corpus([], []), [])
    # Each row has the images of one set, with the same number of images of each digit.
    for images_of_set in np.hstack([order.reshape(N_DIGIT_SETS, -1) for order in orders]):
        items = rng.permutation(images_of_set)
        vectors = ItemSet(pool.items[items])
        differences = to_matrix(AbsoluteDifferences()(vectors, None))
        norms = np.linalg.norm(differences, axis=1)
        features = np.column_stack([differences, norms])
        digit_sets.corpus.item_sets.append(_replace_items(vectors, features))
        digit_sets.corpus.partitions.append(Partition(truth.labels[items]))
        digit_sets.digits.append(truth.labels[items])
    return digit_sets
