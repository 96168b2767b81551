"""SoftTFIDF, compared with a plain twin that computes one pair of names at a time."""

from collections import Counter
from itertools import combinations
from math import isclose, log, sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import JaroWinkler

from coterie import ItemSet, Model
from coterie._core.arrays import read_only
from coterie._kernels.texts.soft_tfidf import TokenRows, count_close, gather_close, matched_sums
from coterie.blocking import AllPairs
from coterie.checks import check_featurizer
from coterie.clusterers import SingleLinkage
from coterie.exceptions import FeatureError, InputError
from coterie.features.names import soft_tfidf
from coterie.features.names.soft_tfidf import SoftTFIDF
from coterie.features.names.tokens import fold_case, name_tokens
from coterie.features.operators import to_matrix
from coterie.learners import PairwiseClustering, Untrained
from coterie.pairs import all_pairs
from coterie.similarities import LinearSimilarity

NAMES = (
    "John Kennedy",
    "Kennedy, Jhon",
    "J. F. Kennedy",
    "Jonathan Kenedy",
    "Brian Wilson",
    "Brian",
    "Wilson Wilson Brain",
    "José Martí",
    "JOSE MARTI",
    "毛泽东",
    "毛澤東",
    "Иосиф Бродский",
    "U.S. Corp.",
    "US Corporation",
    None,
    "?!",
)
spellings = st.text("abc", min_size=1, max_size=4)
some_names = st.lists(st.lists(spellings, max_size=4).map(" ".join), min_size=2, max_size=6)


def similarities(featurizer, names, pairs=None):
    return to_matrix(featurizer(ItemSet({"name": names}), pairs)).ravel()


def weights(featurizer, name):
    """Return the weights of the tokens of a name, from the definition."""
    idf = dict(zip(featurizer.words, featurizer.idf, strict=False))
    counts = Counter(fold_case(token) for token in name_tokens(name or ""))
    plain = {w: log(1 + tf) * idf.get(w, featurizer.idf[-1]) for w, tf in counts.items()}
    length = sqrt(sum(weight**2 for weight in plain.values()))
    return {token: weight / length for token, weight in plain.items()}


def close_tokens(featurizer, first_name, second_name):
    """Return score, product of weights and tokens of all close tokens, the closest first."""
    first, second = weights(featurizer, first_name), weights(featurizer, second_name)
    scored_pairs = [
        (JaroWinkler.similarity(w, v), first[w] * second[v], w, v) for w in first for v in second
    ]
    lowest = max(featurizer.threshold - 1e-9, 1e-300)
    return sorted(
        (pair for pair in scored_pairs if pair[0] >= lowest),
        key=lambda pair: (-pair[0], -pair[1], sorted(pair[2:])),
    )


def plain_similarity(featurizer, first, second):
    """Return the similarity of two names: match the closest tokens until none is left."""
    candidates = close_tokens(featurizer, first, second)
    total = 0.0
    while candidates:
        score, weight, w, v = candidates[0]
        total += score * weight
        candidates = [pair for pair in candidates if pair[2] != w and pair[3] != v]
    return total


def published_sum(featurizer, first, second):
    """Return the published sum, and the nearest token of the second name for each of the first."""
    nearest = {}
    for score, weight, w, v in close_tokens(featurizer, first, second):
        nearest.setdefault(w, (score * weight, v))
    return sum(gain for gain, _ in nearest.values()), {(w, v) for w, (_, v) in nearest.items()}


@pytest.mark.parametrize("threshold", [0.0, 0.7, 0.9, 1.0])
def test_similarities_are_those_of_the_twin(threshold):
    featurizer = SoftTFIDF(threshold=threshold).fit([{"name": NAMES[:9]}])
    values = similarities(featurizer, NAMES)
    expected = [plain_similarity(featurizer, *pair) for pair in combinations(NAMES, 2)]
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-15)
    assert len(np.unique(values)) > 5


