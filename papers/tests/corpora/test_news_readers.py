"""The readers of news, on the real corpora and on tiny folders."""

import csv
import gzip
import json
from collections import Counter

import pytest

from coterie import Partition
from coterie.exceptions import InputError, ItemSetError
from coterie_papers.corpora import (
    load_google_news_2013,
    load_google_news_day,
    load_news_articles,
    load_news_ecbplus,
    load_uci_news_sample,
)

LOADERS = {
    "news_ecbplus": load_news_articles,
    "google_news_2013": load_google_news_2013,
    "uci_news_sample": load_uci_news_sample,
}
FILES = {
    "news_ecbplus": ("item_sets.csv", "docs.jsonl.gz"),
    "google_news_2013": ("articles.csv.gz", "item_sets.csv"),
    "uci_news_sample": ("headlines.csv.gz",),
}


@pytest.fixture
def corpora(data_folder):
    for name in LOADERS:
        if not (data_folder / name).is_dir():
            pytest.skip(f"the corpus {name} is missing from COTERIE_DATA")
    return data_folder


def rows_of(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def sizes(corpus):
    return [(len(items), truth.n_clusters) for items, truth in zip(*corpus, strict=True)]


# On the corpora.


@pytest.mark.parametrize("split", [None, "train", "test"])
def test_articles_agree_with_the_cosines(corpora, split):
    articles, cosines = load_news_articles(corpora, split), load_news_ecbplus(corpora, split)
    assert [item_set.ids for item_set in articles.item_sets] == [
        item_set.ids for item_set in cosines.item_sets
    ]
    assert articles.partitions == cosines.partitions
    assert len(cosines.item_sets) == {None: 9, "train": 5, "test": 4}[split]


def test_articles_have_their_texts(corpora):
    with gzip.open(corpora / "news_ecbplus" / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        docs = {doc["doc"]: doc for doc in map(json.loads, lines)}
    item_sets, _ = load_news_articles(corpora)
    for item_set in item_sets:
        assert set(item_set.items) == {"title", "text"}
        for column, values in item_set.items.items():
            assert list(values) == [docs[doc][column] for doc in item_set.ids]
    # The articles that have only a title are in sets too.
    texts = [text for item_set in item_sets for text in item_set.items["text"]]
    assert texts.count("") == 61
    assert all(title for item_set in item_sets for title in item_set.items["title"])


def test_google_news_has_the_sizes_in_its_readme(corpora):
    corpus = load_google_news_2013(corpora)
    assert [n_clusters for _, n_clusters in sizes(corpus)] == [10] * 14
    assert {min(map(len, corpus.item_sets)), max(map(len, corpus.item_sets))} == {131, 150}
    assert max(truth.sizes.max() for truth in corpus.partitions) == 15
    halves = [load_google_news_2013(corpora, split) for split in ("train", "test")]
    assert [len(half.item_sets) for half in halves] == [7, 7]
    assert halves[0].partitions + halves[1].partitions == corpus.partitions
    assert sizes(load_google_news_day(corpora)) == [(11_109, 152)]


def test_google_news_has_the_articles_of_the_file(corpora):
    articles = {
        int(row["id"]): row for row in rows_of(corpora / "google_news_2013/articles.csv.gz")
    }
    sets = rows_of(corpora / "google_news_2013" / "item_sets.csv")
    for number, (items, truth) in enumerate(zip(*load_google_news_2013(corpora), strict=True)):
        assert list(items.ids) == [int(r["id"]) for r in sets if r["item_set"] == str(number + 1)]
        assert truth == Partition([articles[id_]["story"] for id_ in items.ids])
        assert list(items.items) == ["title", "text"]
        assert list(items.items["title"]) == [articles[id_]["title"] for id_ in items.ids]
        assert list(items.items["text"]) == [articles[id_]["snippet"] for id_ in items.ids]


def test_headlines_have_the_sizes_in_the_readme(corpora):
    first = [(944, 17), (165, 1)]
    second = [(1_117, 20), (2_038, 20), (84, 2), (1_060, 15)]
    assert sizes(load_uci_news_sample(corpora, n_per_story=None)) == first + second
    assert sizes(load_uci_news_sample(corpora, "train", None)) == first
    assert sizes(load_uci_news_sample(corpora, "test", None)) == second


def test_the_first_headlines_of_a_story_are_used(corpora):
    rows = rows_of(corpora / "uci_news_sample" / "headlines.csv.gz")
    stories = Counter(row["STORY"] for row in rows)
    item_sets, partitions = load_uci_news_sample(corpora)
    ids = {id_ for item_set in item_sets for id_ in item_set.ids}
    assert len(ids) == sum(min(count, 15) for count in stories.values())
    n_headlines = Counter()
    for row in rows:
        n_headlines[row["STORY"]] += 1
        assert (int(row["ID"]) in ids) == (n_headlines[row["STORY"]] <= 15)
    assert all(truth.sizes.max() <= 15 for truth in partitions)


def test_the_time_of_a_headline_leaks_its_story(corpora):
    """In the order of time, the headlines of a story follow each other."""
    rows = rows_of(corpora / "uci_news_sample" / "headlines.csv.gz")
    assert [int(row["TIMESTAMP"]) for row in rows] == sorted(int(row["TIMESTAMP"]) for row in rows)
    for item_set, truth in zip(*load_uci_news_sample(corpora), strict=True):
        assert (truth.labels[1:] != truth.labels[:-1]).sum() == truth.n_clusters - 1
        assert set(item_set.items) == {"title", "publisher"}


# On tiny folders.

ARTICLES = "item_set,part,doc,story\n1,train,x,s\n1,train,y,s\n2,test,z,s\n"
DOCS = [
    {"doc": "z", "title": "Ż", "text": "", "story": "s"},
    {"doc": "x", "title": "One", "text": "of them"},
    {"doc": "y", "title": "Two", "text": "of them"},
]
GOOGLE = "id,story,stream_pos,title,snippet\n7,a,1,one,text one\n8,b,2,two,\n9,a,3,three,text\n"
GOOGLE_SETS = "item_set,part,id,story\n1,train,9,a\n1,train,8,b\n2,test,7,a\n"
COLUMNS = "ID,TITLE,URL,PUBLISHER,CATEGORY,STORY,HOSTNAME,TIMESTAMP,day\n"
HEADLINES = COLUMNS + "".join(
    f"{number},Title {number},u,,{category},{story},h,{number},2014-03-{day}\n"
    for number, (category, story, day) in enumerate(
        [("t", "a", 11), ("b", "b", 11), ("b", "c", 10), ("b", "b", 11), ("b", "b", 11)]
    )
)


def packed(text):
    return gzip.compress(text.encode(), mtime=0)


def encoded(file, text):
    return packed(text) if file.endswith("gz") else text.encode()


def write(folder, name, **changes):
    lines = "".join(json.dumps(doc) + "\n" for doc in DOCS)
    contents = {
        "news_ecbplus": (ARTICLES.encode(), packed(lines)),
        "google_news_2013": (packed(GOOGLE), GOOGLE_SETS.encode()),
        "uci_news_sample": (packed(HEADLINES),),
    }[name]
    (folder / name).mkdir()
    for file, content in zip(FILES[name], contents, strict=True):
        changed = changes.get(file.partition(".")[0])
        (folder / name / file).write_bytes(content if changed is None else encoded(file, changed))
    return folder


def test_a_tiny_folder_of_articles(tmp_path):
    write(tmp_path, "news_ecbplus")
    item_sets, partitions = load_news_articles(tmp_path)
    assert [dict(item_set.items) for item_set in item_sets] == [
        {"title": ("One", "Two"), "text": ("of them", "of them")},
        {"title": ("Ż",), "text": ("",)},
    ]
    assert [item_set.ids for item_set in item_sets] == [("x", "y"), ("z",)]
    assert partitions == [Partition([0, 0]), Partition([0])]
    assert load_news_articles(str(tmp_path), "test").item_sets[0].ids == ("z",)


def test_a_tiny_folder_of_google_news(tmp_path):
    write(tmp_path, "google_news_2013")
    item_sets, partitions = load_google_news_2013(tmp_path)
    assert [item_set.ids for item_set in item_sets] == [(9, 8), (7,)]
    assert dict(item_sets[0].items) == {"title": ("three", "two"), "text": ("text", "")}
    assert partitions == [Partition([0, 1]), Partition([0])]
    (day,), (truth,) = load_google_news_day(tmp_path)
    assert (day.ids, truth) == ((7, 8, 9), Partition([0, 1, 0]))


def test_a_tiny_folder_of_headlines(tmp_path):
    write(tmp_path, "uci_news_sample")
    item_sets, partitions = load_uci_news_sample(tmp_path, n_per_story=2)
    assert [item_set.ids for item_set in item_sets] == [(2,), (1, 3), (0,)]
    assert dict(item_sets[0].items) == {"title": ("Title 2",), "publisher": ("",)}
    assert partitions == [Partition([0]), Partition([0, 0]), Partition([0])]
    assert [item_set.ids for item_set in load_uci_news_sample(tmp_path, "test").item_sets] == [
        (1, 3, 4),
        (0,),
    ]


@pytest.mark.parametrize("name", LOADERS)
def test_a_missing_corpus_is_reported(name, tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    with pytest.raises(InputError) as error_info:
        LOADERS[name]()
    for part in (str(tmp_path / name), *FILES[name], "COTERIE_DATA", "on GitHub"):
        assert part in str(error_info.value)


@pytest.mark.parametrize("name", LOADERS)
def test_other_splits_are_refused_before_reading(name):
    with pytest.raises(InputError, match=r"'dev'; give 'train', 'test' or None"):
        LOADERS[name]("nowhere", "dev")


def test_no_headlines_of_a_story_are_refused():
    with pytest.raises(InputError, match="n_per_story is 0; give a whole number of at least 1"):
        load_uci_news_sample("nowhere", n_per_story=0)


@pytest.mark.parametrize(
    ("name", "file", "content", "message"),
    [
        ("news_ecbplus", "item_sets.csv", "item_set,part,doc\n", "line 1: the column 'story'"),
        (
            "news_ecbplus",
            "item_sets.csv",
            f"{ARTICLES}2,test,w,s\n",
            "line 5: the article 'w' is missing from docs.jsonl.gz",
        ),
        ("news_ecbplus", "docs.jsonl.gz", '{"doc": "x"}', "line 1: 'title' is missing"),
        (
            "news_ecbplus",
            "docs.jsonl.gz",
            '{"doc": "x", "title": "", "text": ""}\n{"doc": 3}',
            "line 2: the doc is 3",
        ),
        ("google_news_2013", "articles.csv.gz", f"{GOOGLE}x,a,1,t,s\n", "line 5: invalid literal"),
        (
            "google_news_2013",
            "item_sets.csv",
            f"{GOOGLE_SETS}2,test,6,a\n",
            "line 5: the article 6 is missing from articles.csv.gz",
        ),
        (
            "google_news_2013",
            "item_sets.csv",
            f"{GOOGLE_SETS}2,test\n",
            "line 5: the row has more or fewer cells",
        ),
        ("uci_news_sample", "headlines.csv.gz", "ID,day\n", "line 1: the column 'CATEGORY'"),
        (
            "uci_news_sample",
            "headlines.csv.gz",
            f"{HEADLINES}9,T,u,p,b,s,h,1,2014-03-12\n",
            "line 7: the day is '2014-03-12', but must be 2014-03-10 or 2014-03-11",
        ),
    ],
)
def test_damaged_files_are_reported_with_the_line(name, file, content, message, tmp_path):
    write(tmp_path, name, **{file.partition(".")[0]: content})
    with pytest.raises(
        InputError, match=rf"{file} cannot be read .*; fetch it again"
    ) as error_info:
        LOADERS[name](tmp_path)
    assert message in str(error_info.value)


def test_an_article_is_in_a_set_once(tmp_path):
    write(tmp_path, "news_ecbplus", item_sets=f"{ARTICLES}2,test,z,s\n")
    with pytest.raises(ItemSetError, match="the id 'z' occurs more than once"):
        load_news_articles(tmp_path)
