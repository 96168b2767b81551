"""Cosines of texts, against scikit-learn's TF-IDF, a twin in plain Python, and given features."""

import csv
import gzip
import json
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from coterie import ItemSet, Model
from coterie.blocking import AllPairs
from coterie.checks import check_featurizer
from coterie.clusterers import Greedy
from coterie.exceptions import FeatureError
from coterie.features.differences import AsDistances
from coterie.features.texts.features import ARTICLE, TextFeatures
from coterie.features.texts.grams import KnownGrams, Words, multilingual_words, stem_word
from coterie.features.texts.views import Joined, Lead, Quotations, View, view_texts
from coterie.pairs import all_pairs
from coterie.similarities import LinearSimilarity

VIEWS = ("title", "lead", "title_lead", "text", "quotes")
LONG = 100_000
WORDS = ("the", "rain", "rains", "raining", "in", "of", "spain", "spanish", "fell", "a")
ODD = (
    "", None, float("nan"), " \n\t", "?!", "🙂👍🏽", "❤️", "\ud800", "_ _",
    "北京奥运会2008年", "今日は雨です。明日も雨です。", "สวัสดีครับ", "한국어 텍스트",
    "नई दिल्ली में बारिश हुई।", "السلام عليكم", "שלום עולם",
    "Straße STRASSE ﬁn", "e\u0301té été", "a\u200db", "\u0301", "x" * 500,
)  # fmt: skip
some_texts = st.one_of(
    st.sampled_from(ODD),
    st.lists(st.sampled_from([*WORDS, ".", '"', "北京"]), max_size=9).map(" ".join),
)


def articles(seed=0, n_items=12, words=WORDS):
    """Draw articles; some have no text, and some are quotations."""
    rng = np.random.default_rng(seed)

    def drawn(most):
        return " ".join(rng.choice(words, rng.integers(0, most)))

    texts = [f'{drawn(9)}. {drawn(6)} "{drawn(9)}" {drawn(8)}.' for _ in range(n_items)]
    titles = [drawn(9).title() for _ in range(n_items)]
    return ItemSet({"title": titles, "text": texts})


def columns(featurizer, item_set, pairs=None):
    return featurizer(item_set, pairs).to_matrix()


def oracle(views, train, item_set, min_df):
    """The cosines by scikit-learn, one vectorizer a column."""
    stemmer = snowballstemmer.stemmer("porter")
    first, second = all_pairs(len(item_set)).T
    found = []
    for stemmed in (False, True):
        for view in views:
            for n in (1, 2, 3):

                def split(text, stemmed=stemmed):
                    words = multilingual_words(text)
                    return stemmer.stemWords(words) if stemmed else words

                vectorizer = TfidfVectorizer(
                    tokenizer=split, token_pattern=None, ngram_range=(n, n), min_df=min_df
                )
                vectorizer.fit([text for each in train for text in view_texts(view, each)])
                rows = vectorizer.transform(view_texts(view, item_set)).toarray()
                found.append(np.einsum("pf,pf->p", rows[first], rows[second]))
    return np.array(found).T


def test_there_are_the_thirty_of_the_paper():
    names = TextFeatures().names
    assert len(names) == len(set(names)) == 30
    # Finley & Joachims 2005: "feature 11 is the cosine … among TFIDF bigrams in unstemmed text".
    assert names[10] == "text: 2-grams"
    assert names[25] == "text: 2-grams, porter"
    assert names[6] == "title + lead of text: 1-grams"
    assert names[-1] == "quotations of text: 3-grams, porter"
    assert AsDistances(TextFeatures()).fit([articles()]).similar.all()


def test_cosines_are_those_of_scikit_learn():
    train = [articles(seed, n_items) for seed, n_items in enumerate((30, 1, 9))]
    featurizer = TextFeatures().fit(train)
    for item_set in train:
        expected = oracle(ARTICLE, train, item_set, min_df=1)
        np.testing.assert_allclose(columns(featurizer, item_set), expected, atol=1e-12)
    assert np.all(np.ptp(columns(featurizer, train[0]), axis=0) > 0)


def test_without_rare_ones_cosines_are_those_of_scikit_learn_for_new_texts_too():
    train = [articles(seed, 30) for seed in range(2)]
    new = articles(7, words=(*WORDS, "snow", "paris"))
    featurizer = TextFeatures(rare=False).fit(train)
    for item_set in (*train, new):
        expected = oracle(ARTICLE, train, item_set, min_df=2)
        np.testing.assert_allclose(columns(featurizer, item_set), expected, atol=1e-12)