@given(names=some_names, learned=some_names, threshold=st.sampled_from([0.0, 0.5, 0.8, 0.9]))
def test_any_names_are_compared_as_by_the_twin(names, learned, threshold):
    featurizer = SoftTFIDF(threshold=threshold).fit([learned])
    values = similarities(featurizer, names)
    expected = [plain_similarity(featurizer, *pair) for pair in combinations(names, 2)]
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-12)
    assert np.all((values >= 0.0) & (values <= 1.0))


@given(names=some_names, threshold=st.sampled_from([0.6, 0.8, 0.9]))
def test_similarity_is_the_published_sum_where_nearest_tokens_are_mutual(names, threshold):
    featurizer = SoftTFIDF(threshold=threshold).fit([names])
    values = similarities(featurizer, names)
    for i, (first, second) in enumerate(combinations(names, 2)):
        expected, forward_pairs = published_sum(featurizer, first, second)
        _, backward_pairs = published_sum(featurizer, second, first)
        if forward_pairs == {(w, v) for v, w in backward_pairs}:
            assert isclose(values[i], expected, abs_tol=1e-12)


def test_names_that_differ_in_spelling_have_the_similarity_by_hand():
    # Of 3 names, kennedy is in 2 and each other word in 1: idf ln(4 / 2.5) and ln(4 / 1.5).
    # john and jhon: 4 characters match, 2 of them (1 pair) in another order, so Jaro is
    # (4/4 + 4/4 + 3/4) / 3 = 11/12; they begin with the same letter: 11/12 + 0.1 · 1/12 = 0.925.
    names = ["John Kennedy", "Jhon Kennedy", "Brian Wilson"]
    featurizer = SoftTFIDF().fit([ItemSet({"name": names})])
    assert featurizer.words == ("brian", "jhon", "john", "kennedy", "wilson")
    rare, common = log(4 / 1.5), log(4 / 2.5)
    np.testing.assert_allclose(featurizer.idf, [rare, rare, rare, common, rare, log(4 / 0.5)])
    square = rare**2 + common**2
    expected = [(0.925 * rare**2 + common**2) / square, 0.0, 0.0]
    np.testing.assert_allclose(similarities(featurizer, names), expected)


def test_a_part_of_a_name_has_the_similarity_by_hand():
    # Of 2 names, both have brian: ln(3 / 2.5) = ln 1.2; one has wilson: ln(3 / 1.5) = ln 2.
    names = ["Brian", "Brian Wilson"]
    expected = log(1.2) / sqrt(log(1.2) ** 2 + log(2) ** 2)
    np.testing.assert_allclose(similarities(SoftTFIDF().fit([names]), names), [expected])


def test_a_word_that_occurs_twice_weighs_more():
    # Of 2 names, both have a and b: their idf, ln 1.2, is left out of the cosine of
    # (ln 3, ln 2) and (ln 2, ln 2).
    names = ["a b a", "b a"]
    expected = (log(3) + log(2)) / (sqrt(log(3) ** 2 + log(2) ** 2) * sqrt(2))
    np.testing.assert_allclose(similarities(SoftTFIDF().fit([names]), names), [expected])


def test_each_token_is_matched_once():
    # jon and john (JW 0.9333) are both close to john; the published sum would be
    # (1 + 0.9333) / √2 = 1.37 from one side. Words that fit did not see are equally rare.
    featurizer = SoftTFIDF().fit([])
    np.testing.assert_allclose(similarities(featurizer, ["John Jon", "John"]), [1 / sqrt(2)])
    assert published_sum(featurizer, "John Jon", "John")[0] > 1.36


@pytest.mark.parametrize(
    ("first", "second", "threshold", "expected"),
    [
        ("JFK", "John Kennedy", 0.9, 0.0),
        ("J.F.K.", "jfk", 0.9, 1.0),
        ("Bill", "William", 0.9, 0.0),
        ("Corp.", "Corporation", 0.9, 0.0),
        # Jaro (4/4 + 4/11 + 4/4) / 3 = 26/33, and 0.4 of the rest for four letters: 48/55.
        ("Corp.", "Corporation", 0.85, 48 / 55),
        ("&", "and", 0.9, 0.0),
        ("AT&T", "at & t", 0.9, 1.0),
        ("José Martí", "JOSE MARTI", 0.9, 1.0),
        ("毛泽东", "毛泽东", 0.9, 1.0),
        ("毛泽东", "毛澤东", 0.9, 2 / 3),
        ("Иосиф", "иосиф", 0.9, 1.0),
        ("", "Ann", 0.9, 0.0),
        ("", "", 0.9, 0.0),
        ("?!", "?!", 0.9, 0.0),
        (None, None, 0.9, 0.0),
        (None, "Ann", 0.9, 0.0),
    ],
)
def test_words_unknown_to_fit_are_compared(first, second, threshold, expected):
    featurizer = SoftTFIDF(threshold=threshold).fit([])
    np.testing.assert_allclose(similarities(featurizer, [first, second]), [expected], atol=1e-15)


