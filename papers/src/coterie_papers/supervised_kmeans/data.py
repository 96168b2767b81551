"""The data of supervised k-means (Finley & Joachims 2008, section 6.1), one class per kind."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from coterie.datasets.corpus import Corpus
from coterie.datasets.synth import make_synth
from coterie.features.given import GivenFeatures
from coterie.features.texts.features import Joined, TextFeatures
from coterie.features.texts.pages import PageFeatures
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie.toolkit import Featurizer
from coterie_papers.corpora.headlines import load_google_news_2013
from coterie_papers.corpora.news import load_news_articles
from coterie_papers.corpora.webkb import UNIVERSITIES, load_webkb
from coterie_papers.engine.cells import Key

VERSION = 2
"""Version of the computation in each key; raise it whenever cells are computed differently."""

VERSIONS = {"Iterative": 3, "Pair": 3, "Balanced": 3, "Squared": 3}
"""Versions for the cells of some trainers, in place of `VERSION`."""


@dataclass(frozen=True)
class Clusterings(ABC):
    """Some clusterings, each of which is left out in turn.

    C is chosen among the powers of ten from 10^low to 10^high (Table 2 of the paper). The names of
    the fields are part of the keys of cells.
    """

    kind: ClassVar[str]
    """The name of the data in keys."""
    low: int
    high: int

    @property
    @abstractmethod
    def rows(self) -> list[str]:
        """The names of the clusterings in the table of losses."""

    @property
    def featurizer(self) -> Featurizer | None:
        """The featurizer of pairs; None if the item sets come with features of pairs."""
        return None

    @abstractmethod
    def corpus(self, data_folder: Path | None) -> Corpus:
        """Read or make the data."""

    def n_features(self, item_sets: Sequence[ItemSet]) -> tuple[int, int]:
        """Return the number of features of points, and that of further features of pairs."""
        featurizer = self.featurizer
        fitted = (GivenFeatures() if featurizer is None else featurizer).fit(item_sets)
        return 0, len(fitted.names)

    @property
    def n_sets(self) -> int:
        """The number of clusterings."""
        return len(self.rows)

    @property
    def grid(self) -> list[float]:
        """The values of C to choose from."""
        return [10.0**power for power in range(self.low, self.high + 1)]

    def key(self, trainer: str, left_out: Sequence[int]) -> Key:
        """Return the key of a cell, with all that its values depend on except the corpus itself."""
        without = " ".join(map(str, left_out))
        version = VERSIONS.get(trainer, VERSION)
        cell = {"data": self.kind, "trainer": trainer, "without": without, "version": version}
        return {**cell, **asdict(self)}


@dataclass(frozen=True)
class Synth(Clusterings):
    """The Synth data, as the paper describes them."""

    kind: ClassVar[str] = "synth"
    noise: float = 0.2
    n_clusterings: int = 5
    cluster_size: int = 20
    region_size: int = 50
    random_state: int = 0
    low: int = -2
    high: int = 3

    @property
    def rows(self) -> list[str]:
        """The numbers of the clusterings."""
        return [f"Synth, {number + 1}" for number in range(self.n_clusterings)]

    def corpus(self, data_folder: Path | None) -> Corpus:  # noqa: ARG002
        """Generate the data; they need no folder."""
        return make_synth(
            n_sets=self.n_clusterings,
            cluster_size=self.cluster_size,
            region_size=self.region_size,
            noise=self.noise,
            random_state=self.random_state,
        )


@dataclass(frozen=True)
class WebKB(Clusterings):
    """Pages of four universities, compared by their words (WebKB-N), or also by links (WebKB-L).

    `n_pages` limits the number of pages of each university; they are drawn at random.
    """

    kind: ClassVar[str] = "webkb"
    linked: bool = True
    departments: bool = True
    n_pages: int | None = None
    low: int = -1
    high: int = 4

    @property
    def rows(self) -> list[str]:
        """The universities."""
        return [f"{self.name}, {university.title()}" for university in UNIVERSITIES]

    @property
    def name(self) -> str:
        """The paper's name of the data."""
        return "WebKB-L" if self.linked else "WebKB-N"

    @property
    def featurizer(self) -> Featurizer:
        """The products of the weights of words, and for WebKB-L also the two regions of links."""
        return PageFeatures(anchors="anchors", links="links") if self.linked else PageFeatures()

    def n_features(self, item_sets: Sequence[ItemSet]) -> tuple[int, int]:
        """Return the number of words and the number of features of links."""
        n_all = len(self.featurizer.fit(item_sets).names)
        if not self.linked:
            return n_all, 0
        # One product per word, the same again for each region of links, and two indicators.
        n_words = (n_all - 2) // 3
        return n_words, n_all - n_words

    def corpus(self, data_folder: Path | None) -> Corpus:
        """Read the pages, once per process."""
        return _draw_items(_web_pages(data_folder, self.departments), self.n_pages)


