"""Words, counts and IDF of a vocabulary, compared with those of scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from coterie._saving import load_value, save_value
from coterie.exceptions import FeatureError, InputError
from coterie.features.texts.vocabulary import Vocabulary, split_words

TEXTS = [
    "The cat sat on the mat, the end.",
    "A dog chased the cat; the DOG won.",
    "Ünïcode wörds, ünïcode_2 and the mat",
    "",
    "? ! a b c",
    "dog days are over over over",
]
texts = st.lists(st.text("abc ABC,é_1\n", max_size=12), max_size=6)


def columns_of_words(vectorizer, words):
    return [vectorizer.vocabulary_[word] for word in words]


@pytest.mark.parametrize("min_texts", [1, 2, 3])
def test_counts_and_tfidf_are_those_of_scikit_learn(min_texts):
    vocabulary = Vocabulary.learned(TEXTS, min_texts)
    oracle = TfidfVectorizer(min_df=min_texts, sublinear_tf=True)
    weights = oracle.fit_transform(TEXTS).toarray()
    assert set(vocabulary.words) == set(oracle.vocabulary_)
    order = columns_of_words(oracle, vocabulary.words)
    np.testing.assert_allclose(vocabulary.idf, oracle.idf_[order], rtol=1e-12)
    counts = vocabulary.counts(TEXTS)
    expected_counts = CountVectorizer(vocabulary=vocabulary.words).transform(TEXTS).toarray()
    np.testing.assert_array_equal(counts.toarray(), expected_counts)
    np.testing.assert_allclose(vocabulary.tfidf(counts).toarray(), weights[:, order], atol=1e-12)


@given(learned=texts, counted=texts)
def test_any_texts_are_counted_as_scikit_learn_does(learned, counted):
    vocabulary = Vocabulary.learned(learned, 1)
    counts = vocabulary.counts(counted)
    assert counts.shape == (len(counted), len(vocabulary))
    assert counts.has_canonical_format
    if len(vocabulary) and counted:
        expected_counts = CountVectorizer(vocabulary=vocabulary.words).transform(counted).toarray()
        np.testing.assert_array_equal(counts.toarray(), expected_counts)
    lengths = np.linalg.norm(vocabulary.tfidf(counts).toarray(), axis=1)
    np.testing.assert_allclose(lengths, counts.sum(axis=1) > 0, atol=1e-12)


@given(learned=texts, order=st.randoms(use_true_random=False))
def test_the_order_of_texts_does_not_matter(learned, order):
    shuffled = order.sample(learned, len(learned))
    one, other = Vocabulary.learned(learned), Vocabulary.learned(shuffled)
    assert one.words == other.words
    np.testing.assert_array_equal(one.idf, other.idf)


def test_words_of_the_most_texts_come_first():
    vocabulary = Vocabulary.learned(["bb cc", "cc bb dd", "cc aa aa aa", "aa"], 1)
    assert vocabulary.words == ("cc", "aa", "bb", "dd")
    assert np.all(np.diff(vocabulary.idf) >= 0)


def test_words_have_at_least_two_characters():
    assert split_words("I'm it, 42 x_1 ÄÖ ß\tend") == ["it", "42", "x_1", "äö", "end"]


def test_a_vocabulary_of_no_texts_is_empty():
    vocabulary = Vocabulary.learned([])
    assert len(vocabulary) == 0
    assert vocabulary.counts(["some text", ""]).shape == (2, 0)
    assert vocabulary.tfidf(vocabulary.counts(["some text"])).shape == (1, 0)
    assert vocabulary.tfidf(vocabulary.counts([])).shape == (0, 0)


@pytest.mark.parametrize(
    ("words", "idf", "message"),
    [
        (("a", "a"), [1.0, 1.0], "distinct strings"),
        (("a", 1), [1.0, 1.0], "distinct strings"),
        (("a", "b"), [1.0], r"shape \(1,\) for 2 words"),
        (("a",), [0.0], "above 0"),
        (("a",), [np.inf], "finite"),
        (("a",), ["x"], "real numbers"),
    ],
)
def test_invalid_vocabularies_are_refused(words, idf, message):
    with pytest.raises(FeatureError, match=message):
        Vocabulary(words, idf)


def test_min_texts_is_at_least_1():
    with pytest.raises(InputError, match="min_texts is 0"):
        Vocabulary.learned(TEXTS, 0)


def test_a_vocabulary_is_saved(tmp_path):
    vocabulary = Vocabulary.learned(TEXTS)
    save_value(tmp_path / "file", vocabulary, {"Vocabulary": Vocabulary}.get)
    loaded = load_value(tmp_path / "file", {"Vocabulary": Vocabulary}.get)
    assert loaded.words == vocabulary.words
    np.testing.assert_array_equal(loaded.idf, vocabulary.idf)
