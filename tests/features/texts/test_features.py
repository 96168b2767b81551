"""Cosines of texts, compared with scikit-learn, with plain Python and with published features."""

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
from coterie.exceptions import FeatureError, InputError
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

    def draw_words(max_words):
        return " ".join(rng.choice(words, rng.integers(0, max_words)))

    texts = [
        f'{draw_words(9)}. {draw_words(6)} "{draw_words(9)}" {draw_words(8)}.'
        for _ in range(n_items)
    ]
    titles = [draw_words(9).title() for _ in range(n_items)]
    return ItemSet({"title": titles, "text": texts})


def cosines_of(featurizer, item_set, pairs=None):
    return featurizer(item_set, pairs).to_matrix()


def scikit_learn_cosines(views, train, item_set, min_df):
    """Compute the cosines with scikit-learn, one vectorizer per column."""
    stemmer = snowballstemmer.stemmer("porter")
    first, second = all_pairs(len(item_set)).T
    cosines = []
    for stemmed in (False, True):
        for view in views:
            for n in (1, 2, 3):

                def split(text, stemmed=stemmed):
                    words = multilingual_words(text)
                    return stemmer.stemWords(words) if stemmed else words

                vectorizer = TfidfVectorizer(
                    tokenizer=split, token_pattern=None, ngram_range=(n, n), min_df=min_df
                )
                vectorizer.fit(
                    [text for training_set in train for text in view_texts(view, training_set)]
                )
                rows = vectorizer.transform(view_texts(view, item_set)).toarray()
                cosines.append(np.einsum("pf,pf->p", rows[first], rows[second]))
    return np.array(cosines).T


def test_default_features_are_the_thirty_of_the_paper():
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
        expected = scikit_learn_cosines(ARTICLE, train, item_set, min_df=1)
        np.testing.assert_allclose(cosines_of(featurizer, item_set), expected, atol=1e-12)
    assert np.all(np.ptp(cosines_of(featurizer, train[0]), axis=0) > 0)


def test_without_rare_n_grams_cosines_of_new_texts_are_those_of_scikit_learn_too():
    train = [articles(seed, 30) for seed in range(2)]
    new_articles = articles(7, words=(*WORDS, "snow", "paris"))
    featurizer = TextFeatures(rare=False).fit(train)
    for item_set in (*train, new_articles):
        expected = scikit_learn_cosines(ARTICLE, train, item_set, min_df=2)
        np.testing.assert_allclose(cosines_of(featurizer, item_set), expected, atol=1e-12)


def plain_cosines(train, item_set, n):
    """Compute the cosines of one column from the definition."""
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
    cosines = []
    for i, j in all_pairs(len(item_set)):
        one, other = grams[1][i], grams[1][j]
        dot = sum(one[gram] * other[gram] * idf[gram] ** 2 for gram in one)
        squares = [
            sum((c * idf[gram]) ** 2 for gram, c in gram_counts.items())
            for gram_counts in (one, other)
        ]
        cosines.append(dot / math.sqrt(squares[0] * squares[1]) if dot else 0.0)
    return cosines


@pytest.mark.parametrize("sizes", [(1, 2, 3), (3, 1), (4,)])
def test_new_n_grams_count_as_if_one_text_had_them(sizes):
    train = view_texts("text", articles(0))
    new_texts = view_texts("text", articles(3, words=(*WORDS, "snow", "paris")))
    featurizer = TextFeatures(["text"], sizes, [None]).fit([ItemSet(train)])
    cosines = cosines_of(featurizer, ItemSet(new_texts))
    expected = np.array([plain_cosines(train, new_texts, n) for n in sizes]).T
    np.testing.assert_allclose(cosines, expected, atol=1e-12)


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
    cosines = cosines_of(featurizer, ItemSet({"text": texts}))
    assert np.all((cosines >= 0.0) & (cosines <= 1.0))
    if len(texts) > 1:  # the first and the last are the same
        cosines_of_equal_texts = cosines[len(texts) - 2]
        assert np.all(np.isclose(cosines_of_equal_texts, 1.0) | (cosines_of_equal_texts == 0.0))


