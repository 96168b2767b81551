"""Features of posts, compared with a plain twin that computes one pair at a time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import ItemSet
from coterie._saving import load_value, save_value
from coterie.blocking import Window
from coterie.checks import check_featurizer
from coterie.exceptions import FeatureError, InputError
from coterie.features.operators import DenseFeatures, to_matrix
from coterie.features.texts import posts, vocabulary
from coterie.features.texts.posts import AUTHORS, MEASURES, PostFeatures
from coterie.pairs import all_pairs

WORDS = ("the", "of", "cat", "dog", "tree", "house", "zebra", "quark")
NAMES = ("Ann", "bob", "Cy_1")


def make_posts(rng, n_items, *, clock=5):
    """Draw posts: some without words, some at the same time, some that begin with a name."""
    texts = [" ".join(rng.choice(WORDS, rng.integers(0, 6))) for _ in range(n_items)]
    called = rng.integers(-4, len(NAMES), n_items)
    texts = [
        text if name < 0 else f"{NAMES[name].lower()}: {text}"
        for text, name in zip(texts, called, strict=True)
    ]
    return {
        "text": texts,
        "time": np.sort(rng.integers(0, clock * n_items + 1, n_items) // 2),
        "position": np.arange(n_items),
        "author": [NAMES[number] for number in rng.integers(0, len(NAMES), n_items)],
    }


def item_sets(seed=0, sizes=(12, 1, 0, 2, 9)):
    rng = np.random.default_rng(seed)
    return [ItemSet(make_posts(rng, size)) for size in sizes]


def dense(features):
    matrix = to_matrix(features)
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def plain_features(featurizer, table, i, j):
    """Compute the features of one pair from the definition."""
    idf = dict(zip(featurizer.vocabulary.words, featurizer.vocabulary.idf, strict=True))
    counts = []
    for text in (table["text"][i], table["text"][j]):
        words = vocabulary.split_words(text)
        counts.append({word: words.count(word) for word in words if word in idf})
    weights = [{w: (1 + math.log(c)) * idf[w] for w, c in words.items()} for words in counts]
    lengths = [math.sqrt(sum(x * x for x in vector.values())) for vector in weights]
    common = sorted(set(counts[0]) & set(counts[1]))
    dot = sum(weights[0][w] * weights[1][w] for w in common)
    cosine = dot / (lengths[0] * lengths[1]) if common else 0.0
    hours = abs(float(table["time"][i]) - float(table["time"][j])) / featurizer.time_unit
    places = abs(int(table["position"][i]) - int(table["position"][j]))
    total = sum(idf[w] for w in common)
    values = [cosine]
    for x in (hours, places, total):
        values += [x, math.log(1 + x)]
    if featurizer.author is not None:
        values += plain_author_features(table, i, j)
    means, deviations = featurizer.spread
    words = featurizer.vocabulary.words[: featurizer.max_words]
    return [
        *(np.array(values) - means) / deviations,
        *(idf[w] / 2 * (w in common) for w in words),
    ]


def plain_author_features(table, i, j):
    stamps = [(table["time"][k], table["position"][k]) for k in (i, j)]
    earlier, later = (i, j) if stamps[0] < stamps[1] else (j, i)

    def calls(one, other):
        return table["text"][one].lower().startswith(f"{table['author'][other].lower()}:")

    apart = stamps[0] != stamps[1]
    same = table["author"][i] == table["author"][j]
    return [same, apart and calls(later, earlier), apart and calls(earlier, later)]


@pytest.mark.parametrize("author", [None, "author"])
@pytest.mark.parametrize("max_words", [None, 0, 3])
def test_features_are_those_of_the_twin(author, max_words):
    sets = item_sets()
    featurizer = PostFeatures(author=author, max_words=max_words).fit(sets)
    other = ItemSet(make_posts(np.random.default_rng(5), 15))
    for item_set in (sets[0], other):
        features = dense(featurizer(item_set, None))
        for row, (i, j) in enumerate(all_pairs(len(item_set))):
            expected = plain_features(featurizer, item_set.items, i, j)
            np.testing.assert_allclose(features[row], expected, rtol=1e-9, atol=1e-9)
    if author:
        assert np.all(np.ptp(features[:, len(MEASURES) : len(MEASURES) + len(AUTHORS)], axis=0) > 0)


@pytest.mark.parametrize("author", [None, "author"])
@pytest.mark.parametrize("max_words", [None, 0, 3])
def test_the_contract_of_a_featurizer(author, max_words):
    check_featurizer(PostFeatures(author=author, max_words=max_words), item_sets())


@pytest.mark.parametrize("texts", [["", "", ""], ["a", "?", None], ["one", "two", "three"]])
def test_texts_without_known_words_have_finite_features(texts):
    columns = {"text": texts, "time": [3, 3, 3], "position": [0, 1, 2]}
    check_featurizer(PostFeatures(), [ItemSet(columns)])
    featurizer = PostFeatures().fit(item_sets())
    features = dense(featurizer(ItemSet(columns), None))
    assert np.isfinite(features).all()
    assert features.shape == (3, len(featurizer.names))
    np.testing.assert_array_equal(features[:, len(MEASURES) :], 0.0)


@pytest.mark.parametrize("sets", [[], [ItemSet([])], item_sets(sizes=(1, 1))])
def test_without_training_pairs_features_are_not_scaled(sets):
    featurizer = PostFeatures(author="author").fit(sets)
    np.testing.assert_array_equal(featurizer.spread[1], 1.0)
    features = dense(featurizer(item_sets(1)[0], None))
    assert np.isfinite(features).all()
    assert featurizer(ItemSet([]), None).shape == (0, len(featurizer.names))


def test_training_columns_have_mean_0_and_deviation_1():
    sets = item_sets(sizes=(30, 20, 10))
    featurizer = PostFeatures(author="author", max_words=0).fit(sets)
    rows = np.concatenate([dense(featurizer(item_set, None)) for item_set in sets])
    np.testing.assert_allclose(rows.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(rows.std(axis=0), 1.0, rtol=1e-9)


def test_a_constant_column_is_not_scaled():
    table = make_posts(np.random.default_rng(0), 8) | {"time": np.full(8, 1e9)}
    featurizer = PostFeatures().fit([ItemSet(table)])
    assert featurizer.time_unit == 1.0
    np.testing.assert_array_equal(featurizer.spread[:, 1], [0.0, 1.0])


def test_the_spread_of_a_sample_is_near_that_of_all(monkeypatch):
    sets = item_sets(sizes=(80, 60))
    spread = PostFeatures().fit(sets).spread
    monkeypatch.setattr(posts, "SAMPLED_PAIRS", 1000)
    sampled_spread = PostFeatures().fit(sets).spread
    assert not np.array_equal(spread, sampled_spread)
    np.testing.assert_allclose(sampled_spread, spread, rtol=0.15)


FITTED = PostFeatures(author="author").fit(item_sets())


@given(seed=st.integers(0, 1000), order=st.permutations(range(9)))
def test_the_order_of_the_items_does_not_matter(seed, order):
    table = make_posts(np.random.default_rng(seed), 9, clock=1)
    shuffled = {name: [column[k] for k in order] for name, column in table.items()}
    pairs = all_pairs(9)
    moved_features = dense(FITTED(ItemSet(shuffled), pairs))
    features = dense(FITTED(ItemSet(table), np.asarray(order)[pairs]))
    np.testing.assert_allclose(moved_features, features, rtol=1e-9, atol=1e-9)


def test_fitting_does_not_depend_on_the_order_of_items():
    table = make_posts(np.random.default_rng(2), 20)
    order = np.random.default_rng(3).permutation(20)
    shuffled = {name: [column[k] for k in order] for name, column in table.items()}
    one, other = (PostFeatures(author="author").fit([ItemSet(t)]) for t in (table, shuffled))
    assert one.vocabulary.words == other.vocabulary.words
    assert one.time_unit == other.time_unit
    np.testing.assert_allclose(one.spread, other.spread, rtol=1e-9)


def address_features(texts, times=(0, 1), authors=("Ann", "Bob")):
    columns = {"text": texts, "time": times, "position": [0, 1], "author": authors}
    featurizer = PostFeatures(author="author", max_words=0).fit([])
    return dense(featurizer(ItemSet(columns), None))[0, len(MEASURES) :].tolist()


@pytest.mark.parametrize(
    "text", ["Ann: yes", "ann, yes", "ANN", "@Ann yes", "<ann> yes", "Ann; no", "Ann?"]
)
def test_the_later_text_may_begin_with_the_earlier_author(text):
    assert address_features(["hello", text]) == [0, 1, 0]
    assert address_features([text.replace("n", "x"), text]) == [0, 1, 0]


@pytest.mark.parametrize("text", ["yes Ann", "Annie: yes", "An: yes", "", ":", "Cy: yes"])
def test_other_texts_address_nobody(text):
    assert address_features(["hello", text]) == [0, 0, 0]


def test_time_and_then_position_say_which_post_is_later():
    texts = ["hello", "Ann: yes"]
    assert address_features(texts, times=(0, 0)) == [0, 1, 0]
    assert address_features(texts, times=(1, 0)) == [0, 0, 1]
    columns = {"text": texts, "time": [0, 0], "position": [7, 7], "author": ["Ann", "Bob"]}
    featurizer = PostFeatures(author="author").fit([])
    assert dense(featurizer(ItemSet(columns), None))[0, len(MEASURES) :].tolist() == [0, 0, 0]


@pytest.mark.parametrize("unknown", [None, float("nan"), ""])
def test_unknown_authors_are_not_the_same(unknown):
    assert address_features([": a", ": b"], authors=(unknown, unknown)) == [0, 0, 0]
    assert address_features(["a", "b"], authors=("Ann", "ann")) == [1, 0, 0]
    assert address_features(["a", "7 b"], authors=(7, unknown)) == [0, 1, 0]


def test_the_time_unit_is_the_mean_step():
    sets = [ItemSet({"text": ["", ""], "time": t, "position": [0, 1]}) for t in ([0, 4], [10, 2])]
    assert PostFeatures().fit(sets).time_unit == 6.0
    assert PostFeatures().fit(sets).fit(sets[:1]).time_unit == 4.0


def test_words_with_columns_are_those_of_the_most_posts():
    sets = item_sets(sizes=(40,))
    unlimited = PostFeatures().fit(sets)
    limited = PostFeatures(max_words=3).fit(sets)
    assert limited.names == unlimited.names[: len(MEASURES) + 3]
    assert unlimited.names[len(MEASURES)] == f"word: {unlimited.vocabulary.words[0]}"
    np.testing.assert_array_equal(
        dense(limited(sets[0], None)), dense(unlimited(sets[0], None))[:, : len(limited.names)]
    )
    assert isinstance(PostFeatures(max_words=0).fit(sets)(sets[0], None), DenseFeatures)
    assert PostFeatures(max_words=10**6).fit(sets).names == unlimited.names


def test_words_add_up_to_their_sum():
    sets = item_sets(sizes=(25,))
    featurizer = PostFeatures().fit(sets)
    features = dense(featurizer(sets[0], None))
    column = MEASURES.index("common words")
    mean, deviation = featurizer.spread[:, column]
    total = features[:, column] * deviation + mean
    np.testing.assert_allclose(2 * features[:, len(MEASURES) :].sum(axis=1), total, atol=1e-9)


def test_listed_pairs_of_many_items_are_compared():
    """All pairs of 50,000 items would not fit into memory."""
    n_items = 50_000
    rng = np.random.default_rng(0)
    table = {
        "text": [f"word{number} the" for number in rng.integers(0, 500, n_items)],
        "time": np.arange(n_items) * 2.0,
        "position": np.arange(n_items),
    }
    featurizer = PostFeatures().fit([ItemSet({name: c[:200] for name, c in table.items()})])
    item_set = ItemSet(table)
    pairs = Window(3)(item_set)
    features = featurizer(item_set, pairs)
    assert features.shape[0] == 3 * n_items - 6
    row = 2 * n_items
    np.testing.assert_allclose(
        dense(featurizer(item_set, pairs[[row]]))[0],
        plain_features(featurizer, item_set.items, *pairs[row]),
        atol=1e-9,
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_read_as_columns_are(library):
    frames = pytest.importorskip(library)
    table = make_posts(np.random.default_rng(1), 10)
    table["author"][3] = table["text"][4] = None
    featurizer = PostFeatures(author="author").fit([ItemSet(table)])
    np.testing.assert_array_equal(
        dense(featurizer(ItemSet(frames.DataFrame(table)), None)),
        dense(featurizer(ItemSet(table), None)),
    )


def test_missing_values_of_pandas_are_empty():
    frames = pytest.importorskip("pandas")
    table = make_posts(np.random.default_rng(1), 4) | {"text": [None, "the", "the", None]}
    table["author"][1] = None
    item_set = ItemSet(frames.DataFrame(table).convert_dtypes())
    assert item_set.items["text"].isna().sum() == 2
    featurizer = PostFeatures(author="author").fit([item_set])
    np.testing.assert_array_equal(
        dense(featurizer(item_set, None)), dense(featurizer(ItemSet(table), None))
    )


def test_columns_may_have_other_names():
    table = make_posts(np.random.default_rng(1), 10)
    renamed = {"body": table["text"], "sent": table["time"], "line": table["position"]}
    featurizer = PostFeatures("body", "sent", "line").fit([ItemSet(renamed)])
    plain = PostFeatures().fit([ItemSet(table)])
    np.testing.assert_array_equal(
        dense(featurizer(ItemSet(renamed), None)), dense(plain(ItemSet(table), None))
    )


def test_a_fitted_featurizer_is_saved(tmp_path):
    sets = item_sets()
    featurizer = PostFeatures(author="author", max_words=4).fit(sets)
    resolve = {"PostFeatures": PostFeatures, "Vocabulary": vocabulary.Vocabulary}.get
    save_value(tmp_path / "file", featurizer, resolve)
    loaded = load_value(tmp_path / "file", resolve)
    assert loaded.names == featurizer.names
    assert loaded.time_unit == featurizer.time_unit
    np.testing.assert_array_equal(dense(loaded(sets[0], None)), dense(featurizer(sets[0], None)))


def test_an_unfitted_featurizer_asks_for_fit():
    for ask in (lambda f: f.names, lambda f: f.encode(item_sets()[0])):
        with pytest.raises(FeatureError, match="PostFeatures is not fitted; call fit"):
            ask(PostFeatures())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": ["a", 5]}, "item set 1: text of item 1 is 5, not a string; give"),
        ({"time": [0.0, -np.inf]}, "item set 1: time of item 1 is -inf; give a finite number"),
        ({"time": ["1", "2"]}, "item set 1: column 'time' must be real numbers"),
        ({"position": [0, np.inf]}, "item set 1: position of item 1 is inf"),
    ],
)
def test_wrong_columns_are_named(change, message):
    table = {"text": ["a", "b"], "time": [0, 1], "position": [0, 1]}
    with pytest.raises(FeatureError, match=message):
        PostFeatures().fit([ItemSet(table), ItemSet(table | change)])


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"text": ["a"], "time": [0]}, "no column 'position'; the columns are text, time"),
        ([[1.0, 2.0]], "the items are vectors; give a data frame"),
        (["a", "b"], "the items are of type tuple"),
    ],
)
def test_items_without_the_columns_are_refused(items, message):
    with pytest.raises(FeatureError, match=message):
        PostFeatures().fit([ItemSet(items)])


def test_features_of_pairs_are_refused():
    given_pairs = ItemSet.from_pair_features([[1.0]], n_items=2)
    with pytest.raises(FeatureError, match="the items are features of pairs"):
        PostFeatures().fit([given_pairs])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_words": -1}, "max_words is -1; give a whole number of at least 0"),
        ({"time_unit": 0}, "time_unit is 0; give a finite number above 0"),
        ({"spread": np.ones((2, 3))}, r"spread has shape \(2, 3\); give an array of shape"),
        ({"spread": np.zeros((2, 7))}, "deviations above 0"),
    ],
)
def test_wrong_parameters_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        PostFeatures(**change)


def test_missing_times_and_positions_count_as_the_mean_difference():
    table = {"text": ["a b", "b c", "c d"], "time": [0.0, 4.0, 5.0], "position": [0, 1, 2]}
    fitted = PostFeatures().fit([ItemSet(table)])
    names = list(fitted.names)
    difference_columns = [
        names.index(name) for name in ("time", "log time", "position", "log position")
    ]
    for missing in (None, np.nan):
        gaps = table | {"time": [0.0, 4.0, missing], "position": [0, 1, missing]}
        features = dense(fitted(ItemSet(gaps), None))
        complete_features = dense(fitted(ItemSet(table), None))
        np.testing.assert_array_equal(features[0], complete_features[0])
        assert (features[1:][:, difference_columns] == 0.0).all()
        other_columns = [column for column in range(len(names)) if column not in difference_columns]
        np.testing.assert_array_equal(
            features[:, other_columns], complete_features[:, other_columns]
        )
    refitted = PostFeatures().fit([ItemSet(gaps), ItemSet(table)])
    assert refitted.time_unit == (4.0 + 5.0) / 3
    assert np.isfinite(refitted.spread).all()