def test_tokens_at_the_threshold_are_close():
    # Jaro of dwayne and duane is (4/6 + 4/5 + 4/4) / 3, and 0.1 of the rest for d: 0.84. That of
    # a and aaa is (1/1 + 1/3 + 1/1) / 3, and 0.1 of the rest: 0.8, which is rounded down.
    for names, threshold in ((["Dwayne", "Duane"], 0.84), (["a", "aaa"], 0.8)):
        for above, expected in ((0.0, threshold), (1e-8, 0.0), (1e-3, 0.0)):
            values = similarities(SoftTFIDF(threshold=threshold + above).fit([]), names)
            np.testing.assert_allclose(values, [expected])


def test_new_words_are_the_rarest():
    featurizer = SoftTFIDF().fit([["Ann Lee", "Ann Roe"]])
    # Ann is in both names, Lee in one, Poe in none: a rarer common word counts more.
    values = [
        similarities(featurizer, [f"{word} Smith", f"{word} Jones"])[0]
        for word in ("Ann", "Lee", "Poe")
    ]
    assert values == sorted(values)
    np.testing.assert_allclose(values[2], 0.5)


@given(names=some_names, seed=st.integers(0, 99))
def test_similarities_depend_on_neither_the_order_nor_the_other_items(names, seed):
    featurizer = SoftTFIDF(threshold=0.7).fit([names])
    order = np.random.default_rng(seed).permutation(len(names))
    matrix = np.zeros((len(names), len(names)))
    first, second = all_pairs(len(names)).T
    matrix[first, second] = matrix[second, first] = similarities(featurizer, names)
    moved_similarities = similarities(featurizer, [names[number] for number in order])
    np.testing.assert_array_equal(moved_similarities, matrix[order[first], order[second]])
    for number, pair in enumerate(combinations(names, 2)):
        assert similarities(featurizer, pair) == similarities(featurizer, pair[::-1])
        assert similarities(featurizer, pair) == similarities(featurizer, names)[number]


@given(names=some_names)
def test_the_similarity_of_a_name_with_itself_is_1(names):
    featurizer = SoftTFIDF().fit([names])
    for name in names:
        values = similarities(featurizer, [name, name.upper()])
        np.testing.assert_allclose(values, [1.0 if name.strip() else 0.0], rtol=1e-12)


@pytest.mark.parametrize("threshold", [0.0, 0.6, 0.9])
def test_the_contract_of_a_featurizer(threshold):
    sets = [ItemSet({"name": names}) for names in (NAMES, NAMES[:1], NAMES[::2], [None, ""])]
    check_featurizer(SoftTFIDF(threshold=threshold), [*sets, ItemSet(NAMES), ItemSet([])])


@pytest.mark.parametrize("block", [1, 3, 50])
@pytest.mark.parametrize("listing_cost", [0, 10**9])
def test_blocks_and_lists_of_tokens_change_nothing(monkeypatch, block, listing_cost):
    featurizer = SoftTFIDF(threshold=0.6).fit([NAMES])
    expected = similarities(featurizer, NAMES)
    rows = np.random.default_rng(0).permutation(len(expected))[:70]
    monkeypatch.setattr(soft_tfidf, "BLOCK", block)
    monkeypatch.setattr(soft_tfidf, "LISTING_COST", listing_cost)
    np.testing.assert_array_equal(similarities(featurizer, NAMES), expected)
    values = similarities(featurizer, NAMES, all_pairs(len(NAMES))[rows])
    np.testing.assert_array_equal(values, expected[rows])