@settings(max_examples=30)
@given(texts=st.lists(some_texts, min_size=1, max_size=6), order=st.randoms(use_true_random=False))
def test_neither_the_order_of_items_nor_of_texts_matters(texts, order):
    places = order.sample(range(len(texts)), len(texts))
    shuffled_set = ItemSet({"text": [texts[place] for place in places]})
    item_set = ItemSet({"text": texts})
    featurizer = TextFeatures(["text"]).fit([item_set])
    pairs = all_pairs(len(texts))
    cosines = cosines_of(featurizer, shuffled_set)
    np.testing.assert_allclose(cosines, cosines_of(featurizer, item_set, np.array(places)[pairs]))
    np.testing.assert_array_equal(
        cosines, cosines_of(TextFeatures(["text"]).fit([shuffled_set]), shuffled_set)
    )


@settings(max_examples=30)
@given(texts=st.lists(some_texts, max_size=5), times=st.integers(2, 4))
def test_repeating_a_text_changes_no_cosine(texts, times):
    often = [f"{text} " * times if isinstance(text, str) else text for text in texts]
    featurizer = TextFeatures(["text"], [1]).fit([ItemSet({"text": texts})])
    np.testing.assert_allclose(
        cosines_of(featurizer, ItemSet({"text": often})),
        cosines_of(featurizer, ItemSet({"text": texts})),
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
    cosines = cosines_of(
        TextFeatures(["text"], [1, 2], [None]).fit([ItemSet(texts)]), ItemSet(texts)
    )
    assert np.all(cosines[0] > 0.2)
    np.testing.assert_array_equal(cosines[1:], 0.0)


def test_forms_of_a_word_have_the_same_stem():
    texts = ItemSet(["elections", "elected", "selection"])
    cosines = cosines_of(TextFeatures(["text"], [1]).fit([texts]), texts)
    np.testing.assert_array_equal(cosines[:, 0], 0.0)
    np.testing.assert_allclose(cosines[:, 1], [1.0, 0.0, 0.0])
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
def test_leads_are_first_sentences_or_lines(text, lead):
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
def test_quotations_are_the_texts_between_quotation_marks(text, quoted):
    assert Quotations("text").texts(ItemSet({"text": [text]})) == [quoted]


@pytest.mark.parametrize(
    ("view", "text", "expected"),
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
def test_long_rows_of_marks_are_read_in_time(view, text, expected):
    """An algorithm of quadratic time would take hours."""
    assert view.texts(ItemSet({"text": [text]})) == [expected]


def test_views_can_contain_views():
    item_set = ItemSet({"title": ["T", None], "text": ['He: "Ah. B." C.', "D"]})
    assert Lead(Quotations("text")).texts(item_set) == ["Ah.", ""]
    joined_view = Joined(["title", Lead(Quotations("text"))])
    assert joined_view.texts(item_set) == ["T Ah.", ""]
    assert joined_view.name == "title + lead of quotations of text"
    assert joined_view == Joined(("title", Lead(Quotations("text"))))


@pytest.mark.parametrize(
    ("make", "message"),
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
        (lambda: TextFeatures(stems=[True]), "the name of a Snowball stemmer, such as"),
        (lambda: TextFeatures(stems=["porter", "porter"]), "each value once"),
        (
            lambda: TextFeatures(stems=["klingon"]),
            "'klingon', which is not a Snowball algorithm; give None or one of arabic, .*porter",
        ),
        (lambda: TextFeatures(known=()), "a list of 10 KnownGrams"),
        (lambda: TextFeatures(known=3), "a list of 10 KnownGrams"),
        (lambda: TextFeatures().encode(articles()), "TextFeatures is not fitted; call fit"),
        (lambda: TextFeatures().fit([ItemSet({"title": ["a"]})]), "item set 0: there is no column"),
        (lambda: TextFeatures(["text"]).fit([ItemSet({"text": [3]})]), "text of item 0 is 3"),
        (lambda: TextFeatures(["text"]).fit([ItemSet([[1.0]])]), "the items are vectors"),
        (lambda: KnownGrams(("b", "a"), (), ([1.0, 1.0, 1.0],)), "alphabetical order"),
        (lambda: KnownGrams(("a",), (), ([1.0],)), r"shape \(1,\) for 1 n-grams"),
        (lambda: KnownGrams(("a",), ([0],), ([1.0, 1.0],)), "one array per size"),
        (
            lambda: KnownGrams(("a",), ([1],), ([1.0, 1.0], [1.0, 1.0])),
            "keys must have one array of ascending integers",
        ),
        (
            lambda: KnownGrams(("a",), (["0"],), ([1.0, 1.0], [1.0, 1.0])),
            "keys must have one array of ascending integers",
        ),
    ],
)
def test_bad_parameters_and_items_are_refused(make, message):
    with pytest.raises(FeatureError, match=message):
        make()


def test_a_number_is_not_taken_for_true():
    with pytest.raises(InputError, match="rare is 1; give True or False"):
        TextFeatures(rare=1)


def test_only_n_grams_of_several_texts_are_known():
    grams = KnownGrams.learned(Words.from_texts(["a b c a b", "b c a", "a c", ""]), size=3)
    assert grams.words == ("a", "b", "c")
    parts = [np.divmod(keys, 3) for keys in grams.keys]
    bigrams = list(zip(*(part.tolist() for part in parts[0]), strict=True))
    assert [grams.words[i] + grams.words[j] for i, j in bigrams] == ["bc", "ca"]
    trigrams = zip(*(part.tolist() for part in parts[1]), strict=True)
    assert [(bigrams[i], grams.words[j]) for i, j in trigrams] == [((1, 2), "a")]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_read_as_columns_are(library):
    frames = pytest.importorskip(library)
    table = dict(articles().items) | {"text": [*articles().items["text"][:-1], None]}
    featurizer = TextFeatures().fit([ItemSet(table)])
    np.testing.assert_array_equal(
        cosines_of(featurizer, ItemSet(frames.DataFrame(table))),
        cosines_of(featurizer, ItemSet(table)),
    )


def test_a_model_with_texts_is_saved(tmp_path):
    featurizer = TextFeatures().fit([articles(0)])
    model = Model(AllPairs(), LinearSimilarity(featurizer, np.arange(30.0), bias=-9.0), Greedy())
    model.save(tmp_path / "model")
    classes = [TextFeatures, KnownGrams, Joined, Lead, Quotations]
    loaded = Model.load(tmp_path / "model", classes=classes)
    assert loaded.similarity.featurizer.views == ARTICLE
    assert all(isinstance(view, str | View) for view in loaded.similarity.featurizer.views)
    new_articles = articles(5)
    np.testing.assert_array_equal(
        loaded.scores(new_articles).scores, model.scores(new_articles).scores
    )
    assert loaded.predict([new_articles]) == model.predict([new_articles])


def ecb_plus(data_folder):
    """Read the articles by name, the names in each item set, and the published features."""
    folder = data_folder / "news_ecbplus"
    if not folder.is_dir():
        pytest.skip("the corpus news_ecbplus is missing from COTERIE_DATA")
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        articles_by_name = {article["doc"]: article for article in map(json.loads, lines)}
    members = defaultdict(list)
    with (folder / "item_sets.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            members[int(row["item_set"])].append(row["doc"])
    return articles_by_name, members, np.load(folder / "pairwise30.npz")


def as_articles(articles_by_name, names):
    return ItemSet(
        {field: [articles_by_name[name][field] for name in names] for field in ("title", "text")}
    )


def test_features_of_news_are_near_the_published_ones(data_folder):
    """The published ones were fitted to all articles, and cut leads and quotations differently."""
    articles_by_name, members, stored = ecb_plus(data_folder)
    order = [
        list(stored["feature_names"]).index(f"{view}_raw_{n}gram")
        for view in VIEWS
        for n in (1, 2, 3)
    ]
    featurizer = TextFeatures(stems=[None]).fit([as_articles(articles_by_name, articles_by_name)])
    computed_features = [
        cosines_of(featurizer, as_articles(articles_by_name, members[number])) for number in (6, 9)
    ]
    published_features = [stored[f"phi_{number}"][:, order] / 65535 for number in (6, 9)]
    one, other = np.concatenate(computed_features), np.concatenate(published_features)
    np.testing.assert_allclose(one[:, :3], other[:, :3], atol=1e-5)
    correlations = [np.corrcoef(one[:, column], other[:, column])[0, 1] for column in range(15)]
    min_correlations = np.repeat([0.99999, 0.93, 0.98, 0.999, 0.98], 3)
    assert np.all(correlations > min_correlations), dict(
        zip(featurizer.names, correlations, strict=True)
    )