WEBKB_L, WEBKB_N = WebKB(), WebKB(linked=False, low=0, high=5)


@dataclass(frozen=True)
class GoogleNews(Clusterings):
    """One half of the sets of Google News 2013: seven sets of ten stories, as in the paper.

    `n_articles` limits the number of articles of each set, which are drawn at random; `n_used` is
    the number of sets.
    """

    kind: ClassVar[str] = "google_news_2013"
    part: str = "train"
    n_articles: int | None = None
    n_used: int = 7
    low: int = 0
    high: int = 5

    @property
    def rows(self) -> list[str]:
        """The sets by number."""
        first = 1 if self.part == "train" else 8
        return [f"{self.name}, {first + number}" for number in range(self.n_used)]

    @property
    def name(self) -> str:
        """The name of the data in tables."""
        return f"Google News {'1-7' if self.part == 'train' else '8-14'}"

    @property
    def featurizer(self) -> Featurizer:
        """Cosines of title, snippet and both together; the texts have no quotations and no lead."""
        return TextFeatures(("title", "text", Joined(("title", "text"))))

    def corpus(self, data_folder: Path | None) -> Corpus:
        """Read the articles."""
        part: Any = self.part
        return _draw_items(
            _first_sets(load_google_news_2013(data_folder, part), self.n_used), self.n_articles
        )


@dataclass(frozen=True)
class Stories(Clusterings):
    """The nine sets of stories of ECB+, with the 30 cosines of the paper.

    `n_articles` limits the number of articles of each set, which are drawn at random; `n_used` is
    the number of sets.
    """

    kind: ClassVar[str] = "news_ecbplus"
    name: ClassVar[str] = "ECB+"
    n_articles: int | None = None
    n_used: int = 9
    low: int = 0
    high: int = 5

    @property
    def rows(self) -> list[str]:
        """The sets by number."""
        return [f"{self.name}, {number + 1}" for number in range(self.n_used)]

    @property
    def featurizer(self) -> Featurizer:
        """The 30 cosines."""
        return TextFeatures()

    def corpus(self, data_folder: Path | None) -> Corpus:
        """Read the articles."""
        return _draw_items(
            _first_sets(load_news_articles(data_folder), self.n_used), self.n_articles
        )


@lru_cache(maxsize=2)
def _web_pages(data_folder: Path | None, departments: bool) -> Corpus:
    return load_webkb(data_folder, departments=departments)


def _first_sets(corpus: Corpus, n_sets: int) -> Corpus:
    return Corpus(corpus.item_sets[:n_sets], corpus.partitions[:n_sets])


def _draw_items(corpus: Corpus, n_items: int | None) -> Corpus:
    """Draw items of each set with a fixed seed, and give each set its true number of clusters.

    `n_items` is the number of items per set; None keeps all items.
    """
    sample = Corpus([], [])
    for item_set, truth in zip(*corpus, strict=True):
        rng, total = np.random.default_rng(0), len(truth)
        indices = range(total) if n_items is None else sorted(rng.permutation(total)[:n_items])
        partition = Partition(truth.labels[list(indices)])
        sample.item_sets.append(_items_at(item_set, indices, partition.n_clusters))
        sample.partitions.append(partition)
    return sample


def _items_at(item_set: ItemSet, indices: Sequence[int], n_clusters: int) -> ItemSet:
    columns: Mapping[str, Sequence[Any]] = item_set.items
    ids = range(len(item_set)) if item_set.ids is None else item_set.ids
    return ItemSet(
        {name: [column[index] for index in indices] for name, column in columns.items()},
        ids=[ids[index] for index in indices],
        n_clusters=n_clusters,
    )
