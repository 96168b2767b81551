"""News articles, clustered by story."""

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
        PAIRS: "NumPy arrays: phi_SET, y_SET, docs_SET; for each item set SET, phi has the 30 "
        "cosines of each pair as whole numbers up to 65535, y the story and docs the name of each "
        "article",
    },
    ORIGIN,
)
TEXT_SOURCE = Source("news_ecbplus", {**_SET_FILES, TEXTS: "JSON lines: doc, title, text"}, ORIGIN)

COSINE_ONE = 65535
"""The integer that stands for a cosine of 1."""


def load_news_ecbplus(folder: PathLike | None = None, split: Split | None = None) -> Corpus:
    """Read nine sets of news articles of the ECB+ corpus, which are clustered by story.

    This is the stand-in for the news of Finley & Joachims 2005 and 2008: five sets for training and
    four for tests, with ten stories each (the last has six) of at most 15 articles. A pair has 30
    features: the TF-IDF cosines of the title, the lead, title and lead together, the text and the
    quotations, as words and as Porter stems, with n-grams of one, two and three words. There is no
    constant feature, because learners add it. In the files, the articles of a story follow each
    other: shuffle them for methods that depend on the order. `load_news_articles` reads the texts
    of the same articles.

    Parameters
    ----------
    folder
        The folder that holds `news_ecbplus`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        "train", "test", or None for both, first the sets for training.

    Examples
    --------
    >>> item_sets, partitions = load_news_ecbplus(split="test")  # doctest: +SKIP
    >>> item_sets[0], item_sets[0].ids[0]  # doctest: +SKIP
    (ItemSet(105 items, 5460 pairs × 30 features), '24_10ecb')
    """
    refuse_other_splits(split)
    corpus_folder = SOURCE.find(folder)
    rows = read_rows(corpus_folder / ARTICLES, ("item_set", "part"))
    corpus = Corpus([], [])
    with open_arrays(corpus_folder / PAIRS) as arrays:
        for name in dict.fromkeys(name for name, part in rows if split in (part, None)):
            cosines = arrays[f"phi_{name}"] / COSINE_ONE
            truth = Partition(arrays[f"y_{name}"])
            ids = arrays[f"docs_{name}"].tolist()
            corpus.item_sets.append(ItemSet.from_pair_features(cosines, len(truth), ids=ids))
            corpus.partitions.append(truth)
    return corpus


def load_news_articles(folder: PathLike | None = None, split: Split | None = None) -> Corpus:
    """Read the texts of the nine sets of news articles of `load_news_ecbplus`.

    The sets, the order of the articles, their ids and their stories are the same, but the items are
    texts. The columns are `title` and `text`, which is "" for the 61 articles that have only a
    title. The ids contain the topic and the story, so do not use them as features.

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
    corpus_folder = TEXT_SOURCE.find(folder)
    texts = _read_texts(corpus_folder / TEXTS)

    def convert(name: str, part: str, doc: str, story: str) -> CorpusRow | None:
        if doc not in texts:
            raise ValueError(f"the article {doc!r} is missing from {TEXTS}")
        return CorpusRow(name, doc, story, texts[doc]) if split in (part, None) else None

    return corpus_of_rows(
        map_rows(corpus_folder / ARTICLES, ("item_set", "part", "doc", "story"), convert)
    )


def _read_texts(path: Path) -> dict[str, dict[str, str]]:
    """Return the title and the text of each article by its name."""

    def convert(record: Record) -> tuple[str, dict[str, str]]:
        return as_text(record, "doc"), {name: as_text(record, name) for name in ("title", "text")}

    return dict(map_json_lines(path, convert))