def test_listed_pairs_of_many_names_are_compared():
    n_names = 10_000
    rng = np.random.default_rng(0)
    words = np.array(["".join(rng.choice(list("abcdefgh"), 6)) for _ in range(3_000)])
    names = [" ".join(rng.choice(words, 3)) for _ in range(n_names)]
    featurizer = SoftTFIDF().fit([names])
    pairs = np.column_stack([np.arange(n_names - 1), np.arange(1, n_names)])
    values = similarities(featurizer, names, pairs)
    for row in [*np.flatnonzero(values)[:5], *range(5)]:
        first, second = (names[number] for number in pairs[row])
        assert isclose(values[row], plain_similarity(featurizer, first, second), abs_tol=1e-12)


def test_long_names_are_compared():
    letters, words = "x" * 10_000, " ".join(f"word{number}" for number in range(2_000))
    names = [letters, letters[:-1] + "y", words, words + "s", "毛" * 10_000, "é" * 10_000, "Ann"]
    values = similarities(SoftTFIDF().fit([names]), names)
    pairs = list(combinations(range(len(names)), 2))
    assert values[pairs.index((0, 1))] > 0.999
    # All words but the last are the same, and the last one only lacks a final s.
    assert 0.999 < values[pairs.index((2, 3))] < 1.0
    assert np.count_nonzero(values) == 2


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_and_texts_are_read_as_columns_are(library):
    frames = pytest.importorskip(library)
    featurizer = SoftTFIDF().fit([{"name": NAMES}])
    expected = similarities(featurizer, NAMES)
    frame = ItemSet(frames.DataFrame({"town": range(len(NAMES)), "name": NAMES}))
    for item_set in (frame, ItemSet(NAMES), ItemSet(list(NAMES))):
        np.testing.assert_array_equal(to_matrix(featurizer(item_set, None)).ravel(), expected)
        assert SoftTFIDF().fit([item_set]).words == featurizer.words


def test_missing_names_are_ignored_by_fit():
    with_missing = SoftTFIDF().fit([["Ann", None, "Ann Lee", "", "..."]])
    without_missing = SoftTFIDF().fit([["Ann"], ["Ann Lee"]])
    assert with_missing.words == without_missing.words
    np.testing.assert_array_equal(with_missing.idf, without_missing.idf)


def test_there_is_one_column_of_similarity():
    assert SoftTFIDF().names == ("soft TF-IDF",)
    assert SoftTFIDF().distances == (False,)
    assert repr(SoftTFIDF().fit([NAMES])) == "SoftTFIDF(name='name', threshold=0.9)"


TRUTH = [0, 0, 1, 1, 2, 2]
TRAINING_NAMES = ["John Kennedy", "Jhon Kennedy", "Brian Wilson", "Brain Wilson", "Rome", "ROME"]


def test_names_are_clustered():
    untrained = Untrained(SingleLinkage(), SoftTFIDF()).fit([TRAINING_NAMES], [TRUTH])
    assert untrained.predict([ItemSet(TRAINING_NAMES, n_clusters=3)])[0].labels.tolist() == TRUTH
    pairwise = PairwiseClustering(featurizer=SoftTFIDF(), C=100.0).fit([TRAINING_NAMES], [TRUTH])
    assert pairwise.similarity_.coef[0] > 0.0
    assert pairwise.predict([TRAINING_NAMES])[0].labels.tolist() == TRUTH


def test_a_model_with_soft_tfidf_is_saved(tmp_path):
    featurizer = SoftTFIDF("person", 0.85).fit([{"person": TRAINING_NAMES}])
    similarity = LinearSimilarity(featurizer, [1.0], bias=-0.8)
    model = Model(AllPairs(), similarity, SingleLinkage(threshold=0.0))
    model.save(tmp_path / "names")
    loaded = Model.load(tmp_path / "names", classes=[SoftTFIDF])
    loaded_featurizer = loaded.similarity.featurizer
    assert (loaded_featurizer.name, loaded_featurizer.threshold, loaded_featurizer.words) == (
        "person",
        0.85,
        featurizer.words,
    )
    table = {"person": [*TRAINING_NAMES, "Brian Rome", "毛泽东", None]}
    np.testing.assert_array_equal(loaded.scores(table).scores, model.scores(table).scores)
    assert loaded.predict([{"person": TRAINING_NAMES}])[0].labels.tolist() == TRUTH