def twin(train, item_set, n):
    """The cosines of one column, from the definition."""
    grams = [
        [
            Counter(zip(*(multilingual_words(text)[k:] for k in range(n)), strict=False))
            for text in texts
        ]
        for texts in (train, item_set)
    ]
    frequencies = Counter(gram for counts in grams[0] for gram in counts)
    idf = {
        gram: 1 + math.log((1 + len(train)) / (1 + max(frequencies[gram], 1)))
        for counts in grams[1]
        for gram in counts
    }
    found = []
    for i, j in all_pairs(len(item_set)):
        one, other = grams[1][i], grams[1][j]
        dot = sum(one[gram] * other[gram] * idf[gram] ** 2 for gram in one)
        squares = [sum((c * idf[gram]) ** 2 for gram, c in each.items()) for each in (one, other)]
        found.append(dot / math.sqrt(squares[0] * squares[1]) if dot else 0.0)
    return found


@pytest.mark.parametrize("sizes", [(1, 2, 3), (3, 1), (4,)])
def test_new_n_grams_count_as_if_one_text_had_them(sizes):
    train = view_texts("text", articles(0))
    new = view_texts("text", articles(3, words=(*WORDS, "snow", "paris")))
    featurizer = TextFeatures(["text"], sizes, [None]).fit([ItemSet(train)])
    found = columns(featurizer, ItemSet(new))
    expected = np.array([twin(train, new, n) for n in sizes]).T
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_contract_of_a_featurizer():
    sets = [articles(seed, n_items) for seed, n_items in enumerate((9, 1, 0, 2))]
    check_featurizer(TextFeatures(), sets)
    check_featurizer(TextFeatures(["text"], [2], ["english"], rare=False), sets)


@settings(max_examples=40)
@given(train=st.lists(some_texts, max_size=5), texts=st.lists(some_texts, max_size=6))
def test_cosines_of_any_texts_are_between_0_and_1(train, texts):
    texts = [*texts, *texts[:1]]
    views = ["text", Lead("text"), Quotations("text")]
    featurizer = TextFeatures(views, (1, 2)).fit([ItemSet({"text": train})])
    found = columns(featurizer, ItemSet({"text": texts}))
    assert np.all((found >= 0.0) & (found <= 1.0))
    if len(texts) > 1:  # the first and the last are the same
        own = found[len(texts) - 2]
        assert np.all(np.isclose(own, 1.0) | (own == 0.0))


@settings(max_examples=30)
@given(texts=st.lists(some_texts, min_size=1, max_size=6), order=st.randoms(use_true_random=False))
def test_neither_the_order_of_items_nor_of_texts_matters(texts, order):
    places = order.sample(range(len(texts)), len(texts))
    shuffled = ItemSet({"text": [texts[place] for place in places]})
    plain = ItemSet({"text": texts})
    featurizer = TextFeatures(["text"]).fit([plain])
    pairs = all_pairs(len(texts))
    found = columns(featurizer, shuffled)
    np.testing.assert_allclose(found, columns(featurizer, plain, np.array(places)[pairs]))
    np.testing.assert_array_equal(found, columns(TextFeatures(["text"]).fit([shuffled]), shuffled))


