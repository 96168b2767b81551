"""Headlines of Google News, clustered by story."""

from collections import Counter
from operator import attrgetter

from coterie.datasets.corpus import Corpus, Split, refuse_other_splits
from coterie.toolkit import as_whole
from coterie_papers.corpora.folder import PathLike, Source, map_rows
from coterie_papers.corpora.rows import CorpusRow, corpus_of_rows

ARTICLES, ITEM_SETS = "articles.csv.gz", "item_sets.csv"
ARTICLE = ("id", "story", "title", "snippet")
ORIGIN = "Google News of 27 November 2013, jackyin12/GSDMM on GitHub"
_ARTICLE_FILES = {ARTICLES: f"CSV: {', '.join(ARTICLE)}"}
_SET_FILES = {ITEM_SETS: "CSV: item_set, part, id; the part is train or test"}
DAY = Source("google_news_2013", _ARTICLE_FILES, ORIGIN)
SETS = Source("google_news_2013", {**_ARTICLE_FILES, **_SET_FILES}, ORIGIN)
HEADLINES = "headlines.csv.gz"
HEADLINE = ("day", "CATEGORY", "ID", "STORY", "TITLE", "PUBLISHER")
SAMPLE = Source(
    "uci_news_sample",
    {HEADLINES: f"CSV: {', '.join(HEADLINE)}; the day is 2014-03-10 or 2014-03-11"},
    "the News Aggregator of the UCI repository, pratikaher88/IPythonNotebooks on GitHub",
)
PART_OF = {"2014-03-10": "train", "2014-03-11": "test"}


def load_google_news_2013(folder: PathLike | None = None, split: Split | None = None) -> Corpus:
    """Read 14 sets of articles of one day of Google News, which are clustered by story.

    This is a stand-in of the same kind for the news of Finley & Joachims 2005 and 2008: each set
    has ten stories of at most 15 articles, 131 to 150 articles in total, and the stories are those
    of Google News. The paper of 2008 has seven sets and leaves out each in turn. Here seven sets
    are for training (1 to 7) and seven for tests (8 to 14); each half can also be used like the
    paper's seven sets.

    The columns are `title` and `text` (the snippet). As published, they are in lower case and
    lemmatised, without stop words. The ids are those of the file. The articles of a story follow
    each other: shuffle them for methods that depend on the order.

    Parameters
    ----------
    folder
        The folder that holds `google_news_2013`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        "train", "test", or None for both, first the sets for training.

    Examples
    --------
    >>> item_sets, partitions = load_google_news_2013(split="train")  # doctest: +SKIP
    >>> len(item_sets), item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (7, ItemSet(150 items, columns title, text), 10)
    """
    refuse_other_splits(split)
    corpus_folder = SETS.find(folder)
    articles = {row.id: row for row in map_rows(corpus_folder / ARTICLES, ARTICLE, _article)}

    def convert(name: str, part: str, number: str) -> CorpusRow | None:
        if int(number) not in articles:
            raise ValueError(f"the article {number} is missing from {ARTICLES}")
        return articles[int(number)]._replace(item_set=name) if split in (part, None) else None

    return corpus_of_rows(map_rows(corpus_folder / ITEM_SETS, ("item_set", "part", "id"), convert))


def load_google_news_day(folder: PathLike | None = None) -> Corpus:
    """Read all 11,109 articles of `load_google_news_2013` as one item set of 152 stories.

    This item set is meant for tests of scale. The columns are those of `load_google_news_2013`. The
    order is that of the file, which mixes the stories.

    Parameters
    ----------
    folder
        As in `load_google_news_2013`.

    Examples
    --------
    >>> item_sets, partitions = load_google_news_day()  # doctest: +SKIP
    >>> item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (ItemSet(11109 items, columns title, text), 152)
    """
    return corpus_of_rows(map_rows(DAY.find(folder) / ARTICLES, ARTICLE, _article))


def _article(number: str, story: str, title: str, snippet: str) -> CorpusRow:
    return CorpusRow("day", int(number), story, {"title": title, "text": snippet})


def load_uci_news_sample(
    folder: PathLike | None = None, split: Split | None = None, n_per_story: int | None = 15
) -> Corpus:
    """Read headlines of two days of Google News, clustered by story; one set per day and category.

    The headlines are as they were printed; there are no articles. The six sets are business (17
    stories) and technology (1) of the first day, and business (20), entertainment (20), health (2)
    and technology (15) of the second day. Only the first `n_per_story` headlines of a story are
    used.

    The columns are `title` and `publisher`, and the ids are those of the file. The time of a
    headline is left out. It is the time at which a program fetched the headline, one story after
    the other, so that it would leak the answer. The order of the file leaks it too, and the items
    have this order: shuffle them for methods that depend on the order.

    Parameters
    ----------
    folder
        The folder that holds `uci_news_sample`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        "train" for the first day, "test" for the second, or None for both in this order.
    n_per_story
        The largest number of headlines per story, or None for all.

    Examples
    --------
    >>> item_sets, partitions = load_uci_news_sample(split="test")  # doctest: +SKIP
    >>> [(len(items), truth.n_clusters)  # doctest: +SKIP
    ...  for items, truth in zip(item_sets, partitions)]
    [(290, 20), (300, 20), (30, 2), (205, 15)]
    """
    refuse_other_splits(split)
    limit = None if n_per_story is None else as_whole("n_per_story", n_per_story, 1)
    n_headlines: Counter[str] = Counter()

    def convert(
        day: str, category: str, number: str, story: str, title: str, publisher: str
    ) -> CorpusRow | None:
        if day not in PART_OF:
            raise ValueError(f"the day is {day!r}, but must be {' or '.join(PART_OF)}")
        n_headlines[story] += 1
        if limit is not None and n_headlines[story] > limit:
            return None
        if split not in (PART_OF[day], None):
            return None
        values = {"title": title, "publisher": publisher}
        return CorpusRow(f"{day} {category}", int(number), story, values)

    rows = map_rows(SAMPLE.find(folder) / HEADLINES, HEADLINE, convert)
    return corpus_of_rows(sorted(filter(None, rows), key=attrgetter("item_set")))