def test_encoding_before_fit_is_refused():
    with pytest.raises(FeatureError, match="SoftTFIDF is not fitted; call fit"):
        SoftTFIDF().encode(ItemSet(["Ann"]))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"nam": ["Ann"]}, "item set 1: there is no column 'name'; the columns are nam"),
        (
            {"name": [b"Ann"]},
            "item set 1: name of item 0 is b'Ann', not a string; give a string, or None",
        ),
        ([[1.0, 2.0]], "item set 1: SoftTFIDF compares columns, but the items are vectors; give"),
        (
            [{"name": "Ann"}],
            "item set 1: item 0 is {'name': 'Ann'}, not a string; give a string, or None",
        ),
    ],
)
def test_items_without_names_are_refused(items, message):
    with pytest.raises(FeatureError, match=message):
        SoftTFIDF().fit([ItemSet(["Ann"]), ItemSet(items)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threshold": 1.1}, "threshold is 1.1; give a finite number from 0 to 1"),
        ({"threshold": "0.9"}, "threshold is '0.9'; give a finite number from 0 to 1"),
        ({"words": ("a", "a"), "idf": [1.0, 1.0, 1.0]}, "words must be distinct strings"),
        ({"words": ("a", 1), "idf": [1.0, 1.0, 1.0]}, "words must be distinct strings"),
        ({"words": ("a",), "idf": [1.0]}, r"idf has shape \(1,\) for 1 words; give one finite"),
        ({"words": ("a",), "idf": [1.0, 0.0]}, "above 0"),
        ({"words": ("a",)}, "idf must be real numbers"),
        ({"idf": [1.0, 2.0]}, "for 0 words"),
    ],
)
def test_wrong_parameters_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        SoftTFIDF(**change)


def rows_of(matrix):
    csr = sp.csr_array(matrix)
    parts = csr.indptr.astype(np.intp), csr.indices.astype(np.intp), csr.data
    return TokenRows(*map(read_only, parts))


def test_kernels_are_those_of_full_matrices(rng):
    names = rng.random((7, 9)) * (rng.random((7, 9)) < 0.4)
    near = rng.random((9, 9)) * (rng.random((9, 9)) < 0.3)
    near = near + near.T + np.eye(9)
    pairs = all_pairs(7)
    named, token_rows = rows_of(names), rows_of(near)
    counts = count_close(pairs, named, token_rows)
    present = (names > 0).astype(int)
    close_counts = np.einsum("ia,ab,jb->ij", present, (near > 0).astype(int), present)
    np.testing.assert_array_equal(counts, [close_counts[i, j] for i, j in pairs])
    owners, places, scores = gather_close(pairs, named, token_rows, counts.sum())
    tokens = named.tokens[places]
    gathered = set(zip(owners.tolist(), *tokens.tolist(), scores.tolist(), strict=True))
    assert gathered == {
        (number, a, b, near[a, b])
        for number, (i, j) in enumerate(pairs)
        for a in np.flatnonzero(names[i])
        for b in np.flatnonzero(names[j])
        if near[a, b]
    }
    for pair, ends in zip(owners, places.T, strict=True):
        for name, end in zip(pairs[pair], ends, strict=True):
            assert named.starts[name] <= end < named.starts[name + 1]


def test_gains_are_added_in_order_each_token_once(rng):
    owners = np.sort(rng.integers(0, 6, 60))
    tokens = rng.integers(0, 4, (2, 60))
    gains = rng.random(60)
    expected, matched_tokens = np.zeros(7), set()
    for pair, first, second, gain in zip(owners, *tokens, gains, strict=True):
        if not matched_tokens & {(pair, 0, first), (pair, 1, second)}:
            matched_tokens |= {(pair, 0, first), (pair, 1, second)}
            expected[pair] += gain
    np.testing.assert_array_equal(matched_sums(owners, tokens, gains, 7, 4), expected)
