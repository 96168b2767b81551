"""News articles, to be clustered by the story that they tell."""

from pathlib import Path

from coterie.datasets.corpus import Corpus, Split, refuse_other_splits
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie_papers.corpora.folder import (
    PathLike,
    Record,
    Source,
    as_text,
    map_json_lines,
    map_rows,
    open_arrays,
    read_rows,
)
from coterie_papers.corpora.rows import CorpusRow, corpus_of_rows

ARTICLES, PAIRS, TEXTS = "item_sets.csv", "pairwise30.npz", "docs.jsonl.gz"
ORIGIN = "the ECB+ corpus, cltl/ecbPlus on GitHub"
_SET_FILES = {ARTICLES: "CSV: item_set, part, doc, story; the part is train or test"}
SOURCE = Source(
    "news_ecbplus",
    {
        **_SET_FILES,
        PAIRS: "NumPy arrays: phi_SET, y_SET, docs_SET; of each item set, the 30 cosines of each "
        "pair as whole numbers up to 65535, and the story and the name of each article",
    },
    ORIGIN,
)
TEXT_SOURCE = Source("news_ecbplus", {**_SET_FILES, TEXTS: "JSON lines: doc, title, text"}, ORIGIN)

FULL = 65535
"""The integer that stands for a cosine of 1."""


def load_news_ecbplus(folder: PathLike | None = None, split: Split | None = None) -> Corpus:
    """Read nine sets of news articles of the ECB+ corpus, which are clustered by story.

    The stand-in for the news of Finley & Joachims 2005 and 2008: five sets to train on, four to
    test on, of ten stories (the last: six) with at most 15 articles each. A pair has 30 features:
    the TF-IDF cosines of title, lead, both, text and quotations, as words and as Porter stems, of
    one, two and three grams. There is no constant: learners add it. The order of the articles means
    nothing, but it is that of the files, where the articles of a story follow each other: shuffle
    them for methods that go by it. `load_news_articles` reads the texts of the same articles.

    Parameters
    ----------
    folder
        The folder that holds `news_ecbplus`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        "train", "test", or None for both, the sets to train on first.

    Examples
    --------
    >>> item_sets, partitions = load_news_ecbplus(split="test")  # doctest: +SKIP
    >>> item_sets[0], item_sets[0].ids[0]  # doctest: +SKIP
    (ItemSet(105 items, 5460 pairs × 30 features), '24_10ecb')
    """
    refuse_other_splits(split)
    place = SOURCE.find(folder)
    rows = read_rows(place / ARTICLES, ("item_set", "part"))
    corpus = Corpus([], [])
    with open_arrays(place / PAIRS) as arrays:
        for name in dict.fromkeys(name for name, part in rows if split in (part, None)):
            cosines = arrays[f"phi_{name}"] / FULL
            truth = Partition(arrays[f"y_{name}"])
            ids = arrays[f"docs_{name}"].tolist()
            corpus.item_sets.append(ItemSet.from_pair_features(cosines, len(truth), ids=ids))
            corpus.partitions.append(truth)
    return corpus


def load_news_articles(folder: PathLike | None = None, split: Split | None = None) -> Corpus:
    """Read the texts of the nine sets of news articles of `load_news_ecbplus`.

    The sets, the order of the articles, their ids and their stories are the same, but the items are
    the texts themselves: the columns are `title` and `text`, which is "" for the 61 articles that
    have a title only. The ids name the topic and the story: they are no features.

    Parameters
    ----------
    folder, split
        As in `load_news_ecbplus`.

    Examples
    --------
    >>> item_sets, partitions = load_news_articles(split="test")  # doctest: +SKIP
    >>> item_sets[0], item_sets[0].items["title"][0][:21]  # doctest: +SKIP
    (ItemSet(105 items, columns title, text), 'Robbers in drag steal')
    """
    refuse_other_splits(split)
    place = TEXT_SOURCE.find(folder)
    texts = _read_texts(place / TEXTS)

    def take(name: str, part: str, doc: str, story: str) -> CorpusRow | None:
        if doc not in texts:
            raise ValueError(f"there is no article {doc!r} in {TEXTS}")
        return CorpusRow(name, doc, story, texts[doc]) if split in (part, None) else None

    return corpus_of_rows(map_rows(place / ARTICLES, ("item_set", "part", "doc", "story"), take))


def _read_texts(path: Path) -> dict[str, dict[str, str]]:
    """Return the title and the text of each article by its name."""

    def take(record: Record) -> tuple[str, dict[str, str]]:
        return as_text(record, "doc"), {name: as_text(record, name) for name in ("title", "text")}

    return dict(map_json_lines(path, take))