@settings(max_examples=30)
@given(texts=st.lists(some_texts, max_size=5), times=st.integers(2, 4))
def test_a_text_again_and_again_has_the_same_words(texts, times):
    often = [f"{text} " * times if isinstance(text, str) else text for text in texts]
    featurizer = TextFeatures(["text"], [1]).fit([ItemSet({"text": texts})])
    np.testing.assert_allclose(
        columns(featurizer, ItemSet({"text": often})),
        columns(featurizer, ItemSet({"text": texts})),
        atol=1e-12,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's 5 o'clock, e_mail U.S.", ["it", "s", "5", "o", "clock", "e", "mail", "u", "s"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("été e\u0301te\u0301", ["été", "été"]),
        ("नई दिल्ली।", ["नई", "दिल्ली"]),
        ("السَّلام عليكم", ["السَّلام", "عليكم"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("北京2008年", ["北", "京", "2008", "年"]),
        ("雨です", ["雨", "で", "す"]),
        ("ดี", ["ดี"]),
        ("서울 날씨", ["서울", "날씨"]),
        ("❤️ 🙂 ☔", []),
        ("", []),
    ],
)
def test_words_of_any_script(text, words):
    assert multilingual_words(text) == words


def test_characters_of_scripts_without_blanks_tell_texts_apart():
    texts = ["北京今天下雨", "今天北京有雨", "股票市场大涨"]
    found = columns(TextFeatures(["text"], [1, 2], [None]).fit([ItemSet(texts)]), ItemSet(texts))
    assert np.all(found[0] > 0.2)
    np.testing.assert_array_equal(found[1:], 0.0)


def test_stems_make_forms_of_a_word_one():
    texts = ItemSet(["elections", "elected", "selection"])
    found = columns(TextFeatures(["text"], [1]).fit([texts]), texts)
    np.testing.assert_array_equal(found[:, 0], 0.0)
    np.testing.assert_allclose(found[:, 1], [1.0, 0.0, 0.0])
    assert stem_word("wahlen", "german") == "wahl"


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("One. Two.", "One."),
        ("  \n One line\nAnother. Line", "One line"),
        ("Mr. J. Smith of the U.S. said so! Really.", "Mr. J. Smith of the U.S. said so!"),
        ('"Is it?" he asked. No.', '"Is it?"'),
        ("It cost 3.50 today. Ah.", "It cost 3.50 today."),
        ("Ends in three... Then", "Ends in three..."),
        ("बारिश हुई। फिर", "बारिश हुई।"),
        ("雨です。晴れ。", "雨です。"),
        ("J.. Then", "J.."),
        ("Page ..... 5. Then", "Page ....."),
        ("Page ......12. Then", "Page ......12."),
        ("!?)” Then", "!?)”"),
        ("no end", "no end"),
        ("", ""),
        (None, ""),
    ],
)
def test_leads(text, lead):
    assert Lead("text").texts(ItemSet({"text": [text]})) == [lead]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('a "b" c "d e"', "b d e"),
        ("a “b” c “d”", "b d"),
        ("er sagte „ja“ und »nein«", "ja nein"),
        ("« oui » dit-il « non »", " oui   non "),
        ("」「はい」『いいえ』", "はい いいえ"),
        ("\"one , '' she said , ``two''", "one ,  two"),
        ("``a `b' c'' ``d\" ```e''", "a `b' c d `e"),
        ("``open ``a'' b''", "a"),
        ('"a ``b" c', "a ``b"),
        ("it's 'fine'", ""),
        ('an "open one\nand "another"', "another"),
        (None, ""),
    ],
)
def test_quotations(text, quoted):
    assert Quotations("text").texts(ItemSet({"text": [text]})) == [quoted]


@pytest.mark.parametrize(
    ("view", "text", "read"),
    [
        (Lead("text"), f"Contents {'.' * LONG}12. More.", f"Contents {'.' * LONG}12."),
        (Lead("text"), f"{'!' * LONG}{')' * LONG}x", f"{'!' * LONG}{')' * LONG}x"),
        (Lead("text"), f"{'J.' * LONG} Then", f"{'J.' * LONG} Then"),
        (Quotations("text"), "``b" * LONG + "a''", "ba"),
        (Quotations("text"), "``" * LONG + "a", ""),
        (Quotations("text"), "„«「" * LONG + "a", ""),
    ],
    ids=["dots", "marks", "initials", "backticks", "open backticks", "open marks"],
)
def test_long_rows_of_marks_are_read_in_time(view, text, read):
    """In time that grows with the square of their length, these would take hours."""
    assert view.texts(ItemSet({"text": [text]})) == [read]


def test_views_are_made_of_views():
    item_set = ItemSet({"title": ["T", None], "text": ['He: "Ah. B." C.', "D"]})
    assert Lead(Quotations("text")).texts(item_set) == ["Ah.", ""]
    joined = Joined(["title", Lead(Quotations("text"))])
    assert joined.texts(item_set) == ["T Ah.", ""]
    assert joined.name == "title + lead of quotations of text"
    assert joined == Joined(("title", Lead(Quotations("text"))))


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: TextFeatures("text"), r"give a list of views, such as \['text'\]"),
        (lambda: TextFeatures(5), r"views is 5; give a list of views, such as \['text'\]"),
        (lambda: TextFeatures(None), "views is None; give a list of views"),
        (lambda: TextFeatures([]), "at least one"),
        (lambda: TextFeatures(["text", "text"]), "each view once"),
        (lambda: TextFeatures([Lead]), "the view is the class Lead"),
        (lambda: Lead(3), "the view is 3"),
        (lambda: Joined(3), "views is 3; give a list of views"),
        (lambda: Joined([]), "at least one"),
        (lambda: TextFeatures(n_grams=[0]), "n_grams is 0; give a whole number of at least 1"),
        (lambda: TextFeatures(n_grams=2), r"such as \[2\]"),
        (lambda: TextFeatures(n_grams=[1, 1]), "each value once"),
        (lambda: TextFeatures(stems="porter"), r"such as \['porter'\]"),
        (lambda: TextFeatures(stems=[True]), "the name of a Snowball algorithm, or None"),
        (lambda: TextFeatures(stems=["porter", "porter"]), "each value once"),
        (
            lambda: TextFeatures(stems=["klingon"]),
            "'klingon', which is not a Snowball algorithm; give None or one of arabic, .*porter",
        ),
        (lambda: TextFeatures(rare=1), "rare is 1"),
        (lambda: TextFeatures(known=()), "10 values of KnownGrams"),
        (lambda: TextFeatures(known=3), "10 values of KnownGrams"),
        (lambda: TextFeatures().encode(articles()), "call fit first"),
        (lambda: TextFeatures().fit([ItemSet({"title": ["a"]})]), "item set 0: there is no column"),
        (lambda: TextFeatures(["text"]).fit([ItemSet({"text": [3]})]), "text of item 0 is 3"),
        (lambda: TextFeatures(["text"]).fit([ItemSet([[1.0]])]), "the items are vectors"),
        (lambda: KnownGrams(("b", "a"), (), ([1.0, 1.0, 1.0],)), "alphabetical order"),
        (lambda: KnownGrams(("a",), (), ([1.0],)), r"shape \(1,\) for 1 n-grams"),
        (lambda: KnownGrams(("a",), ([0],), ([1.0, 1.0],)), "one array per size"),
        (lambda: KnownGrams(("a",), ([1],), ([1.0, 1.0], [1.0, 1.0])), "keys must be"),
        (lambda: KnownGrams(("a",), (["0"],), ([1.0, 1.0], [1.0, 1.0])), "keys must be"),
    ],
)
def test_what_does_not_fit_is_refused(make, what):
    with pytest.raises(FeatureError, match=what):
        make()


def test_only_n_grams_of_several_texts_are_known():
    known = KnownGrams.learned(Words.from_texts(["a b c a b", "b c a", "a c", ""]), size=3)
    assert known.words == ("a", "b", "c")
    parts = [np.divmod(keys, 3) for keys in known.keys]
    two = list(zip(*(part.tolist() for part in parts[0]), strict=True))
    assert [known.words[i] + known.words[j] for i, j in two] == ["bc", "ca"]
    three = zip(*(part.tolist() for part in parts[1]), strict=True)
    assert [(two[i], known.words[j]) for i, j in three] == [((1, 2), "a")]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_read_as_columns_are(library):
    frames = pytest.importorskip(library)
    table = dict(articles().items) | {"text": [*articles().items["text"][:-1], None]}
    featurizer = TextFeatures().fit([ItemSet(table)])
    np.testing.assert_array_equal(
        columns(featurizer, ItemSet(frames.DataFrame(table))), columns(featurizer, ItemSet(table))
    )


def test_a_model_with_texts_is_saved(tmp_path):
    featurizer = TextFeatures().fit([articles(0)])
    model = Model(AllPairs(), LinearSimilarity(featurizer, np.arange(30.0), bias=-9.0), Greedy())
    model.save(tmp_path / "model")
    classes = [TextFeatures, KnownGrams, Joined, Lead, Quotations]
    loaded = Model.load(tmp_path / "model", classes=classes)
    assert loaded.similarity.featurizer.views == ARTICLE
    assert all(isinstance(view, str | View) for view in loaded.similarity.featurizer.views)
    new = articles(5)
    np.testing.assert_array_equal(loaded.scores(new).scores, model.scores(new).scores)
    assert loaded.predict([new]) == model.predict([new])


def ecb_plus(data_folder):
    """Read the articles, and the names of those of each item set."""
    folder = data_folder / "news_ecbplus"
    if not folder.is_dir():
        pytest.skip("the corpus news_ecbplus is missing from COTERIE_DATA")
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = {article["doc"]: article for article in map(json.loads, lines)}
    members = defaultdict(list)
    with (folder / "item_sets.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            members[int(row["item_set"])].append(row["doc"])
    return found, members, np.load(folder / "pairwise30.npz")


def as_articles(found, names):
    return ItemSet({field: [found[name][field] for name in names] for field in ("title", "text")})


def test_features_of_news_are_those_that_come_with_them(data_folder):
    """Those were fitted to all articles; their leads and quotations are cut otherwise."""
    found, members, stored = ecb_plus(data_folder)
    order = [
        list(stored["feature_names"]).index(f"{view}_raw_{n}gram")
        for view in VIEWS
        for n in (1, 2, 3)
    ]
    featurizer = TextFeatures(stems=[None]).fit([as_articles(found, found)])
    ours = [columns(featurizer, as_articles(found, members[number])) for number in (6, 9)]
    theirs = [stored[f"phi_{number}"][:, order] / 65535 for number in (6, 9)]
    one, other = np.concatenate(ours), np.concatenate(theirs)
    np.testing.assert_allclose(one[:, :3], other[:, :3], atol=1e-5)
    alike = [np.corrcoef(one[:, column], other[:, column])[0, 1] for column in range(15)]
    least = np.repeat([0.99999, 0.93, 0.98, 0.999, 0.98], 3)
    assert np.all(alike > least), dict(zip(featurizer.names, alike, strict=True))
